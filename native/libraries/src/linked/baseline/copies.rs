//! Copies whose stores are known: what `memcpy` chooses differs between processors and lengths.
//!
//! `copy` uses ordinary stores, which read each line of the output before they overwrite it: the limit of every cipher
//! that writes as libraries do. `copy-stream` writes past the cache and reads nothing first: the limit of the memory.

use crate::export::{Cipher, Outcome};
use inout::InOutBuf;

/// Bytes of one step, whose loop is unrolled.
const STEP: usize = 256;

/// Vector instructions of a copy.
#[derive(Clone, Copy)]
enum Vectors {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Sse2,
    #[cfg(not(target_arch = "x86_64"))]
    Words,
}

impl Vectors {
    /// Return the widest that this processor has.
    fn widest() -> Self {
        #[cfg(target_arch = "x86_64")]
        return if is_x86_feature_detected!("avx512f") {
            Self::Avx512
        } else if is_x86_feature_detected!("avx2") {
            Self::Avx2
        } else {
            Self::Sse2
        };
        #[cfg(not(target_arch = "x86_64"))]
        return Self::Words;
    }

    fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => "SSE2",
            #[cfg(not(target_arch = "x86_64"))]
            Self::Words => "words of 64 bits; streaming stores are not used",
        }
    }

    /// Copy a multiple of [`STEP`] bytes.
    ///
    /// # Safety
    /// The processor has the vectors. The buffers are valid for `bytes` and disjoint; with `STREAM` the output is a
    /// multiple of 64.
    unsafe fn copy<const STREAM: bool>(self, input: *const u8, output: *mut u8, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                #[cfg(target_arch = "x86_64")]
                Self::Avx512 => x86::avx512::<STREAM>(input, output, bytes),
                #[cfg(target_arch = "x86_64")]
                Self::Avx2 => x86::avx2::<STREAM>(input, output, bytes),
                #[cfg(target_arch = "x86_64")]
                Self::Sse2 => x86::sse2::<STREAM>(input, output, bytes),
                #[cfg(not(target_arch = "x86_64"))]
                Self::Words => words(input, output, bytes),
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::STEP;
    use std::arch::asm;
    use std::arch::x86_64::*;

    /// Define a copy with the loads and stores of one width.
    macro_rules! copy {
        ($name:ident, $features:literal, $vector:ty, $load:ident, $store:ident, $stream:ident) => {
            /// # Safety
            /// As `Vectors::copy`.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $name<const STREAM: bool>(input: *const u8, output: *mut u8, bytes: usize) {
                const VECTORS: usize = STEP / size_of::<$vector>();
                for start in (0..bytes).step_by(STEP) {
                    // SAFETY: a step lies in both buffers, and streamed vectors are aligned by the caller's promise.
                    unsafe {
                        let (from, to) = (input.add(start).cast::<$vector>(), output.add(start).cast::<$vector>());
                        for i in 0..VECTORS {
                            // One vector at a time, because an array of them would be copied on the stack first.
                            let vector = $load(from.add(i).cast());
                            // Without this the compiler replaces the loop with a call of memcpy.
                            asm!("", options(nostack, preserves_flags));
                            if STREAM { $stream(to.add(i).cast(), vector) } else { $store(to.add(i).cast(), vector) }
                        }
                    }
                }
                if STREAM {
                    // Other threads read the output after this call.
                    _mm_sfence();
                }
            }
        };
    }

    copy!(avx512, "avx512f", __m512i, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_stream_si512);
    copy!(avx2, "avx2", __m256i, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_stream_si256);
    copy!(sse2, "sse2", __m128i, _mm_loadu_si128, _mm_storeu_si128, _mm_stream_si128);
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn words(input: *const u8, output: *mut u8, bytes: usize) {
    for start in (0..bytes).step_by(8) {
        // SAFETY: the caller's promise. Volatile, so that the compiler does not call memcpy instead.
        unsafe {
            let word = input.add(start).cast::<u64>().read_unaligned();
            std::hint::black_box(output.add(start).cast::<u64>()).write_unaligned(word);
        }
    }
}

/// A copy with ordinary or streaming stores.
#[derive(Default)]
pub(super) struct Copy<const STREAM: bool>;

/// The name of the code path of both copies.
pub(super) fn kernel() -> &'static str {
    Vectors::widest().name()
}

impl<const STREAM: bool> Cipher for Copy<STREAM> {
    fn encrypt(&mut self, _: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        let bytes = message.len();
        let (input, output) = message.into_raw();
        // Up to the first line of the output, because streaming stores need aligned addresses.
        let head = output.align_offset(64).min(bytes);
        let body = (bytes - head) - (bytes - head) % STEP;
        let tail = bytes - head - body;
        // SAFETY: the three parts lie in both buffers, which are disjoint without IN_PLACE.
        unsafe {
            output.copy_from_nonoverlapping(input, head);
            Vectors::widest().copy::<STREAM>(input.add(head), output.add(head), body);
            output.add(head + body).copy_from_nonoverlapping(input.add(head + body), tail);
        }
        Ok(())
    }
}
