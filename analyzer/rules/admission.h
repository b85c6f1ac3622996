/*
 * Admissions: whether what a policy says about ingress lets a wide-open source reach one TCP port of a subject
 * (spec/analysis.md 5).
 *
 * The strangers are all IPv4 addresses, all IPv6 addresses, and every pod of every namespace of the cluster. A policy is
 * wide open to one of these where its rules on the port together name all of it and something of it is left. Excepts and
 * what is denied do not make a source narrow: they only count towards what is left.
 */
#ifndef ANALYZER_RULES_ADMISSION_H
#define ANALYZER_RULES_ADMISSION_H

#include "analyzer/rules/effective.h"
#include "analyzer/rules/subject.h"

/* The port that is asked about, and whose containers settle its names. */
struct admission_question {
    unsigned port;
    const struct pod *pod; /* NULL: no container is known */
    const struct cluster *cluster;
};

/* One policy's rules. `named` are the same rules under the reading with `whole_blocks`. */
struct admission_rules {
    const struct policy_rules *rules, *named;
    bool certain; /* they select the subject and are in force */
};

/* What the rules that select the subject deny together on the port. */
struct admission_denial {
    struct destination_set lower, upper;
    struct part part; /* of what makes the bounds differ */
    const char *doubt;
};

struct admission {
    enum truth open;
    const char *whom; /* "every IPv4 address and every pod of every namespace"; NULL where it is not open */
    struct part part; /* of the peer or rule that opens; of what is in doubt where that cannot be told */
    const char *doubt;
};

struct admission_denial admission_denial_of(const struct selected_rules *selected, size_t count,
                                            const struct admission_question *question);

struct admission admission_of(const struct admission_rules *rules, const struct admission_denial *denial,
                              const struct admission_question *question);

#endif
