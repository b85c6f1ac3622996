/* `perSandbox` (spec/config.md 6, step 4 of 7). */
#include <string.h>

#include "base/arena.h"
#include "compiler/blank.h"
#include "compiler/checks.h"
#include "compiler/config_fields.h"
#include "grammar/label.h"

#define PER_SANDBOX "egress.perSandbox"

static void judge_engine(struct checks *checks, const struct node *map) {
    const struct node *engine = node_get(map, "engine");
    if (!engine) {
        checks_refuse_absent(checks, STEP_PER_SANDBOX, CODE_PER_SANDBOX_UNUSABLE, map, PER_SANDBOX ".engine",
                             "write engine: cilium");
    } else if (shape_is(engine, SHAPE_STRING) && !text_is(node_text(engine), "cilium")) {
        struct shape shape = checks_at(checks, STEP_PER_SANDBOX);
        shape_refuse(&shape, CODE_PER_SANDBOX_UNUSABLE, engine, PER_SANDBOX ".engine",
                     PER_SANDBOX ".engine is %s; it must be cilium", shape_quote(checks->arena, engine));
    }
}

/* A name that must be neither empty nor padded; NULL where it is absent or of another type. */
static const char *read_name(struct checks *checks, const struct node *map, const char *path, const char *field,
                             bool required) {
    const struct node *node = node_get(map, field);
    const char *here = path_field(checks->arena, path, field);
    if (!node) {
        if (required) {
            checks_refuse_absent(checks, STEP_PER_SANDBOX, CODE_PER_SANDBOX_UNUSABLE, map, here, "write it");
        }
        return NULL;
    }
    if (!shape_is(node, SHAPE_STRING)) {
        return NULL;
    }
    struct text name = node_text(node);
    struct shape shape = checks_at(checks, STEP_PER_SANDBOX);
    if (name.length == 0) {
        shape_refuse(&shape, CODE_PER_SANDBOX_UNUSABLE, node, here, "%s is empty; write a name", here);
    } else if (blank_trim(name).length != name.length) {
        shape_refuse(&shape, CODE_PER_SANDBOX_UNUSABLE, node, here, "%s begins or ends with a blank; remove it", here);
    }
    return node_string(node);
}

static void read_permitted_hosts(struct checks *checks, const struct node *map) {
    struct per_sandbox *out = &checks->boundary->per_sandbox;
    const char *path = PER_SANDBOX ".permittedHostsParam";
    struct shape shape = checks_at(checks, STEP_SHAPE);
    shape_check(&shape, map, path, config_permitted_hosts_fields);
    out->has_permitted_hosts = true;
    out->permitted_hosts_location = node_location(checks->file, map);
    out->permitted_hosts_name = read_name(checks, map, path, "name", true);
    out->permitted_hosts_namespace = read_name(checks, map, path, "namespace", true);
}

static void judge_label_key(struct checks *checks, const struct node *map, const char *key) {
    const struct boundary *boundary = checks->boundary;
    const struct node *node = shape_get(map, "labelKey", SHAPE_STRING);
    const char *path = PER_SANDBOX ".labelKey";
    /* The default key collides too, and then stands nowhere: the whole map is shown. */
    struct place place = {.location = node_location(checks->file, node ? node : map), .path = path, .value = key};
    enum label_fault fault = node ? label_key_check(node_text(node), NULL) : LABEL_OK;
    if (fault != LABEL_OK) {
        checks_report(checks, STEP_PER_SANDBOX, CODE_PER_SANDBOX_UNUSABLE, place, "%s is no label key: %s", path,
                      label_fault_text(fault));
    } else if (strcmp(key, TEMPLATE_LABEL_KEY) == 0) {
        checks_report(checks, STEP_PER_SANDBOX, CODE_PER_SANDBOX_UNUSABLE, place,
                      "%s is the key of the template label; choose another", path);
    } else if (boundary->profile && strcmp(key, boundary->profile_label_key) == 0) {
        checks_report(checks, STEP_PER_SANDBOX, CODE_PER_SANDBOX_UNUSABLE, place,
                      "%s is the key of the profile label; choose another", path);
    } else if (checks_key_is_dropped(checks, key)) {
        checks_report(checks, STEP_PER_SANDBOX, CODE_PER_SANDBOX_UNUSABLE, place,
                      "%s is %s, which Cilium's default label filter leaves out of identities; choose another key",
                      path, key);
    }
}

void checks_read_per_sandbox(struct checks *checks) {
    struct boundary *boundary = checks->boundary;
    struct per_sandbox *out = &boundary->per_sandbox;
    const struct node *map = shape_get(checks->egress, "perSandbox", SHAPE_MAP);
    if (!map) {
        return;
    }
    boundary->has_per_sandbox = true;
    out->location = node_location(checks->file, map);
    struct shape shape = checks_at(checks, STEP_SHAPE);
    shape_check(&shape, map, PER_SANDBOX, config_per_sandbox_fields);
    judge_engine(checks, map);
    out->admission_policy_name = read_name(checks, map, PER_SANDBOX, "admissionPolicyName", true);
    out->admission_policy_binding_name = read_name(checks, map, PER_SANDBOX, "admissionPolicyBindingName", false);
    if (!out->admission_policy_binding_name && out->admission_policy_name) {
        out->admission_policy_binding_name = arena_format(checks->arena, "%s-binding", out->admission_policy_name);
    }
    checks_read_narrowing(checks, shape_get(map, "narrowing", SHAPE_MAP), PER_SANDBOX ".narrowing", STEP_PER_SANDBOX,
                          true, &out->narrowing);
    out->host_identity = read_name(checks, map, PER_SANDBOX, "hostIdentity", false);
    const struct node *permitted = shape_get(map, "permittedHostsParam", SHAPE_MAP);
    if (permitted) {
        read_permitted_hosts(checks, permitted);
    }
    const struct node *key = node_get(map, "labelKey");
    if (!key || shape_is(key, SHAPE_STRING)) {
        out->label_key = key ? node_string(key) : PER_SANDBOX_LABEL_KEY;
        judge_label_key(checks, map, out->label_key);
    }
}
