/*
 * Plain: text from inputs made safe for formats that other programs read: one line, valid UTF-8, nothing that a terminal
 * or a browser would obey. What is not so is shown as `\xNN`, a line break as `\n`.
 */
#ifndef REPORT_PLAIN_H
#define REPORT_PLAIN_H

#include "report/finding.h"

/* NULL gives "". */
const char *plain_of(const char *string, struct arena *arena);

/* A path without what says nothing in it, so that CI finds the file in its list of them: "./a//./b" is "a/b". What leads
 * upwards stays, as a link may stand there. Not plain. */
const char *plain_path(const char *file, struct arena *arena);

/* "NetworkPolicy agents/extra", plain; "" without a kind. */
const char *plain_object(const struct object_name *object, struct arena *arena);

/* "FILE:LINE:COLUMN", plain, as far as it is known; "" without a file. */
const char *plain_place(const struct location *location, struct arena *arena);

/* What the finding is about, as far as its message does not say: "NetworkPolicy agents/extra, spec.egress[0]"; else "". */
const char *plain_subject(const struct finding *finding, struct arena *arena);

/* The sentence with a final stop. */
const char *plain_sentence(const char *message, struct arena *arena);

#endif
