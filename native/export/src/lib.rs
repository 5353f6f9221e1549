//! Exports safe Rust implementations through the functions of `aeadlab.h`.
//!
//! A library implements [`Keyed`] and the trait of its kind for a context type. [`aead`], [`cipher`], [`digest`] and
//! [`generator`] create the entry of its descriptor. A panic of an implementation becomes the status `INTERNAL`.

mod wiped;

pub use inout::InOutBuf;
pub use wiped::Wiped;

use aeadlab_abi::{self as abi, Algorithm, Blocks};
use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

/// The reason why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The tag does not match.
    Authentication,
    /// The algorithm does not support this key, nonce or length.
    BadArgument,
    /// Any other error.
    Internal,
}

/// The result of a call.
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

/// A context with a key, which it wipes when dropped.
pub trait Keyed: Sized + Send {
    /// Sets up a key of the length in `algorithm`.
    ///
    /// # Errors
    /// The [`Failure`] that becomes the status of the call. This holds for all functions of these traits.
    fn new(algorithm: &Algorithm, key: &[u8]) -> Result<Self, Failure>;
}

/// A context without a key is the default of its type.
impl<T: Default + Send> Keyed for T {
    fn new(_: &Algorithm, _: &[u8]) -> Result<Self, Failure> {
        Ok(Self::default())
    }
}

/// The functions of an AEAD. Input and output of a message are equal or disjoint, tags have the length in the
/// descriptor, and nonces may have any length.
pub trait Aead: Keyed {
    /// Encrypts a message and writes its tag.
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome;
    /// Decrypts a message if its tag matches. The host wipes the output after an error.
    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome;
}

/// An AEAD that processes a run of blocks in one call.
pub trait AeadMany: Aead {
    /// Encrypts a run of blocks and writes their tags.
    ///
    /// # Safety
    /// The pointers of `blocks` follow the header.
    unsafe fn seal_many(&mut self, blocks: &Blocks) -> Outcome;
    /// Decrypts a run of blocks if all tags match. The host wipes all outputs after an error.
    ///
    /// # Safety
    /// As [`AeadMany::seal_many`].
    unsafe fn open_many(&mut self, blocks: &Blocks) -> Outcome;
}

/// The functions of a cipher.
pub trait Cipher: Keyed {
    /// Encrypts a message.
    fn encrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome;
    /// Decrypts a message. By default this encrypts again, as for a cipher that adds a keystream.
    fn decrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        self.encrypt(nonce, message)
    }
}

/// The function of a hash or MAC.
pub trait Digest: Keyed {
    /// Writes the digest of a message to `tag`.
    fn digest(&mut self, nonce: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome;
}

/// The function of a generator.
pub trait Generator: Keyed {
    /// Fills `output` with the bytes that follow the output of the previous call.
    fn generate(&mut self, output: &mut [u8]) -> Outcome;
}

/// Lengths of key, nonce and tag, in bytes.
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

/// Returns the entry of an AEAD.
pub const fn aead<T: Aead>(name: &'static CStr, lengths: Lengths, flags: u64) -> Algorithm {
    Algorithm { seal: Some(seal::<T>), open: Some(open::<T>), ..entry::<T>(abi::AEAD, name, lengths, flags) }
}

/// Returns the entry of an AEAD that processes a run of blocks in one call.
pub const fn aead_many<T: AeadMany>(name: &'static CStr, lengths: Lengths, flags: u64) -> Algorithm {
    Algorithm {
        seal_many: Some(seal_many::<T>),
        open_many: Some(open_many::<T>),
        ..aead::<T>(name, lengths, flags | abi::MANY)
    }
}

/// Returns the entry of a cipher.
pub const fn cipher<T: Cipher>(name: &'static CStr, lengths: Lengths, flags: u64) -> Algorithm {
    Algorithm {
        encrypt: Some(encrypt::<T>),
        decrypt: Some(decrypt::<T>),
        ..entry::<T>(abi::CIPHER, name, lengths, flags)
    }
}

/// Returns the entry of a MAC, or of a hash if its key has 0 bytes.
pub const fn digest<T: Digest>(name: &'static CStr, lengths: Lengths, flags: u64) -> Algorithm {
    let kind = if lengths.0 == 0 { abi::HASH } else { abi::MAC };
    Algorithm { digest: Some(digest_call::<T>), ..entry::<T>(kind, name, lengths, flags) }
}

/// Returns the entry of a generator with a seed of `key_bytes` bytes.
pub const fn generator<T: Generator>(name: &'static CStr, key_bytes: u32, flags: u64) -> Algorithm {
    Algorithm { generate: Some(generate::<T>), ..entry::<T>(abi::GENERATOR, name, Lengths(key_bytes, 0, 0), flags) }
}

/// Calls `call` and returns its status, which is `INTERNAL` after a panic.
pub fn catch_panics(call: impl FnOnce() -> Outcome) -> i32 {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => abi::OK,
        Ok(Err(failure)) => failure.status(),
        Err(_) => abi::INTERNAL,
    }
}

/// # Safety
/// `pointer` is valid for `length` bytes, or `length` is 0.
unsafe fn bytes<'a>(pointer: *const u8, length: usize) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise, and the length is not 0.
    unsafe { slice::from_raw_parts(pointer, length) }
}

/// # Safety
/// As [`bytes`], and no other reference to the memory exists.
unsafe fn bytes_mut<'a>(pointer: *mut u8, length: usize) -> &'a mut [u8] {
    if length == 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise, and the length is not 0.
    unsafe { slice::from_raw_parts_mut(pointer, length) }
}

/// # Safety
/// Both pointers are valid for `length` bytes and equal or disjoint, or `length` is 0.
unsafe fn message<'a>(input: *const u8, length: usize, output: *mut u8) -> InOutBuf<'a, 'a, u8> {
    if length == 0 {
        return InOutBuf::from(&mut [][..]);
    }
    // SAFETY: the caller's promise, and the length is not 0.
    unsafe { InOutBuf::from_raw(input, output, length) }
}

/// The object that a context pointer refers to: the implementation, and the tag length of its algorithm.
struct State<T> {
    tag_bytes: usize,
    keyed: T,
}

unsafe extern "C" fn key_new<T: Keyed>(
    algorithm: *const Algorithm,
    key: *const u8,
    key_bytes: usize,
    context: *mut *mut c_void,
) -> i32 {
    catch_panics(|| {
        // SAFETY: by the header the host passes an entry of the descriptor.
        let algorithm = unsafe { &*algorithm };
        if key_bytes != algorithm.key_bytes as usize {
            return Err(Failure::BadArgument);
        }
        // SAFETY: by the header the key has this length.
        let keyed = T::new(algorithm, unsafe { bytes(key, key_bytes) })?;
        let state = Box::new(State { tag_bytes: algorithm.tag_bytes as usize, keyed });
        // SAFETY: by the header the host passes memory for the result.
        unsafe { context.write(Box::into_raw(state).cast()) };
        Ok(())
    })
}

unsafe extern "C" fn key_free<T: Keyed>(context: *mut c_void) {
    catch_panics(|| {
        // SAFETY: `key_new::<T>` returned the pointer, and the host passes it once.
        drop(unsafe { Box::from_raw(context.cast::<State<T>>()) });
        Ok(())
    });
}

/// Calls `call` with the implementation and its tag length.
///
/// # Safety
/// `key_new::<T>` returned the context, and one thread uses it at a time.
unsafe fn with_context<T>(context: *mut c_void, call: impl FnOnce(&mut T, usize) -> Outcome) -> i32 {
    catch_panics(|| {
        // SAFETY: the caller's promise.
        let state = unsafe { &mut *context.cast::<State<T>>() };
        call(&mut state.keyed, state.tag_bytes)
    })
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
    // SAFETY: by the header one thread uses the context, which `key_new::<T>` returned; the buffers have these lengths,
    // and input and output are equal or disjoint.
    unsafe {
        with_context(context, |keyed: &mut T, tag_bytes| {
            let (nonce, ad, tag) = (bytes(nonce, nonce_bytes), bytes(ad, ad_bytes), bytes_mut(tag, tag_bytes));
            keyed.seal(nonce, ad, message(input, length, output), tag)
        })
    }
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
    // SAFETY: as in `seal`.
    unsafe {
        with_context(context, |keyed: &mut T, tag_bytes| {
            let (nonce, ad, tag) = (bytes(nonce, nonce_bytes), bytes(ad, ad_bytes), bytes(tag, tag_bytes));
            keyed.open(nonce, ad, message(input, length, output), tag)
        })
    }
}

unsafe extern "C" fn seal_many<T: AeadMany>(context: *mut c_void, blocks: *const Blocks) -> i32 {
    // SAFETY: as in `seal`; the description of the blocks is valid during the call.
    unsafe { with_context(context, |keyed: &mut T, _| keyed.seal_many(&*blocks)) }
}

unsafe extern "C" fn open_many<T: AeadMany>(context: *mut c_void, blocks: *const Blocks) -> i32 {
    // SAFETY: as in `seal_many`.
    unsafe { with_context(context, |keyed: &mut T, _| keyed.open_many(&*blocks)) }
}

unsafe extern "C" fn encrypt<T: Cipher>(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    input: *const u8,
    length: usize,
    output: *mut u8,
) -> i32 {
    // SAFETY: as in `seal`.
    unsafe {
        with_context(context, |keyed: &mut T, _| {
            keyed.encrypt(bytes(nonce, nonce_bytes), message(input, length, output))
        })
    }
}

unsafe extern "C" fn decrypt<T: Cipher>(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    input: *const u8,
    length: usize,
    output: *mut u8,
) -> i32 {
    // SAFETY: as in `seal`.
    unsafe {
        with_context(context, |keyed: &mut T, _| {
            keyed.decrypt(bytes(nonce, nonce_bytes), message(input, length, output))
        })
    }
}

unsafe extern "C" fn digest_call<T: Digest>(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    input: *const u8,
    length: usize,
    tag: *mut u8,
) -> i32 {
    // SAFETY: as in `seal`.
    unsafe {
        with_context(context, |keyed: &mut T, tag_bytes| {
            keyed.digest(bytes(nonce, nonce_bytes), bytes(input, length), bytes_mut(tag, tag_bytes))
        })
    }
}

unsafe extern "C" fn generate<T: Generator>(context: *mut c_void, output: *mut u8, length: usize) -> i32 {
    // SAFETY: as in `seal`.
    unsafe { with_context(context, |keyed: &mut T, _| keyed.generate(bytes_mut(output, length))) }
}
