/*
 * The frame of a run: from the command line to the exit status.
 */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/command.h"

/* Where results go: descriptors, so that tests can stand in for the terminal. */
struct run_sinks {
    int out, err;
    bool color_out, color_err;
};

/* Runs the command of `arguments` (without the program's name), writes what it printed, and returns the exit status.
 * Results that cannot be written make it EXIT_TROUBLE. */
enum exit_status run_arguments(const char *const *arguments, size_t count, const struct run_sinks *sinks);

#endif
