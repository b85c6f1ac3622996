/*
 * Codes of findings and refusals: one table (base/code_list.h) gives the enum, the printed word and the severity.
 * Words are a contract: never renamed, never used for something else (spec/config.md 8, analysis.md, lint.md).
 */
#ifndef BASE_CODE_H
#define BASE_CODE_H

#include <stdbool.h>

#include "base/text.h"

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE };

enum code {
#define CODE(name, word, severity, summary) CODE_##name,
#include "base/code_list.h"
#undef CODE
    CODE_COUNT
};

const char *severity_word(enum severity severity);
const char *code_word(enum code code);
enum severity code_severity(enum code code);
/* One line that says what the code means. */
const char *code_summary(enum code code);
/* The code of a printed word; false: there is none. */
bool code_of_word(struct text word, enum code *code);

#endif
