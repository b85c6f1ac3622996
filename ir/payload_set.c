#include "ir/payload_set.h"

#include <string.h>

#include "base/arena.h"
#include "ir/everything.h"
#include "ir/label_set.h"

struct payload_set payload_set_nothing(void) {
    return (struct payload_set){.other = false};
}

struct payload_set payload_set_everything(void) {
    return everything_flow.payloads;
}

struct payload_set payload_set_of_questions(const struct name_set *names) {
    return (struct payload_set){.questions = *names};
}

struct payload_set payload_set_of_server_names(const struct name_set *names) {
    return (struct payload_set){.server_names = *names};
}

struct payload_set payload_set_of_requests(struct arena *arena, const char *identifier) {
    const char **one = arena_array(arena, 1, sizeof *one);
    one[0] = identifier;
    return (struct payload_set){.requests = one, .request_count = 1};
}

/* Identifiers are a finite or co-finite set, as the values of a label are. */
static struct value_set requests_of(const struct payload_set *set) {
    return (struct value_set){set->requests, set->request_count, set->requests_complement, false};
}

static void set_requests(struct payload_set *set, const struct value_set *requests) {
    set->requests = requests->values;
    set->request_count = requests->count;
    set->requests_complement = requests->complement;
}

struct payload_set payload_set_union(struct arena *arena, const struct payload_set *a, const struct payload_set *b) {
    struct value_set of_a = requests_of(a), of_b = requests_of(b);
    struct value_set requests = value_set_union(arena, &of_a, &of_b);
    struct payload_set set = {.questions = name_set_union(arena, &a->questions, &b->questions),
                              .server_names = name_set_union(arena, &a->server_names, &b->server_names),
                              .other = a->other || b->other,
                              .rough = a->rough || b->rough};
    set_requests(&set, &requests);
    return set;
}

struct payload_set payload_set_intersect(struct arena *arena, const struct payload_set *a,
                                         const struct payload_set *b) {
    struct value_set of_a = requests_of(a), of_b = requests_of(b);
    struct value_set requests = value_set_intersect(arena, &of_a, &of_b);
    struct payload_set set = {.questions = name_set_intersect(arena, &a->questions, &b->questions),
                              .server_names = name_set_intersect(arena, &a->server_names, &b->server_names),
                              .other = a->other && b->other,
                              .rough = a->rough || b->rough};
    set_requests(&set, &requests);
    return set;
}

struct payload_set payload_set_subtract(struct arena *arena, const struct payload_set *a, const struct payload_set *b) {
    if (b->rough) {
        struct payload_set bound = *a;
        bound.rough = true;
        return bound;
    }
    struct value_set of_a = requests_of(a), of_b = requests_of(b), not_b = value_set_negate(arena, &of_b, true);
    struct value_set requests = value_set_intersect(arena, &of_a, &not_b);
    struct payload_set set = {.questions = name_set_subtract(arena, &a->questions, &b->questions),
                              .server_names = name_set_subtract(arena, &a->server_names, &b->server_names),
                              .other = a->other && !b->other,
                              .rough = a->rough};
    set_requests(&set, &requests);
    return set;
}

static enum emptiness parts_are_empty(struct arena *arena, const struct payload_set *set, int64_t *effort) {
    if (set->other || set->requests_complement || set->request_count > 0) {
        return SET_INHABITED;
    }
    enum emptiness questions = name_set_is_empty_within(arena, &set->questions, effort);
    if (questions == SET_INHABITED) {
        return SET_INHABITED;
    }
    enum emptiness server_names = name_set_is_empty_within(arena, &set->server_names, effort);
    return server_names == SET_EMPTY ? questions : server_names;
}

enum emptiness payload_set_is_empty_within(struct arena *arena, const struct payload_set *set, int64_t *effort) {
    enum emptiness emptiness = parts_are_empty(arena, set, effort);
    return emptiness == SET_INHABITED && set->rough ? SET_UNDECIDED : emptiness;
}

enum emptiness payload_set_is_empty(struct arena *arena, const struct payload_set *set) {
    int64_t effort = NAME_SET_EFFORT;
    return payload_set_is_empty_within(arena, set, &effort);
}

bool payload_set_is_nothing(const struct payload_set *set) {
    return !set->other && !set->requests_complement && set->request_count == 0 && set->questions.count == 0 &&
           set->server_names.count == 0;
}

/* Without a search: a set that is everything by way of many terms is not told. */
static bool is_every_name(const struct name_set *set) {
    return set->count == 1 && set->terms[0].all_count == 0 && set->terms[0].none_of.count == 0;
}

bool payload_set_is_everything(const struct payload_set *set) {
    return !set->rough && set->other && set->requests_complement && set->request_count == 0 &&
           is_every_name(&set->questions) && is_every_name(&set->server_names);
}

bool payload_set_contains(const struct payload_set *set, const struct payload *payload) {
    struct value_set requests = requests_of(set);
    switch (payload->kind) {
    case PAYLOAD_OTHER:
        return set->other;
    case PAYLOAD_QUESTION:
        return name_set_contains(&set->questions, text_of(payload->text));
    case PAYLOAD_SERVER_NAME:
        return name_set_contains(&set->server_names, text_of(payload->text));
    case PAYLOAD_REQUEST:
        return value_set_contains(&requests, payload->text);
    }
    return false;
}

/* The first listed, or a word that is not among those excluded. */
static const char *sample_request(struct arena *arena, const struct payload_set *set) {
    if (!set->requests_complement) {
        return set->request_count ? set->requests[0] : NULL;
    }
    struct value_set requests = requests_of(set);
    const char *word = "any";
    for (unsigned n = 2; !value_set_contains(&requests, word); n++) {
        word = arena_format(arena, "any-%u", n);
    }
    return word;
}

bool payload_set_sample_within(struct arena *arena, const struct payload_set *set, struct payload *payload,
                               int64_t *effort) {
    *payload = (struct payload){PAYLOAD_OTHER, NULL};
    if (set->rough) {
        return false;
    }
    if (set->other) {
        return true;
    }
    const char *name = name_set_sample_within(arena, &set->questions, effort);
    if (name) {
        *payload = (struct payload){PAYLOAD_QUESTION, name};
        return true;
    }
    name = name_set_sample_within(arena, &set->server_names, effort);
    if (name) {
        *payload = (struct payload){PAYLOAD_SERVER_NAME, name};
        return true;
    }
    name = sample_request(arena, set);
    *payload = (struct payload){PAYLOAD_REQUEST, name};
    return name != NULL;
}

bool payload_set_sample(struct arena *arena, const struct payload_set *set, struct payload *payload) {
    int64_t effort = NAME_SET_EFFORT;
    return payload_set_sample_within(arena, set, payload, &effort);
}

int payload_compare(const struct payload *a, const struct payload *b) {
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->kind == PAYLOAD_OTHER) {
        return 0;
    }
    return a->kind == PAYLOAD_REQUEST ? strcmp(a->text, b->text) : name_compare(a->text, b->text);
}

static void print_names(struct buffer *out, const char **between, const char *what, const struct name_set *names) {
    if (names->count > 0) {
        buffer_print(out, "%s%s (", *between, what);
        name_set_print(out, names);
        buffer_add_char(out, ')');
        *between = ", ";
    }
}

void payload_set_print(struct buffer *out, const struct payload_set *set) {
    if (payload_set_is_everything(set) || payload_set_is_nothing(set)) {
        buffer_add_string(out, set->other ? "everything" : "nothing");
        return;
    }
    const char *between = "";
    buffer_add_string(out, set->rough ? "at most " : "");
    print_names(out, &between, "DNS questions", &set->questions);
    print_names(out, &between, "TLS server names", &set->server_names);
    if (set->requests_complement || set->request_count > 0) {
        buffer_print(out, "%s%s", between, set->requests_complement ? "HTTP requests" : "HTTP requests of");
        between = ", ";
        if (set->requests_complement && set->request_count > 0) {
            buffer_add_string(out, " but");
        }
        for (uint32_t i = 0; i < set->request_count; i++) {
            buffer_print(out, "%s %s", i ? "," : "", set->requests[i]);
        }
    }
    if (set->other) {
        buffer_print(out, "%sanything else", between);
    }
}
