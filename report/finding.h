/*
 * Findings: one flat list of what a report complains about, for the formats that CI and reviewers read.
 *
 * A decision, an explanation and a list of diagnostics are laid out differently, and say the same things: at this place,
 * on this object, this is wrong. Here they become one list, with what was looked at and is well beside it. The writers of
 * SARIF, JUnit, workflow annotations and Markdown (report/finding_writer.h) know nothing else; the text of a decision
 * takes the sentences of its policies from here.
 *
 * Everything lives in the arena of the list or longer.
 */
#ifndef REPORT_FINDING_H
#define REPORT_FINDING_H

#include "analyzer/decision.h"
#include "analyzer/explanation.h"
#include "base/text.h"

/* More on a finding: another place, or a sentence without one. */
struct finding_note {
    struct location location; /* no file: it speaks of the finding's own place */
    const char *message;
};

struct finding {
    enum code code;
    enum severity severity;
    const char *message; /* one sentence, as a rule without a final stop */
    const char *path;    /* of the offending value from its document's root, or NULL */
    const char *value;   /* as written, or NULL */
    const char *witness; /* a flow that gets out, in words, or NULL */
    const char *excerpt; /* the source line, or NULL */
    struct location location;
    struct object_name object;
    const struct finding_note *notes;
    size_t note_count;
    size_t twins; /* findings before this one of the same code on the same object and path */
    enum baseline_state baseline;
    const struct diagnostic_note *ignore; /* where and why it is ignored, or NULL */
};

struct finding_list {
    struct arena *arena;
    struct finding *list;
    size_t count, capacity;
};

/* What the writers get. Lists of strings are in the order of output. */
struct finding_report {
    bool refused;        /* "refuse", or an answer that was not expected */
    const char *verdict; /* one word or two: "refuse", "pass", "not allowed"; NULL: findings are all there is */
    struct finding_list findings; /* in the order of the text report */
    struct finding_list untold;   /* what is ignored, or gone: it counts nowhere, and only SARIF may show it */
    struct string_list summaries; /* one line each: a boundary and its decision, a question and its answer */
    struct string_list passed;    /* what was looked at and is well: a subject, a named object */
    struct string_list notes;     /* what was not read, what is assumed */
};

void finding_list_init(struct finding_list *findings, struct arena *arena);

/* Appends; `notes` is shared, not copied. */
void finding_add(struct finding_list *findings, const struct finding *finding);
void finding_add_diagnostics(struct finding_list *findings, const struct diagnostic_list *diagnostics);

/* Appends the verdicts of one direction of a subject that a reader must see, and the refusal itself where no verdict says
 * why. `direction` is "egress" or "ingress". */
void finding_add_side(struct finding_list *findings, const struct boundary_decision *boundary,
                      const struct subject_decision *subject, const struct side_decision *side, const char *direction);

/* Reports of the three models; `unexpected` is that of struct report_options. */
void finding_report_decision(struct finding_report *report, const struct decision *decision, struct arena *arena);
void finding_report_explanation(struct finding_report *report, const struct explanation *explanation, bool unexpected,
                                struct arena *arena);
void finding_report_diagnostics(struct finding_report *report, const struct diagnostic_list *diagnostics,
                                const struct diagnostic_list *untold, struct arena *arena);

/* How many findings have that severity. */
size_t finding_count(const struct finding_list *findings, enum severity severity);

/* 16 hex digits that stay when lines move: of the code, the object (the file, where there is none) and the path, with
 * ":N" after it for the Nth twin. */
void finding_write_fingerprint(struct buffer *out, const struct finding *finding);

/* The column in code points, from 1; 0: unknown. Our columns count bytes: they are converted where the source line is
 * at hand, and stand as they are where it is not, which is the same unless something beyond ASCII stands before. */
uint32_t finding_column(const struct finding *finding);

/* The column behind the offending value or key on the same line, in code points; 0: it cannot be told. */
uint32_t finding_end_column(const struct finding *finding);

#endif
