#include "kube/metadata.h"

#include <string.h>

#include "grammar/label.h"
#include "grammar/name.h"

static const struct field owner_fields[] = {
    {.key = "apiVersion", .type = FIELD_STRING},
    {.key = "kind", .type = FIELD_STRING},
    {.key = "name", .type = FIELD_STRING},
    {.key = "uid", .type = FIELD_STRING},
    {.key = "controller", .type = FIELD_BOOL},
    {.key = "blockOwnerDeletion", .type = FIELD_BOOL},
    {.key = NULL},
};
static const struct field owner_item[] = {{.key = "", .type = FIELD_MAP, .below = owner_fields}, {.key = NULL}};
static const struct field string_item[] = {{.key = "", .type = FIELD_STRING}, {.key = NULL}};

const struct field metadata_fields[] = {
    {.key = "name", .type = FIELD_STRING},
    {.key = "generateName", .type = FIELD_STRING},
    {.key = "namespace", .type = FIELD_STRING, .whole = true, .widens = "the namespace is then the client's"},
    {.key = "labels", .type = FIELD_STRING_MAP},
    {.key = "annotations", .type = FIELD_STRING_MAP},
    {.key = "ownerReferences", .type = FIELD_LIST, .below = owner_item},
    {.key = "finalizers", .type = FIELD_LIST, .below = string_item},
    {.key = "managedFields", .type = FIELD_LIST} /* its entries are not kept */,
    {.key = "selfLink", .type = FIELD_STRING},
    {.key = "uid", .type = FIELD_STRING},
    {.key = "resourceVersion", .type = FIELD_STRING},
    {.key = "generation", .type = FIELD_LONG},
    {.key = "creationTimestamp", .type = FIELD_TIME},
    {.key = "deletionTimestamp", .type = FIELD_TIME},
    {.key = "deletionGracePeriodSeconds", .type = FIELD_LONG},
    {.key = NULL},
};

/* The server puts one letter for the last two bytes of a prefix that ends with a hyphen; without a name beside it, what it
 * makes of the prefix is checked too. */
static struct text prefix_text(const struct node *node, bool named) {
    struct text text = node_text(node);
    if (named && text.length > 1 && text.bytes[text.length - 1] == '-')
        text = (struct text){.bytes = text.length == 2 ? "a" : text.bytes,
                             .length = text.length == 2 ? 1 : text.length - 2};
    return text;
}

static void check_name(struct policy_reader *reader, struct part metadata) {
    struct part part = part_field(reader, metadata, "name");
    struct part generate = part_field(reader, metadata, "generateName");
    const char *name = node_string(part.node);
    bool empty = node_is_null(part.node) || (name && !*name);
    bool generated = node_string(generate.node) && *node_string(generate.node);
    if (generated && name_check_generate(prefix_text(generate.node, !empty), NULL) != NAME_OK)
        refuse(reader, CODE_INVALID_NAME, generate, "is `%s`, which begins no object name", node_string(generate.node));
    if (empty && !generated)
        refuse(reader, CODE_INVALID_NAME, part, "is missing; an object needs a name");
    else if (!empty && name && name_check_subdomain(text_of(name), NULL) != NAME_OK)
        refuse(reader, CODE_INVALID_NAME, part, "is `%s`, which is no object name: %s", name,
               name_fault_text(name_check_subdomain(text_of(name), NULL)));
}

/* Cluster-scoped kinds: the server clears the field, whatever it says. */
static void check_namespace(struct policy_reader *reader, struct part metadata) {
    struct part part = part_field(reader, metadata, "namespace");
    const char *name = node_string(part.node);
    if (!name || !*name || !object_kind_is_namespaced(reader->object->kind))
        return;
    enum name_fault fault = name_check_namespace(text_of(name), NULL);
    if (fault != NAME_OK)
        refuse(reader, CODE_INVALID_NAME, part, "is `%s`, which is no name of a namespace: %s", name,
               name_fault_text(fault));
}

static void check_label_key(struct policy_reader *reader, struct part map, const struct node_entry *entry) {
    enum label_fault fault = label_key_check(node_text(&entry->key), NULL);
    struct part place = {.node = &entry->key, .path = map.path};
    if (fault != LABEL_OK)
        refuse(reader, CODE_INVALID_LABEL, place, "has the key `%s`, which is no label key: %s", entry->key.text,
               label_fault_text(fault));
}

static void check_labels(struct policy_reader *reader, struct part labels) {
    for (uint32_t i = 0; node_is(labels.node, NODE_MAP) && i < labels.node->count; i++) {
        const struct node_entry *entry = &labels.node->entries[i];
        check_label_key(reader, labels, entry);
        if (!node_string(&entry->value))
            continue;
        enum label_fault fault = label_value_check(node_text(&entry->value), NULL);
        struct part place = {.node = &entry->value, .path = labels.path};
        if (fault != LABEL_OK)
            refuse(reader, CODE_INVALID_LABEL, place, "has `%s`, which is no label value: %s", entry->value.text,
                   label_fault_text(fault));
    }
}

/* Bytes of all keys and values together. */
enum { ANNOTATIONS_MAX = 262144 };

static void check_annotations(struct policy_reader *reader, struct part annotations) {
    size_t size = 0;
    for (uint32_t i = 0; node_is(annotations.node, NODE_MAP) && i < annotations.node->count; i++) {
        const struct node_entry *entry = &annotations.node->entries[i];
        size += (size_t)entry->key.count + (node_is(&entry->value, NODE_STRING) ? entry->value.count : 0);
        enum label_fault fault = label_annotation_key_check(node_text(&entry->key), NULL);
        struct part place = {.node = &entry->key, .path = annotations.path};
        if (fault != LABEL_OK)
            refuse(reader, CODE_INVALID_LABEL, place, "has the key `%s`, which is no annotation key: %s",
                   entry->key.text, label_fault_text(fault));
    }
    if (size > ANNOTATIONS_MAX)
        refuse(reader, CODE_INVALID_LABEL, annotations, "holds %zu bytes; 262144 are allowed", size);
}

/* An apiVersion names a version, with one slash at most before it. */
static bool has_version(struct text api_version) {
    const char *slash = api_version.length ? memchr(api_version.bytes, '/', api_version.length) : NULL;
    size_t skip = slash ? (size_t)(slash - api_version.bytes) + 1 : 0;
    return api_version.length > skip && !memchr(api_version.bytes + skip, '/', api_version.length - skip);
}

/* `controlling` is the owner before it that controls, or NULL. */
static void check_owner(struct policy_reader *reader, struct part owner, const struct node **controlling) {
    static const char *const keys[] = {"kind", "name", "uid"};
    struct part version = part_field(reader, owner, "apiVersion");
    if (!node_is_null(owner.node) && !node_is(owner.node, NODE_MAP))
        return; /* of another type, which is reported */
    if ((node_is_null(version.node) || node_string(version.node)) && !has_version(node_text(version.node)))
        refuse(reader, CODE_INVALID_NAME, version, "names no version; an owner has one");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct part part = part_field(reader, owner, keys[i]);
        if (node_is_null(part.node) || (node_string(part.node) && !*node_string(part.node)))
            refuse(reader, CODE_INVALID_NAME, part, "is missing or empty; an owner has one");
    }
    if (text_is(node_text(version.node), "v1") && text_is(node_text(node_get(owner.node, "kind")), "Event"))
        refuse(reader, CODE_INVALID_NAME, owner, "is an Event, which owns nothing");
    struct part controller = part_field(reader, owner, "controller");
    bool controls = node_is(controller.node, NODE_BOOL) && node_bool(controller.node);
    /* Of equal owners the server keeps one. */
    if (controls && *controlling && !node_equal(*controlling, owner.node))
        refuse(reader, CODE_INVALID_NAME, controller, "is true for a second owner; one alone controls an object");
    *controlling = controls ? owner.node : *controlling;
}

static void check_owners(struct policy_reader *reader, struct part owners) {
    const struct node *controlling = NULL;
    for (uint32_t i = 0; node_is(owners.node, NODE_LIST) && i < owners.node->count; i++)
        check_owner(reader, part_index(reader, owners, i), &controlling);
}

/* Qualified names; in the server's own kinds a name without a prefix is one of three. */
static void check_finalizers(struct policy_reader *reader, struct part finalizers) {
    static const char *const known[] = {"kubernetes", "orphan", "foregroundDeletion"};
    bool seen[sizeof known / sizeof *known] = {false};
    for (uint32_t i = 0; node_is(finalizers.node, NODE_LIST) && i < finalizers.node->count; i++) {
        struct part part = part_index(reader, finalizers, i);
        struct text name = node_text(part.node);
        if (!node_is_null(part.node) && !node_string(part.node))
            continue; /* of another type, which is reported */
        bool standard = name.length && memchr(name.bytes, '/', name.length);
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            seen[k] |= text_is(name, known[k]);
            standard |= text_is(name, known[k]);
        }
        enum label_fault fault = label_key_check(name, NULL);
        if (fault != LABEL_OK)
            refuse(reader, CODE_INVALID_NAME, part, "is `%s`, which is no finalizer: %s", name.bytes,
                   label_fault_text(fault));
        else if (!standard && !reader->cilium)
            refuse(reader, CODE_INVALID_NAME, part, "is `%s`; a finalizer of one's own has a prefix, as example.com/%s",
                   name.bytes, name.bytes);
    }
    if (seen[1] && seen[2])
        refuse(reader, CODE_INVALID_NAME, finalizers, "holds both orphan and foregroundDeletion; one is allowed");
}

void metadata_check(struct policy_reader *reader) {
    struct part root = {.node = reader->object->root, .path = ""};
    struct part metadata = part_field(reader, root, "metadata");
    if (metadata.node && !node_is(metadata.node, NODE_MAP))
        return; /* of another type, which is reported */
    check_name(reader, metadata);
    check_namespace(reader, metadata);
    check_labels(reader, part_field(reader, metadata, "labels"));
    check_annotations(reader, part_field(reader, metadata, "annotations"));
    check_owners(reader, part_field(reader, metadata, "ownerReferences"));
    check_finalizers(reader, part_field(reader, metadata, "finalizers"));
}
