//! OpenSSL, the vendored 3.6 line, through `openssl.c`.

use openssl_sys as _;

c_library!(aeadlab_openssl_library_v1, aeadlab_openssl_feature_switch);
