//! The interface of Engljähringer et al.: one call per message with key set-up, and settings of the process.

use crate::builtin::AES_256_GCM;
use crate::handle::{DEFAULT_BLOCK_SIZE, thread_count};
use crate::load::check_algorithm;
use crate::memory::{check_buffer, check_disjoint, input_slice};
use crate::status::{ensure, status};
use aeadlab_abi::{self as abi, Algorithm};
use parsplit::{Layout, MAX_THREADS, ParSplit, Result, Schedule};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

static ALGORITHM: AtomicPtr<Algorithm> = AtomicPtr::new((&raw const AES_256_GCM).cast_mut());
/// The thread count; 0 selects the default.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// The block size in bytes; 0 selects the default.
static BLOCK_SIZE: AtomicUsize = AtomicUsize::new(0);

/// Returns the process's thread count for this algorithm and its block size in bytes.
pub(crate) fn settings(algorithm: &Algorithm) -> (usize, usize) {
    let block_size = match BLOCK_SIZE.load(Ordering::Relaxed) {
        0 => DEFAULT_BLOCK_SIZE,
        bytes => bytes,
    };
    (thread_count(THREADS.load(Ordering::Relaxed), algorithm), block_size)
}

fn splitter() -> Result<(&'static Algorithm, ParSplit)> {
    // SAFETY: `parsplit_use` stores only checked descriptors, which live until the process ends.
    let algorithm = unsafe { &*ALGORITHM.load(Ordering::Acquire) };
    let (threads, block_size) = settings(algorithm);
    Ok((algorithm, ParSplit::new(algorithm, block_size, threads, Schedule::default())?))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_use(algorithm: *const Algorithm) -> i32 {
    status(|| {
        let algorithm = if algorithm.is_null() {
            &AES_256_GCM
        } else {
            // SAFETY: by the header a descriptor that follows aeadlab.h.
            unsafe { check_algorithm(algorithm)? }
        };
        ParSplit::new(algorithm, 1, 1, Schedule::default())?;
        ALGORITHM.store(ptr::from_ref(algorithm).cast_mut(), Ordering::Release);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn parsplit_set_threads(threads: usize) -> i32 {
    status(|| {
        ensure!(threads <= MAX_THREADS, "{threads} threads given, at most {MAX_THREADS} expected");
        THREADS.store(threads, Ordering::Relaxed);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn parsplit_set_block_size(bytes: usize) -> i32 {
    status(|| {
        ensure!(isize::try_from(bytes).is_ok(), "block size of {bytes} bytes given, which exceeds the address space");
        BLOCK_SIZE.store(bytes, Ordering::Relaxed);
        Ok(())
    })
}

/// Returns the value that reports an error for a message of `bytes` bytes. It differs from `bytes`, which reports success.
const fn failure(bytes: usize) -> usize {
    if bytes == usize::MAX { 0 } else { usize::MAX }
}

#[unsafe(no_mangle)]
extern "C" fn parsplit_mac_bytes(bytes: usize) -> usize {
    let mut mac_bytes = usize::MAX;
    status(|| {
        mac_bytes = splitter()?.1.layout(bytes)?.tags_bytes();
        Ok(())
    });
    mac_bytes
}

/// The checked arguments of one call.
struct Call<'a> {
    splitter: ParSplit,
    layout: Layout,
    key: &'a [u8],
    prefix: &'a [u8],
}

impl Call<'_> {
    /// # Safety
    /// `key` and `iv` are NULL or have the lengths of the algorithm in use.
    unsafe fn new(
        input: *const u8,
        output: *const u8,
        mac: *const u8,
        key: *const u8,
        iv: *const u8,
        length: usize,
    ) -> Result<Self> {
        let (algorithm, splitter) = splitter()?;
        let layout = splitter.layout(length)?;
        check_buffer(input, length, "message")?;
        check_buffer(output, length, "output")?;
        check_buffer(mac, layout.tags_bytes(), "mac")?;
        // SAFETY: the caller's promise.
        let (key, prefix) = unsafe {
            (input_slice(key, algorithm.key_bytes as usize, "key")?, input_slice(iv, splitter.nonce_bytes(), "iv")?)
        };
        for input in [key, prefix] {
            check_disjoint(input, output, length)?;
        }
        Ok(Self { splitter, layout, key, prefix })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_encrypt(
    input: *const u8,
    output: *mut u8,
    mac: *mut u8,
    key: *const u8,
    iv: *const u8,
    length: usize,
) -> usize {
    let outcome = status(|| {
        // SAFETY: by the header the buffers have these lengths; the engine checks their overlap.
        unsafe {
            let call = Call::new(input, output, mac, key, iv, length)?;
            for input in [call.key, call.prefix] {
                check_disjoint(input, mac, call.layout.tags_bytes())?;
            }
            call.splitter.key_once(call.key)?.seal_raw(call.prefix, &[], input, length, output, mac)
        }
    });
    if outcome == abi::OK { length } else { failure(length) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_decrypt(
    input: *const u8,
    output: *mut u8,
    mac: *const u8,
    key: *const u8,
    iv: *const u8,
    length: usize,
) -> usize {
    let outcome = status(|| {
        // SAFETY: as in `parsplit_encrypt`.
        unsafe {
            let call = Call::new(input, output, mac, key, iv, length)?;
            call.splitter.key_once(call.key)?.open_raw(call.prefix, &[], input, length, output, mac)
        }
    });
    if outcome == abi::OK { length } else { failure(length) }
}
