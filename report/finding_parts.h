/*
 * What the parts of finding*.c that lay out the three models have in common.
 */
#ifndef REPORT_FINDING_PARTS_H
#define REPORT_FINDING_PARTS_H

#include "report/finding.h"

/* Strings of a finding report while it is made. */
struct finding_strings {
    struct arena *arena;
    const char **list;
    size_t count, capacity;
};

void finding_strings_add(struct finding_strings *strings, const char *string);
/* "WHAT: STRING" for each. */
void finding_strings_add_list(struct finding_strings *strings, const char *what, const struct string_list *list);
struct string_list finding_strings_list(const struct finding_strings *strings);

/* Fills in `twins`: when the lists are complete. Those of `untold` come behind all findings. */
void finding_count_twins(struct finding_list *findings, struct finding_list *untold);

#endif
