use crate::Error;
use crate::element::Element;
use std::fmt;
use std::ops::{Add, AddAssign, Mul};
use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A Poly1305 value that keeps all 130 bits: the value of a segment, a power of r, or a sum of products of these.
///
/// It is a number modulo 2¹³⁰ − 5. All operations take constant time. The value is secret, because it reveals r to
/// anybody who knows the blocks; it is wiped on drop and not printed.
#[derive(Clone, Default)]
pub struct Partial(pub(crate) Element);

impl Partial {
    /// The length of [`Partial::to_bytes`].
    pub const BYTES: usize = 17;

    /// Return the number below 2¹³⁰ − 5, least significant byte first, so that it can be sent.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let (low, high, top) = self.0.canonical();
        let mut bytes = [top as u8; Self::BYTES];
        bytes[..8].copy_from_slice(&low.to_le_bytes());
        bytes[8..16].copy_from_slice(&high.to_le_bytes());
        bytes
    }

    /// Return the value that [`Partial::to_bytes`] stored.
    ///
    /// # Errors
    /// [`Error::Partial`] unless the number is below 2¹³⁰ − 5.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Result<Self, Error> {
        let (number, top) = bytes.split_at(16);
        let number = number.try_into().map_err(|_| Error::Partial)?;
        let value = Self(Element::from_block(number, u64::from(top[0] & 3)));
        if value.to_bytes().ct_eq(bytes).into() { Ok(value) } else { Err(Error::Partial) }
    }
}

impl Zeroize for Partial {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl ZeroizeOnDrop for Partial {}

impl fmt::Debug for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Partial(..)")
    }
}

impl ConstantTimeEq for Partial {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.to_bytes().ct_eq(&other.to_bytes())
    }
}

impl Add for &Partial {
    type Output = Partial;

    fn add(self, other: Self) -> Partial {
        Partial(self.0.add(other.0))
    }
}

impl AddAssign<&Partial> for Partial {
    fn add_assign(&mut self, other: &Self) {
        self.0 = self.0.add(other.0);
    }
}

impl Mul for &Partial {
    type Output = Partial;

    fn mul(self, other: Self) -> Partial {
        Partial(self.0.mul(other.0))
    }
}
