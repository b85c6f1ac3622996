/*
 * Effective sets: what the rules that select a subject allow and deny together (spec/design.md "From objects to sets",
 * spec/cilium-egress.md 5.3, 5.4).
 *
 * Rules act on one another: equal selector and key merge, so a plain rule becomes restricted by the server names of the
 * others; and where a key has a DNS list, its proxy alone decides on that server, port and protocol, so other keys give
 * them up. Every box remembers the entry that it came from. Under the core API nothing of this happens.
 */
#ifndef ANALYZER_RULES_EFFECTIVE_H
#define ANALYZER_RULES_EFFECTIVE_H

#include "analyzer/rules/rule.h"
#include "ir/flow_set.h"

/* Rules that select a subject. `certain` false: they may select it, or may not be in force. */
struct selected_rules {
    const struct policy_rules *rules;
    bool certain;
};

/* Where a box came from: boxes carry the index into `origins` as their origin. */
struct origin {
    size_t selected; /* index of the selected rules */
    const struct rule_entry *entry;
};

/* Lower and upper bounds: what is allowed (denied) for certain, and what may be. */
struct effective {
    struct flow_set allow_lower, allow_upper, deny_lower, deny_upper;
    const struct origin *origins;
    size_t origin_count;
};

void effective_of(const struct selected_rules *selected, size_t count, const struct reading *reading,
                  struct arena *arena, struct effective *effective);

/* The set with what it covers named in full: all addresses of both families hold the API server at whatever address. */
struct flow_set flow_set_closed(struct arena *arena, const struct flow_set *set);
/* The API server's address is among all addresses: a box of these need not name it. */
struct flow_box box_without_api_server(struct flow_box box);

#endif
