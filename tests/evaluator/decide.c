/*
 * What becomes of a flow that some rules let through and none denies: the payload (C 5.3, 5.4), and the conflicts that
 * Cilium finds only when it resolves a policy.
 */
#include <string.h>

#include "tests/evaluator/parts.h"

static bool same_group(const struct filter *a, const struct filter *b) {
    return port_key_equal(&a->port.key, &b->port.key) && strcmp(a->selector->id, b->selector->id) == 0;
}

const char *decide_conflict(const struct evaluator_policy *policy) {
    for (size_t i = 0; i < policy->filter_count; i++) {
        const struct filter *a = &policy->filters[i];
        if (a->deny || (!a->port.dns && !a->port.server_names))
            continue;
        for (size_t j = 0; j < policy->filter_count; j++) {
            const struct filter *b = &policy->filters[j];
            if (i == j || b->deny || !port_key_equal(&a->port.key, &b->port.key))
                continue;
            bool same = strcmp(a->selector->id, b->selector->id) == 0;
            if (a->port.dns && b->port.http && (same || policy->reading->minor <= 17))
                return "two L7 parsers on one port key";
            if (a->port.dns && b->port.server_names)
                return "server names and DNS names on one port key";
            if (a->port.server_names && b->port.http && same)
                return "server names and L7 rules on one selector and port key";
        }
    }
    return NULL;
}

/* --- DNS ----------------------------------------------------------------------------------------------------- */

static bool entry_admits(const struct node *entry, const char *name, unsigned minor) {
    const char *exact = node_string(node_get(entry, "matchName"));
    const char *pattern = node_string(node_get(entry, "matchPattern"));
    return (exact && match_name(exact, false, minor, name)) || (pattern && match_name(pattern, true, minor, name));
}

struct dns_key {
    bool restricts; /* has a list, no plain rule beside it, and no entry for every name */
    bool admits;    /* the flow's question is listed */
};

/* What the rules of one key make of the flow: the proxy of that key asks them alone. */
static struct dns_key dns_key_of(const struct filter *const *filters, size_t count, const struct port_key *key,
                                 const struct evaluator_flow *flow, unsigned minor) {
    struct dns_key dns = {.restricts = true};
    for (size_t i = 0; i < count; i++) {
        const struct node *list = filters[i]->port.dns;
        if (!port_key_equal(&filters[i]->port.key, key))
            continue;
        if (!list)
            dns.restricts = false;
        for (uint32_t j = 0; list && j < list->count; j++) {
            const char *pattern = node_string(node_get(&list->items[j], "matchPattern"));
            if (pattern && match_name_is_all(pattern, minor))
                dns.restricts = false;
            if (flow->payload == EVALUATOR_QUESTION && entry_admits(&list->items[j], flow->payload_name, minor))
                dns.admits = true;
        }
    }
    return dns;
}

/* Ranges let DNS bypass its proxy in 1.16.0 to 1.16.3; a list on a range (up to 1.16) beside other keys is not
 * described. */
static bool ranges_are_unclear(const struct evaluator_policy *policy, const struct filter *const *filters,
                               size_t count) {
    if (policy->reading->minor > 16)
        return false;
    for (size_t i = 0; i < count; i++)
        if (filters[i]->port.key.kind == KEY_PORTS && !filters[i]->port.key.zero &&
            filters[i]->port.key.last > filters[i]->port.key.first)
            return true;
    return false;
}

/* Whether a DNS list governs the flow; if so, *answer is final. */
static bool dns_governs(const struct evaluator_policy *policy, const struct filter *const *filters, size_t count,
                        const struct evaluator_flow *flow, enum evaluator_answer *answer) {
    size_t restricting = 0, admitting = 0, lifted = 0;
    bool other_keys = false;
    for (size_t i = 0; i < count; i++) {
        other_keys = other_keys || !port_key_equal(&filters[i]->port.key, &filters[0]->port.key);
        if (!filters[i]->port.dns)
            continue;
        struct dns_key dns = dns_key_of(filters, count, &filters[i]->port.key, flow, policy->reading->minor);
        restricting += dns.restricts;
        admitting += dns.restricts && dns.admits;
        lifted += !dns.restricts;
    }
    if (restricting == 0)
        return false;
    if (admitting == restricting)
        *answer = EVALUATE_ALLOWED;
    else if (admitting > 0 || lifted > 0 || (other_keys && ranges_are_unclear(policy, filters, count)))
        *answer = EVALUATE_UNKNOWN;
    else
        *answer = EVALUATE_DENIED;
    return true;
}

/* --- groups: one selector under one key ------------------------------------------------------------------------ */

/* Whether the merged rules of one group let the payload through. */
static enum tri group_admits(const struct filter *const *filters, size_t count, const struct filter *member,
                             const struct evaluator_flow *flow) {
    bool names = false, named = false, plain = false, opaque = false;
    for (size_t i = 0; i < count; i++) {
        const struct node *list = filters[i]->port.server_names;
        if (!same_group(filters[i], member))
            continue;
        opaque = opaque || filters[i]->port.opaque;
        plain = plain || !filters[i]->port.http;
        names = names || list;
        for (uint32_t j = 0; list && j < list->count; j++)
            named = named || (flow->payload == EVALUATOR_SERVER_NAME &&
                              match_server_name(node_string(&list->items[j]), flow->payload_name));
    }
    if (names && !named)
        return TRI_NO;
    if (opaque)
        return TRI_MAYBE;
    if (!plain)
        return flow->payload == EVALUATOR_REQUEST ? TRI_MAYBE : TRI_NO;
    return TRI_YES;
}

static enum tri groups_admit(const struct filter *const *filters, size_t count, const struct evaluator_flow *flow) {
    enum tri admits = TRI_NO;
    for (size_t i = 0; i < count; i++)
        admits = tri_or(admits, group_admits(filters, count, filters[i], flow));
    return admits;
}

/* C 2: a pod that nothing puts into default deny is allowed everything beside its rules. From 1.17.5 on L7 rules take
 * nothing of that away; before, they do. */
static enum evaluator_answer decide_open(const struct evaluator_policy *policy, const struct filter *const *filters,
                                         size_t count, const struct evaluator_flow *flow) {
    const struct evaluator_reading *reading = policy->reading;
    enum evaluator_answer answer = EVALUATE_ALLOWED;
    bool http = false;
    if (reading->minor >= 18 || (reading->minor == 17 && reading->patch >= 5))
        return EVALUATE_ALLOWED;
    for (size_t i = 0; i < count; i++)
        http = http || filters[i]->port.http;
    if (!dns_governs(policy, filters, count, flow, &answer) && http)
        answer = EVALUATE_UNKNOWN;
    if (answer == EVALUATE_DENIED && reading->minor == 17 && reading->patch == 4)
        answer = EVALUATE_UNKNOWN;
    return answer;
}

enum evaluator_answer decide_payload(const struct evaluator_policy *policy, const struct filter *const *filters,
                                     size_t count, const struct evaluator_flow *flow) {
    enum evaluator_answer answer = EVALUATE_DENIED;
    if (!policy->isolated)
        return decide_open(policy, filters, count, flow);
    if (count == 0 || dns_governs(policy, filters, count, flow, &answer))
        return answer;
    switch (groups_admit(filters, count, flow)) {
    case TRI_NO:
        return EVALUATE_DENIED;
    case TRI_YES:
        return EVALUATE_ALLOWED;
    case TRI_MAYBE:
        break;
    }
    return EVALUATE_UNKNOWN;
}
