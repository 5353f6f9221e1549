//! A baseline cipher for unit tests that copies slowly.

use aeadlab_abi::{self as abi, Algorithm};
use std::ffi::c_void;

unsafe extern "C" fn key_new(_: *const Algorithm, _: *const u8, _: usize, context: *mut *mut c_void) -> i32 {
    // SAFETY: the caller's place for the result; the context is never dereferenced.
    unsafe { context.write(std::ptr::dangling_mut()) };
    abi::OK
}

unsafe extern "C" fn key_free(_: *mut c_void) {}

unsafe extern "C" fn copy(_: *mut c_void, _: *const u8, _: usize, input: *const u8, n: usize, output: *mut u8) -> i32 {
    std::thread::sleep(std::time::Duration::from_millis(1));
    // SAFETY: the buffers are valid for `n` and disjoint.
    unsafe { output.copy_from(input, n) };
    abi::OK
}

pub(crate) static COPY: Algorithm = Algorithm {
    flags: abi::THREAD_SAFE | abi::BASELINE,
    key_new: Some(key_new),
    key_free: Some(key_free),
    encrypt: Some(copy),
    decrypt: Some(copy),
    ..Algorithm::empty(abi::CIPHER)
};
