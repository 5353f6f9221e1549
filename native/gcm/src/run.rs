use crate::error::{Error, Result};
use crate::key::Key;
use crate::message::check_lengths;
use crate::{Buffers, Stores, TAG_BYTES};

/// A run of independent messages of equal length in one buffer; the last may be shorter, but not empty unless the
/// buffer is.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The length of each message but the last in bytes, at least 1.
    pub message_bytes: usize,
    /// The associated data of the first message. The others have none.
    pub first_ad: &'a [u8],
    /// How the output is written.
    pub stores: Stores,
}

impl Run<'_> {
    /// Return the number of messages in a buffer of `bytes`. An empty buffer holds one empty message.
    #[inline]
    pub fn messages(&self, bytes: usize) -> usize {
        bytes.div_ceil(self.message_bytes.max(1)).max(1)
    }

    fn check(&self, bytes: usize, tags: usize) -> Result<()> {
        check_lengths(self.message_bytes.min(bytes), self.first_ad.len())?;
        let messages = self.messages(bytes);
        if messages == tags { Ok(()) } else { Err(Error::RunLength { messages, given: tags }) }
    }
}

impl Key {
    /// Encrypt a run of messages. `nonce` returns the nonce of the message with an index, and `tags` receives the tags
    /// in the order of the messages.
    ///
    /// # Errors
    /// [`Error::RunLength`] unless there is one tag for each message; [`Error::MessageLength`] or [`Error::AdLength`].
    /// All are returned before any work.
    pub fn seal_many(
        &self,
        run: &Run<'_>,
        mut nonce: impl FnMut(usize) -> [u8; 12],
        messages: Buffers<'_>,
        tags: &mut [[u8; TAG_BYTES]],
    ) -> Result<()> {
        run.check(messages.len(), tags.len())?;
        let mut rest = messages;
        for (i, tag) in tags.iter_mut().enumerate() {
            let message;
            (message, rest) = rest.split_at(run.message_bytes.max(1));
            let ad = if i == 0 { run.first_ad } else { &[] };
            *tag = self.seal(&nonce(i), ad, message, run.stores)?;
        }
        Ok(())
    }

    /// Decrypt a run of messages whose tags all match.
    ///
    /// # Errors
    /// [`Error::Authentication`] if a tag differs: the whole output is wiped, whichever message it was. Otherwise as
    /// [`Key::seal_many`].
    pub fn open_many(
        &self,
        run: &Run<'_>,
        mut nonce: impl FnMut(usize) -> [u8; 12],
        messages: Buffers<'_>,
        tags: &[[u8; TAG_BYTES]],
    ) -> Result<()> {
        run.check(messages.len(), tags.len())?;
        // SAFETY: the same memory, which is wiped after the last use of its parts.
        let mut all = unsafe { Buffers::from_raw(messages.input(), messages.output(), messages.len()) };
        let mut rest = messages;
        for (i, tag) in tags.iter().enumerate() {
            let message;
            (message, rest) = rest.split_at(run.message_bytes.max(1));
            let ad = if i == 0 { run.first_ad } else { &[] };
            let opened = self.open(&nonce(i), ad, message, tag, run.stores);
            if opened.is_err() {
                all.wipe();
                return opened;
            }
        }
        Ok(())
    }
}
