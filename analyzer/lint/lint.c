#include "analyzer/lint/lint.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/lint/check.h"
#include "base/arena.h"

enum { NEWEST_KUBERNETES = 36, FINDINGS_MAX = 100000 };

/* ---- findings ---- */

static struct diagnostic *report(struct lint *lint, const struct object *object, enum code code, struct part part,
                                 const char *format, va_list arguments) {
    struct buffer message;
    buffer_init(&message, lint->arena);
    buffer_vprint(&message, format, arguments);
    const struct node *node = part.node ? part.node : object->root;
    struct location place = node_location(object->file, node);
    if (lint->findings->count > FINDINGS_MAX) {
        lint->unkept = (struct diagnostic){.code = code, .severity = code_severity(code), .location = place};
        return &lint->unkept;
    }
    if (lint->findings->count == FINDINGS_MAX)
        diagnostics_add(lint->findings, CODE_LIMIT, place,
                        "there are more than %d findings; further ones are not shown", FINDINGS_MAX);
    struct diagnostic *finding = diagnostics_add(lint->findings, code, place, "%s", buffer_string(&message));
    finding->object = object_name_of(object);
    finding->path = part.path;
    if (part.node && part.node->kind != NODE_LIST && part.node->kind != NODE_MAP && part.node->kind != NODE_NULL)
        finding->value = node_text(part.node).bytes;
    return finding;
}

struct diagnostic *lint_report(struct lint *lint, const struct policy *policy, enum code code, struct part part,
                               const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    struct diagnostic *finding = report(lint, policy->object, code, part, format, arguments);
    va_end(arguments);
    return finding;
}

struct diagnostic *lint_report_object(struct lint *lint, const struct object *object, enum code code, struct part part,
                                      const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    struct diagnostic *finding = report(lint, object, code, part, format, arguments);
    va_end(arguments);
    return finding;
}

/* ---- what is there ---- */

static void take_as_complete(struct lint *lint) {
    static const enum object_kind kinds[] = {OBJECT_SERVICE, OBJECT_CILIUM_CIDR_GROUP, OBJECT_ENDPOINT_SLICE,
                                             OBJECT_POD, OBJECT_NAMESPACE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        lint->cluster.complete[kinds[i]] = lint->snapshot.objects.of[kinds[i]].count > 0;
}

/* Facts of the request stand over the config's, and what the objects show fills the rest. */
static void set_cluster(struct lint *lint) {
    const struct lint_request *request = lint->request;
    lint->cluster = (struct cluster){.arena = lint->arena, .evidence = &lint->snapshot.evidence};
    bool configured = request->config && request->config->count > 0;
    lint->cluster.facts = configured       ? request->config->boundaries[0].cluster
                          : request->facts ? *request->facts
                                           : facts_default();
    facts_merge(&lint->cluster.facts, &lint->snapshot.facts, lint->findings);
    lint->snapshot.facts = lint->cluster.facts;
    take_as_complete(lint);
}

static void set_readings(struct lint *lint) {
    const struct cluster_facts *facts = &lint->cluster.facts;
    lint->cilium = lint->snapshot.objects.of[OBJECT_CILIUM_NETWORK_POLICY].count > 0 ||
                   lint->snapshot.objects.of[OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY].count > 0;
    lint->readings = readings_of(&lint->cluster, true, 0);
    lint->core = readings_of(&lint->cluster, false, 0).list[0];
    lint->newest = lint->readings.list[lint->readings.count - 1];
    lint->kubernetes_minor =
        facts_know(facts, FACT_KUBERNETES_VERSION) ? facts->kubernetes.minor : (unsigned)NEWEST_KUBERNETES;
    lint->refusing = facts_know(facts, FACT_CILIUM_VERSION) ? cilium_classes_of(facts) : cilium_from(CILIUM_1_19);
}

/* Names of another type are told by the field tables too, which know more of what follows. */
static void drop_retold(struct diagnostics *findings) {
    static const char *const kinds[] = {"NetworkPolicy", "CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"};
    size_t kept = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct diagnostic *finding = &findings->list[i];
        bool retold = false;
        for (size_t j = 0; j < sizeof kinds / sizeof *kinds && finding->code == CODE_WRONG_TYPE; j++)
            retold = retold || (finding->object.kind && strcmp(finding->object.kind, kinds[j]) == 0);
        findings->errors -= retold;
        if (!retold)
            findings->list[kept++] = *finding;
    }
    findings->count = kept;
}

struct placed_policy {
    const struct policy *policy;
    size_t file;
};

static int compare_places(const void *a, const void *b) {
    const struct placed_policy *left = a, *right = b;
    const struct object *one = left->policy->object, *other = right->policy->object;
    if (left->file != right->file)
        return left->file < right->file ? -1 : 1;
    if (one->document != other->document)
        return one->document < other->document ? -1 : 1;
    return (one->item > other->item) - (one->item < other->item);
}

struct named_file {
    const char *name;
    size_t place;
};
static int compare_names(const void *a, const void *b) {
    const char *left = ((const struct named_file *)a)->name, *right = ((const struct named_file *)b)->name;
    return (left > right) - (left < right);
}

/* Files by the pointers of their names, which objects share. */
static const struct named_file *files_by_name(const struct inputs *inputs, struct arena *arena) {
    struct named_file *files = arena_array(arena, inputs->count + 1, sizeof *files);
    for (size_t i = 0; i < inputs->count; i++)
        files[i] = (struct named_file){.name = inputs->files[i].name, .place = i};
    if (inputs->count > 1)
        qsort(files, inputs->count, sizeof *files, compare_names);
    return files;
}

static size_t place_of_file(const struct named_file *files, size_t count, const char *name) {
    const struct named_file wanted = {.name = name};
    const struct named_file *found = count ? bsearch(&wanted, files, count, sizeof *files, compare_names) : NULL;
    return found ? found->place : 0;
}

static void read_policies(struct lint *lint) {
    static const enum object_kind kinds[] = {OBJECT_NETWORK_POLICY, OBJECT_CILIUM_NETWORK_POLICY,
                                             OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY};
    const struct inputs *inputs = lint->request->inputs;
    const struct named_file *files = files_by_name(inputs, lint->arena);
    size_t most = 0, count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        most += lint->snapshot.objects.of[kinds[i]].count;
    struct placed_policy *placed = arena_array(lint->arena, most + 1, sizeof *placed);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct object_list *list = &lint->snapshot.objects.of[kinds[i]];
        for (size_t j = 0; j < list->count; j++) {
            const struct object *object = &list->list[j];
            if (object->served)
                placed[count++] = (struct placed_policy){.policy = snapshot_policy(&lint->snapshot, object),
                                                         .file = place_of_file(files, inputs->count, object->file)};
        }
    }
    if (count > 1)
        qsort(placed, count, sizeof *placed, compare_places);
    lint->policies = arena_array(lint->arena, count + 1, sizeof *lint->policies);
    lint->policy_count = count;
    for (size_t i = 0; i < count; i++)
        lint->policies[i] = placed[i].policy;
}

/* What the API server and single objects show holds for every copy, though the analysis of the run needs one. */
static void read_copies(struct lint *lint) {
    const struct object_list *list = &lint->snapshot.objects.copies;
    lint->copies = arena_array(lint->arena, list->count + 1, sizeof *lint->copies);
    for (size_t i = 0; i < list->count; i++)
        if (list->list[i].served && list->list[i].kind <= OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY)
            lint->copies[lint->copy_count++] = policy_read(&list->list[i], lint->arena);
}

/* ---- the run ---- */

/* What was said of findings that are not kept has moved the count. */
static void count_errors(struct diagnostics *findings) {
    findings->errors = 0;
    for (size_t i = 0; i < findings->count; i++)
        findings->errors += findings->list[i].severity == SEVERITY_ERROR;
}

static void check_objects(struct lint *lint, const struct policy *const *policies, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (lint_policy_check *const *check = lint_object_checks; *check; check++)
            (*check)(lint, policies[i]);
}

static void run_tables(struct lint *lint) {
    for (lint_run_check *const *check = lint_reading_checks; *check; check++)
        (*check)(lint);
    check_objects(lint, lint->policies, lint->policy_count);
    check_objects(lint, lint->copies, lint->copy_count);
    for (lint_run_check *const *check = lint_run_checks; *check; check++)
        (*check)(lint);
}

void lint_run(const struct lint_request *request, struct arena *arena, const struct diagnostics *diagnostics,
              struct lint_result *result) {
    struct lint *lint = arena_alloc(arena, sizeof *lint);
    *result = (struct lint_result){.policy_count = 0};
    diagnostics_init(&result->findings, arena);
    diagnostics_init(&result->untold, arena);
    diagnostics_append(&result->findings, diagnostics);
    *lint = (struct lint){.request = request, .arena = arena, .findings = &result->findings, .untold = &result->untold};
    snapshot_read(request->inputs, request->namespace, arena, &lint->snapshot, lint->findings);
    drop_retold(lint->findings);
    set_cluster(lint);
    set_readings(lint);
    read_policies(lint);
    read_copies(lint);
    run_tables(lint);
    count_errors(lint->findings);
    diagnostics_sort(lint->findings);
    lint_ignore(lint);
    if (request->excerpts) {
        lint_add_excerpts(lint->findings);
        lint_add_excerpts(lint->untold);
    }
    result->policy_count = lint->policy_count;
    result->inputs = inputs_summary_of(&lint->snapshot);
    result->fixes = lint_resolve(lint, &result->fix_count);
}
