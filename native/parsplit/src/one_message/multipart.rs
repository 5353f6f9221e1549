//! One message whose parts are sealed anywhere, in any order.

use super::TAG_BYTES;
use super::engine::{check_length, combine};
use super::key::{Segment, SegmentedKey, SegmentedMessage};
use crate::error::{Error, Result, ensure};
use crate::wipe::wipe;
use zeroize::Zeroize;

/// One message of a known length under one nonce. Every machine that has the key makes the same one.
pub struct Multipart<'key, K: SegmentedKey> {
    key: &'key K,
    nonce: Vec<u8>,
    ad: Vec<u8>,
    bytes: u64,
    identifier: [u8; 16],
}

/// The position of a part in its message, and the value of its ciphertext.
///
/// The value is as secret as the key: with the ciphertext it reveals the key of the hash, and so allows forgeries.
#[derive(Clone)]
pub struct Part {
    identifier: [u8; 16],
    offset: u64,
    bytes: u64,
    value: Vec<u8>,
}

impl Part {
    /// Position in the message in bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Length in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Return the bytes that [`Part::from_bytes`] takes: 16 that identify the message, the offset and the length, each 8
    /// bytes with the least significant first, and the value.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.identifier[..], &self.offset.to_le_bytes(), &self.bytes.to_le_bytes(), &self.value].concat()
    }

    /// Return the part that was stored in these bytes.
    ///
    /// # Errors
    /// Fewer than 48 bytes. [`Multipart::finish`] checks all else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let short = || Error::Length { name: "partial value", given: bytes.len(), expected: "48 or 49".to_owned() };
        let (identifier, rest) = bytes.split_first_chunk::<16>().ok_or_else(short)?;
        let (offset, rest) = rest.split_first_chunk::<8>().ok_or_else(short)?;
        let (length, value) = rest.split_first_chunk::<8>().ok_or_else(short)?;
        if !matches!(value.len(), 16 | 17) {
            return Err(short());
        }
        Ok(Self {
            identifier: *identifier,
            offset: u64::from_le_bytes(*offset),
            bytes: u64::from_le_bytes(*length),
            value: value.to_vec(),
        })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.value.zeroize();
    }
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (offset, bytes) = (self.offset, self.bytes);
        f.debug_struct("Part").field("offset", &offset).field("bytes", &bytes).finish_non_exhaustive()
    }
}

impl<'key, K: SegmentedKey> Multipart<'key, K> {
    /// Start a message of `bytes`. A nonce must not be used for two messages.
    ///
    /// # Errors
    /// A nonce that the algorithm does not take; a message beyond its limit.
    pub fn new(key: &'key K, nonce: &[u8], ad: &[u8], bytes: u64) -> Result<Self> {
        check_length::<K>(bytes)?;
        key.message(nonce, 1)?;
        let identifier = key.identifier(&[nonce, ad, &bytes.to_le_bytes()])?;
        Ok(Self { key, nonce: nonce.to_vec(), ad: ad.to_vec(), bytes, identifier })
    }

    /// Length of the message in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Seal the part at `offset` bytes into `output` of the same length.
    ///
    /// # Errors
    /// A part that begins or ends, before the end of the message, at an offset that is not a multiple of 16, or that ends
    /// after the message; an output of another length; an error of the library, after which the output is wiped.
    pub fn seal(&self, offset: u64, input: &[u8], output: &mut [u8]) -> Result<Part> {
        ensure!(
            input.len() == output.len(),
            "output of {} bytes given, {} expected: the length of the part",
            output.len(),
            input.len()
        );
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.seal_raw(offset, input.as_ptr(), input.len(), output.as_mut_ptr()) }
    }

    /// [`Multipart::seal`] on raw memory.
    ///
    /// # Safety
    /// `input` and `output` are valid for `bytes`, and equal or disjoint.
    pub unsafe fn seal_raw(&self, offset: u64, input: *const u8, bytes: usize, output: *mut u8) -> Result<Part> {
        self.check_range(offset, bytes as u64)?;
        let message = self.key.message(&self.nonce, 1)?;
        let segment = Segment { input, output, bytes, streaming: false };
        // SAFETY: the caller's promise; this thread alone has the message.
        let mut value = unsafe { message.encrypt(0, offset, &segment) }.inspect_err(|_| {
            // SAFETY: the caller's promise.
            unsafe { wipe(output, bytes, 1, false) };
        })?;
        let stored = K::Message::to_bytes(&value);
        value.zeroize();
        Ok(Part { identifier: self.identifier, offset, bytes: bytes as u64, value: stored })
    }

    /// Return the tag for the parts of the message, in any order.
    ///
    /// # Errors
    /// A part of another message or key, a repeated, overlapping or missing part, and one whose value no part has.
    pub fn finish(&self, parts: &[Part]) -> Result<[u8; TAG_BYTES]> {
        let mut parts: Vec<&Part> = parts.iter().collect();
        parts.sort_by_key(|part| (part.offset, part.bytes));
        let mut end = 0;
        let mut previous: Option<(u64, u64)> = None;
        for part in &parts {
            let Part { offset, bytes, .. } = **part;
            ensure!(
                part.identifier == self.identifier,
                "the part at byte {offset} belongs to another message: key, nonce, associated data or length differ"
            );
            self.check_range(offset, bytes)?;
            ensure!(offset <= end, "no part covers bytes {end} to {offset} of the message: seal them");
            let repeated = previous.replace((offset, bytes)) == Some((offset, bytes));
            ensure!(
                offset == end && !repeated,
                "the part at byte {offset} overlaps the one that ends at byte {end}: give each once"
            );
            end += bytes;
        }
        ensure!(end == self.bytes, "no part covers bytes {end} to {} of the message: seal them", self.bytes);
        let message = self.key.message(&self.nonce, 1)?;
        // SAFETY: a borrowed slice is valid.
        let ad = unsafe { message.hash(0, self.ad.as_ptr(), self.ad.len())? };
        let mut values = vec![(ad, self.ad.len().div_ceil(16) as u64)];
        for part in parts {
            let value = K::Message::from_bytes(&part.value).ok_or_else(|| {
                Error::Argument(format!("the part at byte {} has a value that no part has", part.offset))
            })?;
            values.push((value, part.bytes.div_ceil(16)));
        }
        let tag = combine(&message, values.iter().cloned(), self.ad.len() as u64, self.bytes);
        values.iter_mut().for_each(|(value, _)| value.zeroize());
        Ok(tag)
    }

    fn check_range(&self, offset: u64, bytes: u64) -> Result<()> {
        let end = offset.checked_add(bytes).filter(|end| *end <= self.bytes);
        let Some(end) = end else {
            return Err(Error::Argument(format!(
                "a part of {bytes} bytes at byte {offset} ends after the message, which has {}",
                self.bytes
            )));
        };
        for edge in [offset, end] {
            ensure!(
                edge.is_multiple_of(16) || edge == self.bytes,
                "a part from byte {offset} to {end} given, multiples of 16 expected, except for the end of the message"
            );
        }
        Ok(())
    }
}
