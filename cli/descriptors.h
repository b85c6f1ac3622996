/*
 * The standard descriptors at the start of the program (spec/cli.md).
 */
#ifndef CLI_DESCRIPTORS_H
#define CLI_DESCRIPTORS_H

#include <stdbool.h>

/* Takes the standard descriptors that came closed, so that no file that is opened later stands for `-` or is written to
 * as standard output or error: reading the input that is then there fails, and so does writing the outputs. False: one
 * could not be taken. */
bool descriptors_reserve(void);

#endif
