#include "ir/flow_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ir/everything.h"

enum {
    PRUNE_EFFORT = 2000, /* spent on a box to find out that it is empty */
    FULL_QUESTIONS = 16  /* how many times NAME_SET_EFFORT may be spent to tell whether one set is empty */
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

static enum emptiness box_is_empty(const struct flow_box *box, int64_t *effort) {
    if (port_set_is_empty(&box->ports)) {
        return SET_EMPTY;
    }
    enum emptiness destinations = destination_set_is_empty_within(&box->destinations, effort);
    if (destinations == SET_EMPTY) {
        return SET_EMPTY;
    }
    enum emptiness payloads = payload_set_is_empty_within(&box->payloads, effort);
    return payloads == SET_INHABITED ? destinations : payloads;
}

static void list_add(struct box_list *list, const struct flow_box *box) {
    int64_t effort = PRUNE_EFFORT;
    if (box_is_empty(box, &effort) == SET_EMPTY) {
        return;
    }
    list->boxes = arena_grow(list->arena, list->boxes, &list->capacity, list->count + 1, sizeof *list->boxes);
    list->boxes[list->count++] = *box;
}

static struct flow_set list_done(const struct box_list *list) {
    return (struct flow_set){list->count ? list->boxes : NULL, (uint32_t)list->count};
}

struct flow_set flow_set_of(struct arena *arena, const struct flow_box *box) {
    struct box_list list = {.arena = arena};
    list_add(&list, box);
    return list_done(&list);
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
    return !destination_set_is_nothing(&both->destinations) && box_is_empty(both, &effort) != SET_EMPTY;
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
 * (D_A−D_B)×P_A×X_A  ∪  (D_A∩D_B)×(P_A−P_B)×X_A  ∪  (D_A∩D_B)×(P_A∩P_B)×(X_A−X_B) */
static void subtract_box(struct box_list *list, const struct flow_box *a, const struct flow_box *b,
                         const struct flow_box *both) {
    struct flow_box piece = *a;
    piece.destinations = destination_set_subtract(list->arena, &a->destinations, &b->destinations);
    if (!destination_set_is_nothing(&piece.destinations)) {
        list_add(list, &piece);
    }
    piece.destinations = both->destinations;
    piece.ports = port_set_subtract(list->arena, &a->ports, &b->ports);
    if (!port_set_is_empty(&piece.ports)) {
        list_add(list, &piece);
    }
    piece.ports = both->ports;
    piece.payloads = payload_set_subtract(list->arena, &a->payloads, &b->payloads);
    if (!payload_set_is_nothing(&piece.payloads)) {
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

/* What of B meets the box, those that leave least first: that keeps the pieces few. A cut that leaves nothing ends the
 * list, being the only one. */
static struct cut *cuts_of(struct arena *arena, const struct flow_box *a, const struct flow_set *b, uint32_t *count) {
    struct cut *cuts = arena_array(arena, b->count, sizeof *cuts);
    *count = 0;
    for (uint32_t k = 0; k < b->count; k++) {
        struct box_list pieces = {.arena = arena};
        struct flow_box both;
        if (!box_intersect(arena, a, &b->boxes[k], &both)) {
            continue;
        }
        subtract_box(&pieces, a, &b->boxes[k], &both);
        cuts[(*count)++] = (struct cut){&b->boxes[k], (uint32_t)pieces.count, k};
        if (pieces.count == 0) {
            cuts[0] = cuts[*count - 1];
            *count = 1;
            break;
        }
    }
    qsort(cuts, *count, sizeof *cuts, compare_cuts);
    return cuts;
}

static struct flow_set subtract_from_box(struct arena *arena, const struct flow_box *a, const struct flow_set *b) {
    uint32_t count;
    const struct cut *cuts = cuts_of(arena, a, b, &count);
    struct flow_set left = {a, 1};
    for (uint32_t k = 0; k < count && left.count > 0; k++) {
        struct box_list list = {.arena = arena};
        for (uint32_t i = 0; i < left.count; i++) {
            struct flow_box both;
            if (box_intersect(arena, &left.boxes[i], cuts[k].box, &both)) {
                subtract_box(&list, &left.boxes[i], cuts[k].box, &both);
            } else {
                list_add(&list, &left.boxes[i]);
            }
        }
        left = list_done(&list);
    }
    return left;
}

struct flow_set flow_set_subtract(struct arena *arena, const struct flow_set *a, const struct flow_set *b) {
    if (a->count == 0 || b->count == 0) {
        return *a;
    }
    if (a->boxes == b->boxes && a->count == b->count) {
        return flow_set_nothing();
    }
    struct box_list list = {.arena = arena};
    for (uint32_t i = 0; i < a->count; i++) {
        struct flow_set left = subtract_from_box(arena, &a->boxes[i], b);
        for (uint32_t k = 0; k < left.count; k++) {
            list_add(&list, &left.boxes[k]);
        }
    }
    return list_done(&list);
}

/* Once with little effort for each box, for one that is inhabited settles it; then with much for those left open. */
enum emptiness flow_set_is_empty(struct arena *arena, const struct flow_set *set) {
    (void)arena;
    uint32_t open = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        int64_t effort = PRUNE_EFFORT;
        enum emptiness emptiness = box_is_empty(&set->boxes[i], &effort);
        if (emptiness == SET_INHABITED) {
            return SET_INHABITED;
        }
        open += emptiness == SET_UNDECIDED;
    }
    if (open == 0) {
        return SET_EMPTY;
    }
    bool undecided = false;
    int64_t effort = (int64_t)FULL_QUESTIONS * NAME_SET_EFFORT;
    for (uint32_t i = 0; i < set->count; i++) {
        int64_t question = effort < NAME_SET_EFFORT ? effort : NAME_SET_EFFORT, before = question;
        enum emptiness emptiness = box_is_empty(&set->boxes[i], &question);
        if (emptiness == SET_INHABITED) {
            return SET_INHABITED;
        }
        undecided = undecided || emptiness == SET_UNDECIDED;
        effort -= before - question;
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
