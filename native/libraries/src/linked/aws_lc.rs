//! AWS-LC through `aws_lc.c`, which is BoringSSL's plugin too. aws-lc-sys gives all symbols a prefix of its own, so
//! they do not clash with OpenSSL's.

use aeadlab_abi::Library;
use aws_lc_sys as _;
use std::sync::OnceLock;

unsafe extern "C" {
    fn aeadlab_aws_lc_library_v1() -> *const Library;
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    // The header lets the C function count on being called once.
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    // SAFETY: it returns a constant that is never null.
    LIBRARY.get_or_init(|| unsafe { &*aeadlab_aws_lc_library_v1() })
}
