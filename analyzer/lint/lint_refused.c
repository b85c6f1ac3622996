/*
 * What the API server, the schema or the agent refuse (spec/lint.md, "Refused"): the problems that reading a policy found,
 * as far as they hold in the versions at hand, and the CIDRs that newer API servers do not take any more.
 */
#include <string.h>

#include "analyzer/lint/object.h"
#include "analyzer/lint/quotes.h"
#include "base/arena.h"

/* ---- what follows, and what to write ---- */

/* What to write, by code and by what the path holds; the first row that fits counts. */
static const struct {
    enum code code;
    const char *within, *advice;
} advices[] = {
    {CODE_UNKNOWN_FIELD, "[\"$", "a patch is no object: check what kustomize makes of it"},
    {CODE_UNKNOWN_FIELD, "", "write the field that is meant, or remove it"},
    {CODE_WRONG_TYPE, "", "write a value of that type"},
    {CODE_NULL_ENTRY, "", "remove the dash, or write the entry that is meant"},
    {CODE_INVALID_NAME, "namespace", "write lower-case letters, digits and `-`, a letter or digit at both ends"},
    {CODE_INVALID_NAME, "", "write lower-case letters, digits, `-` and `.`, a letter or digit at both ends"},
    {CODE_INVALID_LABEL, "", "write at most 63 letters, digits, `-`, `_` and `.`, a letter or digit at both ends"},
    {CODE_INVALID_SELECTOR, "matchLabels",
     "write at most 63 letters, digits, `-`, `_` and `.`, a letter or digit at both ends"},
    {CODE_INVALID_SELECTOR, "", "write key, operator, and values for In and NotIn only"},
    {CODE_INVALID_CIDR, "except", "write a smaller range of the block, such as 192.0.2.0/25 of 192.0.2.0/24"},
    {CODE_INVALID_CIDR, "", "write an address range such as 192.0.2.0/24 or 2001:db8::/32"},
    {CODE_INVALID_PORT, "protocol", "write the protocol in capitals: TCP, UDP or SCTP"},
    {CODE_INVALID_PORT, "endPort", "write a last port not below the first, beside a port that is a number"},
    {CODE_INVALID_PORT, "icmps", "write a type from 0 to 255, or one of the names of its family"},
    {CODE_INVALID_PORT, "", "write a port from 1 to 65535, or the name of a container's port"},
    {CODE_INVALID_PEER, ".to[", "write podSelector, namespaceSelector or both, or ipBlock alone"},
    {CODE_INVALID_PEER, ".from[", "write podSelector, namespaceSelector or both, or ipBlock alone"},
    {CODE_INVALID_PEER, "Nodes", "write toEntities or toCIDRSet, unless the option is set"},
    {CODE_INVALID_PEER, "Entities", "write an entity of that list"},
    {CODE_INVALID_PEER, "", "write peers of one kind in an entry, and the others in entries of their own"},
    {CODE_INVALID_FQDN, "", "write a host name in matchName, or one with `*` in matchPattern"},
    {CODE_INVALID_L7, "serverNames", "write names of servers, none twice, `*.` or `**.` only in front"},
    {CODE_INVALID_L7, "listener", "remove the listener here, or write rules for it alone"},
    {CODE_INVALID_L7, "", "write rules of one kind, on single ports of the protocol that they speak"},
    {CODE_INVALID_RULE, "policyTypes", "write Ingress, Egress, or both"},
    {CODE_INVALID_RULE, "ports", "write several entries of at most 40 ports"},
    {CODE_INVALID_RULE, "", "write a rule with one selector and at least one list that has an entry"},
    {CODE_DENY_FQDN_PRUNED, "", "deny addresses by toCIDR, or leave the names out of every allow"},
};

static bool is_scalar(const struct node *node) { return node && node->kind != NODE_LIST && node->kind != NODE_MAP; }

static const char *advice_of(const struct problem *problem) {
    const struct node *node = problem->part.node;
    struct text text = is_scalar(node) ? node_text(node) : text_of("");
    bool quoted_number = node_is(node, NODE_STRING) && lint_is_port_number(text);
    if (lint_quotes_mend(problem))
        return "put it in quotes";
    if (quoted_number && (problem->code == CODE_WRONG_TYPE || problem->code == CODE_INVALID_PORT))
        return "write the number without quotes";
    if (problem->code == CODE_INVALID_FQDN && text.length > 0 && memchr(text.bytes, '*', text.length) &&
        text_ends_with(text_of(problem->part.path), "matchName"))
        return "write a name with `*` in matchPattern";
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].code == problem->code && strstr(problem->part.path, advices[i].within))
            return advices[i].advice;
    return "write what the schema wants";
}

/* The newest of the versions that refuse, for the sentence. */
static const char *version_word(cilium_classes classes) {
    const char *word = "";
    for (unsigned class = 0; class < CILIUM_CLASS_COUNT; class ++)
        if ((unsigned)classes >> class & 1u)
            word = cilium_class_word((enum cilium_class) class);
    return word;
}

static const char *effect_of(struct lint *lint, const struct policy *policy, const struct problem *problem) {
    bool agent = problem->effect == PROBLEM_REFUSED_AGENT;
    if (problem->effect == PROBLEM_DROPPED)
        return problem->widens
                   ? arena_format(lint->arena,
                                  "strict validation refuses the object, and a lax client has it stored without: %s",
                                  problem->widens)
                   : "strict validation refuses the object, and a lax client has it stored without";
    if (!policy->core && problem->classes != cilium_from(CILIUM_1_15))
        return arena_format(lint->arena,
                            agent ? "the agent of Cilium %s does not import the object"
                                  : "the API server refuses the object with the schema of Cilium %s",
                            version_word(problem->classes & lint->refusing));
    return agent ? "the agent does not import the object, so nothing of it is in force"
                 : "the API server refuses the object";
}

/* Fields are read through tables that know where what is written leads, so quoting is certain where a string is wanted; a
 * number that is not what it looks like stays for its author to decide. */
static void propose_quotes(struct lint *lint, const struct policy *policy, const struct problem *problem,
                           const struct diagnostic *finding) {
    const struct node *node = problem->part.node;
    struct text text = node_text(node);
    bool port = text_ends_with(text_of(problem->part.path), ".port");
    if (lint_quotes_mend(problem) && !(port && (node->flags & NODE_RETYPED)))
        lint_propose(lint, finding, LINT_EDIT_SCALAR, node, arena_format(lint->arena, "\"%s\"", text.bytes));
    bool bare = problem->code == CODE_INVALID_PORT && policy->core && node_is(node, NODE_STRING) &&
                lint_is_port_number(text) && text.bytes[0] != '0' &&
                text_ends_with(text_of(problem->part.path), ".port");
    if (bare)
        lint_propose(lint, finding, LINT_EDIT_UNQUOTE, node, text.bytes);
}

void lint_problems(struct lint *lint, const struct policy *policy) {
    for (uint32_t i = 0; i < policy->problem_count; i++) {
        const struct problem *problem = &policy->problems[i];
        if (!(problem->classes & lint->refusing) || problem->effect == PROBLEM_DUPLICATE)
            continue; /* duplicate keys: lint_reading.c, in every object */
        const char *path = *problem->part.path ? problem->part.path : "the object";
        bool advised = strstr(problem->message, "; write ") != NULL;
        const struct diagnostic *finding =
            lint_report(lint, policy, problem->code, problem->part, "%s %s; %s%s%s", path, problem->message,
                        effect_of(lint, policy, problem), advised ? "" : "; ", advised ? "" : advice_of(problem));
        propose_quotes(lint, policy, problem, finding);
    }
}

/* ---- kubectl ---- */

/* `kubectl apply` needs a name to find the object again (K 3.1). */
void lint_generated_name(struct lint *lint, const struct policy *policy) {
    const struct node *metadata = node_get(policy->object->root, "metadata");
    const struct node *generated = node_get(metadata, "generateName");
    const char *name = node_string(node_get(metadata, "name"));
    if (node_string(generated) && !(name && *name))
        lint_report(
            lint, policy, CODE_INVALID_NAME, (struct part){.node = generated, .path = "metadata.generateName"},
            "metadata.generateName stands without a name; kubectl apply refuses the object; write metadata.name");
}

/* ---- CIDRs of NetworkPolicies, by the version of the API server (K 1.6) ---- */

/* In the order in which a strict server looks, and says only the first. */
static const struct {
    enum cidr_flag flag;
    const char *fault;
    const char *advice;
    bool refused; /* from 1.36 on; else it only warns, as every server does from 1.33 on */
} strict_faults[] = {
    {CIDR_LEADING_ZEROS, "has leading zeros, which some readers take for octal numbers",
     "write the numbers without them", true},
    {CIDR_MAPPED, "is IPv4 written as IPv6", "write the IPv4 range", true},
    {CIDR_HOST_BITS, "has address bits beyond the prefix length, so it may mean a range or one address",
     "write the range's first address, or one address with its full prefix length", true},
    {CIDR_NOT_CANONICAL, "is not spelled as RFC 5952 spells it", "write it in lower case and in its shortest form",
     false},
};
enum { WARNS_SINCE = 33, REFUSES_SINCE = 36 };

/* The range as the API reads it; NULL: it has no other spelling that is certain. */
static const char *range_text(struct lint *lint, const struct cidr *cidr) {
    char text[46];
    if (cidr->flags & (CIDR_LEADING_ZEROS | CIDR_MAPPED))
        return NULL;
    address_print(&cidr->first, text);
    return arena_format(lint->arena, "%s/%u", text, cidr->prefix);
}

/* `within`: the block that this is to be a part of, or NULL; what is none stays for its author to decide. */
static void check_spelling(struct lint *lint, const struct policy *policy, struct part part, const struct cidr *cidr,
                           const struct cidr *within) {
    size_t i = 0;
    while (i < sizeof strict_faults / sizeof *strict_faults && !(cidr->flags & strict_faults[i].flag))
        i++;
    if (i == sizeof strict_faults / sizeof *strict_faults || lint->kubernetes_minor < WARNS_SINCE)
        return;
    bool refused = strict_faults[i].refused && lint->kubernetes_minor >= REFUSES_SINCE;
    struct diagnostic *finding =
        lint_report(lint, policy, CODE_INVALID_CIDR, part, "%s is `%s`, which %s; %s; %s", part.path,
                    node_text(part.node).bytes, strict_faults[i].fault,
                    refused                    ? "API servers from 1.36 on refuse the object"
                    : strict_faults[i].refused ? "API servers from 1.33 on warn of it, and from 1.36 on refuse it"
                                               : "API servers from 1.33 on warn of it",
                    strict_faults[i].advice);
    if (!refused)
        diagnostic_set_severity(lint->findings, finding, SEVERITY_WARNING);
    const char *range = range_text(lint, cidr);
    bool part_of = !within || (cidr_contains(within, cidr) && !cidr_contains(cidr, within));
    if (strict_faults[i].flag == CIDR_HOST_BITS && range && part_of)
        lint_propose(lint, finding, LINT_EDIT_SCALAR, part.node, range);
}

static void check_rules(struct lint *lint, const struct policy *policy, const struct core_rules *rules) {
    for (uint32_t i = 0; i < rules->count; i++)
        for (uint32_t j = 0; j < rules->rules[i].peer_count; j++) {
            const struct core_peer *peer = &rules->rules[i].peers[j];
            if (!peer->cidr_usable)
                continue;
            check_spelling(lint, policy, peer->cidr_part, &peer->cidr, NULL);
            for (uint32_t k = 0; k < peer->except_count; k++)
                if (peer->excepts[k].usable)
                    check_spelling(lint, policy, peer->excepts[k].part, &peer->excepts[k].cidr, &peer->cidr);
        }
}

void lint_strict_cidrs(struct lint *lint, const struct policy *policy) {
    if (!policy->core)
        return;
    check_rules(lint, policy, &policy->core->ingress);
    check_rules(lint, policy, &policy->core->egress);
}
