/*
 * OpenMP's three schedules as foreign loops of the engine (parsplit::ForeignLoop). The return value of `block` is
 * ignored, because an OpenMP loop has no early exit; in a run that has stopped the remaining calls return at once.
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

/* Return the compiler with its flags, and the version of OpenMP as year and month of the standard. */
EXPORT const char *aeadlab_openmp_build(void);
const char *aeadlab_openmp_build(void) { return AEADLAB_BUILD; }
EXPORT int aeadlab_openmp_version(void);
int aeadlab_openmp_version(void) { return _OPENMP; }

/* Return the largest number of threads that OpenMP starts. */
EXPORT size_t aeadlab_openmp_most_threads(void);
size_t aeadlab_openmp_most_threads(void) { return (size_t)omp_get_thread_limit(); }
