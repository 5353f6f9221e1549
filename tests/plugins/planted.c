/*
 * The toy plugin with a planted duration: a message of MARKED bytes takes UNITS of additional work. Messages of other
 * lengths take none, so verification is fast. UNITS may depend on the number of the call and use `draw`; a test expects
 * it in the samples.
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
/* Duration of a unit in nanoseconds of the clock; 0 selects a fixed number of multiplications instead. */
#ifndef UNIT_NS
#define UNIT_NS 0
#endif

/* Selects a share of the calls by SplitMix64 of their number, the same calls in each process. */
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
    /* Each multiplication depends on the previous one, so neither compiler nor CPU can run them in parallel. */
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
