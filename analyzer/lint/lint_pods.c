/* The pods of the inputs, found by a label that a set of endpoints demands. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/lint/scope.h"
#include "base/arena.h"

/* A pod under one of its labels, or with `key` 0 under its namespace alone; hashes, which the test that follows makes
 * good. */
struct place {
    uint64_t key, value, namespace;
    size_t pod;
};

struct lint_pods {
    const struct evidence *evidence;
    const char **namespaces;   /* by pod: the one that it is taken to be in */
    struct target_part *parts; /* by pod; no labels: not built yet */
    struct place *places;
    size_t place_count;
    size_t *firsts; /* a pod of each namespace */
    size_t first_count;
    size_t *ranks; /* by pod: the place of its namespace in `firsts` */
    bool loose, all_namespaces;
};

static uint64_t hash_of(const char *string) { return text_hash(text_of(string)) | 1u; }

static int compare_places(const void *a, const void *b) {
    const struct place *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    if (left->value != right->value)
        return left->value < right->value ? -1 : 1;
    if (left->namespace != right->namespace)
        return left->namespace < right->namespace ? -1 : 1;
    return (left->pod > right->pod) - (left->pod < right->pod);
}

static void pods_index(struct lint_pods *pods, struct arena *arena) {
    size_t count = 0;
    for (size_t i = 0; i < pods->evidence->pod_count; i++)
        count += pods->evidence->pods[i].labels.count + 1u;
    pods->places = arena_array(arena, count + 1, sizeof *pods->places);
    for (size_t i = 0; i < pods->evidence->pod_count; i++) {
        const struct pod *pod = &pods->evidence->pods[i];
        if (pod->finished)
            continue;
        struct place place = {.namespace = hash_of(pods->namespaces[i]), .pod = i};
        pods->places[pods->place_count++] = place;
        for (uint32_t k = 0; k < pod->labels.count; k++) {
            place.key = hash_of(pod->labels.list[k].key);
            place.value = hash_of(pod->labels.list[k].value);
            pods->places[pods->place_count++] = place;
        }
    }
    if (pods->place_count > 1)
        qsort(pods->places, pods->place_count, sizeof *pods->places, compare_places);
}

struct lint_pods *lint_pods_of(struct lint_scope *scope) {
    struct arena *arena = scope->lint->arena;
    const struct evidence *evidence = &scope->lint->snapshot.evidence;
    struct lint_pods *pods = arena_alloc(arena, sizeof *pods);
    *pods = (struct lint_pods){.evidence = evidence};
    pods->namespaces = arena_array(arena, evidence->pod_count + 1, sizeof *pods->namespaces);
    pods->parts = arena_array(arena, evidence->pod_count + 1, sizeof *pods->parts);
    for (size_t i = 0; i < evidence->pod_count; i++) {
        pods->namespaces[i] = lint_namespace(evidence->pods[i].object, arena);
        pods->loose = pods->loose || !evidence->pods[i].namespace;
    }
    pods->all_namespaces =
        scope->lint->snapshot.complete[OBJECT_NAMESPACE] || evidence_namespace(evidence, "kube-system");
    pods_index(pods, arena);
    pods->firsts = arena_array(arena, evidence->pod_count + 1, sizeof *pods->firsts);
    pods->ranks = arena_array(arena, evidence->pod_count + 1, sizeof *pods->ranks);
    for (size_t i = 0; i < evidence->pod_count; i++) {
        if (i == 0 || strcmp(pods->namespaces[i], pods->namespaces[i - 1]) != 0)
            pods->firsts[pods->first_count++] = i;
        pods->ranks[i] = pods->first_count - 1;
    }
    return pods;
}

static int compare_labels(const void *a, const void *b) {
    return label_key_compare(&((const struct label *)a)->key, &((const struct label *)b)->key);
}

/* The pod as a destination. */
static const struct target_part *pod_part(const struct lint_scope *scope, size_t index) {
    struct target_part *part = &scope->pods->parts[index];
    if (part->point.endpoint.count)
        return part;
    const struct pod *pod = &scope->pods->evidence->pods[index];
    const struct namespace_evidence *namespace = evidence_namespace(scope->pods->evidence, pod->namespace);
    uint32_t count = 0, room = pod->labels.count + (namespace ? namespace->labels.count : 0) + 3u;
    struct label *labels = arena_array(scope->lint->arena, room, sizeof *labels);
    labels[count++] = (struct label){{LABEL_NAMESPACE, LABEL_NAMESPACE_NAME}, scope->pods->namespaces[index]};
    for (uint32_t i = 0; namespace && i < namespace->labels.count; i++)
        if (strcmp(namespace->labels.list[i].key, LABEL_NAMESPACE_NAME) != 0)
            labels[count++] =
                (struct label){{LABEL_NAMESPACE, namespace->labels.list[i].key}, namespace->labels.list[i].value};
    for (uint32_t i = 0; i < pod->labels.count; i++)
        labels[count++] = (struct label){{LABEL_POD, pod->labels.list[i].key}, pod->labels.list[i].value};
    labels[count++] = (struct label){{LABEL_CLUSTER, ""}, scope->cluster.facts.cluster_name};
    labels[count++] = (struct label){{LABEL_SERVICE_ACCOUNT, ""}, pod->service_account};
    qsort(labels, count, sizeof *labels, compare_labels);
    *part = (struct target_part){.is_point = true,
                                 .point = {.kind = DESTINATION_POD, .endpoint = {labels, count}},
                                 .pod = pod,
                                 .namespace_is_open = namespace == NULL};
    return part;
}

/* ---- the search ---- */

static size_t places_find(const struct lint_pods *pods, const struct place *wanted) {
    size_t low = 0, high = pods->place_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(&pods->places[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct search {
    const struct lint_scope *scope;
    struct destination_set wanted;
    lint_pod_visit *visit;
    void *context;
    const bool *admitted; /* by rank of the namespace: it may have what the term demands of namespaces; NULL: any may */
};

/* The pods under a key and value, and in the namespace unless that is 0. False: the visitor has seen enough. */
static bool search_range(const struct search *search, uint64_t key, uint64_t value, uint64_t namespace) {
    const struct lint_pods *pods = search->scope->pods;
    const struct place first = {.key = key, .value = value, .namespace = namespace};
    for (size_t i = places_find(pods, &first); i < pods->place_count; i++) {
        const struct place *place = &pods->places[i];
        if (place->key != key || place->value != value || (namespace && place->namespace != namespace))
            return true;
        if (search->admitted && !search->admitted[pods->ranks[place->pod]])
            continue;
        enum truth in = target_part_in(pod_part(search->scope, place->pod), &search->wanted);
        if (in != TRUTH_NO && !search->visit(search->context, &pods->evidence->pods[place->pod], in))
            return false;
    }
    return true;
}

static bool is_listed(const struct value_set *values) { return values && !values->complement && !values->absent; }

/* The pod label of the term that lists its values, the fewest of them. */
static const struct label_requirement *best_requirement(const struct label_set *set) {
    const struct label_requirement *best = NULL;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct label_requirement *requirement = &set->requirements[i];
        if (requirement->key.scope == LABEL_POD && is_listed(&requirement->values) &&
            (!best || requirement->values.count < best->values.count))
            best = requirement;
    }
    return best;
}

static bool search_namespaces(const struct search *search, const struct label_requirement *requirement,
                              uint32_t value_at, const struct value_set *namespaces) {
    uint64_t key = requirement ? hash_of(requirement->key.name) : 0;
    uint64_t value = requirement ? hash_of(requirement->values.values[value_at]) : 0;
    if (!is_listed(namespaces))
        return search_range(search, key, value, 0);
    for (uint32_t i = 0; i < namespaces->count; i++)
        if (!search_range(search, key, value, hash_of(namespaces->values[i])))
            return false;
    return true;
}

/* Whether the namespace of a pod may have the labels that the term demands of namespaces. */
static bool namespace_may_match(const struct target_part *pod, const struct label_set *set) {
    const struct endpoint *endpoint = &pod->point.endpoint;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct label_requirement *requirement = &set->requirements[i];
        const char *value = NULL;
        if (requirement->key.scope != LABEL_NAMESPACE)
            continue;
        for (uint32_t k = 0; k < endpoint->count; k++)
            if (label_key_compare(&endpoint->labels[k].key, &requirement->key) == 0)
                value = endpoint->labels[k].value;
        if (!(pod->namespace_is_open && !value) && !value_set_contains(&requirement->values, value))
            return false;
    }
    return true;
}

static bool demands_namespace_label(const struct label_set *set) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->requirements[i].key.scope == LABEL_NAMESPACE)
            return true;
    return false;
}

/* Which namespaces may have the labels that the term demands of them; NULL: it demands none but perhaps a name. */
static const bool *admitted_namespaces(const struct lint_scope *scope, const struct label_set *set) {
    static const struct label_key name = {LABEL_NAMESPACE, LABEL_NAMESPACE_NAME};
    const struct lint_pods *pods = scope->pods;
    if (!demands_namespace_label(set) || is_listed(label_set_values(set, &name)))
        return NULL;
    bool *admitted = arena_array(scope->scratch, pods->first_count + 1, sizeof *admitted);
    for (size_t i = 0; i < pods->first_count; i++)
        admitted[i] = namespace_may_match(pod_part(scope, pods->firsts[i]), set);
    return admitted;
}

/* The admitted namespaces one by one. */
static bool search_admitted(const struct search *search) {
    const struct lint_pods *pods = search->scope->pods;
    for (size_t i = 0; i < pods->first_count; i++)
        if (search->admitted[i] && !search_range(search, 0, 0, hash_of(pods->namespaces[pods->firsts[i]])))
            return false;
    return true;
}

static bool search_term(const struct search *search, const struct endpoint_term *term) {
    static const struct label_key name = {LABEL_NAMESPACE, LABEL_NAMESPACE_NAME};
    const struct value_set *namespaces = label_set_values(&term->all_of, &name);
    const struct label_requirement *requirement = best_requirement(&term->all_of);
    if (!requirement)
        return search->admitted ? search_admitted(search) : search_namespaces(search, NULL, 0, namespaces);
    for (uint32_t i = 0; i < requirement->values.count; i++)
        if (!search_namespaces(search, requirement, i, namespaces))
            return false;
    return true;
}

void lint_pods_in(struct lint_scope *scope, const struct endpoint_set *set, lint_pod_visit *visit, void *context) {
    struct search search = {.scope = scope, .wanted = destination_set_of_pods(set), .visit = visit, .context = context};
    struct arena_mark mark = arena_mark(scope->scratch);
    bool goes_on = true;
    for (uint32_t i = 0; i < set->count && goes_on; i++) {
        search.admitted = admitted_namespaces(scope, &set->terms[i].all_of);
        goes_on = search_term(&search, &set->terms[i]);
    }
    arena_rollback(scope->scratch, mark);
}

/* ---- what is known of namespaces ---- */

size_t lint_pods_of_namespace(const struct lint_scope *scope, const char *namespace) {
    const struct place first = {.namespace = hash_of(namespace)};
    const struct lint_pods *pods = scope->pods;
    size_t count = 0;
    for (size_t i = places_find(pods, &first);
         i < pods->place_count && pods->places[i].key == 0 && pods->places[i].namespace == first.namespace; i++)
        count++;
    return count;
}

bool lint_has_loose_pods(const struct lint_scope *scope) { return scope->pods->loose; }
bool lint_has_all_namespaces(const struct lint_scope *scope) { return scope->pods->all_namespaces; }

const char *lint_pod_words(const struct lint_scope *scope, const struct pod *pod) {
    const char *name = pod->name ? pod->name : "(unnamed)";
    const char *kind = pod->object->kind_word ? pod->object->kind_word : "Pod";
    return pod->namespace ? arena_format(scope->lint->arena, "%s %s/%s", kind, pod->namespace, name)
                          : arena_format(scope->lint->arena, "%s %s", kind, name);
}
