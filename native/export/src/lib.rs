//! From a safe Rust implementation to the functions of `aeadlab.h`.
//!
//! A library implements [`Keyed`] and the trait of its kind for a context type; [`aead`], [`cipher`] and [`digest`] make
//! the descriptor's entry. No panic crosses: it becomes `INTERNAL`.

mod wiped;

pub use inout::InOutBuf;
pub use wiped::Wiped;

use aeadlab_abi::{self as abi, Algorithm};
use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

/// Why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The tag is not that of the message.
    Authentication,
    /// A key, nonce or length that the algorithm does not take.
    BadArgument,
    /// Anything else.
    Internal,
}

/// What a call comes to.
pub type Outcome = Result<(), Failure>;

impl Failure {
    const fn status(self) -> i32 {
        match self {
            Self::Authentication => abi::AUTH_FAILED,
            Self::BadArgument => abi::BAD_ARGUMENT,
            Self::Internal => abi::INTERNAL,
        }
    }
}

/// A context. Dropping it wipes the key.
pub trait Keyed: Sized + Send {
    /// A context of a key, which has the length in the descriptor.
    ///
    /// # Errors
    /// A [`Failure`] where the key is refused; so in every function here.
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure>;
}

/// The functions of an AEAD. Messages are in place or apart, tags of the length in the descriptor, and nonces of any.
#[allow(clippy::missing_errors_doc)]
pub trait Aead: Keyed {
    /// Encrypts a message and makes its tag.
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome;
    /// Decrypts a message whose tag is right. The host wipes what else was written.
    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome;
}

/// The functions of a cipher.
#[allow(clippy::missing_errors_doc)]
pub trait Cipher: Keyed {
    /// Encrypts a message.
    fn encrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome;
    /// Decrypts a message.
    fn decrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome;
}

/// The function of a hash or MAC.
#[allow(clippy::missing_errors_doc)]
pub trait Digest: Keyed {
    /// Fills `tag` with the digest of a message.
    fn digest(&mut self, nonce: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome;
}

/// The function of a generator.
#[allow(clippy::missing_errors_doc)]
pub trait Generator: Keyed {
    /// Fills `output` with what follows the output of the last call.
    fn generate(&mut self, output: &mut [u8]) -> Outcome;
}

/// Lengths in bytes: key, nonce, tag.
#[derive(Clone, Copy)]
pub struct Lengths(#[doc = "key"] pub u32, #[doc = "nonce"] pub u32, #[doc = "tag"] pub u32);

const fn entry<T: Keyed>(kind: u32, name: &'static CStr, Lengths(key, nonce, tag): Lengths, flags: u64) -> Algorithm {
    Algorithm {
        name: name.as_ptr(),
        flags,
        key_bytes: key,
        nonce_bytes: nonce,
        tag_bytes: tag,
        key_new: Some(key_new::<T>),
        key_free: Some(key_free::<T>),
        ..Algorithm::empty(kind)
    }
}

/// An AEAD's entry.
pub const fn aead<T: Aead>(name: &'static CStr, lengths: Lengths, flags: u64) -> Algorithm {
    Algorithm { seal: Some(seal::<T>), open: Some(open::<T>), ..entry::<T>(abi::AEAD, name, lengths, flags) }
}

/// A cipher's entry.
pub const fn cipher<T: Cipher>(name: &'static CStr, lengths: Lengths, flags: u64) -> Algorithm {
    Algorithm {
        encrypt: Some(encrypt::<T>),
        decrypt: Some(decrypt::<T>),
        ..entry::<T>(abi::CIPHER, name, lengths, flags)
    }
}

/// A hash's or MAC's entry; without a key it is a hash.
pub const fn digest<T: Digest>(name: &'static CStr, lengths: Lengths, flags: u64) -> Algorithm {
    let kind = if lengths.0 == 0 { abi::HASH } else { abi::MAC };
    Algorithm { digest: Some(digest_call::<T>), ..entry::<T>(kind, name, lengths, flags) }
}

/// A generator's entry; `key_bytes` is the length of its seed.
pub const fn generator<T: Generator>(name: &'static CStr, key_bytes: u32, flags: u64) -> Algorithm {
    Algorithm { generate: Some(generate::<T>), ..entry::<T>(abi::GENERATOR, name, Lengths(key_bytes, 0, 0), flags) }
}

/// The status of a call; a panic is `INTERNAL`.
pub fn guarded(call: impl FnOnce() -> Outcome) -> i32 {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => abi::OK,
        Ok(Err(failure)) => failure.status(),
        Err(_) => abi::INTERNAL,
    }
}

/// # Safety
/// `pointer` is valid for `bytes`, or `bytes` is 0.
unsafe fn bytes<'a>(pointer: *const u8, bytes: usize) -> &'a [u8] {
    if bytes == 0 {
        return &[];
    }
    // SAFETY: the caller's promise, and not empty.
    unsafe { slice::from_raw_parts(pointer, bytes) }
}

/// # Safety
/// As [`bytes`], and nothing else refers to the memory.
unsafe fn bytes_mut<'a>(pointer: *mut u8, bytes: usize) -> &'a mut [u8] {
    if bytes == 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise, and not empty.
    unsafe { slice::from_raw_parts_mut(pointer, bytes) }
}

/// # Safety
/// Both are valid for `bytes` and equal or apart, or `bytes` is 0.
unsafe fn message<'a>(input: *const u8, bytes: usize, output: *mut u8) -> InOutBuf<'a, 'a, u8> {
    if bytes == 0 {
        return InOutBuf::from(&mut [][..]);
    }
    // SAFETY: the caller's promise, and not empty.
    unsafe { InOutBuf::from_raw(input, output, bytes) }
}

/// What a context pointer points to: the implementation, and the tag length of the row that it was made for.
struct Slot<T> {
    tag_bytes: usize,
    keyed: T,
}

unsafe extern "C" fn key_new<T: Keyed>(
    algorithm: *const Algorithm,
    key: *const u8,
    key_bytes: usize,
    context: *mut *mut c_void,
) -> i32 {
    guarded(|| {
        // SAFETY: the host passes the descriptor's own entry.
        let algorithm = unsafe { &*algorithm };
        if key_bytes != algorithm.key_bytes as usize {
            return Err(Failure::BadArgument);
        }
        // SAFETY: the host's promise in the header.
        let keyed = T::new(algorithm, unsafe { bytes(key, key_bytes) })?;
        let slot = Box::new(Slot { tag_bytes: algorithm.tag_bytes as usize, keyed });
        // SAFETY: the host passes a place for the result.
        unsafe { context.write(Box::into_raw(slot).cast()) };
        Ok(())
    })
}

unsafe extern "C" fn key_free<T: Keyed>(context: *mut c_void) {
    guarded(|| {
        // SAFETY: the pointer came from `key_new::<T>` and is passed once.
        drop(unsafe { Box::from_raw(context.cast::<Slot<T>>()) });
        Ok(())
    });
}

unsafe extern "C" fn seal<T: Aead>(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    length: usize,
    output: *mut u8,
    tag: *mut u8,
) -> i32 {
    guarded(|| {
        // SAFETY: the context came from `key_new::<T>` and one thread uses it at a time.
        let slot = unsafe { &mut *context.cast::<Slot<T>>() };
        // SAFETY: the host's promises in the header.
        let (nonce, ad, message, tag) = unsafe {
            (
                bytes(nonce, nonce_bytes),
                bytes(ad, ad_bytes),
                message(input, length, output),
                bytes_mut(tag, slot.tag_bytes),
            )
        };
        slot.keyed.seal(nonce, ad, message, tag)
    })
}

unsafe extern "C" fn open<T: Aead>(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    length: usize,
    output: *mut u8,
    tag: *const u8,
) -> i32 {
    guarded(|| {
        // SAFETY: as in `seal`.
        let slot = unsafe { &mut *context.cast::<Slot<T>>() };
        // SAFETY: as in `seal`.
        let (nonce, ad, message, tag) = unsafe {
            (bytes(nonce, nonce_bytes), bytes(ad, ad_bytes), message(input, length, output), bytes(tag, slot.tag_bytes))
        };
        slot.keyed.open(nonce, ad, message, tag)
    })
}

unsafe extern "C" fn encrypt<T: Cipher>(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    input: *const u8,
    length: usize,
    output: *mut u8,
) -> i32 {
    guarded(|| {
        // SAFETY: as in `seal`.
        let slot = unsafe { &mut *context.cast::<Slot<T>>() };
        // SAFETY: as in `seal`.
        let (nonce, message) = unsafe { (bytes(nonce, nonce_bytes), message(input, length, output)) };
        slot.keyed.encrypt(nonce, message)
    })
}

unsafe extern "C" fn decrypt<T: Cipher>(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    input: *const u8,
    length: usize,
    output: *mut u8,
) -> i32 {
    guarded(|| {
        // SAFETY: as in `seal`.
        let slot = unsafe { &mut *context.cast::<Slot<T>>() };
        // SAFETY: as in `seal`.
        let (nonce, message) = unsafe { (bytes(nonce, nonce_bytes), message(input, length, output)) };
        slot.keyed.decrypt(nonce, message)
    })
}

unsafe extern "C" fn digest_call<T: Digest>(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    input: *const u8,
    length: usize,
    tag: *mut u8,
) -> i32 {
    guarded(|| {
        // SAFETY: as in `seal`.
        let slot = unsafe { &mut *context.cast::<Slot<T>>() };
        // SAFETY: as in `seal`.
        let (nonce, input, tag) =
            unsafe { (bytes(nonce, nonce_bytes), bytes(input, length), bytes_mut(tag, slot.tag_bytes)) };
        slot.keyed.digest(nonce, input, tag)
    })
}

unsafe extern "C" fn generate<T: Generator>(context: *mut c_void, output: *mut u8, length: usize) -> i32 {
    guarded(|| {
        // SAFETY: as in `seal`.
        let slot = unsafe { &mut *context.cast::<Slot<T>>() };
        // SAFETY: as in `seal`.
        slot.keyed.generate(unsafe { bytes_mut(output, length) })
    })
}
