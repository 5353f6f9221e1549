/*
 * Seals or opens a file: an example of parsplit.h.
 *
 *     seal_file seal|open KEY-HEX NONCE-HEX IN OUT [THREADS [PLUGIN [ALGORITHM]]]
 *
 * For AES-256-GCM the key has 32 bytes and the nonce 7. A program must use each nonce for one message only. Key and
 * nonce on the command line are for trying this example.
 */
#include "parsplit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char AD[] = "seal_file";

static uint8_t *read_file(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    uint8_t *content = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        long end = ftell(file);
        rewind(file);
        /* One extra byte, so that malloc does not return NULL for an empty file. */
        if (end >= 0) content = malloc((size_t)end + 1);
        if (content != NULL) *bytes = fread(content, 1, (size_t)end, file);
    }
    if (file != NULL) fclose(file);
    return content;
}

static int write_file(const char *path, const uint8_t *content, size_t bytes) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) return 0;
    size_t written = fwrite(content, 1, bytes, file);
    return fclose(file) == 0 && written == bytes;
}

/* Decodes a hexadecimal string. Returns its length in bytes, or 0 if it is invalid or exceeds `capacity`. */
static size_t from_hex(const char *text, uint8_t *out, size_t capacity) {
    size_t length = strlen(text);
    if (length % 2 != 0 || length / 2 > capacity) return 0;
    for (size_t i = 0; i < length / 2; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) return 0;
        out[i] = (uint8_t)byte;
    }
    return length / 2;
}

int main(int argc, char **argv) {
    if (argc < 6 || (strcmp(argv[1], "seal") != 0 && strcmp(argv[1], "open") != 0)) {
        fprintf(stderr, "%s seal|open KEY-HEX NONCE-HEX IN OUT [THREADS [PLUGIN [ALGORITHM]]]\n", argv[0]);
        return 2;
    }
    int sealing = strcmp(argv[1], "seal") == 0, status = PARSPLIT_OK;
    uint8_t key[64], nonce[64], *in = NULL, *out = NULL;
    size_t key_bytes = from_hex(argv[2], key, sizeof key), nonce_bytes = from_hex(argv[3], nonce, sizeof nonce);
    size_t in_bytes = 0, out_bytes = 0;
    const aeadlab_algorithm *algorithm = parsplit_aes_256_gcm();
    parsplit_options options = PARSPLIT_DEFAULTS;
    parsplit *handle = NULL;

    if (argc > 6) options.threads = strtoul(argv[6], NULL, 10);
    if (argc > 7) status = parsplit_load(argv[7], argc > 8 ? argv[8] : NULL, &algorithm);
    if (status == PARSPLIT_OK) status = parsplit_new(algorithm, key, key_bytes, &options, &handle);
    parsplit_wipe(key, sizeof key);
    if (status == PARSPLIT_OK && (in = read_file(argv[4], &in_bytes)) == NULL) {
        perror(argv[4]);
        parsplit_free(handle);
        return 1;
    }
    if (status == PARSPLIT_OK) {
        status = sealing ? parsplit_sealed_bytes(handle, in_bytes, &out_bytes)
                         : parsplit_opened_bytes(handle, in_bytes, &out_bytes);
    }
    if (status == PARSPLIT_OK && (out = malloc(out_bytes + 1)) == NULL) status = PARSPLIT_INTERNAL;
    if (status == PARSPLIT_OK) {
        const uint8_t *ad = (const uint8_t *)AD;
        status = sealing ? parsplit_seal(handle, nonce, nonce_bytes, ad, sizeof AD - 1, in, in_bytes, out, out_bytes)
                         : parsplit_open(handle, nonce, nonce_bytes, ad, sizeof AD - 1, in, in_bytes, out, out_bytes);
    }
    if (status == PARSPLIT_OK && !write_file(argv[5], out, out_bytes)) {
        perror(argv[5]);
        status = PARSPLIT_INTERNAL;
    } else if (status != PARSPLIT_OK) {
        fprintf(stderr, "%s: %s\n", argv[0], parsplit_last_error());
    }
    parsplit_free(handle);
    /* The plaintext is as secret as the key. */
    if (in != NULL) parsplit_wipe(in, in_bytes);
    if (out != NULL) parsplit_wipe(out, out_bytes);
    free(in);
    free(out);
    return status;
}
