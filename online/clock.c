#include "online/clock.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static void ending_signals(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

void clock_hold_signals(void) {
    sigset_t set;
    ending_signals(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void clock_release_signals(void) {
    sigset_t set;
    ending_signals(&set);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static bool host_stopped(void *state) {
    sigset_t set;
    (void)state;
    sigemptyset(&set);
    sigpending(&set);
    return sigismember(&set, SIGINT) == 1 || sigismember(&set, SIGTERM) == 1 || sigismember(&set, SIGHUP) == 1;
}

static uint64_t host_now(void *state) {
    struct timespec now;
    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int64_t host_wall(void *state) {
    struct timespec now;
    (void)state;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec;
}

static void host_sleep(void *state, uint64_t span) {
    enum { STEP_MS = 100 };
    while (span > 0 && !host_stopped(state)) {
        uint64_t step = span < STEP_MS ? span : STEP_MS;
        struct timespec wait = {.tv_nsec = (long)step * 1000000};
        nanosleep(&wait, NULL);
        span -= step;
    }
}

struct clock clock_host(void) {
    return (struct clock){.now_ms = host_now, .wall_s = host_wall, .sleep_ms = host_sleep, .stopped = host_stopped};
}

void clock_stamp(char stamp[CLOCK_STAMP]) {
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    if (!gmtime_r(&now.tv_sec, &parts) || strftime(stamp, CLOCK_STAMP, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        stamp[0] = '\0';
}
