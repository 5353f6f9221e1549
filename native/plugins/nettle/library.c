/* The descriptor of Nettle. */
#include "plugin.h"

#include <nettle/version.h>

const aeadlab_library *aeadlab_library_v1(void) {
    static struct rows rows;
    static aeadlab_library library;
    static char version[32];
    if (rows.count == 0) {
        snprintf(version, sizeof version, "%d.%d", nettle_version_major(), nettle_version_minor());
        add_aeads(&rows);
        add_ciphers(&rows);
        add_hashes(&rows);
        add_macs(&rows);
    }
    return rows_describe(&rows, &library, "nettle", version);
}

const char *aeadlab_feature_switch(const char *algorithm) {
    (void)algorithm;
    return "NETTLE_FAT_OVERRIDE";
}
