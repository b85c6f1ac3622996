/* Any text through the reader, the objects, the policies and the evidence. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "kube/evidence.h"
#include "kube/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fact) {
    if (!fact)
        abort();
}

static void check_problems(const struct policy *policy) {
    for (uint32_t i = 0; i < policy->problem_count; i++) {
        const struct problem *problem = &policy->problems[i];
        check(problem->message && problem->part.path && problem->part.node && problem->classes);
        check(policy_problem(policy, problem->effect, problem->classes) != NULL);
    }
}

static void check_selector(const struct selector *selector) {
    check(selector->presence != PRESENCE_FILLED || selector->count > 0);
    for (uint32_t i = 0; i < selector->count; i++) {
        const struct selector_requirement *requirement = &selector->requirements[i];
        check(requirement->key && requirement->node && (requirement->values || requirement->count == 0));
        for (uint32_t j = 0; j < requirement->count; j++)
            check(requirement->values[j] != NULL);
    }
}

static void check_core(const struct core_policy *core) {
    check_selector(&core->pods);
    for (uint32_t i = 0; i < core->egress.count; i++) {
        const struct core_rule *rule = &core->egress.rules[i];
        check(rule->part.path != NULL);
        for (uint32_t j = 0; j < rule->peer_count; j++) {
            check(rule->peers[j].part.path != NULL);
            check_selector(&rule->peers[j].pods);
        }
        for (uint32_t j = 0; j < rule->port_count; j++)
            check(rule->ports[j].protocol && rule->ports[j].end >= rule->ports[j].number);
    }
}

static void check_entries(const struct cilium_entries *entries, bool deny) {
    for (uint32_t i = 0; i < entries->count; i++) {
        const struct cilium_entry *entry = &entries->list[i];
        check(entry->part.path && !(deny && entry->fqdns.presence));
        for (uint32_t j = 0; j < entry->endpoints.count; j++)
            check_selector(&entry->endpoints.list[j]);
        for (uint32_t j = 0; j < entry->port_count; j++) {
            check(!(deny && (entry->ports[j].has_rules || entry->ports[j].server_names.presence)));
            for (uint32_t k = 0; k < entry->ports[j].port_count; k++)
                check(entry->ports[j].ports[k].protocol != NULL);
        }
    }
}

static void check_policy(const struct policy *policy) {
    check_problems(policy);
    if (policy->core)
        check_core(policy->core);
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        check_selector(&policy->rules[i].endpoint_selector);
        check_entries(&policy->rules[i].egress, false);
        check_entries(&policy->rules[i].egress_deny, true);
        check_entries(&policy->rules[i].ingress, false);
        check_entries(&policy->rules[i].ingress_deny, true);
    }
}

static void check_all(const struct objects *objects, struct arena *arena, struct diagnostics *diagnostics) {
    struct evidence evidence;
    struct cluster_facts facts;
    for (int kind = OBJECT_NETWORK_POLICY; kind <= OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY; kind++) {
        for (size_t i = 0; i < objects->of[kind].count; i++)
            check_policy(policy_read(&objects->of[kind].list[i], arena));
    }
    evidence_read(objects, arena, &evidence, diagnostics);
    evidence_facts(objects, arena, &facts, diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct reader_options options = {.limits = limits_default(), .filter = size % 2 ? object_keep : NULL};
    struct arena *arena = arena_create();
    struct diagnostics diagnostics;
    struct objects objects;
    struct file file;
    memset(&file, 0, sizeof file);
    options.limits.nodes = 20000;
    diagnostics_init(&diagnostics, arena);
    reader_read_text("fuzz", (struct text){(const char *)data, size}, &options, arena, &file, &diagnostics);
    struct inputs inputs = {.files = &file, .count = 1};
    objects_collect(&inputs, size % 3 ? "default" : NULL, arena, &objects, &diagnostics);
    check_all(&objects, arena, &diagnostics);
    arena_destroy(arena);
    return 0;
}
