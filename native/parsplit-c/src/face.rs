//! The shared library as a plugin: ParSplit as an AEAD behind `aeadlab.h`.
//!
//! There a tag has a fixed length of at most 64 bytes, and ParSplit has a tag per block. So a message is cut into as
//! many blocks as have room for their tags, four of 16 bytes, and the block size follows from the message's length:
//! docs/PARSPLIT-C.md says why that is safe, and what was not done instead.

use crate::bare::{parsplit_set_block_size, parsplit_set_threads, settings};
use crate::builtin::AES_256_GCM;
use crate::call::{refused, status};
use crate::load::{Plugin, text};
use crate::memory::bytes;
use aeadlab_abi::{self as abi, ABI_VERSION, Algorithm, Library};
use parsplit::{Keyed, ParSplit, Result, Schedule};
use std::cell::Cell;
use std::env;
use std::ffi::{CString, c_char, c_void};
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
        if isize::try_from(bytes).is_err() {
            return refused(format!("a message of {bytes} bytes given, which no memory has"));
        }
        let (threads, least) = settings(self.inner);
        let block = block_size(bytes, parts(self.inner), least);
        self.keyed.resize(block, threads)?;
        Ok(ParSplit::new(self.inner, block, threads, Schedule::default())?.layout(bytes)?.tags())
    }
}

unsafe extern "C" fn key_new(
    algorithm: *const Algorithm,
    key: *const u8,
    key_bytes: usize,
    context: *mut *mut c_void,
) -> i32 {
    status(|| {
        // SAFETY: the host passes an entry of ours, whose `data` is an algorithm that lives as long as the process.
        let inner: &'static Algorithm = unsafe { &*(*algorithm).data.cast() };
        let splitter = ParSplit::new(inner, LINE, 1, Schedule::default())?;
        // SAFETY: the host's promise about the key.
        let keyed = splitter.key(unsafe { bytes(key, key_bytes, "key")? })?;
        // SAFETY: the host gives a place for the context.
        unsafe { context.write(Box::into_raw(Box::new(Context { inner, keyed })).cast()) };
        Ok(())
    })
}

unsafe extern "C" fn key_free(context: *mut c_void) {
    status(|| {
        // SAFETY: the context came from `key_new` and is passed once.
        drop(unsafe { Box::from_raw(context.cast::<Context>()) });
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
    length: usize,
    output: *mut u8,
    tag: *mut u8,
) -> i32 {
    status(|| {
        // SAFETY: the context came from `key_new` and one thread uses it at a time; the buffers are the host's promise.
        unsafe {
            let context = &mut *context.cast::<Context>();
            let (nonce, ad) = (bytes(nonce, nonce_bytes, "nonce")?, bytes(ad, ad_bytes, "associated data")?);
            let tags = context.cut(length)?;
            let rest = parts(context.inner) * context.inner.tag_bytes as usize - tags;
            context.keyed.seal_raw(nonce, ad, input, length, output, tag)?;
            tag.add(tags).write_bytes(0, rest);
        }
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
    length: usize,
    output: *mut u8,
    tag: *const u8,
) -> i32 {
    status(|| {
        // SAFETY: as in `seal`.
        unsafe {
            let context = &mut *context.cast::<Context>();
            let (nonce, ad) = (bytes(nonce, nonce_bytes, "nonce")?, bytes(ad, ad_bytes, "associated data")?);
            let tags = context.cut(length)?;
            let rest = parts(context.inner) * context.inner.tag_bytes as usize - tags;
            // What fills up the tag is public, so it may be looked at first; any other filling is a forgery.
            if bytes(tag.add(tags), rest, "tag")?.iter().fold(0, |all, byte| all | byte) != 0 {
                return Err(parsplit::Error::Authentication);
            }
            context.keyed.open_raw(nonce, ad, input, length, output, tag)
        }
    })
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
    Some(Box::leak(Box::new(Algorithm {
        name: name.into_raw(),
        kernel: inner.kernel,
        data: ptr::from_ref(inner).cast(),
        flags: (inner.flags & PASSED_ON) | abi::THREAD_SAFE | abi::PARALLEL | abi::RESEARCH,
        key_bytes: inner.key_bytes,
        nonce_bytes: inner.nonce_bytes - 5,
        tag_bytes: inner.tag_bytes * parts as u32,
        // Rounded down as much as `block_size` rounds up.
        max_bytes: (inner.max_bytes / LINE as u64 * LINE as u64).saturating_mul(parts as u64),
        key_new: Some(key_new),
        key_free: Some(key_free),
        seal: Some(seal),
        open: Some(open),
        ..Algorithm::empty(abi::AEAD)
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
