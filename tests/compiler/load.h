/*
 * Configs of tests: read from a text in memory.
 */
#ifndef TESTS_COMPILER_LOAD_H
#define TESTS_COMPILER_LOAD_H

#include "base/arena.h"
#include "compiler/config.h"

struct loaded {
    struct arena *arena;
    struct config config;
    struct diagnostics outside; /* of no single document */
    enum config_result result;
};

/* Reads the text as `egress.yaml` in the folder of the fixtures; end with loaded_free. */
struct loaded load_text(const char *text);
/* The same under facts of the command line. */
struct loaded load_text_with(const char *text, const char *kubernetes_version, const char *cilium_version);
void loaded_free(struct loaded *loaded);

/* The first boundary. */
const struct boundary *loaded_first(const struct loaded *loaded);

/* "CODE PATH" lines of the first boundary's diagnostics of that severity or a worse one, in their order. */
const char *loaded_lines(const struct loaded *loaded, enum severity severity);

/* Takes the marker `@@` out of a text and says where it stood; line 0: it holds none. */
char *take_marker(struct arena *arena, const char *text, uint32_t *line, uint32_t *column);

#endif
