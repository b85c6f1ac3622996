/* Egress configs: whatever the text is, it is read or refused with a place, and what compiles is written as YAML and JSON
 * that read back to the same values. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "compiler/translate.h"
#include "document/reader.h"
#include "document/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fact) {
    if (!fact) {
        abort();
    }
}

static struct limits small_limits(void) {
    struct limits limits = limits_default();
    limits.nodes = 100000;
    limits.alias = 10000;
    return limits;
}

static void check_reads_back(const struct node *object, void (*write)(struct buffer *, const struct node *),
                             struct arena *arena) {
    struct buffer bytes;
    struct diagnostics problems;
    struct file file = {0};
    struct reader_options options = {.limits = limits_default()};
    buffer_init(&bytes, arena);
    diagnostics_init(&problems, arena);
    write(&bytes, object);
    reader_read_text("compiled", (struct text){bytes.bytes, bytes.length}, &options, arena, &file, &problems);
    check(file.count == 1 && node_equal(&file.documents[0].root, object));
}

static void check_boundary(const struct boundary *boundary, struct arena *arena) {
    for (size_t i = 0; i < boundary->diagnostics.count; i++) {
        const struct diagnostic *diagnostic = &boundary->diagnostics.list[i];
        check(diagnostic->location.file && diagnostic->path && diagnostic->message[0]);
    }
    const struct node *object = boundary->usable ? boundary_compile(boundary, arena) : NULL;
    if (object) {
        check_reads_back(object, writer_yaml, arena);
        check_reads_back(object, writer_json, arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    const char *text = arena_copy(arena, (const char *)data, size);
    struct config_options options = {.limits = small_limits()};
    struct diagnostics outside;
    struct config config;
    diagnostics_init(&outside, arena);
    /* A fuzzer must not open files of its own choice. */
    if (!strstr(text, "File") && !memchr(data, 0, size)) {
        enum config_result result = config_read_text("fuzz.yaml", "/nonexistent", (struct text){text, size}, &options,
                                                     arena, &config, &outside);
        check((result == CONFIG_OK) == config.usable);
        for (size_t i = 0; i < config.count; i++) {
            check_boundary(&config.boundaries[i], arena);
        }
    }
    arena_destroy(arena);
    return 0;
}
