//! The one algorithm that is compiled in, so that the library can seal without another: RustCrypto's AES-256-GCM.

use aeadlab_abi::{self as abi, Algorithm};
use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{AeadInOut, KeyInit, inout::InOutBuf};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

pub(crate) static AES_256_GCM: Algorithm = Algorithm {
    name: c"aes-256-gcm".as_ptr(),
    flags: abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG,
    key_bytes: 32,
    nonce_bytes: 12,
    tag_bytes: 16,
    key_new: Some(key_new),
    key_free: Some(key_free),
    seal: Some(seal),
    open: Some(open),
    ..Algorithm::empty(abi::AEAD)
};

#[unsafe(no_mangle)]
extern "C" fn parsplit_aes_256_gcm() -> *const Algorithm {
    &raw const AES_256_GCM
}

fn guarded(call: impl FnOnce() -> Result<(), i32>) -> i32 {
    catch_unwind(AssertUnwindSafe(call)).map_or(abi::INTERNAL, |done| done.err().unwrap_or(abi::OK))
}

/// # Safety
/// `pointer` is valid for `bytes`, or `bytes` is 0.
unsafe fn view<'a>(pointer: *const u8, bytes: usize) -> &'a [u8] {
    // SAFETY: the caller's promise, and not empty.
    if bytes == 0 { &[] } else { unsafe { slice::from_raw_parts(pointer, bytes) } }
}

/// # Safety
/// Both are valid for `bytes` and equal or apart, or `bytes` is 0.
unsafe fn message<'a>(input: *const u8, bytes: usize, output: *mut u8) -> InOutBuf<'a, 'a, u8> {
    // SAFETY: the caller's promise, and not empty.
    if bytes == 0 { InOutBuf::from(&mut [][..]) } else { unsafe { InOutBuf::from_raw(input, output, bytes) } }
}

unsafe extern "C" fn key_new(_: *const Algorithm, key: *const u8, bytes: usize, context: *mut *mut c_void) -> i32 {
    guarded(|| {
        // SAFETY: the host's promise about the key.
        let cipher = Aes256Gcm::new_from_slice(unsafe { view(key, bytes) }).map_err(|_| abi::BAD_ARGUMENT)?;
        // SAFETY: the host gives a place for the context.
        unsafe { context.write(Box::into_raw(Box::new(cipher)).cast()) };
        Ok(())
    })
}

unsafe extern "C" fn key_free(context: *mut c_void) {
    guarded(|| {
        // SAFETY: the context came from `key_new` and is passed once.
        drop(unsafe { Box::from_raw(context.cast::<Aes256Gcm>()) });
        Ok(())
    });
}

unsafe extern "C" fn seal(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    bytes: usize,
    output: *mut u8,
    tag: *mut u8,
) -> i32 {
    guarded(|| {
        // SAFETY: the context came from `key_new`; the rest is the host's promise about its buffers.
        let (cipher, nonce, ad, text) = unsafe {
            let cipher = &*context.cast::<Aes256Gcm>();
            (cipher, view(nonce, nonce_bytes), view(ad, ad_bytes), message(input, bytes, output))
        };
        let nonce = nonce.try_into().map_err(|_| abi::BAD_ARGUMENT)?;
        let made = cipher.encrypt_inout_detached(nonce, ad, text).map_err(|_| abi::BAD_ARGUMENT)?;
        // SAFETY: the host's tag has the length in the descriptor.
        unsafe { tag.copy_from_nonoverlapping(made.as_ptr(), made.len()) };
        Ok(())
    })
}

unsafe extern "C" fn open(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    bytes: usize,
    output: *mut u8,
    tag: *const u8,
) -> i32 {
    guarded(|| {
        // SAFETY: as in `seal`.
        let (cipher, nonce, ad, text, tag) = unsafe {
            let cipher = &*context.cast::<Aes256Gcm>();
            (cipher, view(nonce, nonce_bytes), view(ad, ad_bytes), message(input, bytes, output), view(tag, 16))
        };
        let nonce = nonce.try_into().map_err(|_| abi::BAD_ARGUMENT)?;
        let tag = tag.try_into().map_err(|_| abi::BAD_ARGUMENT)?;
        cipher.decrypt_inout_detached(nonce, ad, text, tag).map_err(|_| abi::AUTH_FAILED)
    })
}
