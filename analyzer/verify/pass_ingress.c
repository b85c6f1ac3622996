/* Whether a policy opens the agent port to strangers (spec/analysis.md 5). */
#include "analyzer/verify/pass_parts.h"
#include "base/arena.h"

static struct admission_question question_of(const struct weighing *weighing) {
    return (struct admission_question){
        .port = weighing->setup->agent_port, .pod = weighing->subject->pod, .cluster = weighing->cluster};
}

void pass_weigh_ingress(struct weighing *weighing) {
    struct admission_question question = question_of(weighing);
    weighing->denial = admission_denial_of(weighing->force.selected, weighing->force.count, &question);
}

enum truth pass_widens_ingress(const struct weighing *weighing, size_t place, struct pass_entry *entry) {
    struct admission_question question = question_of(weighing);
    size_t index = weighing->force.candidates[place];
    struct admission_rules rules = {
        .rules = weighing->force.selected[place].rules,
        .named = setup_named_rules(weighing->setup, weighing->candidates, index, weighing->cluster),
        .certain = weighing->force.selected[place].certain};
    struct admission admission = admission_of(&rules, &weighing->denial, &question);
    entry->doubt = admission.doubt;
    if (admission.open == TRUTH_MAYBE && rules.certain && !entry->doubt)
        entry->doubt = "whether something is left of what it admits, less what is denied, cannot be told";
    entry->doubt_part = admission.part;
    if (admission.open == TRUTH_YES)
        entry->doubt = arena_format(weighing->cluster->arena, "it admits %s on TCP port %u", admission.whom,
                                    weighing->setup->agent_port);
    return admission.open;
}
