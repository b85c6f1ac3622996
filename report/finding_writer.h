/*
 * The formats that CI and reviewers read, one file each. They sort nothing but what a format wants sorted, decide nothing,
 * and make every text from the inputs plain (report/plain.h) before they escape it in their own way.
 */
#ifndef REPORT_FINDING_WRITER_H
#define REPORT_FINDING_WRITER_H

#include "report/finding.h"
#include "report/writer.h"

typedef void finding_writer(struct buffer *out, const struct finding_report *report,
                            const struct report_options *options);

/* SARIF 2.1.0: rules with their help, regions, fingerprints that survive line moves, paths against %SRCROOT%. */
finding_writer finding_write_sarif;

/* JUnit XML: a failed test case for each error (with `strict` each warning), a passed one for what is well. */
finding_writer finding_write_junit;

/* Workflow commands of GitHub Actions, one a finding. */
finding_writer finding_write_github;

/* A comment on a pull request: short, the worst first, the rest folded. */
finding_writer finding_write_markdown;

#endif
