//! Memory put out of all caches, so that the next access goes to memory itself.

/// Whether this processor has an instruction for it that programs may use.
pub(crate) const POSSIBLE: bool = cfg!(target_arch = "x86_64");

/// Puts `bytes` from `start` on out of every cache, and waits until that is done.
///
/// # Safety
/// The memory is valid.
pub(crate) unsafe fn lines(start: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_clflush, _mm_mfence};
        const LINE: usize = 64;
        if bytes == 0 {
            return;
        }
        let first = start.addr() % LINE;
        for offset in (0..bytes + first).step_by(LINE) {
            // SAFETY: every x86-64 has the instruction; the line holds at least one byte of the memory.
            unsafe { _mm_clflush(start.wrapping_add(offset).wrapping_sub(first)) };
        }
        // SAFETY: every x86-64 has the instruction.
        unsafe { _mm_mfence() };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, bytes);
}
