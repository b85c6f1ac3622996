/*
 * A decision made by hand that has a bit of everything, and what the tests of writers share.
 */
#ifndef TESTS_REPORT_SAMPLE_H
#define TESTS_REPORT_SAMPLE_H

#include "analyzer/decision.h"
#include "report/writer.h"

struct arena;

/* One refused boundary: the named object matches, one subject is let out further, another is not evaluable. */
void sample_decision(struct arena *arena, struct decision *decision);

/* Fails the test with both texts where they differ. */
void assert_text(struct buffer *got, const char *expected);

#endif
