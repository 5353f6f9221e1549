use crate::error::{Error, Result};
use crate::field::Element;
use crate::kernels::Job;
use crate::key::{CounterBlock, Key};
use crate::{Buffers, MAX_AD_BYTES, MAX_MESSAGE_BYTES, Stores, TAG_BYTES};

/// Segments of one message, which may be processed in any order and on any thread.
///
/// The hash of the message is the sum of `partial * key.power(blocks after the segment)` over all segments of the
/// associated data, of the ciphertext, and [`Key::lengths`] as the last block. All segments but the last of the
/// associated data and the last of the ciphertext hold a multiple of 16 bytes. The partial hash of a known ciphertext
/// discloses the hash key, and is as secret as the key.
impl Key {
    /// Encrypt a segment that begins `first_block` blocks after the first byte of the message. Return GHASH over its
    /// ciphertext, started from zero, the last block padded with zeros.
    ///
    /// # Errors
    /// [`Error::MessageLength`] if the segment ends beyond [`MAX_MESSAGE_BYTES`].
    pub fn seal_segment(
        &self,
        counter: CounterBlock,
        first_block: u64,
        segment: Buffers<'_>,
        stores: Stores,
    ) -> Result<Element> {
        let job = segment_job(counter, first_block, &segment, stores)?;
        // SAFETY: buffers are equal or disjoint, and valid for their length.
        Ok(Element(unsafe { self.state.seal(&job) }))
    }

    /// Decrypt a segment and return GHASH over its ciphertext as [`Key::seal_segment`] does. The caller verifies the
    /// tag of the whole message and wipes the output if it differs.
    ///
    /// # Errors
    /// As [`Key::seal_segment`].
    pub fn open_segment(
        &self,
        counter: CounterBlock,
        first_block: u64,
        segment: Buffers<'_>,
        stores: Stores,
    ) -> Result<Element> {
        let job = segment_job(counter, first_block, &segment, stores)?;
        // SAFETY: buffers are equal or disjoint, and valid for their length.
        Ok(Element(unsafe { self.state.open(&job) }))
    }

    /// Return GHASH over `data`, started from zero, the last block padded with zeros: a segment of associated data.
    ///
    /// # Errors
    /// [`Error::AdLength`] beyond [`MAX_AD_BYTES`].
    pub fn hash(&self, data: &[u8]) -> Result<Element> {
        if data.len() as u64 > MAX_AD_BYTES {
            return Err(Error::AdLength(data.len() as u64));
        }
        Ok(Element(self.state.hash(0, data)))
    }

    /// Return the last block that is hashed: the lengths of the associated data and of the message in bits. The
    /// arguments are lengths in bytes.
    #[inline]
    pub const fn lengths(ad_bytes: u64, message_bytes: u64) -> Element {
        Element(((ad_bytes as u128) << 67) | ((message_bytes as u128) << 3))
    }

    /// Return the tag for the hash of all associated data, all ciphertext and the lengths. `hash` is the sum that
    /// includes the product of [`Key::lengths`] and `key.power(1)`.
    pub fn tag(&self, counter: CounterBlock, hash: Element) -> [u8; TAG_BYTES] {
        (self.state.encrypt_counter(counter.0) ^ hash.0).to_be_bytes()
    }
}

fn segment_job(counter: CounterBlock, first_block: u64, segment: &Buffers<'_>, stores: Stores) -> Result<Job> {
    let end = u128::from(first_block) * 16 + segment.len() as u128;
    if end > u128::from(MAX_MESSAGE_BYTES) {
        return Err(Error::MessageLength(u64::try_from(end).unwrap_or(u64::MAX)));
    }
    Ok(Job {
        counter: counter.after(first_block + 1).0,
        hash: 0,
        input: segment.input(),
        output: segment.output(),
        bytes: segment.len(),
        stream: stores == Stores::Streaming,
        finish: None,
    })
}
