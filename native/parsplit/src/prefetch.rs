//! Prefetching of a block's first cache lines while its call is still being set up.
//!
//! Between two blocks an implementation finishes one tag and prepares the next and does not access the message, so the
//! hardware prefetcher stops and the memory is idle. docs/MEMORY.md has the measurements. Prefetching more lines, or
//! those of the next block, takes more time than it saves.

const LINE: usize = 64;
const INPUT_LINES: usize = 8;
/// Prefetched for writing.
const OUTPUT_LINES: usize = 16;

/// Prefetch the first lines of `input` and of `output`, each `bytes` long.
#[inline]
pub(crate) fn prefetch_block(input: *const u8, output: *const u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
        let lines = bytes / LINE;
        for line in 0..OUTPUT_LINES.min(lines) {
            // SAFETY: a prefetch never faults, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_ET0>(output.wrapping_add(line * LINE).cast()) };
        }
        if input != output {
            for line in 0..INPUT_LINES.min(lines) {
                // SAFETY: as above.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(input.wrapping_add(line * LINE).cast()) };
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (input, output, bytes);
}
