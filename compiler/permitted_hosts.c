#include "compiler/permitted_hosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "document/reader.h"
#include "grammar/host.h"
#include "grammar/port.h"
#include "kube/shape.h"

enum { EXCERPT_MAX = 4096 };

struct permitted_reader {
    const struct object *object;
    const struct limits *limits;
    struct arena *arena;
    struct permitted_hosts *out;
    const char *label; /* "ConfigMap NAMESPACE/NAME" */
    bool opened;       /* the file was read again, or was tried */
    struct text source;
};

/* A line of a value. */
struct value_line {
    const struct node *node;
    const char *path;
    struct text text;
    uint32_t index; /* from 0 */
};

/* ---- where a line stands ---- */

/* The line of that number, from 1, without its end; false: there is none. */
static bool source_line(struct text source, uint32_t number, struct text *line) {
    for (uint32_t at = 1; source.length > 0; at++) {
        const char *end = memchr(source.bytes, '\n', source.length);
        size_t length = end ? (size_t)(end - source.bytes) : source.length;
        if (at == number) {
            *line = (struct text){source.bytes, length};
            line->length -= length > 0 && source.bytes[length - 1] == '\r';
            return true;
        }
        source.bytes += length + (end != NULL);
        source.length -= length + (end != NULL);
    }
    return false;
}

static void open_source(struct permitted_reader *reader) {
    struct diagnostics unheard;
    diagnostics_init(&unheard, reader->arena);
    const char *file = reader->object->file;
    bool readable =
        strcmp(file, "<stdin>") != 0 && reader_slurp(file, reader->limits, reader->arena, &reader->source, &unheard);
    if (!readable) {
        reader->source = (struct text){"", 0};
    }
    reader->opened = true;
}

/* Lines of a literal block follow its header one by one. Of other multi-line scalars only the start is known. */
static struct location locate_line(struct permitted_reader *reader, const struct value_line *line,
                                   const char **excerpt) {
    struct location location = node_location(reader->object->file, line->node);
    struct text header, found;
    *excerpt = NULL;
    if (!memchr(node_text(line->node).bytes, '\n', node_text(line->node).length)) {
        return location;
    }
    if (!reader->opened) {
        open_source(reader);
    }
    if (!source_line(reader->source, line->node->line, &header) || line->node->column > header.length ||
        header.bytes[line->node->column - 1] != '|' ||
        !source_line(reader->source, line->node->line + 1 + line->index, &found) || found.length > EXCERPT_MAX) {
        return location;
    }
    size_t indentation = found.length - line->text.length;
    if (found.length < line->text.length ||
        !text_equal((struct text){found.bytes + indentation, line->text.length}, line->text)) {
        return location;
    }
    *excerpt = arena_copy(reader->arena, found.bytes, found.length);
    return (struct location){location.file, line->node->line + 1 + line->index, (uint32_t)indentation + 1};
}

/* ---- faults ---- */

static struct diagnostic *report(struct permitted_reader *reader, struct location location, const char *path,
                                 const char *message) {
    struct diagnostic *fault = shape_report(&reader->out->faults, CODE_GRANT_NOT_PERMITTED, location, message);
    fault->path = path;
    fault->object = reader->out->object;
    return fault;
}

static void report_line(struct permitted_reader *reader, const struct value_line *line, const char *what) {
    struct node shown = node_make_string(arena_copy(reader->arena, line->text.bytes, line->text.length));
    const char *excerpt;
    struct location location = locate_line(reader, line, &excerpt);
    const char *message =
        arena_format(reader->arena, "line %u of %s in %s is %s, so the ConfigMap is malformed and permits no grant: %s",
                     (unsigned)line->index + 1, line->path, reader->label, shape_quote(reader->arena, &shown), what);
    struct diagnostic *fault = report(reader, location, line->path, message);
    fault->value = shown.text;
    fault->excerpt = excerpt;
}

static void report_value(struct permitted_reader *reader, const struct node *node, const char *path,
                         const char *wanted) {
    const char *message =
        arena_format(reader->arena, "%s in %s is %s, so the ConfigMap is malformed and permits no grant; write %s",
                     path, reader->label, shape_quote(reader->arena, node), wanted);
    report(reader, node_location(reader->object->file, node), path, message);
}

/* ---- the lines ---- */

static bool is_passed_over(struct text line) {
    return (line.length > 0 && line.bytes[0] == '#') || text_trim(line).length == 0;
}

static struct text next_line(struct text *rest) {
    const char *end = memchr(rest->bytes, '\n', rest->length);
    size_t length = end ? (size_t)(end - rest->bytes) : rest->length;
    struct text line = {rest->bytes, length};
    rest->bytes += length + (end != NULL);
    rest->length -= length + (end != NULL);
    line.length -= length > 0 && line.bytes[length - 1] == '\r';
    return line;
}

typedef void read_line(struct permitted_reader *reader, const struct value_line *line, void *into);

static void read_lines(struct permitted_reader *reader, const struct node *data, const char *key, read_line *read,
                       void *into) {
    const struct node *node = node_get(data, key);
    const char *path = path_field(reader->arena, "data", key);
    if (!node) {
        return;
    }
    if (node->kind != NODE_STRING) {
        report_value(reader, node, path, "a string with one entry a line");
        return;
    }
    struct text rest = node_text(node);
    for (uint32_t index = 0; rest.length > 0; index++) {
        struct value_line line = {node, path, next_line(&rest), index};
        if (!is_passed_over(line.text)) {
            read(reader, &line, into);
        }
    }
}

struct host_list {
    const char **list;
    size_t count, capacity;
};

static void read_host(struct permitted_reader *reader, const struct value_line *line, void *into) {
    struct host_list *hosts = into;
    enum host_fault fault = host_entry_check(line->text, NULL, NULL);
    if (fault != HOST_OK) {
        report_line(reader, line, host_fault_text(fault));
        return;
    }
    hosts->list = arena_grow(reader->arena, hosts->list, &hosts->capacity, hosts->count + 1, sizeof *hosts->list);
    hosts->list[hosts->count++] = host_lower(reader->arena, line->text);
}

static void read_port(struct permitted_reader *reader, const struct value_line *line, void *into) {
    uint8_t *ports = into;
    uint16_t port;
    if (text_is(line->text, "*")) {
        reader->out->any_port = true;
    } else if (port_number(line->text, &port)) {
        ports[port / 8] |= (uint8_t)(1u << port % 8);
    } else {
        report_line(reader, line, "a port is a number from 1 to 65535, or * for all of them");
    }
}

static void read_data(struct permitted_reader *reader) {
    const struct node *data = node_get(reader->object->root, "data");
    struct host_list hosts = {0};
    uint8_t *ports = arena_array(reader->arena, (PORT_MAX + 1) / 8, sizeof *ports);
    if (data && data->kind != NODE_MAP) {
        report_value(reader, data, "data", "a map of strings");
    }
    read_lines(reader, data, "hosts", read_host, &hosts);
    read_lines(reader, data, "ports", read_port, ports);
    if (hosts.count > 1) {
        qsort(hosts.list, hosts.count, sizeof *hosts.list, string_compare_at);
    }
    reader->out->hosts = hosts.list;
    reader->out->host_count = hosts.count;
    reader->out->ports = ports;
}

/* ---- the object ---- */

static const char *copy_string(struct arena *arena, const char *string) {
    return arena_copy(arena, string, strlen(string));
}

static bool is_copy_of(const struct object *object, const struct object *other) {
    return object->served && object->name && object->namespace && strcmp(object->name, other->name) == 0 &&
           strcmp(object->namespace, other->namespace) == 0;
}

const struct object *permitted_hosts_find(const struct objects *objects, const char *namespace, const char *name) {
    const struct object *found = objects_find(objects, OBJECT_CONFIG_MAP, namespace, name);
    const struct object_list *all = &objects->of[OBJECT_CONFIG_MAP];
    while (found && !found->served) {
        const struct object *next = found + 1;
        bool same = next < all->list + all->count && next->name && next->namespace && strcmp(next->name, name) == 0 &&
                    strcmp(next->namespace, namespace) == 0;
        found = same ? next : NULL;
    }
    return found;
}

void permitted_hosts_read(const struct object *object, const struct objects *objects, const struct limits *limits,
                          struct arena *arena, struct permitted_hosts *permitted) {
    *permitted = (struct permitted_hosts){.location = object_location(object)};
    permitted->location.file = copy_string(arena, object->file);
    permitted->object =
        (struct object_name){"ConfigMap", copy_string(arena, object->namespace), copy_string(arena, object->name)};
    diagnostics_init(&permitted->faults, arena);
    struct permitted_reader reader = {.object = object, .limits = limits, .arena = arena, .out = permitted};
    reader.label = arena_format(arena, "ConfigMap %s/%s", object->namespace, object->name);
    read_data(&reader);
    const struct object *next = object + 1;
    if (next < objects->of[OBJECT_CONFIG_MAP].list + objects->of[OBJECT_CONFIG_MAP].count && is_copy_of(next, object)) {
        const char *message = arena_format(
            arena, "%s stands several times among the inputs, and the copies differ, so it permits no grant; keep one",
            reader.label);
        report(&reader, object_location(next), NULL, message);
    }
    for (size_t i = 0; i < permitted->faults.count; i++) {
        permitted->faults.list[i].location.file = copy_string(arena, permitted->faults.list[i].location.file);
    }
}

/* ---- questions ---- */

static int compare_key(const void *key, const void *element) { return strcmp(key, *(const char *const *)element); }

static bool has_entry(const struct permitted_hosts *permitted, const char *entry) {
    return permitted->host_count > 0 &&
           bsearch(entry, permitted->hosts, permitted->host_count, sizeof *permitted->hosts, compare_key);
}

bool permitted_hosts_has_host(const struct permitted_hosts *permitted, const char *entry) {
    char dotted[HOST_NAME_MAX_LENGTH + 2];
    size_t length = strlen(entry);
    if (length > HOST_NAME_MAX_LENGTH || entry[0] == '.') {
        dotted[0] = '\0';
    } else {
        dotted[0] = '.';
        memcpy(dotted + 1, entry, length + 1);
    }
    bool found = has_entry(permitted, entry) || has_entry(permitted, dotted);
    for (const char *dot = strchr(entry, '.'); dot && !found; dot = strchr(dot + 1, '.')) {
        found = has_entry(permitted, dot);
    }
    return found;
}

bool permitted_hosts_has_port(const struct permitted_hosts *permitted, uint16_t port) {
    return permitted->any_port || (permitted->ports[port / 8] >> port % 8 & 1) != 0;
}
