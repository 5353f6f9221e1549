/* The descriptor of libgcrypt. */
#include "plugin.h"

/*
 * Makes libgcrypt pass over the processor features that AEADLAB_LIBGCRYPT_CLEAR names, with commas between. It reads no
 * variable itself, only a file of the whole system, and must be told before anything else. It refuses a list with a
 * name that it does not know, so each name is a call of its own.
 */
static void clear_features(void) {
    const char *given = getenv("AEADLAB_LIBGCRYPT_CLEAR");
    char *names = given ? strdup(given) : NULL;
    char *rest = NULL;
    for (char *name = names ? strtok_r(names, ",", &rest) : NULL; name; name = strtok_r(NULL, ",", &rest)) {
        gcry_control(GCRYCTL_DISABLE_HWF, name, NULL);
    }
    free(names);
}

/*
 * The processor features that libgcrypt found and chooses its code by, or NULL.
 * gcry_get_config gives them as "hwflist:intel-cpu:intel-avx2:\n".
 */
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
    /* Called once, from one thread, before anything else (aeadlab.h), which is what libgcrypt asks of this too. */
    if (rows.count == 0) {
        clear_features();
        if (!gcry_check_version(GCRYPT_VERSION)) {
            return NULL;
        }
        if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
            /* Its locked memory holds a few contexts only; handles are wiped when closed wherever they are. */
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
