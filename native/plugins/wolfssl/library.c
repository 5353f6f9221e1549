/* The descriptor of wolfSSL. */
#include "plugin.h"

#include <wolfssl/ssl.h>
#include <wolfssl/wolfcrypt/wc_port.h>

const aeadlab_library *aeadlab_library_v1(void) {
    static struct rows rows;
    static aeadlab_library library;
    if (rows.count == 0) {
        if (wolfCrypt_Init() != 0) {
            return NULL;
        }
        add_aeads(&rows);
        add_ciphers(&rows);
        add_hashes(&rows);
        add_macs(&rows);
    }
    return rows_describe(&rows, &library, "wolfssl", wolfSSL_lib_version());
}

const char *aeadlab_feature_switch(const char *algorithm) {
    (void)algorithm;
    return "none: only its function cpuid_clear_flag hides features, which its plugin does not call";
}
