#include "compiler/object_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"

/* A file name has at most 255 bytes; a longer one keeps its start and a hash of the whole. */
enum { FILE_NAME_MAX = 255, FILE_NAME_KEPT = 233, FILE_NAME_HASH = 16 };

static const char *const extensions[] = {".yaml", ".json"};

const char *object_file_name(struct arena *arena, struct object_name object, const char *extension) {
    const char *kind = text_lower(arena, text_of(object.kind));
    const char *namespace = object.namespace ? object.namespace : "_";
    const char *name = arena_format(arena, "%s_%s_%s%s", kind, namespace, object.name, extension);
    size_t length = strlen(name);
    if (length <= FILE_NAME_MAX) {
        return name;
    }
    uint64_t hash = text_hash(text_of(name));
    return arena_format(arena, "%.*s_%016" PRIx64 "%s", (int)FILE_NAME_KEPT, name, hash, extension);
}

static bool has_extension(struct text name, size_t *stem) {
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (text_ends_with(name, extensions[i])) {
            *stem = name.length - strlen(extensions[i]);
            return true;
        }
    }
    return false;
}

static bool is_hash(struct text text) {
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];
        if (!((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f'))) {
            return false;
        }
    }
    return text.length == FILE_NAME_HASH;
}

/* `<namespace>_<name>`, and in a shortened name `_<hash>` after it; neither namespaces nor names hold an underscore, but
 * the namespace of a kind that has none is one. */
static bool is_object_part(struct text part, bool shortened) {
    if (shortened) {
        if (part.length <= FILE_NAME_HASH + 1 || part.bytes[part.length - FILE_NAME_HASH - 1] != '_' ||
            !is_hash((struct text){part.bytes + part.length - FILE_NAME_HASH, FILE_NAME_HASH})) {
            return false;
        }
        part.length -= FILE_NAME_HASH + 1;
    }
    const char *underscore = part.length > 1 ? memchr(part.bytes + 1, '_', part.length - 1) : NULL;
    if (!underscore) {
        return false;
    }
    size_t name = part.length - (size_t)(underscore + 1 - part.bytes);
    return name > 0 && !memchr(underscore + 1, '_', name);
}

/* Whether the name begins with the kind in lower case and an underscore. */
static bool begins_with_kind(struct text name, const char *kind, size_t length) {
    if (name.length <= length || name.bytes[length] != '_') {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        char lower = kind[i] >= 'A' && kind[i] <= 'Z' ? (char)(kind[i] - 'A' + 'a') : kind[i];
        if (name.bytes[i] != lower) {
            return false;
        }
    }
    return true;
}

bool object_file_name_matches(struct text name, const char *kind) {
    size_t stem;
    if (name.length > FILE_NAME_MAX || !has_extension(name, &stem)) {
        return false;
    }
    size_t prefix = strlen(kind) + 1;
    if (!begins_with_kind(name, kind, prefix - 1)) {
        return false;
    }
    struct text part = {name.bytes + prefix, stem > prefix ? stem - prefix : 0};
    return is_object_part(part, false) || (name.length == FILE_NAME_MAX && is_object_part(part, true));
}
