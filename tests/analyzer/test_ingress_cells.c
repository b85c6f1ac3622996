/* Wide-open sources against a count of cells: random blocks, excepts and denies, and what is counted of them (spec/analysis.md 5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "ingress_case.h"

enum { CELLS = 8, ENTRIES = 4, WORLDS = 3000 };

/* A block of a family, of 1, 2, 4 or 8 of its eighths, and perhaps an except inside it. */
struct block {
    bool ipv6, has_hole;
    unsigned first, count, hole, hole_count;
};

static unsigned dice(uint32_t *seed, unsigned sides) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % sides;
}

static struct block draw_block(uint32_t *seed) {
    struct block block = {.ipv6 = dice(seed, 3) == 0};
    block.count = 1u << dice(seed, 4);
    block.first = dice(seed, CELLS / block.count) * block.count;
    block.has_hole = block.count > 1 && dice(seed, 3) == 0;
    if (block.has_hole) {
        block.hole_count = block.count / 2;
        block.hole = block.first + dice(seed, 2) * block.hole_count;
    }
    return block;
}

static void write_cidr(struct buffer *out, bool ipv6, unsigned first, unsigned count) {
    unsigned prefix = count == 8 ? 0 : count == 4 ? 1 : count == 2 ? 2 : 3;
    if (ipv6)
        buffer_print(out, "'%x::/%u'", first << 13, prefix);
    else
        buffer_print(out, "%u.0.0.0/%u", first << 5, prefix);
}

static void write_block(struct buffer *out, const struct block *block, bool agent_port) {
    buffer_add_string(out, "{fromCIDRSet: [{cidr: ");
    write_cidr(out, block->ipv6, block->first, block->count);
    if (block->has_hole) {
        buffer_add_string(out, ", except: [");
        write_cidr(out, block->ipv6, block->hole, block->hole_count);
        buffer_add_char(out, ']');
    }
    buffer_print(out, "}], toPorts: [{ports: [{port: '%s', protocol: TCP}]}]}, ", agent_port ? "1024" : "1025");
}

/* The cells that the block names, IPv4 in the low bits, and those that its except leaves. */
static unsigned cells_named(const struct block *block) {
    return ((1u << block->count) - 1) << (block->first + (block->ipv6 ? CELLS : 0u));
}

static unsigned cells_left(const struct block *block) {
    const struct block hole = {.ipv6 = block->ipv6, .first = block->hole, .count = block->hole_count};
    return block->has_hole ? cells_named(block) & ~cells_named(&hole) : cells_named(block);
}

/* Appends a list of entries; says what those on the agent port name and leave. */
static void write_entries(struct buffer *out, uint32_t *seed, unsigned count, unsigned *named, unsigned *left) {
    *named = *left = 0;
    buffer_add_char(out, '[');
    for (unsigned i = 0; i < count; i++) {
        struct block block = draw_block(seed);
        bool agent_port = dice(seed, 5) > 0;
        write_block(out, &block, agent_port);
        *named |= agent_port ? cells_named(&block) : 0;
        *left |= agent_port ? cells_left(&block) : 0;
    }
    buffer_add_char(out, ']');
}

static bool is_open(unsigned named, unsigned left) {
    for (unsigned family = 0; family < 2; family++) {
        unsigned all = ((1u << CELLS) - 1) << (family * CELLS);
        if ((named & all) == all && (left & all) != 0)
            return true;
    }
    return false;
}

static void wide_openness_agrees_with_counted_cells(void **state) {
    (void)state;
    uint32_t seed = 20240611;
    unsigned opened = 0;
    for (unsigned world = 0; world < WORLDS; world++) {
        struct arena *arena = arena_create();
        struct buffer rules;
        buffer_init(&rules, arena);
        unsigned named, left, denied, unused;
        buffer_add_string(&rules, "{endpointSelector: {}, ingress: ");
        write_entries(&rules, &seed, 1 + dice(&seed, ENTRIES), &named, &left);
        buffer_add_string(&rules, ", ingressDeny: ");
        write_entries(&rules, &seed, dice(&seed, 3), &unused, &denied);
        buffer_add_char(&rules, '}');
        bool open = is_open(named, left & ~denied);
        opened += open;
        const struct row rows[] = {
            {buffer_string(&rules), open ? "opens-agent-port" : "covers", open ? "port-open" : "pass"}, LAST_ROW};
        expect(arena, ENGINE_CILIUM_CONFIG, CILIUM_OBJECT("p", "%s"), rows);
        arena_destroy(arena);
    }
    assert_in_range(opened, WORLDS / 20, WORLDS / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_openness_agrees_with_counted_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
