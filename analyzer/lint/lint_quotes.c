#include <string.h>

#include "analyzer/lint/quotes.h"
#include "grammar/label.h"
#include "grammar/name.h"

static bool is_label_value(struct text text) { return label_value_check(text, NULL) == LABEL_OK; }
static bool is_label_key(struct text text) { return label_key_check(text, NULL) == LABEL_OK; }
static bool is_namespace(struct text text) { return name_check_namespace(text, NULL) == NAME_OK; }
static bool is_subdomain(struct text text) { return name_check_subdomain(text, NULL) == NAME_OK; }
bool lint_is_port_number(struct text text) {
    uint64_t number;
    return text_number(text, 65535, &number);
}
static bool is_anything(struct text text) { return text.length > 0; }

/* Where a string in quotes is taken, by the end of the path without indexes and keys in brackets; words and ranges are not
 * mended by quotes. */
static const struct {
    const char *end;
    bool (*takes)(struct text text);
} quotables[] = {
    {"matchLabels", is_label_value}, {"metadata.labels", is_label_value},
    {".values", is_label_value},     {"annotations", is_anything},
    {".key", is_label_key},          {".namespace", is_namespace},
    {"metadata.name", is_subdomain}, {".serviceName", is_subdomain},
    {".cidrGroupRef", is_subdomain}, {".port", lint_is_port_number},
    {".description", is_anything},   {".value", is_anything},
    {".host", is_anything},          {".path", is_anything},
    {".method", is_anything},
};

bool lint_quotes_mend(const struct problem *problem) {
    const struct node *node = problem->part.node;
    const char *path = problem->part.path, *bracket = strchr(path, '[');
    struct text end = text_of(path);
    if (problem->code != CODE_WRONG_TYPE || !text_ends_with(text_of(problem->message), "wants a string") ||
        (!node_is(node, NODE_INT) && !node_is(node, NODE_FLOAT) && !node_is(node, NODE_BOOL)))
        return false;
    if (bracket && end.bytes[end.length - 1] == ']')
        end.length = (size_t)(strrchr(path, '[') - path);
    for (size_t i = 0; i < sizeof quotables / sizeof *quotables; i++)
        if (text_ends_with(end, quotables[i].end))
            return quotables[i].takes(node_text(node));
    return false;
}
