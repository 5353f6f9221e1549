/* Rows of a descriptor, made from tables, for the plugins that are written in C. */
#ifndef AEADLAB_ROWS_H
#define AEADLAB_ROWS_H

#include "aeadlab.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MOST 512

/*
 * Grows while the descriptor is made, then stays. `kernel` is that of rows which have none of their own; `failed` is
 * set if a row could not be added.
 */
struct rows {
    const char *kernel;
    const aeadlab_algorithm *pointers[ROWS_MOST];
    size_t count;
    int failed;
};

/* Adds a copy of `model` with a name from `format` and a copy of `data`, which algorithm->data then points to. */
__attribute__((format(printf, 5, 6))) static inline void rows_add(struct rows *rows, const aeadlab_algorithm *model,
                                                                 const void *data, size_t data_bytes,
                                                                 const char *format, ...) {
    char name[64];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    aeadlab_algorithm *row = malloc(sizeof *row);
    void *own_data = malloc(data_bytes);
    char *own_name = strdup(name);
    if (rows->count == ROWS_MOST || length < 0 || (size_t)length >= sizeof name || !row || !own_data || !own_name) {
        free(row);
        free(own_data);
        free(own_name);
        rows->failed = 1;
        return;
    }
    memcpy(own_data, data, data_bytes);
    *row = *model;
    row->struct_size = sizeof *row;
    row->name = own_name;
    row->data = own_data;
    if (!row->kernel) {
        row->kernel = rows->kernel;
    }
    if (row->block_bytes == 0) {
        row->block_bytes = 1;
    }
    rows->pointers[rows->count++] = row;
}

/* The descriptor, or NULL if there is nothing to list. */
static inline const aeadlab_library *rows_describe(struct rows *rows, aeadlab_library *library, const char *name,
                                                   const char *version) {
    *library = (aeadlab_library){
        .abi_version = AEADLAB_ABI_VERSION,
        .struct_size = sizeof *library,
        .name = name,
        .version = version,
        .build = AEADLAB_BUILD,
        .algorithm_count = rows->count,
        .algorithms = rows->pointers,
    };
    return rows->failed || rows->count == 0 ? NULL : library;
}

/* The number of elements of an array. */
#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
