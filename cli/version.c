#include "cli/command.h"

enum exit_status command_version(const struct command_context *context) {
    buffer_add_string(context->out, "egressc " EGRESSC_VERSION "\n");
    return EXIT_WELL;
}
