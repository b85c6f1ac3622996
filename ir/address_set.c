#include "ir/address_set.h"

#include <string.h>

#include "base/arena.h"
#include "ir/everything.h"
#include "ir/witness.h"

static unsigned width(enum address_family family) { return family == ADDRESS_IPV4 ? 4 : 16; }

/* The neighbours; false past either end of the family. */
static bool step_up(struct address *address) {
    for (unsigned i = width(address->family); i-- > 0;) {
        if (++address->bytes[i] != 0) {
            return true;
        }
    }
    return false;
}

static bool step_down(struct address *address) {
    for (unsigned i = width(address->family); i-- > 0;) {
        if (address->bytes[i]-- != 0) {
            return true;
        }
    }
    return false;
}

static const struct address *larger(const struct address *a, const struct address *b) {
    return address_compare(a, b) >= 0 ? a : b;
}

static const struct address *smaller(const struct address *a, const struct address *b) {
    return address_compare(a, b) <= 0 ? a : b;
}

struct address_set address_set_nothing(void) {
    return (struct address_set){NULL, 0};
}

struct address_set address_set_everything(void) {
    return (struct address_set){everything_addresses, EVERYTHING_FAMILIES};
}

struct address_set address_set_family(enum address_family family) {
    return (struct address_set){&everything_addresses[family], 1};
}

struct address_set address_set_of(struct arena *arena, const struct address *first, const struct address *last) {
    if (first->family != last->family || address_compare(first, last) > 0) {
        return address_set_nothing();
    }
    struct address_range *range = arena_array(arena, 1, sizeof *range);
    *range = (struct address_range){*first, *last};
    return (struct address_set){range, 1};
}

bool address_set_is_empty(const struct address_set *set) { return set->count == 0; }

bool address_set_equal(const struct address_set *a, const struct address_set *b) {
    if (a->count != b->count) {
        return false;
    }
    for (uint32_t i = 0; a->ranges != b->ranges && i < a->count; i++) {
        if (address_compare(&a->ranges[i].first, &b->ranges[i].first) != 0 ||
            address_compare(&a->ranges[i].last, &b->ranges[i].last) != 0) {
            return false;
        }
    }
    return true;
}

static bool is_everything(const struct address_set *set) {
    struct address_set everything = address_set_everything();
    return address_set_equal(set, &everything);
}

/* Whether a range that begins at `first` continues one that ends at `last`. */
static bool touches(const struct address *last, const struct address *first) {
    struct address next = *last;
    return last->family == first->family && (!step_up(&next) || address_compare(first, &next) <= 0);
}

/* Appends a range that begins no earlier than the last one does; merges what overlaps or touches. */
static void append(struct address_range *to, uint32_t *count, const struct address_range *range) {
    if (*count > 0 && touches(&to[*count - 1].last, &range->first)) {
        to[*count - 1].last = *larger(&to[*count - 1].last, &range->last);
        return;
    }
    to[(*count)++] = *range;
}

struct address_set address_set_union(struct arena *arena, const struct address_set *a, const struct address_set *b) {
    if (b->count == 0 || address_set_equal(a, b) || is_everything(a)) {
        return *a;
    }
    if (a->count == 0 || is_everything(b)) {
        return *b;
    }
    struct address_range *to = arena_array(arena, (size_t)a->count + b->count, sizeof *to);
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
        bool from_a = j == b->count || (i < a->count && address_compare(&a->ranges[i].first, &b->ranges[j].first) <= 0);
        append(to, &count, from_a ? &a->ranges[i++] : &b->ranges[j++]);
    }
    return (struct address_set){to, count};
}

/* By halves, so that each set is copied a few times and not once for each after it. */
struct address_set address_set_union_of(struct arena *arena, const struct address_set *sets, size_t count) {
    if (count < 2) {
        return count ? *sets : address_set_nothing();
    }
    struct address_set left = address_set_union_of(arena, sets, count / 2);
    struct address_set right = address_set_union_of(arena, sets + count / 2, count - count / 2);
    return address_set_union(arena, &left, &right);
}

struct address_set address_set_intersect(struct arena *arena, const struct address_set *a,
                                         const struct address_set *b) {
    if (a->count == 0 || address_set_equal(a, b) || is_everything(b)) {
        return *a;
    }
    if (b->count == 0 || is_everything(a)) {
        return *b;
    }
    struct address_range *to = arena_array(arena, (size_t)a->count + b->count, sizeof *to);
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        const struct address_range *x = &a->ranges[i], *y = &b->ranges[j];
        struct address_range both = {*larger(&x->first, &y->first), *smaller(&x->last, &y->last)};
        if (address_compare(&both.first, &both.last) <= 0) {
            to[count++] = both;
        }
        if (address_compare(&x->last, &y->last) <= 0) {
            i++;
        } else {
            j++;
        }
    }
    return (struct address_set){count ? to : NULL, count};
}

/* What is left of one range after those of `b`, from `*from` on, that may reach into it. */
static void subtract_range(struct address_range *to, uint32_t *count, const struct address_range *range,
                           const struct address_set *b, uint32_t *from) {
    struct address_range left = *range;
    while (*from < b->count && address_compare(&b->ranges[*from].last, &left.first) < 0) {
        (*from)++;
    }
    /* The range of B that ends this one may reach into the next, so it is not passed over here. */
    for (uint32_t k = *from; k < b->count && address_compare(&b->ranges[k].first, &left.last) <= 0; k++) {
        const struct address_range *cut = &b->ranges[k];
        if (address_compare(&cut->first, &left.first) > 0) {
            struct address_range before = {left.first, cut->first};
            step_down(&before.last);
            to[(*count)++] = before;
        }
        if (address_compare(&cut->last, &left.last) >= 0) {
            return;
        }
        left.first = cut->last;
        step_up(&left.first);
    }
    to[(*count)++] = left;
}

struct address_set address_set_subtract(struct arena *arena, const struct address_set *a, const struct address_set *b) {
    if (a->count == 0 || b->count == 0) {
        return *a;
    }
    if (is_everything(b)) {
        return address_set_nothing();
    }
    struct address_range *to = arena_array(arena, (size_t)a->count + b->count, sizeof *to);
    uint32_t count = 0, from = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        subtract_range(to, &count, &a->ranges[i], b, &from);
    }
    return (struct address_set){count ? to : NULL, count};
}

/* The first range that does not end before the address. */
static uint32_t find(const struct address_set *set, const struct address *address) {
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (address_compare(&set->ranges[middle].last, address) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool address_set_contains(const struct address_set *set, const struct address *address) {
    uint32_t at = find(set, address);
    return at < set->count && address_compare(&set->ranges[at].first, address) <= 0;
}

bool address_set_lowest(const struct address_set *set, const struct address *first, const struct address *last,
                        struct address *lowest) {
    uint32_t at = find(set, first);
    if (at == set->count || address_compare(&set->ranges[at].first, last) > 0) {
        return false;
    }
    *lowest = *larger(&set->ranges[at].first, first);
    return true;
}

bool address_set_sample(const struct address_set *set, struct address *address) {
    const struct witness_order *order = witness_order_default();
    for (uint32_t i = 0; set->count > 0 && i < order->count; i++) {
        struct address first, last;
        if (order->steps[i].kind == WITNESS_ADDRESSES && witness_step_range(&order->steps[i], &first, &last) &&
            address_set_lowest(set, &first, &last, address)) {
            return true;
        }
    }
    return false;
}

/* The number of leading bits that first and last share, if the range is all the addresses that begin with them; -1 if
 * it is no such block. */
static int prefix_length(const struct address_range *range) {
    unsigned bits = 8 * width(range->first.family), length = 0;
    while (length < bits) {
        uint8_t differ = (uint8_t)(range->first.bytes[length / 8] ^ range->last.bytes[length / 8]);
        if (differ & (0x80U >> (length % 8))) {
            break;
        }
        length++;
    }
    for (unsigned i = length; i < bits; i++) {
        unsigned bit = 0x80U >> (i % 8);
        if ((range->first.bytes[i / 8] & bit) || !(range->last.bytes[i / 8] & bit)) {
            return -1;
        }
    }
    return (int)length;
}

static void print_range(struct buffer *out, const struct address_range *range) {
    char text[46];
    address_print(&range->first, text);
    buffer_add_string(out, text);
    int length = prefix_length(range);
    if (length < 0) {
        address_print(&range->last, text);
        buffer_print(out, "-%s", text);
    } else if ((unsigned)length < 8 * width(range->first.family)) {
        buffer_print(out, "/%d", length);
    }
}

void address_set_print(struct buffer *out, const struct address_set *set) {
    if (set->count == 0 || is_everything(set)) {
        buffer_add_string(out, set->count == 0 ? "nothing" : "everything");
        return;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        buffer_add_string(out, i ? ", " : "");
        print_range(out, &set->ranges[i]);
    }
}
