use crate::cipher::Cipher;
use crate::message::{self, Direction, Message};
use crate::short;
use crate::wipe::wipe;
use crate::{Error, InOutBuf, Kernel};
use subtle::ConstantTimeEq;
use zeroize::ZeroizeOnDrop;

/// Bytes below which the powers that a vector kernel of Poly1305 needs cost more time than it saves.
const VECTOR_MINIMUM: usize = 384;

/// A key of ChaCha20-Poly1305. It is wiped on drop.
#[derive(Clone)]
pub struct Key {
    key: [u8; 32],
    kernel: Kernel,
}

impl Key {
    /// Return the key for the fastest kernel of this processor.
    pub fn new(key: &[u8; 32]) -> Self {
        Self { key: *key, kernel: Kernel::fastest() }
    }

    /// Return the key for a kernel.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if this processor cannot execute the kernel.
    pub fn with_kernel(key: &[u8; 32], kernel: Kernel) -> Result<Self, Error> {
        if kernel.available() { Ok(Self { key: *key, kernel }) } else { Err(Error::Unavailable(kernel)) }
    }

    /// Return the kernel that this key uses.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Return r and s of a message, in this order: the first half of block 0 of its keystream (RFC 8439, section 2.6).
    /// r is not yet clamped, which [`crate::Poly`] does.
    pub fn one_time_key(&self, nonce: &[u8; 12]) -> ([u8; 16], [u8; 16]) {
        message::one_time_key(&Cipher::new(&self.key, nonce, self.kernel))
    }

    /// Start a message that is sealed or opened in segments. A nonce must not be used for two messages.
    pub fn message(&self, nonce: &[u8; 12]) -> Message {
        Message::new(Cipher::new(&self.key, nonce, self.kernel), self.kernel)
    }

    /// Encrypt a whole message and return its tag. Input and output are equal or disjoint.
    ///
    /// A nonce must not be used for two messages.
    ///
    /// # Errors
    /// [`Error::TooLong`] beyond [`crate::MAX_LENGTH`] bytes; the output is then unchanged.
    pub fn seal(&self, nonce: &[u8; 12], associated: &[u8], data: InOutBuf<'_, '_, u8>) -> Result<[u8; 16], Error> {
        message::check_length(data.len() as u64)?;
        Ok(self.process(nonce, associated, data, Direction::Encrypt))
    }

    /// Decrypt a whole message if its tag is correct. Input and output are equal or disjoint.
    ///
    /// The output is written while the tag is computed, and is wiped before this returns if the tag is wrong. Where
    /// input and output are equal, this wipes the ciphertext too.
    ///
    /// # Errors
    /// [`Error::Authentication`] if the tag is wrong; [`Error::TooLong`] beyond [`crate::MAX_LENGTH`] bytes, where the
    /// output is unchanged.
    pub fn open(
        &self,
        nonce: &[u8; 12],
        associated: &[u8],
        mut data: InOutBuf<'_, '_, u8>,
        tag: &[u8; 16],
    ) -> Result<(), Error> {
        message::check_length(data.len() as u64)?;
        if self.process(nonce, associated, data.reborrow(), Direction::Decrypt).ct_eq(tag).into() {
            return Ok(());
        }
        wipe(data.get_out());
        Err(Error::Authentication)
    }

    /// Encrypt or decrypt a message and return its tag. The caller has checked the length.
    fn process(
        &self,
        nonce: &[u8; 12],
        associated: &[u8],
        data: InOutBuf<'_, '_, u8>,
        direction: Direction,
    ) -> [u8; 16] {
        let cipher = Cipher::new(&self.key, nonce, self.kernel);
        let short = associated.len().saturating_add(data.len()) < VECTOR_MINIMUM;
        let poly = if short { Kernel::Portable } else { self.kernel };
        if data.len() <= short::MAX_LENGTH {
            return short::process(&cipher, poly, associated, data, direction);
        }
        Message::new(cipher, poly).process_whole(associated, data, direction)
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        wipe(&mut self.key);
    }
}

impl ZeroizeOnDrop for Key {}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key").field("kernel", &self.kernel).finish_non_exhaustive()
    }
}
