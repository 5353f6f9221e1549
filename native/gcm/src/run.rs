use crate::error::{Error, Result};
use crate::kernels::{MAX_SERIES, Series};
use crate::key::Key;
use crate::message::check_lengths;
use crate::{Buffers, Stores, TAG_BYTES};
use subtle::ConstantTimeEq;

/// A run of independent messages of equal length; the last may be shorter, but not empty unless it is the only one.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The length of each message but the last in bytes, at least 1.
    pub message_bytes: usize,
    /// The associated data of the first message. The others have none.
    pub first_ad: &'a [u8],
    /// How the output is written.
    pub stores: Stores,
}

/// The places of the messages of a run and of their tags, at equal distances in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The number of messages, at least 1.
    pub messages: usize,
    /// The length of the last message in bytes.
    pub last_bytes: usize,
    /// The first message.
    pub input: *const u8,
    /// From one input to the next.
    pub input_step: usize,
    /// The output of the first message.
    pub output: *mut u8,
    /// From one output to the next.
    pub output_step: usize,
    /// The tag of the first message.
    pub tags: *mut u8,
    /// From one tag to the next.
    pub tag_step: usize,
}

impl Run<'_> {
    /// Return the number of messages in a buffer of `bytes`. An empty buffer holds one empty message.
    #[inline]
    pub fn messages(&self, bytes: usize) -> usize {
        bytes.div_ceil(self.message_bytes.max(1)).max(1)
    }

    /// Return the places of messages that follow each other.
    fn places(&self, messages: &Buffers<'_>, tags: *mut u8, given: usize) -> Result<Places> {
        let (bytes, step) = (messages.len(), self.message_bytes.max(1));
        let number = self.messages(bytes);
        if number != given {
            return Err(Error::RunLength { messages: number, given });
        }
        Ok(Places {
            messages: number,
            last_bytes: bytes - (number - 1) * step,
            input: messages.input(),
            input_step: step,
            output: messages.output(),
            output_step: step,
            tags,
            tag_step: TAG_BYTES,
        })
    }
}

impl Places {
    /// Return the buffers of the message with an index.
    ///
    /// # Safety
    /// As [`Key::seal_places`], and the message exists.
    unsafe fn buffers<'a>(&self, index: usize, message_bytes: usize) -> Buffers<'a> {
        let bytes = if index + 1 == self.messages { self.last_bytes } else { message_bytes };
        // SAFETY: the caller's promise.
        unsafe {
            Buffers::from_raw(self.input.add(index * self.input_step), self.output.add(index * self.output_step), bytes)
        }
    }
}

impl Key {
    /// Encrypt a run of messages in one buffer. `nonce` returns the nonce of the message with an index, and `tags`
    /// receives the tags in the order of the messages.
    ///
    /// The first counter blocks of several messages are encrypted together, and the end of a message is hashed while the
    /// next one is encrypted, if the length is a multiple of the kernel's stride, which is at most 512 bytes.
    ///
    /// # Errors
    /// [`Error::RunLength`] unless there is one tag for each message; [`Error::MessageLength`] or [`Error::AdLength`].
    /// All are returned before any work.
    pub fn seal_many(
        &self,
        run: &Run<'_>,
        nonce: impl FnMut(usize) -> [u8; 12],
        messages: Buffers<'_>,
        tags: &mut [[u8; TAG_BYTES]],
    ) -> Result<()> {
        let places = run.places(&messages, tags.as_mut_ptr().cast(), tags.len())?;
        // SAFETY: the buffers are equal or disjoint, and the messages follow each other in them, as the tags do.
        unsafe { self.seal_places(run, nonce, &places) }
    }

    /// Decrypt a run of messages whose tags all match.
    ///
    /// # Errors
    /// [`Error::Authentication`] if a tag differs: the whole output is wiped, whichever message it was. Otherwise as
    /// [`Key::seal_many`].
    pub fn open_many(
        &self,
        run: &Run<'_>,
        nonce: impl FnMut(usize) -> [u8; 12],
        messages: Buffers<'_>,
        tags: &[[u8; TAG_BYTES]],
    ) -> Result<()> {
        let places = run.places(&messages, tags.as_ptr().cast::<u8>().cast_mut(), tags.len())?;
        // SAFETY: as in `seal_many`; the tags are only read.
        unsafe { self.open_places(run, nonce, &places) }
    }

    /// [`Key::seal_many`] for messages at any distances.
    ///
    /// # Errors
    /// [`Error::MessageLength`] or [`Error::AdLength`], before any work.
    ///
    /// # Safety
    /// The inputs are valid for reads, the outputs and the tags for writes. Outputs and tags are disjoint, and each input
    /// is disjoint from them, or equal to its own output. No other code uses the memory during the call. The last message
    /// is not longer than the others.
    pub unsafe fn seal_places(
        &self,
        run: &Run<'_>,
        nonce: impl FnMut(usize) -> [u8; 12],
        places: &Places,
    ) -> Result<()> {
        let write = |index: usize, tag: u128| {
            // SAFETY: the caller's promise.
            unsafe { places.tags.add(index * places.tag_step).cast::<[u8; TAG_BYTES]>().write(tag.to_be_bytes()) };
        };
        // SAFETY: the caller's promise.
        unsafe { self.process_places::<true>(run, nonce, places, write) }
    }

    /// [`Key::open_many`] for messages at any distances.
    ///
    /// # Errors
    /// [`Error::Authentication`] if a tag differs, with the outputs of all messages wiped; otherwise as
    /// [`Key::seal_places`].
    ///
    /// # Safety
    /// As [`Key::seal_places`]; the tags are only read.
    pub unsafe fn open_places(
        &self,
        run: &Run<'_>,
        nonce: impl FnMut(usize) -> [u8; 12],
        places: &Places,
    ) -> Result<()> {
        let mut difference = 0;
        let compare = |index: usize, expected: u128| {
            // SAFETY: the caller's promise.
            let tag = unsafe { places.tags.add(index * places.tag_step).cast::<[u8; TAG_BYTES]>().read() };
            difference |= u128::from_be_bytes(tag) ^ expected;
        };
        // SAFETY: the caller's promise.
        unsafe { self.process_places::<false>(run, nonce, places, compare)? };
        if bool::from(difference.ct_eq(&0)) {
            return Ok(());
        }
        for index in 0..places.messages {
            // SAFETY: the caller's promise, and the message exists.
            unsafe { places.buffers(index, run.message_bytes) }.wipe();
        }
        Err(Error::Authentication)
    }

    /// Process all messages and pass their tags to `use_tag` with the index, in order.
    ///
    /// # Safety
    /// As [`Key::seal_places`].
    unsafe fn process_places<const SEAL: bool>(
        &self,
        run: &Run<'_>,
        mut nonce: impl FnMut(usize) -> [u8; 12],
        places: &Places,
        mut use_tag: impl FnMut(usize, u128),
    ) -> Result<()> {
        check_lengths(run.message_bytes.max(places.last_bytes), run.first_ad.len())?;
        let bytes = run.message_bytes;
        let complete = if places.last_bytes == bytes { places.messages } else { places.messages.saturating_sub(1) };
        let in_series = if bytes > 0 && bytes.is_multiple_of(self.state.series_unit()) { complete } else { 0 };
        let mut blocks = [0; MAX_SERIES];
        let mut first = 0;
        while first < places.messages {
            let number = in_series.saturating_sub(first).clamp(1, MAX_SERIES);
            // A single message is processed faster by itself.
            let blocks = &mut blocks[..number];
            for (i, block) in blocks.iter_mut().enumerate() {
                *block = Self::counter_block_of_12(&nonce(first + i)).0;
            }
            let ad = if first == 0 { run.first_ad } else { &[] };
            // SAFETY: the caller's promise, and the messages exist.
            unsafe {
                let message = places.buffers(first, bytes);
                if number > 1 {
                    let series = Series {
                        input: message.input(),
                        input_step: places.input_step,
                        output: message.output(),
                        output_step: places.output_step,
                        bytes,
                        hash: if ad.is_empty() { 0 } else { self.state.hash(0, ad) },
                        first_lengths: Self::lengths(ad.len() as u64, bytes as u64).0,
                        lengths: Self::lengths(0, bytes as u64).0,
                        stream: run.stores == Stores::Streaming,
                    };
                    if SEAL {
                        self.state.seal_series(&series, blocks);
                    } else {
                        self.state.open_series(&series, blocks);
                    }
                } else {
                    let job = self.whole_message(crate::CounterBlock(blocks[0]), ad, &message, run.stores);
                    blocks[0] = if SEAL { self.state.seal(&job) } else { self.state.open(&job) };
                }
            }
            for (i, block) in blocks.iter().enumerate() {
                use_tag(first + i, *block);
            }
            first += number;
        }
        Ok(())
    }
}
