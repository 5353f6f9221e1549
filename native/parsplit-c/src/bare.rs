//! The paper's shape: everything but the buffers is the process's.

use crate::builtin::AES_256_GCM;
use crate::call::{refused, status};
use crate::handle::{BLOCK_SIZE, meant};
use crate::load::given;
use crate::memory::{apart, bytes, check};
use aeadlab_abi::Algorithm;
use parsplit::{Layout, MAX_THREADS, ParSplit, Result, Schedule};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

static ALGORITHM: AtomicPtr<Algorithm> = AtomicPtr::new((&raw const AES_256_GCM).cast_mut());
/// 0 is the library's own choice, here and in the next.
static THREADS: AtomicUsize = AtomicUsize::new(0);
static BLOCK: AtomicUsize = AtomicUsize::new(0);

/// What is set for the process now: threads for this algorithm, bytes per block.
pub(crate) fn settings(algorithm: &Algorithm) -> (usize, usize) {
    let block = match BLOCK.load(Ordering::Relaxed) {
        0 => BLOCK_SIZE,
        bytes => bytes,
    };
    (meant(THREADS.load(Ordering::Relaxed), algorithm), block)
}

fn splitter() -> Result<(&'static Algorithm, ParSplit)> {
    // SAFETY: only descriptors that `given` has checked are stored, and they are never freed.
    let algorithm = unsafe { &*ALGORITHM.load(Ordering::Acquire) };
    let (threads, block) = settings(algorithm);
    Ok((algorithm, ParSplit::new(algorithm, block, threads, Schedule::default())?))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_use(algorithm: *const Algorithm) -> i32 {
    status(|| {
        let algorithm = if algorithm.is_null() {
            &AES_256_GCM
        } else {
            // SAFETY: the header asks for a descriptor that follows aeadlab.h.
            unsafe { given(algorithm)? }
        };
        ParSplit::new(algorithm, 1, 1, Schedule::default())?;
        ALGORITHM.store(ptr::from_ref(algorithm).cast_mut(), Ordering::Release);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn parsplit_set_threads(threads: usize) -> i32 {
    status(|| {
        if threads > MAX_THREADS {
            return refused(format!("{threads} threads given, at most {MAX_THREADS} wanted"));
        }
        THREADS.store(threads, Ordering::Relaxed);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn parsplit_set_block_size(bytes: usize) -> i32 {
    status(|| {
        if isize::try_from(bytes).is_err() {
            return refused(format!("blocks of {bytes} bytes given, which no memory has"));
        }
        BLOCK.store(bytes, Ordering::Relaxed);
        Ok(())
    })
}

/// What is not `bytes`, since that would be success.
const fn failure(bytes: usize) -> usize {
    if bytes == usize::MAX { 0 } else { usize::MAX }
}

#[unsafe(no_mangle)]
extern "C" fn parsplit_mac_bytes(bytes: usize) -> usize {
    let mut mac = usize::MAX;
    status(|| {
        mac = splitter()?.1.layout(bytes)?.tags();
        Ok(())
    });
    mac
}

/// What both directions need: key and nonce prefix as slices, and where the blocks lie.
struct Call<'a> {
    splitter: ParSplit,
    layout: Layout,
    key: &'a [u8],
    prefix: &'a [u8],
}

impl Call<'_> {
    /// # Safety
    /// `key` and `iv` are null or have the lengths of the algorithm in use.
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
        check(input, length, "message")?;
        check(output, length, "output")?;
        check(mac, layout.tags(), "mac")?;
        // SAFETY: the caller's promise.
        let (key, prefix) =
            unsafe { (bytes(key, algorithm.key_bytes as usize, "key")?, bytes(iv, splitter.nonce_bytes(), "iv")?) };
        for read in [key, prefix] {
            apart(read, output, length)?;
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
    let done = status(|| {
        // SAFETY: buffers of these lengths by the header; the engine checks how they lie to each other.
        unsafe {
            let call = Call::new(input, output, mac, key, iv, length)?;
            for read in [call.key, call.prefix] {
                apart(read, mac, call.layout.tags())?;
            }
            call.splitter.key(call.key)?.seal_raw(call.prefix, &[], input, length, output, mac)
        }
    });
    if done == 0 { length } else { failure(length) }
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
    let done = status(|| {
        // SAFETY: as in `parsplit_encrypt`.
        unsafe {
            let call = Call::new(input, output, mac, key, iv, length)?;
            call.splitter.key(call.key)?.open_raw(call.prefix, &[], input, length, output, mac)
        }
    });
    if done == 0 { length } else { failure(length) }
}
