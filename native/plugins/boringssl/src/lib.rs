//! BoringSSL behind `aeadlab.h`. The functions are in a C file that AWS-LC shares; this crate exports them.

use boring_sys as _;
use std::ffi::{c_char, c_void};

unsafe extern "C" {
    fn aeadlab_boringssl_library_v1() -> *const c_void;
    fn aeadlab_boringssl_feature_switch(algorithm: *const c_char) -> *const c_char;
}

/// `aeadlab_library_v1` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn aeadlab_library_v1() -> *const c_void {
    // SAFETY: it takes no arguments, and the header promises one call from one thread.
    unsafe { aeadlab_boringssl_library_v1() }
}

/// `aeadlab_feature_switch` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn aeadlab_feature_switch(algorithm: *const c_char) -> *const c_char {
    // SAFETY: it ignores its argument and returns a constant.
    unsafe { aeadlab_boringssl_feature_switch(algorithm) }
}
