//! Poly1305 with AVX2, four blocks in a vector, after Goll and Gueron.
//!
//! A vector of blocks is five registers of four lanes: limbs of 26 bits, whose products fit in a lane of 64 bits. The
//! running value has four lanes too. Each pass multiplies them by a power of r and adds vectors of blocks; at the end
//! each lane is multiplied by the power for its own place, and the lanes are added.

use crate::element::{Element, MASK44};
use crate::wipe::wipe;
use std::arch::x86_64::*;
use std::array::from_fn;

/// Blocks in one vector.
const LANES: usize = 4;

/// Vectors in one pass.
const VECTORS: usize = 2;

/// Limbs of 26 bits in a number.
const LIMBS: usize = 5;

const MASK26: u64 = (1 << 26) - 1;

/// A multiplier with the multiples that reduce a product: limbs 0 to 4, then limbs 1 to 4 times 5.
type Multiplier = [u64; 2 * LIMBS - 1];

/// Powers of r.
pub(super) struct Table {
    /// The multipliers r⁸ and r⁴, for the running value and the vectors of a pass.
    passes: [Multiplier; VECTORS],
    /// The multipliers r⁴ to r¹, with each limb of all lanes together. See [`block_of_lane`].
    places: [[u64; LANES]; 2 * LIMBS - 1],
}

/// The number of the block that a lane holds: the order in which [`split`] leaves them.
const fn block_of_lane(lane: usize) -> usize {
    lane / 2 + lane % 2 * 2
}

impl Table {
    pub(super) fn new(r: Element) -> Self {
        let square = r.mul(r);
        let fourth = square.mul(square);
        let mut powers = [fourth, square.mul(r), square, r];
        let multipliers = powers.map(multiplier);
        let passes = [multiplier(fourth.mul(fourth)), multipliers[0]];
        let places = from_fn(|limb| from_fn(|lane| multipliers[block_of_lane(lane)][limb]));
        wipe(&mut powers);
        Self { passes, places }
    }

    pub(super) fn wipe(&mut self) {
        wipe(&mut self.passes);
        wipe(&mut self.places);
    }
}

/// Return the five limbs of a number, below 2²⁶ but the last, which may be equal to it.
fn limbs(number: Element) -> [u64; LIMBS] {
    let (low, high, top) = number.canonical();
    [
        low & MASK26,
        (low >> 26) & MASK26,
        ((low >> 52) | (high << 12)) & MASK26,
        (high >> 14) & MASK26,
        (high >> 40) | (top << 24),
    ]
}

fn multiplier(number: Element) -> Multiplier {
    let limbs = limbs(number);
    from_fn(|index| if index < LIMBS { limbs[index] } else { 5 * limbs[index - LIMBS + 1] })
}

/// Five limbs of four numbers.
type Limbs = [__m256i; LIMBS];

/// A multiplier for each lane.
type Factors = [__m256i; 2 * LIMBS - 1];

#[target_feature(enable = "avx2")]
pub(super) fn hash(table: &Table, value: Element, blocks: &[[u8; 16]]) -> Element {
    // The first vector may have fewer than four blocks, which stand in its last places, behind blocks of value 0.
    let head = (blocks.len() - 1) % LANES + 1;
    let (head, rest) = blocks.split_at(head);
    let mut lanes = load_head(head, value);

    let (vectors, _) = rest.as_chunks::<LANES>();
    let (single, passes) = vectors.split_at(vectors.len() % VECTORS);
    let [eighth, fourth]: [Factors; VECTORS] = table.passes.map(|power| power.map(|limb| set1(limb)));
    for vector in single {
        lanes = reduce(&add_product(&load(vector), &lanes, &fourth));
    }
    let (passes, _) = passes.as_chunks::<VECTORS>();
    for [first, last] in passes {
        let sum = add_product(&load(last), &load(first), &fourth);
        lanes = reduce(&add_product(&sum, &lanes, &eighth));
    }

    // SAFETY: a limb of all lanes is as long as the register.
    let places = table.places.each_ref().map(|limb| unsafe { _mm256_loadu_si256(limb.as_ptr().cast()) });
    let sum = reduce(&add_product(&[_mm256_setzero_si256(); LIMBS], &lanes, &places));
    let [a, b, c, d, e] = sum.map(|limb| add_lanes(limb));
    // Sums of four limbs are below 2^29. The limbs of 26 bits start at bits 0, 26, 52, 78 and 104 of the number.
    let low = a + (b << 26);
    let middle = (low >> 44) + (c << 8) + (d << 34);
    Element::from_wide_limbs([low & MASK44, middle & MASK44, (middle >> 44) + (e << 16)])
}

/// Return the sum plus the products of lanes that have limbs below 2²⁸.
///
/// Factors are below 5 · 2²⁶, so each coefficient of two products is below 2 · 5 · 5 · 2⁵⁴ < 2⁶⁰.
#[inline]
#[target_feature(enable = "avx2")]
fn add_product(sum: &Limbs, a: &Limbs, factors: &Factors) -> Limbs {
    let mut sum = *sum;
    for (row, limb) in a.iter().enumerate() {
        for (column, coefficient) in sum.iter_mut().enumerate() {
            // The product of limbs i and j has the weight 2^(26 (i + j)), and 2^130 is 5.
            let index = if row <= column { column - row } else { 2 * LIMBS - 1 + column - row };
            *coefficient = add(*coefficient, _mm256_mul_epu32(*limb, factors[index]));
        }
    }
    sum
}

/// Return limbs below 2²⁶ but limbs 1 and 4, which are below 2²⁶ + 2¹⁴, for coefficients below 2⁶⁰.
///
/// Two chains of carries run side by side: from limb 0 and from limb 3.
#[inline]
#[target_feature(enable = "avx2")]
fn reduce(sum: &Limbs) -> Limbs {
    let mut limbs = *sum;
    for (low, high) in [(0, 1), (3, 4), (1, 2), (4, 0), (2, 3), (0, 1), (3, 4)] {
        let carry = _mm256_srli_epi64::<26>(limbs[low]);
        limbs[low] = _mm256_and_si256(limbs[low], set1(MASK26));
        limbs[high] = add(limbs[high], carry);
        if high == 0 {
            limbs[high] = add(limbs[high], _mm256_slli_epi64::<2>(carry));
        }
    }
    limbs
}

/// Return the limbs of four blocks with their bit 2¹²⁸.
#[inline]
#[target_feature(enable = "avx2")]
fn load(blocks: &[[u8; 16]; LANES]) -> Limbs {
    let (halves, _) = blocks.as_flattened().as_chunks::<32>();
    // SAFETY: each half is as long as the register.
    let [first, second] = [0, 1].map(|half| unsafe { _mm256_loadu_si256(halves[half].as_ptr().cast()) });
    split(first, second, set1(1 << 24))
}

/// Return the limbs of one to four blocks in the last places, with the value added to the first of them.
#[inline]
#[target_feature(enable = "avx2")]
fn load_head(blocks: &[[u8; 16]], value: Element) -> Limbs {
    let absent = LANES - blocks.len();
    let mut places = [[0; 16]; LANES];
    places[absent..].copy_from_slice(blocks);
    let tops: [u64; LANES] = from_fn(|lane| u64::from(block_of_lane(lane) >= absent) << 24);
    let mut added = [[0; LANES]; LIMBS];
    for (limb, lanes) in limbs(value).into_iter().zip(&mut added) {
        lanes[absent % 2 * 2 + absent / 2] = limb;
    }
    // SAFETY: both are as long as the register.
    let register = |lanes: &[u64; LANES]| unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) };
    let (halves, _) = places.as_flattened().as_chunks::<32>();
    // SAFETY: as above.
    let [first, second] = [0, 1].map(|half| unsafe { _mm256_loadu_si256(halves[half].as_ptr().cast()) });
    let limbs = split(first, second, register(&tops));
    from_fn(|limb| add(limbs[limb], register(&added[limb])))
}

/// Return the limbs of blocks 0 and 1, and 2 and 3, where the upper limb contains `top`.
#[inline]
#[target_feature(enable = "avx2")]
fn split(first: __m256i, second: __m256i, top: __m256i) -> Limbs {
    let low = _mm256_unpacklo_epi64(first, second);
    let high = _mm256_unpackhi_epi64(first, second);
    let mask = set1(MASK26);
    let middle = _mm256_or_si256(_mm256_srli_epi64::<52>(low), _mm256_slli_epi64::<12>(high));
    [
        _mm256_and_si256(low, mask),
        _mm256_and_si256(_mm256_srli_epi64::<26>(low), mask),
        _mm256_and_si256(middle, mask),
        _mm256_and_si256(_mm256_srli_epi64::<14>(high), mask),
        _mm256_or_si256(_mm256_srli_epi64::<40>(high), top),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_lanes(register: __m256i) -> u64 {
    let pair = _mm_add_epi64(_mm256_castsi256_si128(register), _mm256_extracti128_si256::<1>(register));
    (_mm_cvtsi128_si64(pair) as u64).wrapping_add(_mm_extract_epi64::<1>(pair) as u64)
}

#[inline]
#[target_feature(enable = "avx2")]
fn set1(number: u64) -> __m256i {
    _mm256_set1_epi64x(number as i64)
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: __m256i, b: __m256i) -> __m256i {
    _mm256_add_epi64(a, b)
}
