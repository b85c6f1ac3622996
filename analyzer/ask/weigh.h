/*
 * Weighing a target against the rules that select a pod, under one reading.
 */
#ifndef ANALYZER_ASK_WEIGH_H
#define ANALYZER_ASK_WEIGH_H

#include "analyzer/ask/target.h"
#include "analyzer/explanation.h"
#include "analyzer/rules/effective.h"

/* What was found out under one reading. */
struct weighed {
    enum answer allowed, isolated, learned;
    const char *why;       /* why an answer is unknown, or NULL */
    struct port_set ports; /* what is certainly allowed, where no port was named */
};

struct weighing {
    const struct selected_rules *selected;
    size_t count;
    const struct reading *reading;
    const struct cluster *cluster;
    enum truth isolates;
    bool unmodelled; /* a policy kind that is not modelled may select the pod */
};

void weigh(const struct weighing *weighing, const struct target *target, struct weighed *weighed);

/* Which part of an entry fails for the target, or that it allows or denies it. False: it does not bear on the target. */
bool weigh_entry(const struct weighing *weighing, const struct rule_entry *entry, const struct target *target,
                 enum rule_effect *effect, struct part *part, const char **detail);

#endif
