/*
 * The scope of checks that need sets, other policies or evidence: the rules of all policies, the pods that they select,
 * and groups of pods that the same rules select. Private to analyzer/lint/.
 *
 * Nothing here walks over policies times pods: rules are found by a label of the pod, pods by a label of the peer, and
 * what all pods of a group share is asked once.
 */
#ifndef ANALYZER_LINT_SCOPE_H
#define ANALYZER_LINT_SCOPE_H

#include "analyzer/ask/target.h"
#include "analyzer/lint/check.h"
#include "analyzer/rules/effective.h"
#include "analyzer/verify/candidate.h"
#include "base/arena.h"

/* What some rule of a member may open; by reading. */
enum trait {
    TRAIT_ALLOWS = 1, /* anything at all */
    TRAIT_UDP_53 = 2,
    TRAIT_TCP_53 = 4,
    TRAIT_RESOLVER = 8,      /* another UDP port of the resolver's pods */
    TRAIT_QUESTIONS = 16,    /* a list of DNS names, so the DNS proxy sees questions */
    TRAIT_NAMES = 32,        /* toFQDNs */
    TRAIT_WIDE = 64,         /* more than half of all IPv4 or IPv6 addresses */
    TRAIT_METADATA = 128,    /* an address of a metadata service */
    TRAIT_DENIES = 256,      /* egressDeny */
    TRAIT_ADDRESSES = 512,   /* some addresses */
    TRAIT_PLAIN_53 = 1024,   /* port 53 without a list of DNS names, by that port's own key */
    TRAIT_EVERY_NAME = 2048, /* a list of DNS names that holds every name */
    TRAIT_RESTRICTS = 4096,  /* a restriction of payloads, which may act on other rules */
    TRAITS_KNOWN = 8192      /* the others have been looked at */
};

/* A NetworkPolicy, or one Rule of a Cilium policy. */
struct lint_member {
    const struct policy *policy; /* what findings are about; NULL: made of a SandboxTemplate, and not judged */
    struct candidate candidate;  /* of its policy in the namespace that it is taken to be in */
    const char *namespace;       /* that one; NULL: cluster-wide */
    uint64_t namespace_hash;     /* 0: cluster-wide */
    bool sound;        /* nothing is wrong with it and no reading of odd spellings matters: it means what it says */
    bool opaque;       /* it cannot be evaluated: it may mean anything */
    bool denies, acts; /* some entry denies; some entry denies or restricts payloads */
    bool excepts;      /* some block has an except */
    struct lint_denial **denials;      /* by reading; lint_weigh.c */
    const struct policy_rules **rules; /* by reading; NULL: not built, or forgotten */
    unsigned *traits;                  /* by reading; 0: not looked at yet */
    const struct pod *pod;             /* the first of the inputs that it certainly selects and restricts, or NULL */
    const struct pod *host_pod;        /* the first on the host's network that it certainly selects, or NULL */
    bool may_select;                   /* it selects a pod or template of the inputs, or may */
    size_t groups;                     /* in how many groups it certainly is */
};

/* Pods that the same members select. */
struct lint_group {
    const size_t *members; /* indexes, ascending */
    const bool *certain;
    size_t count;
    struct subject subject; /* one of them */
    bool made;              /* no pod: it carries what a selector demands */
    bool doubtful;          /* more may select it than can be told */
};

struct lint_pods;
struct lint_holders;
struct member_index;

/* What acts in the group at hand, while it is the same (lint_weigh.c). */
struct lint_weighing {
    struct arena *arena; /* of what follows */
    struct arena_mark start;
    const struct lint_group *group; /* whose context is known; NULL: none's */
    size_t context;
    size_t made_of;             /* the context that `acting` is of */
    struct lint_acting *acting; /* by reading; NULL: nothing yet */
    size_t collections;
};

/* A finding that stands if it was made in every group that its member certainly is in. */
struct lint_tally {
    size_t member, count;
    enum code code;
    struct part part;
    const char *message;
};

struct lint_scope {
    struct lint *lint;
    struct cluster cluster;       /* collections count as whole only where an index says so */
    struct reading_list readings; /* of the engine; the newest first */
    bool cilium, has_admin;
    bool has_made; /* some member is in a namespace that is not told */
    struct lint_member *members;
    size_t member_count, member_capacity;
    struct lint_group *groups;
    size_t group_count, group_capacity;
    struct arena *scratch; /* emptied after every group and member */
    struct arena *rules;   /* of rules and denies; emptied by lint_forget */
    struct arena_mark rules_start;
    struct evidence evidence;     /* what rules see: pods only where an index says that all are there */
    const struct pod *resolver;   /* a pod of the resolver that selectors can meet, or NULL */
    struct lint_holders *holders; /* of addresses; NULL: not looked for yet */
    uint64_t *met;                /* hashes of selectors that meet a pod, and 0; NULL: not made yet */
    size_t met_capacity, met_count;
    struct lint_pods *pods; /* index of the pods of the inputs by label */
    struct lint_marks {
        struct lint_mark {
            const struct node *node; /* NULL: a free slot */
            enum code code;
            size_t place; /* in `tallies` */
        } * slots;
        size_t count, capacity;
    } said, tallied, answered, unexamined;
    struct member_index *index;
    struct lint_weighing weighing;
    struct lint_contexts {
        struct step *steps;
        size_t count, capacity;
    } contexts;
    struct lint_denials {
        struct lint_denial **slots;
        size_t count, capacity;
    } denials;
    int64_t effort;             /* that is left for comparing rules with one another; below 0: none */
    struct lint_tally *tallies; /* findings that hold only if they hold in every group */
    size_t tally_count, tally_capacity;
};

void lint_scope_init(struct lint_scope *scope, struct lint *lint, struct arena *scratch);

/* They stand until lint_forget, which is called between members and between groups: rules take much more room than their
 * text does. */
const struct policy_rules *lint_rules(struct lint_scope *scope, struct lint_member *member, size_t reading);
/* Forgets rules and what was made of them where they take more room than they are worth. */
void lint_forget(struct lint_scope *scope);
unsigned lint_traits(struct lint_scope *scope, struct lint_member *member, size_t reading);
/* The traits that some (`certain`: certain and sound) member of the group has under the reading. */
unsigned lint_group_traits(struct lint_scope *scope, const struct lint_group *group, size_t reading, bool certain);

/* Whether some certain and sound member isolates the group's pods under every reading. */
bool lint_isolated(const struct lint_scope *scope, const struct lint_group *group);
/* Whether member `place` of the group certainly selects it, is judged and sound. */
bool lint_is_judged(const struct lint_scope *scope, const struct lint_group *group, size_t place);

/* Entries of a group's members that are asked about, each with its member's place in the group. */
struct lint_entry {
    size_t place;
    const struct rule_entry *entry; /* of the first reading */
};

/* What acts on the rules of a group, as a number: two groups with the same number give the same answers about an entry.
 * lint_context_after: the number of a context and one thing more. */
size_t lint_context(struct lint_scope *scope, const struct lint_group *group);
size_t lint_context_after(struct lint_scope *scope, size_t from, size_t item);

/* What an entry, of that reading, lets through of `about` beside all that acts on it: denies of the group's members, and
 * restrictions of payloads. Members that are not sound are not certain. `upper`: what it may let through. */
struct flow_set lint_lets(struct lint_scope *scope, const struct lint_group *group, size_t reading,
                          const struct rule_entry *entry, const struct flow_set *about, bool upper);
/* Whether the entry certainly lets some of the flows through under every reading, and which first (where it does). */
enum emptiness lint_entry_allows(struct lint_scope *scope, const struct lint_group *group,
                                 const struct lint_entry *entry, const struct flow_set *flows, struct flow *flow);

/* Takes from the effort that the run may spend; false: there is none left. One is about what comparing two rules costs. */
bool lint_spend(struct lint_scope *scope, size_t effort);
/* Says, once a policy and code, that the code was not looked for to the end, and why: "...; what to do". */
void lint_not_examined(struct lint_scope *scope, const struct lint_member *member, enum code code, const char *why);
/* The same, where a question was left undecided. */
void lint_not_examined_of(struct lint_scope *scope, const struct lint_member *member, enum code code);

/* Whether both have something in common; nothing is built for it. */
bool lint_ports_meet(const struct port_set *a, const struct port_set *b);
bool lint_addresses_meet(const struct address_set *a, const struct address_set *b);
/* Whether more than half of all IPv4, or of all IPv6 addresses are in the set. */
bool lint_is_wide(const struct address_set *set);

/* The same question of the node was answered by no in the same context; otherwise it is from now on, unless there is a
 * finding. */
bool lint_was_answered(struct lint_scope *scope, enum code code, const struct node *node, size_t context);

/* Whether the code is not among the marks of the node yet; from now on it is. */
bool lint_once_of(struct lint_scope *scope, struct lint_marks *marks, enum code code, const struct node *node);
/* Whether the code has not been said of the node yet; from now on it has. */
bool lint_once(struct lint_scope *scope, enum code code, const struct node *node);
bool lint_was_said(const struct lint_scope *scope, enum code code, const struct node *node);

/* "pod ns/name" or "a pod with labels k=v", for messages; "" where the namespace is not told. */
const char *lint_subject_words(const struct lint_scope *scope, const struct lint_group *group);

/* Counts a finding of the group at hand. The caller sets the message where there is none yet; it lives in the arena of the
 * run. */
struct lint_tally *lint_tally(struct lint_scope *scope, size_t member, enum code code, struct part part);
void lint_tally_report(struct lint_scope *scope);

/* ---- select.c ---- */

/* Finds which members select the pods of the inputs, and forms the groups. */
void lint_select(struct lint_scope *scope);

/* Of a made group: the traits of `wanted` that some policy has which may select the pods if they carry further labels. With
 * effort spent they are not all known. */
unsigned lint_further(struct lint_scope *scope, const struct lint_group *group, unsigned wanted);
/* The members of the group and such policies, ascending; in the scratch arena. */
size_t lint_group_and_further(struct lint_scope *scope, const struct lint_group *group, unsigned wanted,
                              const size_t **members);

/* The namespace that an object is taken to be in: its own, or one that all objects without any in its folder share. */
const char *lint_namespace(const struct object *object, struct arena *arena);
/* Whether it stands for an unknown one. */
bool lint_namespace_is_made(const char *namespace);

/* ---- pods.c ---- */

struct lint_pods *lint_pods_of(struct lint_scope *scope);

/* Calls `visit` for the pods and templates that may be in the set, finished ones left out, until it returns false. */
typedef bool lint_pod_visit(void *context, const struct pod *pod, enum truth in);
void lint_pods_in(struct lint_scope *scope, const struct endpoint_set *set, lint_pod_visit *visit, void *context);

/* How many pods of the inputs a namespace has; of any kind. */
size_t lint_pods_of_namespace(const struct lint_scope *scope, const char *namespace);
/* Whether pods or templates without a namespace are among the inputs, which may be in any. */
bool lint_has_loose_pods(const struct lint_scope *scope);
/* Whether the inputs seem to hold every namespace of the cluster. */
bool lint_has_all_namespaces(const struct lint_scope *scope);
const char *lint_pod_words(const struct lint_scope *scope, const struct pod *pod);

/* ---- the checks ---- */

typedef void lint_member_check(struct lint_scope *scope, struct lint_member *member);
typedef void lint_group_check(struct lint_scope *scope, struct lint_group *group);

lint_member_check lint_check_subject, lint_check_peers, lint_check_ports, lint_check_services, lint_check_blocks,
    lint_check_redundant, lint_check_dns_rules;
lint_group_check lint_check_dns, lint_check_questions, lint_check_lifted, lint_check_metadata, lint_check_reopened,
    lint_check_voided;
lint_run_check lint_check_priorities, lint_check_families;

/* The first pod of the inputs that is the resolver's, by the facts, and off the host's network; NULL: none is there. */
const struct pod *lint_resolver_of(struct lint_scope *scope);
/* Lists of DNS names without the forms of the search list; `questions`: what may be asked for at most. */
void lint_check_search(struct lint_scope *scope, struct lint_group *group, const struct name_set *questions);
/* The member's entry at the place of `entry` under another reading, or NULL. */
const struct rule_entry *lint_entry_under(struct lint_scope *scope, struct lint_member *member, size_t reading,
                                          const struct rule_entry *entry);

#endif
