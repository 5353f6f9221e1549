//! Poly1305 with AVX-512 IFMA, eight blocks in a vector, as Goll and Gueron describe it for wider multipliers.
//!
//! A vector of blocks is three registers of eight lanes: limbs of 44, 44 and 42 bits. The instructions multiply 52 bits
//! and add the lower or upper 52 bits of the product, so each coefficient is a pair (low, high) with the value
//! low + 2⁵² · high, which is reduced once for a sum of up to four products.
//!
//! The running value has eight lanes too. Each pass multiplies them by a power of r and adds vectors of blocks; at the
//! end each lane is multiplied by the power for its own place, and the lanes are added.

use crate::element::{Element, MASK42, MASK44, Multiplier};
use crate::wipe::wipe;
use std::arch::x86_64::*;
use std::array::from_fn;

/// Blocks in one vector.
const LANES: usize = 8;

/// Vectors in one pass.
const VECTORS: usize = 4;

/// Powers of r.
pub(super) struct Table {
    /// The multipliers r³², r²⁴, r¹⁶ and r⁸, for the running value and the vectors of a pass.
    passes: [Multiplier; VECTORS],
    /// The multipliers r⁸ to r¹, with each limb of all lanes together. See [`block_of_lane`].
    places: [[u64; LANES]; 5],
}

/// The number of the block that a lane holds: the order in which [`interleave`] leaves them.
const fn block_of_lane(lane: usize) -> usize {
    lane / 2 + lane % 2 * 4
}

impl Table {
    pub(super) fn new(r: Element) -> Self {
        let mut powers = [r; LANES];
        for index in 1..LANES {
            // Powers of the lower half multiply to those of the upper half, which the processor computes side by side.
            let half = index / 2;
            powers[index] = powers[half].mul(powers[index - half - 1]);
        }
        let eighth = powers[LANES - 1];
        let sixteenth = eighth.mul(eighth);
        let passes = [sixteenth.mul(sixteenth), sixteenth.mul(eighth), sixteenth, eighth].map(Element::multiplier);
        let multipliers = powers.map(Element::multiplier);
        let places = from_fn(|limb| from_fn(|lane| multipliers[LANES - 1 - block_of_lane(lane)][limb]));
        wipe(&mut powers);
        Self { passes, places }
    }

    pub(super) fn wipe(&mut self) {
        wipe(&mut self.passes);
        wipe(&mut self.places);
    }
}

/// Three limbs of eight numbers.
type Limbs = [__m512i; 3];

/// A multiplier for each lane.
type Factors = [__m512i; 5];

#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn hash(table: &Table, value: Element, blocks: &[[u8; 16]]) -> Element {
    // The first vector may have fewer than eight blocks, which stand in its last places, behind blocks of value 0.
    let head = (blocks.len() - 1) % LANES + 1;
    let (head, rest) = blocks.split_at(head);
    let mut lanes = load_head(head, value);

    let (vectors, _) = rest.as_chunks::<LANES>();
    let (single, passes) = vectors.split_at(vectors.len() % VECTORS);
    let powers: [Factors; VECTORS] = from_fn(|index| from_fn(|limb| set1(table.passes[index][limb])));
    for vector in single {
        let mut sum = Sums::of(load(vector));
        sum.add_product(&lanes, &powers[VECTORS - 1]);
        lanes = sum.reduce();
    }
    let (passes, _) = passes.as_chunks::<VECTORS>();
    for [first, second, third, last] in passes {
        let mut sum = Sums::of(load(last));
        sum.add_product(&load(first), &powers[1]);
        sum.add_product(&load(second), &powers[2]);
        sum.add_product(&load(third), &powers[3]);
        sum.add_product(&lanes, &powers[0]);
        lanes = sum.reduce();
    }

    let mut sum = Sums::of([_mm512_setzero_si512(); 3]);
    // SAFETY: a limb of all lanes is as long as the register.
    let places = table.places.each_ref().map(|limb| unsafe { _mm512_loadu_si512(limb.as_ptr().cast()) });
    sum.add_product(&lanes, &places);
    // Reduced limbs are below 2^45, so the sums of eight lanes are below 2^48.
    Element::from_wide_limbs(sum.reduce().map(|limb| _mm512_reduce_add_epi64(limb) as u64))
}

/// Coefficients of 1, 2⁴⁴ and 2⁸⁸, each low + 2⁵² · high.
struct Sums {
    low: Limbs,
    high: Limbs,
}

impl Sums {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn of(low: Limbs) -> Self {
        Self { low, high: [_mm512_setzero_si512(); 3] }
    }

    /// Add the products of lanes that have limbs below 2⁴⁶.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn add_product(&mut self, [a0, a1, a2]: &Limbs, [b0, b1, b2, s1, s2]: &Factors) {
        for [(x0, y0), (x1, y1), (x2, y2)] in
            [[(a0, b0), (a0, b1), (a0, b2)], [(a1, s2), (a1, b0), (a1, b1)], [(a2, s1), (a2, s2), (a2, b0)]]
        {
            self.low[0] = _mm512_madd52lo_epu64(self.low[0], *x0, *y0);
            self.low[1] = _mm512_madd52lo_epu64(self.low[1], *x1, *y1);
            self.low[2] = _mm512_madd52lo_epu64(self.low[2], *x2, *y2);
            self.high[0] = _mm512_madd52hi_epu64(self.high[0], *x0, *y0);
            self.high[1] = _mm512_madd52hi_epu64(self.high[1], *x1, *y1);
            self.high[2] = _mm512_madd52hi_epu64(self.high[2], *x2, *y2);
        }
    }

    /// Return limbs below 2⁴⁵ after at most four products.
    ///
    /// Low parts are then below 12 · 2⁵² + 2⁴⁴ and high parts below 12 · 2⁴⁴, so no sum here exceeds 2⁶⁰.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn reduce(&self) -> Limbs {
        let [l0, l1, l2] = self.low;
        let [h0, h1, h2] = self.high;
        // 2^52 is 2^8 of the next limb. Above the last one, 2^(88 + 52) is 2^10 · 2^130, which is 5 · 2^10.
        let l0 = add(l0, add(_mm512_slli_epi64::<10>(h2), _mm512_slli_epi64::<12>(h2)));
        let l1 = add(l1, _mm512_slli_epi64::<8>(h0));
        let l2 = add(l2, _mm512_slli_epi64::<8>(h1));
        // All limbs carry at once: each carry is below 2^16, five times it is below 2^19.
        let top = _mm512_srli_epi64::<42>(l2);
        let mask = set1(MASK44);
        [
            add(and(l0, mask), add(top, _mm512_slli_epi64::<2>(top))),
            add(and(l1, mask), _mm512_srli_epi64::<44>(l0)),
            add(and(l2, set1(MASK42)), _mm512_srli_epi64::<44>(l1)),
        ]
    }
}

/// Return the limbs of eight blocks with their bit 2¹²⁸.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(blocks: &[[u8; 16]; LANES]) -> Limbs {
    let (halves, _) = blocks.as_flattened().as_chunks::<64>();
    // SAFETY: each half is as long as the register.
    let [first, second] = [0, 1].map(|half| unsafe { _mm512_loadu_si512(halves[half].as_ptr().cast()) });
    split(first, second, set1(1 << 40))
}

/// Return the limbs of one to eight blocks in the last places, with the value added to the first of them.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_head(blocks: &[[u8; 16]], value: Element) -> Limbs {
    let absent = LANES - blocks.len();
    let words = 0xffff_u16 << (2 * absent);
    let (first, second) = (words as u8, (words >> 8) as u8);
    let start = blocks.as_ptr().cast::<i64>();
    // SAFETY: the loads read one word for each bit set in their mask, two for each block; the second load starts at the
    // word after those of the first.
    let (first_words, second_words) = unsafe {
        (
            _mm512_maskz_expandloadu_epi64(first, start),
            _mm512_maskz_expandloadu_epi64(second, start.add(first.count_ones() as usize)),
        )
    };
    let top = |words| _mm512_maskz_set1_epi64(words, 1 << 40);
    let limbs = split(first_words, second_words, _mm512_unpacklo_epi64(top(first), top(second)));
    // The lane of the first block, as block_of_lane gives it.
    let lane = 1 << (absent % 4 * 2 + absent / 4);
    from_fn(|limb| add(limbs[limb], _mm512_maskz_set1_epi64(lane, value.0[limb] as i64)))
}

/// Return the limbs of blocks 0 to 3 and 4 to 7, where the upper limb contains `top`.
#[inline]
#[target_feature(enable = "avx512f")]
fn split(first: __m512i, second: __m512i, top: __m512i) -> Limbs {
    let low = _mm512_unpacklo_epi64(first, second);
    let high = _mm512_unpackhi_epi64(first, second);
    let mask = set1(MASK44);
    let middle = _mm512_or_si512(_mm512_srli_epi64::<44>(low), _mm512_slli_epi64::<20>(high));
    [and(low, mask), and(middle, mask), _mm512_or_si512(_mm512_srli_epi64::<24>(high), top)]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn set1(number: u64) -> __m512i {
    _mm512_set1_epi64(number as i64)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi64(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn and(a: __m512i, b: __m512i) -> __m512i {
    _mm512_and_si512(a, b)
}
