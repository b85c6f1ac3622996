#include <string.h>

#include "analyzer/decision.h"
#include "base/arena.h"

/* The keys under which Cilium's identities carry what is no label of the pod or its namespace. */
#define SERVICE_ACCOUNT_KEY "io.cilium.k8s.policy.serviceaccount"
#define CLUSTER_KEY "io.cilium.k8s.policy.cluster"

static const char *witness_label_key(const struct label_key *key) {
    switch (key->scope) {
    case LABEL_NAMESPACE:
    case LABEL_POD:
        return key->name;
    case LABEL_SERVICE_ACCOUNT:
        return SERVICE_ACCOUNT_KEY;
    case LABEL_CLUSTER:
        return CLUSTER_KEY;
    }
    return key->name;
}

/* NULL where there is none. */
static const char *copy_of(const char *string, struct arena *arena) {
    return string ? arena_copy(arena, string, strlen(string)) : NULL;
}

/* The labels of the namespace, or all others, sorted by key: the list is short, and nearly in order. */
static struct labels witness_labels(const struct endpoint *endpoint, bool of_namespace, struct arena *arena) {
    struct key_value *list = arena_array(arena, endpoint->count, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; i < endpoint->count; i++) {
        const struct label *label = &endpoint->labels[i];
        if ((label->key.scope == LABEL_NAMESPACE) != of_namespace) {
            continue;
        }
        const char *key = witness_label_key(&label->key);
        uint32_t at = count++;
        for (; at > 0 && strcmp(list[at - 1].key, key) > 0; at--) {
            list[at] = list[at - 1];
        }
        list[at] = (struct key_value){.key = copy_of(key, arena), .value = copy_of(label->value, arena)};
    }
    return (struct labels){.list = list, .count = count};
}

static void witness_set_destination(struct witness *witness, const struct destination *destination,
                                    struct arena *arena) {
    switch (destination->kind) {
    case DESTINATION_ADDRESS: {
        char text[46];
        size_t length = address_print(&destination->address, text);
        witness->ip = arena_copy(arena, text, length);
        break;
    }
    case DESTINATION_NAME:
        witness->fqdn = copy_of(destination->name, arena);
        break;
    case DESTINATION_SPECIAL:
        witness->entity = special_word(destination->special);
        break;
    case DESTINATION_POD:
        witness->namespace_labels = witness_labels(&destination->endpoint, true, arena);
        witness->pod_labels = witness_labels(&destination->endpoint, false, arena);
        break;
    }
}

struct witness witness_of_flow(const struct flow *flow, bool present, struct arena *arena) {
    struct witness witness = {
        .present = present,
        .protocol = protocol_word(flow->protocol),
        .has_port = flow->protocol != PROTOCOL_OTHER,
        .port = flow->port,
        .dns_name = flow->payload.kind == PAYLOAD_QUESTION ? copy_of(flow->payload.text, arena) : NULL,
        .server_name = flow->payload.kind == PAYLOAD_SERVER_NAME ? copy_of(flow->payload.text, arena) : NULL,
    };
    witness_set_destination(&witness, &flow->destination, arena);
    return witness;
}
