/*
 * Rules: what one policy (of a Cilium policy, one Rule) says under a reading, before rules of several policies act on
 * one another (spec/design.md "From objects to sets").
 *
 * An entry is one element of egress or egressDeny (ingress or ingressDeny): every peer with every key. A key is what
 * Cilium keys its rules by: (port, endPort, protocol), a port name, or nothing. Entries without peers or without keys
 * allow nothing. For ingress the peers are the sources, as the same sets.
 */
#ifndef ANALYZER_RULES_RULE_H
#define ANALYZER_RULES_RULE_H

#include "analyzer/rules/peer.h"
#include "ir/port_set.h"

enum direction { DIRECTION_EGRESS, DIRECTION_INGRESS };

enum key_form { KEY_NONE, KEY_EVERY_PORT, KEY_PORT, KEY_RANGE, KEY_NAME, KEY_ICMP };

/* What an entry of toPorts asks of the payload. */
struct rule_restriction {
    struct part part;
    bool has_questions; /* a non-empty list of DNS names */
    struct name_set questions;
    bool has_server_names;
    struct name_set server_names;
    const char *requests; /* HTTP and the like: the canonical text of the rules, or NULL */
};

struct rule_key {
    const char *id; /* equal for equal keys; "" for KEY_NONE */
    enum key_form form;
    struct port_set lower, upper;
    const char *name; /* of KEY_NAME, and its protocol */
    enum protocol protocol;
    bool pods_only;                             /* a port name of the core API: resolved by the destination pod */
    const struct rule_restriction *restriction; /* NULL: none */
    const char *proxy;                          /* canonical text of TLS contexts and listener, or NULL */
    const char *doubt;                          /* why the bounds differ, or NULL */
};

struct rule_entry {
    struct part part;
    bool deny;
    const struct peer *peers;
    size_t peer_count;
    const struct rule_key *keys;
    size_t key_count;
    const char *authentication; /* mode, or NULL */
};

struct policy_rules {
    const struct policy *policy;
    const struct cilium_rule *rule; /* NULL: a NetworkPolicy */
    bool isolates;                  /* puts what it selects into default-deny in this direction */
    bool adds_allow_all;            /* enableDefaultDeny is false for it: selects without isolating */
    const struct rule_entry *entries;
    size_t count;
};

/* The pod that a question is about, which settles port names of the core API; NULL: none. */
struct rule_options {
    const struct pod *destination;
};

void rules_of_core(const struct policy *policy, const struct cluster *cluster, const struct reading *reading,
                   const struct rule_options *options, struct policy_rules *rules);
void rules_of_cilium(const struct policy *policy, const struct cilium_rule *rule, const struct cluster *cluster,
                     const struct reading *reading, struct policy_rules *rules);

/* The same of ingress. Its port names are for the subject's containers to settle (key.name), not for the sets. */
void ingress_rules_of(const struct policy *policy, const struct cilium_rule *rule, const struct cluster *cluster,
                      const struct reading *reading, struct policy_rules *rules);

/* The bounds of an entry's destinations and ports, all peers and keys together. */
struct destination_set entry_destinations(const struct rule_entry *entry, bool upper, struct arena *arena);
struct port_set entry_ports(const struct rule_entry *entry, bool upper, struct arena *arena);

/* Whether the key's rules list DNS names, or server names. */
bool key_has_questions(const struct rule_key *key);
bool key_has_server_names(const struct rule_key *key);

/* Whether both entries have a peer of the same selector: rules of equal selector and key act on one another. */
bool entries_share_selector(const struct rule_entry *a, const struct rule_entry *b);

#endif
