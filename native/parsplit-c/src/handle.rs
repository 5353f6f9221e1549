//! Handles: an engine with its key, which one thread uses at a time.

use crate::load::check_algorithm;
use crate::memory::{check_buffer, check_disjoint, input_slice, write_result};
use crate::status::{ensure, invalid, status};
use aeadlab_abi::{self as abi, Algorithm};
use parsplit::{Error, Keyed, Layout, MAX_THREADS, ParSplit, Result, SERIAL_BELOW, Schedule, available_cores};
use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char};
use std::mem::size_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The block size of `PARSPLIT_DEFAULTS` in bytes.
pub(crate) const DEFAULT_BLOCK_SIZE: usize = 64 << 10;

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
    block_size: DEFAULT_BLOCK_SIZE,
    threads: 0,
    serial_below: SERIAL_BELOW,
    schedule: std::ptr::null(),
};

/// `parsplit`
pub(crate) struct Handle {
    in_use: AtomicBool,
    interrupted: Arc<AtomicBool>,
    keyed: UnsafeCell<Keyed>,
}

/// Returns the thread count of a setting, where 0 selects the default.
pub(crate) fn thread_count(setting: usize, algorithm: &Algorithm) -> usize {
    match setting {
        0 if !algorithm.has(abi::THREAD_SAFE) => 1,
        0 => available_cores().min(MAX_THREADS),
        threads => threads,
    }
}

/// Returns the options of the caller, or the defaults for NULL.
///
/// # Safety
/// `options` is NULL or points to options that begin with their size.
pub(crate) unsafe fn options_or<T: Copy>(options: *const T, defaults: T, initialiser: &str) -> Result<T> {
    // SAFETY: the caller's promise; NULL gives None.
    match unsafe { options.cast::<usize>().as_ref() } {
        None => Ok(defaults),
        // SAFETY: the options have the size of this version.
        Some(&size) if size == size_of::<T>() => Ok(unsafe { *options }),
        Some(size) => invalid(format!(
            "options of {size} bytes given, {} expected: initialise them with {initialiser}",
            size_of::<T>()
        )),
    }
}

impl Handle {
    /// Calls `work` as the only user of the handle.
    ///
    /// # Safety
    /// `handle` is NULL, or `parsplit_new` returned it and it is not freed before the call returns.
    unsafe fn with(handle: *const Self, work: impl FnOnce(&mut Keyed) -> Result<()>) -> Result<()> {
        /// Clears the flag when dropped, also during a panic.
        struct Release<'a>(&'a AtomicBool);
        impl Drop for Release<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Release);
            }
        }

        // SAFETY: the caller's promise; NULL gives None.
        let Some(handle) = (unsafe { handle.as_ref() }) else {
            return invalid("handle given as NULL");
        };
        ensure!(
            !handle.in_use.swap(true, Ordering::Acquire),
            "the handle is in use by another thread, or was when this process was forked: create one for each thread"
        );
        let _release = Release(&handle.in_use);
        // SAFETY: the thread that set `in_use` is the only user until it is cleared.
        work(unsafe { &mut *handle.keyed.get() })
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
        // SAFETY: by the header a descriptor that follows aeadlab.h.
        let algorithm = unsafe { check_algorithm(algorithm)? };
        // SAFETY: by the header NULL or options that begin with their size.
        let options = unsafe { options_or(options, DEFAULTS, "PARSPLIT_DEFAULTS")? };
        let schedule = if options.schedule.is_null() {
            Schedule::default()
        } else {
            // SAFETY: by the header a C string.
            unsafe { CStr::from_ptr(options.schedule) }.to_string_lossy().parse()?
        };
        let threads = thread_count(options.threads, algorithm);
        let splitter =
            ParSplit::new(algorithm, options.block_size, threads, schedule)?.serial_below(options.serial_below);
        // SAFETY: by the header a key of this length.
        let mut keyed = splitter.key(unsafe { input_slice(key, key_bytes, "key")? })?;
        let interrupted = Arc::new(AtomicBool::new(false));
        keyed.set_cancel_flag(Some(interrupted.clone()));
        // Checked before `into_raw`, which would leak the handle.
        ensure!(!handle.is_null(), "pointer for the handle given as NULL");
        let keyed = UnsafeCell::new(keyed);
        let created = Box::into_raw(Box::new(Handle { in_use: AtomicBool::new(false), interrupted, keyed }));
        // SAFETY: by the header valid for writing.
        unsafe { write_result(handle, created) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_free(handle: *mut Handle) {
    status(|| {
        if !handle.is_null() {
            // SAFETY: `parsplit_new` returned it, and by the header it has no other user, now or later.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_threads(handle: *mut Handle, threads: usize) -> i32 {
    // SAFETY: by the header a valid handle.
    status(|| unsafe {
        Handle::with(handle, |keyed| {
            let splitter = *keyed.splitter();
            keyed.resize(splitter.block_size(), thread_count(threads, splitter.algorithm()))
        })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_block_size(handle: *mut Handle, bytes: usize) -> i32 {
    // SAFETY: by the header a valid handle.
    status(|| unsafe { Handle::with(handle, |keyed| keyed.resize(bytes, keyed.splitter().threads())) })
}

/// Writes a length that `compute` returns.
///
/// # Safety
/// As [`Handle::with`]; `destination` is NULL or valid for writing.
unsafe fn length(
    handle: *mut Handle,
    destination: *mut usize,
    compute: impl FnOnce(&ParSplit) -> Result<usize>,
) -> i32 {
    // SAFETY: the caller's promises.
    status(|| unsafe { Handle::with(handle, |keyed| write_result(destination, compute(keyed.splitter())?)) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_nonce_bytes(handle: *mut Handle, nonce_bytes: *mut usize) -> i32 {
    // SAFETY: by the header a valid handle and memory for the result.
    unsafe { length(handle, nonce_bytes, |splitter| Ok(splitter.nonce_bytes())) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_sealed_bytes(handle: *mut Handle, bytes: usize, sealed_bytes: *mut usize) -> i32 {
    // SAFETY: as above.
    unsafe { length(handle, sealed_bytes, |splitter| Ok(splitter.layout(bytes)?.sealed_bytes())) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_tags_bytes(handle: *mut Handle, bytes: usize, tags_bytes: *mut usize) -> i32 {
    // SAFETY: as above.
    unsafe { length(handle, tags_bytes, |splitter| Ok(splitter.layout(bytes)?.tags_bytes())) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_opened_bytes(handle: *mut Handle, sealed_bytes: usize, bytes: *mut usize) -> i32 {
    // SAFETY: as above.
    unsafe { length(handle, bytes, |splitter| Ok(splitter.layout_of_sealed(sealed_bytes)?.bytes())) }
}

fn check_capacity(out_bytes: usize, required: usize) -> Result<()> {
    if out_bytes < required {
        let expected = format!("at least {required}");
        return Err(Error::Length { name: "output buffer", given: out_bytes, expected });
    }
    Ok(())
}

fn check_tags_bytes(tags_bytes: usize, layout: Layout) -> Result<()> {
    if tags_bytes != layout.tags_bytes() {
        let expected = layout.tags_bytes().to_string();
        return Err(Error::Length { name: "tags", given: tags_bytes, expected });
    }
    Ok(())
}

/// Checks the buffers of a message, which do not overlap nonce or associated data.
fn check_buffers(
    inputs: [&[u8]; 2],
    message: (*const u8, &str),
    layout: Layout,
    out: *const u8,
    tags: *const u8,
) -> Result<()> {
    check_buffer(message.0, layout.bytes(), message.1)?;
    check_buffer(out, layout.bytes(), "output")?;
    check_buffer(tags, layout.tags_bytes(), "tags")?;
    inputs.into_iter().try_for_each(|input| check_disjoint(input, out, layout.bytes()))
}

/// Seals one message.
///
/// # Safety
/// `input` and `out` are NULL or valid for the message, `tags` is NULL or valid for its tags.
unsafe fn seal(
    keyed: &mut Keyed,
    [nonce, ad]: [&[u8]; 2],
    input: *const u8,
    layout: Layout,
    out: *mut u8,
    tags: *mut u8,
) -> Result<()> {
    check_buffers([nonce, ad], (input, "message"), layout, out, tags)?;
    for input in [nonce, ad] {
        check_disjoint(input, tags, layout.tags_bytes())?;
    }
    // SAFETY: the caller's promise; the engine checks the overlap of the buffers.
    unsafe { keyed.seal_raw(nonce, ad, input, layout.bytes(), out, tags) }
}

/// Opens one message.
///
/// # Safety
/// As [`seal`].
unsafe fn open(
    keyed: &mut Keyed,
    [nonce, ad]: [&[u8]; 2],
    input: *const u8,
    layout: Layout,
    out: *mut u8,
    tags: *const u8,
) -> Result<()> {
    check_buffers([nonce, ad], (input, "ciphertext"), layout, out, tags)?;
    // SAFETY: as in `seal`.
    unsafe { keyed.open_raw(nonce, ad, input, layout.bytes(), out, tags) }
}

/// Calls `work` on one message, with its nonce and associated data as slices.
///
/// # Safety
/// As [`Handle::with`]; `nonce` and `ad` are NULL or valid for their lengths.
unsafe fn message(
    handle: *mut Handle,
    nonce: (*const u8, usize),
    ad: (*const u8, usize),
    work: impl FnOnce(&mut Keyed, [&[u8]; 2]) -> Result<()>,
) -> i32 {
    // SAFETY: the caller's promises.
    status(|| unsafe {
        Handle::with(handle, |keyed| {
            work(keyed, [input_slice(nonce.0, nonce.1, "nonce")?, input_slice(ad.0, ad.1, "associated data")?])
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
    // SAFETY: by the header a valid handle and buffers of these lengths; the tags lie inside the output.
    unsafe {
        message(handle, (nonce, nonce_bytes), (ad, ad_bytes), |keyed, inputs| {
            let layout = keyed.splitter().layout(length)?;
            check_capacity(out_bytes, layout.sealed_bytes())?;
            check_buffer(out, layout.sealed_bytes(), "output")?;
            seal(keyed, inputs, input, layout, out, out.wrapping_add(length))
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
    // SAFETY: by the header a valid handle and buffers of these lengths; the tags lie inside the input.
    unsafe {
        message(handle, (nonce, nonce_bytes), (ad, ad_bytes), |keyed, inputs| {
            let layout = keyed.splitter().layout_of_sealed(sealed_bytes)?;
            check_capacity(out_bytes, layout.bytes())?;
            check_buffer(input, sealed_bytes, "sealed message")?;
            open(keyed, inputs, input, layout, out, input.wrapping_add(layout.bytes()))
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
    // SAFETY: by the header a valid handle and buffers of these lengths.
    unsafe {
        message(handle, (nonce, nonce_bytes), (ad, ad_bytes), |keyed, inputs| {
            let layout = keyed.splitter().layout(length)?;
            check_tags_bytes(tags_bytes, layout)?;
            seal(keyed, inputs, input, layout, out, tags)
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
    // SAFETY: by the header a valid handle and buffers of these lengths.
    unsafe {
        message(handle, (nonce, nonce_bytes), (ad, ad_bytes), |keyed, inputs| {
            let layout = keyed.splitter().layout(length)?;
            check_tags_bytes(tags_bytes, layout)?;
            open(keyed, inputs, input, layout, out, tags)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_interrupt(handle: *const Handle) {
    // SAFETY: by the header a valid handle; no reference to its engine is created. NULL gives None.
    if let Some(handle) = unsafe { handle.as_ref() } {
        handle.interrupted.store(true, Ordering::Relaxed);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_resume(handle: *const Handle) {
    // SAFETY: as above.
    if let Some(handle) = unsafe { handle.as_ref() } {
        handle.interrupted.store(false, Ordering::Relaxed);
    }
}
