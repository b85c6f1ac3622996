#include "load.h"

#include <string.h>

#include "base/text.h"

struct loaded load_text_with(const char *text, const char *kubernetes_version, const char *cilium_version) {
    struct loaded loaded = {.arena = arena_create()};
    diagnostics_init(&loaded.outside, loaded.arena);
    struct cluster_facts facts = facts_default();
    struct location nowhere = {0};
    if (kubernetes_version) {
        facts_set_version(&facts, FACT_KUBERNETES_VERSION, kubernetes_version, nowhere, &loaded.outside);
    }
    if (cilium_version) {
        facts_set_version(&facts, FACT_CILIUM_VERSION, cilium_version, nowhere, &loaded.outside);
    }
    struct config_options options = {.limits = limits_default(), .facts = &facts};
    loaded.result = config_read_text("egress.yaml", TEST_SOURCE_DIR "/tests/compiler/hosts", text_of(text), &options,
                                     loaded.arena, &loaded.config, &loaded.outside);
    return loaded;
}

struct loaded load_text(const char *text) {
    return load_text_with(text, NULL, NULL);
}

void loaded_free(struct loaded *loaded) { arena_destroy(loaded->arena); }

const struct boundary *loaded_first(const struct loaded *loaded) { return &loaded->config.boundaries[0]; }

const char *loaded_lines(const struct loaded *loaded, enum severity severity) {
    struct buffer lines;
    buffer_init(&lines, loaded->arena);
    const struct diagnostics *diagnostics = &loaded_first(loaded)->diagnostics;
    for (size_t i = 0; i < diagnostics->count; i++) {
        const struct diagnostic *diagnostic = &diagnostics->list[i];
        if (diagnostic->severity <= severity) {
            buffer_print(&lines, "%s %s\n", code_word(diagnostic->code), diagnostic->path ? diagnostic->path : "-");
        }
    }
    return buffer_string(&lines);
}

char *take_marker(struct arena *arena, const char *text, uint32_t *line, uint32_t *column) {
    const char *marker = strstr(text, "@@");
    *line = *column = 0;
    if (!marker) {
        return arena_copy(arena, text, strlen(text));
    }
    *line = *column = 1;
    for (const char *at = text; at < marker; at++) {
        *column = *at == '\n' ? 1 : *column + 1;
        *line += *at == '\n';
    }
    return arena_format(arena, "%.*s%s", (int)(marker - text), text, marker + 2);
}
