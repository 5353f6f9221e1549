//! Eviction of memory from all caches, so that the next access reads main memory.

/// Whether this processor has an unprivileged instruction that evicts a cache line.
pub(crate) const CAN_EVICT: bool = cfg!(target_arch = "x86_64");

/// Evicts `bytes` bytes at `start` from every cache level, and waits for completion.
///
/// # Safety
/// The memory is valid.
pub(crate) unsafe fn evict(start: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_clflush, _mm_mfence};
        const LINE: usize = 64;
        if bytes == 0 {
            return;
        }
        let misalignment = start.addr() % LINE;
        for offset in (0..bytes + misalignment).step_by(LINE) {
            // SAFETY: every x86-64 has the instruction; the line holds at least one byte of the memory.
            unsafe { _mm_clflush(start.wrapping_add(offset).wrapping_sub(misalignment)) };
        }
        // SAFETY: every x86-64 has the instruction.
        unsafe { _mm_mfence() };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, bytes);
}
