#include "analyzer/ask/weigh.h"

#include <string.h>

#include "analyzer/rules/conflict.h"

#include "base/arena.h"

/* How much of the flows asked about is allowed. */
enum portion {
    PORTION_ALL,
    PORTION_NONE,
    PORTION_SOME, /* and not all, which destinations or ports is told by neither of the next */
    PORTION_PART, /* some ports certainly not, whichever destination it is */
    PORTION_UNKNOWN
};

/* ---- one part ---- */

/* A point stands as this identity while it is weighed: boxes that hold it, and no others, have it. */
static const uint32_t stand_in = 1u << SPECIAL_HOST;

/* The boxes that reach the part: for a point those that certainly hold it, or with `loose` those that may. */
static struct flow_set boxes_reaching(const struct flow_set *set, const struct target_part *part, bool loose,
                                      struct arena *arena) {
    if (!part->is_point)
        return *set;
    struct flow_box *boxes = arena_array(arena, set->count + 1u, sizeof *boxes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        enum truth inside = target_part_in(part, &set->boxes[i].destinations);
        if (inside == TRUTH_NO || (inside == TRUTH_MAYBE && !loose))
            continue;
        boxes[count] = set->boxes[i];
        boxes[count++].destinations = destination_set_of_specials(stand_in);
    }
    return (struct flow_set){boxes, count};
}

/* Without a payload in the question, some payload is enough. */
static struct flow_set any_payload(const struct flow_set *set, struct arena *arena) {
    struct flow_box *boxes = arena_array(arena, set->count + 1u, sizeof *boxes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        if (payload_set_is_empty(arena, &set->boxes[i].payloads) != SET_INHABITED)
            continue;
        boxes[count] = set->boxes[i];
        boxes[count++].payloads = payload_set_everything();
    }
    return (struct flow_set){boxes, count};
}

static struct flow_set allowed_set(const struct flow_set *allow, const struct flow_set *deny,
                                   const struct target_part *part, const struct target *target, bool upper,
                                   struct arena *arena) {
    struct flow_set allowed = boxes_reaching(allow, part, upper, arena);
    struct flow_set denied = boxes_reaching(deny, part, !upper, arena);
    if (!target->has_payload)
        allowed = any_payload(&allowed, arena);
    return flow_set_subtract(arena, &allowed, &denied);
}

static struct flow_set asked_set(const struct target_part *part, const struct target *target,
                                 const struct reading *reading, struct arena *arena) {
    struct flow_box box = {.destinations = part->is_point ? destination_set_of_specials(stand_in) : part->set,
                           .ports = target->ports,
                           .payloads = target->has_payload ? target->payload : payload_set_everything()};
    if (!reading->sctp && target->all_ports) {
        struct port_set sctp = port_set_of(arena, PROTOCOL_SCTP, 0, 65535);
        box.ports = port_set_subtract(arena, &box.ports, &sctp);
    }
    return flow_set_of(arena, &box);
}

static enum portion weigh_part(const struct effective *effective, const struct target_part *part,
                               const struct target *target, const struct reading *reading, struct arena *arena) {
    struct flow_set asked = asked_set(part, target, reading, arena);
    struct flow_set least = allowed_set(&effective->allow_lower, &effective->deny_upper, part, target, false, arena);
    struct flow_set most = allowed_set(&effective->allow_upper, &effective->deny_lower, part, target, true, arena);
    struct flow_set rest = flow_set_subtract(arena, &asked, &least);
    if (flow_set_is_empty(arena, &rest) == SET_EMPTY)
        return PORTION_ALL;
    struct flow_set meet = flow_set_intersect(arena, &asked, &most);
    if (flow_set_is_empty(arena, &meet) == SET_EMPTY)
        return PORTION_NONE;
    struct port_set untouched = asked.boxes[0].ports; /* the one box that is asked about, and it is not empty */
    for (uint32_t i = 0; i < meet.count; i++)
        untouched = port_set_subtract(arena, &untouched, &meet.boxes[i].ports);
    if (!port_set_is_empty(&untouched))
        return PORTION_PART;
    struct flow_set gap = flow_set_subtract(arena, &asked, &most);
    return flow_set_is_empty(arena, &gap) == SET_INHABITED ? PORTION_SOME : PORTION_UNKNOWN;
}

/* The core API leaves open whether a block of addresses selects the pods that have them. */
static enum portion weigh_pod_by_address(const struct effective *effective, const struct target_part *part,
                                         const struct target *target, const struct reading *reading,
                                         struct arena *arena) {
    for (uint32_t i = 0; part->pod && i < part->pod->address_count; i++) {
        struct target_part address = {.is_point = true,
                                      .point = {.kind = DESTINATION_ADDRESS, .address = part->pod->addresses[i]}};
        if (weigh_part(effective, &address, target, reading, arena) != PORTION_NONE)
            return PORTION_UNKNOWN;
    }
    return PORTION_NONE;
}

/* ---- all parts ---- */

static enum answer answer_of(const enum portion *portions, size_t count, bool one_of) {
    size_t all = 0, none = 0, some = 0, part = 0;
    for (size_t i = 0; i < count; i++) {
        all += portions[i] == PORTION_ALL ? 1 : 0;
        none += portions[i] == PORTION_NONE ? 1 : 0;
        some += portions[i] == PORTION_SOME ? 1 : 0;
        part += portions[i] == PORTION_PART ? 1 : 0;
    }
    if (all == count)
        return ANSWER_YES;
    if (none + part == count)
        return ANSWER_NO;
    if (one_of)
        return ANSWER_UNKNOWN;
    return none + some + part > 0 ? ANSWER_NO : ANSWER_UNKNOWN;
}

static enum answer weigh_target(const struct effective *effective, const struct target *target,
                                const struct reading *reading, struct arena *arena) {
    enum portion *portions = arena_array(arena, target->count + 1, sizeof *portions);
    for (size_t i = 0; i < target->count; i++) {
        portions[i] = weigh_part(effective, &target->parts[i], target, reading, arena);
        if (portions[i] == PORTION_NONE && !reading->cilium)
            portions[i] = weigh_pod_by_address(effective, &target->parts[i], target, reading, arena);
    }
    return answer_of(portions, target->count, target->one_of);
}

/* The ports on which every part is reached for certain. */
static struct port_set reached_ports(const struct effective *effective, const struct target *target,
                                     const struct reading *reading, struct arena *arena) {
    struct port_set reached = port_set_everything();
    for (size_t i = 0; i < target->count; i++) {
        const struct target_part *part = &target->parts[i];
        struct flow_set asked = asked_set(part, target, reading, arena);
        struct flow_set least =
            allowed_set(&effective->allow_lower, &effective->deny_upper, part, target, false, arena);
        struct flow_set rest = flow_set_subtract(arena, &asked, &least);
        for (uint32_t k = 0; k < rest.count; k++)
            reached = port_set_subtract(arena, &reached, &rest.boxes[k].ports);
    }
    if (!reading->sctp) {
        struct port_set sctp = port_set_of(arena, PROTOCOL_SCTP, 0, 65535);
        reached = port_set_subtract(arena, &reached, &sctp);
    }
    return reached;
}

/* ---- learning ---- */

static struct endpoint dns_server(const struct cluster *cluster) {
    const struct cluster_facts *facts = &cluster->facts;
    struct label *labels = arena_array(cluster->arena, facts->dns_label_count + 2, sizeof *labels);
    uint32_t count = 0;
    labels[count++] = (struct label){{LABEL_NAMESPACE, "kubernetes.io/metadata.name"}, facts->dns_namespace};
    for (size_t i = 0; i < facts->dns_label_count; i++)
        labels[count++] = (struct label){{LABEL_POD, facts->dns_labels[i].key}, facts->dns_labels[i].value};
    labels[count++] = (struct label){{LABEL_CLUSTER, ""}, facts->cluster_name};
    return (struct endpoint){labels, count};
}

/* The DNS servers, and what is asked about them. */
struct look_up {
    const struct weighing *weighing;
    struct target_part server;
    const char *name;
    bool certain; /* only what is in force for certain counts */
};

static bool entry_serves(const struct look_up *look_up, size_t selected, const struct rule_entry *entry) {
    if (entry->deny || (look_up->certain && !look_up->weighing->selected[selected].certain))
        return false;
    for (size_t i = 0; i < entry->peer_count; i++) {
        const struct peer *peer = &entry->peers[i];
        if (target_part_in(&look_up->server, look_up->certain ? &peer->lower : &peer->upper) >=
            (look_up->certain ? TRUTH_YES : TRUTH_MAYBE))
            return true;
    }
    return false;
}

/* Whether a rule under that key lets the name through: it lists it, or lists nothing. */
static bool key_lets_ask(const struct look_up *look_up, const char *id) {
    for (size_t i = 0; i < look_up->weighing->count; i++)
        for (size_t e = 0; e < look_up->weighing->selected[i].rules->count; e++) {
            const struct rule_entry *entry = &look_up->weighing->selected[i].rules->entries[e];
            for (size_t k = 0; k < entry->key_count; k++) {
                const struct rule_key *key = &entry->keys[k];
                bool lets =
                    !key_has_questions(key) || name_set_contains(&key->restriction->questions, text_of(look_up->name));
                if (lets && strcmp(key->id, id) == 0 && entry_serves(look_up, i, entry))
                    return true;
            }
        }
    return false;
}

/* Whether the proxy of some key with a DNS list sees the answer. */
static bool name_is_seen(const struct look_up *look_up) {
    for (size_t i = 0; i < look_up->weighing->count; i++)
        for (size_t e = 0; e < look_up->weighing->selected[i].rules->count; e++) {
            const struct rule_entry *entry = &look_up->weighing->selected[i].rules->entries[e];
            for (size_t k = 0; k < entry->key_count; k++)
                if (key_has_questions(&entry->keys[k]) && entry_serves(look_up, i, entry) &&
                    key_lets_ask(look_up, entry->keys[k].id))
                    return true;
        }
    return false;
}

/* Whether some rule under a key with a DNS list lets the name be asked of the DNS servers: then the proxy sees the answer.
 * A plain rule under the same key lets every name through the proxy as well. */
static enum answer learned(const struct weighing *weighing, const char *name) {
    struct look_up look_up = {.weighing = weighing,
                              .server = {.is_point = true,
                                         .point = {.kind = DESTINATION_POD, .endpoint = dns_server(weighing->cluster)},
                                         .namespace_is_open = true,
                                         .account_is_open = true},
                              .name = name,
                              .certain = true};
    if (name_is_seen(&look_up))
        return ANSWER_YES;
    look_up.certain = false;
    return name_is_seen(&look_up) ? ANSWER_UNKNOWN : ANSWER_NO;
}

/* Whether the name is reached because every address is, so that nothing needs to be learned. */
static bool reached_anyway(const struct effective *effective, const struct target *target,
                           const struct reading *reading, struct arena *arena) {
    struct address_set everywhere = address_set_everything();
    struct target_part world = {.set = {.addresses = everywhere}};
    struct target plain = *target;
    plain.parts = &world;
    plain.count = 1;
    return weigh_target(effective, &plain, reading, arena) == ANSWER_YES;
}

/* ---- the reading ---- */

static void add_everything(struct effective *effective, struct arena *arena) {
    struct flow_set everything = flow_set_everything();
    effective->allow_lower = flow_set_union(arena, &effective->allow_lower, &everything);
    effective->allow_upper = flow_set_union(arena, &effective->allow_upper, &everything);
}

/* Without default-deny everything passes that is not denied. To 1.17.4 DNS rules of policies that lift default-deny still
 * refuse other names: the allow-all that is added has no port, so their keys keep their servers. */
static struct effective effective_when_open(const struct weighing *weighing) {
    struct arena *arena = weighing->cluster->arena;
    struct effective effective;
    if (!weighing->reading->cilium || weighing->reading->class >= CILIUM_1_17_5) {
        effective_of(weighing->selected, weighing->count, weighing->reading, arena, &effective);
        add_everything(&effective, arena);
        return effective;
    }
    static const struct rule_key every_port = {.id = "", .form = KEY_NONE};
    struct rule_key *key = arena_alloc(arena, sizeof *key);
    *key = every_port;
    key->lower = key->upper = port_set_everything();
    struct peer *anything = arena_alloc(arena, sizeof *anything);
    *anything = peer_of_anything((struct part){0});
    struct rule_entry *entry = arena_alloc(arena, sizeof *entry);
    *entry = (struct rule_entry){.peers = anything, .peer_count = 1, .keys = key, .key_count = 1};
    struct policy_rules *open = arena_alloc(arena, sizeof *open);
    *open = (struct policy_rules){.entries = entry, .count = 1};
    struct selected_rules *selected = arena_array(arena, weighing->count + 1, sizeof *selected);
    for (size_t i = 0; i < weighing->count; i++)
        selected[i] = weighing->selected[i];
    selected[weighing->count] = (struct selected_rules){open, true};
    effective_of(selected, weighing->count + 1, weighing->reading, arena, &effective);
    return effective;
}

static enum answer weigh_learning(const struct weighing *weighing, const struct target *target,
                                  const struct effective *effective, struct weighed *weighed) {
    if (!target->name || !weighing->reading->cilium)
        return weighed->allowed;
    weighed->learned = learned(weighing, target->name);
    if (weighed->allowed != ANSWER_YES || weighed->learned == ANSWER_YES ||
        reached_anyway(effective, target, weighing->reading, weighing->cluster->arena))
        return weighed->allowed;
    if (weighed->learned == ANSWER_UNKNOWN) {
        weighed->why = "whether a DNS rule lets the addresses of the name be learned cannot be told";
        return ANSWER_UNKNOWN;
    }
    weighed->why = "the rules allow the name, but no DNS rule of the pod lets its addresses be learned";
    return ANSWER_NO;
}

/* The allowed sets are closed: addresses of both families hold the API server wherever it is. */
static void weigh_effective(const struct weighing *weighing, const struct target *target, struct effective *effective,
                            struct weighed *weighed) {
    struct arena *arena = weighing->cluster->arena;
    effective->allow_lower = flow_set_closed(arena, &effective->allow_lower);
    effective->allow_upper = flow_set_closed(arena, &effective->allow_upper);
    weighed->allowed = weigh_target(effective, target, weighing->reading, arena);
    weighed->ports = reached_ports(effective, target, weighing->reading, arena);
}

/* Rules that the agent cannot resolve together leave the pod on its previous policy. */
static bool weigh_conflicts(const struct weighing *weighing, struct weighed *weighed) {
    struct rule_conflict conflict;
    for (size_t i = 0; i < weighing->count; i++)
        if (rules_conflict(weighing->selected, weighing->count, i, weighing->reading, &conflict)) {
            weighed->allowed = ANSWER_UNKNOWN;
            weighed->why =
                arena_format(weighing->cluster->arena,
                             "%s, which the agent cannot resolve: the pod keeps its previous policy", conflict.what);
            return true;
        }
    return false;
}

void weigh(const struct weighing *weighing, const struct target *target, struct weighed *weighed) {
    static const enum answer answers[] = {
        [TRUTH_NO] = ANSWER_NO, [TRUTH_MAYBE] = ANSWER_UNKNOWN, [TRUTH_YES] = ANSWER_YES};
    *weighed = (struct weighed){.isolated = answers[weighing->isolates]};
    struct effective closed, open;
    if (weighing->isolates != TRUTH_NO) {
        effective_of(weighing->selected, weighing->count, weighing->reading, weighing->cluster->arena, &closed);
        weigh_effective(weighing, target, &closed, weighed);
        weighed->allowed = weigh_learning(weighing, target, &closed, weighed);
        if (!weighing->reading->cilium && target->is_node) {
            weighed->allowed = ANSWER_UNKNOWN;
            weighed->why = "whether a policy restricts traffic to nodes depends on what implements it";
        }
    }
    if (weighing->isolates != TRUTH_YES) {
        struct weighed apart = {0};
        open = effective_when_open(weighing);
        weigh_effective(weighing, target, &open, &apart);
        if (weighing->isolates == TRUTH_NO) {
            weighed->allowed = apart.allowed;
            weighed->ports = apart.ports;
        } else if (apart.allowed != weighed->allowed) {
            weighed->allowed = ANSWER_UNKNOWN;
            weighed->why = "whether anything isolates the pod cannot be told";
        }
        if (target->name && weighing->reading->cilium)
            weighed->learned = learned(weighing, target->name);
    }
    if (weigh_conflicts(weighing, weighed))
        return;
    if (weighing->unmodelled) {
        weighed->allowed = ANSWER_UNKNOWN;
        weighed->why = "a policy of policy.networking.k8s.io may select the pod, and those are not modelled yet";
    }
}

/* ---- one entry ---- */

static bool key_meets(const struct rule_key *key, const struct target *target, struct arena *arena) {
    struct port_set both = port_set_intersect(arena, &key->upper, &target->ports);
    return !port_set_is_empty(&both);
}

static bool payload_meets(const struct rule_key *key, const struct target *target, struct arena *arena) {
    const struct rule_restriction *restriction = key->restriction;
    if (!restriction || !target->has_payload)
        return true;
    struct payload_set payloads = restriction->has_questions ? payload_set_of_questions(&restriction->questions)
                                  : restriction->has_server_names
                                      ? payload_set_of_server_names(&restriction->server_names)
                                      : payload_set_everything();
    struct payload_set both = payload_set_intersect(arena, &payloads, &target->payload);
    return payload_set_is_empty(arena, &both) != SET_EMPTY;
}

static bool peer_meets(const struct peer *peer, const struct target *target, struct arena *arena) {
    for (size_t i = 0; i < target->count; i++) {
        const struct target_part *part = &target->parts[i];
        if (part->is_point && target_part_in(part, &peer->upper) != TRUTH_NO)
            return true;
        struct destination_set both = destination_set_nothing();
        if (!part->is_point)
            both = destination_set_intersect(arena, &peer->upper, &part->set);
        if (!part->is_point && destination_set_is_empty(arena, &both) != SET_EMPTY)
            return true;
    }
    return false;
}

bool weigh_entry(const struct weighing *weighing, const struct rule_entry *entry, const struct target *target,
                 enum rule_effect *effect, struct part *part, const char **detail) {
    struct arena *arena = weighing->cluster->arena;
    bool destination = false, port = false, payload = false;
    *part = entry->part;
    for (size_t i = 0; i < entry->peer_count && !destination; i++)
        if (peer_meets(&entry->peers[i], target, arena)) {
            destination = true;
            *part = entry->peers[i].part.node ? entry->peers[i].part : entry->part;
        }
    for (size_t i = 0; i < entry->key_count; i++)
        if (key_meets(&entry->keys[i], target, arena)) {
            port = true;
            payload = payload || payload_meets(&entry->keys[i], target, arena);
        }
    *detail = NULL;
    *effect = entry->deny ? EFFECT_DENIES : EFFECT_ALLOWS;
    if (destination && port && payload)
        return true;
    *effect = EFFECT_MISSES;
    *detail = !destination ? "another destination" : !port ? "other ports" : "another name";
    if (!destination)
        *part = entry->part;
    return destination || (port && !target->all_ports);
}
