#include "analyzer/rules/key.h"

#include <string.h>

#include "base/arena.h"

static void keys_add(struct key_list *keys, struct rule_key key, struct arena *arena) {
    if (keys->count == keys->capacity)
        keys->list = arena_grow(arena, keys->list, &keys->capacity, keys->count + 1, sizeof *keys->list);
    keys->list[keys->count++] = key;
}

static struct rule_key key_of_everything(const struct reading *reading, struct arena *arena) {
    struct rule_key key = {.id = "", .form = KEY_NONE, .lower = port_set_everything()};
    if (!reading->sctp) {
        struct port_set sctp = port_set_of(arena, PROTOCOL_SCTP, 0, 65535);
        key.lower = port_set_subtract(arena, &key.lower, &sctp);
    }
    key.upper = key.lower;
    return key;
}

/* ---- protocols ---- */

static const struct {
    const char *word;
    enum protocol protocol;
} transports[] = {{"TCP", PROTOCOL_TCP}, {"UDP", PROTOCOL_UDP}, {"SCTP", PROTOCOL_SCTP}};

/* Whether a written protocol stands for one of `transports`; ANY stands for all three. */
static bool protocol_covers(const char *written, size_t index) {
    return strcmp(written, transports[index].word) == 0 || strcmp(written, "ANY") == 0;
}

static bool protocol_is_transport(const char *written) {
    for (size_t i = 0; i < sizeof transports / sizeof *transports; i++)
        if (protocol_covers(written, i))
            return true;
    return false;
}

/* ---- port names ---- */

/* Cilium resolves a name over all pods of the cluster to one number. Where they name none, or two, the port is dropped until
 * a pod comes or goes: nothing is certain of it. */
static struct rule_key key_of_cilium_name(const char *name, enum protocol protocol, const struct cluster *cluster) {
    struct arena *arena = cluster->arena;
    struct rule_key key = {.form = KEY_NAME, .name = name, .protocol = protocol};
    key.id = arena_format(arena, "name %s/%s", name, protocol_word(protocol));
    unsigned number = 0;
    bool conflict = false;
    for (size_t i = 0; i < cluster->evidence->pod_count; i++) {
        const struct pod *pod = &cluster->evidence->pods[i];
        for (uint32_t k = 0; !pod->finished && k < pod->port_count; k++) {
            const struct container_port *port = &pod->ports[k];
            if (!port->name || strcmp(port->name, name) != 0 || strcmp(port->protocol, protocol_word(protocol)) != 0)
                continue;
            conflict = conflict || (number != 0 && number != port->number);
            number = port->number;
        }
    }
    bool misses = cluster_misses(cluster, OBJECT_POD);
    if (number != 0 && !conflict && !misses) {
        key.lower = key.upper = port_set_of(arena, protocol, number, number);
        return key;
    }
    key.lower = port_set_nothing();
    key.upper = port_set_of(arena, protocol, 0, 65535);
    key.doubt = arena_format(arena,
                             conflict ? "the port name %s, to which pods give different numbers"
                                      : "the port name %s, which only the pods of the cluster settle",
                             name);
    return key;
}

/* The core API resolves a name at each destination pod. */
static struct rule_key key_of_core_name(const char *name, enum protocol protocol, const struct rule_options *options,
                                        struct arena *arena) {
    struct rule_key key = {
        .form = KEY_NAME, .name = name, .protocol = protocol, .pods_only = true, .lower = port_set_nothing()};
    key.id = arena_format(arena, "name %s/%s", name, protocol_word(protocol));
    if (!options || !options->destination) {
        key.upper = port_set_of(arena, protocol, 0, 65535);
        key.doubt = arena_format(arena, "the port name %s, which each destination pod settles", name);
        return key;
    }
    for (uint32_t i = 0; i < options->destination->port_count; i++) {
        const struct container_port *port = &options->destination->ports[i];
        if (port->name && strcmp(port->name, name) == 0 && strcmp(port->protocol, protocol_word(protocol)) == 0) {
            struct port_set one = port_set_of(arena, protocol, port->number, port->number);
            key.lower = port_set_union(arena, &key.lower, &one);
        }
    }
    key.upper = key.lower;
    return key;
}

/* ---- numbers ---- */

static struct rule_key key_of_range(unsigned first, unsigned last, enum protocol protocol, struct arena *arena) {
    struct rule_key key = {.form = first == last ? KEY_PORT : KEY_RANGE};
    key.lower = key.upper = port_set_of(arena, protocol, first, last);
    if (first == last)
        key.id = arena_format(arena, "%u/%s", first, protocol_word(protocol));
    else
        key.id = arena_format(arena, "%u-%u/%s", first, last, protocol_word(protocol));
    return key;
}

static struct rule_key key_of_every_port(enum protocol protocol, struct arena *arena) {
    struct rule_key key = {.form = KEY_EVERY_PORT};
    key.id = arena_format(arena, "0/%s", protocol_word(protocol));
    key.lower = key.upper = port_set_of(arena, protocol, 0, 65535);
    return key;
}

/* A port that cannot be read: whatever it is, it is of this protocol. */
static struct rule_key key_of_doubt(enum protocol protocol, struct arena *arena) {
    struct rule_key key = {.form = KEY_PORT, .lower = port_set_nothing()};
    key.id = arena_format(arena, "?/%s", protocol_word(protocol));
    key.upper = port_set_of(arena, protocol, 0, protocol == PROTOCOL_OTHER ? 0 : 65535);
    key.doubt = "a port that cannot be read";
    return key;
}

/* ---- NetworkPolicy ---- */

static struct rule_key key_of_core_port(const struct core_port *port, enum protocol protocol,
                                        const struct cluster *cluster, const struct reading *reading,
                                        const struct rule_options *options) {
    bool ranges = !reading->cilium || reading->class >= CILIUM_1_16_0;
    switch (port->form) {
    case PORT_ALL:
        return key_of_every_port(protocol, cluster->arena);
    case PORT_NUMBER:
        return key_of_range(port->number, ranges && port->end > port->number ? port->end : port->number, protocol,
                            cluster->arena);
    case PORT_NAME:
        return reading->cilium ? key_of_cilium_name(port->name, protocol, cluster)
                               : key_of_core_name(port->name, protocol, options, cluster->arena);
    case PORT_INVALID:
        break;
    }
    return key_of_doubt(protocol, cluster->arena);
}

void keys_of_core_rule(const struct core_rule *rule, const struct cluster *cluster, const struct reading *reading,
                       const struct rule_options *options, struct key_list *keys) {
    if (rule->port_count == 0)
        keys_add(keys, key_of_everything(reading, cluster->arena), cluster->arena);
    for (uint32_t i = 0; i < rule->port_count; i++) {
        const struct core_port *port = &rule->ports[i];
        bool known = protocol_is_transport(port->protocol) && strcmp(port->protocol, "ANY") != 0;
        for (size_t k = 0; k < sizeof transports / sizeof *transports; k++) {
            if (transports[k].protocol == PROTOCOL_SCTP && !reading->sctp)
                continue;
            if (known && strcmp(port->protocol, transports[k].word) == 0)
                keys_add(keys, key_of_core_port(port, transports[k].protocol, cluster, reading, options),
                         cluster->arena);
            else if (!known)
                keys_add(keys, key_of_doubt(transports[k].protocol, cluster->arena), cluster->arena);
        }
    }
}

/* ---- Cilium ---- */

static struct rule_key key_of_cilium_port(const struct cilium_port *port, enum protocol protocol,
                                          const struct cluster *cluster, const struct reading *reading) {
    bool range = port->has_end && port->end > port->number && reading->class >= CILIUM_1_16_0;
    switch (port->form) {
    case PORT_ALL:
        return key_of_every_port(protocol, cluster->arena);
    case PORT_NUMBER:
        return key_of_range(port->number, range ? port->end : port->number, protocol, cluster->arena);
    case PORT_NAME:
        return key_of_cilium_name(port->name, protocol, cluster);
    case PORT_INVALID:
        break;
    }
    return key_of_doubt(protocol, cluster->arena);
}

static struct name_set names_of(const struct cilium_names *names, struct arena *arena, const struct reading *reading) {
    struct name_pattern *patterns = arena_array(arena, 2u * names->count + 1u, sizeof *patterns);
    uint32_t count = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        const struct cilium_name *name = &names->names[i];
        if (name->match_name)
            patterns[count++] = name_pattern_exact(arena, text_of(name->match_name));
        if (name->match_pattern)
            patterns[count++] = name_pattern_of(arena, text_of(name->match_pattern), reading->class >= CILIUM_1_19);
    }
    return name_set_of(arena, patterns, count);
}

/* Server names know a leading `*.` (one label) and `**.` (one or more) from 1.18 on, and no other star. */
static struct name_set server_names_of(const struct cilium_words *words, struct arena *arena,
                                       const struct reading *reading) {
    struct name_pattern *patterns = arena_array(arena, words->count + 1u, sizeof *patterns);
    uint32_t count = 0;
    for (uint32_t i = 0; i < words->count; i++) {
        if (!words->list[i])
            continue;
        struct text text = text_of(words->list[i]);
        if (reading->class >= CILIUM_1_18 && text_starts_with(text, "*"))
            patterns[count++] = name_pattern_of(arena, text, true);
        else
            patterns[count++] = name_pattern_exact(arena, text);
    }
    return name_set_of(arena, patterns, count);
}

static const struct rule_restriction *restriction_of(const struct cilium_port_rule *ports, struct arena *arena,
                                                     const struct reading *reading) {
    bool requests = ports->http == PRESENCE_FILLED;
    if (ports->dns.presence != PRESENCE_FILLED && ports->server_names.presence != PRESENCE_FILLED && !requests)
        return NULL;
    struct rule_restriction *restriction = arena_alloc(arena, sizeof *restriction);
    restriction->part = ports->part;
    if (ports->dns.presence == PRESENCE_FILLED) {
        restriction->has_questions = true;
        restriction->questions = names_of(&ports->dns, arena, reading);
    }
    if (ports->server_names.presence == PRESENCE_FILLED) {
        restriction->has_server_names = true;
        restriction->server_names = server_names_of(&ports->server_names, arena, reading);
    }
    if (requests)
        restriction->requests = ports->http_text ? ports->http_text : "http";
    return restriction;
}

static void keys_add_cilium_port(struct key_list *keys, const struct cilium_port *port,
                                 const struct rule_restriction *restriction, const char *proxy,
                                 const struct cluster *cluster, const struct reading *reading) {
    if (!protocol_is_transport(port->protocol)) {
        struct rule_key other = key_of_doubt(PROTOCOL_OTHER, cluster->arena);
        other.doubt = "a protocol that is not read further";
        keys_add(keys, other, cluster->arena);
        return;
    }
    for (size_t i = 0; i < sizeof transports / sizeof *transports; i++) {
        if (!protocol_covers(port->protocol, i) || (transports[i].protocol == PROTOCOL_SCTP && !reading->sctp))
            continue;
        struct rule_key key = key_of_cilium_port(port, transports[i].protocol, cluster, reading);
        key.restriction = restriction;
        key.proxy = proxy;
        keys_add(keys, key, cluster->arena);
    }
}

static void keys_add_icmps(struct key_list *keys, const struct cilium_entry *entry, struct arena *arena) {
    for (uint32_t i = 0; i < entry->icmp_count; i++) {
        const struct cilium_icmp *icmp = &entry->icmps[i];
        enum protocol protocol = icmp->ipv6 ? PROTOCOL_ICMPV6 : PROTOCOL_ICMP;
        struct rule_key key = {.form = KEY_ICMP, .lower = port_set_nothing()};
        key.id = arena_format(arena, "%s %u", protocol_word(protocol), icmp->type);
        key.upper = port_set_of(arena, protocol, 0, 255);
        if (icmp->usable)
            key.lower = key.upper = port_set_of(arena, protocol, icmp->type, icmp->type);
        else
            key.doubt = "an ICMP type that cannot be read";
        keys_add(keys, key, arena);
    }
}

void keys_of_cilium_entry(const struct cilium_entry *entry, bool deny, const struct cluster *cluster,
                          const struct reading *reading, struct key_list *keys) {
    bool ports = entry->port_presence == PRESENCE_FILLED, icmps = entry->icmp_presence == PRESENCE_FILLED;
    if (!ports && !icmps)
        keys_add(keys, key_of_everything(reading, cluster->arena), cluster->arena);
    for (uint32_t i = 0; ports && i < entry->port_count; i++) {
        const struct cilium_port_rule *rule = &entry->ports[i];
        const struct rule_restriction *restriction = deny ? NULL : restriction_of(rule, cluster->arena, reading);
        for (uint32_t k = 0; k < rule->port_count; k++)
            keys_add_cilium_port(keys, &rule->ports[k], restriction, deny ? NULL : rule->proxy_text, cluster, reading);
    }
    if (icmps)
        keys_add_icmps(keys, entry, cluster->arena);
}
