use super::fused::Expanded;
use super::vector::Vector;
use super::{Job, Series, functions};
use crate::field::Element;
use std::arch::is_x86_feature_detected;
use std::arch::x86_64::*;

functions!(Blocks, "avx2,vaes,vpclmulqdq,aes,pclmulqdq");

pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("vaes")
        && is_x86_feature_detected!("vpclmulqdq")
        && is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
}

#[derive(Clone, Copy)]
struct Blocks(__m256i);

/// Ones and then zeros: the bytes from `32 - n` on select the first n bytes of a vector.
static SELECTION: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 32 {
        bytes[i] = 0xff;
        i += 1;
    }
    bytes
};

impl Vector for Blocks {
    const LANES: usize = 2;

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn zero() -> Self {
        Self(_mm256_setzero_si256())
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn first(block: u128) -> Self {
        Self(_mm256_zextsi128_si256(_mm_set_epi64x((block >> 64) as i64, block as i64)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn to_first(self) -> u128 {
        let lane = _mm256_castsi256_si128(self.0);
        u128::from(_mm_extract_epi64::<1>(lane) as u64) << 64 | u128::from(_mm_cvtsi128_si64(lane) as u64)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn splat(block: u128) -> Self {
        Self(_mm256_broadcastsi128_si256(_mm_set_epi64x((block >> 64) as i64, block as i64)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn splat_first(self) -> Self {
        Self(_mm256_permute2x128_si256::<0>(self.0, self.0))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn indices() -> Self {
        Self(_mm256_set_epi64x(0, 1, 0, 0))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load_splat(block: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(_mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(block.cast()) }))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller's promise; `fence` follows.
        unsafe { _mm256_stream_si256(to.cast(), self.0) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn stream_blocks(self, to: *mut u8) {
        // SAFETY: the caller's promise; `fence` follows.
        unsafe {
            _mm_stream_si128(to.cast(), _mm256_castsi256_si128(self.0));
            _mm_stream_si128(to.add(16).cast(), _mm256_extracti128_si256::<1>(self.0));
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn prefetch(from: *const u8) {
        _mm_prefetch::<_MM_HINT_T0>(from.cast());
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn fence() {
        _mm_sfence();
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load_part(from: *const u8, bytes: usize) -> Self {
        let mut padded = [0u8; 32];
        // SAFETY: `bytes` can be read, and at most 32 are written.
        unsafe {
            std::ptr::copy_nonoverlapping(from, padded.as_mut_ptr(), bytes);
            Self::load(padded.as_ptr())
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        let mut padded = [0u8; 32];
        // SAFETY: `bytes` can be written, and at most 32 are read.
        unsafe {
            self.store(padded.as_mut_ptr());
            std::ptr::copy_nonoverlapping(padded.as_ptr(), to, bytes);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn keep(self, bytes: usize) -> Self {
        // SAFETY: 32 bytes from any index up to 32 lie in the array.
        let selection = unsafe { _mm256_loadu_si256(SELECTION.as_ptr().add(32 - bytes).cast()) };
        Self(_mm256_and_si256(self.0, selection))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn xor(self, other: Self) -> Self {
        Self(_mm256_xor_si256(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn xor3(self, second: Self, third: Self) -> Self {
        Self(_mm256_xor_si256(_mm256_xor_si256(self.0, second.0), third.0))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn fold(self) -> Self {
        let lane = _mm_xor_si128(_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0));
        Self(_mm256_zextsi128_si256(lane))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn reverse(self) -> Self {
        let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        Self(_mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(order)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn swap_halves(self) -> Self {
        Self(_mm256_shuffle_epi32::<0x4e>(self.0))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn add_counters(self, other: Self) -> Self {
        Self(_mm256_add_epi32(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "avx2,vaes")]
    unsafe fn round(self, key: Self) -> Self {
        Self(_mm256_aesenc_epi128(self.0, key.0))
    }

    #[inline]
    #[target_feature(enable = "avx2,vaes")]
    unsafe fn last_round(self, key: Self) -> Self {
        Self(_mm256_aesenclast_epi128(self.0, key.0))
    }

    #[inline]
    #[target_feature(enable = "avx2,vpclmulqdq")]
    unsafe fn multiply_low(self, other: Self) -> Self {
        Self(_mm256_clmulepi64_epi128::<0x00>(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "avx2,vpclmulqdq")]
    unsafe fn multiply_high(self, other: Self) -> Self {
        Self(_mm256_clmulepi64_epi128::<0x11>(self.0, other.0))
    }
}
