use crate::error::{Error, Result};
use crate::kernels::{Finish, Job};
use crate::key::{CounterBlock, Key};
use crate::{Buffers, MAX_AD_BYTES, MAX_MESSAGE_BYTES, Stores, TAG_BYTES};
use subtle::ConstantTimeEq;

impl Key {
    /// Encrypt a message and return its tag.
    ///
    /// A nonce of 12 bytes is fastest; any other length from 1 on is hashed. A nonce must never be used twice with one
    /// key.
    ///
    /// # Errors
    /// [`Error::EmptyNonce`], [`Error::MessageLength`] or [`Error::AdLength`], before any work.
    #[inline]
    pub fn seal(&self, nonce: &[u8], ad: &[u8], message: Buffers<'_>, stores: Stores) -> Result<[u8; TAG_BYTES]> {
        check_lengths(message.len(), ad.len())?;
        let counter = self.counter_block(nonce)?;
        let job = self.whole_message(counter, ad, &message, stores);
        // SAFETY: buffers are equal or disjoint, and valid for their length.
        Ok(unsafe { self.state.seal(&job) }.to_be_bytes())
    }

    /// Decrypt a message whose tag matches.
    ///
    /// The tag is compared in constant time. The plaintext is written in the same pass, and wiped if the tag differs:
    /// other threads must not read the output before the call returns.
    ///
    /// # Errors
    /// [`Error::Authentication`] if the tag differs; [`Error::EmptyNonce`], [`Error::MessageLength`] or
    /// [`Error::AdLength`], before any work.
    #[inline]
    pub fn open(
        &self,
        nonce: &[u8],
        ad: &[u8],
        mut message: Buffers<'_>,
        tag: &[u8; TAG_BYTES],
        stores: Stores,
    ) -> Result<()> {
        check_lengths(message.len(), ad.len())?;
        let counter = self.counter_block(nonce)?;
        let job = self.whole_message(counter, ad, &message, stores);
        // SAFETY: buffers are equal or disjoint, and valid for their length.
        let expected = unsafe { self.state.open(&job) }.to_be_bytes();
        if bool::from(expected.ct_eq(tag)) {
            return Ok(());
        }
        message.wipe();
        Err(Error::Authentication)
    }

    #[inline]
    pub(crate) fn whole_message(&self, counter: CounterBlock, ad: &[u8], message: &Buffers<'_>, stores: Stores) -> Job {
        Job {
            counter: counter.after(1).0,
            hash: if ad.is_empty() { 0 } else { self.state.hash(0, ad) },
            input: message.input(),
            output: message.output(),
            bytes: message.len(),
            stream: stores == Stores::Streaming,
            finish: Some(Finish {
                counter: counter.0,
                lengths: Self::lengths(ad.len() as u64, message.len() as u64).0,
            }),
        }
    }
}

#[inline]
pub(crate) fn check_lengths(message: usize, ad: usize) -> Result<()> {
    if message as u64 > MAX_MESSAGE_BYTES {
        return Err(Error::MessageLength(message as u64));
    }
    if ad as u64 > MAX_AD_BYTES {
        return Err(Error::AdLength(ad as u64));
    }
    Ok(())
}
