/* The descriptor of Mbed TLS. */
#include "plugin.h"

#include <mbedtls/aes.h>
#include <mbedtls/version.h>
/* Tells about the processor; since version 3 this is no longer installed. */
#if __has_include(<mbedtls/aesni.h>)
#include <mbedtls/aesni.h>
#endif

static struct kernels kernels(void) {
    struct kernels found = {NULL, NULL, NULL};
#if defined(MBEDTLS_AESNI_C) && defined(MBEDTLS_HAVE_X86_64)
    const int aes = mbedtls_aesni_has_support(MBEDTLS_AESNI_AES);
    const int multiply = mbedtls_aesni_has_support(MBEDTLS_AESNI_CLMUL);
    found.aes = aes ? "AES-NI" : "C";
    found.ghash = multiply ? "PCLMULQDQ" : "C";
    found.aes_gcm = aes && multiply ? "AES-NI, PCLMULQDQ" : aes ? "AES-NI" : multiply ? "PCLMULQDQ" : "C";
#endif
    return found;
}

/* The first AES key set-up of a process fills tables without a lock, so it is done here, where there is one thread. */
static void fill_tables(void) {
    static const uint8_t key[16];
    mbedtls_aes_context aes;
    mbedtls_aes_init(&aes);
    (void)mbedtls_aes_setkey_enc(&aes, key, 128);
    mbedtls_aes_free(&aes);
}

const aeadlab_library *aeadlab_library_v1(void) {
    static struct rows rows;
    static aeadlab_library library;
    static char version[32];
    if (rows.count == 0) {
        const struct kernels known = kernels();
        fill_tables();
        mbedtls_version_get_string(version);
        add_aeads(&rows, &known);
        add_ciphers(&rows, &known);
        add_hashes(&rows);
        add_macs(&rows, &known);
    }
    return rows_describe(&rows, &library, "mbedtls", version);
}
