/* Which members select which pods: an index of members by a label that they demand, and groups of pods. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/lint/index.h"
#include "analyzer/rules/cilium_key.h"
#include "analyzer/verify/subjects.h"
#include "base/arena.h"

/* ---- namespaces ---- */

bool lint_namespace_is_made(const char *namespace) { return namespace && namespace[0] == '('; }

const char *lint_namespace(const struct object *object, struct arena *arena) {
    if (object->namespace)
        return object->namespace;
    const char *slash = strrchr(object->file, '/');
    return arena_format(arena, "(%.*s)", slash ? (int)(slash - object->file) : 0, object->file);
}

/* Readings of one label filter agree on whom a selector selects. */
static enum truth member_selects(const struct lint_scope *scope, const struct lint_member *member,
                                 const struct subject *subject) {
    return candidate_selects(&member->candidate, subject, &scope->cluster, &scope->readings.list[0]);
}

/* ---- groups ---- */

/* Policies that select a made pod only if it carries further labels, and act on others: so many are kept in its group. The
 * pod carries no more than is said, so they make lint more careful, not more right. */
enum { GROUP_MAY_LIMIT = 256 };

struct selecting {
    struct lint_scope *scope;
    struct member_index *index;
    size_t *table; /* of groups + 1, by what selects them */
    size_t capacity;
    struct found found;
    struct found wide; /* cluster-wide members that no label finds, of those that may select in `wide_of` */
    const char *wide_of;
    uint64_t *made; /* hashes of the pods that were made */
    size_t made_capacity;
    bool namespaced; /* some member is of one namespace */
};

static bool same_selection(const struct lint_group *a, const struct lint_group *b) {
    return a->count == b->count && a->doubtful == b->doubtful && a->made == b->made &&
           memcmp(a->members, b->members, a->count * sizeof *a->members) == 0 &&
           memcmp(a->certain, b->certain, a->count * sizeof *a->certain) == 0;
}

static uint64_t group_hash(const struct lint_group *group) {
    struct text members = {(const char *)group->members, group->count * sizeof *group->members};
    struct text certain = {(const char *)group->certain, group->count * sizeof *group->certain};
    return text_hash(members) * 31 + text_hash(certain);
}

static void table_put(struct selecting *selecting, size_t group) {
    size_t at = group_hash(&selecting->scope->groups[group]) % selecting->capacity;
    while (selecting->table[at])
        at = (at + 1) % selecting->capacity;
    selecting->table[at] = group + 1;
}

static void table_grow(struct selecting *selecting) {
    struct lint_scope *scope = selecting->scope;
    if (2 * (scope->group_count + 1) <= selecting->capacity)
        return;
    selecting->capacity = selecting->capacity ? 4 * selecting->capacity : 256;
    selecting->table = arena_array(scope->lint->arena, selecting->capacity, sizeof *selecting->table);
    for (size_t i = 0; i < scope->group_count; i++)
        table_put(selecting, i);
}

/* Adds the group unless there is one of real pods that the same members select: of made ones the labels may differ, and
 * with them what further labels bring. The lists are copied. */
static void group_add(struct selecting *selecting, const struct lint_group *group) {
    struct lint_scope *scope = selecting->scope;
    struct arena *arena = scope->lint->arena;
    table_grow(selecting);
    for (size_t at = group_hash(group) % selecting->capacity; selecting->table[at]; at = (at + 1) % selecting->capacity)
        if (same_selection(&scope->groups[selecting->table[at] - 1], group) && !group->made)
            return;
    scope->groups =
        arena_grow(arena, scope->groups, &scope->group_capacity, scope->group_count + 1, sizeof *scope->groups);
    struct lint_group *added = &scope->groups[scope->group_count++];
    *added = *group;
    size_t *members = arena_array(arena, group->count + 1, sizeof *members);
    bool *certain = arena_array(arena, group->count + 1, sizeof *certain);
    memcpy(members, group->members, group->count * sizeof *members);
    memcpy(certain, group->certain, group->count * sizeof *certain);
    added->members = members;
    added->certain = certain;
    table_put(selecting, scope->group_count - 1);
    for (size_t i = 0; i < added->count; i++)
        if (certain[i])
            scope->members[members[i]].groups++;
}

/* ---- pods of the inputs ---- */

static bool same_pods(const struct pod *a, const struct pod *b) {
    if (a->labels.count != b->labels.count || a->is_template != b->is_template || a->host_network != b->host_network ||
        !a->namespace || !b->namespace || strcmp(a->namespace, b->namespace) != 0 ||
        strcmp(a->service_account, b->service_account) != 0 || a->object->kind != b->object->kind)
        return false;
    for (uint32_t i = 0; i < a->labels.count; i++)
        if (strcmp(a->labels.list[i].key, b->labels.list[i].key) != 0 ||
            strcmp(a->labels.list[i].value, b->labels.list[i].value) != 0)
            return false;
    return true;
}

/* The cluster-wide members that no label finds are asked once a namespace whether they may select there at all. Pods come
 * in the order of namespaces. */
static void find_wide(struct selecting *selecting, const struct subject *pod) {
    struct lint_scope *scope = selecting->scope;
    if (selecting->wide_of && strcmp(selecting->wide_of, pod->namespace) == 0)
        return;
    const struct subject any = {
        .namespace = pod->namespace, .labels_are_free = true, .namespace_labels = pod->namespace_labels};
    selecting->wide_of = pod->namespace;
    selecting->wide.count = 0;
    find_unlabelled(&selecting->wide, selecting->index, "");
    size_t kept = 0;
    for (size_t i = 0; i < selecting->wide.count; i++)
        if (member_selects(scope, &scope->members[selecting->wide.list[i]], &any) != TRUTH_NO)
            selecting->wide.list[kept++] = selecting->wide.list[i];
    selecting->wide.count = kept;
}

static void select_pod(struct selecting *selecting, const struct pod *pod) {
    struct lint_scope *scope = selecting->scope;
    struct subject subject = subject_of_pod(pod, &scope->lint->snapshot);
    subject.namespace = lint_namespace(pod->object, scope->lint->arena);
    struct found *found = &selecting->found;
    found->count = 0;
    find_exact(found, selecting->index, subject.namespace, &subject);
    find_labelled(found, selecting->index, "", &subject);
    find_wide(selecting, &subject);
    for (size_t i = 0; i < selecting->wide.count; i++)
        found_add(found, selecting->wide.list[i]);
    found_sort(found);
    bool *certain = arena_array(scope->scratch, found->count + 1, sizeof *certain);
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        struct lint_member *member = &scope->members[found->list[i]];
        enum truth truth = member_selects(scope, member, &subject);
        if (truth == TRUTH_NO)
            continue;
        member->may_select = true;
        if (truth == TRUTH_YES && pod->host_network && !member->host_pod)
            member->host_pod = pod;
        if (truth == TRUTH_YES && !pod->host_network && !member->pod)
            member->pod = pod;
        certain[kept] = truth == TRUTH_YES;
        found->list[kept++] = found->list[i];
    }
    const struct lint_group group = {.members = found->list, .certain = certain, .count = kept, .subject = subject};
    if (!pod->host_network && kept > 0)
        group_add(selecting, &group);
}

static void select_pods(struct selecting *selecting) {
    const struct evidence *evidence = &selecting->scope->lint->snapshot.evidence;
    const struct pod *last = NULL;
    for (size_t i = 0; i < evidence->pod_count; i++) {
        const struct pod *pod = &evidence->pods[i];
        if (pod->finished || (last && same_pods(last, pod)))
            continue;
        struct arena_mark mark = arena_mark(selecting->scope->scratch);
        select_pod(selecting, pod);
        arena_rollback(selecting->scope->scratch, mark);
        last = pod;
    }
}

/* ---- pods that carry what a selector demands ---- */

struct demand {
    struct key_value *labels, *namespace_labels;
    uint32_t label_count, namespace_label_count;
    struct subject subject;
};

static int compare_pairs(const void *a, const void *b) {
    return strcmp(((const struct key_value *)a)->key, ((const struct key_value *)b)->key);
}

static void demand_label(struct demand *demand, const struct lint_scope *scope, const struct lint_member *member,
                         const struct selector_requirement *requirement) {
    if (!requirement->key || (requirement->verb != OPERATOR_IN && requirement->verb != OPERATOR_EXISTS))
        return;
    const char *value = requirement->count && requirement->values[0] ? requirement->values[0] : "";
    struct label_key label = {LABEL_POD, requirement->key};
    if (!member->candidate.is_core) {
        struct cilium_key parsed = cilium_key_of(requirement->key);
        if (!cilium_key_label(&parsed, &scope->readings.list[0], &label))
            return;
    }
    if (label_key_is_namespace_name(&label) && !member->namespace && *value)
        demand->subject.namespace = value;
    else if (label.scope == LABEL_NAMESPACE)
        demand->namespace_labels[demand->namespace_label_count++] = (struct key_value){label.name, value};
    else if (label.scope == LABEL_POD)
        demand->labels[demand->label_count++] = (struct key_value){label.name, value};
    else if (label.scope == LABEL_SERVICE_ACCOUNT)
        demand->subject.service_account = value;
}

static struct labels labels_of(struct key_value *list, uint32_t count) {
    if (count > 1)
        qsort(list, count, sizeof *list, compare_pairs);
    return (struct labels){list, count};
}

static struct subject demanded_subject(const struct lint_scope *scope, const struct lint_member *member) {
    struct arena *arena = scope->lint->arena;
    const struct selector *selector = member_selector(member);
    struct demand demand = {.labels = arena_array(arena, selector->count + 1u, sizeof *demand.labels),
                            .namespace_labels = arena_array(arena, selector->count + 1u, sizeof *demand.labels),
                            .subject = {.namespace = member->namespace}};
    for (uint32_t i = 0; i < selector->count; i++)
        demand_label(&demand, scope, member, &selector->requirements[i]);
    demand.subject.labels = labels_of(demand.labels, demand.label_count);
    const struct namespace_evidence *known =
        demand.subject.namespace ? evidence_namespace(&scope->lint->snapshot.evidence, demand.subject.namespace) : NULL;
    struct labels *labels = arena_alloc(arena, sizeof *labels);
    *labels = known ? known->labels : labels_of(demand.namespace_labels, demand.namespace_label_count);
    demand.subject.namespace_labels = labels;
    return demand.subject;
}

/* A group that is being made. */
struct making {
    struct selecting *selecting;
    const struct subject *subject;
    struct subject open; /* with further labels */
    size_t further;
};

static bool made_subject_open(const struct subject *subject, struct subject *open) {
    *open = *subject;
    open->labels_are_free = true;
    open->namespace_labels = NULL;
    return subject->namespace != NULL;
}

static bool find_acting(void *context, size_t member) {
    struct making *making = context;
    const struct lint_scope *scope = making->selecting->scope;
    if (!scope->members[member].acts || member_selects(scope, &scope->members[member], &making->open) == TRUTH_NO)
        return true;
    found_add(&making->selecting->found, member);
    return ++making->further < GROUP_MAY_LIMIT;
}

/* Members that may select the pod as it is, and such as act on others and may if it carries further labels. */
static void find_made(struct selecting *selecting, const struct subject *subject) {
    struct making making = {.selecting = selecting, .subject = subject};
    bool placed = made_subject_open(subject, &making.open);
    struct found *found = &selecting->found;
    found->count = 0;
    find_exact(found, selecting->index, "", subject);
    if (placed)
        find_exact(found, selecting->index, subject->namespace, subject);
    index_walk(selecting->index, "", subject, find_acting, &making);
    if (placed && making.further < GROUP_MAY_LIMIT)
        index_walk(selecting->index, subject->namespace, subject, find_acting, &making);
    found_sort(found);
}

static uint64_t hash_of(const char *string) { return text_hash(text_of(string)) | 1u; }

static uint64_t hash_more(uint64_t hash, const char *string) { return hash * 31 + hash_of(string ? string : "\x01"); }

/* Whether a pod like that was asked about already. Two that share a hash are taken for one: then one is not asked about. */
static bool made_before(struct selecting *selecting, const struct subject *subject) {
    uint64_t hash = hash_more(1, subject->namespace);
    hash = hash_more(hash, subject->service_account);
    for (uint32_t i = 0; i < subject->labels.count; i++)
        hash = hash_more(hash_more(hash, subject->labels.list[i].key), subject->labels.list[i].value);
    for (uint32_t i = 0; i < subject->namespace_labels->count; i++)
        hash = hash_more(hash_more(hash, subject->namespace_labels->list[i].key),
                         subject->namespace_labels->list[i].value);
    hash |= 1;
    size_t at = hash % selecting->made_capacity;
    while (selecting->made[at] && selecting->made[at] != hash)
        at = (at + 1) % selecting->made_capacity;
    bool before = selecting->made[at] == hash;
    selecting->made[at] = hash;
    return before;
}

static void select_made(struct selecting *selecting, size_t number) {
    struct lint_scope *scope = selecting->scope;
    struct subject subject = demanded_subject(scope, &scope->members[number]);
    if (made_before(selecting, &subject) || member_selects(scope, &scope->members[number], &subject) != TRUTH_YES)
        return;
    struct subject open;
    made_subject_open(&subject, &open);
    struct found *found = &selecting->found;
    find_made(selecting, &subject);
    bool *certain = arena_array(scope->scratch, found->count + 1, sizeof *certain);
    struct lint_group group = {
        .subject = subject, .made = true, .certain = certain, .doubtful = !subject.namespace && selecting->namespaced};
    for (size_t i = 0; i < found->count; i++) {
        const struct lint_member *member = &scope->members[found->list[i]];
        bool selects = member_selects(scope, member, &subject) == TRUTH_YES;
        if (!selects && (!member->acts || member_selects(scope, member, &open) == TRUTH_NO))
            continue;
        certain[group.count] = selects;
        found->list[group.count++] = found->list[i];
    }
    group.members = found->list;
    group_add(selecting, &group);
}

/* ---- what further labels may bring ---- */

/* A search for policies that may select a made pod if it carries further labels. */
struct further {
    struct lint_scope *scope;
    struct subject open;
    unsigned wanted, got;
    struct found *found; /* collects them all; NULL: the first of each trait will do */
};

static unsigned member_may(struct lint_scope *scope, struct lint_member *member, unsigned wanted) {
    unsigned traits = 0;
    for (size_t i = 0; i < scope->readings.count && (traits & wanted) != wanted; i++)
        traits |= lint_traits(scope, member, i);
    return member->opaque ? wanted : traits & wanted;
}

static bool visit_further(void *context, size_t number) {
    enum { SELECTION_COST = 20 };
    struct further *further = context;
    struct lint_member *member = &further->scope->members[number];
    if (!lint_spend(further->scope, 1))
        return false;
    unsigned traits = member_may(further->scope, member, further->wanted);
    if (!further->found)
        traits &= ~further->got;
    if (!traits)
        return true;
    lint_spend(further->scope, SELECTION_COST);
    if (member_selects(further->scope, member, &further->open) == TRUTH_NO)
        return true;
    further->got |= traits;
    if (further->found)
        found_add(further->found, number);
    return further->found || further->got != further->wanted;
}

static unsigned search_further(struct lint_scope *scope, const struct lint_group *group, unsigned wanted,
                               struct found *found) {
    struct further further = {.scope = scope, .wanted = wanted, .found = found};
    if (!group->made)
        return 0;
    bool placed = made_subject_open(&group->subject, &further.open);
    index_walk(scope->index, "", &group->subject, visit_further, &further);
    if (placed && (found || further.got != wanted))
        index_walk(scope->index, group->subject.namespace, &group->subject, visit_further, &further);
    return further.got;
}

unsigned lint_further(struct lint_scope *scope, const struct lint_group *group, unsigned wanted) {
    return search_further(scope, group, wanted, NULL);
}

size_t lint_group_and_further(struct lint_scope *scope, const struct lint_group *group, unsigned wanted,
                              const size_t **members) {
    struct found found = {.arena = scope->scratch};
    for (size_t i = 0; i < group->count; i++)
        found_add(&found, group->members[i]);
    search_further(scope, group, wanted, &found);
    found_sort(&found);
    *members = found.list;
    return found.count;
}

void lint_select(struct lint_scope *scope) {
    scope->index = arena_alloc(scope->lint->arena, sizeof *scope->index);
    *scope->index = (struct member_index){0};
    struct selecting selecting = {.scope = scope,
                                  .index = scope->index,
                                  .found = {.arena = scope->lint->arena},
                                  .wide = {.arena = scope->lint->arena}};
    selecting.made_capacity = 2 * scope->member_count + 1;
    selecting.made = arena_array(scope->lint->arena, selecting.made_capacity, sizeof *selecting.made);
    for (size_t i = 0; i < scope->member_count; i++)
        selecting.namespaced = selecting.namespaced || scope->members[i].namespace;
    member_index_make(selecting.index, scope);
    select_pods(&selecting);
    for (size_t i = 0; i < scope->member_count; i++) {
        struct lint_member *member = &scope->members[i];
        struct arena_mark mark = arena_mark(scope->scratch);
        if (member->policy && !member->pod && !member->host_pod)
            select_made(&selecting, i);
        arena_rollback(scope->scratch, mark);
    }
}
