use std::ops::{Add, AddAssign, Mul, MulAssign};
use zeroize::Zeroize;

/// x^128 + x^127 + x^126 + x^121 + 1 without its highest term: the field polynomial with its bits reversed.
const POLYNOMIAL: u128 = 0xc200_0000_0000_0000_0000_0000_0000_0001;

/// An element of the field GF(2^128) of NIST SP 800-38D, section 6.3.
///
/// All operations take a time that does not depend on the elements. They use the processor's carry-less multiplication
/// where it exists, and integer multiplication otherwise.
///
/// The 16 bytes of a block are read as a big-endian integer, so that the highest bit is the coefficient of x^0. In this
/// order a carry-less product of two elements is their product in the field divided by x (Gueron and Kounavis, "Intel
/// Carry-Less Multiplication Instruction and its Usage for Computing the GCM Mode", 2010).
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Element(pub(crate) u128);

impl Element {
    /// The neutral element of addition.
    pub const ZERO: Self = Self(0);
    /// The neutral element of multiplication.
    pub const ONE: Self = Self(1 << 127);

    /// Return the element that a block stands for.
    #[inline]
    pub const fn from_bytes(block: &[u8; 16]) -> Self {
        Self(u128::from_be_bytes(*block))
    }

    /// Return the block that stands for the element.
    #[inline]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// Return the element times itself.
    #[inline]
    #[must_use]
    pub fn square(self) -> Self {
        self * self
    }

    /// Return the element to the power of `exponent`. The time depends on the exponent, which is public.
    #[must_use]
    pub fn power(self, exponent: u64) -> Self {
        let mut result = Self::ONE;
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            result = result.square();
            if exponent >> bit & 1 == 1 {
                result *= self;
            }
        }
        result
    }

    /// Return the element whose product with this one is [`Element::ONE`], or zero for zero.
    #[must_use]
    pub fn inverse(self) -> Self {
        // By Fermat the inverse is a^(2^128 - 2), the square of a^(2^127 - 1), whose exponent has 127 ones in binary.
        let mut ones = self;
        for _ in 1..127 {
            ones = ones.square() * self;
        }
        ones.square()
    }

    /// Return the element times x. The carry-less product of the result and another element, divided by x^128 as in
    /// [`Element::reduce`], is the product in the field.
    #[inline]
    pub(crate) const fn times_x(self) -> u128 {
        self.0 << 1 ^ (0u128.wrapping_sub(self.0 >> 127) & POLYNOMIAL)
    }

    /// Return the low and the high half of a product divided by x^128 modulo the polynomial with its bits reversed.
    #[inline]
    const fn reduce(low: u128, high: u128) -> Self {
        let first = low as u64;
        let middle = times_top_terms(first);
        let second = (low >> 64) as u64 ^ middle as u64;
        let high = high ^ first as u128 ^ middle >> 64;
        Self(high ^ times_top_terms(second) ^ (second as u128) << 64)
    }
}

/// Return the carry-less product of `word` and x^63 + x^62 + x^57.
#[inline]
const fn times_top_terms(word: u64) -> u128 {
    let word = word as u128;
    word << 63 ^ word << 62 ^ word << 57
}

impl Add for Element {
    type Output = Self;

    #[inline]
    #[expect(clippy::suspicious_arithmetic_impl, reason = "addition in a field of characteristic 2 is exclusive or")]
    fn add(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl AddAssign for Element {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul for Element {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let (low, high) = product(self.0, other.0);
        // The product has 255 bits, so that nothing is lost.
        Self::reduce(low << 1, high << 1 | low >> 127)
    }
}

impl MulAssign for Element {
    #[inline]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl Zeroize for Element {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl std::fmt::Debug for Element {
    /// Write the type's name only: powers of the hash key are secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Element").finish_non_exhaustive()
    }
}

/// Return the low and the high half of the carry-less product.
#[inline]
fn product(a: u128, b: u128) -> (u128, u128) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("pclmulqdq") {
        // SAFETY: the processor has the instruction.
        return unsafe { product_pclmulqdq(a, b) };
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("aes") {
        // SAFETY: the processor has the instruction.
        return unsafe { product_pmull(a, b) };
    }
    product_of_words(a, b, carryless)
}

#[inline(always)]
fn product_of_words(a: u128, b: u128, carryless: impl Fn(u64, u64) -> u128) -> (u128, u128) {
    let (a0, a1, b0, b1) = (a as u64, (a >> 64) as u64, b as u64, (b >> 64) as u64);
    let middle = carryless(a0, b1) ^ carryless(a1, b0);
    (carryless(a0, b0) ^ middle << 64, carryless(a1, b1) ^ middle >> 64)
}

/// Return the carry-less product by integer multiplication.
///
/// Of each operand every fifth bit is kept, so that a position of the product is a sum of at most 13 bits and carries
/// do not reach the next position of the same class. The lowest bit of each sum is the wanted exclusive or. The time
/// is constant where the processor's multiplication takes constant time.
fn carryless(a: u64, b: u64) -> u128 {
    const EVERY_FIFTH: u128 = 0x2108_4210_8421_0842_1084_2108_4210_8421;
    let part = |word: u64, class: usize| u128::from(word) & EVERY_FIFTH << class;
    let mut result = 0;
    for class in 0..5 {
        let mut sum = 0;
        for i in 0..5 {
            sum ^= part(a, i) * part(b, (class + 5 - i) % 5);
        }
        result |= sum & EVERY_FIFTH << class;
    }
    result
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "pclmulqdq,sse2")]
fn product_pclmulqdq(a: u128, b: u128) -> (u128, u128) {
    use std::arch::x86_64::*;
    let vector = |x: u128| _mm_set_epi64x((x >> 64) as i64, x as i64);
    let integer = |x: __m128i| {
        let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(x, x)) as u64;
        u128::from(high) << 64 | u128::from(_mm_cvtsi128_si64(x) as u64)
    };
    let (a, b) = (vector(a), vector(b));
    let middle = integer(_mm_xor_si128(_mm_clmulepi64_si128(a, b, 0x01), _mm_clmulepi64_si128(a, b, 0x10)));
    let low = integer(_mm_clmulepi64_si128(a, b, 0x00)) ^ middle << 64;
    (low, integer(_mm_clmulepi64_si128(a, b, 0x11)) ^ middle >> 64)
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "aes,neon")]
fn product_pmull(a: u128, b: u128) -> (u128, u128) {
    product_of_words(a, b, |a, b| std::arch::aarch64::vmull_p64(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_multiplication_agrees_with_the_instruction() {
        let mut state = 1u128;
        for _ in 0..1000 {
            state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
            let (a, b) = (state ^ state >> 61, state.rotate_left(47));
            assert_eq!(product_of_words(a, b, carryless), product(a, b));
        }
        let ones = u128::MAX;
        assert_eq!(product_of_words(ones, ones, carryless), product(ones, ones));
    }
}
