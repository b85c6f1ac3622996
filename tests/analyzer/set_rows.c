#include "tests/analyzer/set_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tests/analyzer/linting.h"

static void set_row_assert(const struct set_row *row, size_t number) {
    struct linting linting;
    const struct linting_options options = {.cilium = row->cilium, .pod_cidrs = row->pod_cidrs};
    linting_text(&linting, row->objects, &options);
    size_t count = linting_count(&linting, row->code);
    const struct diagnostic *finding = linting_find(&linting, row->code);
    if (count != (row->found != NULL))
        fail_msg("row %zu (%s): %zu findings; %s", number, row->code, count, finding ? finding->message : "");
    if (count) {
        const char *found = arena_format(linting.arena, "%s %s", finding->object.name, finding->path);
        if (strcmp(found, row->found) != 0)
            fail_msg("row %zu (%s): %s", number, row->code, found);
    }
    linting_end(&linting);
}

void set_rows_assert(const struct set_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        set_row_assert(&rows[i], i);
}
