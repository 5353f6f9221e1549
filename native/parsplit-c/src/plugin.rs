//! The shared library as a plugin: ParSplit as an AEAD behind `aeadlab.h`.
//!
//! A tag of `aeadlab.h` has a fixed length of at most 64 bytes, and ParSplit has one tag per block. A message is
//! therefore split into at most as many blocks as have room for their tags, which is four for tags of 16 bytes, and the
//! block size follows from the message length. docs/PARSPLIT-C.md explains the security and the alternatives.

use crate::builtin::AES_256_GCM;
use crate::load::{MAX_TAG_BYTES, Plugin, constant_str};
use crate::oneshot::{parsplit_set_block_size, parsplit_set_threads, settings};
use crate::status::{ensure, status};
use aeadlab_abi::{self as abi, ABI_VERSION, Algorithm, Library};
use aeadlab_export::{self as export, Aead, Failure, InOutBuf, Lengths, Outcome, aead};
use parsplit::{Error, Keyed, ParSplit, Result, Schedule};
use std::cell::Cell;
use std::env;
use std::ffi::{CStr, CString, c_char};
use std::mem::size_of;
use std::os::unix::ffi::OsStringExt;
use std::ptr;
use std::sync::OnceLock;

/// The environment variable that names the plugin whose AEADs are made parallel; by default the built-in one is.
const PLUGIN_VARIABLE: &str = "PARSPLIT_PLUGIN";
/// The length of a cache line in bytes. Blocks end at multiples of it, so that no two threads write to one line.
const CACHE_LINE: usize = 64;
/// Flags of the inner algorithm that also hold for the parallel one.
const INHERITED_FLAGS: u64 =
    abi::IN_PLACE | abi::OPEN_COMPUTES_TAG | abi::NO_ASSOCIATED_DATA | abi::BASELINE | abi::HISTORICAL;

/// Returns the largest number of blocks of a message: that whose tags fit into one tag of the ABI.
fn max_blocks(inner: &Algorithm) -> usize {
    MAX_TAG_BYTES as usize / (inner.tag_bytes as usize).max(1)
}

/// Returns the block size in bytes for a message of `bytes` bytes: equal parts of at least `min_block_size` bytes.
fn block_size(bytes: usize, max_blocks: usize, min_block_size: usize) -> usize {
    bytes.div_ceil(max_blocks).next_multiple_of(CACHE_LINE).max(min_block_size).max(1)
}

struct Context {
    inner: &'static Algorithm,
    keyed: Keyed,
}

impl Context {
    /// Sets the block size for a message of `bytes` bytes; returns the length of its tags in bytes.
    fn resize(&mut self, bytes: usize) -> Result<usize> {
        let (threads, min_block_size) = settings(self.inner);
        let block_size = block_size(bytes, max_blocks(self.inner), min_block_size);
        self.keyed.resize(block_size, threads)?;
        Ok(self.keyed.splitter().layout(bytes)?.tags_bytes())
    }
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Authentication => Failure::Authentication,
        Error::Argument(_) | Error::Length { .. } | Error::Overlap => Failure::BadArgument,
        _ => Failure::Internal,
    }
}

impl export::Keyed for Context {
    fn new(algorithm: &Algorithm, key: &[u8]) -> std::result::Result<Self, Failure> {
        // SAFETY: `describe` stores in `data` an algorithm that lives until the process ends.
        let inner: &'static Algorithm = unsafe { &*algorithm.data.cast() };
        let splitter = ParSplit::new(inner, CACHE_LINE, 1, Schedule::default()).map_err(failure)?;
        Ok(Self { inner, keyed: splitter.key(key).map_err(failure)? })
    }
}

impl Aead for Context {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let bytes = message.len();
        let (tags, padding) = tag.split_at_mut(self.resize(bytes).map_err(failure)?);
        let (input, output) = message.into_raw();
        // SAFETY: the memory of the message, and tags of the length that its layout has.
        unsafe { self.keyed.seal_raw(nonce, ad, input, bytes, output, tags.as_mut_ptr()) }.map_err(failure)?;
        padding.fill(0);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let bytes = message.len();
        let (tags, padding) = tag.split_at(self.resize(bytes).map_err(failure)?);
        // The padding is public, so that it can be checked before the tags. Padding other than zeros is a forgery.
        if padding.iter().fold(0, |all, byte| all | byte) != 0 {
            return Err(Failure::Authentication);
        }
        let (input, output) = message.into_raw();
        // SAFETY: as in `seal`.
        unsafe { self.keyed.open_raw(nonce, ad, input, bytes, output, tags.as_ptr()) }.map_err(failure)
    }
}

/// Returns the entry of the parallel algorithm, or None if it would not be parallel.
fn describe(inner: &'static Algorithm) -> Option<&'static Algorithm> {
    let max_blocks = max_blocks(inner);
    // One block is the inner algorithm itself, and an algorithm that is not thread-safe cannot be parallel.
    if max_blocks < 2 || !inner.has(abi::THREAD_SAFE) {
        return None;
    }
    // SAFETY: the name of a descriptor, which is never freed.
    let name = CString::new(format!("{}+parsplit", unsafe { constant_str(inner.name) })).ok()?;
    // SAFETY: a C string that is never freed.
    let name = unsafe { CStr::from_ptr(name.into_raw()) };
    let lengths = Lengths(inner.key_bytes, inner.nonce_bytes - 5, inner.tag_bytes * max_blocks as u32);
    let flags = (inner.flags & INHERITED_FLAGS) | abi::THREAD_SAFE | abi::PARALLEL | abi::RESEARCH;
    Some(Box::leak(Box::new(Algorithm {
        kernel: inner.kernel,
        max_ad_bytes: inner.max_ad_bytes,
        data: ptr::from_ref(inner).cast(),
        // Rounded down to a multiple of the cache line, because `block_size` rounds up to one.
        max_bytes: (inner.max_bytes / CACHE_LINE as u64 * CACHE_LINE as u64).saturating_mul(max_blocks as u64),
        ..aead::<Context>(name, lengths, flags)
    })))
}

/// Returns a C string that is never freed.
fn leak(string: &str) -> *const c_char {
    CString::new(string).unwrap_or_default().into_raw()
}

fn library() -> Result<Library> {
    let (inner, build) = match env::var_os(PLUGIN_VARIABLE) {
        None => (vec![&AES_256_GCM], "blocks sealed by RustCrypto's aes-gcm".to_owned()),
        Some(path) => {
            let path = CString::new(path.into_vec()).unwrap_or_default();
            // SAFETY: by setting the variable the user accepts that the file's code runs.
            let plugin = unsafe { Plugin::new(&path)? };
            (plugin.supported().collect(), format!("blocks sealed by {} {}", plugin.name, plugin.version))
        }
    };
    let algorithms: Vec<_> = inner.into_iter().filter_map(describe).map(ptr::from_ref).collect();
    ensure!(!algorithms.is_empty(), "the plugin in {PLUGIN_VARIABLE} has no AEAD that ParSplit can make parallel");
    let algorithms = Box::leak(algorithms.into_boxed_slice());
    Ok(Library {
        abi_version: ABI_VERSION,
        reserved: 0,
        struct_size: size_of::<Library>(),
        name: c"parsplit".as_ptr(),
        version: leak(env!("CARGO_PKG_VERSION")),
        build: leak(&build),
        algorithm_count: algorithms.len(),
        algorithms: algorithms.as_ptr(),
    })
}

#[unsafe(no_mangle)]
extern "C" fn aeadlab_library_v1() -> *const Library {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    thread_local! {
        /// Set while the descriptor is created. The variable may name this file, and `get_or_init` would then deadlock.
        static INITIALIZING: Cell<bool> = const { Cell::new(false) };
    }
    if INITIALIZING.replace(true) {
        return ptr::null();
    }
    let descriptor = LIBRARY.get_or_init(|| {
        let mut descriptor = None;
        status(|| {
            descriptor = Some(library()?);
            Ok(())
        });
        descriptor
    });
    INITIALIZING.set(false);
    descriptor.as_ref().map_or(ptr::null(), ptr::from_ref)
}

#[unsafe(no_mangle)]
extern "C" fn aeadlab_set_threads(threads: usize) -> i32 {
    parsplit_set_threads(threads)
}

/// Sets the smallest block size in bytes, which applies to short messages.
#[unsafe(no_mangle)]
extern "C" fn aeadlab_set_block_size(bytes: usize) -> i32 {
    parsplit_set_block_size(bytes)
}
