/* What is checked of grants as a whole: their boundary, the permitted hosts, and one another (spec/config.md 6, 8). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "compiler/grant.h"
#include "compiler/source_lines.h"
#include "compiler/translate.h"
#include "kube/shape.h"

#define PER_SANDBOX "egress.perSandbox"

struct boundary *grant_boundary(const struct config *config, unsigned number, struct arena *arena,
                                const char **problem) {
    struct boundary *only = NULL;
    if (number > config->count) {
        *problem = arena_format(arena, "--boundary %u, but the config holds %zu document%s", number, config->count,
                                config->count == 1 ? "" : "s");
        return NULL;
    }
    if (number > 0) {
        return &config->boundaries[number - 1];
    }
    for (size_t i = 0; i < config->count; i++) {
        struct boundary *boundary = &config->boundaries[i];
        if (boundary->has_per_sandbox && only) {
            *problem = arena_format(arena,
                                    "documents %u and %u of the config both have perSandbox; say with --boundary N "
                                    "which one the grants belong to",
                                    only->document, boundary->document);
            return NULL;
        }
        only = boundary->has_per_sandbox ? boundary : only;
    }
    return only ? only : &config->boundaries[0];
}

/* ---- permitted hosts ---- */

bool grants_need_permission(const struct grant_set *set) {
    return set->count > 0 && set->boundary->usable && set->boundary->has_per_sandbox &&
           set->boundary->per_sandbox.has_permitted_hosts;
}

static void refuse_host(struct grant_set *set, struct grant *grant, size_t index,
                        const struct permitted_hosts *permitted, const char *what) {
    const struct host *host = &grant->hosts[index];
    const char *message =
        arena_format(set->arena, "%s %s, which ConfigMap %s/%s does not permit; add it there, or remove it here",
                     host->entry, what, permitted->object.namespace, permitted->object.name);
    struct diagnostic *refusal = shape_report(&grant->diagnostics, CODE_GRANT_NOT_PERMITTED, host->location, message);
    refusal->path = path_index(set->arena, "allowedHosts", index);
    refusal->value = grant->written[index];
    diagnostic_note(&grant->diagnostics, refusal, permitted->location, "the ConfigMap is here");
}

/* A host without a list of ports gets all of them, which no list permits. */
static void check_ports(struct grant_set *set, struct grant *grant, size_t index,
                        const struct permitted_hosts *permitted) {
    const char *entry = grant->hosts[index].entry;
    const struct port_list *ports = narrowing_ports(&set->boundary->per_sandbox.narrowing, entry);
    if (permitted->any_port) {
        return;
    }
    if (!ports) {
        refuse_host(set, grant, index, permitted, "gets every port");
    }
    for (size_t i = 0; ports && i < ports->count; i++) {
        if (!permitted_hosts_has_port(permitted, ports->ports[i])) {
            refuse_host(set, grant, index, permitted,
                        arena_format(set->arena, "gets port %u", (unsigned)ports->ports[i]));
        }
    }
}

static void check_grant(struct grant_set *set, struct grant *grant, const struct permitted_hosts *permitted) {
    for (size_t i = 0; i < grant->host_count; i++) {
        const char *entry = grant->hosts[i].entry;
        if (entry && !permitted_hosts_has_host(permitted, entry)) {
            refuse_host(set, grant, i, permitted, "is granted");
        } else if (entry) {
            check_ports(set, grant, i, permitted);
        }
    }
}

static void warn_of_absence(struct grant_set *set) {
    const struct per_sandbox *per_sandbox = &set->boundary->per_sandbox;
    struct diagnostics *diagnostics = &set->list[0].diagnostics;
    const char *message = arena_format(
        set->arena,
        "ConfigMap %s/%s is neither among the inputs nor beside the config, so no host or port was held against it",
        per_sandbox->permitted_hosts_namespace, per_sandbox->permitted_hosts_name);
    struct diagnostic *warning =
        shape_report(diagnostics, CODE_PERMITTED_HOSTS_UNREAD, per_sandbox->permitted_hosts_location, message);
    warning->path = PER_SANDBOX ".permittedHostsParam";
}

/* Where the ConfigMap is malformed, its faults are shown once, and every grant is refused. */
void grants_check_permitted(struct grant_set *set, const struct permitted_hosts *permitted) {
    if (!permitted) {
        warn_of_absence(set);
        return;
    }
    bool malformed = permitted->faults.count > 0;
    if (malformed) {
        diagnostics_append(&set->list[0].diagnostics, &permitted->faults);
    }
    for (size_t i = 0; i < set->count; i++) {
        struct grant *grant = &set->list[i];
        if (!malformed) {
            check_grant(set, grant, permitted);
        }
        grant->usable = grant->usable && !malformed && grant->diagnostics.errors == 0;
    }
}

/* ---- between grants ---- */

/* An object that a grant or, with `grant` NULL, a boundary compiles to. */
struct compiled_object {
    struct object_name name;
    struct location location;
    const struct grant *grant;
    size_t place;
};

static int compare_objects(const void *left, const void *right) {
    const struct compiled_object *a = left, *b = right;
    int order = strcmp(a->name.namespace, b->name.namespace);
    order = order ? order : strcmp(a->name.name, b->name.name);
    order = order ? order : strcmp(a->name.kind, b->name.kind);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static bool same_object(const struct object_name *a, const struct object_name *b) {
    return strcmp(a->namespace, b->namespace) == 0 && strcmp(a->name, b->name) == 0 && strcmp(a->kind, b->kind) == 0;
}

/* Boundaries first. A grant without hosts counts: one document would have the object deleted that the other makes. */
static struct compiled_object *list_objects(const struct grant_set *set, const struct config *config, size_t *count) {
    struct compiled_object *list = arena_array(set->arena, config->count + set->count, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < config->count; i++) {
        struct object_name name = boundary_object(&config->boundaries[i]);
        if (name.kind && name.namespace && name.name) {
            list[*count] = (struct compiled_object){name, config->boundaries[i].location, NULL, *count};
            (*count)++;
        }
    }
    for (size_t i = 0; i < set->count; i++) {
        if (set->list[i].object_name && set->boundary->namespace) {
            list[*count] =
                (struct compiled_object){grant_object(&set->list[i]), set->list[i].location, &set->list[i], *count};
            (*count)++;
        }
    }
    return list;
}

static void refuse_duplicate(const struct compiled_object *first, const struct compiled_object *again,
                             struct diagnostics *diagnostics) {
    struct diagnostic *refusal =
        diagnostics_add(diagnostics, CODE_DUPLICATE_OBJECT, again->location,
                        "the grant compiles to %s %s in namespace %s, as %s does; %s", again->name.kind,
                        again->name.name, again->name.namespace, first->grant ? "another one" : "the config itself",
                        first->grant ? "keep one of the two" : "give the config's object another networkPolicyName");
    refusal->object = again->name;
    refusal->path = "owner.uid";
    refusal->value = again->grant->owner_uid;
    diagnostic_note(diagnostics, refusal, first->location, "the other document begins here");
}

static bool refuse_duplicates(struct grant_set *set, const struct config *config, struct diagnostics *diagnostics) {
    size_t count, errors_before = diagnostics->errors;
    struct compiled_object *list = list_objects(set, config, &count);
    if (count > 1) {
        qsort(list, count, sizeof *list, compare_objects);
    }
    for (size_t i = 1; i < count; i++) {
        if (list[i].grant && same_object(&list[i - 1].name, &list[i].name)) {
            refuse_duplicate(&list[i - 1], &list[i], diagnostics);
        }
    }
    return diagnostics->errors == errors_before;
}

/* ---- the end ---- */

/* A boundary that is refused for something else may have meant to have it. */
static void refuse_without_per_sandbox(struct grant_set *set, struct diagnostics *into) {
    const struct boundary *boundary = set->boundary;
    if (boundary->has_per_sandbox || !boundary->usable || set->count == 0) {
        return;
    }
    struct diagnostic *refusal = diagnostics_add(
        into, CODE_PER_SANDBOX_UNUSABLE, boundary->location,
        PER_SANDBOX
        " is missing, so this boundary takes no grants; write it, or choose another document with --boundary");
    refusal->path = PER_SANDBOX;
}

/* Those of a list from `first` to before `end`. */
static void append_part(struct diagnostics *all, const struct diagnostics *list, size_t first, size_t end) {
    if (first == end) {
        return;
    }
    struct diagnostics part = {.list = list->list + first, .count = end - first};
    for (size_t i = first; i < end; i++) {
        part.errors += list->list[i].severity == SEVERITY_ERROR;
    }
    diagnostics_append(all, &part);
}

/* The grants' diagnostics go between the boundary's own hosts and what comes after them. */
static void merge_diagnostics(struct grant_set *set) {
    struct boundary *boundary = set->boundary;
    struct diagnostics own = boundary->diagnostics, *all = &boundary->diagnostics;
    diagnostics_init(all, set->arena);
    append_part(all, &own, 0, boundary->rest_at);
    refuse_without_per_sandbox(set, all);
    for (size_t i = 0; i < set->count; i++) {
        diagnostics_append(all, &set->list[i].diagnostics);
    }
    size_t rest_at = all->count;
    append_part(all, &own, boundary->rest_at, own.count);
    boundary->rest_at = rest_at;
}

/* A file's grants stand next to one another, and share their lines. */
static void add_excerpts(struct grant_set *set, const struct config *config, struct diagnostics *diagnostics) {
    for (size_t i = 0; i < set->count; i++) {
        struct grant *grant = &set->list[i];
        source_lines_excerpt(grant->lines, &grant->diagnostics);
        if (i == 0 || grant->lines != set->list[i - 1].lines) {
            source_lines_excerpt(grant->lines, diagnostics);
        }
    }
    struct source_lines lines;
    source_lines_init(&lines, config->file, config->source, set->arena);
    for (size_t i = 0; i < set->count; i++) {
        source_lines_excerpt(&lines, &set->list[i].diagnostics);
    }
}

static bool all_empty(const struct grant_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        if (!set->list[i].usable || set->list[i].host_count > 0) {
            return false;
        }
    }
    return set->count > 0 && !set->broken;
}

/* Where no grant has hosts, nothing is made with `perSandbox.narrowing`, and taking a grant back must not hang on what its
 * rules would mean: such refusals of the last step become warnings. */
static void excuse_narrowing(struct grant_set *set) {
    struct boundary *boundary = set->boundary;
    struct diagnostics *diagnostics = &boundary->diagnostics;
    for (size_t i = boundary->rest_at; i < diagnostics->count; i++) {
        struct diagnostic *diagnostic = &diagnostics->list[i];
        if (diagnostic->severity == SEVERITY_ERROR && diagnostic->path &&
            text_starts_with(text_of(diagnostic->path), PER_SANDBOX ".narrowing")) {
            diagnostic_set_severity(diagnostics, diagnostic, SEVERITY_WARNING);
        }
    }
    boundary->usable = boundary->translatable && diagnostics->errors == 0;
}

bool grants_are_refused(const struct grant_set *set) {
    bool refused = set->broken || (set->boundary->usable && !set->boundary->has_per_sandbox);
    for (size_t i = 0; i < set->count; i++) {
        refused = refused || !set->list[i].usable;
    }
    return refused;
}

void grants_finish(struct grant_set *set, struct config *config, struct diagnostics *diagnostics) {
    bool refused = grants_are_refused(set);
    bool fine = refuse_duplicates(set, config, diagnostics) && !refused;
    add_excerpts(set, config, diagnostics);
    merge_diagnostics(set);
    set->usable = fine;
    if (fine && all_empty(set)) {
        excuse_narrowing(set);
    }
    config->usable = fine && diagnostics->errors == 0;
    for (size_t i = 0; i < config->count; i++) {
        config->usable = config->usable && config->boundaries[i].usable;
    }
}
