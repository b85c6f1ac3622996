/*
 * Targets: the destination, ports and payload that a question names (spec/cli.md, "explain").
 */
#ifndef ANALYZER_ASK_TARGET_H
#define ANALYZER_ASK_TARGET_H

#include "analyzer/rules/subject.h"
#include "analyzer/snapshot.h"
#include "ir/flow_set.h"

/* One destination, or several that are asked about together. */
struct target_part {
    bool is_point;
    struct destination point;   /* is_point */
    const struct pod *pod;      /* of a point that is a pod of the inputs, else NULL */
    bool namespace_is_open;     /* of a pod: only its namespace's name is known */
    bool account_is_open;       /* of a pod: its service account is not known */
    struct destination_set set; /* not is_point */
};

struct target {
    const struct target_part *parts;
    size_t count;
    bool one_of;      /* it is one of the parts (or one address of a set), and which is not known */
    const char *name; /* fqdn: in lower case, else NULL */
    bool is_node;     /* a node or what runs on its network, or an entity with nodes in it */
    struct port_set ports;
    bool all_ports; /* no port was named */
    bool has_payload;
    struct payload_set payload;
    const char *text; /* the question's second half, for readers */
};

struct target_request {
    const char *to, *port, *dns_name, *server_name;
    bool cilium;
};

/* NULL, or one sentence: the request is bad. */
const char *target_parse(const struct target_request *request, struct snapshot *snapshot, struct arena *arena,
                         struct target *target);

/* Whether a set of destinations holds the point, as far as the point is known. */
enum truth target_part_in(const struct target_part *part, const struct destination_set *set);

#endif
