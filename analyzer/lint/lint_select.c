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

enum { GROUP_MAY_LIMIT = 256 };

struct selecting {
    struct lint_scope *scope;
    struct member_index index;
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
           memcmp(a->certain, b->certain, a->count * sizeof *a->certain) == 0 &&
           (!a->made || (a->subject.namespace == b->subject.namespace));
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

/* Adds the group unless there is one that the same members select. The lists are copied. */
static void group_add(struct selecting *selecting, const struct lint_group *group) {
    struct lint_scope *scope = selecting->scope;
    struct arena *arena = scope->lint->arena;
    table_grow(selecting);
    for (size_t at = group_hash(group) % selecting->capacity; selecting->table[at]; at = (at + 1) % selecting->capacity)
        if (same_selection(&scope->groups[selecting->table[at] - 1], group))
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
    find_unlabelled(&selecting->wide, &selecting->index, "");
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
    find_exact(found, &selecting->index, subject.namespace, &subject);
    find_labelled(found, &selecting->index, "", &subject);
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

/* Members that may select the pod if it carries further labels; false: only some of them, for they are too many. */
static bool find_made(struct found *found, const struct member_index *index, const struct subject *subject) {
    bool whole = true;
    found->count = 0;
    find_exact(found, index, "", subject);
    if (subject->namespace)
        find_exact(found, index, subject->namespace, subject);
    size_t exact = found->count;
    whole = find_further(found, index, "", subject) &&
            (!subject->namespace || find_further(found, index, subject->namespace, subject));
    if (!whole)
        found->count = exact;
    found_sort(found);
    return whole;
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
    struct subject open = subject;
    open.labels_are_free = true;
    open.namespace_labels = NULL;
    struct found *found = &selecting->found;
    bool whole = find_made(found, &selecting->index, &subject);
    bool *certain = arena_array(scope->scratch, found->count + 1, sizeof *certain);
    struct lint_group group = {.subject = subject,
                               .made = true,
                               .certain = certain,
                               .doubtful = !whole || (!subject.namespace && selecting->namespaced)};
    size_t may = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct lint_member *member = &scope->members[found->list[i]];
        bool selects = member_selects(scope, member, &subject) == TRUTH_YES;
        if (!selects && (may == GROUP_MAY_LIMIT || member_selects(scope, member, &open) == TRUTH_NO)) {
            group.doubtful = group.doubtful || may == GROUP_MAY_LIMIT;
            continue;
        }
        may += selects ? 0 : 1;
        certain[group.count] = selects;
        found->list[group.count++] = found->list[i];
    }
    group.members = found->list;
    group_add(selecting, &group);
}

void lint_select(struct lint_scope *scope) {
    struct selecting selecting = {
        .scope = scope, .found = {.arena = scope->lint->arena}, .wide = {.arena = scope->lint->arena}};
    selecting.made_capacity = 2 * scope->member_count + 1;
    selecting.made = arena_array(scope->lint->arena, selecting.made_capacity, sizeof *selecting.made);
    for (size_t i = 0; i < scope->member_count; i++)
        selecting.namespaced = selecting.namespaced || scope->members[i].namespace;
    member_index_make(&selecting.index, scope);
    select_pods(&selecting);
    for (size_t i = 0; i < scope->member_count; i++) {
        struct lint_member *member = &scope->members[i];
        struct arena_mark mark = arena_mark(scope->scratch);
        if (member->policy && !member->pod && !member->host_pod)
            select_made(&selecting, i);
        arena_rollback(scope->scratch, mark);
    }
}
