/* The descriptor of Mbed TLS. */
#include "plugin.h"

#include <mbedtls/aes.h>
#include <mbedtls/version.h>
/* This header declares the detection of CPU features. Mbed TLS 3 does not install it. */
#if __has_include(<mbedtls/aesni.h>)
#include <mbedtls/aesni.h>
#endif

static struct kernels detect_kernels(void) {
    struct kernels kernels = {NULL, NULL, NULL};
#if defined(MBEDTLS_AESNI_C) && defined(MBEDTLS_HAVE_X86_64)
    const int aes = mbedtls_aesni_has_support(MBEDTLS_AESNI_AES);
    const int multiply = mbedtls_aesni_has_support(MBEDTLS_AESNI_CLMUL);
    kernels.aes = aes ? "AES-NI" : "C";
    kernels.ghash = multiply ? "PCLMULQDQ" : "C";
    kernels.aes_gcm = aes && multiply ? "AES-NI, PCLMULQDQ" : aes ? "AES-NI" : multiply ? "PCLMULQDQ" : "C";
#endif
    return kernels;
}

/* Set up an AES key: the first set-up of a process fills tables without a lock, so one thread must make it. */
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
        const struct kernels kernels = detect_kernels();
        fill_tables();
        mbedtls_version_get_string(version);
        add_aeads(&rows, &kernels);
        add_ciphers(&rows, &kernels);
        add_hashes(&rows);
        add_macs(&rows, &kernels);
    }
    return rows_describe(&rows, &library, "mbedtls", version);
}

const char *aeadlab_feature_switch(const char *algorithm) {
    (void)algorithm;
    return "none: it detects CPU features itself and reads no setting";
}
