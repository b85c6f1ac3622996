/* The index of candidates leaves out only what certainly does not select (spec/design.md, "Cost"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/verify/candidate_index.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

enum { WORLDS = 300, POLICIES = 12, SUBJECTS = 12 };

static const char *const keys[] = {"app", "tier", "pod-template-hash", "k8s.io/x"};
static const char *const values[] = {"a", "b", "c"};

/* splitmix64: the same seed makes the same world. */
static unsigned roll(uint64_t *seed, unsigned sides) {
    uint64_t mixed = *seed += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return (unsigned)((mixed ^ mixed >> 31) % sides);
}

static void add_requirement(struct buffer *out, uint64_t *seed, bool cilium) {
    static const char *const sources[] = {"", "k8s:", "any:", "reserved:"};
    static const char *const verbs[] = {"In", "NotIn", "Exists", "DoesNotExist"};
    unsigned verb = roll(seed, 4);
    buffer_print(out, "{key: '%s%s', operator: %s", cilium ? sources[roll(seed, 4)] : "", keys[roll(seed, 4)],
                 verbs[verb]);
    if (verb < 2)
        buffer_print(out, ", values: [%s, %s]", values[roll(seed, 3)], values[roll(seed, 3)]);
    buffer_add_string(out, "}, ");
}

static const char *random_policies(struct arena *arena, uint64_t *seed) {
    struct buffer out;
    buffer_init(&out, arena);
    for (unsigned i = 0; i < POLICIES; i++) {
        bool cilium = roll(seed, 2) == 1;
        buffer_print(&out, "---\napiVersion: %s\nkind: %s\nmetadata: {name: p%u}\nspec:\n  %s: {matchExpressions: [",
                     cilium ? "cilium.io/v2" : "networking.k8s.io/v1", cilium ? "CiliumNetworkPolicy" : "NetworkPolicy",
                     i, cilium ? "endpointSelector" : "podSelector");
        for (unsigned k = roll(seed, 4); k > 0; k--)
            add_requirement(&out, seed, cilium);
        buffer_add_string(&out, "]}\n  egress: [{}]\n");
    }
    return buffer_string(&out);
}

static struct labels random_labels(struct arena *arena, uint64_t *seed) {
    struct key_value *list = arena_array(arena, 4, sizeof *list);
    uint32_t count = 0;
    for (unsigned i = 0; i < 4; i++)
        if (roll(seed, 2))
            list[count++] = (struct key_value){keys[i], values[roll(seed, 3)]};
    return (struct labels){list, count};
}

static bool is_chosen(const struct candidate_list *chosen, size_t number) {
    for (size_t i = 0; i < chosen->count; i++)
        if (chosen->list[i].number == number)
            return true;
    return false;
}

/* Returns how many candidates the index left out. */
static size_t check_subject(struct stage *stage, const struct candidate_list *all, const struct candidate_index *index,
                            const struct subject *subject) {
    struct candidate_list chosen = candidate_index_choose(index, subject, stage->arena);
    for (size_t i = 1; i < chosen.count; i++)
        assert_true(chosen.list[i - 1].number < chosen.list[i].number);
    for (size_t i = 0; i < all->count; i++) {
        if (is_chosen(&chosen, i))
            continue;
        for (unsigned filters = 0; filters < 2; filters++) {
            stage_read_cilium(stage, CILIUM_1_18);
            stage->reading.filters_labels = filters == 1;
            assert_int_equal(candidate_selects(&all->list[i], subject, &stage->cluster, &stage->reading), TRUTH_NO);
        }
        stage_read_core(stage);
        if (all->list[i].is_core)
            assert_int_equal(candidate_selects(&all->list[i], subject, &stage->cluster, &stage->reading), TRUTH_NO);
    }
    return all->count - chosen.count;
}

static void what_is_left_out_does_not_select_under_any_reading(void **state) {
    size_t left_out = 0;
    for (uint64_t world = 1; world <= WORLDS; world++) {
        struct arena *arena = *state;
        struct arena_mark mark = arena_mark(arena);
        uint64_t seed = world;
        struct stage *stage = stage_of(arena, random_policies(arena, &seed));
        struct candidate_list all = candidates_of(&stage->snapshot, "ns");
        assert_int_equal(all.count, POLICIES);
        const struct candidate_index *index = candidate_index_of(&all, arena);
        for (unsigned i = 0; i < SUBJECTS; i++) {
            struct subject subject = {.namespace = "ns", .labels = random_labels(arena, &seed)};
            left_out += check_subject(stage, &all, index, &subject);
        }
        arena_rollback(arena, mark);
    }
    assert_true(left_out > WORLDS * SUBJECTS);
}

static void subject_with_open_labels_meets_every_candidate(void **state) {
    struct stage *stage = stage_of(*state, CORE("p", "{podSelector: {matchLabels: {app: a}}}"));
    struct candidate_list all = candidates_of(&stage->snapshot, "ns");
    const struct candidate_index *index = candidate_index_of(&all, *state);
    struct subject subject = {.namespace = "ns"};
    assert_int_equal(candidate_index_choose(index, &subject, *state).count, 0);
    subject.labels_are_open = true;
    assert_int_equal(candidate_index_choose(index, &subject, *state).count, 1);
    subject.labels_are_open = false;
    subject.labels_are_free = true;
    assert_int_equal(candidate_index_choose(index, &subject, *state).count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_left_out_does_not_select_under_any_reading, begin, end),
        cmocka_unit_test_setup_teardown(subject_with_open_labels_meets_every_candidate, begin, end),
    };
    return cmocka_run_group_tests_name("analyzer/verify/candidate_index", tests, NULL, NULL);
}
