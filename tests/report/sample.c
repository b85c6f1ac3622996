#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"

static const struct key_value template_label[] = {{"sandbox.namzu.ai/template", "shell"}};
static const struct key_value two_labels[] = {{"app", "x"}, {"sandbox.namzu.ai/template", "shell"}};
static const char *const pods[] = {"agents/shell-0", "agents/shell-1"};
static const char *const assumptions[] = {"no earlier generation of a refused object is enforced"};
static const char *const excluded[] = {"policies/old.yaml"};

static const struct witness metadata_service = {
    .ip = "169.254.169.254", .protocol = "TCP", .has_port = true, .port = 443};

static const struct excess further[] = {
    {.witness = {.fqdn = "a.example.com", .protocol = "UDP", .has_port = true, .port = 53, .dns_name = "evil.test"},
     .path = "spec.egress[1].to[0]",
     .location = {"policies/extra.yaml", 20, 9}}};

static const struct examined egress_rules[] = {
    {.object = {"NetworkPolicy", "agents", "extra"},
     .spec = -1,
     .verdict = VERDICT_WIDENS_EGRESS,
     .location = {"policies/extra.yaml", 12, 9},
     .path = "spec.egress[0].to[1]",
     .witness = &metadata_service,
     .further = further,
     .further_count = 1,
     .more = 3},
    {.object = {"NetworkPolicy", "agents", "shell-egress"},
     .spec = -1,
     .verdict = VERDICT_WITHIN,
     .location = {"policies/shell.yaml", 1, 1}},
};
static const struct examined ingress_rules[] = {
    {.object = {"CiliumNetworkPolicy", "agents", "agent"},
     .spec = 1,
     .verdict = VERDICT_COVERS,
     .location = {"policies/agent.yaml", 3, 1}},
};
static const struct examined doubtful_rules[] = {
    {.object = {"CiliumClusterwideNetworkPolicy", NULL, "groups"},
     .spec = -1,
     .verdict = VERDICT_NOT_EVALUABLE,
     .detail = "CIDR group partners is not among the inputs",
     .location = {"policies/groups.yaml", 7, 5},
     .path = "spec.egress[0].toCIDRSet[0]"},
};

static const struct side_decision widened = {.refused = true,
                                             .refusal = CODE_POLICY_WIDENS_EGRESS,
                                             .examined = egress_rules,
                                             .examined_count = 2,
                                             .not_selecting = 14};
static const struct side_decision covered = {.examined = ingress_rules, .examined_count = 1};
static const struct side_decision doubtful = {
    .refused = true, .refusal = CODE_NOT_EVALUABLE, .examined = doubtful_rules, .examined_count = 1};
static const struct side_decision uncovered = {
    .refused = true, .refusal = CODE_NO_COVERING_POLICY, .reason = "no policy isolates it on ingress"};

static const struct subject_decision subjects[] = {
    {.namespace = "agents",
     .labels = {template_label, 1},
     .pods = {pods, 2},
     .pod_count = 2,
     .refused = true,
     .egress = &widened,
     .ingress = &covered},
    {.namespace = "agents", .labels = {two_labels, 2}, .refused = true, .egress = &doubtful, .ingress = &uncovered},
};

static const struct named_decision named = {.status = NAMED_MATCH,
                                            .object = {"NetworkPolicy", "agents", "shell-egress"},
                                            .location = {"policies/shell.yaml", 1, 1}};

static const struct boundary_decision boundaries[] = {{.config_file = "egress.yaml",
                                                       .config_document = 1,
                                                       .location = {"egress.yaml", 2, 1},
                                                       .policy_kind = "deny-all",
                                                       .object = {"NetworkPolicy", "agents", "shell-egress"},
                                                       .refused = true,
                                                       .named_object = &named,
                                                       .subjects = subjects,
                                                       .subject_count = 2}};

static const struct unread unread[] = {{"ciliumnetworkpolicies", "forbidden", "403 from the API server"}};

void sample_decision(struct arena *arena, struct decision *decision) {
    struct diagnostics findings;
    diagnostics_init(&findings, arena);
    struct diagnostic *diagnostic = diagnostics_add(
        &findings, CODE_SYNTAX, (struct location){"policies/broken.yaml", 4, 2}, "a tab indents this line");
    diagnostic->excerpt = "\t- to: []";
    diagnostics_add(&findings, CODE_SUBDOMAIN_DEPTH, (struct location){"egress.yaml", 9, 7},
                    "'.example.com' covers one label");
    *decision = (struct decision){
        .refused = true,
        .boundaries = boundaries,
        .boundary_count = 1,
        .findings = {findings.list, findings.count},
        .unread = unread,
        .unread_count = 1,
        .inputs = {.files = 5, .bytes = 2048, .objects = 9, .skipped = 2, .excluded = {excluded, 1}},
        .assumptions = {assumptions, 1},
    };
}

void assert_text(struct buffer *got, const char *expected) { assert_string_equal(buffer_string(got), expected); }
