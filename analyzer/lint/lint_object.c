/*
 * The table of what one object shows by itself, in the order of spec/lint.md.
 */
#include "analyzer/lint/check.h"

lint_policy_check *const lint_object_checks[] = {NULL};
