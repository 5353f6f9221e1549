/* The toy plugin with counters of key set-ups, messages and bytes. */
#include <stdint.h>

__attribute__((visibility("default"))) uint64_t keys, messages, bytes_in_all;

#define ON_KEYED keys++
#define ON_MESSAGE messages++, bytes_in_all += bytes
#include "toy.c"
