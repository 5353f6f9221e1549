//! The shared library as a plugin: ParSplit as an AEAD behind `aeadlab.h`.
//!
//! There a tag has a fixed length of at most 64 bytes, and ParSplit has a tag per block. So a message is cut into as
//! many blocks as have room for their tags, four of 16 bytes, and the block size follows from the message's length:
//! docs/PARSPLIT-C.md says why that is safe, and what was not done instead.

use crate::bare::{parsplit_set_block_size, parsplit_set_threads, settings};
use crate::builtin::AES_256_GCM;
use crate::call::{refused, status};
use crate::load::{Plugin, text};
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

/// The shared library whose AEADs are made parallel; without it the one that is compiled in is.
const PLUGIN: &str = "PARSPLIT_PLUGIN";
/// The longest tag of the ABI.
const MOST_TAG: usize = 64;
/// Blocks end at multiples of it, so that no two threads share a cache line.
const LINE: usize = 64;
/// Flags of the inner algorithm that hold for the whole.
const PASSED_ON: u64 =
    abi::IN_PLACE | abi::OPEN_COMPUTES_TAG | abi::NO_ASSOCIATED_DATA | abi::BASELINE | abi::HISTORICAL;

/// Blocks that a message is cut into at most: as many as have room for their tags.
fn parts(inner: &Algorithm) -> usize {
    MOST_TAG / (inner.tag_bytes as usize).max(1)
}

/// Bytes per block of a message: in equal parts, but none shorter than `least`.
fn block_size(bytes: usize, parts: usize, least: usize) -> usize {
    bytes.div_ceil(parts).next_multiple_of(LINE).max(least).max(1)
}

struct Context {
    inner: &'static Algorithm,
    keyed: Keyed,
}

impl Context {
    /// Sets the engine to this message and says how many bytes its tags have.
    fn cut(&mut self, bytes: usize) -> Result<usize> {
        let (threads, least) = settings(self.inner);
        let block = block_size(bytes, parts(self.inner), least);
        self.keyed.resize(block, threads)?;
        Ok(ParSplit::new(self.inner, block, threads, Schedule::default())?.layout(bytes)?.tags())
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
        // SAFETY: the `data` of our entries is an algorithm that lives as long as the process.
        let inner: &'static Algorithm = unsafe { &*algorithm.data.cast() };
        let splitter = ParSplit::new(inner, LINE, 1, Schedule::default()).map_err(failure)?;
        Ok(Self { inner, keyed: splitter.key(key).map_err(failure)? })
    }
}

impl Aead for Context {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let bytes = message.len();
        let (tags, rest) = tag.split_at_mut(self.cut(bytes).map_err(failure)?);
        let (input, output) = message.into_raw();
        // SAFETY: the message's memory, and tags of the length that the engine said.
        unsafe { self.keyed.seal_raw(nonce, ad, input, bytes, output, tags.as_mut_ptr()) }.map_err(failure)?;
        rest.fill(0);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let bytes = message.len();
        let (tags, rest) = tag.split_at(self.cut(bytes).map_err(failure)?);
        // What fills up the tag is public, so it may be looked at first; any other filling is a forgery.
        if rest.iter().fold(0, |all, byte| all | byte) != 0 {
            return Err(Failure::Authentication);
        }
        let (input, output) = message.into_raw();
        // SAFETY: as in `seal`.
        unsafe { self.keyed.open_raw(nonce, ad, input, bytes, output, tags.as_ptr()) }.map_err(failure)
    }
}

/// An algorithm made parallel, or None where nothing is gained.
fn describe(inner: &'static Algorithm) -> Option<&'static Algorithm> {
    let parts = parts(inner);
    // One block is the inner algorithm itself; and what is not thread-safe has no use for more.
    if parts < 2 || !inner.has(abi::THREAD_SAFE) {
        return None;
    }
    // SAFETY: the name of a descriptor, which is never freed.
    let name = CString::new(format!("{}+parsplit", unsafe { text(inner.name) })).ok()?;
    // SAFETY: `into_raw` ends with a zero, and is never freed.
    let name = unsafe { CStr::from_ptr(name.into_raw()) };
    let lengths = Lengths(inner.key_bytes, inner.nonce_bytes - 5, inner.tag_bytes * parts as u32);
    let flags = (inner.flags & PASSED_ON) | abi::THREAD_SAFE | abi::PARALLEL | abi::RESEARCH;
    Some(Box::leak(Box::new(Algorithm {
        kernel: inner.kernel,
        data: ptr::from_ref(inner).cast(),
        // Rounded down as much as `block_size` rounds up.
        max_bytes: (inner.max_bytes / LINE as u64 * LINE as u64).saturating_mul(parts as u64),
        ..aead::<Context>(name, lengths, flags)
    })))
}

/// A text that is never freed.
fn leaked(words: &str) -> *const c_char {
    CString::new(words).unwrap_or_default().into_raw()
}

fn library() -> Result<Library> {
    let (inner, build) = match env::var_os(PLUGIN) {
        None => (vec![&AES_256_GCM], "blocks sealed by RustCrypto's aes-gcm".to_owned()),
        Some(path) => {
            let path = CString::new(path.into_vec()).unwrap_or_default();
            // SAFETY: whoever sets the variable accepts that the file's code runs.
            let plugin = unsafe { Plugin::new(&path)? };
            (plugin.usable().collect(), format!("blocks sealed by {} {}", plugin.name, plugin.version))
        }
    };
    let algorithms: Vec<_> = inner.into_iter().filter_map(describe).map(ptr::from_ref).collect();
    if algorithms.is_empty() {
        return refused(format!("the plugin in {PLUGIN} has no AEAD that ParSplit makes parallel"));
    }
    let algorithms = Box::leak(algorithms.into_boxed_slice());
    Ok(Library {
        abi_version: ABI_VERSION,
        reserved: 0,
        struct_size: size_of::<Library>(),
        name: c"parsplit".as_ptr(),
        version: leaked(env!("CARGO_PKG_VERSION")),
        build: leaked(&build),
        algorithm_count: algorithms.len(),
        algorithms: algorithms.as_ptr(),
    })
}

#[unsafe(no_mangle)]
extern "C" fn aeadlab_library_v1() -> *const Library {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    thread_local! {
        /// The variable may name this very file, which would then wait for itself.
        static MAKING: Cell<bool> = const { Cell::new(false) };
    }
    if MAKING.replace(true) {
        return ptr::null();
    }
    let made = LIBRARY.get_or_init(|| {
        let mut made = None;
        status(|| {
            made = Some(library()?);
            Ok(())
        });
        made
    });
    MAKING.set(false);
    made.as_ref().map_or(ptr::null(), ptr::from_ref)
}

#[unsafe(no_mangle)]
extern "C" fn aeadlab_set_threads(threads: usize) -> i32 {
    parsplit_set_threads(threads)
}

/// The least bytes per block, which short messages are cut into.
#[unsafe(no_mangle)]
extern "C" fn aeadlab_set_block_size(bytes: usize) -> i32 {
    parsplit_set_block_size(bytes)
}
