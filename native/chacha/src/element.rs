//! The field of 2¹³⁰ − 5 elements in constant time: numbers of three limbs of 44, 44 and 42 bits.
//!
//! The limbs have the width that IFMA needs, so both kernels share the representation. A limb may exceed its width by a
//! few bits until [`Element::canonical`]. The products of two limbs are below 2⁹⁶ and are added as `u128`.

use subtle::{Choice, ConditionallySelectable};
use zeroize::DefaultIsZeroes;

/// 2⁴⁴ − 1, the largest value of a lower limb.
pub(crate) const MASK44: u64 = (1 << 44) - 1;
/// 2⁴² − 1, the largest value of the upper limb.
pub(crate) const MASK42: u64 = (1 << 42) - 1;

/// A number modulo 2¹³⁰ − 5. Its limbs are below 2⁴⁵.
#[derive(Clone, Copy, Default)]
pub(crate) struct Element(pub(crate) [u64; 3]);

impl DefaultIsZeroes for Element {}

/// The multiplier of a product with the multiples that reduce it: limbs 0, 1 and 2, then limbs 1 and 2 times 20.
///
/// The product of two limbs can have the weight 2¹³² = 4 · 2¹³⁰, which is 20 modulo 2¹³⁰ − 5.
pub(crate) type Multiplier = [u64; 5];

impl Element {
    pub(crate) const ZERO: Self = Self([0; 3]);
    pub(crate) const ONE: Self = Self([1, 0, 0]);

    /// Return low + 2⁶⁴ · high + 2¹²⁸ · top, for top below 2⁴.
    #[inline]
    pub(crate) fn from_words(low: u64, high: u64, top: u64) -> Self {
        Self([low & MASK44, ((low >> 44) | (high << 20)) & MASK44, (high >> 24) | (top << 40)])
    }

    /// Return the number of 16 bytes, least significant first, plus 2¹²⁸ · top.
    #[inline]
    pub(crate) fn from_block(block: &[u8; 16], top: u64) -> Self {
        let number = u128::from_le_bytes(*block);
        Self::from_words(number as u64, (number >> 64) as u64, top)
    }

    /// Return a number with limbs of the width stated at [`Element`], for limbs below 2⁶⁰.
    #[inline]
    pub(crate) fn from_wide_limbs([mut a, mut b, mut c]: [u64; 3]) -> Self {
        b += a >> 44;
        c += b >> 44;
        a = (a & MASK44) + 5 * (c >> 42);
        b = (b & MASK44) + (a >> 44);
        Self([a & MASK44, b, c & MASK42])
    }

    #[inline]
    pub(crate) fn multiplier(self) -> Multiplier {
        let [a, b, c] = self.0;
        [a, b, c, 20 * b, 20 * c]
    }

    #[inline]
    pub(crate) fn add(self, other: Self) -> Self {
        Self::from_wide_limbs(std::array::from_fn(|limb| self.0[limb] + other.0[limb]))
    }

    #[inline]
    pub(crate) fn mul(self, other: Self) -> Self {
        let mut product = Product::default();
        product.add(self, &other.multiplier());
        product.reduce()
    }

    /// Return the power by squaring. The time depends on the exponent, which is a public number of blocks.
    pub(crate) fn power(self, exponent: u64) -> Self {
        let mut result = Self::ONE;
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            result = result.mul(result);
            if exponent >> bit & 1 == 1 {
                result = result.mul(self);
            }
        }
        result
    }

    /// Return the number below 2¹³⁰ − 5 as low, high and top words of 64, 64 and 2 bits.
    pub(crate) fn canonical(self) -> (u64, u64, u64) {
        // The first pass leaves limb 1 at most 2^44 and the others within their width. After the second, all are.
        let [a, b, c] = Self::from_wide_limbs(Self::from_wide_limbs(self.0).0).0;
        let mut less = [a + 5, b, c];
        less[1] += less[0] >> 44;
        less[2] += less[1] >> 44;
        let exceeds = Choice::from((less[2] >> 42) as u8);
        let limb = |index: usize, mask: u64| u64::conditional_select(&[a, b, c][index], &(less[index] & mask), exceeds);
        let (a, b, c) = (limb(0, MASK44), limb(1, MASK44), limb(2, MASK42));
        (a | (b << 44), (b >> 20) | (c << 24), c >> 40)
    }
}

/// A sum of products that is not yet reduced: coefficients of 1, 2⁴⁴ and 2⁸⁸. Up to 8 products fit.
#[derive(Clone, Copy, Default)]
pub(crate) struct Product([u128; 3]);

impl Product {
    /// Add the product of `a` and the multiplier.
    #[inline]
    pub(crate) fn add(&mut self, a: Element, multiplier: &Multiplier) {
        let a = a.0.map(u128::from);
        let [b0, b1, b2, s1, s2] = multiplier.map(u128::from);
        self.0[0] += a[0] * b0 + a[1] * s2 + a[2] * s1;
        self.0[1] += a[0] * b1 + a[1] * b0 + a[2] * s2;
        self.0[2] += a[0] * b2 + a[1] * b1 + a[2] * b0;
    }

    #[inline]
    pub(crate) fn reduce(self) -> Element {
        let [a, mut b, mut c] = self.0;
        b += a >> 44;
        c += b >> 44;
        // Coefficients are below 2^100, so the carry is below 2^58 and five times it fits.
        let a = (a as u64 & MASK44) + 5 * (c >> 42) as u64;
        let b = (b as u64 & MASK44) + (a >> 44);
        Element([a & MASK44, b, c as u64 & MASK42])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_beyond_their_width_are_reduced() {
        // 2^44 - 1 + 2^44 (2^44 - 1) + 2^88 (2^42 + 1) = 2^130 + 2^89 - 1, whose carry runs through two limbs.
        assert_eq!(Element([MASK44, MASK44, (1 << 42) + 1]).canonical(), (4, 1 << 25, 0));
        // 2^130 - 5 and its neighbours.
        for (lowest, expected) in
            [(MASK44 - 5, (u64::MAX - 5, u64::MAX, 3)), (MASK44 - 4, (0, 0, 0)), (MASK44, (4, 0, 0))]
        {
            assert_eq!(Element([lowest, MASK44, MASK42]).canonical(), expected);
        }
        // All limbs as large as `from_wide_limbs` takes them: (2^60 - 1) (1 + 2^44 + 2^88).
        let limb = (1 << 60) - 1;
        let sum = (0..60).fold(Element::ZERO, |sum, _| sum.add(sum).add(Element([1, 1, 1])));
        assert_eq!(Element::from_wide_limbs([limb; 3]).canonical(), sum.canonical());
    }
}
