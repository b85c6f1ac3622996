/* Standard descriptors that are closed when the program starts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/descriptors.h"

/* In a process of its own, with the descriptors of the mask closed: the first thing that does not hold, or 0. */
static int check(unsigned closed) {
    char byte = 0;
    for (int i = 0; i < 3; i++)
        if (closed >> i & 1U)
            close(i);
    if (!descriptors_reserve())
        return 1;
    int opened = open("/dev/null", O_RDWR);
    if (opened < 3)
        return 2;
    if ((closed & 1U) && !(read(0, &byte, 1) < 0 && errno == EBADF))
        return 3;
    for (int i = 1; i < 3; i++)
        if ((closed >> i & 1U) && !(write(i, &byte, 1) < 0 && errno == EBADF))
            return 3 + i;
    return 0;
}

static void no_file_stands_for_a_closed_standard_descriptor(void **state) {
    (void)state;
    for (unsigned closed = 0; closed < 8; closed++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(check(closed));
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_file_stands_for_a_closed_standard_descriptor)};
    return cmocka_run_group_tests_name("cli/descriptors", tests, NULL, NULL);
}
