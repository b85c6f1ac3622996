#include "analyzer/verify/verify.h"

#include <string.h>

#include "analyzer/verify/assumptions.h"
#include "analyzer/verify/collections.h"
#include "analyzer/verify/fence.h"
#include "analyzer/verify/named_object.h"
#include "analyzer/verify/sandboxes.h"
#include "analyzer/verify/union.h"
#include "base/arena.h"

enum { PODS_SHOWN = 100 };

struct run {
    const struct verify_request *request;
    struct arena *arena, *scratch;
    struct diagnostics *diagnostics;
    struct snapshot snapshot;
    const char *unreadable; /* a sentence on what could not be read and may hold any policy, or NULL */
    struct assumptions assumptions;
};

static bool checks(const struct run *run, enum check check) { return (run->request->checks >> check & 1u) != 0; }

/* ---- groups of subjects ---- */

struct group {
    const char *key;
    const struct subject *first;
    struct labels shared;
    const char **pods;
    size_t pod_count, pod_capacity;
};

struct groups {
    struct group *list;
    size_t count, capacity;
    size_t *slots; /* hash table of indexes + 1 */
    size_t slot_count;
};

static struct group *groups_find(struct groups *groups, const char *key, struct arena *arena) {
    size_t slot = (size_t)text_hash(text_of(key)) % groups->slot_count;
    while (groups->slots[slot] && strcmp(groups->list[groups->slots[slot] - 1].key, key) != 0)
        slot = (slot + 1) % groups->slot_count;
    if (!groups->slots[slot]) {
        if (groups->count == groups->capacity)
            groups->list = arena_grow(arena, groups->list, &groups->capacity, groups->count + 1, sizeof *groups->list);
        groups->list[groups->count++] = (struct group){.key = key};
        groups->slots[slot] = groups->count;
    }
    return &groups->list[groups->slots[slot] - 1];
}

static struct labels labels_shared(const struct labels *a, const struct labels *b, struct arena *arena) {
    struct key_value *list = arena_array(arena, a->count + 1u, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const char *other = labels_get(b, a->list[i].key);
        if (other && strcmp(other, a->list[i].value) == 0)
            list[count++] = a->list[i];
    }
    return (struct labels){list, count};
}

/* The setups of the directions that are checked; NULL: that check is not run. */
struct sides {
    struct union_setup *egress, *ingress;
    const char *egress_unread, *ingress_unread; /* a sentence on what had to be read and was not, or NULL */
};

/* Subjects that no rule of either direction tells apart share it. */
static const char *subject_key(const struct sides *sides, const struct subject *subject, struct arena *arena) {
    return arena_format(arena, "%s;%s", sides->egress ? union_subject_key(sides->egress, subject) : "",
                        sides->ingress ? union_subject_key(sides->ingress, subject) : "");
}

static struct groups group_subjects(struct run *run, const struct sides *sides, const struct subject_list *subjects) {
    struct groups groups = {.slot_count = subjects->count * 2 + 1};
    groups.slots = arena_array(run->arena, groups.slot_count, sizeof *groups.slots);
    for (size_t i = 0; i < subjects->count; i++) {
        const struct subject *subject = &subjects->list[i];
        struct group *group = groups_find(&groups, subject_key(sides, subject, run->arena), run->arena);
        if (!group->first)
            group->shared = subject->labels;
        else if (group->shared.count > 0)
            group->shared = labels_shared(&group->shared, &subject->labels, run->arena);
        group->first = group->first ? group->first : subject;
        if (!subjects->names[i])
            continue;
        if (group->pod_count == group->pod_capacity)
            group->pods =
                arena_grow(run->arena, group->pods, &group->pod_capacity, group->pod_count + 1, sizeof *group->pods);
        group->pods[group->pod_count++] = subjects->names[i];
    }
    return groups;
}

/* ---- a boundary ---- */

static void decide_subject(const struct sides *sides, const struct subject *subject, bool list_all,
                           struct subject_decision *out) {
    if (sides->egress) {
        out->egress = union_decide(sides->egress, subject, list_all, sides->egress_unread);
        out->refused = out->refused || out->egress->refused;
    }
    if (sides->ingress) {
        out->ingress = union_decide(sides->ingress, subject, list_all, sides->ingress_unread);
        out->refused = out->refused || out->ingress->refused;
    }
}

static void warn_might_select(struct run *run, const struct sides *sides, const struct subject *subject) {
    if (sides->egress)
        union_warn_might_select(sides->egress, NULL, subject, run->diagnostics);
    if (sides->ingress)
        union_warn_might_select(sides->ingress, sides->egress, subject, run->diagnostics);
}

/* Both directions have the same policies. */
static void warn_slips(struct run *run, const struct sides *sides, const struct subject *subject) {
    struct union_setup *setup = sides->egress ? sides->egress : sides->ingress;
    if (setup && !subject->host_network)
        union_warn_slips(setup, subject, run->diagnostics);
}

static void decide_subjects(struct run *run, const struct boundary *boundary, const struct sides *sides,
                            const struct subject_list *subjects, struct boundary_decision *out) {
    struct groups groups = group_subjects(run, sides, subjects);
    struct subject_decision *list = arena_array(run->arena, groups.count + 1, sizeof *list);
    const struct subject *described = subjects->list + (subjects->count - subjects->described);
    /* Of several grants, no pod's entry lists the objects of all the others. */
    bool only_one = subjects->source == SUBJECT_LABELS || (subjects->source == SUBJECT_CONFIG && subjects->count == 1);
    for (size_t i = 0; i < groups.count; i++) {
        const struct group *group = &groups.list[i];
        bool list_all = run->request->all || only_one;
        size_t shown = run->request->all || group->pod_count < PODS_SHOWN ? group->pod_count : PODS_SHOWN;
        list[i] = (struct subject_decision){.namespace = boundary->namespace,
                                            .labels = group->shared,
                                            .pods = {group->pods, shown},
                                            .pod_count = group->pod_count};
        decide_subject(sides, group->first, list_all, &list[i]);
        warn_slips(run, sides, group->first);
        out->refused = out->refused || list[i].refused;
        if (group->first >= described)
            warn_might_select(run, sides, group->first);
    }
    out->subjects = list;
    out->subject_count = groups.count;
}

/* What a direction's policies had to be read from and were not: all of it is noted, the first is told. */
static const char *unread_of(struct run *run, const struct union_setup *setup) {
    const char *namespace = setup->boundary->namespace;
    const char *lacking = snapshot_lacks_policies(&run->snapshot, !setup->core_engine, namespace);
    const char *required =
        snapshot_lacks_required(&run->snapshot, run->request->required, run->request->required_count, namespace);
    return lacking ? lacking : required ? required : run->unreadable;
}

/* Labels given for the pod of a grant that was taken back ask about that grant, which has nothing more to decide; what other
 * policies mean for the boundary's pods is decided without it. */
static bool is_taken_back(struct run *run, const struct granted *granted, const struct subject_list *subjects) {
    const struct grant *grant = NULL;
    if (granted && subjects->source == SUBJECT_LABELS)
        grant = granted_nothing(granted, &subjects->list[0].labels, &run->snapshot.objects);
    if (!grant)
        return false;
    struct diagnostic *warning = diagnostics_add(
        run->diagnostics, CODE_GRANT_EMPTY, grant->location,
        "the grant has no hosts and no object of it is left, so nothing was decided about the egress of "
        "its pod; leave --grant out to decide it by the config alone");
    warning->path = "allowedHosts";
    return true;
}

static const char *decide_sides(struct run *run, const struct boundary *boundary, const struct granted *granted,
                                const struct cluster_facts *facts, struct boundary_decision *out) {
    bool egress = checks(run, CHECK_UNION) && boundary->policy != POLICY_ABSENT && !boundary->named_object_only;
    bool ingress = checks(run, CHECK_INGRESS) && !boundary->ingress_unverified;
    if (!egress && !ingress)
        return NULL;
    const char *problem = NULL;
    const struct subject_list *subjects =
        subjects_of(boundary, granted, &run->snapshot, &run->request->choice, run->arena, &problem);
    if (!subjects)
        return problem;
    egress = egress && !is_taken_back(run, granted, subjects);
    if (!egress && !ingress)
        return NULL;
    struct union_setup setups[2];
    struct sides sides = {.egress = egress ? &setups[DIRECTION_EGRESS] : NULL,
                          .ingress = ingress ? &setups[DIRECTION_INGRESS] : NULL};
    if (egress) {
        union_setup_init(sides.egress, &run->snapshot, boundary, granted, facts, run->scratch);
        assumptions_of_union(&run->assumptions, sides.egress, subjects);
        sides.egress_unread = unread_of(run, sides.egress);
    }
    if (ingress) {
        union_setup_init_ingress(sides.ingress, &run->snapshot, boundary, granted, facts, run->scratch);
        assumptions_of_union(&run->assumptions, sides.ingress, subjects);
        sides.ingress_unread = unread_of(run, sides.ingress);
    }
    decide_subjects(run, boundary, &sides, subjects, out);
    return NULL;
}

/* The facts of the config, completed by the snapshot's. A contradiction is a refusal of the boundary. */
static struct cluster_facts merge_facts(struct run *run, const struct boundary *boundary,
                                        struct diagnostics *refusals) {
    struct cluster_facts facts = boundary->cluster;
    if (!facts_merge(&facts, &run->snapshot.facts, refusals) || !run->snapshot.facts_hold) {
        diagnostics_add(refusals, CODE_NOT_EVALUABLE, boundary->location,
                        "the facts about the cluster contradict one another, so nothing can be decided under them");
    }
    return facts;
}

/* The objects of the grants, in the order of the set. Without hosts there is none, and none is asked for. */
static void decide_grant_objects(struct run *run, const struct grant_set *grants, const struct cluster_facts *facts,
                                 struct diagnostics *refusals, struct boundary_decision *out) {
    struct named_decision *list = arena_array(run->arena, grants->count + 1, sizeof *list);
    for (size_t i = 0; i < grants->count; i++) {
        const struct grant *grant = &grants->list[i];
        struct policy *compiled = grant->usable ? grant_policy(grant, run->arena) : NULL;
        if (compiled)
            list[out->grant_object_count++] =
                *named_object_decide(compiled, grant->location, &run->snapshot, facts, true, refusals);
        else if (grant->usable)
            list[out->grant_object_count++] =
                (struct named_decision){.status = NAMED_SKIPPED, .object = grant_object(grant)};
    }
    out->grant_objects = list;
    out->has_grants = true;
}

/* The fence of the writer of grants. Its refusals are the boundary's too. */
static void decide_fence(struct run *run, const struct boundary *boundary, struct diagnostics *refusals,
                         struct boundary_decision *out) {
    const struct fence_request request = {boundary, &run->snapshot, run->unreadable};
    if (!checks(run, CHECK_FENCE) || !boundary->usable || !boundary->has_per_sandbox)
        return;
    struct fence_decision *fence = fence_decide(&request, run->arena, run->diagnostics);
    for (size_t i = 0; i < fence->refusals.count; i++) {
        struct diagnostic refusal = fence->refusals.list[i];
        diagnostics_append(refusals, &(struct diagnostics){.list = &refusal, .count = 1, .errors = 1});
    }
    fence_assumptions(boundary, &run->assumptions);
    out->fence = fence;
}

/* Where no pod is decided about, what the caller requires still has to have been read. */
static void refuse_unread(struct run *run, const struct boundary *boundary, struct diagnostics *refusals) {
    const char *sentence = snapshot_lacks_required(&run->snapshot, run->request->required, run->request->required_count,
                                                   boundary->namespace);
    if (sentence)
        diagnostics_add(refusals, CODE_NOT_READ, boundary->location, "%s", sentence);
}

/* A config that is refused only for what it would mean is still compared with the object that stands there. Without
 * `egress` nothing is compiled, and only ingress is verified. */
static const char *decide_boundary(struct run *run, const struct boundary *boundary, struct boundary_decision *out) {
    if (!boundary->translatable)
        return NULL;
    struct diagnostics refusals;
    diagnostics_init(&refusals, run->arena);
    struct cluster_facts facts = merge_facts(run, boundary, &refusals);
    if (checks(run, CHECK_NAMED_OBJECT) && boundary->policy != POLICY_ABSENT) {
        struct policy *compiled = boundary_policy(boundary, run->arena);
        out->named_object = named_object_decide(compiled, boundary->location, &run->snapshot, &facts,
                                                boundary->engine == ENGINE_CILIUM, &refusals);
    }
    const struct grant_set *grants = run->request->grants;
    grants = grants && grants->boundary == boundary ? grants : NULL;
    if (checks(run, CHECK_NAMED_OBJECT) && grants && boundary->usable && boundary->has_per_sandbox)
        decide_grant_objects(run, grants, &facts, &refusals, out);
    const char *problem = NULL;
    if (boundary->usable && (!grants || grants->usable))
        problem = decide_sides(run, boundary, grants ? granted_of(grants, run->arena) : NULL, &facts, out);
    decide_fence(run, boundary, &refusals, out);
    if (out->subjects)
        sandboxes_check(boundary, run->request->config, grants, &run->snapshot, &refusals, run->diagnostics);
    else
        refuse_unread(run, boundary, &refusals);
    out->refused = out->refused || refusals.errors > 0;
    out->refusals = (struct diagnostic_list){refusals.list, refusals.count};
    return problem;
}

/* ---- the whole ---- */

static void note_unreadable(struct run *run) {
    const struct location *at = &run->snapshot.unreadable_at;
    if (!run->snapshot.unreadable)
        return;
    const char *line = at->line ? arena_format(run->arena, ":%u", at->line) : ""; /* none: it could not be opened */
    run->unreadable = arena_format(run->arena, "%s%s: %s", at->file, line, run->snapshot.unreadable);
}

/* The config's part of a boundary with what was decided about it. */
static void complete(struct boundary_decision *boundary, const struct boundary_decision *decided, struct arena *arena) {
    boundary->refused = boundary->refused || decided->refused;
    boundary->named_object = decided->named_object;
    boundary->grant_objects = decided->grant_objects;
    boundary->grant_object_count = decided->grant_object_count;
    boundary->has_grants = decided->has_grants;
    boundary->subjects = decided->subjects;
    boundary->subject_count = decided->subject_count;
    boundary->fence = decided->fence;
    size_t count = boundary->refusals.count + decided->refusals.count;
    struct diagnostic *refusals = arena_array(arena, count + 1, sizeof *refusals);
    for (size_t i = 0; i < count; i++)
        refusals[i] = i < boundary->refusals.count ? boundary->refusals.list[i]
                                                   : decided->refusals.list[i - boundary->refusals.count];
    boundary->refusals = (struct diagnostic_list){refusals, count};
}

static bool is_open(const struct side_decision *side) {
    for (size_t i = 0; side && i < side->examined_count; i++)
        if (side->examined[i].verdict == VERDICT_NOT_EVALUABLE)
            return true;
    return false;
}

/* Evidence that was not read is told where a verdict rests on it. */
static void note_missed(struct run *run, const struct boundary_decision *decided, size_t count) {
    bool open = false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < decided[i].subject_count; k++)
            open = open || is_open(decided[i].subjects[k].egress) || is_open(decided[i].subjects[k].ingress);
    if (open)
        snapshot_note_missed(&run->snapshot);
}

/* A template may hold any policy: here it is a file that could not be read (spec/analysis.md 1). */
static void refuse_templates(struct diagnostics *diagnostics) {
    for (size_t i = 0; i < diagnostics->count; i++)
        if (diagnostics->list[i].code == CODE_TEMPLATE)
            diagnostic_set_severity(diagnostics, &diagnostics->list[i], SEVERITY_ERROR);
}

const char *verify_decide(const struct verify_request *request, struct arena *arena, struct diagnostics *diagnostics,
                          struct decision *decision) {
    struct run run = {.request = request, .arena = arena, .diagnostics = diagnostics};
    assumptions_init(&run.assumptions, arena);
    snapshot_read(request->inputs, request->namespace, arena, &run.snapshot, diagnostics);
    refuse_templates(diagnostics);
    note_unreadable(&run);
    struct boundary_decision *decided = arena_array(arena, request->config->count + 1, sizeof *decided);
    const char *problem = NULL;
    run.scratch = arena_create();
    for (size_t i = 0; i < request->config->count && !problem; i++)
        problem = decide_boundary(&run, &request->config->boundaries[i], &decided[i]);
    arena_destroy(run.scratch);
    if (problem)
        return problem;
    struct boundary_decision *boundaries;
    decision_of_config(request->config, diagnostics, arena, decision, &boundaries);
    for (size_t i = 0; i < request->config->count; i++) {
        complete(&boundaries[i], &decided[i], arena);
        decision->refused = decision->refused || boundaries[i].refused;
    }
    note_missed(&run, decided, request->config->count);
    decision->unread = snapshot_unread(&run.snapshot, arena, &decision->unread_count);
    decision->inputs = inputs_summary_of(&run.snapshot);
    decision->assumptions = assumptions_list(&run.assumptions);
    return NULL;
}
