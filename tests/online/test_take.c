/* Whole runs: the folder and its index (spec/snapshot.md), also where the disk fails at each step. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "fake.h"

#define VERSION                                                                                                        \
    { .path = "/version", .status = 200, .body = "{\"gitVersion\":\"v1.31.2\"}" }
#define EMPTY(kind, version) "{\"kind\":\"" kind "\",\"apiVersion\":\"" version "\",\"metadata\":{},\"items\":[]}"
#define END                                                                                                            \
    { .path = NULL }

static const struct fake_answer sound[] = {
    VERSION,
    {.path = "/api/v1/pods?*", .status = 200, .body = EMPTY("PodList", "v1")},
    {.path = "/apis/networking.k8s.io/v1/networkpolicies?*",
     .status = 200,
     .body = "{\"kind\":\"NetworkPolicyList\",\"apiVersion\":\"networking.k8s.io/v1\",\"metadata\":{},\"items\":[{"
             "\"metadata\":{\"name\":\"a\"}}]}"},
    {.path = "/api/v1/nodes?*", .status = 403, .body = "{\"kind\":\"Status\",\"message\":\"no\"}"},
    END};

static const char *const three[] = {"pods", "networkpolicies", "adminnetworkpolicies", NULL};
static const char *const four[] = {"pods", "networkpolicies", "adminnetworkpolicies", "nodes", NULL};

static void an_index_tells_each_collection(void **state) {
    struct fake fake;
    (void)state;
    fake_open(&fake, sound);
    assert_int_equal(fake_take(&fake, four, NULL, false, NULL), TAKE_INCOMPLETE);
    const char *index = fake_read(&fake, "snapshot.json");
    assert_non_null(strstr(index, "\"serverVersion\": \"v1.31.2\""));
    assert_non_null(strstr(index, "\"server\": \"https://api.test:6443\""));
    assert_non_null(strstr(index, "\"namespaces\": \"all\""));
    assert_non_null(
        strstr(index, "\"status\": \"read\",\n      \"file\": \"networkpolicies.json\",\n      \"items\": 1"));
    assert_non_null(strstr(index, "\"status\": \"forbidden\",\n      \"reason\": \"no\""));
    assert_non_null(strstr(index, "\"status\": \"not-served\""));
    assert_null(strstr(index, "the-token-of-tests"));
    assert_int_equal(fake_entries(fake.output), 3);
    assert_int_equal(fake_entries(fake.folder), 1);
    fake_close(&fake);
}

static void what_is_not_served_leaves_a_snapshot_whole(void **state) {
    struct fake fake;
    (void)state;
    fake_open(&fake, sound);
    assert_int_equal(fake_take(&fake, three, NULL, false, NULL), TAKE_WHOLE);
    fake_close(&fake);
}

static void only_the_owner_may_look_into_it(void **state) {
    struct fake fake;
    struct stat status;
    (void)state;
    fake_open(&fake, sound);
    fake_take(&fake, three, NULL, false, NULL);
    assert_int_equal(stat(fake.output, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(stat(arena_format(fake.arena, "%s/snapshot.json", fake.output), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    fake_close(&fake);
}

static void a_server_that_cannot_be_reached_leaves_nothing(void **state) {
    static const struct fake_answer answers[] = {
        {.path = "*", .result = TRANSPORT_UNREACHABLE, .error = "connection refused"}, END};
    struct fake fake;
    const char *problem;
    (void)state;
    fake_open(&fake, answers);
    assert_int_equal(fake_take(&fake, NULL, NULL, false, &problem), TAKE_FAILED);
    assert_string_equal(problem, "cannot reach https://api.test:6443: no connection: connection refused");
    assert_int_equal(fake_entries(fake.folder), 0);
    fake_close(&fake);
}

static void an_interruption_leaves_nothing(void **state) {
    (void)state;
    for (size_t i = 1; i < 5; i++) {
        struct fake fake;
        const char *problem;
        fake_open(&fake, sound);
        fake.stops_after = i;
        assert_int_equal(fake_take(&fake, four, NULL, false, &problem), TAKE_FAILED);
        assert_int_equal(fake_entries(fake.folder), 0);
        fake_close(&fake);
    }
}

static void what_stands_there_is_replaced_with_force_only(void **state) {
    struct fake fake;
    const char *problem;
    (void)state;
    fake_open(&fake, sound);
    assert_int_equal(fake_take(&fake, four, NULL, false, NULL), TAKE_INCOMPLETE);
    assert_int_equal(fake_take(&fake, three, NULL, false, &problem), TAKE_FAILED);
    assert_non_null(strstr(problem, "--force"));
    assert_non_null(strstr(fake_read(&fake, "snapshot.json"), "\"nodes\""));
    assert_int_equal(fake_take(&fake, three, NULL, true, &problem), TAKE_WHOLE);
    assert_null(problem);
    assert_null(strstr(fake_read(&fake, "snapshot.json"), "\"nodes\""));
    assert_int_equal(fake_entries(fake.folder), 1);
    fake_close(&fake);
}

static void put_file(const struct fake *fake, const char *name) {
    int descriptor = open(arena_format(fake->arena, "%s/%s", fake->output, name), O_WRONLY | O_CREAT, 0600);
    assert_true(descriptor >= 0);
    close(descriptor);
}

static void what_is_no_snapshot_is_not_replaced(void **state) {
    struct fake fake;
    const char *problem;
    (void)state;
    fake_open(&fake, sound);
    assert_int_equal(mkdir(fake.output, 0700), 0);
    put_file(&fake, "a.json");
    assert_int_equal(fake_take(&fake, three, NULL, true, &problem), TAKE_FAILED);
    assert_non_null(strstr(problem, "it is no folder with an index"));
    put_file(&fake, "snapshot.json");
    put_file(&fake, "thesis.tex");
    assert_int_equal(fake_take(&fake, three, NULL, true, &problem), TAKE_FAILED);
    assert_non_null(strstr(problem, "it holds thesis.tex, which is no part of a snapshot"));
    assert_int_equal(fake_entries(fake.output), 3);
    assert_int_equal(fake_entries(fake.folder), 1);
    fake_close(&fake);
}

/* ---- faults ---- */

/* Which call of the system fails, counted over all of them. The functions have no context of their own. */
static unsigned calls_left;
static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_to_fail(void) {
    pthread_mutex_lock(&calls_lock);
    bool fails = calls_left > 0 && --calls_left == 0;
    pthread_mutex_unlock(&calls_lock);
    if (fails)
        errno = ENOSPC;
    return fails;
}

static char *failing_make_folder(char *template) { return is_to_fail() ? NULL : mkdtemp(template); }
static int failing_create(int folder, const char *name) {
    return is_to_fail() ? -1 : writer_system.create(folder, name);
}
static ssize_t failing_write(int descriptor, const void *bytes, size_t length) {
    if (is_to_fail())
        return -1;
    return write(descriptor, bytes, length < 40 ? length : 40); /* short writes are no fault */
}
static int failing_truncate(int descriptor, off_t length) { return is_to_fail() ? -1 : ftruncate(descriptor, length); }
static int failing_sync(int descriptor) { return is_to_fail() ? -1 : fsync(descriptor); }
static int failing_close(int descriptor) {
    int result = close(descriptor);
    return is_to_fail() ? -1 : result;
}
static int failing_rename(const char *from, const char *to) { return is_to_fail() ? -1 : rename(from, to); }

static const struct writer_calls failing = {.make_folder = failing_make_folder,
                                            .create = failing_create,
                                            .write = failing_write,
                                            .truncate = failing_truncate,
                                            .sync = failing_sync,
                                            .close = failing_close,
                                            .rename = failing_rename};

static int open_descriptors(void) { return fake_entries("/proc/self/fd"); }

/* Fails each call in turn until a run needs none that is left; returns how many there were. */
static unsigned fail_each(struct fake *fake, bool replaces, const char *before) {
    for (unsigned i = 1;; i++) {
        const char *problem;
        int descriptors = open_descriptors();
        calls_left = i;
        enum take_result result = fake_take(fake, three, &failing, replaces, &problem);
        unsigned left = calls_left;
        calls_left = 0;
        assert_int_equal(open_descriptors(), descriptors);
        if (left > 0) {
            assert_int_equal(result, TAKE_WHOLE);
            return i - 1;
        }
        assert_int_equal(result, TAKE_FAILED);
        assert_non_null(strstr(problem, strerror(ENOSPC)));
        assert_int_equal(fake_entries(fake->folder), before ? 1 : 0);
        if (before)
            assert_string_equal(fake_read(fake, "snapshot.json"), before);
    }
}

static void a_disk_that_fails_at_any_step_leaves_nothing(void **state) {
    struct fake fake;
    (void)state;
    fake_open(&fake, sound);
    assert_true(fail_each(&fake, false, NULL) > 30);
    fake_close(&fake);
}

static void a_disk_that_fails_at_any_step_leaves_what_stood_there(void **state) {
    struct fake fake;
    (void)state;
    fake_open(&fake, sound);
    assert_int_equal(fake_take(&fake, four, NULL, false, NULL), TAKE_INCOMPLETE);
    assert_true(fail_each(&fake, true, fake_read(&fake, "snapshot.json")) > 30);
    fake_close(&fake);
}

/* Which collection fails is a matter of which worker is first; that one does, and is said, is not. */
static void a_request_that_fails_costs_its_collection_at_most(void **state) {
    static const struct {
        enum transport_result result;
        bool passes; /* when it is tried again */
    } cases[] = {{TRANSPORT_UNREACHABLE, true}, {TRANSPORT_BROKEN, true},     {TRANSPORT_TIMED_OUT, true},
                 {TRANSPORT_UNTRUSTED, false},  {TRANSPORT_TOO_LARGE, false}, {TRANSPORT_UNUSABLE, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t at = 2; at <= 4; at++) { /* the first asks for the version */
            struct fake fake;
            const char *problem;
            int descriptors = open_descriptors();
            fake_open(&fake, sound);
            fake.fails_at = at;
            fake.fails_with = cases[i].result;
            enum take_result result = fake_take(&fake, three, NULL, false, &problem);
            assert_int_equal(result, cases[i].passes ? TAKE_WHOLE : TAKE_INCOMPLETE);
            assert_null(problem);
            const char *index = fake_read(&fake, "snapshot.json");
            assert_int_equal(strstr(index, "\"status\": \"failed\"") != NULL, !cases[i].passes);
            /* A file for each that was read, and the index. */
            int files = 1;
            for (const char *read = index; (read = strstr(read, "\"file\": ")); read++)
                files++;
            assert_int_equal(fake_entries(fake.output), files);
            assert_int_equal(open_descriptors(), descriptors);
            fake_close(&fake);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_tells_each_collection),
        cmocka_unit_test(what_is_not_served_leaves_a_snapshot_whole),
        cmocka_unit_test(only_the_owner_may_look_into_it),
        cmocka_unit_test(a_server_that_cannot_be_reached_leaves_nothing),
        cmocka_unit_test(an_interruption_leaves_nothing),
        cmocka_unit_test(what_stands_there_is_replaced_with_force_only),
        cmocka_unit_test(what_is_no_snapshot_is_not_replaced),
        cmocka_unit_test(a_disk_that_fails_at_any_step_leaves_nothing),
        cmocka_unit_test(a_disk_that_fails_at_any_step_leaves_what_stood_there),
        cmocka_unit_test(a_request_that_fails_costs_its_collection_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
