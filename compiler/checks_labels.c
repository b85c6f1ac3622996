/* Labels of pods and selector, profile, and the name of the object (spec/config.md 1, 4; steps 1, 3, 5, 7). */
#include <string.h>

#include "base/arena.h"
#include "compiler/checks.h"
#include "grammar/label.h"
#include "grammar/name.h"

/* The labels of a map, as far as they are legal. */
static struct config_label *read_label_map(struct checks *checks, const struct node *map, const char *path,
                                           size_t *count) {
    struct shape shape = checks_at(checks, STEP_SHAPE);
    shape_check_keys(&shape, map, path);
    struct config_label *labels = arena_array(checks->arena, map->count, sizeof *labels);
    *count = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct node *key = &map->entries[i].key, *value = &map->entries[i].value;
        const char *here = path_key(checks->arena, path, node_text(key));
        enum label_fault fault = label_key_check(node_text(key), NULL);
        if (fault != LABEL_OK) {
            shape_refuse(&shape, CODE_CONFIG_UNUSABLE, key, here, "%s is no label key: %s",
                         shape_quote(checks->arena, key), label_fault_text(fault));
        }
        if (!shape_is(value, SHAPE_STRING)) {
            shape_refuse_type(&shape, CODE_CONFIG_UNUSABLE, value, here, SHAPE_STRING);
            continue;
        }
        fault = label_value_check(node_text(value), NULL);
        if (fault != LABEL_OK) {
            shape_refuse(&shape, CODE_CONFIG_UNUSABLE, value, here, "%s is no label value: %s",
                         shape_quote(checks->arena, value), label_fault_text(fault));
        }
        if (node_string(key)) {
            labels[(*count)++] =
                (struct config_label){node_string(key), node_string(value), node_location(checks->file, key)};
        }
    }
    return labels;
}

static void read_template(struct checks *checks, const struct node *node) {
    struct boundary *boundary = checks->boundary;
    boundary->template_name = node_string(node);
    struct text name = node_text(node);
    enum name_fault fault = name_check_subdomain(name, NULL);
    if (fault == NAME_LONG || (fault == NAME_OK && name.length > LABEL_VALUE_MAX)) {
        struct shape shape = checks_at(checks, STEP_REST);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node, "sandboxTemplateName",
                     "sandboxTemplateName has %zu characters, and a label value has room for 63; use a shorter one",
                     name.length);
    } else if (fault != NAME_OK) {
        struct shape shape = checks_at(checks, STEP_SHAPE);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node, "sandboxTemplateName",
                     "sandboxTemplateName is no DNS-1123 subdomain: %s", name_fault_text(fault));
        checks->template_malformed = true;
    }
    struct config_label *label = arena_alloc(checks->arena, sizeof *label);
    *label = (struct config_label){TEMPLATE_LABEL_KEY, boundary->template_name, node_location(checks->file, node)};
    boundary->selector = label;
    boundary->selector_count = 1;
}

static void read_selector_labels(struct checks *checks, const struct node *map) {
    if (map->count == 0) {
        struct shape shape = checks_at(checks, STEP_SHAPE);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, map, "selectorLabels",
                     "selectorLabels is empty and would select every pod; write the labels that the pods carry");
    }
    checks->boundary->selector = read_label_map(checks, map, "selectorLabels", &checks->boundary->selector_count);
}

void checks_read_labels(struct checks *checks) {
    const struct node *template = node_get(checks->root, "sandboxTemplateName");
    const struct node *selector = node_get(checks->root, "selectorLabels");
    struct shape shape = checks_at(checks, STEP_SHAPE);
    if (!template && !selector) {
        checks_refuse_absent(checks, STEP_SHAPE, CODE_CONFIG_UNUSABLE, checks->root, "sandboxTemplateName",
                             "write it, or selectorLabels, to say which pods are meant");
    } else if (template && selector) {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, selector, "selectorLabels",
                     "selectorLabels and sandboxTemplateName are both given; keep one of the two");
    }
    /* With both, the template is judged too; the selector of a refused document is not relied on. */
    if (node_is(selector, NODE_MAP)) {
        read_selector_labels(checks, selector);
    }
    if (template && shape_is(template, SHAPE_STRING)) {
        read_template(checks, template);
    }
    const struct node *pod_labels = shape_get(checks->root, "podLabels", SHAPE_MAP);
    if (pod_labels) {
        checks->boundary->pod_labels =
            read_label_map(checks, pod_labels, "podLabels", &checks->boundary->pod_label_count);
    }
}

static void judge_profile_key(struct checks *checks, const struct node *node) {
    const char *path = "egress.profileLabelKey", *key = checks->boundary->profile_label_key;
    struct shape shape = checks_at(checks, STEP_PROFILE);
    enum label_fault fault = label_key_check(node_text(node), NULL);
    if (fault != LABEL_OK) {
        shape_refuse(&shape, CODE_PROFILE_UNUSABLE, node, path, "%s is no label key: %s", path,
                     label_fault_text(fault));
    } else if (strcmp(key, TEMPLATE_LABEL_KEY) == 0) {
        shape_refuse(&shape, CODE_PROFILE_UNUSABLE, node, path,
                     "%s is the key of the template label; choose another for the profile", path);
    } else if (checks->kind_known && policy_kind_has_hosts(checks->boundary->policy) &&
               checks_key_is_dropped(checks, key)) {
        shape_refuse(&shape, CODE_PROFILE_UNUSABLE, node, path,
                     "%s is %s, which Cilium's default label filter leaves out of identities; choose another key", path,
                     shape_quote(checks->arena, node));
    }
}

static void judge_profile(struct checks *checks, const struct node *node) {
    struct shape shape = checks_at(checks, STEP_PROFILE);
    enum name_fault fault = name_check_label(node_text(node), NULL);
    if (fault != NAME_OK) {
        shape_refuse(&shape, CODE_PROFILE_UNUSABLE, node, "egress.profile", "egress.profile is no DNS-1123 label: %s",
                     name_fault_text(fault));
        checks->profile_malformed = true;
    }
}

/* The profile label comes after the others. */
static void add_profile_label(struct checks *checks) {
    struct boundary *boundary = checks->boundary;
    struct config_label *labels = arena_array(checks->arena, boundary->selector_count + 1, sizeof *labels);
    if (boundary->selector_count) {
        memcpy(labels, boundary->selector, boundary->selector_count * sizeof *labels);
    }
    labels[boundary->selector_count] =
        (struct config_label){boundary->profile_label_key, boundary->profile, checks->profile_location};
    boundary->selector = labels;
    boundary->selector_count++;
}

void checks_read_profile(struct checks *checks) {
    struct boundary *boundary = checks->boundary;
    const struct node *key = shape_get(checks->egress, "profileLabelKey", SHAPE_STRING);
    const struct node *profile = shape_get(checks->egress, "profile", SHAPE_STRING);
    boundary->profile_label_key = key ? node_string(key) : PROFILE_LABEL_KEY;
    if (key) {
        judge_profile_key(checks, key);
    }
    if (profile) {
        boundary->profile = node_string(profile);
        checks->profile_location = node_location(checks->file, profile);
        judge_profile(checks, profile);
    }
}

/* What a key of selectorLabels may not be. */
static void judge_selector_key(struct checks *checks, const struct config_label *label) {
    const struct boundary *boundary = checks->boundary;
    struct place place = {.location = label->location,
                          .path = path_key(checks->arena, "selectorLabels", text_of(label->key)),
                          .value = label->key};
    if (boundary->profile && strcmp(label->key, boundary->profile_label_key) == 0) {
        checks_report(checks, STEP_REST, CODE_CONFIG_UNUSABLE, place,
                      "%s is the key of the profile label too; remove it, or choose another profileLabelKey",
                      label->key);
    }
    if (boundary->has_per_sandbox && boundary->per_sandbox.label_key &&
        strcmp(label->key, boundary->per_sandbox.label_key) == 0) {
        checks_report(checks, STEP_REST, CODE_CONFIG_UNUSABLE, place,
                      "%s is the key of the per-sandbox label too; remove it, or choose another perSandbox.labelKey",
                      label->key);
    }
    if (checks->kind_known && policy_kind_has_hosts(boundary->policy) && checks_key_is_dropped(checks, label->key)) {
        checks_report(
            checks, STEP_REST, CODE_CONFIG_UNUSABLE, place,
            "%s is left out of identities by Cilium's default label filter, so no pod would be selected; choose "
            "another label",
            label->key);
    }
}

void checks_selector(struct checks *checks) {
    const struct boundary *boundary = checks->boundary;
    if (!boundary->template_name) {
        for (size_t i = 0; i < boundary->selector_count; i++) {
            judge_selector_key(checks, &boundary->selector[i]);
        }
    }
    if (boundary->profile) {
        add_profile_label(checks);
    }
}

static void judge_given_name(struct checks *checks, const struct node *node) {
    enum name_fault fault = name_check_subdomain(node_text(node), NULL);
    if (fault != NAME_OK) {
        struct shape shape = checks_at(checks, STEP_REST);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node, "egress.networkPolicyName",
                     "egress.networkPolicyName is no object name: %s", name_fault_text(fault));
    }
}

static void judge_default_name(struct checks *checks) {
    const struct boundary *boundary = checks->boundary;
    size_t length = strlen(boundary->object_name);
    if (length <= NAME_SUBDOMAIN_MAX) {
        return;
    }
    if (!boundary->profile) {
        struct place place = {.location = boundary->selector[0].location,
                              .path = "sandboxTemplateName",
                              .value = boundary->template_name};
        checks_report(checks, STEP_REST, CODE_CONFIG_UNUSABLE, place,
                      "the object's name would have %zu characters, and 253 are allowed; shorten sandboxTemplateName",
                      length);
        return;
    }
    struct place place = {.location = checks->profile_location, .path = "egress.profile", .value = boundary->profile};
    checks_report(
        checks, STEP_NAME, CODE_PROFILE_UNUSABLE, place,
        "the object's name would have %zu characters with this profile, and 253 are allowed; shorten it, or set "
        "networkPolicyName",
        length);
}

void checks_object_name(struct checks *checks) {
    struct boundary *boundary = checks->boundary;
    const struct node *given = node_get(checks->egress, "networkPolicyName");
    if (given) {
        if (shape_is(given, SHAPE_STRING)) {
            boundary->object_name = node_string(given);
            judge_given_name(checks, given);
        }
        return;
    }
    if (!boundary->template_name) {
        if (node_get(checks->root, "selectorLabels") && !node_get(checks->root, "sandboxTemplateName")) {
            checks_refuse_absent(checks, STEP_SHAPE, CODE_CONFIG_UNUSABLE, checks->egress, "egress.networkPolicyName",
                                 "there is no default beside selectorLabels, so write the object's name");
        }
        return;
    }
    if (!boundary->profile && node_get(checks->egress, "profile")) {
        return; /* refused, so the name cannot be told */
    }
    boundary->object_name =
        boundary->profile ? arena_format(checks->arena, "%s-%s-egress", boundary->template_name, boundary->profile)
                          : arena_format(checks->arena, "%s-egress", boundary->template_name);
    if (!checks->template_malformed && !checks->profile_malformed) {
        judge_default_name(checks);
    }
}
