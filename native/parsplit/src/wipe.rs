use crate::crew::Called;
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
/// Memory that is `fresh`, private and never seen by anyone, is given back to the system instead, which will show zeros
/// there: most of it may never have been touched, and to touch 4 GiB for the first time takes seconds.
///
/// # Safety
/// `output` is valid for `bytes`, and nobody else uses it.
pub(crate) unsafe fn wipe(output: *mut u8, bytes: usize, threads: usize, fresh: bool) {
    if fresh && bytes > ALONE {
        // SAFETY: the caller's promise; the edges are at most a page long.
        unsafe {
            if let Some((before, after)) = given_back(output, bytes) {
                write(output, before, 1);
                write(output.add(bytes - after), after, 1);
                return;
            }
        }
    }
    // SAFETY: the caller's promise.
    unsafe { write(output, bytes, threads) }
}

/// Gives whole pages back; the bytes before and after them, or None if it cannot be done.
///
/// # Safety
/// As [`wipe`].
#[cfg(target_os = "linux")]
unsafe fn given_back(output: *mut u8, bytes: usize) -> Option<(usize, usize)> {
    // SAFETY: asks for a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok().filter(|page| *page > 0)?;
    let before = output.addr().next_multiple_of(page) - output.addr();
    let after = (output.addr() + bytes) % page;
    let whole = bytes.checked_sub(before + after)?;
    // SAFETY: whole pages inside the memory, the content of which is to go.
    let status = unsafe { libc::madvise(output.add(before).cast(), whole, libc::MADV_DONTNEED) };
    (status == 0).then_some((before, after))
}

#[cfg(not(target_os = "linux"))]
unsafe fn given_back(_: *mut u8, _: usize) -> Option<(usize, usize)> {
    // Elsewhere the same advice does not promise zeros.
    None
}

/// # Safety
/// As [`wipe`].
unsafe fn write(output: *mut u8, bytes: usize, threads: usize) {
    let output = Output(output);
    let parts = threads.min(bytes / ALONE).max(1);
    let edge = |part: usize| (bytes as u128 * part as u128 / parts as u128) as usize;
    let shared = parts > 1
        && pool::at_once(parts, false, Called::All, &|part| {
            // SAFETY: the parts are apart and make up the whole.
            unsafe { output.wipe(edge(part), edge(part + 1) - edge(part)) }
        })
        .is_ok();
    if !shared && bytes > 0 {
        // SAFETY: the caller's promise; the workers, if any, are done.
        unsafe { output.wipe(0, bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_and_nothing_beside_it_is_touched() {
        for fresh in [false, true] {
            for (from, bytes) in [(0, 1), (3, 5000), (0, 3 * ALONE), (1, 3 * ALONE + 4097), (4095, 2 * ALONE + 2)] {
                let mut memory = vec![0xaa; from + bytes + 10];
                // SAFETY: inside the memory, which is this test's.
                unsafe { wipe(memory.as_mut_ptr().add(from), bytes, 3, fresh) };
                assert!(memory[..from].iter().all(|&byte| byte == 0xaa));
                assert!(memory[from..from + bytes].iter().all(|&byte| byte == 0), "{fresh} {from} {bytes}");
                assert!(memory[from + bytes..].iter().all(|&byte| byte == 0xaa));
            }
        }
    }
}
