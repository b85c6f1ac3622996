#include "compiler/checks.h"

#include "base/arena.h"
#include "kube/identity.h"

void checks_init(struct checks *checks, struct arena *arena) {
    checks->arena = arena;
    checks->identity = identity_filter_of(NULL, arena);
    for (enum step step = 0; step < STEP_COUNT; step++) {
        diagnostics_init(&checks->steps[step], arena);
    }
}

struct shape checks_at(struct checks *checks, enum step step) {
    return (struct shape){.file = checks->file, .arena = checks->arena, .diagnostics = &checks->steps[step]};
}

void checks_finish(struct checks *checks) {
    struct diagnostics *all = &checks->boundary->diagnostics;
    for (enum step step = 0; step < STEP_COUNT; step++) {
        if (step == STEP_REST) {
            checks->boundary->rest_at = all->count;
        }
        diagnostics_append(all, &checks->steps[step]);
    }
    checks->boundary->usable = all->errors == 0 && !checks->unreadable;
    size_t about_meaning = checks->steps[STEP_REST].errors + checks->about_meaning;
    checks->boundary->translatable = all->errors == about_meaning && !checks->unreadable;
}

struct diagnostic *checks_report(struct checks *checks, enum step step, enum code code, struct place place,
                                 const char *format, ...) {
    struct buffer message;
    buffer_init(&message, checks->arena);
    va_list arguments;
    va_start(arguments, format);
    buffer_vprint(&message, format, arguments);
    va_end(arguments);
    struct diagnostic *diagnostic = shape_report(&checks->steps[step], code, place.location, buffer_string(&message));
    diagnostic->path = place.path;
    diagnostic->value = place.value;
    return diagnostic;
}

void checks_refuse_absent(struct checks *checks, enum step step, enum code code, const struct node *map,
                          const char *path, const char *advice) {
    struct place place = {.location = node_location(checks->file, map), .path = path};
    checks_report(checks, step, code, place, "%s is missing; %s", path, advice);
}

bool checks_key_is_dropped(const struct checks *checks, const char *key) {
    return !identity_filter_keeps(checks->identity, key);
}
