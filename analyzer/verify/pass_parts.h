/*
 * The parts of a pass: what both directions share, and what each weighs in its own way. Private to analyzer/verify/.
 */
#ifndef ANALYZER_VERIFY_PASS_PARTS_H
#define ANALYZER_VERIFY_PASS_PARTS_H

#include "analyzer/rules/admission.h"
#include "analyzer/verify/pass.h"

/* The candidates that select the subject, with the rules that they bring into force. */
struct force {
    struct selected_rules *selected;
    size_t *candidates; /* by place in `selected` */
    size_t count;
    bool isolates;
};

struct weighing {
    struct reading_setup *setup;
    const struct candidate_list *candidates;
    const struct subject *subject;
    const struct cluster *cluster;
    struct arena *scratch; /* of sets, which nobody needs once the subject is decided */
    struct force force;
    const struct effective *effective; /* egress */
    struct admission_denial denial;    /* ingress */
};

/* What all rules in force mean together, once a pass. */
void pass_weigh_egress(struct weighing *weighing);
void pass_weigh_ingress(struct weighing *weighing);

/* Whether the policy at a place of `force` lets more through than may be; sets what the entry says about it: the excess,
 * or what opens, or what is in doubt. */
enum truth pass_widens_egress(const struct weighing *weighing, size_t place, struct pass_entry *entry);
enum truth pass_widens_ingress(const struct weighing *weighing, size_t place, struct pass_entry *entry);

#endif
