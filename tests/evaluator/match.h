/*
 * The evaluator's own matching of addresses, names, ports and labels: the obvious way, independent of grammar/.
 */
#ifndef TESTS_EVALUATOR_MATCH_H
#define TESTS_EVALUATOR_MATCH_H

#include "tests/evaluator/evaluate.h"

/* Three answers: what the objects do not tell is MAYBE. */
enum tri { TRI_NO, TRI_YES, TRI_MAYBE };

static inline enum tri tri_not(enum tri a) { return a == TRI_MAYBE ? TRI_MAYBE : a == TRI_NO ? TRI_YES : TRI_NO; }
static inline enum tri tri_and(enum tri a, enum tri b) {
    if (a == TRI_NO || b == TRI_NO)
        return TRI_NO;
    return a == TRI_YES && b == TRI_YES ? TRI_YES : TRI_MAYBE;
}
static inline enum tri tri_or(enum tri a, enum tri b) { return tri_not(tri_and(tri_not(a), tri_not(b))); }
static inline enum tri tri_of(bool a) { return a ? TRI_YES : TRI_NO; }

/* --- addresses ---------------------------------------------------------------------------------------------- */

struct block {
    struct evaluator_address first;   /* masked */
    struct evaluator_address address; /* as written */
    unsigned length;                  /* 0..32 or 0..128 */
    unsigned written;                 /* the prefix length as written: a mapped block keeps its IPv6 one */
};

/* A CIDR by the lax grammar of K 1.6, under the two readings of odd spellings; false: it is none. */
bool match_block_read(const char *text, const struct evaluator_reading *reading, struct block *block);
/* An address alone ("10.0.0.1", "fd00::1"). */
bool match_address_read(const char *text, struct evaluator_address *address);
/* Whether a field of the address or the prefix length has leading zeros, which Cilium does not take. */
bool match_block_has_zeros(const char *text);
bool match_block_has(const struct block *block, const struct evaluator_address *address);

/* --- names -------------------------------------------------------------------------------------------------- */

/* C 3.5: whether a matchName (`is_pattern` false) or matchPattern holds `name` in 1.`minor`. */
bool match_name(const char *entry, bool is_pattern, unsigned minor, const char *name);
/* Whether a matchPattern is the one of every name. */
bool match_name_is_all(const char *pattern, unsigned minor);
/* The CRD's pattern for names and patterns, and its length limit. */
bool match_name_is_valid(const char *entry, bool is_pattern, unsigned minor);
/* C 5.4: whether an entry of serverNames is acceptable, and whether it holds a server name. */
bool match_server_name_is_valid(const char *entry, unsigned minor);
bool match_server_name(const char *entry, const char *name);

/* --- ports -------------------------------------------------------------------------------------------------- */

enum match_port { MATCH_PORT_REFUSED, MATCH_PORT_NUMBER, MATCH_PORT_NAME };
/* C 4.1: a Cilium port string. */
enum match_port match_port_read(const char *text, unsigned *number);
/* K 1.8: the name of a port in a NetworkPolicy. */
bool match_port_name_is_valid(const char *text);

/* --- labels ------------------------------------------------------------------------------------------------- */

/* K 2: keys and values; a Cilium key may begin with a source. */
bool match_label_key_is_valid(const char *key);
bool match_label_value_is_valid(const char *value);
/* C 1.2: whether the agent's default filter keeps a pod label. */
bool match_label_is_kept(const char *key);

#endif
