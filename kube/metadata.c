#include "kube/metadata.h"

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
    {.key = "managedFields", .type = FIELD_LIST},
    {.key = "selfLink", .type = FIELD_STRING},
    {.key = "uid", .type = FIELD_STRING},
    {.key = "resourceVersion", .type = FIELD_STRING},
    {.key = "generation", .type = FIELD_ANY},
    {.key = "creationTimestamp", .type = FIELD_STRING},
    {.key = "deletionTimestamp", .type = FIELD_STRING},
    {.key = "deletionGracePeriodSeconds", .type = FIELD_ANY},
    {.key = NULL},
};

static void check_name(struct policy_reader *reader, struct part metadata) {
    struct part part = part_field(reader, metadata, "name");
    struct part generate = part_field(reader, metadata, "generateName");
    const char *name = node_string(part.node);
    bool empty = node_is_null(part.node) || (name && !*name);
    bool generated = node_string(generate.node) && *node_string(generate.node);
    if (generated && name_check_generate(node_text(generate.node), NULL) != NAME_OK)
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

void metadata_check(struct policy_reader *reader) {
    struct part root = {.node = reader->object->root, .path = ""};
    struct part metadata = part_field(reader, root, "metadata");
    if (metadata.node && !node_is(metadata.node, NODE_MAP))
        return; /* of another type, which is reported */
    check_name(reader, metadata);
    check_namespace(reader, metadata);
    check_labels(reader, part_field(reader, metadata, "labels"));
    check_annotations(reader, part_field(reader, metadata, "annotations"));
}
