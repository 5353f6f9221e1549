use crate::element::Element;
use crate::wipe::wipe;
use crate::{Error, Partial, Poly};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Powers r, r², r⁴, … up to the number of blocks of the longest message, 2³⁴, and its lengths.
const SQUARES: usize = 35;

/// The sum of the values of a message's segments, which gives its tag. The segments are added in any order.
///
/// The value of a segment is multiplied by r to the number of blocks after it: those of the message, and one for the
/// lengths that RFC 8439 appends. The sum is wiped on drop.
pub struct Sum<'message> {
    poly: &'message Poly,
    s: [u8; 16],
    /// r to the powers of two that the message needs; the others are 0.
    squares: [Element; SQUARES],
    total: Element,
    length: u64,
    added: u64,
}

impl<'message> Sum<'message> {
    /// Start with the associated data and the lengths, for a message of at most [`crate::MAX_LENGTH`] bytes.
    pub(crate) fn new(poly: &'message Poly, s: [u8; 16], associated: &[u8], length: u64) -> Self {
        let mut squares = [Element::ZERO; SQUARES];
        squares[0] = poly.r();
        let needed = u64::BITS - (length.div_ceil(16) + 1).leading_zeros();
        for index in 1..needed as usize {
            squares[index] = squares[index - 1].mul(squares[index - 1]);
        }
        let total = poly.append_lengths(Element::ZERO, associated.len() as u64, length);
        let mut sum = Self { poly, s, squares, total, length, added: 0 };
        if !associated.is_empty() {
            sum.add_value(&poly.hash(associated), 0);
        }
        sum
    }

    /// Add the value of the segment of `length` bytes at `offset`. Each segment must be added exactly once.
    ///
    /// # Errors
    /// [`Error::Range`] for a segment that ends after the message; [`Error::Alignment`] for one that starts, or ends
    /// before the end of the message, at an offset that is not a multiple of 16; [`Error::Coverage`] if the segments
    /// added are longer in total than the message. The sum is then unchanged.
    pub fn add(&mut self, offset: u64, length: u64, value: &Partial) -> Result<(), Error> {
        let end = offset.saturating_add(length);
        if end > self.length {
            return Err(Error::Range { end, length: self.length });
        }
        for edge in [offset, end] {
            if edge % 16 != 0 && edge != self.length {
                return Err(Error::Alignment { offset: edge });
            }
        }
        let added = self.added.saturating_add(length);
        if added > self.length {
            return Err(Error::Coverage { added, length: self.length });
        }
        self.added = added;
        if length > 0 {
            self.add_value(value, end);
        }
        Ok(())
    }

    /// Return the tag.
    ///
    /// # Errors
    /// [`Error::Coverage`] unless the segments added have the length of the message in total. A segment added twice in
    /// place of another one of the same length is not detected here; the tag is then wrong.
    pub fn tag(self) -> Result<[u8; 16], Error> {
        if self.added != self.length {
            return Err(Error::Coverage { added: self.added, length: self.length });
        }
        Ok(self.poly.finish(&Partial(self.total), self.s))
    }

    /// Compare the tag in constant time.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it differs; [`Error::Coverage`] as [`Sum::tag`].
    pub fn verify(self, tag: &[u8; 16]) -> Result<(), Error> {
        if self.tag()?.ct_eq(tag).into() { Ok(()) } else { Err(Error::Authentication) }
    }

    /// Add a value that the blocks from byte `end` of the message on, and the lengths, follow.
    fn add_value(&mut self, value: &Partial, end: u64) {
        let blocks = self.length.div_ceil(16) - end.div_ceil(16) + 1;
        let mut product = value.0;
        for (index, square) in self.squares.iter().enumerate() {
            if blocks >> index & 1 == 1 {
                product = product.mul(*square);
            }
        }
        self.total = self.total.add(product);
    }
}

impl Drop for Sum<'_> {
    fn drop(&mut self) {
        wipe(&mut self.s);
        wipe(&mut self.squares);
        self.total.zeroize();
    }
}

impl ZeroizeOnDrop for Sum<'_> {}

impl std::fmt::Debug for Sum<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sum").field("length", &self.length).field("added", &self.added).finish_non_exhaustive()
    }
}
