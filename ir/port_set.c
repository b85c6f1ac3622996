#include "ir/port_set.h"

#include "base/arena.h"
#include "ir/everything.h"

static const struct {
    const char *word, *printed; /* what messages call it; how a range of it is introduced */
    const struct port_range *whole;
} protocols[PROTOCOL_COUNT] = {
    [PROTOCOL_TCP] = {"TCP", "TCP", &everything_ports},
    [PROTOCOL_UDP] = {"UDP", "UDP", &everything_ports},
    [PROTOCOL_SCTP] = {"SCTP", "SCTP", &everything_ports},
    [PROTOCOL_ICMP] = {"ICMP", "icmp", &everything_types},
    [PROTOCOL_ICMPV6] = {"ICMPv6", "icmpv6", &everything_types},
    [PROTOCOL_OTHER] = {"other", "other", &everything_other},
};

/* Asked for before all others, in this order (spec/analysis.md 4). */
static const unsigned preferred[] = {443, 80, 53, 22};

const char *protocol_word(enum protocol protocol) { return protocols[protocol].word; }

bool protocol_has_ports(enum protocol protocol) { return protocols[protocol].whole == &everything_ports; }

struct port_set port_set_nothing(void) {
    return (struct port_set){0};
}

struct port_set port_set_everything(void) {
    struct port_set set;
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++) {
        set.of[i] = (struct port_ranges){protocols[i].whole, 1};
    }
    return set;
}

struct port_set port_set_transport(void) {
    struct port_set set = port_set_nothing();
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++) {
        if (protocol_has_ports((enum protocol)i)) {
            set.of[i] = (struct port_ranges){&everything_ports, 1};
        }
    }
    return set;
}

struct port_set port_set_of(struct arena *arena, enum protocol protocol, unsigned first, unsigned last) {
    struct port_set set = port_set_nothing();
    unsigned largest = protocols[protocol].whole->last;
    if (last > largest) {
        last = largest;
    }
    if (first > last) {
        return set;
    }
    struct port_range *range = arena_array(arena, 1, sizeof *range);
    *range = (struct port_range){(uint16_t)first, (uint16_t)last};
    set.of[protocol] = (struct port_ranges){range, 1};
    return set;
}

static bool ranges_equal(const struct port_ranges *a, const struct port_ranges *b) {
    if (a->count != b->count) {
        return false;
    }
    for (uint32_t i = 0; a->ranges != b->ranges && i < a->count; i++) {
        if (a->ranges[i].first != b->ranges[i].first || a->ranges[i].last != b->ranges[i].last) {
            return false;
        }
    }
    return true;
}

/* Appends a range that begins no earlier than the last one does; merges what overlaps or touches. */
static void append(struct port_range *to, uint32_t *count, struct port_range range) {
    if (*count > 0 && range.first <= to[*count - 1].last + 1) {
        if (range.last > to[*count - 1].last) {
            to[*count - 1].last = range.last;
        }
        return;
    }
    to[(*count)++] = range;
}

static struct port_ranges ranges_union(struct arena *arena, const struct port_ranges *a, const struct port_ranges *b) {
    if (b->count == 0 || ranges_equal(a, b)) {
        return *a;
    }
    if (a->count == 0) {
        return *b;
    }
    struct port_range *to = arena_array(arena, (size_t)a->count + b->count, sizeof *to);
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
        bool from_a = j == b->count || (i < a->count && a->ranges[i].first <= b->ranges[j].first);
        append(to, &count, from_a ? a->ranges[i++] : b->ranges[j++]);
    }
    return (struct port_ranges){to, count};
}

static struct port_ranges ranges_intersect(struct arena *arena, const struct port_ranges *a,
                                           const struct port_ranges *b) {
    if (a->count == 0 || ranges_equal(a, b)) {
        return *a;
    }
    if (b->count == 0) {
        return *b;
    }
    struct port_range *to = arena_array(arena, (size_t)a->count + b->count, sizeof *to);
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        struct port_range x = a->ranges[i], y = b->ranges[j];
        struct port_range both = {x.first > y.first ? x.first : y.first, x.last < y.last ? x.last : y.last};
        if (both.first <= both.last) {
            to[count++] = both;
        }
        if (x.last <= y.last) {
            i++;
        } else {
            j++;
        }
    }
    return (struct port_ranges){count ? to : NULL, count};
}

static struct port_ranges ranges_subtract(struct arena *arena, const struct port_ranges *a,
                                          const struct port_ranges *b) {
    if (a->count == 0 || b->count == 0) {
        return *a;
    }
    struct port_range *to = arena_array(arena, (size_t)a->count + b->count, sizeof *to);
    uint32_t count = 0, j = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        unsigned from = a->ranges[i].first, last = a->ranges[i].last;
        while (j < b->count && b->ranges[j].last < from) {
            j++;
        }
        /* The range of B that ends this one may reach into the next, so it is not passed over here. */
        for (uint32_t k = j; k < b->count && b->ranges[k].first <= last && from <= last; k++) {
            if (b->ranges[k].first > from) {
                to[count++] = (struct port_range){(uint16_t)from, (uint16_t)(b->ranges[k].first - 1)};
            }
            from = (unsigned)b->ranges[k].last + 1;
        }
        if (from <= last) {
            to[count++] = (struct port_range){(uint16_t)from, (uint16_t)last};
        }
    }
    return (struct port_ranges){count ? to : NULL, count};
}

typedef struct port_ranges combine_ranges(struct arena *, const struct port_ranges *, const struct port_ranges *);

static struct port_set combine(struct arena *arena, combine_ranges *with, const struct port_set *a,
                               const struct port_set *b) {
    struct port_set set;
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++) {
        set.of[i] = with(arena, &a->of[i], &b->of[i]);
    }
    return set;
}

struct port_set port_set_union(struct arena *arena, const struct port_set *a, const struct port_set *b) {
    return combine(arena, ranges_union, a, b);
}

/* By halves, so that each set is copied a few times and not once for each after it. */
struct port_set port_set_union_of(struct arena *arena, const struct port_set *const *sets, size_t count) {
    if (count < 2) {
        return count ? *sets[0] : port_set_nothing();
    }
    struct port_set left = port_set_union_of(arena, sets, count / 2);
    struct port_set right = port_set_union_of(arena, sets + count / 2, count - count / 2);
    return port_set_union(arena, &left, &right);
}

struct port_set port_set_intersect(struct arena *arena, const struct port_set *a, const struct port_set *b) {
    return combine(arena, ranges_intersect, a, b);
}

struct port_set port_set_subtract(struct arena *arena, const struct port_set *a, const struct port_set *b) {
    return combine(arena, ranges_subtract, a, b);
}

bool port_set_is_empty(const struct port_set *set) {
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++) {
        if (set->of[i].count > 0) {
            return false;
        }
    }
    return true;
}

bool port_set_equal(const struct port_set *a, const struct port_set *b) {
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++) {
        if (!ranges_equal(&a->of[i], &b->of[i])) {
            return false;
        }
    }
    return true;
}

bool port_set_contains(const struct port_set *set, enum protocol protocol, unsigned port) {
    const struct port_ranges *ranges = &set->of[protocol];
    uint32_t low = 0, high = ranges->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ranges->ranges[middle].last < port) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < ranges->count && ranges->ranges[low].first <= port;
}

bool port_set_sample(const struct port_set *set, enum protocol *protocol, unsigned *port) {
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++) {
        if (set->of[i].count == 0) {
            continue;
        }
        *protocol = (enum protocol)i;
        *port = set->of[i].ranges[0].first;
        for (size_t k = 0; protocol_has_ports(*protocol) && k < sizeof preferred / sizeof *preferred; k++) {
            if (port_set_contains(set, *protocol, preferred[k])) {
                *port = preferred[k];
                break;
            }
        }
        return true;
    }
    return false;
}

int port_witness_compare(enum protocol a, unsigned port_a, enum protocol b, unsigned port_b) {
    if (a != b) {
        return a < b ? -1 : 1;
    }
    for (size_t k = 0; protocol_has_ports(a) && port_a != port_b && k < sizeof preferred / sizeof *preferred; k++) {
        if (port_a == preferred[k] || port_b == preferred[k]) {
            return port_a == preferred[k] ? -1 : 1;
        }
    }
    return (port_a > port_b) - (port_a < port_b);
}

static void print_range(struct buffer *out, enum protocol protocol, struct port_range range) {
    const char *word = protocols[protocol].printed;
    const struct port_range *whole = protocols[protocol].whole;
    unsigned first = range.first, last = range.last;
    bool ports = protocol_has_ports(protocol);
    if (first == whole->first && last == whole->last) {
        buffer_print(out, ports ? "every port/%s" : "%s", word);
        return;
    }
    if (!ports) {
        buffer_print(out, "%s:", word);
    }
    buffer_print(out, first == last ? "%u" : "%u-%u", first, last);
    if (ports) {
        buffer_print(out, "/%s", word);
    }
}

void port_set_print(struct buffer *out, const struct port_set *set) {
    struct port_set everything = port_set_everything();
    if (port_set_equal(set, &everything)) {
        buffer_add_string(out, "everything");
        return;
    }
    if (port_set_is_empty(set)) {
        buffer_add_string(out, "nothing");
        return;
    }
    const char *between = "";
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++) {
        for (uint32_t k = 0; k < set->of[i].count; k++) {
            buffer_add_string(out, between);
            print_range(out, (enum protocol)i, set->of[i].ranges[k]);
            between = ", ";
        }
    }
}
