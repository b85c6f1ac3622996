/* Names: whether pods may look any up, and whether those that toFQDNs allows may be asked for. */
#include <stdlib.h>

#include "analyzer/lint/scope.h"
#include "base/arena.h"

/* Whether policies of other namespaces may count, because theirs or the group's is not told, and have the trait. */
static bool elsewhere_has(struct lint_scope *scope, const struct lint_group *group, unsigned traits) {
    const char *mine = group->subject.namespace;
    bool made = lint_namespace_is_made(mine);
    uint64_t hash = mine ? text_hash(text_of(mine)) | 1u : 0;
    struct subject open = group->subject;
    open.labels_are_free = group->made;
    if (!made && !scope->has_made)
        return false;
    for (size_t i = 0; i < scope->member_count; i++) {
        struct lint_member *member = &scope->members[i];
        if (!member->namespace_hash || member->namespace_hash == hash ||
            (!made && !lint_namespace_is_made(member->namespace)))
            continue;
        if (!lint_spend(scope, 1))
            return true;
        if ((lint_traits(scope, member, 0) & traits) &&
            candidate_selects(&member->candidate, &open, &scope->cluster, &scope->readings.list[0]) != TRUTH_NO)
            return true;
    }
    return false;
}

/* Whether what is not there certainly is not: no policy that cannot be read, none that may be elsewhere. */
static bool absence_is_certain(struct lint_scope *scope, const struct lint_group *group, unsigned traits) {
    if (group->doubtful || scope->has_admin || scope->lint->snapshot.unreadable)
        return false;
    for (size_t i = 0; i < group->count; i++)
        if (scope->members[group->members[i]].opaque)
            return false;
    return !elsewhere_has(scope, group, traits);
}

/* The traits that a policy may have under some reading which selects the group's pods, or may; of those in `wanted`. */
static unsigned group_may(struct lint_scope *scope, const struct lint_group *group, unsigned wanted) {
    unsigned traits = 0;
    for (size_t i = 0; i < scope->readings.count && (traits & wanted) != wanted; i++)
        traits |= lint_group_traits(scope, group, i, false) & wanted;
    return traits == wanted ? traits : traits | lint_further(scope, group, wanted & ~traits);
}

/* Whether what was found to be absent was looked for to the end; says so if not. */
static bool was_searched(struct lint_scope *scope, const struct lint_group *group, enum code code) {
    for (size_t i = 0; scope->effort < 0 && i < group->count; i++)
        if (lint_is_judged(scope, group, i))
            lint_not_examined_of(scope, &scope->members[group->members[i]], code);
    return scope->effort >= 0;
}

/* ---- port 53 ---- */

static struct part egress_part(const struct lint_member *member) {
    const struct candidate *candidate = &member->candidate;
    struct part part = candidate->is_core ? candidate->policy->core->egress.part : candidate->rule->egress.part;
    if (!part.node && !candidate->is_core)
        part = candidate->rule->part;
    return part;
}

static void report_missing(struct lint_scope *scope, const struct lint_group *group) {
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!lint_is_judged(scope, group, i) || !(lint_traits(scope, member, 0) & TRAIT_ALLOWS))
            continue;
        struct lint_tally *tally = lint_tally(scope, group->members[i], CODE_DNS_MISSING, egress_part(member));
        if (!tally->message)
            tally->message =
                arena_format(scope->lint->arena,
                             "%s allows no port 53 to %s, nor does any other policy that selects it, so it can "
                             "look up no name; allow port 53, UDP and TCP, to the resolver's pods",
                             tally->part.path, lint_subject_words(scope, group));
    }
}

static bool entry_opens_53(const struct rule_entry *entry, enum protocol protocol) {
    for (size_t k = 0; !entry->deny && k < entry->key_count; k++)
        if (port_set_contains(&entry->keys[k].lower, protocol, 53))
            return true;
    return false;
}

/* The entries of the member that open port 53. */
static void report_one_protocol(struct lint_scope *scope, const struct lint_group *group, size_t place, bool udp) {
    struct lint_member *member = &scope->members[group->members[place]];
    const struct policy_rules *rules = lint_rules(scope, member, 0);
    const char *open = udp ? "UDP" : "TCP", *closed = udp ? "TCP" : "UDP";
    for (size_t i = 0; i < rules->count; i++) {
        if (!entry_opens_53(&rules->entries[i], udp ? PROTOCOL_UDP : PROTOCOL_TCP))
            continue;
        struct lint_tally *tally =
            lint_tally(scope, group->members[place], CODE_DNS_ONE_PROTOCOL, rules->entries[i].part);
        if (!tally->message)
            tally->message = arena_format(
                scope->lint->arena,
                "%s opens port 53 over %s, and no policy that selects %s opens it over %s: %s; add the same port with "
                "protocol %s",
                tally->part.path, open, lint_subject_words(scope, group), closed,
                udp ? "answers that do not fit a datagram are lost" : "resolvers ask over UDP first", closed);
    }
}

void lint_check_dns(struct lint_scope *scope, struct lint_group *group) {
    static const unsigned ports = TRAIT_UDP_53 | TRAIT_TCP_53;
    if (!lint_isolated(scope, group))
        return;
    unsigned open = group_may(scope, group, ports);
    if (open == ports)
        return;
    if (open == 0) {
        bool missing =
            group_may(scope, group, TRAIT_RESOLVER) == 0 && absence_is_certain(scope, group, ports | TRAIT_RESOLVER);
        if (was_searched(scope, group, CODE_DNS_MISSING) && missing)
            report_missing(scope, group);
        return;
    }
    bool udp = open == TRAIT_UDP_53, absent = absence_is_certain(scope, group, udp ? TRAIT_TCP_53 : TRAIT_UDP_53);
    if (!was_searched(scope, group, CODE_DNS_ONE_PROTOCOL) || !absent)
        return;
    for (size_t i = 0; i < group->count; i++)
        if (lint_is_judged(scope, group, i))
            report_one_protocol(scope, group, i, udp);
}

/* ---- names that may be asked for ---- */

/* The lists of DNS names of a group under a reading. */
struct lists {
    struct lint_scope *scope;
    const size_t *members; /* of the group, and those that further labels bring */
    size_t member_count;
    size_t reading;
    struct name_pattern *patterns;
    size_t count, capacity;
    const char **ids; /* of keys that have a list; sorted before they are asked for */
    size_t id_count, id_capacity;
    bool everything;
};

/* Lists are unions of patterns; one that is more than that is taken for every name. */
static void lists_add(struct lists *lists, const struct name_set *names) {
    for (uint32_t i = 0; i < names->count; i++) {
        const struct name_term *term = &names->terms[i];
        if (term->all_count != 1 || term->none_of.count > 0) {
            lists->everything = true;
            return;
        }
        for (uint32_t k = 0; k < term->all_of[0].count; k++) {
            lists->patterns = arena_grow(lists->scope->scratch, lists->patterns, &lists->capacity, lists->count + 1,
                                         sizeof *lists->patterns);
            lists->patterns[lists->count++] = term->all_of[0].patterns[k];
        }
    }
}

static bool key_is_listed(const struct lists *lists, const char *id) {
    return lists->id_count && bsearch(&id, lists->ids, lists->id_count, sizeof *lists->ids, string_compare_at);
}

/* Notes the keys of the entry that have lists. */
static void lists_note_keys(struct lists *lists, const struct rule_entry *entry) {
    for (size_t k = 0; !entry->deny && k < entry->key_count; k++) {
        const struct rule_key *key = &entry->keys[k];
        if (!key_has_questions(key))
            continue;
        lists->ids =
            arena_grow(lists->scope->scratch, lists->ids, &lists->id_capacity, lists->id_count + 1, sizeof *lists->ids);
        lists->ids[lists->id_count++] = key->id;
    }
}

/* Adds what an entry lets pods ask the proxy for: its list, or without one everything where another list has its key. */
static void lists_add_entry(struct lists *lists, const struct rule_entry *entry) {
    const struct rule_restriction *last = NULL;
    for (size_t k = 0; k < entry->key_count && !entry->deny && entry->peer_count > 0 && !lists->everything; k++) {
        const struct rule_key *key = &entry->keys[k];
        if (key_has_questions(key) && key->restriction != last)
            lists_add(lists, &key->restriction->questions);
        else if (!key->restriction && key->form == KEY_PORT)
            lists->everything = key_is_listed(lists, key->id);
        last = key->restriction;
    }
}

typedef void lists_visit(struct lists *lists, const struct rule_entry *entry);

static void lists_walk(struct lists *lists, unsigned traits, lists_visit *visit) {
    for (size_t i = 0; i < lists->member_count && !lists->everything; i++) {
        struct lint_member *member = &lists->scope->members[lists->members[i]];
        if (!(lint_traits(lists->scope, member, lists->reading) & traits))
            continue;
        const struct policy_rules *rules = lint_rules(lists->scope, member, lists->reading);
        for (size_t e = 0; e < rules->count; e++)
            visit(lists, &rules->entries[e]);
    }
}

/* Whether each name of the peer may be asked for, and one that may not. */
static enum emptiness unasked_names(struct lint_scope *scope, const struct peer *peer, const struct name_set *questions,
                                    const char **name) {
    bool undecided = false;
    for (uint32_t i = 0; i < peer->lower.learned_count; i++) {
        if (name_set_is_within(&peer->lower.learned[i].names, questions))
            continue;
        struct name_set rest = name_set_subtract(scope->scratch, &peer->lower.learned[i].names, questions);
        enum emptiness emptiness = name_set_is_empty(scope->scratch, &rest);
        *name = emptiness == SET_INHABITED ? name_set_sample(scope->scratch, &rest) : NULL;
        if (*name)
            return SET_INHABITED;
        undecided = undecided || emptiness != SET_EMPTY;
    }
    return undecided ? SET_UNDECIDED : SET_EMPTY;
}

static void report_gap(struct lint_scope *scope, const struct lint_group *group, size_t place, const struct peer *peer,
                       const struct name_set *questions) {
    const char *name;
    enum emptiness unasked = unasked_names(scope, peer, questions, &name);
    if (unasked == SET_UNDECIDED)
        lint_not_examined_of(scope, &scope->members[group->members[place]], CODE_FQDN_DNS_GAP);
    if (unasked != SET_INHABITED)
        return;
    struct lint_tally *tally = lint_tally(scope, group->members[place], CODE_FQDN_DNS_GAP, peer->part);
    if (!tally->message)
        tally->message = arena_format(scope->lint->arena,
                                      "%s allows %s, which no DNS rule lets %s ask for, so its addresses are never "
                                      "learned; add the name to `rules.dns` of the rule to the resolver",
                                      tally->part.path, *name ? name : "the root", lint_subject_words(scope, group));
}

static bool peer_is_name(const struct peer *peer) {
    return peer->lower.learned_count > 0 && peer->lower.addresses.count == 0;
}

static struct part names_part(const struct lint_member *member, const struct rule_entry *entry,
                              const struct peer *peer) {
    const struct cilium_entries *list = &member->candidate.rule->egress;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->list[i].part.node == entry->part.node && list->list[i].fqdns.part.node)
            return list->list[i].fqdns.part;
    return peer->part;
}

static void report_unseen(struct lint_scope *scope, const struct lint_group *group, size_t place,
                          const struct rule_entry *entry, const struct peer *peer) {
    struct lint_member *member = &scope->members[group->members[place]];
    struct lint_tally *tally =
        lint_tally(scope, group->members[place], CODE_FQDN_WITHOUT_DNS, names_part(member, entry, peer));
    if (!tally->message)
        tally->message =
            arena_format(scope->lint->arena,
                         "%s opens nothing: no policy that selects %s has a `rules.dns` list, so the DNS proxy "
                         "sees no answer and learns no address; add a rule to the resolver's port 53 with "
                         "`rules: {dns: [...]}`",
                         tally->part.path, lint_subject_words(scope, group));
}

/* The names of one member, under one reading. */
static void check_names(struct lint_scope *scope, const struct lint_group *group, size_t place,
                        const struct name_set *questions) {
    struct lint_member *member = &scope->members[group->members[place]];
    const struct policy_rules *rules = lint_rules(scope, member, 0);
    for (size_t e = 0; e < rules->count; e++) {
        const struct rule_entry *entry = &rules->entries[e];
        for (size_t i = 0; !entry->deny && i < entry->peer_count; i++) {
            if (!peer_is_name(&entry->peers[i]))
                continue;
            if (questions) {
                report_gap(scope, group, place, &entry->peers[i], questions);
            } else {
                report_unseen(scope, group, place, entry, &entry->peers[i]);
                break;
            }
        }
    }
}

/* Names that may be asked for under any reading. */
static struct name_set questions_of_any_reading(struct lint_scope *scope, const struct lint_group *group) {
    struct lists lists = {.scope = scope};
    lists.member_count = lint_group_and_further(scope, group, TRAIT_QUESTIONS | TRAIT_PLAIN_53, &lists.members);
    for (; lists.reading < scope->readings.count && !lists.everything; lists.reading++) {
        lists.id_count = 0;
        lists_walk(&lists, TRAIT_QUESTIONS, lists_note_keys);
        if (lists.id_count > 1)
            qsort(lists.ids, lists.id_count, sizeof *lists.ids, string_compare_at);
        lists_walk(&lists, TRAIT_QUESTIONS | TRAIT_PLAIN_53, lists_add_entry);
    }
    return lists.everything ? name_set_everything()
                            : name_set_of(scope->scratch, lists.patterns, (uint32_t)lists.count);
}

void lint_check_questions(struct lint_scope *scope, struct lint_group *group) {
    unsigned traits = scope->cilium ? lint_group_traits(scope, group, 0, true) : 0;
    if ((traits & (TRAIT_NAMES | TRAIT_QUESTIONS)) == 0 || !lint_isolated(scope, group) ||
        (lint_group_traits(scope, group, 0, false) & TRAIT_EVERY_NAME))
        return;
    bool seen = group_may(scope, group, TRAIT_QUESTIONS) != 0;
    if (!absence_is_certain(scope, group, TRAIT_QUESTIONS))
        return;
    struct name_set questions = questions_of_any_reading(scope, group);
    if (!was_searched(scope, group, seen ? CODE_FQDN_DNS_GAP : CODE_FQDN_WITHOUT_DNS))
        return;
    for (size_t i = 0; (traits & TRAIT_NAMES) && i < group->count; i++)
        if (lint_is_judged(scope, group, i))
            check_names(scope, group, i, seen ? &questions : NULL);
    if (seen)
        lint_check_search(scope, group, &questions);
}
