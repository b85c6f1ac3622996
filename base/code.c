#include "base/code.h"

struct code_row {
    const char *word;
    const char *summary;
    enum severity severity;
};

static const struct code_row codes[] = {
#define CODE(name, code_word, code_severity, code_summary)                                                             \
    [CODE_##name] = {.word = code_word, .summary = code_summary, .severity = code_severity},
#include "base/code_list.h"
#undef CODE
};

_Static_assert(sizeof codes / sizeof codes[0] == CODE_COUNT, "a row for each code");

static const char *const severities[] = {
    [SEVERITY_ERROR] = "error", [SEVERITY_WARNING] = "warning", [SEVERITY_NOTE] = "note"};

const char *severity_word(enum severity severity) { return severities[severity]; }

const char *code_word(enum code code) { return codes[code].word; }

enum severity code_severity(enum code code) { return codes[code].severity; }

const char *code_summary(enum code code) { return codes[code].summary; }

bool code_of_word(struct text word, enum code *code) {
    size_t low = 0, high = CODE_COUNT; /* the list is sorted by word */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = text_compare(word, text_of(codes[middle].word));
        if (order == 0) {
            *code = (enum code)middle;
            return true;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}
