/*
 * The tokens of strict JSON (RFC 8259), each with its place. Private to the readers.
 *
 * Every function that fails has put its diagnostic into the reader's list, set `result`, and returns false.
 */
#ifndef DOCUMENT_READER_JSON_TOKEN_H
#define DOCUMENT_READER_JSON_TOKEN_H

#include "document/reader_json.h"

/* The text under scan. What is kept of the object in hand is written to the reader's text, with a mark a value. */
struct json {
    struct reader *reader;
    const char *at, *end;
    const char *line_start;
    uint32_t line;
    size_t depth, depth_most;
    size_t text_length, mark_count; /* in use of the reader's text and marks */
    enum json_result result;        /* once something failed */
};

struct json_string {
    const char *raw; /* with its quotes */
    size_t raw_length, decoded_length;
    bool escaped;
};

bool json_fail(struct json *json, const char *message);
bool json_fail_at(struct json *json, enum code code, const char *at, const char *message);
bool json_fail_limit(struct json *json, enum limit_kind kind, const char *at);

static inline bool json_at(const struct json *json, char byte) { return json->at < json->end && *json->at == byte; }

static inline bool json_at_digit(const struct json *json) {
    return json->at < json->end && *json->at >= '0' && *json->at <= '9';
}

void json_skip_blanks(struct json *json);
/* One byte of punctuation; `otherwise` says what is wrong where another stands. */
bool json_take_byte(struct json *json, char byte, const char *otherwise);
/* A string, at its first quote. */
bool json_take_string(struct json *json, struct json_string *string);
/* A number, at its first byte; its spelling is what `at` moved over. */
bool json_take_number(struct json *json);

#endif
