#include "ir/witness.h"

#include "base/arena.h"

/* How many times NAME_SET_EFFORT may be spent on the names of one set of flows. */
enum { FULL_QUESTIONS = 16 };

static bool sample_name(struct arena *arena, const struct destination_set *set, struct destination *destination,
                        int64_t *effort) {
    const char *name = NULL;
    for (uint32_t i = 0; i < set->learned_count; i++) {
        const char *other = name_set_sample_within(arena, &set->learned[i].names, effort);
        if (other && !address_set_is_empty(&set->learned[i].addresses) && (!name || name_compare(other, name) < 0)) {
            name = other;
        }
    }
    if (!name) {
        return false;
    }
    bool found = false;
    *destination = (struct destination){.kind = DESTINATION_NAME, .name = name};
    for (uint32_t i = 0; i < set->learned_count; i++) {
        const struct learned_set *pairs = &set->learned[i];
        if (!address_set_is_empty(&pairs->addresses) && name_set_contains(&pairs->names, text_of(name)) &&
            (!found || address_compare(&pairs->addresses.ranges[0].first, &destination->address) < 0)) {
            destination->address = pairs->addresses.ranges[0].first;
            found = true;
        }
    }
    return found;
}

static bool sample_special(const struct destination_set *set, uint32_t specials, struct destination *destination) {
    for (unsigned i = 0; i < SPECIAL_COUNT; i++) {
        if ((set->specials & specials) >> i & 1U) {
            *destination = (struct destination){.kind = DESTINATION_SPECIAL, .special = (enum special)i};
            return true;
        }
    }
    return false;
}

bool witness_step_sample(struct arena *arena, const struct witness_step *step, const struct destination_set *set,
                         struct destination *destination, int64_t *effort) {
    struct address first, last, lowest;
    *destination = (struct destination){.kind = DESTINATION_ADDRESS};
    switch (step->kind) {
    case WITNESS_ADDRESSES:
        if (address_set_is_empty(&set->addresses) || !witness_step_range(step, &first, &last) ||
            !address_set_lowest(&set->addresses, &first, &last, &lowest)) {
            return false;
        }
        destination->address = lowest;
        return true;
    case WITNESS_SPECIALS:
        return sample_special(set, step->specials, destination);
    case WITNESS_PODS:
        destination->kind = DESTINATION_POD;
        return endpoint_set_sample(arena, &set->pods, &destination->endpoint);
    case WITNESS_NAMES:
        return sample_name(arena, set, destination, effort);
    }
    return false;
}

/* Of two destinations of one step. */
static int compare_destinations(const struct destination *a, const struct destination *b) {
    int order;
    switch (a->kind) {
    case DESTINATION_ADDRESS:
        return address_compare(&a->address, &b->address);
    case DESTINATION_NAME:
        order = name_compare(a->name, b->name);
        return order != 0 ? order : address_compare(&a->address, &b->address);
    case DESTINATION_POD:
        return endpoint_compare(&a->endpoint, &b->endpoint);
    case DESTINATION_SPECIAL:
        return (a->special > b->special) - (a->special < b->special);
    }
    return 0;
}

/* A box that may give the witness, with what its ports and payloads give. */
struct candidate {
    const struct flow_box *box;
    uint32_t number;
    enum protocol protocol;
    unsigned port;
    struct payload payload;
};

/* The boxes whose ports and payloads certainly hold something. */
static struct candidate *candidates_of(struct arena *arena, const struct flow_set *set, uint32_t *count,
                                       int64_t *effort) {
    struct candidate *candidates = arena_array(arena, set->count, sizeof *candidates);
    *count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        struct candidate *candidate = &candidates[*count];
        candidate->box = &set->boxes[i];
        candidate->number = i;
        if (port_set_sample(&candidate->box->ports, &candidate->protocol, &candidate->port) &&
            payload_set_sample_within(arena, &candidate->box->payloads, &candidate->payload, effort)) {
            (*count)++;
        }
    }
    return candidates;
}

static bool first_destination(struct arena *arena, const struct candidate *candidates, uint32_t count,
                              const struct witness_order *order, struct destination *first, int64_t *effort) {
    for (uint32_t step = 0; step < order->count; step++) {
        bool found = false;
        for (uint32_t i = 0; i < count; i++) {
            struct destination other;
            if (witness_step_sample(arena, &order->steps[step], &candidates[i].box->destinations, &other, effort) &&
                (!found || compare_destinations(&other, first) < 0)) {
                *first = other;
                found = true;
            }
        }
        if (found) {
            return true;
        }
    }
    return false;
}

/* Of two boxes that hold the destination. */
static int compare_candidates(const struct candidate *a, const struct candidate *b) {
    int order = port_witness_compare(a->protocol, a->port, b->protocol, b->port);
    return order != 0 ? order : payload_compare(&a->payload, &b->payload);
}

/* Whether the other box holds the port of the best one, and with it a payload that comes first. */
static bool has_better_payload(const struct candidate *other, const struct candidate *best) {
    return port_set_contains(&other->box->ports, best->protocol, best->port) &&
           payload_compare(&other->payload, &best->payload) < 0;
}

bool flow_set_sample(struct arena *arena, const struct flow_set *set, const struct witness_order *order,
                     struct flow *flow, uint32_t *box) {
    uint32_t count;
    int64_t effort = (int64_t)FULL_QUESTIONS * NAME_SET_EFFORT;
    const struct candidate *candidates = candidates_of(arena, set, &count, &effort), *best = NULL;
    struct destination first;
    if (!first_destination(arena, candidates, count, order, &first, &effort)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (destination_set_contains(&candidates[i].box->destinations, &first) &&
            (!best || compare_candidates(&candidates[i], best) < 0)) {
            best = &candidates[i];
        }
    }
    if (!best) {
        return false;
    }
    /* A box's first port comes before the ports that it has besides, so the best box has the first port of all; another
     * may hold that port too, not as its first. */
    *flow = (struct flow){first, best->protocol, best->port, best->payload};
    uint32_t number = best->number;
    for (uint32_t i = 0; i < count; i++) {
        struct candidate now = {.protocol = flow->protocol, .port = flow->port, .payload = flow->payload};
        if (has_better_payload(&candidates[i], &now) &&
            destination_set_contains(&candidates[i].box->destinations, &first)) {
            flow->payload = candidates[i].payload;
            number = candidates[i].number;
        }
    }
    if (box) {
        *box = number;
    }
    return true;
}

void flow_print(struct buffer *out, const struct flow *flow) {
    destination_print(out, &flow->destination);
    if (protocol_has_ports(flow->protocol)) {
        buffer_print(out, ", port %u/%s", flow->port, protocol_word(flow->protocol));
    } else if (flow->protocol == PROTOCOL_OTHER) {
        buffer_add_string(out, ", a protocol other than TCP, UDP, SCTP, ICMP and ICMPv6");
    } else {
        buffer_print(out, ", %s type %u", protocol_word(flow->protocol), flow->port);
    }
    static const char *const payloads[] = {[PAYLOAD_QUESTION] = "DNS question for",
                                           [PAYLOAD_SERVER_NAME] = "TLS server name",
                                           [PAYLOAD_REQUEST] = "HTTP request of"};
    if (flow->payload.kind != PAYLOAD_OTHER) {
        buffer_print(out, ", %s %s", payloads[flow->payload.kind], *flow->payload.text ? flow->payload.text : ".");
    }
}
