#include "analyzer/verify/candidate_index.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/rules/cilium_key.h"
#include "base/arena.h"

/* One candidate under one label. */
struct posting {
    const char *key, *value;
    size_t number;
};

struct candidate_index {
    const struct candidate_list *candidates;
    struct posting *postings; /* by key, value, number */
    size_t posting_count, posting_capacity;
    size_t *always; /* candidates without a label to stand under, ascending */
    size_t always_count;
};

/* The plain key of a pod label; NULL: the key speaks of something else. */
static const char *pod_label_key(const char *written, bool core) {
    static const struct reading unfiltered = {.cilium = true};
    if (core || !written)
        return written;
    struct cilium_key key = cilium_key_of(written);
    struct label_key label;
    return cilium_key_label(&key, &unfiltered, &label) && label.scope == LABEL_POD ? label.name : NULL;
}

static bool lists_values(const struct selector_requirement *requirement) {
    for (uint32_t i = 0; i < requirement->count; i++)
        if (!requirement->values[i])
            return false;
    return requirement->readable && requirement->verb == OPERATOR_IN && requirement->count > 0;
}

/* The requirement that a candidate stands under; NULL: none will do. */
static const struct selector_requirement *index_requirement(const struct candidate *candidate) {
    if (!candidate->policy || candidate->pooled || (!candidate->policy->core && !candidate->rule))
        return NULL;
    const struct selector *selector =
        candidate->policy->core ? &candidate->policy->core->pods : &candidate->rule->endpoint_selector;
    for (uint32_t i = 0; i < selector->count; i++)
        if (lists_values(&selector->requirements[i]) &&
            pod_label_key(selector->requirements[i].key, candidate->policy->core != NULL))
            return &selector->requirements[i];
    return NULL;
}

static void index_post(struct candidate_index *index, const char *key, const char *value, size_t number,
                       struct arena *arena) {
    if (index->posting_count == index->posting_capacity)
        index->postings = arena_grow(arena, index->postings, &index->posting_capacity, index->posting_count + 1,
                                     sizeof *index->postings);
    index->postings[index->posting_count++] = (struct posting){key, value, number};
}

static int compare_labels(const struct posting *posting, const char *key, const char *value) {
    int order = strcmp(posting->key, key);
    return order ? order : strcmp(posting->value, value);
}

static int compare_postings(const void *a, const void *b) {
    const struct posting *left = a, *right = b;
    int order = compare_labels(left, right->key, right->value);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

struct candidate_index *candidate_index_of(const struct candidate_list *candidates, struct arena *arena) {
    struct candidate_index *index = arena_alloc(arena, sizeof *index);
    index->candidates = candidates;
    index->always = arena_array(arena, candidates->count + 1, sizeof *index->always);
    for (size_t i = 0; i < candidates->count; i++) {
        const struct candidate *candidate = &candidates->list[i];
        const struct selector_requirement *requirement = index_requirement(candidate);
        if (!requirement) {
            index->always[index->always_count++] = i;
            continue;
        }
        const char *key = pod_label_key(requirement->key, candidate->policy->core != NULL);
        for (uint32_t k = 0; k < requirement->count; k++)
            index_post(index, key, requirement->values[k], i, arena);
    }
    if (index->posting_count > 1)
        qsort(index->postings, index->posting_count, sizeof *index->postings, compare_postings);
    return index;
}

static size_t first_posting(const struct candidate_index *index, const char *key, const char *value) {
    size_t low = 0, high = index->posting_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_labels(&index->postings[middle], key, value) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int compare_numbers(const void *a, const void *b) {
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return (left > right) - (left < right);
}

struct candidate_list candidate_index_choose(const struct candidate_index *index, const struct subject *subject,
                                             struct arena *arena) {
    if (subject->labels_are_open || subject->labels_are_free)
        return *index->candidates;
    size_t capacity = index->always_count + 1, count = index->always_count;
    size_t *numbers = arena_array(arena, capacity, sizeof *numbers);
    memcpy(numbers, index->always, index->always_count * sizeof *numbers);
    for (uint32_t i = 0; i < subject->labels.count; i++) {
        const struct key_value *label = &subject->labels.list[i];
        for (size_t k = first_posting(index, label->key, label->value);
             k < index->posting_count && compare_labels(&index->postings[k], label->key, label->value) == 0; k++) {
            if (count == capacity)
                numbers = arena_grow(arena, numbers, &capacity, count + 1, sizeof *numbers);
            numbers[count++] = index->postings[k].number;
        }
    }
    if (count > 1)
        qsort(numbers, count, sizeof *numbers, compare_numbers);
    struct candidate_list chosen = {.list = arena_array(arena, count + 1, sizeof *chosen.list)};
    for (size_t i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[i - 1])
            chosen.list[chosen.count++] = index->candidates->list[numbers[i]];
    return chosen;
}
