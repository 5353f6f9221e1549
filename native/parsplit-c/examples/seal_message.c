/*
 * seal_message KEY NONCE IN OUT THREADS: seals a file as one message of AES-GCM, the ciphertext followed by the tag, as
 * any other implementation does. KEY and NONCE are hexadecimal. The caller never repeats a nonce with the same key.
 *
 *     cc seal_message.c -o seal_message -Ibuild/parsplit/include -Lbuild/parsplit/lib -lparsplit
 */
#include <parsplit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t decode(const char *text, uint8_t *bytes, size_t most) {
    size_t count = strlen(text) / 2;
    for (size_t i = 0; i < count && i < most; i++) {
        unsigned value;
        if (sscanf(text + 2 * i, "%2x", &value) != 1) return 0;
        bytes[i] = (uint8_t)value;
    }
    return count <= most ? count : 0;
}

/* Reads a file into new memory with room for a tag behind it. */
static uint8_t *read_file(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    long end = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) end = ftell(file);
    uint8_t *content = end < 0 ? NULL : malloc((size_t)end + PARSPLIT_TAG_BYTES);
    *bytes = end < 0 ? 0 : (size_t)end;
    if (content != NULL) rewind(file);
    if (content != NULL && fread(content, 1, *bytes, file) != *bytes) {
        free(content);
        content = NULL;
    }
    if (file != NULL) fclose(file);
    return content;
}

int main(int argc, char **argv) {
    uint8_t key[32], nonce[64];
    size_t key_bytes, nonce_bytes, bytes;
    if (argc != 6) {
        fprintf(stderr, "usage: %s KEY NONCE IN OUT THREADS\n", argv[0]);
        return 2;
    }
    key_bytes = decode(argv[1], key, sizeof key);
    nonce_bytes = decode(argv[2], nonce, sizeof nonce);

    parsplit_message_options options = PARSPLIT_MESSAGE_DEFAULTS;
    parsplit_message *handle;
    options.threads = strtoul(argv[5], NULL, 10);
    if (parsplit_message_new("aes-gcm", key, key_bytes, &options, &handle) != PARSPLIT_OK) {
        fprintf(stderr, "%s\n", parsplit_last_error());
        return 2;
    }
    parsplit_wipe(key, sizeof key); /* the handle has its own copy */

    uint8_t *text = read_file(argv[3], &bytes);
    if (text == NULL) {
        perror(argv[3]);
        return 2;
    }
    /* In place; the tag goes to the room behind the ciphertext. */
    if (parsplit_message_seal(handle, nonce, nonce_bytes, NULL, 0, text, bytes, text, text + bytes) != PARSPLIT_OK) {
        fprintf(stderr, "%s\n", parsplit_last_error());
        return 2;
    }
    FILE *out = fopen(argv[4], "wb");
    int written = out != NULL && fwrite(text, 1, bytes + PARSPLIT_TAG_BYTES, out) == bytes + PARSPLIT_TAG_BYTES;
    if (out == NULL || fclose(out) != 0 || !written) {
        perror(argv[4]);
        return 2;
    }
    parsplit_message_free(handle); /* wipes the key */
    free(text);
    return 0;
}
