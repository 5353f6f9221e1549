//! What the engine needs of an AEAD: its keys, and messages whose segments are processed in any order.

use super::TAG_BYTES;
use crate::error::Result;
use zeroize::Zeroize;

/// A key of an AEAD whose tag is a polynomial of the message.
pub trait SegmentedKey: Send + Sync {
    /// A message in progress under this key.
    type Message<'key>: SegmentedMessage
    where
        Self: 'key;

    /// The name of the algorithm, for errors.
    const NAME: &'static str;
    /// The longest message in bytes.
    const MAX_BYTES: u64;

    /// Start a message for workers numbered below `workers`.
    ///
    /// # Errors
    /// A nonce of a length that the algorithm does not take; an error of the library.
    fn message(&self, nonce: &[u8], workers: usize) -> Result<Self::Message<'_>>;

    /// Return 16 bytes that depend on the key and all of `data`, and reveal nothing about the key.
    fn identifier(&self, data: &[&[u8]]) -> Result<[u8; 16]>;
}

/// A message in progress. Its segments begin at multiples of 16 bytes, and only the last one of the associated data and
/// of the text have another length than a multiple of 16.
pub trait SegmentedMessage: Sync {
    /// The value of a segment: secret, because it reveals the key of the hash to anyone who knows the ciphertext.
    type Value: Clone + Default + Send + Zeroize;

    /// Length of a stored value in bytes.
    const VALUE_BYTES: usize;
    /// Whether [`SegmentedMessage::decrypt`] computes the value of the ciphertext in the same pass.
    const DECRYPTION_HASHES: bool;

    /// Return the value of a segment of associated data or ciphertext, the last block padded with zeros.
    ///
    /// # Errors
    /// An error of the library.
    ///
    /// # Safety
    /// `data` is valid for reads of `bytes`. Calls with the same `worker` do not overlap. This holds for all methods.
    unsafe fn hash(&self, worker: usize, data: *const u8, bytes: usize) -> Result<Self::Value>;

    /// Encrypt the segment at `offset` bytes, and return the value of its ciphertext.
    ///
    /// # Errors
    /// An error of the library.
    ///
    /// # Safety
    /// As [`SegmentedMessage::hash`]; the buffers of the segment are equal or disjoint.
    unsafe fn encrypt(&self, worker: usize, offset: u64, segment: &Segment) -> Result<Self::Value>;

    /// Decrypt the segment at `offset` bytes. The value is unspecified unless [`SegmentedMessage::DECRYPTION_HASHES`].
    ///
    /// # Errors
    /// An error of the library.
    ///
    /// # Safety
    /// As [`SegmentedMessage::encrypt`].
    unsafe fn decrypt(&self, worker: usize, offset: u64, segment: &Segment) -> Result<Self::Value>;

    /// Return the hash's key to the power of `blocks`.
    fn power(&self, blocks: u64) -> Self::Value;

    /// Return the value of two segments: `value`, followed by `next`, whose number of blocks `power` was computed for.
    fn append(&self, value: &Self::Value, power: &Self::Value, next: &Self::Value) -> Self::Value;

    /// Return the tag for the value of the associated data and the ciphertext; the lengths are in bytes.
    fn tag(&self, value: &Self::Value, ad_bytes: u64, bytes: u64) -> [u8; TAG_BYTES];

    /// Return the [`SegmentedMessage::VALUE_BYTES`] bytes that a value is stored in.
    fn to_bytes(value: &Self::Value) -> Vec<u8>;

    /// Return the value that was stored in these bytes; None for bytes that no value is stored in.
    fn from_bytes(bytes: &[u8]) -> Option<Self::Value>;
}

/// The buffers of one segment.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Valid for reads of `bytes`.
    pub input: *const u8,
    /// Valid for writes of `bytes`; equal to the input or disjoint from it.
    pub output: *mut u8,
    /// Length in bytes.
    pub bytes: usize,
    /// Whether to write past the cache where that is possible.
    pub streaming: bool,
}
