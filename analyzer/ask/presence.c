#include "analyzer/ask/presence.h"

#include "base/arena.h"

static size_t doubtful_count(const struct weighing *weighing) {
    size_t count = 0;
    for (size_t i = 0; i < weighing->count; i++)
        count += weighing->selected[i].certain ? 0 : 1;
    return count;
}

/* The weighing in which the doubtful policies of the choice, a bit for each, are in force and the others are not. */
static struct weighing choose(const struct weighing *weighing, unsigned choice, struct selected_rules *selected) {
    struct weighing chosen = *weighing;
    chosen.selected = selected;
    chosen.count = 0;
    chosen.isolates = weighing->reading->always ? TRUTH_YES : TRUTH_NO;
    for (size_t i = 0, doubtful = 0; i < weighing->count; i++) {
        const struct selected_rules *rules = &weighing->selected[i];
        if (!rules->certain && !(choice >> doubtful++ & 1U))
            continue;
        selected[chosen.count++] = (struct selected_rules){rules->rules, true};
        if (rules->rules->isolates)
            chosen.isolates = TRUTH_YES;
    }
    return chosen;
}

void weigh_presences(const struct weighing *weighing, const struct target *target, struct weighed *weighed) {
    weigh(weighing, target, weighed);
    size_t doubtful = doubtful_count(weighing);
    if (weighed->allowed != ANSWER_UNKNOWN || doubtful == 0 || doubtful > PRESENCE_MAX)
        return;
    struct arena *arena = weighing->cluster->arena;
    struct selected_rules *selected = arena_array(arena, weighing->count, sizeof *selected);
    struct weighed all = {0};
    for (unsigned choice = 0; choice < 1U << doubtful; choice++) {
        struct weighing chosen = choose(weighing, choice, selected);
        struct weighed one;
        weigh(&chosen, target, &one);
        if (choice == 0)
            all = one;
        if (one.allowed != all.allowed || one.allowed == ANSWER_UNKNOWN)
            return;
        all.ports = port_set_intersect(arena, &all.ports, &one.ports);
    }
    weighed->allowed = all.allowed;
    weighed->ports = all.ports;
    weighed->why = NULL;
}
