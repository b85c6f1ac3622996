/*
 * Destinations: one component a sort (spec/design.md). External addresses; learned addresses (a name and an address that
 * DNS gave for it); pods; special identities, of which there are finitely many.
 *
 * A CIDR holds its external addresses, and the learned pairs of every name with an address inside it. A name holds the
 * learned pairs of that name with every address. So all addresses of both families cover every learned pair, a part of
 * them covers no name, and a denied CIDR takes addresses away from a name and leaves the name.
 */
#ifndef IR_DESTINATION_SET_H
#define IR_DESTINATION_SET_H

#include "ir/address_set.h"
#include "ir/endpoint_set.h"
#include "ir/name_set.h"

/* Special identities; host and remote node stand twice, without and with the API server's mark. SPECIAL_API_SERVER is
 * an API server at an external address that the inputs do not tell. */
enum special {
    SPECIAL_API_SERVER,
    SPECIAL_HOST,
    SPECIAL_HOST_API_SERVER,
    SPECIAL_REMOTE_NODE,
    SPECIAL_REMOTE_NODE_API_SERVER,
    SPECIAL_HEALTH,
    SPECIAL_INGRESS,
    SPECIAL_INIT,
    SPECIAL_UNMANAGED,
    SPECIAL_COUNT
};
const char *special_word(enum special special); /* "kube-apiserver", "host", "host (kube-apiserver)", ... */

struct learned_set {
    struct name_set names;
    struct address_set addresses;
};

struct destination_set {
    struct address_set addresses;      /* external */
    const struct learned_set *learned; /* a union of products, none of them known to be empty */
    uint32_t learned_count;
    struct endpoint_set pods;
    uint32_t specials; /* bit 1 << enum special */
};

struct destination_set destination_set_nothing(void);
struct destination_set destination_set_everything(void);
struct destination_set destination_set_of_addresses(struct arena *arena, const struct address_set *addresses);
struct destination_set destination_set_of_names(struct arena *arena, const struct name_set *names);
struct destination_set destination_set_of_pods(const struct endpoint_set *pods);
struct destination_set destination_set_of_specials(uint32_t specials);

struct destination_set destination_set_union(struct arena *arena, const struct destination_set *a,
                                             const struct destination_set *b);
struct destination_set destination_set_intersect(struct arena *arena, const struct destination_set *a,
                                                 const struct destination_set *b);
struct destination_set destination_set_subtract(struct arena *arena, const struct destination_set *a,
                                                const struct destination_set *b);
enum emptiness destination_set_is_empty(struct arena *arena, const struct destination_set *set);
/* Spends from *effort: see name_set_is_empty_within. */
enum emptiness destination_set_is_empty_within(struct arena *arena, const struct destination_set *set, int64_t *effort);
/* By the form alone, at once; false says nothing. */
bool destination_set_is_nothing(const struct destination_set *set);
/* "addresses 10.0.0.0/8; name a.b; names *.c at 10.0.0.0/8; pods app=web; host, health"; "everything"; "nothing" */
void destination_set_print(struct buffer *out, const struct destination_set *set);

/* One concrete destination. */
enum destination_kind { DESTINATION_ADDRESS, DESTINATION_NAME, DESTINATION_POD, DESTINATION_SPECIAL };
struct destination {
    enum destination_kind kind;
    struct address address;   /* ADDRESS; NAME: one of its addresses */
    const char *name;         /* NAME */
    struct endpoint endpoint; /* POD */
    enum special special;     /* SPECIAL */
};
bool destination_set_contains(const struct destination_set *set, const struct destination *destination);
/* "169.254.169.254", "name a.b", "pod namespace=default", "host" */
void destination_print(struct buffer *out, const struct destination *destination);
/* The first in the order of witnesses (ir/witness.h); false: empty or undecided. */
bool destination_set_sample(struct arena *arena, const struct destination_set *set, struct destination *destination);

#endif
