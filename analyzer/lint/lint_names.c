/*
 * Names and patterns: what looks matched and is not, and what versions read differently (spec/cilium-egress.md 3.5, 5.4,
 * 9, 12).
 */
#include <string.h>

#include "analyzer/lint/object.h"
#include "base/arena.h"
#include "ir/name_set.h"

/* ---- not-matched-by-pattern ---- */

static struct part pattern_part(struct lint *lint, const struct cilium_name *name) {
    return (struct part){node_get(name->part.node, "matchPattern"),
                         path_field(lint->arena, name->part.path, "matchPattern")};
}

/* The names that the lists of a policy let through together, as the newest version at hand reads them. */
static void patterns_add(struct lint *lint, const struct cilium_names *names, struct name_pattern *patterns,
                         uint32_t *count) {
    bool deep = lint->newest.class >= CILIUM_1_19;
    for (uint32_t i = 0; i < names->count; i++) {
        const struct cilium_name *name = &names->names[i];
        if (name->match_name)
            patterns[(*count)++] = name_pattern_exact(lint->arena, text_of(name->match_name));
        if (name->match_pattern)
            patterns[(*count)++] = name_pattern_of(lint->arena, text_of(name->match_pattern), deep);
    }
}

/* Longer lists are not searched for what they lack: they may be hostile, and few people write them by hand. */
enum { NAMES_SEARCHED = 2000 };

static bool is_searched(const struct cilium_rule *rule) {
    size_t count = 0;
    for (uint32_t i = 0; i < rule->egress.count; i++)
        count += rule->egress.list[i].fqdns.count;
    return count <= NAMES_SEARCHED;
}

static struct name_set names_of_rule(struct lint *lint, const struct cilium_rule *rule) {
    uint32_t most = 0, count = 0;
    for (uint32_t i = 0; i < rule->egress.count; i++)
        most += 2 * rule->egress.list[i].fqdns.count;
    struct name_pattern *patterns = arena_array(lint->arena, most + 1, sizeof *patterns);
    for (uint32_t i = 0; i < rule->egress.count; i++)
        patterns_add(lint, &rule->egress.list[i].fqdns, patterns, &count);
    return name_set_of(lint->arena, patterns, count);
}

static const char *without_dot(struct lint *lint, const char *text) {
    size_t length = strlen(text);
    return text_lower(lint->arena, (struct text){text, length > 0 && text[length - 1] == '.' ? length - 1 : length});
}

/* `*.x` where nothing lets x through. */
static void check_apex(struct lint *lint, const struct policy *policy, const struct cilium_name *name,
                       const struct name_set *names) {
    const char *pattern = without_dot(lint, name->match_pattern);
    const char *apex = pattern + 2;
    struct part part = pattern_part(lint, name);
    if (strncmp(pattern, "*.", 2) != 0 || !*apex || strchr(apex, '*') || name_set_contains(names, text_of(apex)))
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
                              const struct name_set *names) {
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
        struct name_set names = is_searched(rule) ? names_of_rule(lint, rule) : name_set_everything();
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
