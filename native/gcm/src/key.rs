use crate::error::{Error, Result};
use crate::field::Element;
use crate::kernels::{Kernel, State, add_counter};
use zeroize::Zeroize;

/// An AES key of 128, 192 or 256 bits, expanded for a kernel.
///
/// Round keys and powers of the hash key are computed once, and wiped when the key is dropped. Calls take `&self` and
/// allocate nothing, so that threads can share a key.
pub struct Key {
    pub(crate) state: State,
    hash_key: Element,
}

/// The first counter block of a message, J0 in SP 800-38D, section 7.1. It is not secret; it masks the tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterBlock(pub(crate) u128);

impl CounterBlock {
    /// Return the counter block with these bytes.
    pub const fn from_bytes(block: &[u8; 16]) -> Self {
        Self(u128::from_be_bytes(*block))
    }

    /// Return the bytes.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// Return the counter block `blocks` later. The last four bytes count modulo 2^32.
    #[must_use]
    pub fn after(self, blocks: u64) -> Self {
        Self(add_counter(self.0, blocks))
    }
}

impl Key {
    /// Expand a key for the fastest kernel of this processor.
    ///
    /// # Errors
    /// [`Error::KeyLength`] unless the key has 16, 24 or 32 bytes.
    pub fn new(key: &[u8]) -> Result<Self> {
        Self::with_kernel(key, Kernel::fastest())
    }

    /// Expand a key for a kernel.
    ///
    /// # Errors
    /// [`Error::KeyLength`] unless the key has 16, 24 or 32 bytes; [`Error::Kernel`] if the processor cannot run the
    /// kernel.
    pub fn with_kernel(key: &[u8], kernel: Kernel) -> Result<Self> {
        if !matches!(key.len(), 16 | 24 | 32) {
            return Err(Error::KeyLength(key.len()));
        }
        let (state, hash_key) = State::new(kernel, key).ok_or(Error::Kernel(kernel))?;
        Ok(Self { state, hash_key })
    }

    /// Return the kernel that processes this key's messages.
    pub const fn kernel(&self) -> Kernel {
        self.state.kernel()
    }

    /// Return the first counter block of the message with this nonce, SP 800-38D, section 7.1, step 2.
    ///
    /// # Errors
    /// [`Error::EmptyNonce`]; [`Error::AdLength`] for a nonce beyond [`crate::MAX_AD_BYTES`].
    #[inline]
    pub fn counter_block(&self, nonce: &[u8]) -> Result<CounterBlock> {
        if let Ok(nonce) = nonce.try_into() {
            return Ok(Self::counter_block_of_12(nonce));
        }
        if nonce.is_empty() {
            return Err(Error::EmptyNonce);
        }
        let hash = self.hash(nonce)?;
        Ok(CounterBlock(((hash + Self::lengths(0, nonce.len() as u64)) * self.hash_key).0))
    }

    #[inline]
    pub(crate) fn counter_block_of_12(nonce: &[u8; 12]) -> CounterBlock {
        let mut block = [0; 16];
        block[..12].copy_from_slice(nonce);
        block[15] = 1;
        CounterBlock::from_bytes(&block)
    }

    /// Return the hash key to the power of `exponent`.
    ///
    /// Powers of the hash key are as secret as the key: they allow forgeries.
    pub fn power(&self, exponent: u64) -> Element {
        self.hash_key.power(exponent)
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.hash_key.zeroize();
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key").field("kernel", &self.kernel()).finish_non_exhaustive()
    }
}
