/* Files of the tests of cli/. */
#ifndef TESTS_CLI_FILES_H
#define TESTS_CLI_FILES_H

#include <stddef.h>

/* The file holds the text and nothing else. */
void write_file(const char *path, const char *text);

/* At most `size` - 1 bytes of the file, with a NUL behind them. */
void read_file(const char *path, char *text, size_t size);

#endif
