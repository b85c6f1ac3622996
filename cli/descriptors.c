#include "cli/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool descriptors_reserve(void) {
    static const int modes[] = {[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY};
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        /* Those below are open, so the lowest free one is this. */
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[descriptor]) != descriptor)
            return false;
    }
    return true;
}
