#include "ir/destination_set.h"

#include <string.h>

#include "base/arena.h"
#include "ir/everything.h"
#include "ir/witness.h"

enum {
    PRUNE_EFFORT = 2000,   /* spent on a product to find out that it is empty */
    SIMPLIFY_LARGEST = 128 /* products among which those to join or to absorb are looked for */
};

static const char *const words[SPECIAL_COUNT] = {
    [SPECIAL_API_SERVER] = "kube-apiserver",
    [SPECIAL_HOST] = "host",
    [SPECIAL_HOST_API_SERVER] = "host (kube-apiserver)",
    [SPECIAL_REMOTE_NODE] = "remote-node",
    [SPECIAL_REMOTE_NODE_API_SERVER] = "remote-node (kube-apiserver)",
    [SPECIAL_HEALTH] = "health",
    [SPECIAL_INGRESS] = "ingress",
    [SPECIAL_INIT] = "init",
    [SPECIAL_UNMANAGED] = "unmanaged",
};

const char *special_word(enum special special) { return words[special]; }

/* A union of products being built. */
struct learned_list {
    struct arena *arena;
    struct learned_set *products;
    size_t count, capacity;
};

struct destination_set destination_set_nothing(void) {
    return (struct destination_set){.specials = 0};
}

static struct learned_set *product(struct arena *arena, struct name_set names, struct address_set addresses) {
    struct learned_set *one = arena_array(arena, 1, sizeof *one);
    *one = (struct learned_set){names, addresses};
    return one;
}

struct destination_set destination_set_everything(void) {
    return everything_flow.destinations;
}

struct destination_set destination_set_of_addresses(struct arena *arena, const struct address_set *addresses) {
    struct destination_set set = {.addresses = *addresses};
    if (!address_set_is_empty(addresses)) {
        set.learned = product(arena, name_set_everything(), *addresses);
        set.learned_count = 1;
    }
    return set;
}

struct destination_set destination_set_of_names(struct arena *arena, const struct name_set *names) {
    struct destination_set set = destination_set_nothing();
    if (names->count > 0) {
        set.learned = product(arena, *names, address_set_everything());
        set.learned_count = 1;
    }
    return set;
}

struct destination_set destination_set_of_pods(const struct endpoint_set *pods) {
    return (struct destination_set){.pods = *pods};
}

struct destination_set destination_set_of_specials(uint32_t specials) {
    return (struct destination_set){.specials = specials & EVERYTHING_SPECIALS};
}

static bool addresses_are_within(struct arena *arena, const struct address_set *a, const struct address_set *b) {
    struct arena_mark start = arena_mark(arena);
    struct address_set rest = address_set_subtract(arena, a, b);
    arena_rollback(arena, start);
    return address_set_is_empty(&rest);
}

static bool product_is_within(struct arena *arena, const struct learned_set *a, const struct learned_set *b) {
    return addresses_are_within(arena, &a->addresses, &b->addresses) && name_set_is_within(&a->names, &b->names);
}

/* Products that share a side are one. */
static bool join(struct arena *arena, struct learned_set *to, const struct learned_set *other) {
    if (address_set_equal(&to->addresses, &other->addresses)) {
        to->names = name_set_union(arena, &to->names, &other->names);
        return true;
    }
    if (name_set_is_within(&to->names, &other->names) && name_set_is_within(&other->names, &to->names)) {
        to->addresses = address_set_union(arena, &to->addresses, &other->addresses);
        return true;
    }
    return false;
}

/* Adds a product unless it is empty; joins and absorbs what it can. */
static void list_add(struct learned_list *list, struct name_set names, struct address_set addresses) {
    struct learned_set one = {names, addresses};
    int64_t effort = PRUNE_EFFORT;
    if (address_set_is_empty(&addresses) || name_set_is_empty_within(list->arena, &names, &effort) == SET_EMPTY) {
        return;
    }
    if (list->count <= SIMPLIFY_LARGEST) {
        size_t kept = 0;
        for (size_t i = 0; i < list->count; i++) {
            if (product_is_within(list->arena, &one, &list->products[i])) {
                /* What was taken out before is part of `one`, and so of this product too. */
                memmove(list->products + kept, list->products + i, (list->count - i) * sizeof *list->products);
                list->count -= i - kept;
                return;
            }
            if (!product_is_within(list->arena, &list->products[i], &one) &&
                !join(list->arena, &one, &list->products[i])) {
                list->products[kept++] = list->products[i];
            }
        }
        list->count = kept;
    }
    list->products = arena_grow(list->arena, list->products, &list->capacity, list->count + 1, sizeof one);
    list->products[list->count++] = one;
}

static void set_learned(struct destination_set *set, const struct learned_list *list) {
    set->learned = list->count ? list->products : NULL;
    set->learned_count = (uint32_t)list->count;
}

static bool same_learned(const struct destination_set *a, const struct destination_set *b) {
    return a->learned == b->learned && a->learned_count == b->learned_count;
}

struct destination_set destination_set_union(struct arena *arena, const struct destination_set *a,
                                             const struct destination_set *b) {
    struct destination_set set = *a;
    set.addresses = address_set_union(arena, &a->addresses, &b->addresses);
    set.pods = endpoint_set_union(arena, &a->pods, &b->pods);
    set.specials |= b->specials;
    if (a->learned_count == 0) {
        set.learned = b->learned;
        set.learned_count = b->learned_count;
    } else if (b->learned_count > 0 && !same_learned(a, b)) {
        struct learned_list list = {.arena = arena, .count = a->learned_count};
        list.products =
            arena_grow(arena, NULL, &list.capacity, (size_t)a->learned_count + b->learned_count, sizeof *a->learned);
        memcpy(list.products, a->learned, a->learned_count * sizeof *a->learned);
        for (uint32_t i = 0; i < b->learned_count; i++) {
            list_add(&list, b->learned[i].names, b->learned[i].addresses);
        }
        set_learned(&set, &list);
    }
    return set;
}

static void intersect_learned(struct arena *arena, struct destination_set *to, const struct destination_set *a,
                              const struct destination_set *b) {
    struct learned_list list = {.arena = arena};
    for (uint32_t i = 0; i < a->learned_count; i++) {
        for (uint32_t k = 0; k < b->learned_count; k++) {
            const struct learned_set *x = &a->learned[i], *y = &b->learned[k];
            struct address_set addresses = address_set_intersect(arena, &x->addresses, &y->addresses);
            if (!address_set_is_empty(&addresses)) {
                list_add(&list, name_set_intersect(arena, &x->names, &y->names), addresses);
            }
        }
    }
    set_learned(to, &list);
}

struct destination_set destination_set_intersect(struct arena *arena, const struct destination_set *a,
                                                 const struct destination_set *b) {
    struct destination_set set = {.addresses = address_set_intersect(arena, &a->addresses, &b->addresses),
                                  .pods = endpoint_set_intersect(arena, &a->pods, &b->pods),
                                  .specials = a->specials & b->specials};
    if (same_learned(a, b)) {
        set.learned = a->learned;
        set.learned_count = a->learned_count;
    } else {
        intersect_learned(arena, &set, a, b);
    }
    return set;
}

/* (N1×A1) − (N2×A2) = N1×(A1−A2) ∪ (N1−N2)×(A1∩A2). Addresses are split first: they are intervals, so the pieces grow
 * with the number of products taken away. Names that overlap would double with each. */
static void subtract_product(struct learned_list *list, const struct learned_set *a, const struct learned_set *b) {
    struct arena *arena = list->arena;
    struct address_set both = address_set_intersect(arena, &a->addresses, &b->addresses);
    struct name_set rest = name_set_subtract(arena, &a->names, &b->names);
    if (address_set_is_empty(&both) || name_set_is_within(&a->names, &rest)) {
        list_add(list, a->names, a->addresses);
        return;
    }
    list_add(list, a->names, address_set_subtract(arena, &a->addresses, &b->addresses));
    list_add(list, rest, both);
}

struct destination_set destination_set_subtract(struct arena *arena, const struct destination_set *a,
                                                const struct destination_set *b) {
    struct destination_set set = {.addresses = address_set_subtract(arena, &a->addresses, &b->addresses),
                                  .pods = endpoint_set_subtract(arena, &a->pods, &b->pods),
                                  .specials = a->specials & ~b->specials};
    if (a->learned_count > 0 && same_learned(a, b)) {
        return set;
    }
    set.learned = a->learned;
    set.learned_count = a->learned_count;
    for (uint32_t k = 0; k < b->learned_count && set.learned_count > 0; k++) {
        struct learned_list list = {.arena = arena};
        for (uint32_t i = 0; i < set.learned_count; i++) {
            subtract_product(&list, &set.learned[i], &b->learned[k]);
        }
        set_learned(&set, &list);
    }
    return set;
}

bool destination_set_is_nothing(const struct destination_set *set) {
    return address_set_is_empty(&set->addresses) && set->learned_count == 0 && set->pods.count == 0 &&
           set->specials == 0;
}

enum emptiness destination_set_is_empty_within(struct arena *arena, const struct destination_set *set,
                                               int64_t *effort) {
    if (!address_set_is_empty(&set->addresses) || set->specials != 0) {
        return SET_INHABITED;
    }
    enum emptiness pods = endpoint_set_is_empty_within(&set->pods, effort);
    if (pods == SET_INHABITED) {
        return SET_INHABITED;
    }
    bool undecided = pods == SET_UNDECIDED;
    for (uint32_t i = 0; i < set->learned_count; i++) {
        const struct learned_set *pairs = &set->learned[i];
        enum emptiness emptiness = address_set_is_empty(&pairs->addresses)
                                       ? SET_EMPTY
                                       : name_set_is_empty_within(arena, &pairs->names, effort);
        if (emptiness == SET_INHABITED) {
            return SET_INHABITED;
        }
        undecided = undecided || emptiness == SET_UNDECIDED;
    }
    return undecided ? SET_UNDECIDED : SET_EMPTY;
}

enum emptiness destination_set_is_empty(struct arena *arena, const struct destination_set *set) {
    int64_t effort = NAME_SET_EFFORT;
    return destination_set_is_empty_within(arena, set, &effort);
}

bool destination_set_contains(const struct destination_set *set, const struct destination *destination) {
    switch (destination->kind) {
    case DESTINATION_ADDRESS:
        return address_set_contains(&set->addresses, &destination->address);
    case DESTINATION_NAME:
        for (uint32_t i = 0; i < set->learned_count; i++) {
            if (address_set_contains(&set->learned[i].addresses, &destination->address) &&
                name_set_contains(&set->learned[i].names, text_of(destination->name))) {
                return true;
            }
        }
        return false;
    case DESTINATION_POD:
        return endpoint_set_contains(&set->pods, destination->endpoint.labels, destination->endpoint.count);
    case DESTINATION_SPECIAL:
        return (set->specials >> destination->special) & 1U;
    }
    return false;
}

bool destination_set_sample(struct arena *arena, const struct destination_set *set, struct destination *destination) {
    const struct witness_order *order = witness_order_default();
    int64_t effort = NAME_SET_EFFORT;
    for (uint32_t i = 0; i < order->count; i++) {
        if (witness_step_sample(arena, &order->steps[i], set, destination, &effort)) {
            return true;
        }
    }
    return false;
}
