use super::fused::Expanded;
use super::vector::Vector;
use super::{Job, Series, functions};
use crate::field::Element;
use std::arch::is_x86_feature_detected;
use std::arch::x86_64::*;

/// The operation of `vpternlogq` that is the exclusive or of three operands.
const XOR3: i32 = 0x96;

functions!(Blocks, "avx512f,avx512bw,avx512vl,vaes,vpclmulqdq,aes,pclmulqdq,sse4.1");

pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("vaes")
        && is_x86_feature_detected!("vpclmulqdq")
        && is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
}

#[derive(Clone, Copy)]
struct Blocks(__m512i);

/// Return a mask of the first `bytes`, 1 to 64.
fn mask(bytes: usize) -> __mmask64 {
    u64::MAX >> (64 - bytes)
}

impl Vector for Blocks {
    const LANES: usize = 4;

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn zero() -> Self {
        Self(_mm512_setzero_si512())
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn first(block: u128) -> Self {
        Self(_mm512_zextsi128_si512(_mm_set_epi64x((block >> 64) as i64, block as i64)))
    }

    #[inline]
    #[target_feature(enable = "avx512f,sse4.1")]
    unsafe fn to_first(self) -> u128 {
        let lane = _mm512_castsi512_si128(self.0);
        u128::from(_mm_extract_epi64::<1>(lane) as u64) << 64 | u128::from(_mm_cvtsi128_si64(lane) as u64)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn splat(block: u128) -> Self {
        Self(_mm512_broadcast_i32x4(_mm_set_epi64x((block >> 64) as i64, block as i64)))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn splat_first(self) -> Self {
        Self(_mm512_shuffle_i32x4::<0>(self.0, self.0))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn indices() -> Self {
        Self(_mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load_splat(block: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(_mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(block.cast()) }))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller's promise; `fence` follows.
        unsafe { _mm512_stream_si512(to.cast(), self.0) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn stream_blocks(self, to: *mut u8) {
        // SAFETY: the caller's promise; `fence` follows.
        unsafe {
            _mm_stream_si128(to.cast(), _mm512_castsi512_si128(self.0));
            _mm_stream_si128(to.add(16).cast(), _mm512_extracti32x4_epi32::<1>(self.0));
            _mm_stream_si128(to.add(32).cast(), _mm512_extracti32x4_epi32::<2>(self.0));
            _mm_stream_si128(to.add(48).cast(), _mm512_extracti32x4_epi32::<3>(self.0));
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn prefetch(from: *const u8) {
        _mm_prefetch::<_MM_HINT_T0>(from.cast());
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn fence() {
        _mm_sfence();
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    unsafe fn load_part(from: *const u8, bytes: usize) -> Self {
        // SAFETY: a masked load reads no other bytes.
        Self(unsafe { _mm512_maskz_loadu_epi8(mask(bytes), from.cast()) })
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        // SAFETY: a masked store writes no other bytes.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), mask(bytes), self.0) }
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    unsafe fn keep(self, bytes: usize) -> Self {
        Self(_mm512_maskz_mov_epi8(mask(bytes), self.0))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn xor(self, other: Self) -> Self {
        Self(_mm512_xor_si512(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn xor3(self, second: Self, third: Self) -> Self {
        Self(_mm512_ternarylogic_epi64::<XOR3>(self.0, second.0, third.0))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    unsafe fn fold(self) -> Self {
        let halves = _mm256_xor_si256(_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64::<1>(self.0));
        let lane = _mm_xor_si128(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        Self(_mm512_zextsi128_si512(lane))
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    unsafe fn reverse(self) -> Self {
        let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        Self(_mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(order)))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn swap_halves(self) -> Self {
        Self(_mm512_shuffle_epi32::<0x4e>(self.0))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn add_counters(self, other: Self) -> Self {
        Self(_mm512_add_epi32(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "avx512f,vaes")]
    unsafe fn round(self, key: Self) -> Self {
        Self(_mm512_aesenc_epi128(self.0, key.0))
    }

    #[inline]
    #[target_feature(enable = "avx512f,vaes")]
    unsafe fn last_round(self, key: Self) -> Self {
        Self(_mm512_aesenclast_epi128(self.0, key.0))
    }

    #[inline]
    #[target_feature(enable = "avx512f,vpclmulqdq")]
    unsafe fn multiply_low(self, other: Self) -> Self {
        Self(_mm512_clmulepi64_epi128::<0x00>(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "avx512f,vpclmulqdq")]
    unsafe fn multiply_high(self, other: Self) -> Self {
        Self(_mm512_clmulepi64_epi128::<0x11>(self.0, other.0))
    }
}
