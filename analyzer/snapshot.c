#include "analyzer/snapshot.h"

#include <string.h>

#include "base/arena.h"

/* Whether a diagnostic means that policies may be missing from what was read. */
static bool hides_policies(const struct diagnostic *diagnostic) {
    switch (diagnostic->code) {
    case CODE_SYNTAX:
    case CODE_ENCODING:
    case CODE_LIMIT:
    case CODE_UNREADABLE:
    case CODE_NOT_AN_OBJECT:
    case CODE_DUPLICATE_KEY: /* so far only of what tells what an object is */
        return diagnostic->severity == SEVERITY_ERROR;
    case CODE_TEMPLATE:
        return true;
    default:
        return false;
    }
}

static void snapshot_find_gaps(struct snapshot *snapshot, const struct diagnostics *diagnostics) {
    for (size_t i = 0; i < diagnostics->count && !snapshot->unreadable; i++)
        if (hides_policies(&diagnostics->list[i])) {
            snapshot->unreadable = diagnostics->list[i].message;
            snapshot->unreadable_at = diagnostics->list[i].location;
        }
    for (size_t i = 0; i < snapshot->inputs->count && !snapshot->unreadable; i++)
        if (snapshot->inputs->files[i].state != FILE_READ) {
            snapshot->unreadable = "the file could not be read as a whole";
            snapshot->unreadable_at = (struct location){.file = snapshot->inputs->files[i].name};
        }
}

/* Policies that name no namespace: which one they land in depends on who applies them. */
static void note_absent_namespaces(const struct snapshot *snapshot, struct diagnostics *diagnostics) {
    for (unsigned kind = 0; kind < OBJECT_KIND_COUNT; kind++) {
        const struct object_list *list = &snapshot->objects.of[kind];
        if (!object_kind_is_policy((enum object_kind)kind) || !object_kind_is_namespaced((enum object_kind)kind))
            continue;
        for (size_t i = 0; i < list->count && !list->list[i].namespace; i++) {
            struct diagnostic *note =
                diagnostics_add(diagnostics, CODE_NAMESPACE_ABSENT, object_location(&list->list[i]),
                                "%s %s names no namespace, so it may be in any; write "
                                "metadata.namespace, or give --namespace",
                                list->list[i].kind_word, object_label(&list->list[i], snapshot->arena));
            note->object = object_name_of(&list->list[i]);
            note->path = "metadata.namespace";
        }
    }
}

void snapshot_read(const struct inputs *inputs, const char *namespace, struct arena *arena, struct snapshot *snapshot,
                   struct diagnostics *diagnostics) {
    *snapshot = (struct snapshot){.arena = arena, .inputs = inputs};
    snapshot_indexes_read(inputs, arena, &snapshot->indexes, diagnostics);
    snapshot->missed = arena_array(arena, OBJECT_KIND_COUNT, sizeof *snapshot->missed);
    for (unsigned kind = 0; kind < OBJECT_KIND_COUNT; kind++)
        snapshot->complete[kind] =
            snapshot_indexes_view(&snapshot->indexes, (enum object_kind)kind, NULL).status == COLLECTION_READ;
    objects_collect_placed(inputs, snapshot->indexes.namespaces, namespace, arena, &snapshot->objects, diagnostics);
    evidence_read(&snapshot->objects, arena, &snapshot->evidence, diagnostics);
    sandboxes_read(&snapshot->objects, arena, &snapshot->sandboxes);
    snapshot->facts = facts_default();
    size_t errors = diagnostics->errors;
    evidence_facts(&snapshot->objects, arena, &snapshot->facts, diagnostics);
    snapshot->facts_hold = diagnostics->errors == errors;
    snapshot_find_gaps(snapshot, diagnostics);
    note_absent_namespaces(snapshot, diagnostics);
    for (unsigned kind = 0; kind < OBJECT_KIND_COUNT; kind++)
        if (object_kind_is_policy((enum object_kind)kind))
            snapshot->policies[kind] =
                arena_array(arena, snapshot->objects.of[kind].count + 1, sizeof *snapshot->policies[kind]);
}

const struct policy *snapshot_policy(struct snapshot *snapshot, const struct object *object) {
    struct policy **slot = &snapshot->policies[object->kind][object - snapshot->objects.of[object->kind].list];
    if (!*slot)
        *slot = policy_read(object, snapshot->arena);
    return *slot;
}

/* The first object of the sorted list whose namespace is not before `namespace`; objects without one come first. */
static size_t first_of_namespace(const struct object_list *list, const char *namespace) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *here = list->list[middle].namespace;
        if (!here || strcmp(here, namespace) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct object *const *snapshot_objects(struct snapshot *snapshot, enum object_kind kind, const char *namespace) {
    const struct object_list *list = &snapshot->objects.of[kind];
    const struct object **found = arena_array(snapshot->arena, list->count + 1, sizeof *found);
    size_t count = 0;
    bool namespaced = object_kind_is_namespaced(kind);
    size_t start = namespaced ? first_of_namespace(list, namespace) : 0;
    for (size_t i = start; i < list->count; i++) {
        const struct object *object = &list->list[i];
        if (namespaced && strcmp(object->namespace, namespace) != 0)
            break;
        if (object->served)
            found[count++] = object;
    }
    for (size_t i = 0; namespaced && i < list->count && !list->list[i].namespace; i++)
        if (list->list[i].served)
            found[count++] = &list->list[i];
    return found;
}

static bool same_name(const struct object *a, const struct object *b) {
    bool namespaces =
        (!a->namespace && !b->namespace) || (a->namespace && b->namespace && strcmp(a->namespace, b->namespace) == 0);
    return namespaces && a->name && b->name && strcmp(a->name, b->name) == 0;
}

bool snapshot_has_twin(const struct snapshot *snapshot, const struct object *object) {
    const struct object_list *list = &snapshot->objects.of[object->kind];
    size_t place = (size_t)(object - list->list);
    return (place > 0 && same_name(object, &list->list[place - 1])) ||
           (place + 1 < list->count && same_name(object, &list->list[place + 1]));
}

const char *object_label(const struct object *object, struct arena *arena) {
    const char *name = object->name ? object->name : "(unnamed)";
    return object->namespace ? arena_format(arena, "%s/%s", object->namespace, name) : name;
}
