/*
 * Names and patterns: what looks matched and is not, and what versions read differently (spec/cilium-egress.md 3.5, 5.4,
 * 9, 12).
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/lint/object.h"
#include "base/arena.h"
#include "ir/name_set.h"

/* ---- not-matched-by-pattern ---- */

static struct part pattern_part(struct lint *lint, const struct cilium_name *name) {
    return (struct part){node_get(name->part.node, "matchPattern"),
                         path_field(lint->arena, name->part.path, "matchPattern")};
}

/* What the lists of toFQDNs of a rule let through together, as the newest version at hand reads them. */
struct listed_names {
    const char **exact; /* in byte order */
    size_t exact_count;
    struct name_pattern *patterns; /* others */
    size_t pattern_count;
};

/* Each pattern of a rule is held against each: more are not searched for what they lack, and this is said. */
enum { PATTERNS_SEARCHED = 3000 };

static void names_add(struct lint *lint, const struct cilium_name *name, struct listed_names *names) {
    bool deep = lint->newest.class >= CILIUM_1_19;
    if (name->match_name)
        names->exact[names->exact_count++] = name_pattern_exact(lint->arena, text_of(name->match_name)).text;
    if (!name->match_pattern)
        return;
    struct name_pattern pattern = name_pattern_of(lint->arena, text_of(name->match_pattern), deep);
    if (pattern.kind == NAME_EXACT)
        names->exact[names->exact_count++] = pattern.text;
    else
        names->patterns[names->pattern_count++] = pattern;
}

static struct listed_names names_of_rule(struct lint *lint, const struct cilium_rule *rule) {
    struct listed_names names = {.exact_count = 0};
    size_t most = 0;
    for (uint32_t i = 0; i < rule->egress.count; i++)
        most += 2u * (size_t)rule->egress.list[i].fqdns.count;
    names.exact = arena_array(lint->arena, most + 1, sizeof *names.exact);
    names.patterns = arena_array(lint->arena, most + 1, sizeof *names.patterns);
    for (uint32_t i = 0; i < rule->egress.count; i++)
        for (uint32_t k = 0; k < rule->egress.list[i].fqdns.count; k++)
            names_add(lint, &rule->egress.list[i].fqdns.names[k], &names);
    if (names.exact_count > 1)
        qsort(names.exact, names.exact_count, sizeof *names.exact, string_compare_at);
    return names;
}

static bool names_hold(const struct listed_names *names, const char *name) {
    if (names->exact_count && bsearch(&name, names->exact, names->exact_count, sizeof *names->exact, string_compare_at))
        return true;
    for (size_t i = 0; i < names->pattern_count; i++)
        if (name_pattern_matches(&names->patterns[i], text_of(name)))
            return true;
    return false;
}

static const char *without_dot(struct lint *lint, const char *text) {
    size_t length = strlen(text);
    return text_lower(lint->arena, (struct text){text, length > 0 && text[length - 1] == '.' ? length - 1 : length});
}

/* `*.x` where nothing lets x through. */
static void check_apex(struct lint *lint, const struct policy *policy, const struct cilium_name *name,
                       const struct listed_names *names) {
    const char *pattern = without_dot(lint, name->match_pattern);
    const char *apex = pattern + 2;
    struct part part = pattern_part(lint, name);
    if (strncmp(pattern, "*.", 2) != 0 || !*apex || strchr(apex, '*') || names->pattern_count > PATTERNS_SEARCHED ||
        names_hold(names, apex))
        return;
    lint_report(lint, policy, CODE_NOT_MATCHED_BY_PATTERN, part,
                "%s is `%s`, which takes exactly one label in place of `*`: neither %s itself nor deeper names such as "
                "a.b.%s; add matchName: %s if it is meant, and `**.%s` (Cilium 1.19) for names of any depth",
                part.path, name->match_pattern, apex, apex, apex, apex);
}

/* `*x.com`, which takes in names of strangers. */
static void check_strangers(struct lint *lint, const struct policy *policy, const struct cilium_name *name) {
    const char *pattern = without_dot(lint, name->match_pattern), *rest = pattern + strspn(pattern, "*");
    struct part part = pattern_part(lint, name);
    if (rest == pattern || !*rest || *rest == '.' || *rest == '-' || strchr(rest, '*') || !strchr(rest, '.'))
        return;
    lint_report(lint, policy, CODE_NOT_MATCHED_BY_PATTERN, part,
                "%s is `%s`, which takes evil%s as well, and no subdomain of %s; write matchName: %s and `*.%s`",
                part.path, name->match_pattern, rest, rest, rest, rest);
}

/* `*.svc.cluster.local` and above: no Service has a name of one label more. */
static void check_service_names(struct lint *lint, const struct policy *policy, const struct cilium_name *name) {
    const char *domain = lint->cluster.facts.cluster_domain;
    const char *pattern = without_dot(lint, name->match_pattern);
    struct part part = pattern_part(lint, name);
    bool whole = strcmp(pattern, arena_format(lint->arena, "*.%s", domain)) == 0;
    if (!whole && strcmp(pattern, arena_format(lint->arena, "*.svc.%s", domain)) != 0)
        return;
    lint_report(
        lint, policy, CODE_NOT_MATCHED_BY_PATTERN, part,
        "%s is `%s`, which takes exactly one label in place of `*`, while a Service is called NAME.NAMESPACE.svc.%s; "
        "write `*.*.svc.%s`",
        part.path, name->match_pattern, domain, domain);
}

static void check_entry_names(struct lint *lint, const struct policy *policy, const struct cilium_entry *entry,
                              const struct listed_names *names) {
    for (uint32_t i = 0; i < entry->fqdns.count; i++) {
        if (!entry->fqdns.names[i].match_pattern)
            continue;
        check_apex(lint, policy, &entry->fqdns.names[i], names);
        check_strangers(lint, policy, &entry->fqdns.names[i]);
    }
    for (uint32_t i = 0; i < entry->port_count; i++)
        for (uint32_t j = 0; j < entry->ports[i].dns.count; j++) {
            if (!entry->ports[i].dns.names[j].match_pattern)
                continue;
            check_service_names(lint, policy, &entry->ports[i].dns.names[j]);
            check_strangers(lint, policy, &entry->ports[i].dns.names[j]);
        }
}

void lint_names(struct lint *lint, const struct policy *policy) {
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        const struct cilium_rule *rule = &policy->rules[i];
        struct listed_names names = names_of_rule(lint, rule);
        if (names.pattern_count > PATTERNS_SEARCHED)
            lint_report(lint, policy, CODE_NOT_EXAMINED, rule->part,
                        "not all of the policy was examined for `%s`: its toFQDNs have more than %d patterns, too many "
                        "to hold against one another; split the policy",
                        code_word(CODE_NOT_MATCHED_BY_PATTERN), PATTERNS_SEARCHED);
        for (uint32_t j = 0; j < rule->egress.count; j++)
            check_entry_names(lint, policy, &rule->egress.list[j], &names);
    }
}

/* ---- version-dependent ---- */

/* Whether versions before and from a class on are both in use. */
static bool splits(const struct lint *lint, enum cilium_class first) {
    cilium_classes open = cilium_classes_of(&lint->cluster.facts);
    return (open & cilium_before(first)) && (open & cilium_from(first));
}

static void report_version(struct lint *lint, const struct policy *policy, struct part part, const char *value,
                           const char *older, const char *newer, const char *advice) {
    lint_report(lint, policy, CODE_VERSION_DEPENDENT, part, "%s%s%s%s means %s, and %s; %s", part.path,
                value ? " is `" : "", value ? value : "", value ? "`, which" : "", older, newer, advice);
}

/* Leading runs of stars before a dot, and what is nothing else (C 3.5). */
static void check_deep(struct lint *lint, const struct policy *policy, const struct cilium_names *names) {
    for (uint32_t i = 0; i < names->count; i++) {
        const char *text = names->names[i].match_pattern;
        size_t stars = text ? strspn(text, "*") : 0;
        if (stars == 0)
            continue;
        struct part part = pattern_part(lint, &names->names[i]);
        bool alone = strcmp(text + stars, ".") == 0 || (stars > 1 && !text[stars]);
        if (alone)
            report_version(lint, policy, part, text, "names of at most one label before Cilium 1.19",
                           "every name from 1.19 on",
                           "write `*` for every name, or say which version runs: --cilium-version");
        else if (stars > 1 && text[stars] == '.')
            report_version(lint, policy, part, text, "names of exactly one label more before Cilium 1.19",
                           "of one label or more from 1.19 on",
                           "write `*.` for one label, or say which version runs: --cilium-version");
    }
}

static void check_server_names(struct lint *lint, const struct policy *policy, const struct cilium_port_rule *rule) {
    for (uint32_t i = 0; i < rule->server_names.count; i++) {
        const char *name = rule->server_names.list[i];
        if (name && strchr(name, '*'))
            report_version(lint, policy, rule->server_names.parts[i], name,
                           "a server of that very name before Cilium 1.18", "a pattern from 1.18 on",
                           "write the names one by one, or say which version runs: --cilium-version");
    }
}

static bool has_requests(const struct cilium_entry *entry) {
    for (uint32_t i = 0; i < entry->port_count; i++)
        if (entry->ports[i].dns.presence == PRESENCE_FILLED || entry->ports[i].http == PRESENCE_FILLED)
            return true;
    return false;
}

static void check_entry_versions(struct lint *lint, const struct policy *policy, const struct cilium_rule *rule,
                                 const struct cilium_entry *entry) {
    if (splits(lint, CILIUM_1_19)) {
        check_deep(lint, policy, &entry->fqdns);
        for (uint32_t i = 0; i < entry->port_count; i++)
            check_deep(lint, policy, &entry->ports[i].dns);
    }
    for (uint32_t i = 0; i < entry->port_count && splits(lint, CILIUM_1_18); i++)
        check_server_names(lint, policy, &entry->ports[i]);
    if (rule->default_deny_egress == TRISTATE_FALSE && splits(lint, CILIUM_1_17_5) && has_requests(entry))
        report_version(
            lint, policy, entry->ports_part, NULL,
            "before Cilium 1.17.5, in a rule whose enableDefaultDeny.egress is false, that other requests are refused",
            "from 1.17.5 on that none is",
            "say which version runs (--cilium-version), or set enableDefaultDeny.egress to true");
}

void lint_versions(struct lint *lint, const struct policy *policy) {
    for (uint32_t i = 0; i < policy->rule_count; i++)
        for (uint32_t j = 0; j < policy->rules[i].egress.count; j++)
            check_entry_versions(lint, policy, &policy->rules[i], &policy->rules[i].egress.list[j]);
}
