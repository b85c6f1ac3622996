/*
 * Random worlds, decided twice: by the analyzer and by the second evaluator (spec/analysis.md, spec/design.md).
 *
 *   evaluator [--worlds N] [--seed S] [--flows N] [--one SEED] [--most N] [--bounds N]
 *
 * Each flow of a world's neighbourhood must get the same answer from both where both know one; a subject that passes and
 * a policy that is within must survive the flows; each witness is allowed by the policies and not by the compiled
 * object. Exit status 1: they differ somewhere, and the seeds are printed.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "document/writer.h"
#include "tests/evaluator/adapter.h"
#include "tests/evaluator/neighbourhood.h"
#include "tests/evaluator/spell.h"

struct comparison {
    uint64_t seed;
    size_t worlds, flows, most, bounds; /* the last two: how many differences and how many bounds are shown */
    bool verbose;
    size_t differences, refused_configs, asked, unknown, imprecise, witnesses, unclear_witnesses, passes, open,
        verdicts;
};

/* One world under comparison. */
struct trial {
    struct comparison *comparison;
    struct world world;
    struct arena *arena;
    struct adapter *adapter;
    struct neighbourhood place;
    struct dice dice;
    const struct node *objects[WORLD_OBJECTS + 1], *sound[WORLD_OBJECTS + 1]; /* all; those whose verdict is within */
    size_t count, sound_count;
    bool merges; /* a policy has DNS or server names, so that policies act on one another */
};

static void show_node(const struct node *node, struct arena *arena) {
    struct buffer out;
    buffer_init(&out, arena);
    writer_yaml(&out, node);
    printf("%s---\n", buffer_string(&out));
}

static void show_world(const struct trial *trial) {
    for (size_t i = 0; i < trial->count; i++)
        show_node(trial->objects[i], trial->arena);
    show_node(&trial->world.config, trial->arena);
    size_t count;
    const struct adapter_verdict *verdicts = adapter_verdicts(trial->adapter, &count);
    for (size_t i = 0; i < count; i++)
        printf("%s: %s\n", verdicts[i].object, verdicts[i].word);
    const char *refusal = adapter_refusal(trial->adapter);
    printf("subject %s: %s\n", spell_pod(&trial->world.subject, trial->arena), refusal ? refusal : "passes");
}

static void differ(const struct trial *trial, const char *what, const struct evaluator_reading *reading,
                   const struct evaluator_flow *flow, const char *more) {
    if (trial->comparison->differences++ >= trial->comparison->most)
        return;
    printf("%" PRIu64 " %s, %s: %s %s\n", trial->world.seed, what,
           reading ? spell_reading(reading, trial->arena) : "any reading", flow ? spell_flow(flow, trial->arena) : "",
           more ? more : "");
}

static struct evaluator_policy *prepare(const struct trial *trial, const struct node *const *objects, size_t count,
                                        const struct evaluator_reading *reading) {
    struct evaluator_world *world = arena_alloc(trial->arena, sizeof *world);
    *world = (struct evaluator_world){
        .objects = objects, .count = count, .pods = trial->world.pods, .pod_count = trial->world.pod_count};
    return evaluate_prepare(world, reading, &trial->world.subject, trial->arena);
}

static const struct evaluator_flow any_flow = {.sort = EVALUATOR_EXTERNAL, .address = {.family = 4}};

/* Why an object that selects the subject is refused, or NULL. */
static const char *refusal_of(const struct trial *trial, const struct node *const *object,
                              const struct evaluator_reading *reading) {
    struct evaluator_result result = evaluate_flow(prepare(trial, object, 1, reading), &any_flow);
    return result.answer == EVALUATE_REFUSED_OBJECT ? result.why : NULL;
}

/* The objects that are in force: all but those that are refused, which allow, deny and isolate nothing. */
static struct evaluator_policy *prepare_accepted(const struct trial *trial, const struct node *const *objects,
                                                 size_t count, const struct evaluator_reading *reading) {
    const struct node **accepted = arena_array(trial->arena, count, sizeof *accepted);
    size_t accepted_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!refusal_of(trial, &objects[i], reading))
            accepted[accepted_count++] = objects[i];
    return prepare(trial, accepted, accepted_count, reading);
}

static const char *name_of(const struct node *object) {
    return node_string(node_get(node_get(object, "metadata"), "name"));
}

/* The compiled object alone, or nothing. */
static struct evaluator_policy *prepare_compiled(const struct trial *trial, const struct evaluator_reading *reading) {
    const struct node **only = arena_alloc(trial->arena, sizeof *only);
    *only = adapter_compiled(trial->adapter);
    return prepare(trial, only, *only ? 1 : 0, reading);
}

/* --- flows ------------------------------------------------------------------------------------------------------ */

static void compare_flow(const struct trial *trial, size_t index, const struct evaluator_flow *flow,
                         struct evaluator_result result) {
    const struct evaluator_reading *reading = adapter_reading(trial->adapter, index);
    struct adapter_bounds bounds = adapter_allows(trial->adapter, index, flow);
    trial->comparison->asked++;
    if (trial->comparison->verbose)
        printf("%s, %s: %s, analyzer %s\n", spell_reading(reading, trial->arena), spell_flow(flow, trial->arena),
               evaluator_answer_word(result.answer),
               bounds.lower   ? "allowed"
               : bounds.upper ? "open"
                              : "denied");
    if (bounds.lower && !bounds.upper)
        differ(trial, "bounds cross", reading, flow, NULL);
    if (result.answer == EVALUATE_UNKNOWN)
        trial->comparison->unknown++;
    else if (result.answer == EVALUATE_ALLOWED && !bounds.upper)
        differ(trial, "allowed, the analyzer denies", reading, flow, NULL);
    else if (result.answer == EVALUATE_DENIED && bounds.lower)
        differ(trial, "denied, the analyzer allows", reading, flow, NULL);
    else if (bounds.lower != bounds.upper && trial->comparison->imprecise++ < trial->comparison->bounds)
        printf("%" PRIu64 " bounds, %s: %s\n", trial->world.seed, spell_reading(reading, trial->arena),
               spell_flow(flow, trial->arena));
}

/* Whether both say the same of the objects as a whole: which are refused, and whether the rest isolates. */
static bool compare_objects(const struct trial *trial, size_t index, const struct evaluator_policy *accepted) {
    const struct evaluator_reading *reading = adapter_reading(trial->adapter, index);
    bool isolated = evaluate_flow(accepted, &any_flow).surely_isolated, same = true;
    for (size_t i = 0; i < trial->count; i++) {
        const char *mine = refusal_of(trial, &trial->objects[i], reading);
        const char *theirs = adapter_refuses(trial->adapter, index, name_of(trial->objects[i]));
        if (!mine == !theirs)
            continue;
        differ(trial, mine ? "refused, the analyzer accepts" : "accepted, the analyzer refuses", reading, NULL,
               arena_format(trial->arena, "%s: %s", name_of(trial->objects[i]), mine ? mine : theirs));
        same = false;
    }
    if (same && isolated != adapter_isolates(trial->adapter, index))
        differ(trial, isolated ? "isolated" : "not isolated", reading, NULL, NULL);
    else if (same && !isolated && !adapter_refusal(trial->adapter) && !adapter_allows_everything(trial->adapter))
        differ(trial, "passes without being isolated", reading, NULL, NULL);
    else
        return same;
    return false;
}

static void compare_reading(struct trial *trial, size_t index) {
    const struct evaluator_reading *reading = adapter_reading(trial->adapter, index);
    struct evaluator_policy *all = prepare_accepted(trial, trial->objects, trial->count, reading);
    struct evaluator_policy *sound = prepare_accepted(trial, trial->sound, trial->sound_count, reading);
    struct evaluator_policy *base = prepare_compiled(trial, reading);
    bool everything = adapter_allows_everything(trial->adapter), passes = !adapter_refusal(trial->adapter);
    size_t flows = trial->comparison->flows / adapter_reading_count(trial->adapter) + 1;
    if (!compare_objects(trial, index, all))
        return;
    for (size_t i = 0; i < flows; i++) {
        struct arena_mark mark = arena_mark(trial->arena);
        struct evaluator_flow flow;
        neighbourhood_flow(&trial->place, &trial->dice, &flow);
        struct evaluator_result result = evaluate_flow(all, &flow);
        if (result.surely_isolated)
            compare_flow(trial, index, &flow, result);
        bool outside =
            result.answer == EVALUATE_ALLOWED && !everything && evaluate_flow(base, &flow).answer == EVALUATE_DENIED;
        if (outside && passes)
            differ(trial, "the subject passes", reading, &flow, NULL);
        struct evaluator_result part = evaluate_flow(sound, &flow);
        if (outside && !passes && !trial->merges && part.surely_isolated && part.answer == EVALUATE_ALLOWED)
            differ(trial, "within", reading, &flow, NULL);
        arena_rollback(trial->arena, mark);
    }
}

/* --- verdicts --------------------------------------------------------------------------------------------------- */

/* Whether the flow is one that the policies allow and the compiled object does not; MAYBE is told apart by *unclear. */
static bool replay(const struct trial *trial, const struct evaluator_flow *flow, bool *unclear) {
    for (size_t i = 0; i < adapter_reading_count(trial->adapter); i++) {
        const struct evaluator_reading *reading = adapter_reading(trial->adapter, i);
        struct evaluator_policy *all = prepare_accepted(trial, trial->objects, trial->count, reading);
        enum evaluator_answer by_all = evaluate_flow(all, flow).answer;
        enum evaluator_answer by_base = evaluate_flow(prepare_compiled(trial, reading), flow).answer;
        if (by_all == EVALUATE_ALLOWED && by_base == EVALUATE_DENIED)
            return true;
        *unclear = *unclear || (by_all != EVALUATE_DENIED && by_base != EVALUATE_ALLOWED);
    }
    return false;
}

static void compare_witness(const struct trial *trial, const struct adapter_verdict *verdict) {
    struct evaluator_flow flow = verdict->witness;
    bool unclear = false, holds = false;
    if (!verdict->has_witness) {
        differ(trial, "no witness", NULL, NULL, verdict->object);
        return;
    }
    trial->comparison->witnesses++;
    for (size_t i = 0; i < trial->count; i++)
        for (size_t j = 0; j < adapter_reading_count(trial->adapter); j++)
            if (strcmp(name_of(trial->objects[i]), verdict->name) == 0 &&
                refusal_of(trial, &trial->objects[i], adapter_reading(trial->adapter, j)))
                unclear = true; /* it speaks of the refused object as if it were accepted */
    for (size_t i = 0; i < (verdict->any_address ? trial->place.address_count : 1) && !holds; i++) {
        if (verdict->any_address)
            flow.address = trial->place.addresses[i];
        holds = replay(trial, &flow, &unclear);
        if (holds || flow.payload != EVALUATOR_ANY_OTHER)
            continue;
        flow.payload = EVALUATOR_REQUEST; /* a witness does not say whether it is one */
        holds = replay(trial, &flow, &unclear);
        flow.payload = EVALUATOR_ANY_OTHER;
    }
    if (!holds && !unclear)
        differ(trial, "no such witness", NULL, &verdict->witness, verdict->object);
    trial->comparison->unclear_witnesses += !holds && unclear;
}

static void find_sound(struct trial *trial, const struct adapter_verdict *verdicts, size_t count) {
    for (size_t i = 0; i < trial->count; i++) {
        const char *name = name_of(trial->objects[i]);
        bool sound = true;
        for (size_t j = 0; j < count; j++)
            if (strcmp(verdicts[j].name, name) == 0 && (verdicts[j].widens || verdicts[j].open))
                sound = false;
        if (sound)
            trial->sound[trial->sound_count++] = trial->objects[i];
    }
}

static void compare_verdicts(struct trial *trial) {
    size_t count;
    const struct adapter_verdict *verdicts = adapter_verdicts(trial->adapter, &count);
    for (size_t i = 0; i < count; i++) {
        trial->comparison->verdicts++;
        trial->comparison->open += verdicts[i].open;
        if (verdicts[i].widens)
            compare_witness(trial, &verdicts[i]);
    }
    trial->comparison->passes += adapter_refusal(trial->adapter) == NULL;
    find_sound(trial, verdicts, count);
}

/* --- worlds ----------------------------------------------------------------------------------------------------- */

static bool has_names(const struct node *node) {
    bool found = false;
    if (node->kind == NODE_LIST)
        for (uint32_t i = 0; i < node->count; i++)
            found = found || has_names(&node->items[i]);
    if (node->kind == NODE_MAP)
        for (uint32_t i = 0; i < node->count; i++)
            found = found || text_is(node_text(&node->entries[i].key), "dns") ||
                    text_is(node_text(&node->entries[i].key), "serverNames") || has_names(&node->entries[i].value);
    return found;
}

static void compare_world(struct comparison *comparison, uint64_t seed, struct arena *arena) {
    struct trial *trial = arena_alloc(arena, sizeof *trial);
    *trial = (struct trial){.comparison = comparison, .arena = arena, .dice = {~seed}};
    generate_world(&trial->world, seed, arena);
    trial->adapter = adapter_open(&trial->world, arena);
    if (!trial->adapter) {
        comparison->refused_configs++;
        return;
    }
    bool with_compiled = dice_chance(&trial->dice, 60);
    const struct node *compiled = adapter_compiled(trial->adapter);
    for (size_t i = 0; i < trial->world.count; i++)
        trial->objects[trial->count++] = &trial->world.objects[i];
    if (with_compiled && compiled)
        trial->objects[trial->count++] = compiled;
    for (size_t i = 0; i < trial->count; i++)
        trial->merges = trial->merges || has_names(trial->objects[i]);
    neighbourhood_find(&trial->place, &trial->world, compiled, arena);
    adapter_decide(trial->adapter, with_compiled);
    compare_verdicts(trial);
    if (comparison->verbose)
        show_world(trial);
    for (size_t i = 0; i < adapter_reading_count(trial->adapter); i++)
        compare_reading(trial, i);
}

static bool read_options(struct comparison *comparison, int count, char **arguments) {
    for (int i = 1; i < count; i += 2) {
        uint64_t value = i + 1 < count ? strtoull(arguments[i + 1], NULL, 10) : 0;
        if (i + 1 == count)
            return false;
        if (strcmp(arguments[i], "--worlds") == 0)
            comparison->worlds = (size_t)value;
        else if (strcmp(arguments[i], "--seed") == 0)
            comparison->seed = value;
        else if (strcmp(arguments[i], "--flows") == 0)
            comparison->flows = (size_t)value;
        else if (strcmp(arguments[i], "--most") == 0)
            comparison->most = (size_t)value;
        else if (strcmp(arguments[i], "--bounds") == 0)
            comparison->bounds = (size_t)value;
        else if (strcmp(arguments[i], "--one") == 0) {
            comparison->seed = value;
            comparison->worlds = 1;
            comparison->verbose = true;
        } else
            return false;
    }
    return true;
}

int main(int count, char **arguments) {
    struct comparison comparison = {.seed = 1, .worlds = 2000, .flows = 40, .most = 20};
    if (!read_options(&comparison, count, arguments)) {
        fprintf(stderr, "usage: evaluator [--worlds N] [--seed S] [--flows N] [--one SEED] [--most N] [--bounds N]\n");
        return 2;
    }
    struct arena *arena = arena_create();
    for (size_t i = 0; i < comparison.worlds; i++) {
        struct arena_mark mark = arena_mark(arena);
        compare_world(&comparison, comparison.seed + i, arena);
        arena_rollback(arena, mark);
    }
    arena_destroy(arena);
    printf("%zu worlds (%zu configs refused): %zu flows asked, %zu unknown, %zu where the analyzer has bounds; "
           "%zu verdicts, %zu not evaluable; %zu witnesses, %zu unclear; %zu subjects pass; %zu differences\n",
           comparison.worlds, comparison.refused_configs, comparison.asked, comparison.unknown, comparison.imprecise,
           comparison.verdicts, comparison.open, comparison.witnesses, comparison.unclear_witnesses, comparison.passes,
           comparison.differences);
    return comparison.differences ? 1 : 0;
}
