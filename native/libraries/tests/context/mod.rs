//! A context of an algorithm, freed when it is dropped.

use aeadlab_abi::{self as abi, Algorithm};
use std::ffi::c_void;
use std::ptr;

pub struct Context {
    pub algorithm: &'static Algorithm,
    pub raw: *mut c_void,
}

// SAFETY: the header allows contexts to move between threads.
unsafe impl Send for Context {}

impl Context {
    pub fn new(algorithm: &'static Algorithm, key: &[u8]) -> Self {
        assert_eq!(key.len(), algorithm.key_bytes as usize);
        let mut raw = ptr::null_mut();
        // SAFETY: the key has the algorithm's length.
        let status = unsafe { algorithm.key_new.unwrap()(algorithm, key.as_ptr(), key.len(), &raw mut raw) };
        assert_eq!(status, abi::OK);
        Self { algorithm, raw }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: from `key_new`, freed once.
        unsafe { self.algorithm.key_free.unwrap()(self.raw) }
    }
}
