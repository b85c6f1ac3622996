/* What is wrong between the documents of one file (spec/config.md 8). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "compiler/checks.h"
#include "compiler/translate.h"

static int by_document(const struct boundary *a, const struct boundary *b) {
    return (a->document > b->document) - (a->document < b->document);
}

static int compare_objects(const struct object_name *a, const struct object_name *b) {
    int order = string_compare(a->namespace, b->namespace);
    order = order ? order : string_compare(a->name, b->name);
    return order ? order : string_compare(a->kind, b->kind);
}

static int compare_by_object(const void *left, const void *right) {
    const struct boundary *a = *(const struct boundary *const *)left, *b = *(const struct boundary *const *)right;
    struct object_name object_a = boundary_object(a), object_b = boundary_object(b);
    int order = compare_objects(&object_a, &object_b);
    return order ? order : by_document(a, b);
}

static int compare_by_template(const void *left, const void *right) {
    const struct boundary *a = *(const struct boundary *const *)left, *b = *(const struct boundary *const *)right;
    int order = string_compare(a->namespace, b->namespace);
    order = order ? order : strcmp(a->template_name, b->template_name);
    /* Those without a profile first. */
    order = order ? order : (a->profile != NULL) - (b->profile != NULL);
    return order ? order : by_document(a, b);
}

static bool refuse_duplicates(const struct boundary **list, size_t count, struct diagnostics *diagnostics) {
    qsort(list, count, sizeof *list, compare_by_object);
    bool fine = true;
    for (size_t i = 1; i < count; i++) {
        struct object_name object = boundary_object(list[i]), before = boundary_object(list[i - 1]);
        if (compare_objects(&object, &before) != 0) {
            continue;
        }
        fine = false;
        struct diagnostic *refusal = diagnostics_add(
            diagnostics, CODE_DUPLICATE_OBJECT, list[i]->location,
            "documents %u and %u both compile to %s %s in namespace %s; give one of them another networkPolicyName",
            list[i - 1]->document, list[i]->document, object.kind, object.name, object.namespace);
        refusal->object = object;
        refusal->value = object.name;
        diagnostic_note(diagnostics, refusal, list[i - 1]->location, "the other document begins here");
    }
    return fine;
}

static void warn_of_overlap(const struct boundary **list, size_t count, struct diagnostics *diagnostics) {
    qsort(list, count, sizeof *list, compare_by_template);
    const struct boundary *bare = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct boundary *boundary = list[i];
        bool same = bare && string_compare(bare->namespace, boundary->namespace) == 0 &&
                    strcmp(bare->template_name, boundary->template_name) == 0;
        if (!boundary->profile) {
            bare = same ? bare : boundary;
        } else if (same) {
            struct diagnostic *warning =
                diagnostics_add(diagnostics, CODE_PROFILE_OVERLAP, bare->location,
                                "document %u has template %s without a profile, so its selector also selects the pods "
                                "of document %u with "
                                "profile %s; give it a profile of its own",
                                bare->document, bare->template_name, boundary->document, boundary->profile);
            warning->value = bare->template_name;
            diagnostic_note(diagnostics, warning, boundary->location, "the document with profile %s begins here",
                            boundary->profile);
        }
    }
}

/* Documents that compile to something, as far as that can be told. */
static size_t collect(const struct config *config, bool templates, const struct boundary **list) {
    size_t count = 0;
    for (size_t i = 0; i < config->count; i++) {
        const struct boundary *boundary = &config->boundaries[i];
        bool told = boundary->policy != POLICY_ABSENT && boundary->namespace && boundary->object_name;
        if (told && (!templates || (boundary->template_name && boundary->usable))) {
            list[count++] = boundary;
        }
    }
    return count;
}

bool checks_between(const struct config *config, struct arena *arena, struct diagnostics *diagnostics) {
    if (config->count < 2) {
        return true;
    }
    const struct boundary **list = arena_array(arena, config->count, sizeof *list);
    bool fine = refuse_duplicates(list, collect(config, false, list), diagnostics);
    warn_of_overlap(list, collect(config, true, list), diagnostics);
    return fine;
}
