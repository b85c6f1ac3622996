/* Every row of fixtures/lint/expected: the finding is there, at its place; the fixture close to it has none. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tests/analyzer/linting.h"

struct row {
    char code[64], path[200];
    unsigned line, column;
};

static unsigned read_number(const char *text) {
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    assert_true(end != text && *end == '\0' && number <= 100000);
    return (unsigned)number;
}

/* CODE LINE:COLUMN PATH */
static bool read_row(FILE *table, struct row *row) {
    char line[400], line_number[12], column[12];
    while (fgets(line, sizeof line, table)) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        assert_int_equal(sscanf(line, "%63s %11[0-9]:%11[0-9] %199s", row->code, line_number, column, row->path), 4);
        row->line = read_number(line_number);
        row->column = read_number(column);
        return true;
    }
    return false;
}

static FILE *open_table(void) {
    FILE *table = fopen("fixtures/lint/expected", "r");
    assert_non_null(table);
    return table;
}

static void lint_fixture(struct linting *linting, const struct row *row, const char *name) {
    char path[200];
    snprintf(path, sizeof path, "fixtures/lint/%s/%s.yaml", row->code, name);
    linting_file(linting, path, NULL);
}

static void fixtures_draw_their_finding_at_its_place(void **state) {
    struct row row;
    FILE *table = open_table();
    (void)state;
    while (read_row(table, &row)) {
        struct linting linting;
        lint_fixture(&linting, &row, "triggers");
        const struct diagnostic *finding = linting_find(&linting, row.code);
        if (linting_count(&linting, row.code) != 1)
            fail_msg("%s: %zu findings", row.code, linting_count(&linting, row.code));
        const char *path = finding->path && *finding->path ? finding->path : "-";
        if (strcmp(path, row.path) != 0 || finding->location.line != row.line || finding->location.column != row.column)
            fail_msg("%s: %u:%u %s", row.code, finding->location.line, finding->location.column, path);
        linting_end(&linting);
    }
    fclose(table);
}

static void fixtures_close_to_it_do_not(void **state) {
    struct row row;
    FILE *table = open_table();
    (void)state;
    while (read_row(table, &row)) {
        struct linting linting;
        lint_fixture(&linting, &row, "clean");
        if (linting_count(&linting, row.code) != 0)
            fail_msg("%s: %s", row.code, linting_find(&linting, row.code)->message);
        linting_end(&linting);
    }
    fclose(table);
}

static void every_folder_of_fixtures_has_a_row(void **state) {
    DIR *folder = opendir("fixtures/lint");
    assert_non_null(folder);
    (void)state;
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct row row = {.code = ""};
        bool found = entry->d_name[0] == '.' || strcmp(entry->d_name, "expected") == 0;
        FILE *table = open_table();
        while (!found && read_row(table, &row))
            found = strcmp(row.code, entry->d_name) == 0;
        fclose(table);
        if (!found)
            fail_msg("%s is in no row", entry->d_name);
    }
    closedir(folder);
}

static void messages_are_sentences_without_a_final_stop(void **state) {
    struct row row;
    FILE *table = open_table();
    (void)state;
    while (read_row(table, &row)) {
        struct linting linting;
        enum code code;
        lint_fixture(&linting, &row, "triggers");
        const struct diagnostic *finding = linting_find(&linting, row.code);
        assert_true(code_of_word(text_of(row.code), &code));
        assert_non_null(finding);
        assert_true(strlen(finding->message) > 20);
        assert_true(finding->message[strlen(finding->message) - 1] != '.');
        linting_end(&linting);
    }
    fclose(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures_draw_their_finding_at_its_place),
        cmocka_unit_test(fixtures_close_to_it_do_not),
        cmocka_unit_test(every_folder_of_fixtures_has_a_row),
        cmocka_unit_test(messages_are_sentences_without_a_final_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
