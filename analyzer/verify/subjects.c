#include "analyzer/verify/subjects.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "grammar/label.h"

static int compare_labels(const void *a, const void *b) {
    return strcmp(((const struct key_value *)a)->key, ((const struct key_value *)b)->key);
}

bool labels_parse(const char *text, struct arena *arena, struct labels *labels) {
    *labels = (struct labels){0};
    struct key_value *list = NULL;
    size_t count = 0, capacity = 0;
    while (*text) {
        size_t length = strcspn(text, ",");
        const char *equals = memchr(text, '=', length);
        if (!equals || equals == text)
            return false;
        if (count == capacity)
            list = arena_grow(arena, list, &capacity, count + 1, sizeof *list);
        list[count++] = (struct key_value){arena_copy(arena, text, (size_t)(equals - text)),
                                           arena_copy(arena, equals + 1, length - (size_t)(equals - text) - 1)};
        text += length;
        if (*text == ',')
            text++;
    }
    if (count > 1)
        qsort(list, count, sizeof *list, compare_labels);
    for (size_t i = 1; i < count; i++)
        if (strcmp(list[i].key, list[i - 1].key) == 0)
            return false;
    *labels = (struct labels){list, (uint32_t)count};
    return true;
}

struct subject subject_of_labels(const char *namespace, struct labels labels, const struct snapshot *snapshot) {
    struct subject subject = {.namespace = namespace, .labels = labels};
    const struct namespace_evidence *evidence = evidence_namespace(&snapshot->evidence, namespace);
    if (evidence)
        subject.namespace_labels = &evidence->labels;
    return subject;
}

struct subject subject_of_pod(const struct pod *pod, const struct snapshot *snapshot) {
    struct subject subject = subject_of_labels(pod->namespace, pod->labels, snapshot);
    subject.labels_are_open = pod->is_template;
    subject.host_network = pod->host_network;
    subject.pod = pod;
    subject.service_account = pod->service_account;
    if (!subject.service_account)
        subject.service_account = "default";
    return subject;
}

static bool pod_carries_selector(const struct pod *pod, const struct boundary *boundary) {
    for (size_t i = 0; i < boundary->selector_count; i++) {
        const char *value = labels_get(&pod->labels, boundary->selector[i].key);
        if (!value || strcmp(value, boundary->selector[i].value) != 0)
            return false;
    }
    return true;
}

static bool pod_is_of(const struct pod *pod, const struct boundary *boundary, bool templates) {
    return pod->is_template == templates && !pod->finished && pod->namespace &&
           strcmp(pod->namespace, boundary->namespace) == 0 && pod_carries_selector(pod, boundary);
}

static const char *pod_label(const struct pod *pod, struct arena *arena) {
    return arena_format(arena, "%s/%s", pod->namespace, pod->name ? pod->name : "(unnamed)");
}

static struct subject_list *subjects_of_inputs(const struct boundary *boundary, const struct snapshot *snapshot,
                                               bool templates, struct arena *arena) {
    const struct evidence *evidence = &snapshot->evidence;
    struct subject_list *subjects = arena_alloc(arena, sizeof *subjects);
    size_t count = 0;
    for (size_t i = 0; i < evidence->pod_count; i++)
        count += pod_is_of(&evidence->pods[i], boundary, templates) ? 1 : 0;
    subjects->source = templates ? SUBJECT_TEMPLATES : SUBJECT_INPUTS;
    subjects->list = arena_array(arena, count + 1, sizeof *subjects->list);
    subjects->names = arena_array(arena, count + 1, sizeof *subjects->names);
    for (size_t i = 0; i < evidence->pod_count; i++) {
        const struct pod *pod = &evidence->pods[i];
        if (!pod_is_of(pod, boundary, templates))
            continue;
        subjects->names[subjects->count] = pod_label(pod, arena);
        subjects->list[subjects->count++] = subject_of_pod(pod, snapshot);
    }
    return subjects;
}

static struct subject_list *one_subject(enum subject_source source, struct subject subject, const char *name,
                                        struct arena *arena) {
    struct subject_list *subjects = arena_alloc(arena, sizeof *subjects);
    subjects->source = source;
    subjects->list = arena_array(arena, 1, sizeof *subjects->list);
    subjects->names = arena_array(arena, 1, sizeof *subjects->names);
    subjects->list[0] = subject;
    subjects->names[0] = name;
    subjects->count = 1;
    return subjects;
}

static void label_put(struct key_value *list, size_t *count, const char *key, const char *value) {
    for (size_t i = 0; i < *count; i++)
        if (strcmp(list[i].key, key) == 0) {
            list[i].value = value;
            return;
        }
    list[(*count)++] = (struct key_value){key, value};
}

/* podLabels, then the selector labels and the profile label, which win. */
static struct labels config_labels(const struct boundary *boundary, struct arena *arena) {
    struct key_value *list = arena_array(arena, boundary->pod_label_count + boundary->selector_count + 1, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < boundary->pod_label_count; i++)
        label_put(list, &count, boundary->pod_labels[i].key, boundary->pod_labels[i].value);
    for (size_t i = 0; i < boundary->selector_count; i++)
        label_put(list, &count, boundary->selector[i].key, boundary->selector[i].value);
    if (count > 1)
        qsort(list, count, sizeof *list, compare_labels);
    return (struct labels){list, (uint32_t)count};
}

static const struct subject_list *subject_of_choice(const struct boundary *boundary, const struct snapshot *snapshot,
                                                    const char *wanted, struct arena *arena, const char **problem) {
    const char *slash = strchr(wanted, '/');
    if (!slash || slash == wanted || slash[1] == '\0') {
        *problem = "--pod wants NAMESPACE/NAME";
        return NULL;
    }
    const char *namespace = arena_copy(arena, wanted, (size_t)(slash - wanted));
    if (strcmp(namespace, boundary->namespace) != 0) {
        *problem = arena_format(arena, "--pod %s is outside the boundary's namespace %s", wanted, boundary->namespace);
        return NULL;
    }
    const struct pod *pod = evidence_pod(&snapshot->evidence, namespace, slash + 1);
    if (!pod) {
        *problem = arena_format(arena, "--pod %s is not among the inputs", wanted);
        return NULL;
    }
    return one_subject(SUBJECT_POD, subject_of_pod(pod, snapshot), pod_label(pod, arena), arena);
}

const struct subject_list *subjects_of(const struct boundary *boundary, const struct snapshot *snapshot,
                                       const struct subject_choice *choice, struct arena *arena, const char **problem) {
    if (choice->pod)
        return subject_of_choice(boundary, snapshot, choice->pod, arena, problem);
    if (choice->labels) {
        struct labels labels;
        if (!labels_parse(choice->labels, arena, &labels)) {
            *problem = "--labels wants KEY=VALUE pairs with commas between them, each key once";
            return NULL;
        }
        return one_subject(SUBJECT_LABELS, subject_of_labels(boundary->namespace, labels, snapshot), NULL, arena);
    }
    struct subject_list *subjects = subjects_of_inputs(boundary, snapshot, false, arena);
    if (subjects->count == 0)
        subjects = subjects_of_inputs(boundary, snapshot, true, arena);
    if (subjects->count > 0)
        return subjects;
    struct subject subject = subject_of_labels(boundary->namespace, config_labels(boundary, arena), snapshot);
    return one_subject(SUBJECT_CONFIG, subject, NULL, arena);
}
