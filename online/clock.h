/*
 * Time, and whether somebody wants the program to end: the two things that the online module asks its host. Behind
 * pointers, so that tests need not wait.
 */
#ifndef ONLINE_CLOCK_H
#define ONLINE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock {
    uint64_t (*now_ms)(void *state);              /* only differences mean something */
    int64_t (*wall_s)(void *state);               /* since 1970, as clocks on walls go */
    void (*sleep_ms)(void *state, uint64_t span); /* ends early where `stopped` becomes true */
    bool (*stopped)(void *state);                 /* SIGINT, SIGTERM or SIGHUP waits */
    void *state;
};

/* The host's. */
struct clock clock_host(void);

/* Keeps the signals that end a program waiting, so that it can clean up and then let them through: no handler, no global.
 * Before there are threads. */
void clock_hold_signals(void);
/* Lets them through: one that waits ends the program here. */
void clock_release_signals(void);

enum { CLOCK_STAMP = 32 };
/* The time of day as RFC 3339 in UTC. */
void clock_stamp(char stamp[CLOCK_STAMP]);

#endif
