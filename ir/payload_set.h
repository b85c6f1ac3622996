/*
 * Payloads: what a connection carries. A DNS question for a name; a TLS server name; an HTTP request of an opaque kind
 * (a rule list that is not read further, known by an identifier); anything else.
 *
 * A rough set is never known to be inhabited and has no sample; to take it away takes nothing away for certain.
 *
 * A restriction that admits every DNS name is no restriction: callers use payload_set_everything for it.
 */
#ifndef IR_PAYLOAD_SET_H
#define IR_PAYLOAD_SET_H

#include "ir/name_set.h"

struct payload_set {
    struct name_set questions;    /* DNS names asked */
    struct name_set server_names; /* TLS server names presented */
    const char *const *requests;  /* identifiers of HTTP rule lists, byte order */
    uint32_t request_count;
    bool requests_complement; /* all requests but those listed */
    bool other;               /* what asks no name, presents none and is no request */
    bool rough; /* a bound only: some of it may not belong here, for taking it away would have cost too much */
};

struct payload_set payload_set_nothing(void);
struct payload_set payload_set_everything(void);
struct payload_set payload_set_of_questions(const struct name_set *names);
struct payload_set payload_set_of_server_names(const struct name_set *names);
struct payload_set payload_set_of_requests(struct arena *arena, const char *identifier);

struct payload_set payload_set_union(struct arena *arena, const struct payload_set *a, const struct payload_set *b);
struct payload_set payload_set_intersect(struct arena *arena, const struct payload_set *a, const struct payload_set *b);
struct payload_set payload_set_subtract(struct arena *arena, const struct payload_set *a, const struct payload_set *b);
enum emptiness payload_set_is_empty(struct arena *arena, const struct payload_set *set);
/* Spends from *effort: see name_set_is_empty_within. */
enum emptiness payload_set_is_empty_within(struct arena *arena, const struct payload_set *set, int64_t *effort);
/* By the form alone, at once; false says nothing. */
bool payload_set_is_nothing(const struct payload_set *set);
bool payload_set_is_everything(const struct payload_set *set);
void payload_set_print(struct buffer *out, const struct payload_set *set);

/* In the order of witnesses: any payload (other), a DNS name, a server name, a request. */
enum payload_kind { PAYLOAD_OTHER, PAYLOAD_QUESTION, PAYLOAD_SERVER_NAME, PAYLOAD_REQUEST };
struct payload {
    enum payload_kind kind;
    const char *text; /* the name or the identifier; NULL for PAYLOAD_OTHER */
};
bool payload_set_contains(const struct payload_set *set, const struct payload *payload);
bool payload_set_sample(struct arena *arena, const struct payload_set *set, struct payload *payload);
bool payload_set_sample_within(struct arena *arena, const struct payload_set *set, struct payload *payload,
                               int64_t *effort);
/* That order: negative, 0 or positive. */
int payload_compare(const struct payload *a, const struct payload *b);

#endif
