/*
 * OpenMP's three schedules as loops that the engine runs: see parsplit::Loop. The engine says when a run is over by
 * what `block` returns; a loop of OpenMP cannot be left, so the rest of the calls return at once.
 */
#include <omp.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

typedef int32_t (*block_fn)(const void *state, size_t block);

#define LOOP(name, clause) \
    EXPORT int32_t aeadlab_openmp_##name(size_t threads, size_t blocks, block_fn block, const void *state); \
    int32_t aeadlab_openmp_##name(size_t threads, size_t blocks, block_fn block, const void *state) { \
        _Pragma(clause) \
        for (size_t i = 0; i < blocks; i++) (void)block(state, i); \
        return 0; \
    }

LOOP(static, "omp parallel for num_threads((int)threads) schedule(static)")
LOOP(dynamic, "omp parallel for num_threads((int)threads) schedule(dynamic)")
LOOP(guided, "omp parallel for num_threads((int)threads) schedule(guided)")

/* The compiler and its flags, and the version of OpenMP as the month of its standard. */
EXPORT const char *aeadlab_openmp_build(void);
const char *aeadlab_openmp_build(void) { return AEADLAB_BUILD; }
EXPORT int aeadlab_openmp_version(void);
int aeadlab_openmp_version(void) { return _OPENMP; }

/* More threads than this it never starts. */
EXPORT size_t aeadlab_openmp_most_threads(void);
size_t aeadlab_openmp_most_threads(void) { return (size_t)omp_get_thread_limit(); }
