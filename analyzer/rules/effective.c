#include "analyzer/rules/effective.h"

#include <string.h>

#include "analyzer/rules/effect.h"
#include "base/arena.h"

/* ---- the API server at an unknown address ---- */

static const uint32_t api_server_bit = 1u << SPECIAL_API_SERVER;

static bool box_holds_all_addresses(const struct flow_box *box) {
    struct address_set all = address_set_everything();
    return address_set_equal(&box->destinations.addresses, &all);
}

/* The API server's address is among all addresses, so a box that allows these allows it, without saying so. */
struct flow_box box_without_api_server(struct flow_box box) {
    if (box_holds_all_addresses(&box))
        box.destinations.specials &= ~api_server_bit;
    return box;
}

static struct flow_box box_to_api_server(struct flow_box box) {
    box.destinations = destination_set_of_specials(api_server_bit);
    return box;
}

/* The boxes that hold addresses but not all of them, by their addresses alone; nothing where all of them together leave
 * addresses out. */
static struct flow_set boxes_of_some_addresses(const struct flow_set *set, struct arena *arena) {
    struct flow_box *boxes = arena_array(arena, set->count + 1u, sizeof *boxes);
    struct address_set *parts = arena_array(arena, set->count + 1u, sizeof *parts), all = address_set_everything();
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct address_set *addresses = &set->boxes[i].destinations.addresses;
        if (address_set_is_empty(addresses) || box_holds_all_addresses(&set->boxes[i]))
            continue;
        parts[count] = *addresses;
        boxes[count] = set->boxes[i];
        boxes[count++].destinations = (struct destination_set){.addresses = *addresses};
    }
    struct arena_mark mark = arena_mark(arena);
    struct address_set together = address_set_union_of(arena, parts, count);
    bool whole = address_set_equal(&together, &all);
    arena_rollback(arena, mark);
    return whole ? (struct flow_set){boxes, count} : flow_set_nothing();
}

/* What every address has of the boxes: all ports and payloads but those that some address lacks. Nothing where the boxes
 * fall into too many pieces to tell. */
static struct flow_set every_address_has(const struct flow_set *parts, struct arena *arena) {
    enum { PIECES = 256 };
    struct flow_box whole = {.destinations = {.addresses = address_set_everything()},
                             .ports = port_set_everything(),
                             .payloads = payload_set_everything()};
    struct flow_set lacking = flow_set_of(arena, &whole);
    for (uint32_t i = 0; i < parts->count; i++) {
        struct flow_set part = {&parts->boxes[i], 1};
        lacking = flow_set_subtract(arena, &lacking, &part);
        if (lacking.count > PIECES)
            return flow_set_nothing();
    }
    struct flow_box *boxes = arena_array(arena, lacking.count + 1u, sizeof *boxes);
    for (uint32_t i = 0; i < lacking.count; i++)
        boxes[i] = box_to_api_server(lacking.boxes[i]);
    whole = box_to_api_server(whole);
    whole.origin = parts->boxes[0].origin;
    struct flow_set everything = flow_set_of(arena, &whole), taken = {boxes, lacking.count};
    return flow_set_subtract(arena, &everything, &taken);
}

struct flow_set flow_set_closed(struct arena *arena, const struct flow_set *set) {
    struct flow_box *boxes = arena_array(arena, 2u * set->count + 1u, sizeof *boxes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        boxes[count++] = set->boxes[i];
        if (box_holds_all_addresses(&set->boxes[i]))
            boxes[count++] = box_to_api_server(set->boxes[i]);
    }
    struct flow_set closed = {boxes, count}, parts = boxes_of_some_addresses(set, arena);
    if (parts.count == 0)
        return closed;
    struct flow_set by_parts = every_address_has(&parts, arena);
    return flow_set_union(arena, &closed, &by_parts);
}

/* ---- all entries ---- */

static struct flow_set bound_of(const struct effect *effect, const struct selected_rules *selected,
                                const struct effective *effective, bool upper, bool deny, struct arena *arena) {
    struct flow_box *boxes = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < effective->origin_count; i++) {
        const struct origin *origin = &effective->origins[i];
        if (origin->entry->deny != deny || (!upper && !selected[origin->selected].certain))
            continue;
        struct flow_set set = effect_boxes(effect, origin->entry, upper, (uint32_t)i, NULL, arena);
        if (set.count == 0)
            continue;
        boxes = arena_grow(arena, boxes, &capacity, count + set.count, sizeof *boxes);
        memcpy(boxes + count, set.boxes, set.count * sizeof *boxes);
        count += set.count;
    }
    return (struct flow_set){boxes, (uint32_t)count};
}

void effective_of(const struct selected_rules *selected, size_t count, const struct reading *reading,
                  struct arena *arena, struct effective *effective) {
    const struct effect *effect = effect_of(selected, count, reading, arena);
    size_t entries = 0;
    for (size_t i = 0; i < count; i++)
        entries += selected[i].rules->count;
    struct origin *origins = arena_array(arena, entries + 1, sizeof *origins);
    *effective = (struct effective){.origins = origins};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < selected[i].rules->count; k++)
            origins[effective->origin_count++] = (struct origin){i, &selected[i].rules->entries[k]};
    effective->allow_lower = bound_of(effect, selected, effective, false, false, arena);
    effective->allow_upper = bound_of(effect, selected, effective, true, false, arena);
    struct flow_set deny_lower = bound_of(effect, selected, effective, false, true, arena);
    effective->deny_lower = flow_set_closed(arena, &deny_lower);
    struct flow_set deny_upper = bound_of(effect, selected, effective, true, true, arena);
    effective->deny_upper = flow_set_closed(arena, &deny_upper);
}
