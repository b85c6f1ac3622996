/*
 * Weighing with policies of which it cannot be told whether they are in force: the same policy that isolates the pod
 * also allows, so each choice of them is weighed by itself.
 */
#ifndef ANALYZER_ASK_PRESENCE_H
#define ANALYZER_ASK_PRESENCE_H

#include "analyzer/ask/weigh.h"

/* As many policies in doubt are weighed choice by choice: 2^PRESENCE_MAX of them at most. */
#define PRESENCE_MAX 4

/* As weigh(), sharper where at most PRESENCE_MAX policies are in doubt. */
void weigh_presences(const struct weighing *weighing, const struct target *target, struct weighed *weighed);

#endif
