use crate::pool;
use crate::workers::Participation;
use std::hint::black_box;
use std::sync::atomic::{Ordering, compiler_fence};

/// Bytes that one thread overwrites in about a millisecond; longer buffers are divided among threads.
const BYTES_PER_THREAD: usize = 16 << 20;

/// The caller's buffer, shared by the workers.
struct Output(*mut u8);

// SAFETY: the workers write to disjoint parts.
unsafe impl Sync for Output {}

impl Output {
    /// # Safety
    /// The `bytes` from `offset` on lie in the buffer and have no other user.
    unsafe fn overwrite(&self, offset: usize, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.0.add(offset).write_bytes(0, bytes) };
        black_box(self.0);
        compiler_fence(Ordering::SeqCst);
    }
}

/// Fill `output` with zeros in a way that the compiler cannot remove. Volatile writes of single bytes would take 0.3 s
/// for 1 GiB.
///
/// The pages of `fresh` memory, which is private and not yet visible to any other code, are returned to the system
/// instead and then read as zeros. Most may never have been touched, and touching 4 GiB first takes seconds.
///
/// # Safety
/// `output` is valid for `bytes` and has no other user.
pub(crate) unsafe fn wipe(output: *mut u8, bytes: usize, threads: usize, fresh: bool) {
    if fresh && bytes > BYTES_PER_THREAD {
        // SAFETY: the caller's promise; the edges are at most a page long.
        unsafe {
            if let Some((before, after)) = discard_pages(output, bytes) {
                overwrite(output, before, 1);
                overwrite(output.add(bytes - after), after, 1);
                return;
            }
        }
    }
    // SAFETY: the caller's promise.
    unsafe { overwrite(output, bytes, threads) }
}

/// Return whole pages to the system, and the number of bytes before and after them; None where that is impossible.
///
/// # Safety
/// As [`wipe`].
#[cfg(target_os = "linux")]
unsafe fn discard_pages(output: *mut u8, bytes: usize) -> Option<(usize, usize)> {
    // SAFETY: the call returns a number and has no other effect.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok().filter(|page| *page > 0)?;
    let before = output.addr().next_multiple_of(page) - output.addr();
    let after = (output.addr() + bytes) % page;
    let whole = bytes.checked_sub(before + after)?;
    // SAFETY: whole pages inside the buffer, whose content is to be lost.
    let status = unsafe { libc::madvise(output.add(before).cast(), whole, libc::MADV_DONTNEED) };
    (status == 0).then_some((before, after))
}

#[cfg(not(target_os = "linux"))]
unsafe fn discard_pages(_: *mut u8, _: usize) -> Option<(usize, usize)> {
    // Other systems do not promise zeros after the same advice.
    None
}

/// # Safety
/// As [`wipe`].
unsafe fn overwrite(output: *mut u8, bytes: usize, threads: usize) {
    let output = Output(output);
    let parts = threads.min(bytes / BYTES_PER_THREAD).max(1);
    let edge = |part: usize| (bytes as u128 * part as u128 / parts as u128) as usize;
    let complete = parts > 1
        && pool::run_workers(parts, false, Participation::Required, &|part| {
            // SAFETY: the parts are disjoint and cover the whole.
            unsafe { output.overwrite(edge(part), edge(part + 1) - edge(part)) }
        })
        .is_ok();
    if !complete && bytes > 0 {
        // SAFETY: the caller's promise; the workers, if any, have finished.
        unsafe { output.overwrite(0, bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wipes_the_buffer_and_nothing_around_it() {
        for fresh in [false, true] {
            for (from, bytes) in [
                (0, 1),
                (3, 5000),
                (0, 3 * BYTES_PER_THREAD),
                (1, 3 * BYTES_PER_THREAD + 4097),
                (4095, 2 * BYTES_PER_THREAD + 2),
            ] {
                let mut memory = vec![0xaa; from + bytes + 10];
                // SAFETY: inside the memory, which belongs to this test.
                unsafe { wipe(memory.as_mut_ptr().add(from), bytes, 3, fresh) };
                assert!(memory[..from].iter().all(|&byte| byte == 0xaa));
                assert!(memory[from..from + bytes].iter().all(|&byte| byte == 0), "{fresh} {from} {bytes}");
                assert!(memory[from + bytes..].iter().all(|&byte| byte == 0xaa));
            }
        }
    }
}
