//! Keys in dead stack frames.
//!
//! Libraries copy keys and round keys to their stack frames and to vector registers, and few of them overwrite both
//! before they return. The memory of a frame that has returned stays as it is until another call reaches as deep, which
//! in a worker thread may be never. Therefore the engine overwrites the stack below its own frame after a library has
//! used a key, on each thread.

use aeadlab_abi::{self as abi, Algorithm};
use std::hint::black_box;
use std::mem::MaybeUninit;

/// Bytes of the stack below the engine's frame that are overwritten after the use of an AEAD that is meant for use. The
/// deepest one of the lab takes 6,984 (`libraries/tests/linked/stack_depth.rs`), the frames of the engine about 2,000.
pub const CLEARED_STACK: usize = 12 << 10;
/// The same for all other algorithms, which include ciphers with large tables and compositions: 27,160 bytes.
pub const CLEARED_STACK_OF_OTHERS: usize = 40 << 10;

/// Return the number of bytes of the stack that are overwritten after the use of an algorithm; 0 without a key.
#[must_use]
pub fn cleared_stack(algorithm: &Algorithm) -> usize {
    if algorithm.key_bytes == 0 || algorithm.has(abi::BASELINE) {
        0
    } else if algorithm.kind == abi::AEAD && !algorithm.has(abi::RESEARCH) {
        CLEARED_STACK
    } else {
        CLEARED_STACK_OF_OTHERS
    }
}

/// Overwrite the vector registers and the stack below the caller's frame, where calls that have returned may have left
/// the key of `algorithm`.
#[inline]
pub fn clear_dead_stack(algorithm: &Algorithm) {
    match cleared_stack(algorithm) {
        0 => {}
        CLEARED_STACK => overwrite::<CLEARED_STACK>(),
        _ => overwrite::<CLEARED_STACK_OF_OTHERS>(),
    }
}

/// Calls [`clear_dead_stack`] when it is dropped: after the values that are declared later.
pub struct ClearDeadStack<'a>(pub &'a Algorithm);

impl Drop for ClearDeadStack<'_> {
    #[inline]
    fn drop(&mut self) {
        clear_dead_stack(self.0);
    }
}

/// Overwrite the `BYTES` bytes below the caller's frame with zeros.
#[inline(never)]
pub(crate) fn overwrite<const BYTES: usize>() {
    // First, because later code may save the registers on the stack, as the dynamic linker does.
    clear_vector_registers();
    let mut area = MaybeUninit::<[u8; BYTES]>::uninit();
    // SAFETY: the array has this length.
    unsafe { area.as_mut_ptr().cast::<u8>().write_bytes(0, BYTES) };
    // The compiler must assume that the array is read.
    black_box(&mut area);
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn clear_vector_registers() {
    use std::arch::asm;
    use std::arch::is_x86_feature_detected;
    // SAFETY: the instructions only change registers that a function may change, all of which are declared. Those of
    // AVX and AVX-512 run where the CPU has them.
    unsafe {
        if is_x86_feature_detected!("avx512f") {
            asm!(
                "vpxord zmm16, zmm16, zmm16",
                "vpxord zmm17, zmm17, zmm17",
                "vpxord zmm18, zmm18, zmm18",
                "vpxord zmm19, zmm19, zmm19",
                "vpxord zmm20, zmm20, zmm20",
                "vpxord zmm21, zmm21, zmm21",
                "vpxord zmm22, zmm22, zmm22",
                "vpxord zmm23, zmm23, zmm23",
                "vpxord zmm24, zmm24, zmm24",
                "vpxord zmm25, zmm25, zmm25",
                "vpxord zmm26, zmm26, zmm26",
                "vpxord zmm27, zmm27, zmm27",
                "vpxord zmm28, zmm28, zmm28",
                "vpxord zmm29, zmm29, zmm29",
                "vpxord zmm30, zmm30, zmm30",
                "vpxord zmm31, zmm31, zmm31",
                clobber_abi("sysv64"),
                options(nomem, nostack, preserves_flags)
            );
        }
        if is_x86_feature_detected!("avx") {
            asm!("vzeroall", clobber_abi("sysv64"), options(nomem, nostack, preserves_flags));
        } else {
            asm!(
                "pxor xmm0, xmm0",
                "pxor xmm1, xmm1",
                "pxor xmm2, xmm2",
                "pxor xmm3, xmm3",
                "pxor xmm4, xmm4",
                "pxor xmm5, xmm5",
                "pxor xmm6, xmm6",
                "pxor xmm7, xmm7",
                "pxor xmm8, xmm8",
                "pxor xmm9, xmm9",
                "pxor xmm10, xmm10",
                "pxor xmm11, xmm11",
                "pxor xmm12, xmm12",
                "pxor xmm13, xmm13",
                "pxor xmm14, xmm14",
                "pxor xmm15, xmm15",
                clobber_abi("sysv64"),
                options(nomem, nostack, preserves_flags)
            );
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
fn clear_vector_registers() {}
