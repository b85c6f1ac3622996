/* Lists of DNS names: those that another rule makes void, and those that lack the forms of the search list. */
#include <string.h>

#include "analyzer/lint/scope.h"
#include "base/arena.h"
#include "ir/witness.h"

/* ---- lists that are void ---- */

/* A list among the rules of a group. */
struct list {
    const struct lint_member *member;
    const struct rule_entry *entry;
    const struct rule_key *key;
};

static bool is_list(const struct rule_key *key, struct arena *arena) {
    return key_has_questions(key) && !name_set_is_everything(arena, &key->restriction->questions);
}

/* The same port of the key, over TCP and UDP: a question may be asked over either. */
static struct port_set both_protocols(const struct rule_key *key, struct arena *arena) {
    struct port_set both = port_set_nothing();
    static const enum protocol protocols[] = {PROTOCOL_TCP, PROTOCOL_UDP};
    for (size_t i = 0; i < 2; i++)
        for (uint32_t k = 0; k < key->lower.of[protocols[i]].count; k++)
            for (size_t j = 0; j < 2; j++) {
                const struct port_range *range = &key->lower.of[protocols[i]].ranges[k];
                struct port_set one = port_set_of(arena, protocols[j], range->first, range->last);
                both = port_set_union(arena, &both, &one);
            }
    return both;
}

/* The servers and the port of the list. */
static struct flow_set servers_of(const struct list *list, struct arena *arena) {
    struct flow_box asked = {.destinations = entry_destinations(list->entry, false, arena),
                             .ports = both_protocols(list->key, arena),
                             .payloads = payload_set_everything()};
    return flow_set_of(arena, &asked);
}

/* What the entry lets through on some servers, whatever is asked. */
static struct flow_set unrestricted(struct lint_scope *scope, struct lint_group *group, size_t reading,
                                    const struct flow_set *servers, const struct lint_entry *entry) {
    struct lint_member *member = &scope->members[group->members[entry->place]];
    const struct rule_entry *here = lint_entry_under(scope, member, reading, entry->entry);
    if (!here)
        return flow_set_nothing();
    struct flow_set allowed = lint_lets(scope, group, reading, here, servers, false);
    struct flow_box *boxes = arena_array(scope->scratch, allowed.count + 1u, sizeof *boxes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < allowed.count; i++)
        if (payload_set_is_everything(&allowed.boxes[i].payloads))
            boxes[count++] = allowed.boxes[i];
    return (struct flow_set){boxes, count};
}

static enum emptiness lifts(struct lint_scope *scope, struct lint_group *group, const struct list *list,
                            const struct lint_entry *entry, struct flow *flow) {
    struct flow_set servers = servers_of(list, scope->scratch);
    bool undecided = false;
    for (size_t reading = 0; reading < scope->readings.count; reading++) {
        struct flow_set set = unrestricted(scope, group, reading, &servers, entry);
        enum emptiness emptiness = flow_set_is_empty(scope->scratch, &set);
        if (emptiness == SET_EMPTY)
            return SET_EMPTY;
        undecided = undecided || emptiness == SET_UNDECIDED ||
                    !flow_set_sample(scope->scratch, &set, witness_order_default(), flow, NULL);
    }
    return undecided || scope->effort < 0 ? SET_UNDECIDED : SET_INHABITED;
}

/* Where the entry says that anything may be asked: its list of every name, or the entry. */
static struct part lifting_part(const struct rule_entry *entry) {
    for (size_t k = 0; k < entry->key_count; k++)
        if (key_has_questions(&entry->keys[k]))
            return entry->keys[k].restriction->part;
    return entry->part;
}

static void report_lifted(struct lint_scope *scope, struct lint_group *group, const struct list *list,
                          const struct lint_entry *entry) {
    struct flow flow;
    struct part part = lifting_part(entry->entry);
    const struct lint_member *member = &scope->members[group->members[entry->place]];
    if (lint_was_said(scope, CODE_DNS_NARROWING_LIFTED, part.node))
        return;
    enum emptiness lifted = lifts(scope, group, list, entry, &flow);
    if (lifted == SET_UNDECIDED)
        lint_not_examined_of(scope, member, CODE_DNS_NARROWING_LIFTED);
    if (lifted != SET_INHABITED || !lint_once(scope, CODE_DNS_NARROWING_LIFTED, part.node))
        return;
    struct lint *lint = scope->lint;
    struct buffer words;
    buffer_init(&words, lint->arena);
    flow_print(&words, &flow);
    struct diagnostic *finding = lint_report(
        lint, member->policy, CODE_DNS_NARROWING_LIFTED, part,
        "%s lets %s ask %s for every name, which makes the list of %s %s void; give it the same list, or remove it",
        part.path, lint_subject_words(scope, group), buffer_string(&words), list->member->policy->object->kind_word,
        object_label(list->member->policy->object, lint->arena));
    diagnostic_note(lint->findings, finding,
                    node_location(list->member->policy->object->file, list->key->restriction->part.node),
                    "the list of names that becomes void");
}

/* The lists of a group, and the entries that may lift them. */
struct lists {
    struct list *list;
    size_t count, capacity;
    struct lint_entry *lifters;
    size_t lifter_count, lifter_capacity;
    struct port_set ports; /* of the lists, over TCP and UDP */
    struct flow_set servers;
};

static void lists_add_entry(struct lists *lists, const struct lint_member *member, const struct rule_entry *entry,
                            struct arena *arena) {
    const struct rule_restriction *last = NULL;
    for (size_t k = 0; !entry->deny && k < entry->key_count; k++) {
        const struct rule_key *key = &entry->keys[k];
        if (key->restriction == last || !is_list(key, arena))
            continue;
        lists->list = arena_grow(arena, lists->list, &lists->capacity, lists->count + 1, sizeof *lists->list);
        lists->list[lists->count++] = (struct list){member, entry, key};
        last = key->restriction;
    }
}

static void collect_lists(struct lint_scope *scope, const struct lint_group *group, struct lists *lists) {
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!lint_is_judged(scope, group, i) || !(lint_traits(scope, member, 0) & TRAIT_QUESTIONS))
            continue;
        const struct policy_rules *rules = lint_rules(scope, member, 0);
        for (size_t e = 0; e < rules->count; e++)
            lists_add_entry(lists, member, &rules->entries[e], scope->scratch);
    }
    struct flow_box *boxes = arena_array(scope->scratch, lists->count + 1, sizeof *boxes);
    struct port_set *ports = arena_array(scope->scratch, lists->count + 1, sizeof *ports);
    const struct port_set **all = arena_array(scope->scratch, lists->count + 1, sizeof *all);
    for (size_t i = 0; i < lists->count; i++) {
        struct flow_set one = servers_of(&lists->list[i], scope->scratch);
        ports[i] = both_protocols(lists->list[i].key, scope->scratch);
        all[i] = &ports[i];
        if (one.count)
            boxes[lists->servers.count++] = one.boxes[0];
    }
    lists->servers.boxes = boxes;
    lists->ports = port_set_union_of(scope->scratch, all, lists->count);
}

/* Whether the entry may let anything be asked on the ports of a list: by a key without a narrow list. */
static bool entry_may_lift(const struct rule_entry *entry, const struct port_set *ports, struct arena *arena) {
    for (size_t k = 0; !entry->deny && k < entry->key_count; k++) {
        struct port_set both = port_set_intersect(arena, &entry->keys[k].lower, ports);
        if (!port_set_is_empty(&both) && !is_list(&entry->keys[k], arena))
            return true;
    }
    return false;
}

static void collect_lifters(struct lint_scope *scope, const struct lint_group *group, struct lists *lists) {
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        unsigned traits = lint_traits(scope, member, 0);
        if (!lint_is_judged(scope, group, i) || !(traits & (TRAIT_UDP_53 | TRAIT_TCP_53)))
            continue;
        const struct policy_rules *rules = lint_rules(scope, member, 0);
        for (size_t e = 0; e < rules->count; e++) {
            const struct rule_entry *entry = &rules->entries[e];
            if (lint_was_said(scope, CODE_DNS_NARROWING_LIFTED, lifting_part(entry).node) ||
                !entry_may_lift(entry, &lists->ports, scope->scratch))
                continue;
            lists->lifters = arena_grow(scope->scratch, lists->lifters, &lists->lifter_capacity,
                                        lists->lifter_count + 1, sizeof *lists->lifters);
            lists->lifters[lists->lifter_count++] = (struct lint_entry){i, entry};
        }
    }
}

/* All lists together for a first look; then the first that is lifted is the one to speak of. */
static void check_lifter(struct lint_scope *scope, struct lint_group *group, const struct lists *lists,
                         const struct lint_entry *lifter) {
    struct arena *arena = scope->scratch;
    if (!lint_spend(scope, lists->count)) {
        lint_not_examined_of(scope, &scope->members[group->members[lifter->place]], CODE_DNS_NARROWING_LIFTED);
        return;
    }
    struct flow_set plain = unrestricted(scope, group, 0, &lists->servers, lifter);
    for (size_t i = 0; plain.count && i < lists->count; i++) {
        struct arena_mark mark = arena_mark(arena);
        struct flow_set servers = servers_of(&lists->list[i], arena);
        struct flow_set both = flow_set_intersect(arena, &plain, &servers);
        if (lists->list[i].entry != lifter->entry && both.count)
            report_lifted(scope, group, &lists->list[i], lifter);
        arena_rollback(arena, mark);
    }
}

void lint_check_lifted(struct lint_scope *scope, struct lint_group *group) {
    if (!scope->cilium || !(lint_group_traits(scope, group, 0, true) & TRAIT_QUESTIONS) || !lint_isolated(scope, group))
        return;
    struct lists lists = {.count = 0};
    collect_lists(scope, group, &lists);
    if (lists.count == 0)
        return;
    collect_lifters(scope, group, &lists);
    for (size_t k = 0; k < lists.lifter_count; k++) {
        struct arena_mark mark = arena_mark(scope->scratch);
        check_lifter(scope, group, &lists, &lists.lifters[k]);
        arena_rollback(scope->scratch, mark);
    }
}

/* ---- search lists ---- */

enum { NDOTS = 5 };

/* With tofqdns-dns-reject-response-code: nameError, a refused form does not end a look-up. */
static bool refusals_end_lookups(const struct lint_scope *scope) {
    const struct object_list *maps = &scope->lint->snapshot.objects.of[OBJECT_CONFIG_MAP];
    for (size_t i = 0; i < maps->count; i++) {
        const struct node *data = node_get(maps->list[i].root, "data");
        if (maps->list[i].name && strcmp(maps->list[i].name, "cilium-config") == 0 &&
            text_is(node_text(node_get(data, "tofqdns-dns-reject-response-code")), "nameError"))
            return false;
    }
    return true;
}

static unsigned count_dots(const char *name) {
    unsigned dots = 0;
    for (; *name; name++)
        dots += *name == '.' ? 1 : 0;
    return dots;
}

/* Whether every form of the name or pattern with the suffix may be asked for; where it cannot be told, too. */
static bool form_is_listed(const struct name_pattern *pattern, const char *suffix, const struct name_set *questions,
                           struct arena *arena) {
    struct name_pattern form = *pattern;
    form.text = arena_format(arena, "%s.%s", pattern->text, suffix);
    struct name_set forms = name_set_of(arena, &form, 1);
    struct name_set rest = name_set_subtract(arena, &forms, questions);
    return name_set_is_empty(arena, &rest) != SET_INHABITED;
}

/* The suffixes of the search list; NULL for that of a namespace that is not told. */
struct suffixes {
    const char *list[3];
};

static struct suffixes suffixes_of(const struct lint_scope *scope, const char *namespace) {
    struct arena *arena = scope->scratch;
    const char *domain = scope->cluster.facts.cluster_domain;
    bool told = namespace && !lint_namespace_is_made(namespace);
    return (struct suffixes){{told ? arena_format(arena, "%s.svc.%s", namespace, domain) : NULL,
                              arena_format(arena, "svc.%s", domain), domain}};
}

/* Whether the name is itself such a form, of a name that may be asked for. */
static bool is_form(const struct name_pattern *pattern, const struct suffixes *suffixes,
                    const struct name_set *questions, struct arena *arena) {
    for (size_t i = 0; i < sizeof suffixes->list / sizeof *suffixes->list; i++) {
        struct text text = text_of(pattern->text);
        const char *end = suffixes->list[i] ? arena_format(arena, ".%s", suffixes->list[i]) : NULL;
        if (!end || !text_ends_with(text, end))
            continue;
        struct name_pattern base = *pattern;
        base.text = arena_copy(arena, text.bytes, text.length - strlen(end));
        struct name_set names = name_set_of(arena, &base, 1);
        struct name_set rest = name_set_subtract(arena, &names, questions);
        if (name_set_is_empty(arena, &rest) == SET_EMPTY)
            return true;
    }
    return false;
}

/* The form of the name that may not be asked for, or NULL. */
static const char *missing_form(const struct lint_scope *scope, const struct name_pattern *pattern,
                                const char *namespace, const struct name_set *questions) {
    struct arena *arena = scope->scratch;
    struct suffixes suffixes = suffixes_of(scope, namespace);
    if ((pattern->kind != NAME_EXACT && pattern->kind != NAME_GLOB) || !*pattern->text ||
        count_dots(pattern->text) >= NDOTS || is_form(pattern, &suffixes, questions, arena))
        return NULL;
    for (size_t i = 0; i < sizeof suffixes.list / sizeof *suffixes.list; i++)
        if (suffixes.list[i] && !form_is_listed(pattern, suffixes.list[i], questions, arena))
            return arena_format(arena, "%s.%s", pattern->text, suffixes.list[i]);
    return NULL;
}

static void check_search_forms(struct lint_scope *scope, struct lint_group *group, size_t place,
                               const struct cilium_names *dns, const struct name_set *questions) {
    for (uint32_t i = 0; i < dns->count; i++) {
        const struct cilium_name *name = &dns->names[i];
        struct name_pattern pattern = name->match_name
                                          ? name_pattern_exact(scope->scratch, text_of(name->match_name))
                                          : name_pattern_of(scope->scratch, text_of(name->match_pattern), true);
        const char *form = missing_form(scope, &pattern, group->subject.namespace, questions);
        if (!form)
            continue;
        struct lint_tally *tally = lint_tally(scope, group->members[place], CODE_DNS_SEARCH_GAP, dns->part);
        if (!tally->message)
            tally->message =
                arena_format(scope->lint->arena,
                             "%s lets pods ask for %s and not for %s, which the search list makes of it and asks for "
                             "first; musl gives up when that is refused: list the search forms as well, or write names "
                             "with a final dot where they are used",
                             dns->part.path, name->match_name ? name->match_name : name->match_pattern, form);
        return;
    }
}

void lint_check_search(struct lint_scope *scope, struct lint_group *group, const struct name_set *questions) {
    if (name_set_is_everything(scope->scratch, questions) || !refusals_end_lookups(scope))
        return;
    for (size_t i = 0; i < group->count; i++) {
        const struct lint_member *member = &scope->members[group->members[i]];
        if (!lint_is_judged(scope, group, i) || !member->candidate.rule)
            continue;
        const struct cilium_entries *egress = &member->candidate.rule->egress;
        for (uint32_t e = 0; e < egress->count; e++)
            for (uint32_t p = 0; p < egress->list[e].port_count; p++)
                if (egress->list[e].ports[p].dns.presence == PRESENCE_FILLED)
                    check_search_forms(scope, group, i, &egress->list[e].ports[p].dns, questions);
    }
}
