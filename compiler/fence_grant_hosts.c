/* What the fence lets through as rules of hosts: what translate_host_rules makes of any grant, and nothing else. */
#include <string.h>

#include "base/arena.h"
#include "compiler/fence_parts.h"
#include "compiler/translate.h"

/* The name of the host that a rule is for; hostRules holds rules that have one. */
#define RULE_HOST "r.toFQDNs[0].matchName"

/* A host name in lower case (grammar/host.h); the length and a last label of digits are judged beside it. */
#define HOST_NAME "\"^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?[.])*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$\""

static const char *const host_rules_expression =
    "variables.egress.filter(r, type(r) == map && has(r.toFQDNs) && type(r.toFQDNs) == list && r.toFQDNs.size() > 0 && "
    "type(r.toFQDNs[0]) == map && has(" RULE_HOST ") && type(" RULE_HOST ") == string)";

/* The rules that a grant with this one entry compiles to. */
static const struct node *rules_of(const struct boundary *boundary, const char *entry, struct arena *arena) {
    struct host *host = arena_alloc(arena, sizeof *host);
    host->entry = entry;
    const struct host_rules rules = {host, entry ? 1 : 0, &boundary->per_sandbox.narrowing, boundary->deep_subdomains};
    struct node *egress = arena_alloc(arena, sizeof *egress);
    *egress = translate_host_rules(&rules, arena);
    return egress;
}

static void add_rule(struct buffer *out, const struct boundary *boundary, const char *entry, struct arena *arena) {
    /* Of a known type: the API server takes no list whose items differ in theirs. */
    const struct fence_gaps gaps = {.host = "string(" RULE_HOST ")"};
    fence_cel_literal(out, &rules_of(boundary, entry, arena)->items[1], &gaps);
}

/* ---- the DNS rule ---- */

static bool names_are_narrowed(const struct boundary *boundary) {
    return boundary->per_sandbox.narrowing.active && boundary->per_sandbox.narrowing.dns_names.on;
}

/* The DNS rule of a grant, its list of names being whatever the object has where names are narrowed. */
static void add_dns_rule(const struct boundary *boundary, struct fence_rules *rules) {
    const struct fence_gaps gaps = {.empty_list = "variables.dnsEntries"};
    struct buffer expression;
    buffer_init(&expression, rules->arena);
    buffer_add_string(&expression, "variables.egress.size() > 0 && variables.egress[0] == ");
    fence_cel_literal(&expression, &rules_of(boundary, NULL, rules->arena)->items[0], &gaps);
    fence_validation(rules, true, buffer_string(&expression),
                     names_are_narrowed(boundary)
                         ? "the first rule of a grant is DNS to kube-dns on port 53, for a list of names"
                         : "the first rule of a grant is DNS to kube-dns on port 53, for every name");
}

static const struct {
    const char *name, *expression;
} dns_variables[] = {
    {"dnsRule", "variables.egress.size() > 0 && type(variables.egress[0]) == map ? dyn(variables.egress[0]) : dyn({})"},
    {"dnsPorts", "has(variables.dnsRule.toPorts) && type(variables.dnsRule.toPorts) == list && "
                 "variables.dnsRule.toPorts.size() == 1 && type(variables.dnsRule.toPorts[0]) == map ? "
                 "dyn(variables.dnsRule.toPorts[0]) : dyn({})"},
    {"dnsEntries", "has(variables.dnsPorts.rules) && type(variables.dnsPorts.rules) == map && "
                   "has(variables.dnsPorts.rules.dns) && type(variables.dnsPorts.rules.dns) == list ? "
                   "dyn(variables.dnsPorts.rules.dns) : dyn([])"},
    {"dnsNames", "variables.dnsEntries.filter(e, type(e) == map && e.size() == 1 && has(e.matchName) && "
                 "type(e.matchName) == string).map(e, string(e.matchName))"},
};

/* Patterns of `stars` dots without the stars, as a variable. */
static void add_patterns(struct fence_rules *rules, const char *name, const char *list, const char *stars) {
    const char *expression =
        arena_format(rules->arena,
                     "variables.%s.filter(e, type(e) == map && e.size() == 1 && has(e.matchPattern) && "
                     "type(e.matchPattern) == string && e.matchPattern.startsWith(\"%s.\"))"
                     ".map(e, string(e.matchPattern).substring(%zu))",
                     list, stars, strlen(stars) + 1);
    fence_variable(rules, name, expression);
}

/* Names of the DNS rule: as many as hosts have, each a host, or a host under one of the suffixes. Each list is judged on
 * its own, since what one expression may cost is bounded. */
static void add_suffixed(struct fence_rules *rules, const char *names, const char *suffixes, size_t count,
                         const char *hosts, const char *message) {
    const char *expression = arena_format(rules->arena,
                                          "variables.%s.size() == %zu * variables.%s.size() && variables.%s.all(n, "
                                          "%s.exists(s, n.endsWith(s) && n.substring(0, n.size() - s.size()) in "
                                          "variables.%s))",
                                          names, count, hosts, names, suffixes, hosts);
    fence_validation(rules, true, expression, message);
}

/* The suffixes that translate_host_rules puts behind a host: what its names of FENCE_HOST end in. The host alone comes
 * last, since every name ends in nothing. */
static const char *suffix_list(const struct boundary *boundary, size_t *count, struct arena *arena) {
    const struct node *rule = &rules_of(boundary, FENCE_HOST, arena)->items[0];
    const struct node *names = node_get(node_get(&node_get(rule, "toPorts")->items[0], "rules"), "dns");
    struct buffer list;
    buffer_init(&list, arena);
    buffer_add_char(&list, '[');
    for (uint32_t i = 1; i < names->count; i++) {
        fence_cel_string(&list, node_string(node_get(&names->items[i], "matchName")) + strlen(FENCE_HOST));
        buffer_add_string(&list, ", ");
    }
    buffer_add_string(&list, "\"\"]");
    *count = names->count;
    return buffer_string(&list);
}

/* No name may be missing: an empty list would be every name. */
static void add_dns_names(const struct boundary *boundary, struct fence_rules *rules, bool domains) {
    bool deep = domains && boundary->deep_subdomains;
    size_t count;
    const char *suffixes = suffix_list(boundary, &count, rules->arena);
    for (size_t i = 0; i < sizeof dns_variables / sizeof *dns_variables; i++) {
        fence_variable(rules, dns_variables[i].name, dns_variables[i].expression);
    }
    struct buffer entries;
    buffer_init(&entries, rules->arena);
    buffer_add_string(&entries, "variables.dnsEntries.size() == variables.dnsNames.size()");
    if (domains) {
        add_patterns(rules, "dnsDomains", "dnsEntries", "*");
        buffer_add_string(&entries, " + variables.dnsDomains.size()");
    }
    if (deep) {
        add_patterns(rules, "dnsDeepDomains", "dnsEntries", "**");
        buffer_add_string(&entries, " + variables.dnsDeepDomains.size()");
    }
    fence_validation(rules, true, buffer_string(&entries),
                     domains
                         ? "an entry of the DNS names is a matchName or the pattern of a domain, and nothing besides"
                         : "an entry of the DNS names is a matchName, and nothing besides");
    add_suffixed(rules, "dnsNames", suffixes, count, "hosts",
                 "the DNS names of a grant are its hosts, each alone and under the search suffixes, and no others");
    if (domains) {
        add_suffixed(rules, "dnsDomains", suffixes, count, "domains",
                     "the DNS patterns of a grant are those of its domains, each alone and under the search suffixes, "
                     "and no others");
    }
    if (deep) {
        fence_validation(rules, true, "variables.dnsDeepDomains == variables.dnsDomains",
                         "the DNS patterns of a domain are *. and **. of it");
    }
}

/* ---- the rules of hosts ---- */

/* Without narrowing, one rule holds all names. */
static void add_open_variables(const struct boundary *boundary, struct fence_rules *rules) {
    fence_variable(rules, "entries", "variables.hostRules.size() == 1 ? dyn(variables.hostRules[0].toFQDNs) : dyn([])");
    fence_variable(rules, "hosts",
                   "variables.entries.filter(e, type(e) == map && e.size() == 1 && has(e.matchName) && "
                   "type(e.matchName) == string).map(e, string(e.matchName))");
    add_patterns(rules, "domains", "entries", "*");
    if (boundary->deep_subdomains) {
        add_patterns(rules, "deepDomains", "entries", "**");
    }
}

static void add_open_rules(const struct boundary *boundary, struct fence_rules *rules) {
    bool deep = boundary->deep_subdomains;
    fence_validation(rules, true,
                     "variables.egress.size() == 2 && variables.hostRules.size() == 1 && "
                     "variables.hostRules[0].size() == 1",
                     "the second and last rule of a grant is toFQDNs alone, which begins with a matchName and is not "
                     "empty");
    fence_validation(rules, true,
                     deep ? "variables.entries.size() == variables.hosts.size() + variables.domains.size() + "
                            "variables.deepDomains.size()"
                          : "variables.entries.size() == variables.hosts.size() + variables.domains.size()",
                     deep ? "an entry of toFQDNs is a matchName, or a matchPattern that begins with *. or **., and "
                            "nothing besides"
                          : "an entry of toFQDNs is a matchName, or a matchPattern that begins with *., and nothing "
                            "besides");
    if (deep) {
        fence_validation(rules, true, "variables.deepDomains == variables.domains",
                         "a grant of a domain holds the patterns *. and **. of it");
    }
}

static void add_narrowed_variables(struct fence_rules *rules, bool domains) {
    fence_variable(rules, "hosts", "variables.hostRules.map(r, string(" RULE_HOST "))");
    if (domains) {
        fence_variable(rules, "domains",
                       "variables.hostRules.filter(r, r.toFQDNs.size() > 1).map(r, string(" RULE_HOST "))");
    }
}

/* The rules of the hosts that `hostPorts` names, and who they are. */
static bool add_named_hosts(const struct boundary *boundary, struct fence_rules *rules, bool domains, bool leading_dot,
                            struct buffer *names) {
    const struct narrowing *narrowing = &boundary->per_sandbox.narrowing;
    struct buffer list;
    buffer_init(&list, rules->arena);
    size_t count = 0;
    for (size_t i = 0; i < narrowing->host_ports_count; i++) {
        const char *entry = narrowing->host_ports[i].entry;
        if ((entry[0] == '.') != leading_dot || (leading_dot && !domains)) {
            continue;
        }
        buffer_add_string(&list, count ? ", dyn(" : "[dyn(");
        add_rule(&list, boundary, entry, rules->arena);
        buffer_add_char(&list, ')');
        buffer_add_string(names, count++ ? ", " : "[");
        fence_cel_string(names, leading_dot ? entry + 1 : entry);
    }
    if (count == 0) {
        return false;
    }
    buffer_add_char(&list, ']');
    buffer_add_char(names, ']');
    fence_variable(rules, leading_dot ? "rulesOfNamedDomains" : "rulesOfNamedHosts", buffer_string(&list));
    return true;
}

/* One way for `r` to be a rule of a grant: as hostPorts says, or as every other host's. */
static void add_way(const struct boundary *boundary, struct fence_rules *rules, bool domains, bool leading_dot,
                    struct buffer *out) {
    struct buffer names;
    buffer_init(&names, rules->arena);
    bool named = add_named_hosts(boundary, rules, domains, leading_dot, &names);
    buffer_add_string(out, "r == ");
    add_rule(out, boundary, leading_dot ? "." FENCE_HOST : FENCE_HOST, rules->arena);
    if (named) {
        buffer_print(out, " && !(" RULE_HOST " in %s) || r in variables.%s", buffer_string(&names),
                     leading_dot ? "rulesOfNamedDomains" : "rulesOfNamedHosts");
    }
}

/* With narrowing, each entry has a rule of its own. */
static void add_narrowed_rules(const struct boundary *boundary, struct fence_rules *rules, bool domains) {
    struct buffer expression;
    buffer_init(&expression, rules->arena);
    fence_validation(rules, true,
                     "variables.hostRules.size() > 0 && variables.egress.size() == variables.hostRules.size() + 1",
                     "every rule of a grant after the first is of toFQDNs, which begins with a matchName and is not "
                     "empty");
    buffer_add_string(&expression, "variables.hostRules.all(r, ");
    add_way(boundary, rules, domains, false, &expression);
    if (domains) {
        buffer_add_string(&expression, " || ");
        add_way(boundary, rules, domains, true, &expression);
    }
    buffer_add_char(&expression, ')');
    fence_validation(rules, true, buffer_string(&expression),
                     domains ? "a rule of a grant is one host, or a domain and its subdomains, with the ports that the "
                               "config's perSandbox.narrowing gives it, and nothing besides"
                             : "a rule of a grant is one host with the ports and server names that the config's "
                               "perSandbox.narrowing gives it, and nothing besides");
}

void fence_grant_host_rules(const struct boundary *boundary, struct fence_rules *rules) {
    const struct narrowing *narrowing = &boundary->per_sandbox.narrowing;
    bool domains = !(narrowing->active && narrowing->tls_server_names);
    fence_variable(rules, "hostRules", host_rules_expression);
    if (narrowing->active) {
        add_narrowed_variables(rules, domains);
        add_dns_rule(boundary, rules);
        add_narrowed_rules(boundary, rules, domains);
    } else {
        add_open_variables(boundary, rules);
        add_dns_rule(boundary, rules);
        add_open_rules(boundary, rules);
    }
    fence_validation(rules, true,
                     "variables.hosts.all(h, h.size() <= 253 && h.matches(" HOST_NAME
                     ") && !h.matches(\"(^|[.])[0-9]+$\"))",
                     "a matchName is a DNS name in lower case, and no address");
    if (domains) {
        fence_validation(rules, true,
                         narrowing->active ? "variables.domains.all(d, d.contains(\".\"))"
                                           : "variables.domains.all(d, d.contains(\".\") && d in variables.hosts)",
                         "a matchPattern covers the subdomains of a domain of two labels or more, whose own name is "
                         "granted with it");
    }
    if (names_are_narrowed(boundary)) {
        add_dns_names(boundary, rules, domains);
    }
}
