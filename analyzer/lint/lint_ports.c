/* Ports that the pods of a rule do not have: those of Services, and names that nobody gives. */
#include <string.h>

#include "analyzer/lint/scope.h"
#include "base/arena.h"

/* A port of a rule as it is written. */
struct written_port {
    struct part part;
    const char *protocol; /* "TCP", "UDP", "SCTP" */
    unsigned number;      /* 0: `name` */
    const char *name;
};

/* The rule of that port. */
struct port_rule {
    struct lint_scope *scope;
    const struct lint_member *member;
    const struct rule_entry *entry;
};

typedef void check_port(const struct port_rule *rule, const struct written_port *port);

/* ---- Services ---- */

/* The first Service of the namespace; those of one namespace follow one another. */
static size_t first_service(const struct evidence *evidence, const char *namespace) {
    size_t low = 0, high = evidence->service_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *here = evidence->services[middle].namespace;
        if (!here || strcmp(here, namespace) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool service_backs(const struct service *service, const struct pod *pod) {
    if (!service->has_selector)
        return false;
    for (uint32_t i = 0; i < service->selector.count; i++) {
        const char *value = labels_get(&pod->labels, service->selector.list[i].key);
        if (!value || strcmp(value, service->selector.list[i].value) != 0)
            return false;
    }
    return true;
}

static const struct container_port *named_port(const struct pod *pod, const char *name, const char *protocol) {
    for (uint32_t i = 0; i < pod->port_count; i++)
        if (pod->ports[i].name && strcmp(pod->ports[i].name, name) == 0 &&
            strcmp(pod->ports[i].protocol, protocol) == 0)
            return &pod->ports[i];
    return NULL;
}

/* The pod's port that the Service's port leads to; 0: it cannot be told. */
static unsigned service_target(const struct service_port *port, const struct pod *pod) {
    if (port->target)
        return port->target;
    const struct container_port *named = port->target_name ? named_port(pod, port->target_name, port->protocol) : NULL;
    return named ? named->number : 0;
}

/* What is found out about the port at the pods of a rule. */
struct translated {
    const struct lint_scope *scope;
    const struct written_port *port;
    const struct service *service; /* one whose port it is, and leads elsewhere */
    unsigned target;
    bool listens; /* some pod has the port, or may */
};

static bool pod_declares(const struct pod *pod, const struct written_port *port) {
    for (uint32_t i = 0; i < pod->port_count; i++)
        if (pod->ports[i].number == port->number && strcmp(pod->ports[i].protocol, port->protocol) == 0)
            return true;
    return false;
}

/* The Services in front of the pod: whether one leads to the port, and whether one has it and leads elsewhere. */
static void look_at_services(struct translated *translated, const struct pod *pod, bool *told) {
    const struct evidence *evidence = &translated->scope->lint->snapshot.evidence;
    for (size_t i = first_service(evidence, pod->namespace);
         i < evidence->service_count && strcmp(evidence->services[i].namespace, pod->namespace) == 0; i++) {
        const struct service *service = &evidence->services[i];
        for (uint32_t k = 0; k < service->port_count && service_backs(service, pod); k++) {
            const struct service_port *port = &service->ports[k];
            unsigned target = service_target(port, pod);
            if (strcmp(port->protocol, translated->port->protocol) != 0)
                continue;
            if (target == 0 || target == translated->port->number) {
                translated->listens = true;
            } else if (port->port == translated->port->number) {
                *told = true;
                translated->service = service;
                translated->target = target;
            }
        }
    }
}

static bool look_at_pod(void *context, const struct pod *pod, enum truth in) {
    struct translated *translated = context;
    bool told = false;
    if (in == TRUTH_NO || pod->host_network)
        return true;
    if (!pod->namespace || pod_declares(pod, translated->port))
        translated->listens = true;
    else
        look_at_services(translated, pod, &told);
    if (!told && pod->port_count == 0)
        translated->listens = true;
    return !translated->listens;
}

static bool entry_opens(const struct rule_entry *entry, const char *protocol, unsigned number) {
    enum protocol wanted = strcmp(protocol, "UDP") == 0    ? PROTOCOL_UDP
                           : strcmp(protocol, "SCTP") == 0 ? PROTOCOL_SCTP
                                                           : PROTOCOL_TCP;
    for (size_t i = 0; i < entry->key_count; i++)
        if (port_set_contains(&entry->keys[i].upper, wanted, number))
            return true;
    return false;
}

static void check_service_port(const struct port_rule *rule, const struct written_port *port) {
    struct translated translated = {.scope = rule->scope, .port = port};
    if (rule->scope->lint->snapshot.evidence.service_count == 0)
        return;
    for (size_t i = 0; i < rule->entry->peer_count && !translated.listens; i++)
        lint_pods_in(rule->scope, &rule->entry->peers[i].upper.pods, look_at_pod, &translated);
    if (translated.listens || !translated.service || entry_opens(rule->entry, port->protocol, translated.target) ||
        !lint_once(rule->scope, CODE_SERVICE_PORT, port->part.node))
        return;
    lint_report(rule->scope->lint, rule->member->policy, CODE_SERVICE_PORT, port->part,
                "%s is %u, a port of Service %s whose pods listen on %u: policies see the pod's port, so nothing is "
                "opened; write %u",
                port->part.path, port->number, object_label(translated.service->object, rule->scope->lint->arena),
                translated.target, translated.target);
}

/* ---- names ---- */

struct named {
    const struct written_port *port;
    bool any, known; /* a pod is selected; one has the name, or may */
};

static bool look_for_name(void *context, const struct pod *pod, enum truth in) {
    struct named *named = context;
    if (in == TRUTH_NO || pod->host_network)
        return true;
    named->any = true;
    named->known = in == TRUTH_MAYBE || named_port(pod, named->port->name, named->port->protocol) != NULL;
    return !named->known;
}

/* Cilium resolves a name over all pods of the cluster. */
static bool anyone_has_name(const struct lint_scope *scope, const struct written_port *port) {
    const struct evidence *evidence = &scope->lint->snapshot.evidence;
    for (size_t i = 0; i < evidence->pod_count; i++)
        if (!evidence->pods[i].finished && named_port(&evidence->pods[i], port->name, port->protocol))
            return true;
    return false;
}

static void check_port_name(const struct port_rule *rule, const struct written_port *port) {
    struct named named = {port, false, false};
    for (size_t i = 0; i < rule->entry->peer_count && !named.known; i++)
        lint_pods_in(rule->scope, &rule->entry->peers[i].upper.pods, look_for_name, &named);
    if (!named.any || named.known || (rule->scope->cilium && anyone_has_name(rule->scope, port)) ||
        !lint_once(rule->scope, CODE_NAMED_PORT_UNRESOLVED, port->part.node))
        return;
    lint_report(rule->scope->lint, rule->member->policy, CODE_NAMED_PORT_UNRESOLVED, port->part,
                "%s is `%s`, and no pod that the rule selects has a %s port of that name, so it opens nothing; write "
                "the number, or the name that the pods give it",
                port->part.path, port->name, port->protocol);
}

/* ---- ports as they are written ---- */

static void check_written(const struct port_rule *rule, const struct written_port *port) {
    check_port *check = port->number ? check_service_port : check_port_name;
    if (port->number || port->name)
        check(rule, port);
}

static void check_core_ports(const struct port_rule *rule, const struct core_rule *core) {
    for (uint32_t i = 0; i < core->port_count; i++) {
        const struct core_port *port = &core->ports[i];
        struct written_port written = {
            {node_get(port->part.node, "port"), path_field(rule->scope->lint->arena, port->part.path, "port")},
            port->protocol,
            port->form == PORT_NUMBER && port->end == port->number ? port->number : 0,
            port->form == PORT_NAME ? port->name : NULL};
        check_written(rule, &written);
    }
}

static void check_cilium_port(const struct port_rule *rule, const struct cilium_port *port) {
    static const char *const any[] = {"TCP", "UDP", NULL};
    const char *const one[] = {port->protocol, NULL};
    const char *const *protocols = strcmp(port->protocol, "ANY") == 0 ? any : one;
    struct part part = {node_get(port->part.node, "port"),
                        path_field(rule->scope->lint->arena, port->part.path, "port")};
    bool found = false;
    for (; *protocols && !found; protocols++) {
        struct written_port written = {part, *protocols, port->form == PORT_NUMBER && !port->has_end ? port->number : 0,
                                       port->form == PORT_NAME ? port->name : NULL};
        /* A name is good if it is one over TCP or UDP. */
        if (written.name && protocols[1] &&
            anyone_has_name(rule->scope, &(struct written_port){.protocol = protocols[1], .name = port->name}))
            return;
        check_written(rule, &written);
        found = written.number && lint_was_said(rule->scope, CODE_SERVICE_PORT, part.node);
    }
}

/* Whether the entry's peers are pods and nothing else. */
static bool peers_are_pods(const struct rule_entry *entry) {
    for (size_t i = 0; i < entry->peer_count; i++) {
        const struct destination_set *set = &entry->peers[i].upper;
        if (set->addresses.count || set->learned_count || set->specials || entry->peers[i].doubt)
            return false;
    }
    return !entry->deny && entry->peer_count > 0;
}

void lint_check_ports(struct lint_scope *scope, struct lint_member *member) {
    if (!member->sound || scope->lint->snapshot.evidence.pod_count == 0)
        return;
    const struct policy_rules *rules = lint_rules(scope, member, 0);
    const struct core_policy *core = member->candidate.policy->core;
    for (size_t e = 0; e < rules->count; e++) {
        const struct port_rule rule = {scope, member, &rules->entries[e]};
        if (!peers_are_pods(rule.entry))
            continue;
        if (core) {
            check_core_ports(&rule, &core->egress.rules[e]);
            continue;
        }
        const struct cilium_entry *entry = &member->candidate.rule->egress.list[e];
        for (uint32_t p = 0; p < entry->port_count; p++)
            for (uint32_t i = 0; i < entry->ports[p].port_count; i++)
                check_cilium_port(&rule, &entry->ports[p].ports[i]);
    }
}
