/*
 * What needs sets, other policies or evidence: one survey of the run, whose tables hold checks of members (a NetworkPolicy,
 * or one Rule of a Cilium policy) and of groups (pods that the same members select).
 */
#include "analyzer/lint/scope.h"
#include "base/arena.h"

static lint_member_check *const member_checks[] = {
    lint_check_subject,  lint_check_dns_rules, lint_check_peers,     lint_check_ports,
    lint_check_services, lint_check_blocks,    lint_check_redundant, NULL};

static lint_group_check *const group_checks[] = {lint_check_dns,
                                                 lint_check_questions,
                                                 lint_check_lifted,
                                                 lint_check_metadata,
                                                 lint_check_reopened,
                                                 lint_check_voided,
                                                 NULL};

static void check_members(struct lint_scope *scope) {
    struct arena_mark mark = arena_mark(scope->scratch);
    for (size_t i = 0; i < scope->member_count; i++) {
        struct lint_member *member = &scope->members[i];
        for (lint_member_check *const *check = member_checks; member->policy && *check; check++)
            (*check)(scope, member);
        arena_rollback(scope->scratch, mark);
        lint_forget(scope);
    }
}

static void check_groups(struct lint_scope *scope) {
    struct arena_mark mark = arena_mark(scope->scratch);
    for (size_t i = 0; i < scope->group_count; i++) {
        struct lint_group *group = &scope->groups[i];
        for (lint_group_check *const *check = group_checks; *check; check++)
            (*check)(scope, group);
        arena_rollback(scope->scratch, mark);
        lint_forget(scope);
    }
    lint_tally_report(scope);
}

static void survey(struct lint *lint) {
    struct arena *scratch = arena_create();
    struct lint_scope scope;
    lint_scope_init(&scope, lint, scratch);
    check_members(&scope);
    check_groups(&scope);
    arena_destroy(scope.rules);
    arena_destroy(scope.weighing.arena);
    arena_destroy(scratch);
}

lint_run_check *const lint_run_checks[] = {survey, lint_check_priorities, lint_check_families, NULL};
