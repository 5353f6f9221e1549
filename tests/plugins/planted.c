/*
 * The toy with a time that is set: a message of MARKED bytes takes UNITS of work besides what it is, all others take
 * none, so that it is verified as fast as the toy. UNITS may count calls, and use `draw`; what it says is seen in the
 * samples or the harness is blind.
 */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifndef MARKED
#define MARKED 1003
#endif
#ifndef UNITS
#define UNITS 1000
#endif
/* A unit is UNIT_NS by the clock, whoever else uses the core; without it, a fixed number of multiplications. */
#ifndef UNIT_NS
#define UNIT_NS 0
#endif

/* SplitMix64 of the call's number: a share of calls, chosen in the same way in each process. */
static inline int draw(uint64_t call, double share) {
    uint64_t z = (call + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53 < share;
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void spend(uint64_t units) {
    static volatile uint64_t sink;
    if (UNIT_NS) {
        const uint64_t end = now_ns() + units * UNIT_NS;
        while (now_ns() < end) {}
        return;
    }
    /* Each waits for the one before, so that neither compiler nor core does them faster. */
    uint64_t state = sink | 1;
    for (uint64_t i = 0; i < units * 128; i++) state = state * 6364136223846793005u + 1442695040888963407u;
    sink = state;
}

static void planted(size_t bytes) {
    static uint64_t call;
    if (bytes != MARKED) return;
    spend(UNITS);
    call++;
}

#define ON_MESSAGE planted(bytes)
#include "toy.c"
