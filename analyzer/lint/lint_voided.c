/* Lists of names or blocks that a wider rule for the same pods makes void. */
#include "analyzer/lint/scope.h"
#include "base/arena.h"

enum { WIDE_LIMIT = 64 };

static bool entry_is_wide(const struct rule_entry *entry) {
    for (size_t i = 0; !entry->deny && i < entry->peer_count; i++)
        if (lint_is_wide(&entry->peers[i].lower.addresses))
            return true;
    return false;
}

/* Whether the entry lists names, or blocks that are no large part of all addresses, and nothing else. */
static bool entry_is_list(const struct rule_entry *entry, struct arena *arena) {
    for (size_t i = 0; i < entry->peer_count; i++) {
        const struct destination_set *set = &entry->peers[i].upper;
        bool names = set->learned_count > 0 && set->addresses.count == 0;
        if (set->specials || set->pods.count > 0 || (!names && set->addresses.count == 0) ||
            lint_is_wide(&set->addresses))
            return false;
        for (uint32_t k = 0; names && k < set->learned_count; k++)
            if (name_set_is_everything(arena, &set->learned[k].names))
                return false;
    }
    return !entry->deny && entry->peer_count > 0;
}

static struct flow_set of_ipv4(const struct flow_set *set, struct arena *arena) {
    struct address_set ipv4 = address_set_family(ADDRESS_IPV4);
    struct flow_box box = {.destinations = destination_set_of_addresses(arena, &ipv4),
                           .ports = port_set_everything(),
                           .payloads = payload_set_everything()};
    struct flow_set all = flow_set_of(arena, &box);
    return flow_set_intersect(arena, set, &all);
}

/* What the entry lists, as far as it is not denied. */
static struct flow_set listed_flows(const struct effective *effective, const struct rule_entry *entry,
                                    struct arena *arena) {
    struct flow_set set = flow_set_of_origin(arena, &effective->allow_upper, lint_origin(effective, entry));
    set = flow_set_subtract(arena, &set, &effective->deny_lower);
    return of_ipv4(&set, arena);
}

/* The list and the wide entries beside it. */
struct question {
    struct lint_entry entries[WIDE_LIMIT + 1]; /* the list first */
    size_t count;
};

static void collect_wide(struct lint_scope *scope, const struct lint_group *group, struct question *question) {
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!lint_is_judged(scope, group, i) || !(lint_traits(scope, member, 0) & TRAIT_WIDE))
            continue;
        const struct policy_rules *rules = lint_rules(scope, member, 0);
        for (size_t e = 0; e < rules->count && question->count <= WIDE_LIMIT; e++)
            if (entry_is_wide(&rules->entries[e]))
                question->entries[question->count++] = (struct lint_entry){i, &rules->entries[e]};
    }
}

/* What the wide entries let through. */
static struct flow_set wide_flows(const struct effective *effective, const struct question *question,
                                  struct arena *arena) {
    struct flow_set set = flow_set_nothing();
    for (size_t i = 1; i < question->count; i++) {
        struct flow_set one = lint_allowed(effective, question->entries[i].entry, arena);
        set = flow_set_union(arena, &set, &one);
    }
    return set;
}

static bool is_voided(struct lint_scope *scope, const struct lint_group *group, const struct question *question,
                      const struct flow_set *about) {
    for (size_t reading = 0; reading < scope->readings.count; reading++) {
        struct effective effective;
        if (!lint_effective(scope, group, reading, question->entries, question->count, about, &effective))
            return false;
        struct flow_set listed = listed_flows(&effective, question->entries[0].entry, scope->scratch);
        struct flow_set wide = wide_flows(&effective, question, scope->scratch);
        struct flow_set rest = flow_set_subtract(scope->scratch, &listed, &wide);
        if (flow_set_is_empty(scope->scratch, &listed) != SET_INHABITED ||
            flow_set_is_empty(scope->scratch, &rest) != SET_EMPTY)
            return false;
    }
    return true;
}

/* Whether the wide entry takes part in it, denies and the like left aside. */
static bool wide_meets(const struct rule_entry *wide, const struct rule_entry *list, struct arena *arena) {
    bool ports = false;
    for (size_t i = 0; i < wide->key_count && !ports; i++)
        for (size_t k = 0; k < list->key_count && !ports; k++) {
            struct port_set both = port_set_intersect(arena, &wide->keys[i].lower, &list->keys[k].upper);
            ports = !port_set_is_empty(&both);
        }
    struct destination_set one = entry_destinations(wide, false, arena), other = entry_destinations(list, true, arena);
    if (!ports)
        return false;
    one = destination_set_intersect(arena, &one, &other);
    return destination_set_is_empty(arena, &one) == SET_INHABITED;
}

static struct part wide_part(const struct rule_entry *entry) {
    for (size_t i = 0; i < entry->peer_count; i++)
        if (lint_is_wide(&entry->peers[i].lower.addresses) && entry->peers[i].part.node)
            return entry->peers[i].part;
    return entry->part;
}

static void report_voided(struct lint_scope *scope, const struct lint_group *group, const struct lint_entry *wide,
                          const struct lint_entry *list) {
    struct lint *lint = scope->lint;
    struct part part = wide_part(wide->entry);
    const struct object *object = scope->members[group->members[list->place]].policy->object;
    if (!lint_once(scope, CODE_ALLOWLIST_VOIDED, part.node))
        return;
    struct diagnostic *finding =
        lint_report(lint, scope->members[group->members[wide->place]].policy, CODE_ALLOWLIST_VOIDED, part,
                    "%s opens to %s all that %s of %s %s lists, so the list restricts nothing; narrow this rule, or "
                    "remove the list",
                    part.path, lint_subject_words(scope, group), list->entry->part.path, object->kind_word,
                    object_label(object, lint->arena));
    diagnostic_note(lint->findings, finding, node_location(object->file, list->entry->part.node),
                    "the list that becomes void");
}

/* The wide entry to speak of: the first that takes part; NULL: there is none. */
static const struct lint_entry *find_wide(const struct question *question, struct arena *arena) {
    for (size_t i = 1; i < question->count; i++)
        if (wide_meets(question->entries[i].entry, question->entries[0].entry, arena))
            return &question->entries[i];
    return NULL;
}

/* Without a set: whether some wide entry has the first port of each key of the list. */
static bool ports_may_be_covered(const struct question *question) {
    const struct rule_entry *list = question->entries[0].entry;
    for (size_t k = 0; k < list->key_count; k++) {
        enum protocol protocol;
        unsigned port;
        bool covered = !port_set_sample(&list->keys[k].upper, &protocol, &port);
        for (size_t i = 1; i < question->count && !covered; i++)
            for (size_t w = 0; w < question->entries[i].entry->key_count && !covered; w++)
                covered = port_set_contains(&question->entries[i].entry->keys[w].lower, protocol, port);
        if (!covered)
            return false;
    }
    return true;
}

/* Whether the wide entries may hold the list, whatever others take from them: cheap, for a first look. */
static bool may_be_voided(const struct question *question, struct arena *arena) {
    const struct rule_entry *list = question->entries[0].entry;
    struct address_set ipv4 = address_set_family(ADDRESS_IPV4);
    struct destination_set all = destination_set_of_addresses(arena, &ipv4);
    struct destination_set listed = entry_destinations(list, false, arena);
    struct port_set ports = port_set_nothing();
    for (size_t k = 0; k < list->key_count; k++)
        ports = port_set_union(arena, &ports, &list->keys[k].upper);
    listed = destination_set_intersect(arena, &listed, &all);
    for (size_t i = 1; i < question->count; i++) {
        const struct rule_entry *wide = question->entries[i].entry;
        struct destination_set one = entry_destinations(wide, false, arena);
        listed = destination_set_subtract(arena, &listed, &one);
        for (size_t k = 0; k < wide->key_count; k++)
            ports = port_set_subtract(arena, &ports, &wide->keys[k].lower);
    }
    return port_set_is_empty(&ports) && destination_set_is_empty(arena, &listed) == SET_EMPTY;
}

static void check_list(struct lint_scope *scope, const struct lint_group *group, struct question *question) {
    if (!ports_may_be_covered(question) || !entry_is_list(question->entries[0].entry, scope->scratch) ||
        !may_be_voided(question, scope->scratch))
        return;
    const struct lint_entry *wide = find_wide(question, scope->scratch);
    struct flow_box box = {.destinations = entry_destinations(question->entries[0].entry, true, scope->scratch),
                           .ports = port_set_everything(),
                           .payloads = payload_set_everything()};
    struct flow_set about = flow_set_of(scope->scratch, &box);
    if (wide && !lint_was_said(scope, CODE_ALLOWLIST_VOIDED, wide_part(wide->entry).node) &&
        is_voided(scope, group, question, &about))
        report_voided(scope, group, wide, &question->entries[0]);
}

void lint_check_voided(struct lint_scope *scope, struct lint_group *group) {
    unsigned traits = lint_group_traits(scope, group, 0, true);
    if (!(traits & TRAIT_WIDE) || !(traits & (TRAIT_NAMES | TRAIT_ADDRESSES)) || !lint_isolated(scope, group))
        return;
    struct question *question = arena_alloc(scope->scratch, sizeof *question);
    question->count = 1;
    collect_wide(scope, group, question);
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!lint_is_judged(scope, group, i) || !(lint_traits(scope, member, 0) & (TRAIT_NAMES | TRAIT_ADDRESSES)))
            continue;
        const struct policy_rules *rules = lint_rules(scope, member, 0);
        for (size_t e = 0; e < rules->count; e++) {
            struct arena_mark mark = arena_mark(scope->scratch);
            question->entries[0] = (struct lint_entry){i, &rules->entries[e]};
            check_list(scope, group, question);
            arena_rollback(scope->scratch, mark);
        }
    }
}
