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

const char *labels_fault(const struct labels *labels, struct arena *arena) {
    for (uint32_t i = 0; i < labels->count; i++) {
        const struct key_value *label = &labels->list[i];
        enum label_fault fault = label_key_check(text_of(label->key), NULL);
        if (fault != LABEL_OK)
            return arena_format(arena, "`%s` is no label key: %s", label->key, label_fault_text(fault));
        fault = label_value_check(text_of(label->value), NULL);
        if (fault != LABEL_OK)
            return arena_format(arena, "`%s` is no label value: %s", label->value, label_fault_text(fault));
    }
    return NULL;
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

/* ---- lists ---- */

struct subject_builder {
    struct subject_list *out;
    size_t capacity, name_capacity;
    struct arena *arena;
};

static struct subject_builder builder_of(enum subject_source source, struct arena *arena) {
    struct subject_builder builder = {.out = arena_alloc(arena, sizeof *builder.out), .arena = arena};
    builder.out->source = source;
    return builder;
}

/* `name`: NULL where there is no pod. */
static void add_subject(struct subject_builder *builder, struct subject subject, const char *name) {
    struct subject_list *out = builder->out;
    out->list = arena_grow(builder->arena, out->list, &builder->capacity, out->count + 1, sizeof *out->list);
    out->names = arena_grow(builder->arena, out->names, &builder->name_capacity, out->count + 1, sizeof *out->names);
    out->names[out->count] = name;
    out->list[out->count++] = subject;
}

static const struct subject_list *one_subject(enum subject_source source, struct subject subject, struct arena *arena) {
    struct subject_builder builder = builder_of(source, arena);
    add_subject(&builder, subject, NULL);
    return builder.out;
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

/* ---- pods of grants ---- */

static struct subject with_label(struct subject subject, const char *key, const char *value, struct arena *arena) {
    struct key_value *list = arena_array(arena, subject.labels.count + 1u, sizeof *list);
    size_t count = subject.labels.count;
    for (uint32_t i = 0; i < subject.labels.count; i++)
        list[i] = subject.labels.list[i];
    label_put(list, &count, key, value);
    if (count > 1)
        qsort(list, count, sizeof *list, compare_labels);
    subject.labels = (struct labels){list, (uint32_t)count};
    return subject;
}

static bool begins_owner(const struct granted *granted, size_t index) {
    return index == 0 ||
           strcmp(granted->list[index - 1].grant->owner_name, granted->list[index].grant->owner_name) != 0;
}

/* The subject with the label of each grant, but for those that `present` marks. */
static void add_with_labels(struct subject_builder *builder, struct subject subject, const char *name,
                            const struct granted *granted, const bool *present) {
    for (size_t i = 0; i < granted->count; i++)
        if (begins_owner(granted, i) && !(present && present[i]))
            add_subject(builder,
                        with_label(subject, granted->label_key, granted->list[i].grant->owner_name, builder->arena),
                        name);
}

/* A pod as it is. A template gets the label of each grant, as its pods do. */
static void add_pod(struct subject_builder *builder, const struct pod *pod, const struct granted *granted,
                    const struct snapshot *snapshot) {
    struct subject subject = subject_of_pod(pod, snapshot);
    const char *name = pod_label(pod, builder->arena);
    if (granted && pod->is_template)
        add_with_labels(builder, subject, name, granted, NULL);
    else
        add_subject(builder, subject, name);
}

/* As the config describes them: one for each grant, or the one without. */
static void add_described(struct subject_builder *builder, const struct boundary *boundary,
                          const struct granted *granted, const bool *present, const struct snapshot *snapshot) {
    size_t before = builder->out->count;
    struct subject subject = subject_of_labels(boundary->namespace, config_labels(boundary, builder->arena), snapshot);
    subject.is_described = true;
    if (granted)
        add_with_labels(builder, subject, NULL, granted, present);
    else
        add_subject(builder, subject, NULL);
    builder->out->described = builder->out->count - before;
}

/* ---- the inputs ---- */

static struct subject_builder subjects_of_inputs(const struct boundary *boundary, const struct granted *granted,
                                                 const struct snapshot *snapshot, bool templates, struct arena *arena) {
    const struct evidence *evidence = &snapshot->evidence;
    struct subject_builder builder = builder_of(templates ? SUBJECT_TEMPLATES : SUBJECT_INPUTS, arena);
    for (size_t i = 0; i < evidence->pod_count; i++)
        if (pod_is_of(&evidence->pods[i], boundary, templates))
            add_pod(&builder, &evidence->pods[i], granted, snapshot);
    return builder;
}

/* Which grants have a pod among the subjects, by the first of an owner's name. */
static const bool *grants_present(const struct subject_list *subjects, const struct granted *granted,
                                  struct arena *arena) {
    bool *present = arena_array(arena, granted->count + 1, sizeof *present);
    for (size_t i = 0; i < subjects->count; i++) {
        size_t first;
        if (granted_to(granted, &subjects->list[i].labels, &first) > 0)
            present[first] = true;
    }
    return present;
}

static const struct subject_list *subject_of_choice(const struct boundary *boundary, const struct granted *granted,
                                                    const struct snapshot *snapshot, const char *wanted,
                                                    struct arena *arena, const char **problem) {
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
    struct subject_builder builder = builder_of(SUBJECT_POD, arena);
    add_pod(&builder, pod, granted, snapshot);
    return builder.out;
}

const struct subject_list *subjects_of(const struct boundary *boundary, const struct granted *granted,
                                       const struct snapshot *snapshot, const struct subject_choice *choice,
                                       struct arena *arena, const char **problem) {
    if (choice->pod)
        return subject_of_choice(boundary, granted, snapshot, choice->pod, arena, problem);
    if (choice->labels) {
        struct labels labels;
        if (!labels_parse(choice->labels, arena, &labels)) {
            *problem = "--labels wants KEY=VALUE pairs with commas between them, each key once";
            return NULL;
        }
        const char *fault = labels_fault(&labels, arena);
        if (fault) {
            *problem = arena_format(arena, "--labels: %s", fault);
            return NULL;
        }
        return one_subject(SUBJECT_LABELS, subject_of_labels(boundary->namespace, labels, snapshot), arena);
    }
    struct subject_builder builder = subjects_of_inputs(boundary, granted, snapshot, false, arena);
    if (builder.out->count > 0 && granted)
        add_described(&builder, boundary, granted, grants_present(builder.out, granted, arena), snapshot);
    if (builder.out->count == 0)
        builder = subjects_of_inputs(boundary, granted, snapshot, true, arena);
    if (builder.out->count == 0) {
        builder = builder_of(SUBJECT_CONFIG, arena);
        add_described(&builder, boundary, granted, NULL, snapshot);
    }
    return builder.out;
}
