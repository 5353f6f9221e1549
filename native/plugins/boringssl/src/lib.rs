//! BoringSSL behind `aeadlab.h`. The functions are in C, in a file that AWS-LC shares; this crate exports their
//! descriptor and nothing else.

use boring_sys as _;
use std::ffi::c_void;

unsafe extern "C" {
    fn aeadlab_boringssl_library_v1() -> *const c_void;
}

/// `aeadlab_library_v1` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn aeadlab_library_v1() -> *const c_void {
    // SAFETY: it takes nothing, and the header lets it count on being called once.
    unsafe { aeadlab_boringssl_library_v1() }
}
