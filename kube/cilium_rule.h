/*
 * The parts of Cilium Rules that are read and checked in several files. Private to kube/.
 */
#ifndef KUBE_CILIUM_RULE_H
#define KUBE_CILIUM_RULE_H

#include "kube/field.h"

/* Constant expressions, for tables. */
#define CILIUM_BIT(class_) (1u << (class_))
#define CILIUM_SINCE_1_16                                                                                              \
    (CILIUM_BIT(CILIUM_1_16_0) | CILIUM_BIT(CILIUM_1_16_4) | CILIUM_BIT(CILIUM_1_17_0) | CILIUM_BIT(CILIUM_1_17_5) |   \
     CILIUM_BIT(CILIUM_1_18) | CILIUM_BIT(CILIUM_1_19))
#define CILIUM_SINCE_1_17                                                                                              \
    (CILIUM_BIT(CILIUM_1_17_0) | CILIUM_BIT(CILIUM_1_17_5) | CILIUM_BIT(CILIUM_1_18) | CILIUM_BIT(CILIUM_1_19))
#define CILIUM_SINCE_1_18 (CILIUM_BIT(CILIUM_1_18) | CILIUM_BIT(CILIUM_1_19))

/* An entry of egress, egressDeny, ingress or ingressDeny. */
enum cilium_direction { CILIUM_EGRESS, CILIUM_EGRESS_DENY, CILIUM_INGRESS, CILIUM_INGRESS_DENY };
static inline bool cilium_is_deny(enum cilium_direction direction) {
    return direction == CILIUM_EGRESS_DENY || direction == CILIUM_INGRESS_DENY;
}
static inline bool cilium_is_ingress(enum cilium_direction direction) { return direction >= CILIUM_INGRESS; }

/* Rows of an entry of toPorts, with and without L7, and of icmps; of toFQDNs and rules.dns; of the four lists. */
extern const struct field cilium_port_rule_item[], cilium_deny_port_rule_item[], cilium_icmp_rule_item[];
extern const struct field cilium_name_item[];
extern const struct field cilium_entry_items[4][2]; /* by enum cilium_direction */

/* Readers: of a struct cilium_entry (toPorts, icmps); of a struct cilium_names; of a struct cilium_words, whose `field`
 * is the row of an entry. */
field_reader cilium_port_rules_read, cilium_icmps_read, cilium_names_read, cilium_words_read;

/* The number of an ICMP type, of a number or of a name of that family; false: there is none. */
bool cilium_icmp_type(const struct node *node, bool ipv6, unsigned *type);
/* Whether the CRD's pattern takes the name. */
bool cilium_icmp_name_in_schema(struct text name);

/* A JSON text that equal values share, whatever the order of their keys; null is absent. */
void cilium_canonical(struct arena *arena, struct buffer *out, const struct node *node);

/* What API server and agent refuse in an entry, beyond types; of a Rule for nodes where `host`. */
void cilium_peers_check(struct policy_reader *reader, const struct cilium_entry *entry,
                        enum cilium_direction direction);
void cilium_ports_check(struct policy_reader *reader, const struct cilium_entry *entry, enum cilium_direction direction,
                        bool host);

/* The names of toFQDNs and of rules.dns; `agent`: the classes whose agent refuses two kinds in one entry. */
void cilium_names_check(struct policy_reader *reader, const struct cilium_names *names, cilium_classes agent);

#endif
