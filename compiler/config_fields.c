#include "compiler/config_fields.h"

#include <string.h>

#define FIELD(field, kind)                                                                                             \
    { .name = field, .type = SHAPE_##kind, .code = CODE_CONFIG_UNUSABLE }
#define FIELD_OF(word, field, kind)                                                                                    \
    { .name = field, .type = SHAPE_##kind, .code = CODE_##word }
/* A list of a narrowing: null is refused there. */
#define LIST_NOT_NULL(field)                                                                                           \
    { .name = field, .type = SHAPE_LIST, .code = CODE_CONFIG_UNUSABLE, .null_refused = true }

const struct shape_field config_root_fields[] = {
    FIELD("namespace", STRING),
    FIELD("sandboxTemplateName", STRING),
    FIELD("selectorLabels", MAP),
    FIELD("podLabels", MAP),
    FIELD("agentPort", INTEGER),
    FIELD("ingress", ANY),
    FIELD("egress", MAP),
    FIELD("cluster", MAP),
    {0},
};

const struct shape_field config_ingress_fields[] = {
    FIELD("engine", STRING),
    {0},
};

const struct shape_field config_egress_fields[] = {
    FIELD("policy", MAP),
    FIELD("engine", STRING),
    FIELD("networkPolicyName", STRING),
    FIELD("verify", STRING),
    FIELD("ciliumNarrowing", MAP),
    FIELD_OF(PROFILE_UNUSABLE, "profile", STRING),
    FIELD_OF(PROFILE_UNUSABLE, "profileLabelKey", STRING),
    FIELD("perSandbox", MAP),
    FIELD("deepSubdomains", BOOL),
    {0},
};

const struct shape_field config_policy_fields[] = {
    FIELD("kind", STRING),        FIELD("exceptCidrs", LIST),         FIELD("allowedHosts", LIST),
    FIELD("resolvedHosts", LIST), FIELD("resolvedHostsFile", STRING), {0},
};

const struct shape_field config_narrowing_fields[] = {
    LIST_NOT_NULL("ports"),        FIELD("hostPorts", MAP),   FIELD("dnsNames", ANY),
    FIELD("tlsServerNames", BOOL), LIST_NOT_NULL("tlsPorts"), {0},
};

const struct shape_field config_dns_names_fields[] = {
    FIELD("namespace", STRING),
    FIELD("clusterDomain", STRING),
    LIST_NOT_NULL("searchSuffixes"),
    {0},
};

const struct shape_field config_per_sandbox_fields[] = {
    FIELD_OF(PER_SANDBOX_UNUSABLE, "engine", STRING),
    FIELD_OF(PER_SANDBOX_UNUSABLE, "admissionPolicyName", STRING),
    FIELD_OF(PER_SANDBOX_UNUSABLE, "admissionPolicyBindingName", STRING),
    FIELD_OF(PER_SANDBOX_UNUSABLE, "labelKey", STRING),
    FIELD_OF(PER_SANDBOX_UNUSABLE, "narrowing", MAP),
    FIELD_OF(PER_SANDBOX_UNUSABLE, "hostIdentity", STRING),
    FIELD_OF(PER_SANDBOX_UNUSABLE, "permittedHostsParam", MAP),
    {0},
};

const struct shape_field config_permitted_hosts_fields[] = {
    FIELD_OF(PER_SANDBOX_UNUSABLE, "name", STRING),
    FIELD_OF(PER_SANDBOX_UNUSABLE, "namespace", STRING),
    {0},
};

static const char *const kind_words[] = {
    [POLICY_NO_NETWORK] = "no-network",
    [POLICY_DENY_ALL] = "deny-all",
    [POLICY_PUBLIC_INTERNET] = "public-internet",
    [POLICY_ALLOW_ALL] = "allow-all",
    [POLICY_STATIC] = "static",
    [POLICY_RESOLVER] = "resolver",
    [POLICY_ABSENT] = NULL,
};

static const char *const engine_words[] = {[ENGINE_CORE] = "core", [ENGINE_CILIUM] = "cilium"};

/* Which kind a field of `egress.policy` belongs to. */
static const struct {
    const char *field;
    enum policy_kind kind;
} policy_fields[] = {
    {"exceptCidrs", POLICY_PUBLIC_INTERNET},
    {"allowedHosts", POLICY_STATIC},
    {"resolvedHosts", POLICY_RESOLVER},
    {"resolvedHostsFile", POLICY_RESOLVER},
};

const char *policy_kind_word(enum policy_kind kind) { return kind_words[kind]; }

const char *engine_word(enum engine engine) { return engine_words[engine]; }

bool policy_kind_of(struct text word, enum policy_kind *kind) {
    for (size_t i = 0; i < POLICY_ABSENT; i++) {
        if (text_is(word, kind_words[i])) {
            *kind = (enum policy_kind)i;
            return true;
        }
    }
    return false;
}

bool engine_of(struct text word, enum engine *engine) {
    for (size_t i = 0; i < sizeof engine_words / sizeof *engine_words; i++) {
        if (text_is(word, engine_words[i])) {
            *engine = (enum engine)i;
            return true;
        }
    }
    return false;
}

bool policy_kind_takes(enum policy_kind kind, const char *field) {
    for (size_t i = 0; i < sizeof policy_fields / sizeof *policy_fields; i++) {
        if (strcmp(policy_fields[i].field, field) == 0) {
            return policy_fields[i].kind == kind;
        }
    }
    return true;
}
