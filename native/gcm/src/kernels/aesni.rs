use super::fused::Expanded;
use super::vector::Vector;
use super::{Job, Series, functions};
use crate::field::Element;
use std::arch::is_x86_feature_detected;
use std::arch::x86_64::*;

functions!(Block, "avx,aes,pclmulqdq");

pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx") && is_x86_feature_detected!("aes") && is_x86_feature_detected!("pclmulqdq")
}

#[derive(Clone, Copy)]
struct Block(__m128i);

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

impl Vector for Block {
    const LANES: usize = 1;

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn zero() -> Self {
        Self(_mm_setzero_si128())
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn first(block: u128) -> Self {
        Self(_mm_set_epi64x((block >> 64) as i64, block as i64))
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn to_first(self) -> u128 {
        u128::from(_mm_extract_epi64::<1>(self.0) as u64) << 64 | u128::from(_mm_cvtsi128_si64(self.0) as u64)
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn splat(block: u128) -> Self {
        Self(_mm_set_epi64x((block >> 64) as i64, block as i64))
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn splat_first(self) -> Self {
        self
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn indices() -> Self {
        Self(_mm_setzero_si128())
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn load_splat(block: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { _mm_loadu_si128(block.cast()) })
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { _mm_storeu_si128(to.cast(), self.0) }
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller's promise; `fence` follows.
        unsafe { _mm_stream_si128(to.cast(), self.0) }
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn stream_blocks(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.stream(to) }
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn prefetch(from: *const u8) {
        _mm_prefetch::<_MM_HINT_T0>(from.cast());
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn fence() {
        _mm_sfence();
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn load_part(from: *const u8, bytes: usize) -> Self {
        let mut padded = [0u8; 16];
        // SAFETY: `bytes` can be read, and at most 16 are written.
        unsafe {
            std::ptr::copy_nonoverlapping(from, padded.as_mut_ptr(), bytes);
            Self::load(padded.as_ptr())
        }
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        let mut padded = [0u8; 16];
        // SAFETY: `bytes` can be written, and at most 16 are read.
        unsafe {
            self.store(padded.as_mut_ptr());
            std::ptr::copy_nonoverlapping(padded.as_ptr(), to, bytes);
        }
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn keep(self, bytes: usize) -> Self {
        // SAFETY: 16 bytes from any index up to 16 lie in the array.
        let selection = unsafe { _mm_loadu_si128(SELECTION.as_ptr().add(16 - bytes).cast()) };
        Self(_mm_and_si128(self.0, selection))
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn xor(self, other: Self) -> Self {
        Self(_mm_xor_si128(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn xor3(self, second: Self, third: Self) -> Self {
        Self(_mm_xor_si128(_mm_xor_si128(self.0, second.0), third.0))
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn fold(self) -> Self {
        self
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn reverse(self) -> Self {
        Self(_mm_shuffle_epi8(self.0, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn swap_halves(self) -> Self {
        Self(_mm_shuffle_epi32::<0x4e>(self.0))
    }

    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn add_counters(self, other: Self) -> Self {
        Self(_mm_add_epi32(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "avx,aes")]
    unsafe fn round(self, key: Self) -> Self {
        Self(_mm_aesenc_si128(self.0, key.0))
    }

    #[inline]
    #[target_feature(enable = "avx,aes")]
    unsafe fn last_round(self, key: Self) -> Self {
        Self(_mm_aesenclast_si128(self.0, key.0))
    }

    #[inline]
    #[target_feature(enable = "avx,pclmulqdq")]
    unsafe fn multiply_low(self, other: Self) -> Self {
        Self(_mm_clmulepi64_si128::<0x00>(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "avx,pclmulqdq")]
    unsafe fn multiply_high(self, other: Self) -> Self {
        Self(_mm_clmulepi64_si128::<0x11>(self.0, other.0))
    }
}
