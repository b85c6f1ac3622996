#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/verify/allowance.h"
#include "analyzer/verify/collections.h"
#include "base/arena.h"

struct stage *stage_of(struct arena *arena, const char *objects) {
    struct stage *stage = arena_alloc(arena, sizeof *stage);
    struct file *file = arena_alloc(arena, sizeof *file);
    struct inputs *inputs = arena_alloc(arena, sizeof *inputs);
    struct reader_options options = {.limits = limits_default()};
    stage->arena = arena;
    diagnostics_init(&stage->diagnostics, arena);
    reader_read_text("objects.yaml", text_of(objects), &options, arena, file, &stage->diagnostics);
    *inputs = (struct inputs){.files = file, .count = 1};
    snapshot_read(inputs, "ns", arena, &stage->snapshot, &stage->diagnostics);
    struct cluster_facts facts = facts_default();
    stage->cluster = snapshot_cluster(&stage->snapshot, &facts);
    stage_read_core(stage);
    return stage;
}

const char *stage_filled(struct arena *arena, const char *format, const char *text) {
    const char *hole = strstr(format, "%s");
    assert_non_null(hole);
    return arena_format(arena, "%.*s%s%s", (int)(hole - format), format, text, hole + 2);
}

void stage_read_core(struct stage *stage) { stage->reading = readings_of(&stage->cluster, false, 0).list[0]; }

void stage_read_cilium(struct stage *stage, enum cilium_class class) {
    static const struct version versions[CILIUM_CLASS_COUNT] = {
        [CILIUM_1_15] = {.major = 1, .minor = 15, .has_patch = true},
        [CILIUM_1_16_0] = {.major = 1, .minor = 16, .has_patch = true},
        [CILIUM_1_16_4] = {.major = 1, .minor = 16, .patch = 4, .has_patch = true},
        [CILIUM_1_17_0] = {.major = 1, .minor = 17, .has_patch = true},
        [CILIUM_1_17_5] = {.major = 1, .minor = 17, .patch = 5, .has_patch = true},
        [CILIUM_1_18] = {.major = 1, .minor = 18, .has_patch = true},
        [CILIUM_1_19] = {.major = 1, .minor = 19, .has_patch = true},
    };
    stage->cluster.facts.known |= 1u << FACT_CILIUM_VERSION;
    stage->cluster.facts.cilium = versions[class];
    struct reading_list readings = readings_of(&stage->cluster, true, 0);
    assert_int_equal(readings.count, 1);
    assert_int_equal(readings.list[0].class, class);
    stage->reading = readings.list[0];
}

void stage_complete(struct stage *stage, enum object_kind kind) { stage->cluster.complete[kind] = true; }

const struct boundary *stage_boundary(struct arena *arena, const char *config) {
    struct config *read = arena_alloc(arena, sizeof *read);
    struct diagnostics diagnostics;
    struct config_options options = {.limits = limits_default()};
    diagnostics_init(&diagnostics, arena);
    if (config_read_text("egress.yaml", ".", text_of(config), &options, arena, read, &diagnostics) != CONFIG_OK ||
        read->count != 1 || !read->boundaries[0].usable)
        fail_msg("the config is refused: %s", config);
    return &read->boundaries[0];
}

/* ---- rules ---- */

static void add_rules(struct stage *stage, struct stage_rules *out, const struct policy *policy,
                      const struct cilium_rule *rule) {
    const char *name = policy->object->name;
    out->rules[out->count] = policy_rules_of(policy, rule, &stage->cluster, &stage->reading);
    out->selected[out->count] = (struct selected_rules){&out->rules[out->count], strncmp(name, "maybe", 5) != 0};
    out->count++;
}

struct stage_rules stage_rules(struct stage *stage) {
    static const enum object_kind kinds[] = {OBJECT_NETWORK_POLICY, OBJECT_CILIUM_NETWORK_POLICY,
                                             OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY};
    enum { MOST = 32 };
    struct stage_rules out = {arena_array(stage->arena, MOST, sizeof *out.rules),
                              arena_array(stage->arena, MOST, sizeof *out.selected), 0};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct object_list *list = &stage->snapshot.objects.of[kinds[k]];
        for (size_t i = 0; i < list->count; i++) {
            const struct policy *policy = snapshot_policy(&stage->snapshot, &list->list[i]);
            if (policy->core)
                add_rules(stage, &out, policy, NULL);
            for (uint32_t r = 0; r < policy->rule_count; r++)
                add_rules(stage, &out, policy, &policy->rules[r]);
            assert_true(out.count < MOST);
        }
    }
    return out;
}

struct effective stage_effective(struct stage *stage) {
    struct stage_rules rules = stage_rules(stage);
    struct effective effective;
    effective_of(rules.selected, rules.count, &stage->reading, stage->arena, &effective);
    return effective;
}

const struct rule_entry *stage_entry(struct stage *stage) {
    struct stage_rules rules = stage_rules(stage);
    assert_int_equal(rules.count, 1);
    assert_int_equal(rules.rules[0].count, 1);
    return &rules.rules[0].entries[0];
}

/* ---- flows ---- */

static bool takes(const char **text, const char *prefix) {
    size_t length = strlen(prefix);
    if (strncmp(*text, prefix, length) != 0)
        return false;
    *text += length;
    return true;
}

static struct label label_of(const char *key, const char *value) {
    if (takes(&key, "ns:"))
        return (struct label){{LABEL_NAMESPACE, key}, value};
    if (takes(&key, "sa:"))
        return (struct label){{LABEL_SERVICE_ACCOUNT, ""}, value};
    if (takes(&key, "cluster:"))
        return (struct label){{LABEL_CLUSTER, ""}, value};
    return (struct label){{LABEL_POD, key}, value};
}

static int compare_labels(const void *a, const void *b) {
    return label_key_compare(&((const struct label *)a)->key, &((const struct label *)b)->key);
}

static struct destination pod_of(struct stage *stage, const char *text) {
    enum { MOST = 16 };
    struct label *labels = arena_array(stage->arena, MOST, sizeof *labels);
    char *copy = arena_copy(stage->arena, text, strlen(text)), *rest = strchr(copy, '?');
    uint32_t count = 0;
    if (rest)
        *rest++ = '\0';
    labels[count++] = (struct label){{LABEL_NAMESPACE, LABEL_NAMESPACE_NAME}, copy};
    for (char *pair = rest; pair && *pair; pair = rest) {
        rest = strchr(pair, ',');
        if (rest)
            *rest++ = '\0';
        char *equals = strchr(pair, '=');
        assert_non_null(equals);
        *equals = '\0';
        assert_true(count < MOST);
        labels[count++] = label_of(pair, equals + 1);
    }
    qsort(labels, count, sizeof *labels, compare_labels);
    return (struct destination){.kind = DESTINATION_POD, .endpoint = {labels, count}};
}

static struct destination name_of(struct stage *stage, const char *text) {
    const char *at = strchr(text, '@');
    struct destination destination = {.kind = DESTINATION_NAME};
    destination.name = arena_copy(stage->arena, text, at ? (size_t)(at - text) : strlen(text));
    if (!address_parse(text_of(at ? at + 1 : "203.0.113.9"), &destination.address))
        fail_msg("%s: no address", text);
    return destination;
}

struct destination stage_destination(struct stage *stage, const char *text) {
    static const char *const specials[SPECIAL_COUNT] = {"kube-apiserver",
                                                        "host",
                                                        "host+kube-apiserver",
                                                        "remote-node",
                                                        "remote-node+kube-apiserver",
                                                        "health",
                                                        "ingress",
                                                        "init",
                                                        "unmanaged"};
    struct destination destination = {.kind = DESTINATION_ADDRESS};
    if (takes(&text, "pod:"))
        return pod_of(stage, text);
    if (takes(&text, "name:"))
        return name_of(stage, text);
    for (unsigned i = 0; i < SPECIAL_COUNT; i++)
        if (strcmp(text, specials[i]) == 0)
            return (struct destination){.kind = DESTINATION_SPECIAL, .special = (enum special)i};
    if (!address_parse(text_of(text), &destination.address))
        fail_msg("%s is no destination", text);
    return destination;
}

static struct payload payload_of(const char *text) {
    if (takes(&text, "dns:"))
        return (struct payload){PAYLOAD_QUESTION, text};
    if (takes(&text, "sni:"))
        return (struct payload){PAYLOAD_SERVER_NAME, text};
    if (takes(&text, "http:"))
        return (struct payload){PAYLOAD_REQUEST, text};
    fail_msg("%s is no payload", text);
    return (struct payload){PAYLOAD_OTHER, NULL};
}

struct flow stage_flow(struct stage *stage, const char *text) {
    const char *space = strchr(text, ' ');
    assert_non_null(space);
    struct flow flow = {.protocol = PROTOCOL_COUNT};
    flow.destination = stage_destination(stage, arena_copy(stage->arena, text, (size_t)(space - text)));
    char *end;
    flow.port = (unsigned)strtoul(space + 1, &end, 10);
    assert_int_equal(*end, '/');
    size_t length = strcspn(end + 1, " ");
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++)
        if (text_is((struct text){end + 1, length}, protocol_word((enum protocol)i)))
            flow.protocol = (enum protocol)i;
    if (flow.protocol == PROTOCOL_COUNT)
        fail_msg("%s: no protocol", text);
    if (end[1 + length])
        flow.payload = payload_of(end + 1 + length + 1);
    return flow;
}

/* ---- answers ---- */

static enum truth truth_between(bool lower, bool upper) {
    if (lower && !upper)
        fail_msg("a lower bound holds what the upper one does not");
    return lower ? TRUTH_YES : upper ? TRUTH_MAYBE : TRUTH_NO;
}

enum truth stage_denies(struct stage *stage, const struct effective *effective, const char *flow) {
    struct flow one = stage_flow(stage, flow);
    return truth_between(flow_set_contains(&effective->deny_lower, &one),
                         flow_set_contains(&effective->deny_upper, &one));
}

enum truth stage_allows(struct stage *stage, const struct effective *effective, const char *flow) {
    struct flow one = stage_flow(stage, flow);
    struct flow_set lower = flow_set_closed(stage->arena, &effective->allow_lower);
    struct flow_set upper = flow_set_closed(stage->arena, &effective->allow_upper);
    enum truth allowed = truth_between(flow_set_contains(&lower, &one), flow_set_contains(&upper, &one));
    enum truth denied = stage_denies(stage, effective, flow);
    return truth_and(allowed, denied == TRUTH_YES ? TRUTH_NO : denied == TRUTH_NO ? TRUTH_YES : TRUTH_MAYBE);
}

enum truth stage_reaches(struct stage *stage, const struct rule_entry *entry, const char *destination) {
    struct destination one = stage_destination(stage, destination);
    struct destination_set lower = entry_destinations(entry, false, stage->arena);
    struct destination_set upper = entry_destinations(entry, true, stage->arena);
    return truth_between(destination_set_contains(&lower, &one), destination_set_contains(&upper, &one));
}

const char *truth_word(enum truth truth) { return truth == TRUTH_YES ? "yes" : truth == TRUTH_MAYBE ? "maybe" : "no"; }
