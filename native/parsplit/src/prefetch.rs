//! A block's first lines, asked for while its call is still setting up. Between two blocks a kernel finishes one tag and
//! prepares the next: nobody reads or writes the message then, the processor's own prefetcher stops, and memory idles.
//! docs/MEMORY.md has the numbers. More lines, or those of the block after, cost more than they save.

const LINE: usize = 64;
/// Lines of the input, and of the output for writing.
const LINES: (usize, usize) = (8, 16);

/// Asks for the first lines of what is read and of what is written, `bytes` long each.
#[inline]
pub(crate) fn head(input: *const u8, output: *const u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
        let lines = bytes / LINE;
        for line in 0..LINES.1.min(lines) {
            // SAFETY: a hint that never faults, wherever it points.
            unsafe { _mm_prefetch::<_MM_HINT_ET0>(output.wrapping_add(line * LINE).cast()) };
        }
        if input != output {
            for line in 0..LINES.0.min(lines) {
                // SAFETY: likewise.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(input.wrapping_add(line * LINE).cast()) };
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (input, output, bytes);
}
