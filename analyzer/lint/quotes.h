/*
 * Whether quotes mend a value of a wrong type. Private to analyzer/lint/.
 */
#ifndef ANALYZER_LINT_QUOTES_H
#define ANALYZER_LINT_QUOTES_H

#include "kube/policy.h"

/* The problem is a scalar that is of the type that is wanted once it stands in quotes, and is taken there. */
bool lint_quotes_mend(const struct problem *problem);

/* Digits alone, up to 65535. */
bool lint_is_port_number(struct text text);

#endif
