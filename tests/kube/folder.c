#include "folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"

struct folder *folder_read(const struct folder_file *files) {
    struct arena *arena = arena_create();
    struct folder *folder = arena_alloc(arena, sizeof *folder);
    struct reader_options options = {.limits = limits_default(), .filter = object_keep};
    size_t count = 0;
    while (files[count].name)
        count++;
    folder->arena = arena;
    diagnostics_init(&folder->diagnostics, arena);
    folder->inputs = (struct inputs){.files = arena_array(arena, count, sizeof(struct file)), .count = count};
    for (size_t i = 0; i < count; i++)
        reader_read_text(files[i].name, text_of(files[i].text), &options, arena, &folder->inputs.files[i],
                         &folder->diagnostics);
    snapshot_indexes_read(&folder->inputs, arena, &folder->indexes, &folder->diagnostics);
    return folder;
}

void folder_destroy(struct folder *folder) { arena_destroy(folder->arena); }

size_t folder_faults(const struct folder *folder) {
    size_t count = 0;
    for (size_t i = 0; i < folder->diagnostics.count; i++) {
        const struct diagnostic *diagnostic = &folder->diagnostics.list[i];
        count += diagnostic->code == CODE_SNAPSHOT_INDEX;
        if (diagnostic->code == CODE_SNAPSHOT_INDEX && !diagnostic->location.file)
            fail_msg("a fault without a place: %s", diagnostic->message);
    }
    return count;
}
