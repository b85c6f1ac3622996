#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/descriptors.h"
#include "cli/run.h"

/* https://no-color.org: any value but the empty one turns colours off. */
static bool wants_color(int descriptor) {
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(descriptor) && !(no_color && no_color[0]) && !(terminal && strcmp(terminal, "dumb") == 0);
}

int main(int argc, char **argv) {
    if (!descriptors_reserve())
        return EXIT_TROUBLE;  /* there may be nowhere to say so */
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is a write error like any other */
    struct run_sinks sinks = {.out = STDOUT_FILENO,
                              .err = STDERR_FILENO,
                              .color_out = wants_color(STDOUT_FILENO),
                              .color_err = wants_color(STDERR_FILENO)};
    size_t count = argc > 0 ? (size_t)argc - 1 : 0;
    return (int)run_arguments((const char *const *)argv + 1, count, &sinks);
}
