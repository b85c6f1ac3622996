/* Lists of names or blocks that a wider rule for the same pods makes void. */
#include "analyzer/lint/scope.h"
#include "base/arena.h"

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

/* A list and the wide entries beside it. */
struct question {
    struct lint_entry list, *wide;
    size_t count, capacity;
    struct port_set ports; /* of the wide entries */
    size_t context;
    bool silent; /* all wide entries were spoken of already */
};

static struct part wide_part(const struct rule_entry *entry) {
    for (size_t i = 0; i < entry->peer_count; i++)
        if (lint_is_wide(&entry->peers[i].lower.addresses) && entry->peers[i].part.node)
            return entry->peers[i].part;
    return entry->part;
}

static void collect_wide(struct lint_scope *scope, const struct lint_group *group, struct question *question) {
    question->silent = true;
    question->context = lint_context(scope, group);
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!lint_is_judged(scope, group, i) || !(lint_traits(scope, member, 0) & TRAIT_WIDE))
            continue;
        const struct policy_rules *rules = lint_rules(scope, member, 0);
        for (size_t e = 0; e < rules->count; e++) {
            if (!entry_is_wide(&rules->entries[e]))
                continue;
            question->wide = arena_grow(scope->scratch, question->wide, &question->capacity, question->count + 1,
                                        sizeof *question->wide);
            question->wide[question->count++] = (struct lint_entry){i, &rules->entries[e]};
            question->context = lint_context_after(scope, question->context, group->members[i]);
            question->context = lint_context_after(scope, question->context, e);
            question->silent =
                question->silent && lint_was_said(scope, CODE_ALLOWLIST_VOIDED, wide_part(&rules->entries[e]).node);
        }
    }
    struct port_set *ports = arena_array(scope->scratch, question->count + 1, sizeof *ports);
    const struct port_set **each = arena_array(scope->scratch, question->count + 1, sizeof *each);
    for (size_t i = 0; i < question->count && !question->silent; i++) {
        ports[i] = entry_ports(question->wide[i].entry, false, scope->scratch);
        each[i] = &ports[i];
    }
    question->ports = port_set_union_of(scope->scratch, each, question->silent ? 0 : question->count);
}

/* What the entry lets through of `about` under the reading. */
static struct flow_set lets(struct lint_scope *scope, const struct lint_group *group, size_t reading,
                            const struct lint_entry *entry, const struct flow_set *about, bool upper) {
    struct lint_member *member = &scope->members[group->members[entry->place]];
    const struct rule_entry *here = lint_entry_under(scope, member, reading, entry->entry);
    return here ? lint_lets(scope, group, reading, here, about, upper) : flow_set_nothing();
}

/* Whether the wide entries let through all that the list may, which is something; under every reading. */
static enum emptiness list_adds(struct lint_scope *scope, const struct lint_group *group,
                                const struct question *question, const struct flow_set *about) {
    struct arena *arena = scope->scratch;
    bool undecided = false;
    for (size_t reading = 0; reading < scope->readings.count; reading++) {
        struct flow_set listed = lets(scope, group, reading, &question->list, about, true);
        listed = of_ipv4(&listed, arena);
        enum emptiness left = flow_set_is_empty(arena, &listed);
        if (left == SET_EMPTY)
            return SET_INHABITED;
        undecided = undecided || left == SET_UNDECIDED;
        for (size_t i = 0; i < question->count && listed.count > 0; i++) {
            struct flow_set wide = lets(scope, group, reading, &question->wide[i], &listed, false);
            listed = flow_set_subtract(arena, &listed, &wide);
        }
        left = flow_set_is_empty(arena, &listed);
        if (left == SET_INHABITED)
            return SET_INHABITED;
        undecided = undecided || left == SET_UNDECIDED;
    }
    return undecided || scope->effort < 0 ? SET_UNDECIDED : SET_EMPTY;
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
    for (size_t i = 0; i < question->count; i++)
        if (wide_meets(question->wide[i].entry, question->list.entry, arena))
            return &question->wide[i];
    return NULL;
}

/* Without a set: whether some wide entry has the first port of each key of the list. */
static bool ports_may_be_covered(const struct question *question) {
    const struct rule_entry *list = question->list.entry;
    for (size_t k = 0; k < list->key_count; k++) {
        enum protocol protocol;
        unsigned port;
        if (port_set_sample(&list->keys[k].upper, &protocol, &port) &&
            !port_set_contains(&question->ports, protocol, port))
            return false;
    }
    return true;
}

/* Whether the wide entries may hold the list, whatever others take from them: cheap, for a first look. */
static bool may_be_voided(const struct question *question, struct arena *arena) {
    const struct rule_entry *list = question->list.entry;
    struct address_set ipv4 = address_set_family(ADDRESS_IPV4);
    struct destination_set all = destination_set_of_addresses(arena, &ipv4);
    struct destination_set listed = entry_destinations(list, false, arena);
    struct port_set ports = entry_ports(list, true, arena);
    ports = port_set_subtract(arena, &ports, &question->ports);
    listed = destination_set_intersect(arena, &listed, &all);
    if (!port_set_is_empty(&ports))
        return false;
    for (size_t i = 0; i < question->count && !destination_set_is_nothing(&listed); i++) {
        struct destination_set one = entry_destinations(question->wide[i].entry, false, arena);
        listed = destination_set_subtract(arena, &listed, &one);
    }
    return destination_set_is_empty(arena, &listed) == SET_EMPTY;
}

static void check_list(struct lint_scope *scope, const struct lint_group *group, const struct question *question) {
    struct lint_member *member = &scope->members[group->members[question->list.place]];
    const struct rule_entry *list = question->list.entry;
    if (!lint_spend(scope, question->count)) {
        lint_not_examined_of(scope, member, CODE_ALLOWLIST_VOIDED);
        return;
    }
    if (!ports_may_be_covered(question) || !entry_is_list(list, scope->scratch) ||
        !may_be_voided(question, scope->scratch))
        return;
    const struct lint_entry *wide = find_wide(question, scope->scratch);
    if (!wide || lint_was_said(scope, CODE_ALLOWLIST_VOIDED, wide_part(wide->entry).node))
        return;
    struct flow_box box = {.destinations = entry_destinations(list, true, scope->scratch),
                           .ports = port_set_everything(),
                           .payloads = payload_set_everything()};
    struct flow_set about = flow_set_of(scope->scratch, &box);
    enum emptiness adds = list_adds(scope, group, question, &about);
    if (adds == SET_EMPTY)
        report_voided(scope, group, wide, &question->list);
    else if (adds == SET_UNDECIDED)
        lint_not_examined_of(scope, member, CODE_ALLOWLIST_VOIDED);
}

void lint_check_voided(struct lint_scope *scope, struct lint_group *group) {
    unsigned traits = lint_group_traits(scope, group, 0, true);
    if (!(traits & TRAIT_WIDE) || !(traits & (TRAIT_NAMES | TRAIT_ADDRESSES)) || !lint_isolated(scope, group))
        return;
    struct question question = {.count = 0};
    collect_wide(scope, group, &question);
    for (size_t i = 0; i < group->count && !question.silent; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!lint_is_judged(scope, group, i) || !(lint_traits(scope, member, 0) & (TRAIT_NAMES | TRAIT_ADDRESSES)))
            continue;
        const struct policy_rules *rules = lint_rules(scope, member, 0);
        for (size_t e = 0; e < rules->count; e++) {
            struct arena_mark mark = arena_mark(scope->scratch);
            question.list = (struct lint_entry){i, &rules->entries[e]};
            if (!lint_was_answered(scope, CODE_ALLOWLIST_VOIDED, rules->entries[e].part.node, question.context))
                check_list(scope, group, &question);
            arena_rollback(scope->scratch, mark);
        }
    }
}
