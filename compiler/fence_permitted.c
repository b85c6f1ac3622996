/*
 * What the companion policy asks of a grant: that its hosts and ports are those of the permitted-hosts ConfigMap, read
 * as compiler/permitted_hosts.h reads it. A ConfigMap with any other line permits nothing.
 */
#include "base/arena.h"
#include "compiler/fence_parts.h"

/* The lines of a value that count, without a closing CR. */
#define LINES(key)                                                                                                     \
    "has(dyn(params).data) && has(dyn(params).data." key ") ? dyn(params).data." key                                   \
    ".split(\"\\n\").map(l, l.endsWith(\"\\r\") ? l.substring(0, l.size() - 1) : l).filter(l, !l.startsWith(\"#\") "   \
    "&& "                                                                                                              \
    "!l.matches(\"^[ \\t\\r\\v\\f]*$\")).map(l, l.lowerAscii()) : []"

#define HOST_ENTRY                                                                                                     \
    "(l.matches(\"^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?[.])*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$\") && "                 \
    "l.size() <= 253 || l.matches(\"^([.][a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?){2,}$\") && l.size() <= 254) && "          \
    "!l.matches(\"(^|[.])[0-9]+$\")"

static const struct {
    const char *name, *expression;
} variables[] = {
    {"policy", "dyn(object)"},
    {"spec", "has(variables.policy.spec) && type(variables.policy.spec) == map ? dyn(variables.policy.spec) : dyn({})"},
    {"egress",
     "has(variables.spec.egress) && type(variables.spec.egress) == list ? dyn(variables.spec.egress) : dyn([])"},
    {"hostRules", "variables.egress.filter(r, type(r) == map && has(r.toFQDNs) && type(r.toFQDNs) == list)"},
    {"permittedHosts", LINES("hosts")},
    {"permittedDomains", "variables.permittedHosts.filter(l, l.startsWith(\".\"))"},
    {"permittedPorts", LINES("ports")},
};

static const struct {
    const char *expression, *message;
} validations[] = {
    {"variables.permittedHosts.all(l, " HOST_ENTRY ")",
     "a line of data.hosts is no host entry, so nothing may be granted"},
    {"variables.permittedPorts.all(l, l == \"*\" || l.matches(\"^[1-9][0-9]{0,4}$\") && int(l) <= 65535)",
     "a line of data.ports is neither a port nor *, so nothing may be granted"},
    {"variables.hostRules.size() > 0 && variables.hostRules.all(r, r.toFQDNs.all(e, type(e) == map && "
     "(!has(e.matchName) || type(e.matchName) == string && (e.matchName in variables.permittedHosts || "
     "variables.permittedDomains.exists(d, (\".\" + e.matchName).endsWith(d)))) && "
     "(!has(e.matchPattern) || type(e.matchPattern) == string && "
     "variables.permittedDomains.exists(d, e.matchPattern.endsWith(d)))))",
     "a host of the grant is outside data.hosts"},
    {"\"*\" in variables.permittedPorts || variables.hostRules.all(r, has(r.toPorts) && type(r.toPorts) == list && "
     "r.toPorts.size() > 0 && r.toPorts.all(t, type(t) == map && has(t.ports) && type(t.ports) == list && "
     "t.ports.size() > 0 && t.ports.all(p, type(p) == map && has(p.port) && !has(p.endPort) && "
     "p.port in variables.permittedPorts)))",
     "a port of the grant is outside data.ports, or one of its hosts has no list of ports"},
};

void fence_permitted_rules(const struct boundary *boundary, struct fence_rules *rules) {
    const struct per_sandbox *per_sandbox = &boundary->per_sandbox;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        fence_variable(rules, variables[i].name, variables[i].expression);
    }
    for (size_t i = 0; i < sizeof validations / sizeof *validations; i++) {
        fence_validation(rules, true, arena_format(rules->arena, "(%s)", validations[i].expression),
                         arena_format(rules->arena, "%s (ConfigMap %s/%s)", validations[i].message,
                                      per_sandbox->permitted_hosts_namespace, per_sandbox->permitted_hosts_name));
    }
}
