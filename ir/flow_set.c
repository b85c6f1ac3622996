#include "ir/flow_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ir/everything.h"

enum {
    PRUNE_EFFORT = 500,  /* spent on a box to find out that it is empty */
    FULL_QUESTIONS = 16, /* how many times NAME_SET_EFFORT may be spent to tell whether one set is empty */
    /* Pieces of one box, besides four for each box that is taken away from it (ports need two), and boxes of a set: past
     * that, what is left to take away stays in and makes the rest rough (ir/payload_set.h). */
    PIECES_LARGEST = 512,
    BOXES_LARGEST = 1 << 16
};

/* A set being built. Boxes that are known to be empty do not enter. */
struct box_list {
    struct arena *arena;
    struct flow_box *boxes;
    size_t count, capacity;
};

struct flow_set flow_set_nothing(void) {
    return (struct flow_set){NULL, 0};
}

struct flow_set flow_set_everything(void) {
    return (struct flow_set){&everything_flow, 1};
}

static enum emptiness box_is_empty(struct arena *arena, const struct flow_box *box, int64_t *effort) {
    if (port_set_is_empty(&box->ports)) {
        return SET_EMPTY;
    }
    enum emptiness destinations = destination_set_is_empty_within(arena, &box->destinations, effort);
    if (destinations == SET_EMPTY) {
        return SET_EMPTY;
    }
    enum emptiness payloads = payload_set_is_empty_within(arena, &box->payloads, effort);
    return payloads == SET_INHABITED ? destinations : payloads;
}

static void list_add(struct box_list *list, const struct flow_box *box) {
    int64_t effort = PRUNE_EFFORT;
    if (box_is_empty(list->arena, box, &effort) == SET_EMPTY) {
        return;
    }
    list->boxes = arena_grow(list->arena, list->boxes, &list->capacity, list->count + 1, sizeof *list->boxes);
    list->boxes[list->count++] = *box;
}

static void list_append(struct box_list *list, const struct flow_box *boxes, size_t count) {
    if (count > 0) {
        list->boxes = arena_grow(list->arena, list->boxes, &list->capacity, list->count + count, sizeof *list->boxes);
        memcpy(list->boxes + list->count, boxes, count * sizeof *boxes);
        list->count += count;
    }
}

static struct flow_set list_done(const struct box_list *list) {
    return (struct flow_set){list->count ? list->boxes : NULL, (uint32_t)list->count};
}

struct flow_set flow_set_of(struct arena *arena, const struct flow_box *box) {
    int64_t effort = PRUNE_EFFORT;
    if (box_is_empty(arena, box, &effort) == SET_EMPTY) {
        return flow_set_nothing();
    }
    struct flow_box *boxes = arena_array(arena, 1, sizeof *boxes);
    boxes[0] = *box;
    return (struct flow_set){boxes, 1};
}

struct flow_set flow_set_union(struct arena *arena, const struct flow_set *a, const struct flow_set *b) {
    if (b->count == 0 || (a->boxes == b->boxes && a->count == b->count)) {
        return *a;
    }
    if (a->count == 0) {
        return *b;
    }
    struct flow_box *boxes = arena_array(arena, (size_t)a->count + b->count, sizeof *boxes);
    memcpy(boxes, a->boxes, a->count * sizeof *boxes);
    memcpy(boxes + a->count, b->boxes, b->count * sizeof *boxes);
    return (struct flow_set){boxes, a->count + b->count};
}

/* What both boxes hold, with the origin of `a`; false: known to be nothing. The cheap parts come first. */
static bool box_intersect(struct arena *arena, const struct flow_box *a, const struct flow_box *b,
                          struct flow_box *both) {
    both->origin = a->origin;
    both->ports = port_set_intersect(arena, &a->ports, &b->ports);
    if (port_set_is_empty(&both->ports)) {
        return false;
    }
    both->payloads = payload_set_intersect(arena, &a->payloads, &b->payloads);
    if (payload_set_is_nothing(&both->payloads)) {
        return false;
    }
    both->destinations = destination_set_intersect(arena, &a->destinations, &b->destinations);
    int64_t effort = PRUNE_EFFORT;
    return !destination_set_is_nothing(&both->destinations) && box_is_empty(arena, both, &effort) != SET_EMPTY;
}

struct flow_set flow_set_intersect(struct arena *arena, const struct flow_set *a, const struct flow_set *b) {
    struct box_list list = {.arena = arena};
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t k = 0; k < b->count; k++) {
            struct flow_box both;
            if (box_intersect(arena, &a->boxes[i], &b->boxes[k], &both)) {
                list_add(&list, &both);
            }
        }
    }
    return list_done(&list);
}

/* a − b where `both` is what they share:
 *
 *   D_A×(P_A−P_B)×X_A  ∪  D_A×(P_A∩P_B)×(X_A−X_B)  ∪  (D_A−D_B)×(P_A∩P_B)×(X_A∩X_B)
 *
 * Ports are split first: pieces of one box have different ports (or payloads), and ports are intervals, so the pieces
 * grow with the number of boxes taken away. Destinations of many keys and patterns would double with each. */
static void subtract_box(struct box_list *list, const struct flow_box *a, const struct flow_box *b,
                         const struct flow_box *both) {
    struct flow_box piece = *a;
    piece.ports = port_set_subtract(list->arena, &a->ports, &b->ports);
    if (!port_set_is_empty(&piece.ports)) {
        list_add(list, &piece);
    }
    piece.ports = both->ports;
    piece.payloads = payload_set_subtract(list->arena, &a->payloads, &b->payloads);
    if (!payload_set_is_nothing(&piece.payloads)) {
        list_add(list, &piece);
    }
    piece.payloads = both->payloads;
    piece.destinations = destination_set_subtract(list->arena, &a->destinations, &b->destinations);
    if (!destination_set_is_nothing(&piece.destinations)) {
        list_add(list, &piece);
    }
}

/* A box to take away, and how many pieces that leaves of the whole it is taken from. */
struct cut {
    const struct flow_box *box;
    uint32_t pieces, number;
};

static int compare_cuts(const void *a, const void *b) {
    const struct cut *x = a, *y = b;
    if (x->pieces != y->pieces) {
        return x->pieces < y->pieces ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

/* What of B meets the box, those that leave least first: that keeps the pieces few. One that leaves nothing is alone. */
static struct cut *cuts_of(struct arena *arena, const struct flow_box *a, const struct flow_set *b, uint32_t *count) {
    struct cut *cuts = arena_array(arena, b->count, sizeof *cuts);
    *count = 0;
    for (uint32_t k = 0; k < b->count; k++) {
        struct arena_mark start = arena_mark(arena);
        struct box_list pieces = {.arena = arena};
        struct flow_box both;
        bool meets = box_intersect(arena, a, &b->boxes[k], &both);
        if (meets) {
            subtract_box(&pieces, a, &b->boxes[k], &both);
        }
        arena_rollback(arena, start);
        if (meets && pieces.count == 0) {
            cuts[0] = (struct cut){&b->boxes[k], 0, k};
            *count = 1;
            break;
        }
        if (meets) {
            cuts[(*count)++] = (struct cut){&b->boxes[k], (uint32_t)pieces.count, k};
        }
    }
    qsort(cuts, *count, sizeof *cuts, compare_cuts);
    return cuts;
}

/* Takes the box away from each of the list. Of a rough one it is not known what it takes, so the others become rough.
 * `fresh` is room for new pieces. */
static void cut_list(struct box_list *list, struct box_list *fresh, const struct flow_box *b) {
    size_t kept = 0;
    fresh->count = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct arena_mark start = arena_mark(list->arena);
        struct flow_box a = list->boxes[i], both;
        bool meets = box_intersect(list->arena, &a, b, &both);
        if (meets && !b->payloads.rough) {
            subtract_box(fresh, &a, b, &both);
        } else {
            arena_rollback(list->arena, start);
            a.payloads.rough = a.payloads.rough || meets;
            list->boxes[kept++] = a;
        }
    }
    list->count = kept;
    list_append(list, fresh->boxes, fresh->count);
}

/* Keeps all of the boxes, as bounds. */
static void give_up(struct flow_box *boxes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        boxes[i].payloads.rough = true;
    }
}

/* Adds what is left of the box. */
static void subtract_from_box(struct box_list *left, const struct flow_box *a, const struct flow_set *b) {
    uint32_t count;
    const struct cut *cuts = cuts_of(left->arena, a, b, &count);
    struct box_list list = {.arena = left->arena}, fresh = {.arena = left->arena};
    list_append(&list, a, 1);
    for (uint32_t k = 0; k < count && list.count > 0; k++) {
        if (list.count > PIECES_LARGEST + 4 * (size_t)count || left->count > BOXES_LARGEST) {
            give_up(list.boxes, list.count);
            break;
        }
        cut_list(&list, &fresh, cuts[k].box);
    }
    list_append(left, list.boxes, list.count);
}

struct flow_set flow_set_subtract(struct arena *arena, const struct flow_set *a, const struct flow_set *b) {
    if (a->count == 0 || b->count == 0) {
        return *a;
    }
    if (a->boxes == b->boxes && a->count == b->count) {
        return flow_set_nothing();
    }
    struct box_list left = {.arena = arena};
    for (uint32_t i = 0; i < a->count; i++) {
        subtract_from_box(&left, &a->boxes[i], b);
    }
    return list_done(&left);
}

struct flow_set flow_set_of_origin(struct arena *arena, const struct flow_set *set, size_t origin) {
    struct flow_box *boxes = arena_array(arena, set->count + 1u, sizeof *boxes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->boxes[i].origin == origin)
            boxes[count++] = set->boxes[i];
    return (struct flow_set){boxes, count};
}

/* Once with little effort for each box, for one that is inhabited settles it; then with much for those left open. Rough
 * boxes stay open whatever is spent. */
enum emptiness flow_set_is_empty(struct arena *arena, const struct flow_set *set) {
    bool open = false, undecided = false;
    for (uint32_t i = 0; i < set->count; i++) {
        int64_t effort = PRUNE_EFFORT;
        enum emptiness emptiness = box_is_empty(arena, &set->boxes[i], &effort);
        if (emptiness == SET_INHABITED) {
            return SET_INHABITED;
        }
        bool rough = set->boxes[i].payloads.rough;
        open = open || (emptiness == SET_UNDECIDED && !rough);
        undecided = undecided || (emptiness == SET_UNDECIDED && rough);
    }
    int64_t effort = (int64_t)FULL_QUESTIONS * NAME_SET_EFFORT;
    for (uint32_t i = 0; i < set->count && open; i++) {
        if (set->boxes[i].payloads.rough) {
            continue;
        }
        enum emptiness emptiness = box_is_empty(arena, &set->boxes[i], &effort);
        if (emptiness == SET_INHABITED) {
            return SET_INHABITED;
        }
        undecided = undecided || emptiness == SET_UNDECIDED;
    }
    return undecided ? SET_UNDECIDED : SET_EMPTY;
}

bool flow_set_contains(const struct flow_set *set, const struct flow *flow) {
    for (uint32_t i = 0; i < set->count; i++) {
        const struct flow_box *box = &set->boxes[i];
        if (port_set_contains(&box->ports, flow->protocol, flow->port) &&
            payload_set_contains(&box->payloads, &flow->payload) &&
            destination_set_contains(&box->destinations, &flow->destination)) {
            return true;
        }
    }
    return false;
}

void flow_set_print(struct buffer *out, const struct flow_set *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        buffer_add_string(out, "to ");
        destination_set_print(out, &set->boxes[i].destinations);
        buffer_add_string(out, ", ports ");
        port_set_print(out, &set->boxes[i].ports);
        buffer_add_string(out, ", payload ");
        payload_set_print(out, &set->boxes[i].payloads);
        buffer_add_char(out, '\n');
    }
}
