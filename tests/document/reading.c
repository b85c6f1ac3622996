#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

int reading_setup(void **state) {
    struct arena *arena = arena_create();
    struct reading *reading = arena_alloc(arena, sizeof *reading);
    reading->arena = arena;
    reading->options = (struct reader_options){.limits = limits_default()};
    diagnostics_init(&reading->diagnostics, arena);
    *state = reading;
    return 0;
}

int reading_teardown(void **state) {
    struct reading *reading = *state;
    arena_destroy(reading->arena);
    return 0;
}

static void start(struct reading *reading) { diagnostics_init(&reading->diagnostics, reading->arena); }

/* A copy of exact size on the heap, so that a byte read behind it is noticed. */
void reading_text(struct reading *reading, const char *name, struct text text) {
    char *copy = malloc(text.length + (text.length == 0));
    assert_non_null(copy);
    for (size_t i = 0; i < text.length; i++) {
        copy[i] = text.bytes[i];
    }
    start(reading);
    reader_read_text(name, (struct text){copy, text.length}, &reading->options, reading->arena, &reading->file,
                     &reading->diagnostics);
    free(copy);
}

void reading_file(struct reading *reading, const char *name, struct text text) {
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(text.bytes, 1, text.length, file), text.length);
    assert_int_equal(fflush(file), 0);
    rewind(file);
    start(reading);
    reader_read_descriptor(name, fileno(file), &reading->options, reading->arena, &reading->file,
                           &reading->diagnostics);
    fclose(file);
}

void reading_pipe(struct reading *reading, const char *name, struct text text) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        size_t done = 0;
        ssize_t some = 1;
        while (done < text.length && some > 0) {
            some = write(ends[1], text.bytes + done, text.length - done);
            done += some > 0 ? (size_t)some : 0;
        }
        _exit(0);
    }
    close(ends[1]);
    start(reading);
    reader_read_descriptor(name, ends[0], &reading->options, reading->arena, &reading->file, &reading->diagnostics);
    close(ends[0]);
    waitpid(child, NULL, 0);
}

void reading_yaml(struct reading *reading, const char *text) { reading_text(reading, "t.yaml", text_of(text)); }

void reading_json(struct reading *reading, const char *text) { reading_text(reading, "t.json", text_of(text)); }

static void put_node(struct buffer *out, const struct node *node, bool places);

static void put_place(struct buffer *out, const struct node *node, bool places) {
    if (places) {
        buffer_print(out, "%u:%u ", node->line, node->column);
    }
}

static void put_key(struct buffer *out, const struct node *key, bool places) {
    put_place(out, key, places);
    buffer_add_string(out, key->flags & NODE_MERGED ? "<" : "");
    buffer_add_string(out, key->flags & NODE_RETYPED ? "!" : "");
    buffer_add_string(out, key->flags & NODE_QUOTED ? "\"" : "");
    buffer_add_text(out, node_text(key));
    buffer_add_string(out, key->flags & NODE_QUOTED ? "\"=" : "=");
}

static void put_scalar(struct buffer *out, const struct node *node) {
    static const char letters[] = {
        [NODE_NULL] = 'n', [NODE_BOOL] = 'b', [NODE_INT] = 'i', [NODE_FLOAT] = 'f', [NODE_STRING] = 's'};
    char letter = letters[node->kind];
    buffer_add_char(out, node->flags & NODE_QUOTED ? (char)(letter - 'a' + 'A') : letter);
    buffer_add_string(out, node->flags & NODE_RETYPED ? "!'" : "'");
    buffer_add_text(out, node_text(node));
    buffer_add_char(out, '\'');
}

static void put_node(struct buffer *out, const struct node *node, bool places) {
    put_place(out, node, places);
    if (node->kind != NODE_MAP && node->kind != NODE_LIST) {
        put_scalar(out, node);
        return;
    }
    bool map = node->kind == NODE_MAP;
    buffer_add_char(out, map ? '{' : '[');
    for (uint32_t i = 0; i < node->count; i++) {
        buffer_add_string(out, i > 0 ? " " : "");
        if (map) {
            put_key(out, &node->entries[i].key, places);
        }
        put_node(out, map ? &node->entries[i].value : &node->items[i], places);
    }
    buffer_add_char(out, map ? '}' : ']');
}

static const char *spell(struct reading *reading, bool places) {
    struct buffer out;
    buffer_init(&out, reading->arena);
    for (size_t i = 0; i < reading->file.count; i++) {
        buffer_add_string(&out, i > 0 ? " | " : "");
        put_node(&out, &reading->file.documents[i].root, places);
        assert_int_equal(reading->file.documents[i].number, i + 1);
    }
    return buffer_string(&out);
}

const char *reading_trees(struct reading *reading) { return spell(reading, false); }

const char *reading_places(struct reading *reading) { return spell(reading, true); }

const char *reading_codes(struct reading *reading) {
    struct buffer out;
    buffer_init(&out, reading->arena);
    for (size_t i = 0; i < reading->diagnostics.count; i++) {
        const struct diagnostic *diagnostic = &reading->diagnostics.list[i];
        buffer_print(&out, "%s%u:%u %s", i > 0 ? ", " : "", diagnostic->location.line, diagnostic->location.column,
                     code_word(diagnostic->code));
    }
    return buffer_string(&out);
}
