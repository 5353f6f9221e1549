use super::fused::Expanded;
use super::vector::Vector;
use super::{Job, Series, functions};
use crate::field::Element;
use std::arch::aarch64::*;
use std::arch::is_aarch64_feature_detected;

functions!(Block, "neon,aes");

pub(super) fn is_available() -> bool {
    // PMULL on 64-bit operands belongs to this feature.
    is_aarch64_feature_detected!("neon") && is_aarch64_feature_detected!("aes")
}

#[derive(Clone, Copy)]
struct Block(uint8x16_t);

/// Ones and then zeros: the bytes from `16 - n` on select the first n bytes of a vector.
static SELECTION: [u8; 32] = {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 16 {
        bytes[i] = 0xff;
        i += 1;
    }
    bytes
};

#[inline]
#[target_feature(enable = "neon")]
fn low(vector: uint8x16_t) -> u64 {
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vector))
}

#[inline]
#[target_feature(enable = "neon")]
fn high(vector: uint8x16_t) -> u64 {
    vgetq_lane_u64::<1>(vreinterpretq_u64_u8(vector))
}

impl Vector for Block {
    const LANES: usize = 1;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn zero() -> Self {
        Self(vdupq_n_u8(0))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn first(block: u128) -> Self {
        let halves = vcombine_u64(vcreate_u64(block as u64), vcreate_u64((block >> 64) as u64));
        Self(vreinterpretq_u8_u64(halves))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn to_first(self) -> u128 {
        u128::from(high(self.0)) << 64 | u128::from(low(self.0))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn splat(block: u128) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::first(block) }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn splat_first(self) -> Self {
        self
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn indices() -> Self {
        Self(vdupq_n_u8(0))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load_splat(block: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { vld1q_u8(block) })
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { vld1q_u8(from) })
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { vst1q_u8(to, self.0) }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn stream(self, to: *mut u8) {
        // The intrinsics have no streaming store.
        // SAFETY: the caller's promise.
        unsafe { vst1q_u8(to, self.0) }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn stream_blocks(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.stream(to) }
    }

    #[inline]
    unsafe fn prefetch(_: *const u8) {
        // The intrinsic is not stable.
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn fence() {}

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load_part(from: *const u8, bytes: usize) -> Self {
        let mut padded = [0u8; 16];
        // SAFETY: `bytes` can be read, and at most 16 are written.
        unsafe {
            std::ptr::copy_nonoverlapping(from, padded.as_mut_ptr(), bytes);
            Self::load(padded.as_ptr())
        }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        let mut padded = [0u8; 16];
        // SAFETY: `bytes` can be written, and at most 16 are read.
        unsafe {
            self.store(padded.as_mut_ptr());
            std::ptr::copy_nonoverlapping(padded.as_ptr(), to, bytes);
        }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn keep(self, bytes: usize) -> Self {
        // SAFETY: 16 bytes from any index up to 16 lie in the array.
        let selection = unsafe { vld1q_u8(SELECTION.as_ptr().add(16 - bytes)) };
        Self(vandq_u8(self.0, selection))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn xor(self, other: Self) -> Self {
        Self(veorq_u8(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn xor3(self, second: Self, third: Self) -> Self {
        Self(veorq_u8(veorq_u8(self.0, second.0), third.0))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn fold(self) -> Self {
        self
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn reverse(self) -> Self {
        let halves = vrev64q_u8(self.0);
        Self(vextq_u8::<8>(halves, halves))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn swap_halves(self) -> Self {
        Self(vextq_u8::<8>(self.0, self.0))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn add_counters(self, other: Self) -> Self {
        let sum = vaddq_u32(vreinterpretq_u32_u8(self.0), vreinterpretq_u32_u8(other.0));
        Self(vreinterpretq_u8_u32(sum))
    }

    /// The instruction adds a key first. With a zero key it makes the x86 round, and the compiler merges the addition
    /// of the key that ends one round into the instruction of the next.
    #[inline]
    #[target_feature(enable = "neon,aes")]
    unsafe fn round(self, key: Self) -> Self {
        Self(veorq_u8(vaesmcq_u8(vaeseq_u8(self.0, vdupq_n_u8(0))), key.0))
    }

    #[inline]
    #[target_feature(enable = "neon,aes")]
    unsafe fn last_round(self, key: Self) -> Self {
        Self(veorq_u8(vaeseq_u8(self.0, vdupq_n_u8(0)), key.0))
    }

    #[inline]
    #[target_feature(enable = "neon,aes")]
    unsafe fn multiply_low(self, other: Self) -> Self {
        Self(vreinterpretq_u8_p128(vmull_p64(low(self.0), low(other.0))))
    }

    #[inline]
    #[target_feature(enable = "neon,aes")]
    unsafe fn multiply_high(self, other: Self) -> Self {
        Self(vreinterpretq_u8_p128(vmull_p64(high(self.0), high(other.0))))
    }
}
