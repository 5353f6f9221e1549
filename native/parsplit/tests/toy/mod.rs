//! An insecure AEAD in plain loops over raw pointers: fast under Miri, and sensitive to a context with two users.

use aeadlab_abi::{self as abi, Algorithm};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

/// The key is on the heap, so that a use of a freed context reads freed memory.
struct Context {
    key: Box<[u8; 16]>,
    /// Deliberately not atomic: two concurrent users are a data race, which the tools detect.
    messages: usize,
    busy: AtomicBool,
}

unsafe extern "C" fn key_new(_: *const Algorithm, key: *const u8, bytes: usize, context: *mut *mut c_void) -> i32 {
    assert_eq!(bytes, 16);
    let key = Box::new(unsafe { key.cast::<[u8; 16]>().read() });
    let created = Box::new(Context { key, messages: 0, busy: AtomicBool::new(false) });
    unsafe { context.write(Box::into_raw(created).cast()) };
    abi::OK
}

unsafe extern "C" fn key_free(context: *mut c_void) {
    drop(unsafe { Box::from_raw(context.cast::<Context>()) });
}

/// Absorbs bytes as FNV-1a does: a change of any byte changes the result.
unsafe fn absorb(mut state: u64, from: *const u8, bytes: usize) -> u64 {
    for i in 0..bytes {
        state = (state ^ u64::from(unsafe { from.add(i).read() })).wrapping_mul(0x0100_0000_01b3);
    }
    state
}

unsafe fn tag_of(
    context: &Context,
    nonce: *const u8,
    ad: *const u8,
    ad_bytes: usize,
    text: *const u8,
    n: usize,
) -> u64 {
    let state = 0xcbf2_9ce4_8422_2325 ^ (ad_bytes as u64) << 32 ^ n as u64;
    unsafe { absorb(absorb(absorb(absorb(state, context.key.as_ptr(), 16), nonce, 12), ad, ad_bytes), text, n) }
}

unsafe fn mix(context: &Context, nonce: *const u8, input: *const u8, bytes: usize, output: *mut u8) {
    let from_nonce = unsafe { absorb(1, nonce, 12) } as u8;
    for i in 0..bytes {
        unsafe { output.add(i).write(input.add(i).read() ^ context.key[i % 16] ^ from_nonce) };
    }
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
    assert_eq!(nonce_bytes, 12);
    let context = unsafe { &mut *context.cast::<Context>() };
    assert!(!context.busy.swap(true, Ordering::Relaxed), "a context with two users");
    context.messages += 1;
    unsafe {
        mix(context, nonce, input, bytes, output);
        tag.cast::<[u8; 8]>().write(tag_of(context, nonce, ad, ad_bytes, output, bytes).to_be_bytes());
    }
    context.busy.store(false, Ordering::Relaxed);
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
    assert_eq!(nonce_bytes, 12);
    let context = unsafe { &mut *context.cast::<Context>() };
    assert!(!context.busy.swap(true, Ordering::Relaxed), "a context with two users");
    context.messages += 1;
    let expected = unsafe { tag_of(context, nonce, ad, ad_bytes, input, bytes) };
    unsafe { mix(context, nonce, input, bytes, output) };
    context.busy.store(false, Ordering::Relaxed);
    if unsafe { tag.cast::<[u8; 8]>().read() } == expected.to_be_bytes() { abi::OK } else { abi::AUTH_FAILED }
}

pub static TOY: Algorithm = Algorithm {
    name: c"toy".as_ptr(),
    flags: abi::THREAD_SAFE | abi::IN_PLACE,
    key_bytes: 16,
    nonce_bytes: 12,
    tag_bytes: 8,
    key_new: Some(key_new),
    key_free: Some(key_free),
    seal: Some(seal),
    open: Some(open),
    ..Algorithm::empty(abi::AEAD)
};
