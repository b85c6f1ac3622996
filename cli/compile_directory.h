/*
 * `compile --output-dir`: one file an object, and how the files there differ (spec/cli.md).
 */
#ifndef CLI_COMPILE_DIRECTORY_H
#define CLI_COMPILE_DIRECTORY_H

#include "cli/command.h"

/* An object as it was compiled. */
struct compiled {
    const char *file; /* its name in the directory */
    struct text bytes;
    bool skeleton; /* to be filled in by hand: a file that is there is right, whatever it holds */
};

/* Writes each object whose file is missing or holds other bytes; the directory is made where it is missing. */
enum exit_status compile_write_directory(const struct command_context *context, const struct compiled *objects,
                                         size_t count);

/* Writes nothing: prints a unified diff for each object whose file differs, is missing, or that nothing compiles to.
 * EXIT_REFUSED where there is one. */
enum exit_status compile_check_directory(const struct command_context *context, const struct compiled *objects,
                                         size_t count);

#endif
