/*
 * The tables of what needs sets, other policies or evidence, in the order of spec/lint.md.
 */
#include "analyzer/lint/check.h"

lint_policy_check *const lint_set_checks[] = {NULL};
lint_run_check *const lint_run_checks[] = {NULL};
