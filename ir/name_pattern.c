#include "ir/name_pattern.h"

#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"

bool name_is_label_character(char c) { return ascii_is_lower(c) || ascii_is_digit(c) || c == '-' || c == '_'; }

bool name_is_legal(struct text name) {
    bool inside = false;
    for (size_t i = 0; i < name.length; i++) {
        if (name.bytes[i] == '.' ? !inside : !name_is_label_character(name.bytes[i])) {
            return false;
        }
        inside = name.bytes[i] != '.';
    }
    return inside || name.length == 0;
}

int name_pattern_compare(const struct name_pattern *a, const struct name_pattern *b) {
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return a->text == b->text ? 0 : strcmp(a->text, b->text);
}

/* A copy in which each run of stars is one star. */
static const char *collapse_stars(struct arena *arena, struct text glob) {
    char *copy = arena_copy(arena, glob.bytes, glob.length);
    size_t length = 0;
    for (size_t i = 0; i < glob.length; i++) {
        if (glob.bytes[i] != '*' || length == 0 || copy[length - 1] != '*') {
            copy[length++] = glob.bytes[i];
        }
    }
    copy[length] = '\0';
    return copy;
}

static struct text lower_without_dot(struct arena *arena, struct text text) {
    struct text lower = {text_lower(arena, text), text.length};
    if (lower.length > 0 && lower.bytes[lower.length - 1] == '.') {
        lower.length--;
    }
    return lower;
}

struct name_pattern name_pattern_of(struct arena *arena, struct text pattern, bool deep_patterns) {
    struct text glob = lower_without_dot(arena, pattern);
    size_t stars = 0;
    while (stars < glob.length && glob.bytes[stars] == '*') {
        stars++;
    }
    if (stars > 0 && stars == glob.length) {
        bool every = deep_patterns || text_is(pattern, "*");
        return every ? (struct name_pattern){NAME_EVERY, ""} : (struct name_pattern){NAME_GLOB, "*"};
    }
    if (deep_patterns && stars >= 2 && glob.bytes[stars] == '.' && stars + 1 < glob.length) {
        struct text rest = {glob.bytes + stars + 1, glob.length - stars - 1};
        return (struct name_pattern){NAME_DEEP, collapse_stars(arena, rest)};
    }
    const char *text = collapse_stars(arena, glob);
    return (struct name_pattern){strchr(text, '*') ? NAME_GLOB : NAME_EXACT, text};
}

struct name_pattern name_pattern_exact(struct arena *arena, struct text name) {
    struct text lower = lower_without_dot(arena, name);
    return (struct name_pattern){NAME_EXACT, arena_copy(arena, lower.bytes, lower.length)};
}

/* Whether a star of a glob may stand for the character. A star of the text, where the text is a glob, is one too: it
 * stands for label characters itself. */
static bool star_takes(char c) { return name_is_label_character(c) || c == '*'; }

/* Whether the text is in the glob's language; of a text that is a glob, whether its whole language is (certainly).
 * Within a label the last star alone needs a second try, and dots are met by dots only. */
static bool glob_matches(struct text glob, struct text text) {
    size_t g = 0, t = 0, star = SIZE_MAX, star_end = 0;
    while (t < text.length || g < glob.length) {
        if (g < glob.length && glob.bytes[g] == '*') {
            star = g++;
            star_end = t;
        } else if (g < glob.length && t < text.length && glob.bytes[g] == text.bytes[t]) {
            if (text.bytes[t] == '.') {
                star = SIZE_MAX;
            }
            g++;
            t++;
        } else if (star != SIZE_MAX && star_end < text.length && star_takes(text.bytes[star_end])) {
            t = ++star_end;
            g = star + 1;
        } else {
            return false;
        }
    }
    return true;
}

/* The same for one or more whole labels, a dot and the glob. */
static bool deep_matches(struct text glob, struct text text) {
    bool inside = false;
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == '.') {
            if (!inside) {
                return false;
            }
            if (glob_matches(glob, (struct text){text.bytes + i + 1, text.length - i - 1})) {
                return true;
            }
        } else if (!star_takes(text.bytes[i])) {
            return false;
        }
        inside = text.bytes[i] != '.';
    }
    return false;
}

bool name_pattern_matches(const struct name_pattern *pattern, struct text name) {
    switch (pattern->kind) {
    case NAME_EVERY:
        return true;
    case NAME_EXACT:
        return text_is(name, pattern->text);
    case NAME_GLOB:
        return glob_matches(text_of(pattern->text), name);
    case NAME_DEEP:
        return deep_matches(text_of(pattern->text), name);
    }
    return false;
}

bool name_pattern_is_within(const struct name_pattern *a, const struct name_pattern *b) {
    struct text text = text_of(a->text), other = text_of(b->text);
    if (a->kind == NAME_EVERY || b->kind == NAME_EVERY) {
        return b->kind == NAME_EVERY;
    }
    if (b->kind == NAME_EXACT) {
        return a->kind == NAME_EXACT && text_equal(text, other);
    }
    if (b->kind == NAME_GLOB) {
        return a->kind != NAME_DEEP && glob_matches(other, text);
    }
    return deep_matches(other, text) || (a->kind == NAME_DEEP && glob_matches(other, text));
}

static bool labels_may_meet(struct text a, struct text b) {
    bool star_a = memchr(a.bytes, '*', a.length) != NULL, star_b = memchr(b.bytes, '*', b.length) != NULL;
    if (!star_a || !star_b) {
        return star_a ? glob_matches(a, b) : glob_matches(b, a);
    }
    for (size_t i = 0; a.bytes[i] != '*' && b.bytes[i] != '*'; i++) {
        if (a.bytes[i] != b.bytes[i]) {
            return false;
        }
    }
    for (size_t i = 1; a.bytes[a.length - i] != '*' && b.bytes[b.length - i] != '*'; i++) {
        if (a.bytes[a.length - i] != b.bytes[b.length - i]) {
            return false;
        }
    }
    return true;
}

/* Takes the last label off; `more`: there are others before it. */
static struct text last_label(struct text *rest, bool *more) {
    size_t start = rest->length;
    while (start > 0 && rest->bytes[start - 1] != '.') {
        start--;
    }
    struct text label = {rest->bytes + start, rest->length - start};
    *more = start > 0;
    rest->length = *more ? start - 1 : 0;
    return label;
}

/* Label by label from the end: for globs all must meet, for the text of a deep pattern those that it has. */
static bool globs_may_meet(const struct name_pattern *a, const struct name_pattern *b) {
    struct text rest_a = text_of(a->text), rest_b = text_of(b->text);
    for (;;) {
        bool more_a, more_b;
        struct text label_a = last_label(&rest_a, &more_a), label_b = last_label(&rest_b, &more_b);
        if (!labels_may_meet(label_a, label_b)) {
            return false;
        }
        if (!more_a || !more_b) {
            /* A deep pattern takes any labels, at least one, where its text ends. */
            if (a->kind == b->kind) {
                return a->kind == NAME_DEEP || more_a == more_b;
            }
            return a->kind == NAME_GLOB ? more_a : more_b;
        }
    }
}

bool name_pattern_is_disjoint(const struct name_pattern *a, const struct name_pattern *b) {
    if (a->kind == NAME_EVERY || b->kind == NAME_EVERY) {
        return false;
    }
    if (a->kind == NAME_EXACT) {
        return !name_pattern_matches(b, text_of(a->text));
    }
    if (b->kind == NAME_EXACT) {
        return !name_pattern_matches(a, text_of(b->text));
    }
    return !globs_may_meet(a, b);
}
