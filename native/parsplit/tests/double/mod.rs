//! RustCrypto's AES-256-GCM behind the ABI, with counters: a test double that needs no C library.

use aeadlab_abi::{self as abi, Algorithm};
use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{AeadInOut, KeyInit, inout::InOutBuf};
use std::ffi::c_void;
use std::slice;
use std::sync::atomic::{AtomicUsize, Ordering};

pub static KEYS_MADE: AtomicUsize = AtomicUsize::new(0);
pub static KEYS_FREED: AtomicUsize = AtomicUsize::new(0);

unsafe fn view<'a>(pointer: *const u8, bytes: usize) -> &'a [u8] {
    if bytes == 0 { &[] } else { unsafe { slice::from_raw_parts(pointer, bytes) } }
}

unsafe fn message<'a>(input: *const u8, bytes: usize, output: *mut u8) -> InOutBuf<'a, 'a, u8> {
    if bytes == 0 { InOutBuf::from(&mut [][..]) } else { unsafe { InOutBuf::from_raw(input, output, bytes) } }
}

unsafe extern "C" fn key_new(_: *const Algorithm, key: *const u8, bytes: usize, context: *mut *mut c_void) -> i32 {
    KEYS_MADE.fetch_add(1, Ordering::SeqCst);
    let cipher = Aes256Gcm::new_from_slice(unsafe { view(key, bytes) }).unwrap();
    unsafe { context.write(Box::into_raw(Box::new(cipher)).cast()) };
    abi::OK
}

unsafe extern "C" fn key_free(context: *mut c_void) {
    KEYS_FREED.fetch_add(1, Ordering::SeqCst);
    drop(unsafe { Box::from_raw(context.cast::<Aes256Gcm>()) });
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
    unsafe {
        let cipher = &*context.cast::<Aes256Gcm>();
        let nonce = view(nonce, nonce_bytes).try_into().unwrap();
        let made = cipher.encrypt_inout_detached(nonce, view(ad, ad_bytes), message(input, bytes, output)).unwrap();
        tag.copy_from(made.as_ptr(), 16);
    }
    abi::OK
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
    unsafe {
        let cipher = &*context.cast::<Aes256Gcm>();
        let nonce = view(nonce, nonce_bytes).try_into().unwrap();
        let tag = view(tag, 16).try_into().unwrap();
        match cipher.decrypt_inout_detached(nonce, view(ad, ad_bytes), message(input, bytes, output), tag) {
            Ok(()) => abi::OK,
            Err(_) => abi::AUTH_FAILED,
        }
    }
}

pub static GCM: Algorithm = Algorithm {
    name: c"aes-256-gcm".as_ptr(),
    flags: abi::THREAD_SAFE | abi::IN_PLACE,
    key_bytes: 32,
    nonce_bytes: 12,
    tag_bytes: 16,
    key_new: Some(key_new),
    key_free: Some(key_free),
    seal: Some(seal),
    open: Some(open),
    ..Algorithm::empty(abi::AEAD)
};
