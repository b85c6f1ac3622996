/* What one entry after another means beside what acts on it (analyzer/rules/effect.h): the same as all entries at once, and
 * in memory that grows no faster than the rules do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/rules/effect.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

#define EGRESS(name, rules) CNP(name, "{endpointSelector: {}, egress: [" rules "]}")
#define SERVER "toEndpoints: [{matchLabels: {app: dns}}]"
#define PORT(number, protocol) "{port: '" number "', protocol: " protocol "}"
#define LIST(peer, port, names) "{" peer ", toPorts: [{ports: [" port "], rules: {dns: [" names "]}}]}"
#define SNI(peer, names) "{" peer ", toPorts: [{ports: [" PORT("443", "TCP") "], serverNames: [" names "]}]}"

static const char crowd[] =
    EGRESS("a", LIST(SERVER, PORT("53", "ANY"), "{matchName: a.example}") ", {" SERVER "}, {toEntities: [all]}")
        EGRESS("b", "{toCIDR: [10.0.0.0/8], toPorts: [{ports: [{port: '40', endPort: 60, protocol: UDP}, " PORT(
                        "5353", "UDP") "]}]}, " LIST(SERVER, PORT("5353", "UDP"), "{matchPattern: '*.example'}"))
            EGRESS("c",
                   SNI("toCIDR: [10.0.0.0/8]", "a.example") ", {toCIDR: [10.0.0.0/8, 11.0.0.0/8], toPorts: [{ports: "
                                                            "[" PORT("443", "TCP") ", " PORT("80", "TCP") "]}]}")
                EGRESS("maybe-d", LIST("toCIDR: [10.0.0.0/9]", PORT("53", "TCP"), "{matchPattern: '*'}"))
                    CORE("e", "{podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: dns, protocol: UDP}, "
                              "{port: 53, protocol: UDP}]}, {to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]}");

static bool equal(struct arena *arena, const struct flow_set *a, const struct flow_set *b) {
    struct flow_set more = flow_set_subtract(arena, a, b), less = flow_set_subtract(arena, b, a);
    return flow_set_is_empty(arena, &more) == SET_EMPTY && flow_set_is_empty(arena, &less) == SET_EMPTY;
}

static struct flow_set some_flows(struct arena *arena) {
    struct address first, last;
    assert_true(address_parse(text_of("10.0.0.0"), &first) && address_parse(text_of("10.64.0.0"), &last));
    struct flow_box box = {.ports = port_set_of(arena, PROTOCOL_UDP, 50, 6000), .payloads = payload_set_everything()};
    struct address_set addresses = address_set_of(arena, &first, &last);
    struct endpoint_set pods = endpoint_set_everything();
    struct destination_set of_pods = destination_set_of_pods(&pods);
    box.destinations = destination_set_of_addresses(arena, &addresses);
    box.destinations = destination_set_union(arena, &box.destinations, &of_pods);
    return flow_set_of(arena, &box);
}

static void entries_one_by_one_are_the_effective_sets(void **state) {
    static const enum cilium_class classes[] = {CILIUM_1_16_0, CILIUM_1_18};
    struct flow_set some = some_flows(*state);
    size_t asked = 0;
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
        struct stage *stage = stage_of(*state, crowd);
        stage_read_cilium(stage, classes[c]);
        struct stage_rules rules = stage_rules(stage);
        struct effective all = stage_effective(stage);
        struct effect *effect = effect_of(rules.selected, rules.count, &stage->reading, *state);
        for (size_t i = 0; i < all.origin_count; i++) {
            const struct origin *origin = &all.origins[i];
            for (unsigned upper = 0; upper < 2; upper++) {
                if (!upper && !rules.selected[origin->selected].certain)
                    continue;
                struct flow_set set = flow_set_of_origin(*state, upper ? &all.allow_upper : &all.allow_lower, i);
                struct flow_set mine = effect_boxes(effect, origin->entry, upper, 7, NULL, *state);
                struct flow_set about = effect_boxes(effect, origin->entry, upper, 7, &some, *state);
                struct flow_set both = flow_set_intersect(*state, &set, &some);
                if (!equal(*state, &set, &mine) || !equal(*state, &both, &about))
                    fail_msg("%s differs", origin->entry->part.path);
                assert_true(mine.count == 0 || mine.boxes[0].origin == 7);
                asked++;
            }
        }
    }
    assert_int_equal(asked, 2 * (2 * 10 - 1));
}

/* What the entry at the place of `of` holds with the flow in it. */
static bool holds(struct stage *stage, const struct effect *effect, const struct rule_entry *entry, const char *flow) {
    struct flow_set set = effect_boxes(effect, entry, false, 0, NULL, stage->arena);
    struct flow wanted = stage_flow(stage, flow);
    return flow_set_contains(&set, &wanted);
}

static void an_entry_that_is_dropped_acts_on_no_other(void **state) {
    struct stage *stage = stage_of(*state, crowd);
    stage_read_cilium(stage, CILIUM_1_18);
    struct stage_rules rules = stage_rules(stage);
    struct effect *effect = effect_of(rules.selected, rules.count, &stage->reading, *state);
    const struct rule_entry *list = NULL, *all = NULL;
    for (size_t i = 0; i < rules.count; i++)
        for (size_t k = 0; k < rules.rules[i].count; k++)
            if (strcmp(rules.rules[i].policy->object->name, "a") == 0) {
                list = strcmp(rules.rules[i].entries[k].part.path, "spec.egress[0]") == 0 ? &rules.rules[i].entries[k]
                                                                                          : list;
                all = strcmp(rules.rules[i].entries[k].part.path, "spec.egress[2]") == 0 ? &rules.rules[i].entries[k]
                                                                                         : all;
            }
    assert_true(list && all);
    static const char flow[] = "pod:ns?app=dns 53/UDP";
    assert_false(holds(stage, effect, all, flow));
    effect_drop(effect, list, true);
    assert_true(holds(stage, effect, all, flow));
    effect_drop(effect, list, false);
    assert_false(holds(stage, effect, all, flow));
}

/* How much the effective sets of so many DNS lists take, each with a port of its own. */
static size_t room_of(unsigned count) {
    struct arena *arena = arena_create();
    struct buffer rules;
    buffer_init(&rules, arena);
    for (unsigned i = 0; i < count; i++)
        buffer_print(&rules, "%s" LIST(SERVER, "{port: '%u', protocol: ANY}", "{matchName: n%u.example}"),
                     i ? ", " : "", 1000 + i, i);
    const char *objects = stage_filled(arena, CNP("a", "{endpointSelector: {}, egress: [%s]}"), buffer_string(&rules));
    struct stage *stage = stage_of(arena, objects);
    stage_read_cilium(stage, CILIUM_1_18);
    struct stage_rules selected = stage_rules(stage);
    struct arena *own = arena_create();
    struct effective effective;
    effective_of(selected.selected, selected.count, &stage->reading, own, &effective);
    assert_int_equal(effective.allow_lower.count, count);
    size_t room = arena_size(own);
    arena_destroy(own);
    arena_destroy(arena);
    return room;
}

static void what_acts_takes_room_by_the_rules_and_not_by_their_square(void **state) {
    (void)state;
    size_t few = room_of(500), many = room_of(4000);
    if (many > 16 * few)
        fail_msg("%zu for 500, %zu for 4000", few, many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entries_one_by_one_are_the_effective_sets, begin, end),
        cmocka_unit_test_setup_teardown(an_entry_that_is_dropped_acts_on_no_other, begin, end),
        cmocka_unit_test(what_acts_takes_room_by_the_rules_and_not_by_their_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
