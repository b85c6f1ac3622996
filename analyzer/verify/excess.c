#include "analyzer/verify/excess.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ir/witness.h"

/* ---- present pods ---- */

static bool pod_carries(const struct pod *pod, const struct label *label, const struct snapshot *snapshot) {
    const char *value = NULL;
    switch (label->key.scope) {
    case LABEL_POD:
        value = labels_get(&pod->labels, label->key.name);
        break;
    case LABEL_NAMESPACE: {
        const struct namespace_evidence *namespace = evidence_namespace(&snapshot->evidence, pod->namespace);
        value = namespace ? labels_get(&namespace->labels, label->key.name) : NULL;
        if (strcmp(label->key.name, "kubernetes.io/metadata.name") == 0)
            value = pod->namespace;
        break;
    }
    case LABEL_SERVICE_ACCOUNT:
        value = pod->service_account;
        break;
    case LABEL_CLUSTER:
        return true;
    }
    return value && strcmp(value, label->value) == 0;
}

static bool endpoint_is_present(const struct endpoint *endpoint, const struct snapshot *snapshot) {
    for (size_t i = 0; i < snapshot->evidence.pod_count; i++) {
        const struct pod *pod = &snapshot->evidence.pods[i];
        bool carries = pod->namespace && !pod->is_template;
        for (uint32_t k = 0; carries && k < endpoint->count; k++)
            carries = pod_carries(pod, &endpoint->labels[k], snapshot);
        if (carries)
            return true;
    }
    return false;
}

struct witness witness_in_snapshot(const struct flow *flow, const struct snapshot *snapshot, struct arena *arena) {
    bool present =
        flow->destination.kind == DESTINATION_POD && endpoint_is_present(&flow->destination.endpoint, snapshot);
    return witness_of_flow(flow, present, arena);
}

/* ---- where it comes from ---- */

/* The first peer of the entry that holds the destination, else the entry. */
static struct part peer_part(const struct rule_entry *entry, const struct flow *flow) {
    for (size_t i = 0; i < entry->peer_count; i++)
        if (destination_set_contains(&entry->peers[i].upper, &flow->destination) && entry->peers[i].part.node)
            return entry->peers[i].part;
    return entry->part;
}

/* One excess an entry of the policy, those that certainly add something, in the order of the entries. */
struct excess_set {
    uint32_t origin;
    struct flow_set set;
};

static size_t excess_sets(const struct flow_set *excess, struct excess_set *sets, size_t maximum, struct arena *arena) {
    size_t count = 0;
    for (uint32_t i = 0; i < excess->count && count < maximum; i++) {
        bool known = false;
        for (size_t k = 0; k < count; k++)
            known = known || sets[k].origin == excess->boxes[i].origin;
        if (known)
            continue;
        struct flow_set set = flow_set_of_origin(arena, excess, excess->boxes[i].origin);
        if (flow_set_is_empty(arena, &set) == SET_INHABITED)
            sets[count++] = (struct excess_set){excess->boxes[i].origin, set};
    }
    return count;
}

/* Whether the excess at `place` adds nothing to another one; of equal ones the first stays. */
static bool excess_is_covered(const struct excess_set *sets, size_t count, size_t place, struct arena *arena) {
    for (size_t i = 0; i < count; i++) {
        if (i == place)
            continue;
        struct flow_set rest = flow_set_subtract(arena, &sets[place].set, &sets[i].set);
        if (flow_set_is_empty(arena, &rest) != SET_EMPTY)
            continue;
        struct flow_set back = flow_set_subtract(arena, &sets[i].set, &sets[place].set);
        if (i < place || flow_set_is_empty(arena, &back) != SET_EMPTY)
            return true;
    }
    return false;
}

static bool excess_fill(struct excess *out, const struct flow_set *set, const struct effective *effective,
                        uint32_t *origin, const char *file, const struct union_setup *setup) {
    struct flow flow;
    uint32_t box;
    if (!flow_set_sample(setup->scratch, set, witness_order_default(), &flow, &box))
        return false;
    *origin = set->boxes[box].origin;
    struct part part = peer_part(effective->origins[*origin].entry, &flow);
    *out = (struct excess){.witness = witness_in_snapshot(&flow, setup->snapshot, setup->cluster.arena),
                           .path = part.path,
                           .location = node_location(file, part.node)};
    return true;
}

bool examined_set_excess(struct examined *examined, const struct flow_set *excess, const struct effective *effective,
                         const char *file, const struct union_setup *setup) {
    enum { COMPARED = 64 };
    struct arena *arena = setup->cluster.arena, *scratch = setup->scratch;
    struct excess first;
    uint32_t first_origin;
    if (!excess_fill(&first, excess, effective, &first_origin, file, setup))
        return false;
    struct witness *witness = arena_alloc(arena, sizeof *witness);
    *witness = first.witness;
    examined->witness = witness;
    examined->path = first.path;
    examined->location = first.location;

    struct excess_set *sets = arena_array(scratch, COMPARED, sizeof *sets);
    size_t count = excess_sets(excess, sets, COMPARED, scratch);
    struct excess *further = arena_array(arena, EXCESS_SHOWN, sizeof *further);
    for (size_t i = 0; i < count; i++) {
        if (sets[i].origin == first_origin || excess_is_covered(sets, count, i, scratch))
            continue;
        uint32_t origin;
        if (examined->further_count < EXCESS_SHOWN - 1 &&
            excess_fill(&further[examined->further_count], &sets[i].set, effective, &origin, file, setup))
            examined->further_count++;
        examined->more++;
    }
    examined->further = further;
    return true;
}
