/* Members, their rules and their traits; what was said of them already. */
#include <string.h>

#include "analyzer/lint/scope.h"
#include "analyzer/verify/allowance.h"
#include "base/arena.h"

/* ---- marks ---- */

static size_t mark_slot(const struct lint_marks *marks, enum code code, const struct node *node) {
    size_t at = (((uintptr_t)node >> 3) * 31u + (size_t)code) % marks->capacity;
    while (marks->slots[at].node && (marks->slots[at].node != node || marks->slots[at].code != code))
        at = (at + 1) % marks->capacity;
    return at;
}

static void marks_grow(struct lint_marks *marks, struct arena *arena) {
    struct lint_marks grown = {.count = marks->count, .capacity = marks->capacity ? 2 * marks->capacity : 64};
    grown.slots = arena_array(arena, grown.capacity, sizeof *grown.slots);
    for (size_t i = 0; i < marks->capacity; i++)
        if (marks->slots[i].node)
            grown.slots[mark_slot(&grown, marks->slots[i].code, marks->slots[i].node)] = marks->slots[i];
    *marks = grown;
}

/* The mark, a new one where `added`. */
static struct lint_mark *mark_find(struct lint_marks *marks, enum code code, const struct node *node,
                                   struct arena *arena, bool *added) {
    if (2 * (marks->count + 1) > marks->capacity)
        marks_grow(marks, arena);
    struct lint_mark *mark = &marks->slots[mark_slot(marks, code, node)];
    *added = mark->node == NULL;
    if (*added) {
        *mark = (struct lint_mark){.node = node, .code = code};
        marks->count++;
    }
    return mark;
}

bool lint_once_of(struct lint_scope *scope, struct lint_marks *marks, enum code code, const struct node *node) {
    bool added;
    mark_find(marks, code, node, scope->lint->arena, &added);
    return added;
}

bool lint_once(struct lint_scope *scope, enum code code, const struct node *node) {
    return lint_once_of(scope, &scope->said, code, node);
}

bool lint_was_answered(struct lint_scope *scope, enum code code, const struct node *node, size_t context) {
    bool added;
    struct lint_mark *mark = mark_find(&scope->answered, code, node, scope->lint->arena, &added);
    bool before = !added && mark->place == context;
    mark->place = context;
    return before;
}

bool lint_was_said(const struct lint_scope *scope, enum code code, const struct node *node) {
    return scope->said.capacity > 0 && scope->said.slots[mark_slot(&scope->said, code, node)].node != NULL;
}

struct lint_tally *lint_tally(struct lint_scope *scope, size_t member, enum code code, struct part part) {
    struct arena *arena = scope->lint->arena;
    const struct node *node = part.node ? part.node : scope->members[member].policy->object->root;
    bool added;
    struct lint_mark *mark = mark_find(&scope->tallied, code, node, arena, &added);
    if (added) {
        scope->tallies =
            arena_grow(arena, scope->tallies, &scope->tally_capacity, scope->tally_count + 1, sizeof *scope->tallies);
        mark->place = scope->tally_count;
        scope->tallies[scope->tally_count++] = (struct lint_tally){.member = member, .code = code, .part = part};
    }
    scope->tallies[mark->place].count++;
    return &scope->tallies[mark->place];
}

void lint_tally_report(struct lint_scope *scope) {
    for (size_t i = 0; i < scope->tally_count; i++) {
        const struct lint_tally *tally = &scope->tallies[i];
        const struct lint_member *member = &scope->members[tally->member];
        if (tally->count >= member->groups && tally->message)
            lint_report(scope->lint, member->policy, tally->code, tally->part, "%s", tally->message);
    }
}

/* ---- traits ---- */

/* What a share of more than a half needs: how many addresses a range has, in units of the family's 2^-24th. */
static uint64_t range_share(const struct address_range *range) {
    uint64_t first = 0, last = 0;
    for (int i = 0; i < 4; i++) {
        first = first << 8 | range->first.bytes[i];
        last = last << 8 | range->last.bytes[i];
    }
    return last - first + 1;
}

bool lint_is_wide(const struct address_set *set) {
    uint64_t share[2] = {0, 0};
    for (uint32_t i = 0; i < set->count; i++)
        share[set->ranges[i].first.family == ADDRESS_IPV6] += range_share(&set->ranges[i]);
    return share[0] > UINT64_C(1) << 31 || share[1] > UINT64_C(1) << 31;
}

bool lint_ports_meet(const struct port_set *a, const struct port_set *b) {
    for (size_t p = 0; p < PROTOCOL_COUNT; p++)
        for (uint32_t i = 0, k = 0; i < a->of[p].count && k < b->of[p].count;) {
            if (a->of[p].ranges[i].last < b->of[p].ranges[k].first)
                i++;
            else if (b->of[p].ranges[k].last < a->of[p].ranges[i].first)
                k++;
            else
                return true;
        }
    return false;
}

bool lint_addresses_meet(const struct address_set *a, const struct address_set *b) {
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        if (address_compare(&a->ranges[i].last, &b->ranges[k].first) < 0)
            i++;
        else if (address_compare(&b->ranges[k].last, &a->ranges[i].first) < 0)
            k++;
        else
            return true;
    }
    return false;
}

static bool holds_metadata(const struct address_set *set) {
    static const char *const services[] = {"169.254.169.254", "fd00:ec2::254"};
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        struct address address;
        if (address_parse(text_of(services[i]), &address) && address_set_contains(set, &address))
            return true;
    }
    return false;
}

/* The resolver as far as the facts tell of it; other labels of its namespace are not known. */
static bool holds_resolver(const struct lint_scope *scope, const struct destination_set *set) {
    const struct cluster_facts *facts = &scope->cluster.facts;
    struct label labels[18] = {{{LABEL_NAMESPACE, LABEL_NAMESPACE_NAME}, facts->dns_namespace}};
    uint32_t count = 1;
    for (size_t i = 0; i < facts->dns_label_count && count < 17; i++)
        labels[count++] = (struct label){{LABEL_POD, facts->dns_labels[i].key}, facts->dns_labels[i].value};
    labels[count++] = (struct label){{LABEL_CLUSTER, ""}, facts->cluster_name};
    const struct target_part part = {.is_point = true,
                                     .point = {.kind = DESTINATION_POD, .endpoint = {labels, count}},
                                     .namespace_is_open = true,
                                     .account_is_open = true};
    return target_part_in(&part, set) != TRUTH_NO;
}

static unsigned key_traits(const struct rule_key *key, bool resolver, struct arena *arena) {
    unsigned traits = port_set_is_empty(&key->upper) ? 0 : TRAIT_ALLOWS;
    bool udp = port_set_contains(&key->upper, PROTOCOL_UDP, 53), tcp = port_set_contains(&key->upper, PROTOCOL_TCP, 53);
    traits |= udp ? TRAIT_UDP_53 : 0u;
    traits |= tcp ? TRAIT_TCP_53 : 0u;
    traits |= resolver && key->upper.of[PROTOCOL_UDP].count > 0 ? TRAIT_RESOLVER : 0u;
    bool asks = key_has_questions(key);
    bool every = asks && name_set_is_everything(arena, &key->restriction->questions);
    traits |= asks ? TRAIT_QUESTIONS : 0u;
    traits |= every ? TRAIT_EVERY_NAME : 0u;
    traits |= key->restriction ? TRAIT_RESTRICTS : 0u;
    if ((udp || tcp) && key->form == KEY_PORT && (!key->restriction || every))
        traits |= TRAIT_PLAIN_53;
    return traits;
}

static unsigned peer_traits(const struct peer *peer) {
    unsigned traits = lint_is_wide(&peer->lower.addresses) ? TRAIT_WIDE : 0u;
    traits |= holds_metadata(&peer->lower.addresses) ? TRAIT_METADATA : 0u;
    traits |= peer->upper.addresses.count > 0 ? TRAIT_ADDRESSES : 0u;
    traits |= peer->upper.learned_count > 0 && peer->upper.addresses.count == 0 ? TRAIT_NAMES : 0u;
    return traits;
}

/* How many bytes of rules are kept beyond one group or member. */
enum { RULES_KEPT = 16 * 1024 * 1024 };

static unsigned entry_traits(struct lint_scope *scope, const struct rule_entry *entry) {
    unsigned of_peers = 0, of_keys = 0;
    bool live = false, resolver = false;
    for (size_t i = 0; i < entry->peer_count; i++) {
        live = live || !destination_set_is_nothing(&entry->peers[i].upper);
        resolver = resolver || holds_resolver(scope, &entry->peers[i].upper);
        of_peers |= peer_traits(&entry->peers[i]);
    }
    if (entry->deny)
        return TRAIT_DENIES;
    for (size_t i = 0; live && i < entry->key_count; i++)
        of_keys |= key_traits(&entry->keys[i], resolver, scope->lint->arena);
    return of_keys ? of_keys | of_peers : of_peers & TRAIT_NAMES;
}

const struct policy_rules *lint_rules(struct lint_scope *scope, struct lint_member *member, size_t reading) {
    if (!member->rules[reading]) {
        struct policy_rules *rules = arena_alloc(scope->rules, sizeof *rules);
        struct cluster cluster = scope->cluster;
        cluster.arena = scope->rules;
        *rules =
            policy_rules_of(member->candidate.policy, member->candidate.rule, &cluster, &scope->readings.list[reading]);
        unsigned traits = TRAITS_KNOWN;
        for (size_t i = 0; member->traits[reading] == 0 && i < rules->count; i++)
            traits |= entry_traits(scope, &rules->entries[i]);
        member->traits[reading] |= traits;
        member->rules[reading] = rules;
    }
    return member->rules[reading];
}

unsigned lint_traits(struct lint_scope *scope, struct lint_member *member, size_t reading) {
    if (member->traits[reading] == 0)
        lint_rules(scope, member, reading);
    return member->traits[reading];
}

void lint_forget(struct lint_scope *scope) {
    if (arena_size(scope->rules) <= RULES_KEPT)
        return;
    for (size_t i = 0; i < scope->member_count; i++) {
        memset(scope->members[i].rules, 0, scope->readings.count * sizeof *scope->members[i].rules);
        scope->members[i].denials = NULL;
    }
    scope->denials = (struct lint_denials){0};
    scope->weighing.acting = NULL;
    arena_rollback(scope->rules, scope->rules_start);
}

unsigned lint_group_traits(struct lint_scope *scope, const struct lint_group *group, size_t reading, bool certain) {
    unsigned traits = 0;
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!certain || (group->certain[i] && member->sound))
            traits |= lint_traits(scope, member, reading);
    }
    return traits;
}

/* ---- groups ---- */

bool lint_is_judged(const struct lint_scope *scope, const struct lint_group *group, size_t place) {
    const struct lint_member *member = &scope->members[group->members[place]];
    return group->certain[place] && member->sound && member->policy;
}

static bool member_isolates(const struct lint_scope *scope, const struct lint_member *member) {
    const struct candidate *candidate = &member->candidate;
    if (candidate->is_core)
        return candidate->policy->core->isolates_egress;
    for (size_t i = 0; i < scope->readings.count; i++)
        if (scope->readings.list[i].class < CILIUM_1_16_0)
            return false; /* whether an empty list or a flag counts is for the rules to say */
    const struct cilium_rule *rule = candidate->rule;
    return (rule->egress.presence == PRESENCE_FILLED || rule->egress_deny.presence == PRESENCE_FILLED) &&
           rule->default_deny_egress != TRISTATE_FALSE;
}

bool lint_isolated(const struct lint_scope *scope, const struct lint_group *group) {
    for (size_t i = 0; i < group->count; i++) {
        const struct lint_member *member = &scope->members[group->members[i]];
        if (group->certain[i] && member->sound && member_isolates(scope, member))
            return true;
    }
    return false;
}

const char *lint_subject_words(const struct lint_scope *scope, const struct lint_group *group) {
    struct arena *arena = scope->lint->arena;
    if (group->subject.pod)
        return lint_pod_words(scope, group->subject.pod);
    struct buffer out;
    buffer_init(&out, arena);
    buffer_add_string(&out, "a pod with ");
    for (uint32_t i = 0; i < group->subject.labels.count; i++)
        buffer_print(&out, "%s%s=%s", i ? "," : "", group->subject.labels.list[i].key,
                     group->subject.labels.list[i].value);
    if (group->subject.labels.count == 0)
        buffer_add_string(&out, "no labels");
    return buffer_string(&out);
}

/* ---- members ---- */

/* What may be spent on comparing rules: so much, and more with the rules that there are (lint_spend). */
enum { EFFORT_LEAST = 100 * 1000 * 1000, EFFORT_PER_ENTRY = 20 * 1000 };

static unsigned problem_classes(const struct lint_scope *scope) {
    unsigned classes = 0;
    for (size_t i = 0; i < scope->readings.count; i++)
        classes |= 1u << scope->readings.list[i].class;
    return classes;
}

static void member_judge(const struct lint_scope *scope, struct lint_member *member) {
    const struct policy *policy = member->candidate.policy;
    const struct candidate_list one = {.list = &member->candidate, .count = 1};
    unsigned classes = problem_classes(scope);
    struct cluster passing = scope->cluster; /* nothing of the question is kept */
    passing.arena = scope->scratch;
    struct arena_mark mark = arena_mark(scope->scratch);
    unsigned aspects = candidates_aspects(&one, &passing, DIRECTION_EGRESS) & ~(unsigned)ASPECT_REFUSED;
    arena_rollback(scope->scratch, mark);
    if (!scope->cilium || facts_know(&scope->cluster.facts, FACT_LABELS))
        aspects &= ~(unsigned)ASPECT_LABEL_FILTER;
    member->sound = aspects == 0 && !member->candidate.has_twin;
    for (uint32_t i = 0; i < policy->problem_count; i++) {
        if ((policy->problems[i].classes & classes) == 0)
            continue;
        member->sound = false;
        member->opaque = member->opaque || policy->problems[i].effect == PROBLEM_TYPE;
    }
    if (candidate_refusal(&member->candidate, &scope->readings.list[0], &scope->cluster))
        member->sound = false;
}

static bool entry_acts(const struct cilium_entry *entry) {
    for (uint32_t i = 0; i < entry->port_count; i++)
        if (entry->ports[i].dns.presence == PRESENCE_FILLED || entry->ports[i].server_names.presence == PRESENCE_FILLED)
            return true;
    return false;
}

static bool cidrs_have_excepts(const struct cilium_cidrs *cidrs) {
    for (uint32_t i = 0; i < cidrs->count; i++)
        if (cidrs->list[i].except_count)
            return true;
    return false;
}

/* What the object shows of itself, under any reading; and how many entries it has. */
static size_t member_look(struct lint_member *member) {
    const struct cilium_rule *rule = member->candidate.rule;
    const struct core_rules *core = member->candidate.is_core ? &member->candidate.policy->core->egress : NULL;
    for (uint32_t i = 0; core && i < core->count; i++)
        for (uint32_t k = 0; k < core->rules[i].peer_count; k++)
            member->excepts = member->excepts || core->rules[i].peers[k].except_count;
    if (!rule)
        return core ? core->count : 0;
    member->acts = member->denies = rule->egress_deny.count > 0;
    for (uint32_t i = 0; i < rule->egress.count; i++) {
        member->acts = member->acts || entry_acts(&rule->egress.list[i]);
        member->excepts = member->excepts || cidrs_have_excepts(&rule->egress.list[i].cidr_sets);
    }
    return (size_t)rule->egress.count + rule->egress_deny.count;
}

static void scope_add(struct lint_scope *scope, struct candidate candidate, const struct policy *reported) {
    struct arena *arena = scope->lint->arena;
    scope->members =
        arena_grow(arena, scope->members, &scope->member_capacity, scope->member_count + 1, sizeof *scope->members);
    struct lint_member *member = &scope->members[scope->member_count++];
    *member = (struct lint_member){.policy = reported, .candidate = candidate};
    if (object_kind_is_namespaced(candidate.object->kind))
        member->namespace = lint_namespace(candidate.object, arena);
    member->namespace_hash = member->namespace ? text_hash(text_of(member->namespace)) | 1u : 0;
    scope->has_made = scope->has_made || lint_namespace_is_made(member->namespace);
    member->rules = arena_array(arena, scope->readings.count, sizeof *member->rules);
    member->traits = arena_array(arena, scope->readings.count, sizeof *member->traits);
    member_judge(scope, member);
    scope->effort += EFFORT_PER_ENTRY * (int64_t)member_look(member);
}

/* The policy as if its object named the namespace that it is taken to be in: sets need one. */
static const struct policy *policy_placed(const struct policy *policy, struct arena *arena) {
    if (policy->object->namespace || !object_kind_is_namespaced(policy->object->kind))
        return policy;
    struct object *object = arena_alloc(arena, sizeof *object);
    struct policy *placed = arena_alloc(arena, sizeof *placed);
    *object = *policy->object;
    object->namespace = lint_namespace(policy->object, arena);
    *placed = *policy;
    placed->object = object;
    return placed;
}

static void scope_add_policy(struct lint_scope *scope, const struct policy *policy) {
    const struct policy *placed = policy_placed(policy, scope->lint->arena);
    struct candidate candidate = {.object = policy->object,
                                  .policy = placed,
                                  .is_core = policy->core != NULL,
                                  .has_twin = snapshot_has_twin(&scope->lint->snapshot, policy->object)};
    if (policy->core) {
        scope_add(scope, candidate, policy);
        return;
    }
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        candidate.rule = &placed->rules[i];
        if (candidate.rule->endpoint_selector.presence != PRESENCE_ABSENT)
            scope_add(scope, candidate, policy);
    }
}

/* What the sandbox controller makes of templates; it selects pods as any other policy does. */
static void scope_add_templates(struct lint_scope *scope) {
    const struct object_list *templates = &scope->lint->snapshot.objects.of[OBJECT_SANDBOX_TEMPLATE];
    const char *last = NULL;
    for (size_t i = 0; i < templates->count; i++) {
        const char *namespace = templates->list[i].namespace;
        if (!namespace || (last && strcmp(last, namespace) == 0))
            continue;
        last = namespace;
        struct candidate_list candidates = candidates_of(&scope->lint->snapshot, namespace);
        for (size_t k = 0; k < candidates.count; k++)
            if (candidates.list[k].pooled)
                scope_add(scope, candidates.list[k], NULL);
    }
}

/* ---- the scope ---- */

static void set_readings(struct lint_scope *scope) {
    const struct lint *lint = scope->lint;
    static const enum fact facts[] = {FACT_CILIUM_VERSION, FACT_CIDR_MATCH_MODE, FACT_LABELS, FACT_LOCAL_CLUSTER};
    scope->cilium = lint->cilium;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        scope->cilium = scope->cilium || facts_know(&scope->cluster.facts, facts[i]);
    struct reading_list list = readings_of(&scope->cluster, scope->cilium, 0);
    struct reading *newest_first = arena_array(lint->arena, list.count, sizeof *newest_first);
    for (size_t i = 0; i < list.count; i++)
        newest_first[i] = list.list[list.count - 1 - i];
    scope->readings = (struct reading_list){newest_first, list.count};
}

static bool has_admin_rules(struct lint *lint) {
    static const enum object_kind kinds[] = {OBJECT_ADMIN_NETWORK_POLICY, OBJECT_BASELINE_ADMIN_NETWORK_POLICY,
                                             OBJECT_CLUSTER_NETWORK_POLICY};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t k = 0; k < lint->snapshot.objects.of[kinds[i]].count; k++)
            if (lint->snapshot.objects.of[kinds[i]].list[k].served)
                return true;
    return false;
}

void lint_scope_init(struct lint_scope *scope, struct lint *lint, struct arena *scratch) {
    *scope = (struct lint_scope){.lint = lint, .cluster = lint->cluster, .scratch = scratch};
    scope->effort = EFFORT_LEAST;
    scope->rules = arena_create();
    scope->rules_start = arena_mark(scope->rules);
    scope->weighing.arena = arena_create();
    scope->weighing.start = arena_mark(scope->weighing.arena);
    memcpy(scope->cluster.complete, lint->snapshot.complete, sizeof scope->cluster.complete);
    scope->evidence = lint->snapshot.evidence;
    scope->cluster.evidence = &scope->evidence;
    if (!scope->cluster.complete[OBJECT_POD])
        scope->evidence.pod_count = 0; /* a port name is then in doubt, whatever pods there are */
    set_readings(scope);
    scope->has_admin = !scope->cilium && has_admin_rules(lint);
    scope->pods = lint_pods_of(scope);
    scope->resolver = lint_resolver_of(scope);
    for (size_t i = 0; i < lint->policy_count; i++)
        scope_add_policy(scope, lint->policies[i]);
    scope_add_templates(scope);
    scope->effort = lint->request->effort ? lint->request->effort : scope->effort;
    lint_select(scope);
}
