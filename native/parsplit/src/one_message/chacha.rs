use super::TAG_BYTES;
use super::gcm::identifier;
use super::key::{Segment, SegmentedKey, SegmentedMessage};
use crate::error::{Error, Result};
use aeadlab_chacha::{InOutBuf, Key, MAX_LENGTH, Message, Partial};
use std::slice;
use zeroize::Zeroizing;

/// A key of ChaCha20-Poly1305 for the kernels of `aeadlab-chacha`. All threads share it.
pub struct ChaChaKey {
    kernel_key: Key,
    /// For [`SegmentedKey::identifier`].
    key: Zeroizing<[u8; 32]>,
}

impl ChaChaKey {
    /// Take a key of 32 bytes.
    ///
    /// # Errors
    /// A key of another length.
    pub fn new(key: &[u8]) -> Result<Self> {
        let bytes: &[u8; 32] = key.try_into().map_err(|_| wrong_length("key", key.len(), 32))?;
        Ok(Self { kernel_key: Key::new(bytes), key: Zeroizing::new(*bytes) })
    }

    /// The name of the kernel that was chosen for this processor.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.kernel_key.kernel().name()
    }
}

fn wrong_length(name: &'static str, given: usize, expected: usize) -> Error {
    Error::Length { name, given, expected: expected.to_string() }
}

fn of_kernel(error: aeadlab_chacha::Error) -> Error {
    Error::Argument(error.to_string())
}

impl SegmentedKey for ChaChaKey {
    type Message<'key> = Message;

    const NAME: &'static str = "ChaCha20-Poly1305";
    const MAX_BYTES: u64 = MAX_LENGTH;

    fn message(&self, nonce: &[u8], _: usize) -> Result<Message> {
        let bytes: &[u8; 12] = nonce.try_into().map_err(|_| wrong_length("nonce", nonce.len(), 12))?;
        Ok(self.kernel_key.message(bytes))
    }

    fn identifier(&self, data: &[&[u8]]) -> Result<[u8; 16]> {
        identifier(&*self.key, "aeadlab ChaCha20-Poly1305 part", data)
    }
}

/// Return the buffers of a segment.
///
/// # Safety
/// The segment's promise about its buffers.
unsafe fn buffers<'a>(segment: &Segment) -> InOutBuf<'a, 'a, u8> {
    if segment.bytes == 0 {
        return InOutBuf::from(&mut [][..]);
    }
    // SAFETY: the caller's promise.
    unsafe { InOutBuf::from_raw(segment.input, segment.output, segment.bytes) }
}

impl SegmentedMessage for Message {
    type Value = Partial;

    const VALUE_BYTES: usize = Partial::BYTES;
    const DECRYPTION_HASHES: bool = true;

    unsafe fn hash(&self, _: usize, data: *const u8, bytes: usize) -> Result<Partial> {
        // SAFETY: the caller's promise; the pointer of an empty slice must not be null.
        Ok(self.hash(if bytes == 0 { &[] } else { unsafe { slice::from_raw_parts(data, bytes) } }))
    }

    unsafe fn encrypt(&self, _: usize, offset: u64, segment: &Segment) -> Result<Partial> {
        // SAFETY: the caller's promise.
        self.encrypt(offset, unsafe { buffers(segment) }).map_err(of_kernel)
    }

    unsafe fn decrypt(&self, _: usize, offset: u64, segment: &Segment) -> Result<Partial> {
        // SAFETY: the caller's promise.
        self.decrypt(offset, unsafe { buffers(segment) }).map_err(of_kernel)
    }

    fn power(&self, blocks: u64) -> Partial {
        self.poly().power(blocks)
    }

    fn append(&self, value: &Partial, power: &Partial, next: &Partial) -> Partial {
        &(value * power) + next
    }

    fn tag(&self, value: &Partial, ad_bytes: u64, bytes: u64) -> [u8; TAG_BYTES] {
        self.tag_of(value, ad_bytes, bytes)
    }

    fn to_bytes(value: &Partial) -> Vec<u8> {
        value.to_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Partial> {
        Partial::from_bytes(bytes.try_into().ok()?).ok()
    }
}
