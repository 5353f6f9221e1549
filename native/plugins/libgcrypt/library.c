/* The descriptor of libgcrypt. */
#include "plugin.h"

/*
 * Disable the CPU features in the comma-separated list AEADLAB_LIBGCRYPT_CLEAR. libgcrypt itself reads only a file of
 * the whole system. The calls must precede all others, and each has one name, because libgcrypt rejects a list with an
 * unknown name.
 */
static void clear_features(void) {
    const char *list = getenv("AEADLAB_LIBGCRYPT_CLEAR");
    char *names = list ? strdup(list) : NULL;
    char *rest = NULL;
    for (char *name = names ? strtok_r(names, ",", &rest) : NULL; name; name = strtok_r(NULL, ",", &rest)) {
        gcry_control(GCRYCTL_DISABLE_HWF, name, NULL);
    }
    free(names);
}

/* Return the CPU features that libgcrypt detected, or NULL. gcry_get_config gives "hwflist:intel-cpu:intel-avx2:\n". */
static const char *processor_features(void) {
    char *line = gcry_get_config(0, "hwflist");
    char *text = line ? strchr(line, ':') : NULL;
    char *features = text ? calloc(2, strlen(text) + 1) : NULL;
    char *rest = NULL;
    char *feature = features ? strtok_r(text, ":\n", &rest) : NULL;
    for (; feature; feature = strtok_r(NULL, ":\n", &rest)) {
        strcat(strcat(features, *features ? ", " : ""), feature);
    }
    gcry_free(line);
    return features;
}

const aeadlab_library *aeadlab_library_v1(void) {
    static struct rows rows;
    static aeadlab_library library;
    /* libgcrypt requires an initialisation by one thread before all other calls, which aeadlab.h promises. */
    if (rows.count == 0) {
        clear_features();
        if (!gcry_check_version(GCRYPT_VERSION)) {
            return NULL;
        }
        if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
            /* Secure memory holds a few contexts only. Handles are wiped on closing in any memory. */
            gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
            gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
        }
        rows.kernel = processor_features();
        add_aeads(&rows);
        add_ciphers(&rows);
        add_hashes(&rows);
        add_macs(&rows);
    }
    return rows_describe(&rows, &library, "libgcrypt", gcry_check_version(NULL));
}

const char *aeadlab_feature_switch(const char *algorithm) {
    (void)algorithm;
    return "AEADLAB_LIBGCRYPT_CLEAR";
}
