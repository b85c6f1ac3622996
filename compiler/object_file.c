#include "compiler/object_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"

/* A file name has at most 255 bytes; a longer one keeps its start and a hash of the whole. */
enum { FILE_NAME_MAX = 255, FILE_NAME_KEPT = 233 };

/* The kinds that are compiled, as they begin file names. */
static const char *const kind_prefixes[] = {"networkpolicy_", "ciliumnetworkpolicy_"};
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

bool object_file_name_matches(struct text name) {
    size_t stem;
    if (name.length > FILE_NAME_MAX || !has_extension(name, &stem)) {
        return false;
    }
    for (size_t i = 0; i < sizeof kind_prefixes / sizeof *kind_prefixes; i++) {
        size_t prefix = strlen(kind_prefixes[i]);
        if (!text_starts_with(name, kind_prefixes[i]) || stem <= prefix) {
            continue;
        }
        /* `<namespace>_<name>`: something on either side of an underscore. */
        const char *rest = name.bytes + prefix;
        const char *underscore = memchr(rest + 1, '_', stem - prefix - 1);
        return underscore && underscore + 1 < name.bytes + stem;
    }
    return false;
}
