//! Poly1305 of segments, one file for each kernel.
//!
//! Each kernel has a `Table` of powers of r and a function `hash(&table, value, blocks)`, which returns
//! value · rⁿ + Σ mᵢ · rⁿ⁻ⁱ: the value continued by n whole blocks.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod portable;

use crate::element::Element;
use crate::wipe::wipe;
use crate::{Error, Kernel, Partial};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The bits of r that RFC 8439, section 2.5, keeps.
const CLAMP: u128 = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;

/// A Poly1305 key r with the powers that one pass of its kernel needs. It is wiped on drop.
pub struct Poly {
    r: Element,
    table: Table,
}

#[allow(clippy::large_enum_variant, reason = "a message has one key, which is not moved after it was made")]
enum Table {
    #[cfg(target_arch = "x86_64")]
    Ifma(ifma::Table),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Table),
    Portable(portable::Table),
}

impl Poly {
    /// Return the key for the fastest kernel of this processor. The bits that RFC 8439 clears in r are cleared here.
    pub fn new(r: [u8; 16]) -> Self {
        Self::of_available(r, Kernel::fastest())
    }

    /// Return the key for a kernel. The portable one has the fewest powers to compute and suits short messages.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if this processor cannot execute the kernel.
    pub fn with_kernel(r: [u8; 16], kernel: Kernel) -> Result<Self, Error> {
        if kernel.available() { Ok(Self::of_available(r, kernel)) } else { Err(Error::Unavailable(kernel)) }
    }

    /// The kernel must be available; others are replaced with the portable one.
    pub(crate) fn of_available(mut r: [u8; 16], kernel: Kernel) -> Self {
        let clamped = (u128::from_le_bytes(r) & CLAMP).to_le_bytes();
        wipe(&mut r);
        let r = Element::from_block(&clamped, 0);
        let table = match kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Ifma if kernel.available() => Table::Ifma(ifma::Table::new(r)),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 if kernel.available() => Table::Avx2(avx2::Table::new(r)),
            _ => Table::Portable(portable::Table::new(r)),
        };
        Self { r, table }
    }

    /// Return the kernel that this key uses.
    pub fn kernel(&self) -> Kernel {
        match self.table {
            #[cfg(target_arch = "x86_64")]
            Table::Ifma(_) => Kernel::Ifma,
            #[cfg(target_arch = "x86_64")]
            Table::Avx2(_) => Kernel::Avx2,
            Table::Portable(_) => Kernel::Portable,
        }
    }

    /// Return the value of a segment, Σ mᵢ · rⁿ⁻ⁱ for its n blocks of 16 bytes m₀ to mₙ₋₁, each with its bit 2¹²⁸.
    ///
    /// A last block of fewer than 16 bytes is padded with zeros, as RFC 8439, section 2.8, pads associated data and
    /// ciphertext. Only the last segment of either may have one.
    pub fn hash(&self, data: &[u8]) -> Partial {
        Partial(self.hash_from(Element::ZERO, data))
    }

    /// Return the value of the last segment of a plain Poly1305 message, as RFC 8439, section 2.5, defines it.
    ///
    /// It differs from [`Poly::hash`] if the last block has fewer than 16 bytes: its added bit follows its last byte.
    pub fn hash_final(&self, data: &[u8]) -> Partial {
        let (blocks, rest) = data.as_chunks::<16>();
        let value = self.hash_blocks(Element::ZERO, blocks);
        let mut block = padded(rest);
        if let Some(byte) = block.get_mut(rest.len()) {
            *byte = 1;
        }
        Partial(if rest.is_empty() { value } else { self.append(value, &block, 0) })
    }

    /// Return r to the power of a number of blocks: the factor for a segment that so many blocks follow.
    ///
    /// The time depends on the number.
    pub fn power(&self, blocks: u64) -> Partial {
        Partial(self.r.power(blocks))
    }

    /// Return the tag: the value of the whole message plus s, modulo 2¹²⁸.
    pub fn finish(&self, value: &Partial, s: [u8; 16]) -> [u8; 16] {
        let (low, high, _) = value.0.canonical();
        let number = u128::from(low) | (u128::from(high) << 64);
        number.wrapping_add(u128::from_le_bytes(s)).to_le_bytes()
    }

    /// Continue the value of the blocks before by a segment: [`Poly::hash`] for a value that is not 0.
    pub(crate) fn hash_from(&self, value: Element, data: &[u8]) -> Element {
        let (blocks, rest) = data.as_chunks::<16>();
        let value = self.hash_blocks(value, blocks);
        if rest.is_empty() { value } else { self.append(value, &padded(rest), 1) }
    }

    /// Continue the value by the block that ends a message: the lengths of associated data and ciphertext.
    pub(crate) fn append_lengths(&self, value: Element, associated: u64, length: u64) -> Element {
        let lengths = u128::from(associated) | (u128::from(length) << 64);
        self.append(value, &lengths.to_le_bytes(), 1)
    }

    /// Return the tag of a value to which the lengths are still to be appended.
    pub(crate) fn finish_lengths(&self, value: Element, associated: u64, length: u64, s: [u8; 16]) -> [u8; 16] {
        self.finish(&Partial(self.append_lengths(value, associated, length)), s)
    }

    /// Return (value + block + 2¹²⁸ · top) · r.
    fn append(&self, value: Element, block: &[u8; 16], top: u64) -> Element {
        value.add(Element::from_block(block, top)).mul(self.r)
    }

    pub(crate) fn r(&self) -> Element {
        self.r
    }

    fn hash_blocks(&self, value: Element, blocks: &[[u8; 16]]) -> Element {
        if blocks.is_empty() {
            return value;
        }
        match &self.table {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this table is only made where the processor has the instructions of the kernel.
            Table::Ifma(table) => unsafe { ifma::hash(table, value, blocks) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Table::Avx2(table) => unsafe { avx2::hash(table, value, blocks) },
            Table::Portable(table) => portable::hash(table, value, blocks),
        }
    }
}

/// Return up to 16 bytes followed by zeros.
fn padded(bytes: &[u8]) -> [u8; 16] {
    let mut block = [0; 16];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}

impl Drop for Poly {
    fn drop(&mut self) {
        self.r.zeroize();
        match &mut self.table {
            #[cfg(target_arch = "x86_64")]
            Table::Ifma(table) => table.wipe(),
            #[cfg(target_arch = "x86_64")]
            Table::Avx2(table) => table.wipe(),
            Table::Portable(table) => table.wipe(),
        }
    }
}

impl ZeroizeOnDrop for Poly {}

impl std::fmt::Debug for Poly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Poly").field("kernel", &self.kernel()).finish_non_exhaustive()
    }
}
