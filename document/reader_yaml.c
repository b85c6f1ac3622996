#include <string.h>

#include "base/arena.h"
#include "document/reader_anchor.h"
#include "document/reader_yaml_event.h"
#include "document/reader_yaml_value.h"

/* What a value is to the filter: an object has one of its own, the elements of its `items` are objects. */
enum yaml_role { ROLE_PLAIN, ROLE_OBJECT, ROLE_ITEMS };

/* A map or list that is not whole yet. */
struct yaml_frame {
    struct reader_object object;       /* of a map in the role of an object */
    const struct document_keep *keep;  /* of a map or list in another role; NULL: everything */
    const struct document_keep *below; /* of the value that comes next in a map */
    size_t base;                       /* of its nodes on the reader's stack */
    size_t weight;                     /* yaml.weight when it began */
    size_t height;                     /* the largest of its values */
    size_t anchor;                     /* index plus 1, or 0 */
    uint32_t line, column;
    uint8_t kind;     /* NODE_MAP or NODE_LIST */
    uint8_t role;     /* enum yaml_role */
    uint8_t next;     /* enum object_key of the value that comes next, in an object */
    bool wants_value; /* a key was read */
    bool merges;      /* and it was a merge key */
};

struct yaml {
    struct reader *reader;
    struct yaml_stream *stream;
    struct yaml_event event;
    struct anchor_table *anchors;
    size_t frame_count;
    size_t height;  /* of the last value that became whole: 0 for a scalar */
    size_t weight;  /* nodes built so far, those that aliases stand for counted again */
    size_t aliased; /* nodes of the document that aliases stand for */
};

static const char content_on_marker[] = "content on the line of a document marker '---'";

static bool fail(struct yaml *yaml, const char *message) {
    return yaml_stream_fail(yaml->stream, CODE_SYNTAX, &yaml->event, message);
}

static bool next_event(struct yaml *yaml) { return yaml_stream_next(yaml->stream, &yaml->event); }

/* Anchors. */

static size_t open_anchor(struct yaml *yaml, const char *name) {
    return anchor_table_add(yaml->anchors, arena_copy(yaml->reader->arena, name, strlen(name)));
}

static void close_anchor(struct yaml *yaml, size_t index, const struct node *node, size_t size) {
    struct anchor *anchor = &yaml->anchors->list[index];
    anchor->node = *node;
    anchor->size = size;
    anchor->height = yaml->height;
    anchor->open = false;
}

static const struct anchor *find_anchor(struct yaml *yaml) {
    const struct anchor *anchor = anchor_table_find(yaml->anchors, yaml->event.value.bytes);
    if (!anchor) {
        fail(yaml, "an alias of an anchor that the document does not have");
        return NULL;
    }
    if (anchor->open) {
        fail(yaml, "an alias inside what its anchor names");
        return NULL;
    }
    return anchor;
}

/* The height counts too: a chain of aliases would otherwise be a tree deeper than the text. */
static bool read_alias(struct yaml *yaml, struct node *node) {
    const struct limits *limits = &yaml->reader->options->limits;
    const struct anchor *anchor = find_anchor(yaml);
    if (!anchor) {
        return false;
    }
    if (anchor->size > limits->alias - yaml->aliased) {
        return yaml_stream_fail_limit(yaml->stream, LIMIT_ALIAS, &yaml->event);
    }
    if (anchor->height > limits->depth - yaml_stream_depth(yaml->stream)) {
        return yaml_stream_fail_limit(yaml->stream, LIMIT_DEPTH, &yaml->event);
    }
    yaml->aliased += anchor->size;
    yaml->weight += anchor->size;
    yaml->height = anchor->height;
    *node = anchor->node;
    return true;
}

/* Scalars. */

static struct yaml_scalar event_scalar(const struct yaml_event *event) {
    return (struct yaml_scalar){.value = event->value, .tag = event->tag, .plain = event->plain};
}

/* The scalar of the event; its text is still the event's. */
static bool scalar_node(struct yaml *yaml, const struct yaml_scalar *scalar, struct node *node) {
    struct yaml_place place = yaml_stream_place(yaml->stream, &yaml->event);
    *node = (struct node){.line = place.line, .column = place.column};
    const char *wrong = yaml_scalar_node(scalar, node);
    node->text = scalar->value.bytes;
    return !wrong || fail(yaml, wrong);
}

static bool read_scalar(struct yaml *yaml, struct node *node) {
    struct yaml_scalar scalar = event_scalar(&yaml->event);
    if (!scalar_node(yaml, &scalar, node)) {
        return false;
    }
    node->text = reader_string(yaml->reader, scalar.value);
    yaml->height = 0;
    yaml->weight++;
    if (yaml->event.anchor) {
        close_anchor(yaml, open_anchor(yaml, yaml->event.anchor), node, 1);
    }
    return true;
}

/* Frames. */

static struct yaml_frame *top_frame(struct yaml *yaml) { return &yaml->reader->frames[yaml->frame_count - 1]; }

/* What the next value is to the filter. */
struct yaml_context {
    enum yaml_role role;
    const struct document_keep *keep;
    struct reader_object object;
};

static const struct yaml_context keep_whole = {.role = ROLE_PLAIN};

static struct yaml_context next_context(struct yaml *yaml) {
    const struct yaml_frame *frame = top_frame(yaml);
    if (frame->kind == NODE_MAP) {
        enum yaml_role role = frame->next == OBJECT_ITEMS ? ROLE_ITEMS : ROLE_PLAIN;
        return (struct yaml_context){.role = role, .keep = frame->below};
    }
    if (frame->role == ROLE_ITEMS) {
        return (struct yaml_context){.role = ROLE_OBJECT, .object = reader_object_element(&frame[-1].object)};
    }
    return (struct yaml_context){.role = ROLE_PLAIN, .keep = frame->keep};
}

static void push_frame(struct yaml *yaml, const struct yaml_context *context, enum node_kind kind) {
    struct reader *reader = yaml->reader;
    reader->frames = arena_grow(reader->scratch, reader->frames, &reader->frame_capacity, yaml->frame_count + 1,
                                sizeof *reader->frames);
    struct yaml_place place = yaml_stream_place(yaml->stream, &yaml->event);
    reader->frames[yaml->frame_count++] =
        (struct yaml_frame){.object = context->object,
                            .keep = context->keep,
                            .base = reader->top,
                            .weight = yaml->weight,
                            .anchor = yaml->event.anchor ? open_anchor(yaml, yaml->event.anchor) + 1 : 0,
                            .line = place.line,
                            .column = place.column,
                            .kind = (uint8_t)kind,
                            .role = (uint8_t)context->role};
}

static bool open_frame(struct yaml *yaml, const struct yaml_context *context) {
    enum node_kind kind = yaml->event.kind == EVENT_MAP ? NODE_MAP : NODE_LIST;
    const char *wrong = yaml_collection_tag(yaml->event.tag, kind);
    if (wrong) {
        return fail(yaml, wrong);
    }
    yaml->weight++;
    /* What has an anchor is kept whole: an alias may need it elsewhere. And `items` is a list, an object a map. */
    if (yaml->event.anchor || context->role == (kind == NODE_MAP ? ROLE_ITEMS : ROLE_OBJECT)) {
        context = &keep_whole;
    }
    push_frame(yaml, context, kind);
    return true;
}

static bool close_frame(struct yaml *yaml, struct node *node) {
    struct yaml_frame *frame = top_frame(yaml);
    *node = reader_close(yaml->reader, frame->kind, frame->base);
    node->line = frame->line;
    node->column = frame->column;
    yaml->height = frame->height + 1;
    if (frame->anchor > 0) {
        close_anchor(yaml, frame->anchor - 1, node, yaml->weight - frame->weight + 1);
    }
    yaml->frame_count--;
    return frame->role != ROLE_OBJECT || reader_object_is_sound(yaml->reader, &frame->object, node) ||
           fail(yaml, reader_object_unsound);
}

/* Gives a whole value to the map or list around it. */
static bool attach(struct yaml *yaml, const struct node *node) {
    struct yaml_frame *frame = top_frame(yaml);
    frame->height = frame->height > yaml->height ? frame->height : yaml->height;
    frame->wants_value = false;
    if (frame->merges) {
        frame->merges = false;
        return yaml_merge(yaml->reader, node) || fail(yaml, "a merge key takes a map or a list of maps");
    }
    reader_push(yaml->reader, *node);
    if ((frame->next == OBJECT_API_VERSION || frame->next == OBJECT_KIND) && node->kind == NODE_STRING) {
        reader_object_learn(yaml->reader, &frame->object, frame->next, node_text(node));
    }
    return true;
}

static bool build_value(struct yaml *yaml, const struct yaml_context *context, struct node *node);

/* Passes over the value that comes next. */
static bool skip_value(struct yaml *yaml) {
    size_t depth = yaml_stream_depth(yaml->stream);
    struct node unused;
    do {
        if (!yaml_stream_skip(yaml->stream, depth, &yaml->event)) {
            return false;
        }
        if (yaml->event.anchor) {
            if (!build_value(yaml, &keep_whole, &unused)) {
                return false;
            }
        } else if (yaml->event.kind == EVENT_ALIAS && !find_anchor(yaml)) {
            return false;
        }
    } while (yaml_stream_depth(yaml->stream) > depth);
    return true;
}

/* Keys. */

/* The scalar that the event of a key gives. */
static bool key_scalar(struct yaml *yaml, struct node *scalar) {
    if (yaml->event.kind == EVENT_ALIAS) {
        if (!read_alias(yaml, scalar)) {
            return false;
        }
    } else if (yaml->event.kind == EVENT_SCALAR) {
        struct yaml_scalar event = event_scalar(&yaml->event);
        if (yaml->event.character == 0 && event.plain && text_starts_with(event.value, "---")) {
            return fail(yaml, content_on_marker);
        }
        yaml->weight++;
        if (yaml->event.anchor ? !read_scalar(yaml, scalar) : !scalar_node(yaml, &event, scalar)) {
            return false;
        }
    }
    return (scalar->kind != NODE_MAP && scalar->kind != NODE_LIST) || fail(yaml, "a map or list as the key of a map");
}

/* Whether the value of a key is kept, and what of it. */
static bool is_kept(struct yaml_frame *frame, struct text name) {
    const struct document_keep *table = frame->keep;
    if (frame->role == ROLE_OBJECT) {
        frame->next = (uint8_t)reader_object_key(name);
        table = frame->next == OBJECT_OTHER ? frame->object.keep : NULL;
    }
    if (!table) {
        return true;
    }
    const struct document_keep *row = reader_keep(table, name);
    frame->below = row ? row->below : NULL;
    frame->object.pruned |= !row;
    return row;
}

/* Takes a key; where its value is not kept, passes over that too. */
static bool take_key(struct yaml *yaml, const struct node *scalar) {
    struct yaml_frame *frame = top_frame(yaml);
    struct node key;
    if (scalar->kind == NODE_STRING && !is_kept(frame, node_text(scalar))) {
        frame->wants_value = false;
        return skip_value(yaml);
    }
    if (!yaml_key_node(yaml->reader, scalar, &key)) {
        return fail(yaml, "a key that is null");
    }
    if (scalar->kind != NODE_STRING && !is_kept(frame, node_text(&key))) {
        frame->wants_value = false;
        return skip_value(yaml);
    }
    reader_push(yaml->reader, key);
    return true;
}

static bool read_key(struct yaml *yaml) {
    struct yaml_scalar event = event_scalar(&yaml->event);
    struct yaml_frame *frame = top_frame(yaml);
    frame->next = OBJECT_OTHER;
    frame->below = NULL;
    frame->wants_value = true;
    frame->merges = yaml->event.kind == EVENT_SCALAR && yaml_scalar_is_merge(&event);
    if (frame->merges) {
        return true;
    }
    struct node scalar = {.kind = NODE_MAP};
    return key_scalar(yaml, &scalar) && take_key(yaml, &scalar);
}

/* Values. */

/* Takes one event of a value: sets `whole` where a node became whole. */
static bool take_event(struct yaml *yaml, const struct yaml_context *context, struct node *node, bool *whole) {
    *whole = true;
    switch (yaml->event.kind) {
    case EVENT_SCALAR:
        return read_scalar(yaml, node);
    case EVENT_ALIAS:
        return read_alias(yaml, node);
    case EVENT_END:
        return close_frame(yaml, node);
    default:
        *whole = false;
        return open_frame(yaml, context);
    }
}

/* Takes one event inside a map or list. */
static bool take_inner_event(struct yaml *yaml, struct node *node, bool *whole) {
    const struct yaml_frame *frame = top_frame(yaml);
    if (frame->kind == NODE_MAP && !frame->wants_value && yaml->event.kind != EVENT_END) {
        return read_key(yaml);
    }
    if (yaml->event.kind != EVENT_MAP && yaml->event.kind != EVENT_LIST) {
        return take_event(yaml, &keep_whole, node, whole);
    }
    struct yaml_context context = next_context(yaml);
    return take_event(yaml, &context, node, whole);
}

/* Builds the value that the current event begins, up to its last event. */
static bool build_value(struct yaml *yaml, const struct yaml_context *context, struct node *node) {
    size_t bottom = yaml->frame_count;
    bool whole = false;
    if (!take_event(yaml, context, node, &whole)) {
        return false;
    }
    while (!whole) {
        if (!next_event(yaml) || !take_inner_event(yaml, node, &whole)) {
            return false;
        }
        if (whole && yaml->frame_count > bottom) {
            whole = false;
            if (!attach(yaml, node)) {
                return false;
            }
        }
    }
    return true;
}

/* Documents. */

static bool is_nothing(const struct yaml_event *event) {
    return event->kind == EVENT_SCALAR && event->plain && event->value.length == 0 && !event->tag && !event->anchor;
}

/* Reads the document that the current event begins, with the event of its end. */
static bool read_document(struct yaml *yaml) {
    size_t line = yaml->event.line;
    bool marked = yaml->event.marked;
    struct yaml_context context = {.role = ROLE_OBJECT};
    struct node root;
    anchor_table_clear(yaml->anchors);
    yaml->aliased = 0;
    yaml->reader->top = 0;
    if (!next_event(yaml)) {
        return false;
    }
    bool on_marker = marked && yaml->event.line == line && !is_nothing(&yaml->event);
    bool is_marker = yaml->event.kind == EVENT_SCALAR && yaml->event.plain && yaml->event.character == 0 &&
                     text_starts_with(yaml->event.value, "---");
    if (on_marker || is_marker) {
        return fail(yaml, content_on_marker);
    }
    if (!build_value(yaml, &context, &root)) {
        return false;
    }
    reader_document(yaml->reader, root);
    return next_event(yaml);
}

static void report_dropped(struct yaml *yaml) {
    struct yaml_place place = yaml_stream_place(yaml->stream, &yaml->event);
    reader_report(yaml->reader, CODE_AFTER_DOCUMENT_END, place.line, place.column,
                  "content after '...' without a document marker '---': Kubernetes drops it without a word");
}

void reader_yaml(struct reader *reader, struct source *source) {
    struct yaml yaml = {.reader = reader, .stream = yaml_stream_open(reader, source)};
    if (!reader->anchors) {
        reader->anchors = arena_alloc(reader->scratch, sizeof *reader->anchors);
        anchor_table_init(reader->anchors, reader->scratch);
    }
    yaml.anchors = reader->anchors;
    bool goes_on = true;
    while (goes_on) {
        goes_on = next_event(&yaml);
        if (goes_on && yaml.event.kind == EVENT_DOCUMENT) {
            goes_on = read_document(&yaml);
        }
        if (goes_on && yaml.event.kind == EVENT_DROPPED) {
            report_dropped(&yaml);
            goes_on = yaml_stream_restart(yaml.stream, &yaml.event);
        }
        goes_on = goes_on && yaml.event.kind != EVENT_STREAM_END;
    }
    yaml_stream_close(yaml.stream);
}
