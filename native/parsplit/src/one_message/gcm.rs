use super::TAG_BYTES;
use super::key::{Segment, SegmentedKey, SegmentedMessage};
use crate::error::{Error, Result};
use crate::kdf::hkdf_sha256;
use aeadlab_gcm::{Buffers, CounterBlock, Element, Key, MAX_MESSAGE_BYTES, Stores};
use std::slice;
use zeroize::Zeroizing;

/// A key of AES-GCM for the kernels of `aeadlab-gcm`. All threads share it.
pub struct GcmKey {
    kernel_key: Key,
    /// For [`SegmentedKey::identifier`].
    key: Zeroizing<Vec<u8>>,
}

impl GcmKey {
    /// Expand a key of 16, 24 or 32 bytes.
    ///
    /// # Errors
    /// A key of another length.
    pub fn new(key: &[u8]) -> Result<Self> {
        Ok(Self { kernel_key: Key::new(key).map_err(|error| of_kernel(&error))?, key: Zeroizing::new(key.to_vec()) })
    }

    /// The name of the kernel that was chosen for this processor.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.kernel_key.kernel().name()
    }
}

fn of_kernel(error: &aeadlab_gcm::Error) -> Error {
    match error {
        aeadlab_gcm::Error::KeyLength(given) => {
            Error::Length { name: "key", given: *given, expected: "16, 24 or 32".to_owned() }
        }
        aeadlab_gcm::Error::EmptyNonce => {
            Error::Length { name: "nonce", given: 0, expected: "at least 1, usually 12,".to_owned() }
        }
        other => Error::Argument(other.to_string()),
    }
}

/// Return an identifier by HKDF-SHA-256; the lengths make the list unambiguous.
pub(super) fn identifier(key: &[u8], name: &str, data: &[&[u8]]) -> Result<[u8; 16]> {
    let mut info = name.as_bytes().to_vec();
    for part in data {
        info.extend((part.len() as u64).to_le_bytes());
        info.extend_from_slice(part);
    }
    let mut result = [0; 16];
    hkdf_sha256(key, &[], &info, &mut result)?;
    Ok(result)
}

impl SegmentedKey for GcmKey {
    type Message<'key> = GcmMessage<'key>;

    const NAME: &'static str = "AES-GCM";
    const MAX_BYTES: u64 = MAX_MESSAGE_BYTES;

    fn message(&self, nonce: &[u8], _: usize) -> Result<GcmMessage<'_>> {
        let key = &self.kernel_key;
        Ok(GcmMessage { key, counter: key.counter_block(nonce).map_err(|error| of_kernel(&error))? })
    }

    fn identifier(&self, data: &[&[u8]]) -> Result<[u8; 16]> {
        identifier(&self.key, "aeadlab AES-GCM part", data)
    }
}

/// A message of AES-GCM in progress.
pub struct GcmMessage<'key> {
    key: &'key Key,
    counter: CounterBlock,
}

impl GcmMessage<'_> {
    /// Return the arguments of a segment for the kernel.
    ///
    /// # Safety
    /// The segment's promise about its buffers.
    unsafe fn arguments<'a>(offset: u64, segment: &Segment) -> (u64, Buffers<'a>, Stores) {
        // SAFETY: the caller's promise.
        let buffers = unsafe { Buffers::from_raw(segment.input, segment.output, segment.bytes) };
        (offset / 16, buffers, if segment.streaming { Stores::Streaming } else { Stores::Regular })
    }
}

impl SegmentedMessage for GcmMessage<'_> {
    type Value = Element;

    const VALUE_BYTES: usize = 16;
    const DECRYPTION_HASHES: bool = true;

    unsafe fn hash(&self, _: usize, data: *const u8, bytes: usize) -> Result<Element> {
        // SAFETY: the caller's promise; the pointer of an empty slice must not be null.
        let data = if bytes == 0 { &[] } else { unsafe { slice::from_raw_parts(data, bytes) } };
        self.key.hash(data).map_err(|error| of_kernel(&error))
    }

    unsafe fn encrypt(&self, _: usize, offset: u64, segment: &Segment) -> Result<Element> {
        // SAFETY: the caller's promise.
        let (block, buffers, stores) = unsafe { Self::arguments(offset, segment) };
        self.key.seal_segment(self.counter, block, buffers, stores).map_err(|error| of_kernel(&error))
    }

    unsafe fn decrypt(&self, _: usize, offset: u64, segment: &Segment) -> Result<Element> {
        // SAFETY: the caller's promise.
        let (block, buffers, stores) = unsafe { Self::arguments(offset, segment) };
        self.key.open_segment(self.counter, block, buffers, stores).map_err(|error| of_kernel(&error))
    }

    fn power(&self, blocks: u64) -> Element {
        self.key.power(blocks)
    }

    fn append(&self, value: &Element, power: &Element, next: &Element) -> Element {
        *value * *power + *next
    }

    fn tag(&self, value: &Element, ad_bytes: u64, bytes: u64) -> [u8; TAG_BYTES] {
        self.key.tag(self.counter, (*value + Key::lengths(ad_bytes, bytes)) * self.key.power(1))
    }

    fn to_bytes(value: &Element) -> Vec<u8> {
        value.to_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Element> {
        Some(Element::from_bytes(bytes.try_into().ok()?))
    }
}
