use crate::pool;
use std::hint::black_box;
use std::sync::atomic::{Ordering, compiler_fence};

/// What one thread wipes in about a millisecond; more is shared.
const ALONE: usize = 16 << 20;

/// Memory of the caller, to be shared out.
struct Output(*mut u8);

// SAFETY: the workers write to parts of it that are apart.
unsafe impl Sync for Output {}

impl Output {
    /// # Safety
    /// `from + bytes` lies in the memory, and nobody else uses that part.
    unsafe fn wipe(&self, from: usize, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(from).write_bytes(0, bytes) };
        black_box(self.0);
        compiler_fence(Ordering::SeqCst);
    }
}

/// Writes zeros that no compiler leaves out. Not byte by byte with volatile writes, which would take 0.3 s for 1 GiB.
///
/// # Safety
/// `output` is valid for `bytes`, and nobody else uses it.
pub(crate) unsafe fn wipe(output: *mut u8, bytes: usize, threads: usize) {
    let output = Output(output);
    let parts = threads.min(bytes / ALONE).max(1);
    let edge = |part: usize| (bytes as u128 * part as u128 / parts as u128) as usize;
    let shared = parts > 1
        && pool::at_once(parts, false, &|part| {
            // SAFETY: the parts are apart and make up the whole.
            unsafe { output.wipe(edge(part), edge(part + 1) - edge(part)) }
        })
        .is_ok();
    if !shared && bytes > 0 {
        // SAFETY: the caller's promise; the workers, if any, are done.
        unsafe { output.wipe(0, bytes) };
    }
}
