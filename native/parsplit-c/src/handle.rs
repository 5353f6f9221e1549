//! Handles: an engine with its key, used by one thread at a time.

use crate::call::{refused, status};
use crate::load::given;
use crate::memory::{apart, bytes, check, give};
use aeadlab_abi::{self as abi, Algorithm};
use parsplit::{Error, Keyed, Layout, MAX_THREADS, ParSplit, Result, SERIAL_BELOW, Schedule, cores};
use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char};
use std::mem::size_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) const BLOCK_SIZE: usize = 64 << 10;

/// `parsplit_options`
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Options {
    struct_size: usize,
    block_size: usize,
    threads: usize,
    serial_below: usize,
    schedule: *const c_char,
}

const DEFAULTS: Options = Options {
    struct_size: size_of::<Options>(),
    block_size: BLOCK_SIZE,
    threads: 0,
    serial_below: SERIAL_BELOW,
    schedule: std::ptr::null(),
};

/// `parsplit`
pub(crate) struct Handle {
    busy: AtomicBool,
    stop: Arc<AtomicBool>,
    inner: UnsafeCell<Inner>,
}

struct Inner {
    algorithm: &'static Algorithm,
    block_size: usize,
    threads: usize,
    schedule: Schedule,
    keyed: Keyed,
}

impl Inner {
    fn splitter(&self) -> Result<ParSplit> {
        ParSplit::new(self.algorithm, self.block_size, self.threads, self.schedule)
    }

    fn layout(&self, bytes: usize) -> Result<Layout> {
        self.splitter()?.layout(bytes)
    }

    fn resize(&mut self, block_size: usize, threads: usize) -> Result<()> {
        self.keyed.resize(block_size, threads)?;
        (self.block_size, self.threads) = (block_size, threads);
        Ok(())
    }
}

/// The thread count that was meant: 0 is as many as this process may use.
pub(crate) fn meant(threads: usize, algorithm: &Algorithm) -> usize {
    match threads {
        0 if !algorithm.has(abi::THREAD_SAFE) => 1,
        0 => cores().min(MAX_THREADS),
        threads => threads,
    }
}

impl Handle {
    /// Calls `with` as the only user.
    ///
    /// # Safety
    /// `handle` is null or came from `parsplit_new` and is not freed before the call returns.
    unsafe fn alone(handle: *const Self, with: impl FnOnce(&mut Inner) -> Result<()>) -> Result<()> {
        /// Ends the use however the call ends.
        struct Used<'a>(&'a AtomicBool);
        impl Drop for Used<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Release);
            }
        }

        // SAFETY: the caller's promise; null gives None.
        let Some(handle) = (unsafe { handle.as_ref() }) else {
            return refused("no handle given: it is NULL");
        };
        if handle.busy.swap(true, Ordering::Acquire) {
            return refused("the handle is in use by another thread: give each thread a handle of its own");
        }
        let _used = Used(&handle.busy);
        // SAFETY: whoever sets `busy` is the only user until it is cleared.
        with(unsafe { &mut *handle.inner.get() })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_new(
    algorithm: *const Algorithm,
    key: *const u8,
    key_bytes: usize,
    options: *const Options,
    handle: *mut *mut Handle,
) -> i32 {
    status(|| {
        // SAFETY: the header asks for a descriptor that follows aeadlab.h.
        let algorithm = unsafe { given(algorithm)? };
        // SAFETY: null gives None, and by the header it begins with its size.
        let options = match unsafe { options.cast::<usize>().as_ref() } {
            None => DEFAULTS,
            // SAFETY: it has the size of our own header's.
            Some(&size) if size == size_of::<Options>() => unsafe { *options },
            Some(size) => {
                return refused(format!(
                    "options of {size} bytes given, {} wanted: start from PARSPLIT_DEFAULTS",
                    size_of::<Options>()
                ));
            }
        };
        let schedule = if options.schedule.is_null() {
            Schedule::default()
        } else {
            // SAFETY: a C string by the header.
            unsafe { CStr::from_ptr(options.schedule) }.to_string_lossy().parse()?
        };
        let threads = meant(options.threads, algorithm);
        let splitter =
            ParSplit::new(algorithm, options.block_size, threads, schedule)?.serial_below(options.serial_below);
        // SAFETY: the header asks for a key of that length.
        let mut keyed = splitter.key(unsafe { bytes(key, key_bytes, "key")? })?;
        let stop = Arc::new(AtomicBool::new(false));
        keyed.cancelled_by(Some(stop.clone()));
        let inner = UnsafeCell::new(Inner { algorithm, block_size: options.block_size, threads, schedule, keyed });
        if handle.is_null() {
            return refused("no place given for the handle: it is NULL");
        }
        let made = Box::into_raw(Box::new(Handle { busy: AtomicBool::new(false), stop, inner }));
        // SAFETY: not null, and a place for it by the header.
        unsafe { give(handle, made) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_free(handle: *mut Handle) {
    status(|| {
        if !handle.is_null() {
            // SAFETY: it came from `parsplit_new`, and by the header nobody uses it now or later.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_threads(handle: *mut Handle, threads: usize) -> i32 {
    // SAFETY: a handle by the header.
    status(|| unsafe { Handle::alone(handle, |inner| inner.resize(inner.block_size, meant(threads, inner.algorithm))) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_block_size(handle: *mut Handle, bytes: usize) -> i32 {
    // SAFETY: a handle by the header.
    status(|| unsafe { Handle::alone(handle, |inner| inner.resize(bytes, inner.threads)) })
}

/// A length that a handle knows.
///
/// # Safety
/// As [`Handle::alone`]; `place` is null or a place for the length.
unsafe fn length(handle: *mut Handle, place: *mut usize, of: impl FnOnce(&Inner) -> Result<usize>) -> i32 {
    // SAFETY: the caller's promises.
    status(|| unsafe { Handle::alone(handle, |inner| give(place, of(inner)?)) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_nonce_bytes(handle: *mut Handle, nonce_bytes: *mut usize) -> i32 {
    // SAFETY: a handle and a place for the result by the header.
    unsafe { length(handle, nonce_bytes, |inner| Ok(inner.splitter()?.nonce_bytes())) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_sealed_bytes(handle: *mut Handle, bytes: usize, sealed_bytes: *mut usize) -> i32 {
    // SAFETY: as above.
    unsafe { length(handle, sealed_bytes, |inner| Ok(inner.layout(bytes)?.sealed())) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_tags_bytes(handle: *mut Handle, bytes: usize, tags_bytes: *mut usize) -> i32 {
    // SAFETY: as above.
    unsafe { length(handle, tags_bytes, |inner| Ok(inner.layout(bytes)?.tags())) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_opened_bytes(handle: *mut Handle, sealed_bytes: usize, bytes: *mut usize) -> i32 {
    // SAFETY: as above.
    unsafe { length(handle, bytes, |inner| Ok(inner.splitter()?.layout_of_sealed(sealed_bytes)?.bytes())) }
}

fn sized(what: &'static str, given: usize, wanted: usize) -> Result<()> {
    if given < wanted { Err(Error::Length { what, given, wanted: format!("at least {wanted}") }) } else { Ok(()) }
}

/// One message, sealed.
///
/// # Safety
/// `in_` and `out` are null or valid for `bytes`, `tags` for `tags_bytes`.
unsafe fn seal(
    inner: &mut Inner,
    nonce: &[u8],
    ad: &[u8],
    input: *const u8,
    layout: Layout,
    out: *mut u8,
    tags: *mut u8,
) -> Result<()> {
    check(input, layout.bytes(), "message")?;
    check(out, layout.bytes(), "output")?;
    check(tags, layout.tags(), "tags")?;
    for read in [nonce, ad] {
        apart(read, out, layout.bytes())?;
        apart(read, tags, layout.tags())?;
    }
    // SAFETY: the caller's promise; the engine checks how the buffers lie to each other.
    unsafe { inner.keyed.seal_raw(nonce, ad, input, layout.bytes(), out, tags) }
}

/// One message, opened.
///
/// # Safety
/// As [`seal`].
unsafe fn open(
    inner: &mut Inner,
    nonce: &[u8],
    ad: &[u8],
    input: *const u8,
    layout: Layout,
    out: *mut u8,
    tags: *const u8,
) -> Result<()> {
    check(input, layout.bytes(), "ciphertext")?;
    check(out, layout.bytes(), "output")?;
    check(tags, layout.tags(), "tags")?;
    for read in [nonce, ad] {
        apart(read, out, layout.bytes())?;
    }
    // SAFETY: as in `seal`.
    unsafe { inner.keyed.open_raw(nonce, ad, input, layout.bytes(), out, tags) }
}

/// A call about one message under a nonce and associated data.
///
/// # Safety
/// As [`Handle::alone`]; `nonce` and `ad` are null or valid for their lengths.
unsafe fn message(
    handle: *mut Handle,
    nonce: (*const u8, usize),
    ad: (*const u8, usize),
    call: impl FnOnce(&mut Inner, &[u8], &[u8]) -> Result<()>,
) -> i32 {
    // SAFETY: the caller's promises.
    status(|| unsafe {
        Handle::alone(handle, |inner| {
            call(inner, bytes(nonce.0, nonce.1, "nonce")?, bytes(ad.0, ad.1, "associated data")?)
        })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_seal(
    handle: *mut Handle,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    length: usize,
    out: *mut u8,
    out_bytes: usize,
) -> i32 {
    // SAFETY: a handle and buffers of these lengths by the header; the tags lie inside the output.
    unsafe {
        message(handle, (nonce, nonce_bytes), (ad, ad_bytes), |inner, nonce, ad| {
            let layout = inner.layout(length)?;
            sized("output buffer", out_bytes, layout.sealed())?;
            check(out, layout.sealed(), "output")?;
            seal(inner, nonce, ad, input, layout, out, out.wrapping_add(length))
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_open(
    handle: *mut Handle,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    sealed_bytes: usize,
    out: *mut u8,
    out_bytes: usize,
) -> i32 {
    // SAFETY: a handle and buffers of these lengths by the header; the tags lie inside the input.
    unsafe {
        message(handle, (nonce, nonce_bytes), (ad, ad_bytes), |inner, nonce, ad| {
            let layout = inner.splitter()?.layout_of_sealed(sealed_bytes)?;
            sized("output buffer", out_bytes, layout.bytes())?;
            check(input, sealed_bytes, "sealed message")?;
            open(inner, nonce, ad, input, layout, out, input.wrapping_add(layout.bytes()))
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_seal_detached(
    handle: *mut Handle,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    length: usize,
    out: *mut u8,
    tags: *mut u8,
    tags_bytes: usize,
) -> i32 {
    // SAFETY: a handle and buffers of these lengths by the header.
    unsafe {
        message(handle, (nonce, nonce_bytes), (ad, ad_bytes), |inner, nonce, ad| {
            let layout = inner.layout(length)?;
            exactly(tags_bytes, layout)?;
            seal(inner, nonce, ad, input, layout, out, tags)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_open_detached(
    handle: *mut Handle,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    length: usize,
    out: *mut u8,
    tags: *const u8,
    tags_bytes: usize,
) -> i32 {
    // SAFETY: a handle and buffers of these lengths by the header.
    unsafe {
        message(handle, (nonce, nonce_bytes), (ad, ad_bytes), |inner, nonce, ad| {
            let layout = inner.layout(length)?;
            exactly(tags_bytes, layout)?;
            open(inner, nonce, ad, input, layout, out, tags)
        })
    }
}

fn exactly(tags_bytes: usize, layout: Layout) -> Result<()> {
    if tags_bytes == layout.tags() {
        return Ok(());
    }
    Err(Error::Length { what: "tags", given: tags_bytes, wanted: layout.tags().to_string() })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_interrupt(handle: *const Handle) {
    // SAFETY: a handle that lives, by the header; no reference to what its user changes is made. Null gives None.
    if let Some(handle) = unsafe { handle.as_ref() } {
        handle.stop.store(true, Ordering::Relaxed);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_resume(handle: *const Handle) {
    // SAFETY: as above.
    if let Some(handle) = unsafe { handle.as_ref() } {
        handle.stop.store(false, Ordering::Relaxed);
    }
}
