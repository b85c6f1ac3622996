/*
 * Parts that JSON reports have in common: LOCATION, WITNESS, FINDING and the like (spec/cli.md, "JSON report").
 */
#ifndef REPORT_JSON_PARTS_H
#define REPORT_JSON_PARTS_H

#include "analyzer/decision.h"
#include "document/writer.h"

/* A key and a string; NULL gives null. */
void json_member(struct json_writer *json, const char *key, const char *string);

/* {"file","line","column"}; null without a file; unknown numbers are null. */
void json_location(struct json_writer *json, const struct location *location);

/* {"kind","namespace","name"}; null without a kind. */
void json_object_name(struct json_writer *json, const struct object_name *object);

/* The members alone, for objects that hold more. */
void json_object_members(struct json_writer *json, const struct object_name *object);

void json_labels(struct json_writer *json, const struct labels *labels);
void json_strings(struct json_writer *json, const struct string_list *strings);

/* NULL gives null. */
void json_witness(struct json_writer *json, const struct witness *witness);

/* A list of REFUSAL or FINDING. */
void json_findings(struct json_writer *json, const struct diagnostic_list *findings);

#endif
