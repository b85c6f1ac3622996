/* The index of members by a label that they demand. */
#include "analyzer/lint/index.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/rules/cilium_key.h"
#include "base/arena.h"

static uint64_t hash_of(const char *string) { return text_hash(text_of(string)) | 1u; }

static const char namespace_key[] = "\x01namespace";

static int compare_places(const void *a, const void *b) {
    const struct member_place *left = a, *right = b;
    if (left->namespace != right->namespace)
        return left->namespace < right->namespace ? -1 : 1;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    if (left->value != right->value)
        return left->value < right->value ? -1 : 1;
    return (left->member > right->member) - (left->member < right->member);
}

/* The first place that is not before `wanted`. */
static size_t index_find(const struct member_index *index, const struct member_place *wanted) {
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(&index->list[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether controllers put labels of that key on pods, so that a template may lack it and its pods not. */
static bool key_is_added(const struct selector_requirement *requirement, const struct reading *reading) {
    const struct subject probe = {.namespace = "", .labels_are_open = true};
    const struct selector one = {.presence = PRESENCE_FILLED, .requirements = requirement, .count = 1};
    return strncmp(requirement->key, "agents.x-k8s.io/", strlen("agents.x-k8s.io/")) == 0 ||
           subject_matches_core(&probe, &one, reading) != TRUTH_NO;
}

/* The label that a requirement can be found by; false: none. */
static bool requirement_key(const struct lint_scope *scope, const struct lint_member *member,
                            const struct selector_requirement *requirement, const char **key) {
    if (requirement->verb != OPERATOR_IN || !requirement->readable || !requirement->key || requirement->count == 0)
        return false;
    struct selector_requirement plain = *requirement;
    if (!member->candidate.is_core) {
        struct cilium_key parsed = cilium_key_of(requirement->key);
        struct label_key label;
        if (!cilium_key_label(&parsed, &scope->readings.list[0], &label))
            return false;
        if (label_key_is_namespace_name(&label) && !member->namespace) {
            *key = namespace_key;
            return true;
        }
        if (label.scope != LABEL_POD)
            return false;
        plain.key = label.name;
    }
    *key = plain.key;
    return !key_is_added(&plain, &scope->readings.list[0]);
}

const struct selector *member_selector(const struct lint_member *member) {
    return member->candidate.is_core ? &member->candidate.policy->core->pods
                                     : &member->candidate.rule->endpoint_selector;
}

static void index_put(struct member_index *index, struct member_place place, struct arena *arena) {
    if (index->count == index->capacity)
        index->list = arena_grow(arena, index->list, &index->capacity, index->count + 1, sizeof *index->list);
    index->list[index->count++] = place;
}

static void index_add(struct member_index *index, const struct lint_scope *scope, size_t number) {
    const struct lint_member *member = &scope->members[number];
    const struct selector *selector = member_selector(member);
    struct member_place place = {.namespace = hash_of(member->namespace ? member->namespace : ""), .member = number};
    const char *key = NULL;
    uint32_t at = 0;
    while (at < selector->count && !requirement_key(scope, member, &selector->requirements[at], &key))
        at++;
    if (at == selector->count || member->candidate.pooled) {
        index_put(index, place, scope->lint->arena);
        return;
    }
    place.key = hash_of(key);
    for (uint32_t i = 0; i < selector->requirements[at].count; i++) {
        const char *value = selector->requirements[at].values[i];
        place.value = value ? hash_of(value) : 0;
        index_put(index, place, scope->lint->arena);
    }
}

/* ---- lookups ---- */

void found_add(struct found *found, size_t member) {
    if (found->count == found->capacity)
        found->list = arena_grow(found->arena, found->list, &found->capacity, found->count + 1, sizeof *found->list);
    found->list[found->count++] = member;
}

static void found_add_range(struct found *found, const struct member_index *index, const struct member_place *first) {
    for (size_t i = index_find(index, first); i < index->count; i++) {
        const struct member_place *place = &index->list[i];
        if (place->namespace != first->namespace || place->key != first->key || place->value != first->value)
            return;
        found_add(found, place->member);
    }
}

/* Members of one namespace, or with "" of the cluster-wide ones, that no label finds. */
void find_unlabelled(struct found *found, const struct member_index *index, const char *namespace) {
    const struct member_place place = {.namespace = hash_of(namespace)};
    found_add_range(found, index, &place);
}

/* Those that a label of the pod finds, as it is. */
void find_labelled(struct found *found, const struct member_index *index, const char *namespace,
                   const struct subject *subject) {
    struct member_place place = {.namespace = hash_of(namespace)};
    for (uint32_t i = 0; i < subject->labels.count; i++) {
        place.key = hash_of(subject->labels.list[i].key);
        place.value = hash_of(subject->labels.list[i].value);
        found_add_range(found, index, &place);
    }
    if (!*namespace && subject->namespace) {
        place.key = hash_of(namespace_key);
        place.value = hash_of(subject->namespace);
        found_add_range(found, index, &place);
    }
}

void find_exact(struct found *found, const struct member_index *index, const char *namespace,
                const struct subject *subject) {
    find_unlabelled(found, index, namespace);
    find_labelled(found, index, namespace, subject);
}

/* The places of one value of one key; false: the visitor has seen enough. */
static bool walk_value(const struct member_index *index, size_t *at, index_visit *visit, void *context) {
    const struct member_place first = index->list[*at];
    for (; *at < index->count; (*at)++) {
        const struct member_place *place = &index->list[*at];
        if (place->namespace != first.namespace || place->key != first.key || place->value != first.value)
            return true;
        if (!visit(context, place->member))
            return false;
    }
    return true;
}

/* The hash of the value that the pod has of the key; 0: it has none. */
static uint64_t subject_value(const struct subject *subject, uint64_t key) {
    for (uint32_t i = 0; i < subject->labels.count; i++)
        if (hash_of(subject->labels.list[i].key) == key)
            return hash_of(subject->labels.list[i].value);
    return key == hash_of(namespace_key) && subject->namespace ? hash_of(subject->namespace) : 0;
}

void index_walk(const struct member_index *index, const char *namespace, const struct subject *subject,
                index_visit *visit, void *context) {
    struct member_place place = {.namespace = hash_of(namespace)};
    size_t at = index_find(index, &place);
    while (at < index->count && index->list[at].namespace == place.namespace) {
        place = index->list[at];
        place.value = place.key ? subject_value(subject, place.key) : 0;
        if (place.value == 0) {
            if (!walk_value(index, &at, visit, context))
                return;
            continue;
        }
        /* Of a key that the pod has, only its value; then the next key. */
        place.member = 0;
        size_t of_value = index_find(index, &place);
        if (of_value < index->count && index->list[of_value].namespace == place.namespace &&
            index->list[of_value].key == place.key && index->list[of_value].value == place.value &&
            !walk_value(index, &of_value, visit, context))
            return;
        place.value = UINT64_MAX;
        place.member = SIZE_MAX;
        at = index_find(index, &place);
    }
}

static int compare_numbers(const void *a, const void *b) {
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return (left > right) - (left < right);
}

void found_sort(struct found *found) {
    if (found->count > 1)
        qsort(found->list, found->count, sizeof *found->list, compare_numbers);
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++)
        if (kept == 0 || found->list[kept - 1] != found->list[i])
            found->list[kept++] = found->list[i];
    found->count = kept;
}

void member_index_make(struct member_index *index, const struct lint_scope *scope) {
    for (size_t i = 0; i < scope->member_count; i++)
        index_add(index, scope, i);
    if (index->count > 1)
        qsort(index->list, index->count, sizeof *index->list, compare_places);
}
