#include "kube/admin_policy.h"

#include <stddef.h>

#include "base/arena.h"
#include "kube/metadata.h"
#include "kube/selector.h"

/* `spec.subject` before it is known to have one member. */
struct draft {
    struct part subject, by_namespaces, by_pods;
    struct selector namespaces;           /* subject.namespaces */
    struct selector pod_namespaces, pods; /* subject.pods.namespaceSelector, .podSelector */
    struct part egress, ingress;
};

static void read_namespaces(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct draft *draft = target;
    draft->by_namespaces = part;
    selector_read_plain(reader, field, part, &draft->namespaces);
}

static void read_pods(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    ((struct draft *)target)->by_pods = part;
    fields_read(reader, field->below, part, target);
}
static void read_subject(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    ((struct draft *)target)->subject = part;
    fields_read(reader, field->below, part, target);
}

static const struct field pods_fields[] = {
    {.key = "namespaceSelector",
     .type = FIELD_MAP,
     .below = selector_fields,
     .read = selector_read_plain,
     .offset = offsetof(struct draft, pod_namespaces)},
    {.key = "podSelector",
     .type = FIELD_MAP,
     .below = selector_fields,
     .read = selector_read_plain,
     .offset = offsetof(struct draft, pods)},
    {.key = NULL},
};
static const struct field subject_fields[] = {
    {.key = "namespaces", .type = FIELD_MAP, .below = selector_fields, .read = read_namespaces},
    {.key = "pods", .type = FIELD_MAP, .below = pods_fields, .read = read_pods},
    {.key = NULL},
};
static const struct field spec_fields[] = {
    {.key = "tier", .type = FIELD_ANY},
    {.key = "priority", .type = FIELD_ANY},
    {.key = "subject", .type = FIELD_MAP, .below = subject_fields, .read = read_subject, .subject = true},
    {.key = "ingress", .type = FIELD_ANY, .read = field_read_part, .offset = offsetof(struct draft, ingress)},
    {.key = "egress", .type = FIELD_ANY, .read = field_read_part, .offset = offsetof(struct draft, egress)},
    {.key = NULL},
};
static const struct field object_fields[] = {
    {.key = "apiVersion", .type = FIELD_STRING},
    {.key = "kind", .type = FIELD_STRING},
    {.key = "metadata", .type = FIELD_MAP, .below = metadata_fields},
    {.key = "spec", .type = FIELD_MAP, .below = spec_fields, .read = field_read_map, .whole = true},
    {.key = "status", .type = FIELD_ANY},
    {.key = NULL},
};

/* A subject has exactly one member, and selectors of pods have the parts that their kind wants. */
static void check_subject(struct policy_reader *reader, const struct draft *draft) {
    struct part root = {.node = reader->object->root, .path = ""};
    struct part subject = part_field(reader, part_field(reader, root, "spec"), "subject");
    bool cluster = reader->object->kind == OBJECT_CLUSTER_NETWORK_POLICY;
    reader->in_subject = true;
    if (!draft->subject.node)
        refuse(reader, CODE_INVALID_RULE, subject, "is missing; the schema wants it");
    else if (!draft->by_namespaces.node == !draft->by_pods.node)
        refuse(reader, CODE_INVALID_RULE, subject, "must have one of `namespaces` and `pods`");
    else if (draft->by_pods.node && draft->pods.presence == PRESENCE_ABSENT)
        refuse(reader, CODE_INVALID_RULE, part_field(reader, draft->by_pods, "podSelector"),
               "is missing; the schema wants it");
    else if (draft->by_pods.node && draft->pod_namespaces.presence == PRESENCE_ABSENT && !cluster)
        refuse(reader, CODE_INVALID_RULE, part_field(reader, draft->by_pods, "namespaceSelector"),
               "is missing; the schema wants it");
    reader->in_subject = false;
}

static const struct problem *first_unclear(const struct policy_reader *reader) {
    for (size_t i = 0; i < reader->count; i++)
        if (reader->problems[i].selects)
            return &reader->problems[i];
    return NULL;
}

struct admin_policy *admin_policy_read(const struct object *object, struct arena *arena) {
    struct policy_reader reader = {
        .arena = arena, .object = object, .cilium = true, .agent = CILIUM_ALL, .schema = CILIUM_ALL};
    struct draft draft = {.egress = {NULL, NULL}};
    fields_read(&reader, object_fields, (struct part){.node = object->root, .path = ""}, &draft);
    check_subject(&reader, &draft);
    struct admin_policy *policy = arena_alloc(arena, sizeof *policy);
    *policy = (struct admin_policy){.object = object,
                                    .namespaces = draft.by_pods.node ? draft.pod_namespaces : draft.namespaces,
                                    .pods = draft.pods,
                                    .egress = node_presence(draft.egress.node),
                                    .ingress = node_presence(draft.ingress.node),
                                    .unclear = first_unclear(&reader)};
    return policy;
}
