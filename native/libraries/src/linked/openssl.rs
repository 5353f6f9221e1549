//! OpenSSL, the vendored 3.6 line, by the C source beside this file.

use aeadlab_abi::Library;
use openssl_sys as _;

unsafe extern "C" {
    fn aeadlab_openssl_library_v1() -> *const Library;
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    // SAFETY: never NULL, and constant from its first return on.
    unsafe { &*aeadlab_openssl_library_v1() }
}
