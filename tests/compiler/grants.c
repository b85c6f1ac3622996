#include "grants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "document/reader.h"
#include "document/writer.h"
#include "kube/object.h"

/* Whether the stream holds the ConfigMap that the boundary names. */
static bool find_permitted(struct granting *granting, const char *text, struct permitted_hosts *permitted) {
    struct arena *arena = granting->loaded.arena;
    struct reader_options options = {.limits = limits_default()};
    struct file *file = arena_alloc(arena, sizeof *file);
    struct inputs inputs = {.files = file, .count = 1};
    struct objects objects;
    struct diagnostics problems;
    diagnostics_init(&problems, arena);
    reader_read_text("permitted.yaml", text_of(text), &options, arena, file, &problems);
    objects_collect(&inputs, NULL, arena, &objects, &problems);
    const struct per_sandbox *per_sandbox = &granting->set.boundary->per_sandbox;
    const struct object *found =
        permitted_hosts_find(&objects, per_sandbox->permitted_hosts_namespace, per_sandbox->permitted_hosts_name);
    if (found) {
        permitted_hosts_read(found, &objects, &options.limits, arena, permitted);
    }
    return found != NULL;
}

struct granting grant_texts(const char *config, const char *grants, const char *permitted) {
    struct granting granting = {.loaded = load_text(config)};
    struct limits limits = limits_default();
    const char *problem = NULL;
    struct boundary *boundary = grant_boundary(&granting.loaded.config, 0, granting.loaded.arena, &problem);
    if (!boundary) {
        fail_msg("%s", problem);
    }
    grants_init(&granting.set, boundary, &limits, granting.loaded.arena);
    grants_read_text(&granting.set, "grant.yaml", text_of(grants), &granting.loaded.outside);
    if (permitted && grants_need_permission(&granting.set)) {
        struct permitted_hosts hosts;
        grants_check_permitted(&granting.set, find_permitted(&granting, permitted, &hosts) ? &hosts : NULL);
    }
    grants_finish(&granting.set, &granting.loaded.config, &granting.loaded.outside);
    return granting;
}

void granting_free(struct granting *granting) { loaded_free(&granting->loaded); }

static void add_lines(struct buffer *lines, const struct diagnostics *diagnostics, enum severity severity) {
    for (size_t i = 0; i < diagnostics->count; i++) {
        const struct diagnostic *diagnostic = &diagnostics->list[i];
        if (diagnostic->severity <= severity) {
            buffer_print(lines, "%s %s %u:%u\n", code_word(diagnostic->code), diagnostic->path ? diagnostic->path : "-",
                         diagnostic->location.line, diagnostic->location.column);
        }
    }
}

const char *granting_lines(const struct granting *granting, enum severity severity) {
    struct buffer lines;
    buffer_init(&lines, granting->loaded.arena);
    add_lines(&lines, &granting->set.boundary->diagnostics, severity);
    add_lines(&lines, &granting->loaded.outside, severity);
    return buffer_string(&lines);
}

const char *granting_yaml(const struct granting *granting) {
    struct buffer yaml;
    buffer_init(&yaml, granting->loaded.arena);
    for (size_t i = 0; i < granting->set.count; i++) {
        const struct node *object = grant_compile(&granting->set.list[i], granting->loaded.arena);
        if (object) {
            buffer_add_string(&yaml, yaml.length ? "---\n" : "");
            writer_yaml(&yaml, object);
        }
    }
    return buffer_string(&yaml);
}
