/* The text of name sets, for messages and goldens: name_set_print. */
#include "ir/name_pattern.h"

static void print_pattern(struct buffer *out, const struct name_pattern *pattern) {
    if (pattern->kind == NAME_EVERY) {
        buffer_add_string(out, "*");
    } else if (*pattern->text == '\0') {
        buffer_add_string(out, "."); /* the root */
    } else if (pattern->kind == NAME_GLOB && pattern->text[0] == '*' && pattern->text[1] == '\0') {
        buffer_add_string(out, "*."); /* alone, "*" is every name */
    } else {
        buffer_print(out, "%s%s", pattern->kind == NAME_DEEP ? "**." : "", pattern->text);
    }
}

static void print_union(struct buffer *out, const struct name_union *patterns) {
    for (uint32_t i = 0; i < patterns->count; i++) {
        buffer_add_string(out, i ? ", " : "");
        print_pattern(out, &patterns->patterns[i]);
    }
}

static void print_term(struct buffer *out, const struct name_term *term) {
    buffer_add_string(out, term->all_count ? "" : "every name");
    for (uint32_t i = 0; i < term->all_count; i++) {
        const struct name_union *patterns = &term->all_of[i];
        buffer_add_string(out, i ? ", each in " : "");
        buffer_add_string(out, patterns->count == 1 ? "name " : "names ");
        print_union(out, patterns);
    }
    if (term->none_of.count > 0) {
        buffer_add_string(out, " except ");
        print_union(out, &term->none_of);
    }
}

void name_set_print(struct buffer *out, const struct name_set *set) {
    buffer_add_string(out, set->count ? "" : "no name");
    for (uint32_t i = 0; i < set->count; i++) {
        buffer_add_string(out, i ? "; " : "");
        print_term(out, &set->terms[i]);
    }
}
