/* Builds the rows of a descriptor from tables, for plugins in C. */
#ifndef AEADLAB_ROWS_H
#define AEADLAB_ROWS_H

#include "aeadlab.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS 512

/* `kernel` is the default of rows without a kernel; `failed` is set if a row was not added. */
struct rows {
    const char *kernel;
    const aeadlab_algorithm *pointers[MAX_ROWS];
    size_t count;
    int failed;
};

/* Add a copy of `model` with a name from `format`, whose algorithm->data points to a copy of `data`. */
__attribute__((format(printf, 5, 6))) static inline void rows_add(struct rows *rows, const aeadlab_algorithm *model,
                                                                 const void *data, size_t data_bytes,
                                                                 const char *format, ...) {
    char name[64];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    aeadlab_algorithm *row = malloc(sizeof *row);
    void *data_copy = malloc(data_bytes);
    char *name_copy = strdup(name);
    if (rows->count == MAX_ROWS || length < 0 || (size_t)length >= sizeof name || !row || !data_copy || !name_copy) {
        free(row);
        free(data_copy);
        free(name_copy);
        rows->failed = 1;
        return;
    }
    memcpy(data_copy, data, data_bytes);
    *row = *model;
    row->struct_size = sizeof *row;
    row->name = name_copy;
    row->data = data_copy;
    if (!row->kernel) {
        row->kernel = rows->kernel;
    }
    if (row->block_bytes == 0) {
        row->block_bytes = 1;
    }
    rows->pointers[rows->count++] = row;
}

/* Fill in and return the descriptor, or return NULL if it has no rows or a row was not added. */
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
