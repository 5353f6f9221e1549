//! Sealing and opening of one message by segments.

use super::TAG_BYTES;
use super::key::{Segment, SegmentedKey, SegmentedMessage};
use crate::buffers::require_disjoint;
use crate::cores::last_level_cache_bytes;
use crate::error::{Error, Result, ensure};
use crate::limits::{MAX_THREADS, SERIAL_BELOW};
use crate::run::Run;
use crate::schedules::Schedule;
use crate::wipe::wipe;
use aeadlab_abi::{self as abi, Algorithm};
use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

/// Bytes of a segment of a long message. The start of a segment and the combination of its value take less than 1 % of
/// its time.
const SEGMENT_BYTES: usize = 256 << 10;
/// The shortest segment that is chosen, and the factor of all that are: a page.
const SEGMENT_STEP: usize = 4 << 10;
/// Segments for each thread at least, so that a thread that starts late has less to do.
const SEGMENTS_PER_THREAD: usize = 8;

/// What the kernels leave in the stack is of the depth that the engine assumes of an AEAD.
static OWN_KERNEL: Algorithm = Algorithm { key_bytes: 32, ..Algorithm::empty(abi::AEAD) };

/// A key of a standard AEAD, with the threads that process each message.
///
/// Calls take `&self`, so that threads can share it.
pub struct OneMessage<K> {
    key: K,
    threads: usize,
    schedule: Schedule,
    segment_bytes: Option<usize>,
    serial_below: usize,
    streaming_from: Option<usize>,
}

/// What can differ from call to call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call<'a> {
    /// Stops the call with [`Error::Interrupted`] and a wiped output when another thread sets it.
    pub cancel: Option<&'a AtomicBool>,
    /// Whether the output is newly allocated anonymous memory that no other code has seen: wiping it may then return
    /// its pages to the system.
    pub fresh: bool,
}

/// The input and the output of a message of `bytes`.
#[derive(Clone, Copy)]
struct Text {
    input: *const u8,
    output: *mut u8,
    bytes: usize,
}

/// What a pass does with the segments of the text. The segments of the associated data are hashed if `ad` is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Encrypt,
    Decrypt,
    Hash,
}

/// The value of a segment, written by the worker that processes it.
struct Slot<V>(UnsafeCell<V>);

// SAFETY: a schedule assigns each segment to one worker, and the values are read after the workers have finished.
unsafe impl<V: Send> Sync for Slot<V> {}

/// A message in progress, shared by the workers.
struct Shared<'a, M: SegmentedMessage> {
    message: &'a M,
    ad: &'a [u8],
    text: Text,
    pass: Pass,
    segment_bytes: usize,
    streaming: bool,
    values: &'a [Slot<M::Value>],
}

// SAFETY: segments are disjoint in the output, and a schedule assigns each segment to one worker, whose calls never
// overlap.
unsafe impl<M: SegmentedMessage> Sync for Shared<'_, M> {}

/// Return the position of segment `index` of `bytes`.
fn segment_range(index: usize, segment_bytes: usize, bytes: usize) -> Range<usize> {
    let start = index * segment_bytes;
    start..bytes.min(start.saturating_add(segment_bytes))
}

impl<M: SegmentedMessage> Shared<'_, M> {
    /// Number of segments of the associated data, which precede those of the text.
    fn ad_segments(&self) -> usize {
        self.ad.len().div_ceil(self.segment_bytes)
    }

    fn segments(&self) -> usize {
        self.ad_segments() + self.text.bytes.div_ceil(self.segment_bytes)
    }

    /// Number of blocks of 16 bytes in a segment.
    fn blocks(&self, segment: usize) -> u64 {
        let ad = self.ad_segments();
        let range = if segment < ad {
            segment_range(segment, self.segment_bytes, self.ad.len())
        } else {
            segment_range(segment - ad, self.segment_bytes, self.text.bytes)
        };
        range.len().div_ceil(16) as u64
    }

    fn process(&self, worker: usize, segment: usize) -> Result<()> {
        let ad = self.ad_segments();
        // SAFETY: the ranges lie in the buffers of the message, and no other worker processes this segment; a worker's
        // calls do not overlap.
        unsafe {
            let value = if segment < ad {
                let range = segment_range(segment, self.segment_bytes, self.ad.len());
                self.message.hash(worker, self.ad.as_ptr().wrapping_add(range.start), range.len())?
            } else {
                let range = segment_range(segment - ad, self.segment_bytes, self.text.bytes);
                let offset = range.start as u64;
                let segment = Segment {
                    input: self.text.input.wrapping_add(range.start),
                    output: self.text.output.wrapping_add(range.start),
                    bytes: range.len(),
                    streaming: self.streaming,
                };
                match self.pass {
                    Pass::Encrypt => self.message.encrypt(worker, offset, &segment)?,
                    Pass::Decrypt => self.message.decrypt(worker, offset, &segment)?,
                    Pass::Hash => self.message.hash(worker, segment.input, segment.bytes)?,
                }
            };
            *self.values[segment].0.get() = value;
        }
        Ok(())
    }
}

/// Return the tag for the values of all segments, in order, with their numbers of blocks.
pub(super) fn combine<M: SegmentedMessage>(
    message: &M,
    values: impl Iterator<Item = (M::Value, u64)>,
    ad_bytes: u64,
    bytes: u64,
) -> [u8; TAG_BYTES] {
    let mut power = (0, message.power(0));
    let mut total: Option<M::Value> = None;
    for (value, blocks) in values {
        total = Some(match &total {
            None => value,
            Some(before) => {
                if power.0 != blocks {
                    power = (blocks, message.power(blocks));
                }
                message.append(before, &power.1, &value)
            }
        });
    }
    let mut total = total.unwrap_or_default();
    let tag = message.tag(&total, ad_bytes, bytes);
    total.zeroize();
    power.1.zeroize();
    tag
}

impl<K: SegmentedKey> OneMessage<K> {
    /// Take a key and the threads that process each message.
    ///
    /// # Errors
    /// A thread count outside 1 to [`MAX_THREADS`].
    pub fn new(key: K, threads: usize, schedule: Schedule) -> Result<Self> {
        ensure!((1..=MAX_THREADS).contains(&threads), "{threads} threads given, 1 to {MAX_THREADS} expected");
        let (segment_bytes, streaming_from) = (None, None);
        Ok(Self { key, threads, schedule, segment_bytes, serial_below: SERIAL_BELOW, streaming_from })
    }

    /// Process segments of `bytes`, a multiple of 16; without this the length is chosen for each message.
    ///
    /// # Errors
    /// A length of 0, or one that is not a multiple of 16.
    pub fn segment_bytes(self, bytes: usize) -> Result<Self> {
        ensure!(bytes > 0 && bytes.is_multiple_of(16), "segments of {bytes} bytes given, a multiple of 16 expected");
        Ok(Self { segment_bytes: Some(bytes), ..self })
    }

    /// Process messages shorter than `bytes` on the caller's thread alone; 0 uses all threads for every message.
    #[must_use]
    pub fn serial_below(self, bytes: usize) -> Self {
        Self { serial_below: bytes, ..self }
    }

    /// Write messages of at least `bytes` past the cache; without this, those longer than the last-level cache.
    #[must_use]
    pub fn streaming_from(self, bytes: usize) -> Self {
        Self { streaming_from: Some(bytes), ..self }
    }

    /// The key.
    pub fn key(&self) -> &K {
        &self.key
    }

    /// Number of threads that process a message.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Fail for a message that is longer than the algorithm takes, in bytes.
    ///
    /// # Errors
    /// [`Error::Argument`] with the length and the limit.
    pub fn check_length(&self, bytes: u64) -> Result<()> {
        check_length::<K>(bytes)
    }

    /// Seal `input` into `output` of the same length, and return the tag.
    ///
    /// # Errors
    /// A nonce that the algorithm does not take; a message beyond its limit; an output of another length; an error of
    /// the library, after which the output is wiped.
    pub fn seal(&self, nonce: &[u8], ad: &[u8], input: &[u8], output: &mut [u8]) -> Result<[u8; TAG_BYTES]> {
        check_output(input.len(), output.len())?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.seal_raw(nonce, ad, input.as_ptr(), input.len(), output.as_mut_ptr(), Call::default()) }
    }

    /// Seal `buffer` in place, and return the tag.
    ///
    /// # Errors
    /// As [`OneMessage::seal`].
    pub fn seal_in_place(&self, nonce: &[u8], ad: &[u8], buffer: &mut [u8]) -> Result<[u8; TAG_BYTES]> {
        let text = buffer.as_mut_ptr();
        // SAFETY: one mutable slice.
        unsafe { self.seal_raw(nonce, ad, text, buffer.len(), text, Call::default()) }
    }

    /// Open `input` into `output` of the same length.
    ///
    /// # Errors
    /// [`Error::Authentication`] if the tag does not match, with the output wiped; otherwise as [`OneMessage::seal`].
    pub fn open(&self, nonce: &[u8], ad: &[u8], input: &[u8], tag: &[u8; TAG_BYTES], output: &mut [u8]) -> Result<()> {
        check_output(input.len(), output.len())?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.open_raw(nonce, ad, input.as_ptr(), input.len(), tag, output.as_mut_ptr(), Call::default()) }
    }

    /// Open `buffer` in place.
    ///
    /// # Errors
    /// As [`OneMessage::open`]. The ciphertext is lost if the tag does not match: the buffer is the output that is wiped.
    pub fn open_in_place(&self, nonce: &[u8], ad: &[u8], buffer: &mut [u8], tag: &[u8; TAG_BYTES]) -> Result<()> {
        let text = buffer.as_mut_ptr();
        // SAFETY: one mutable slice.
        unsafe { self.open_raw(nonce, ad, text, buffer.len(), tag, text, Call::default()) }
    }

    /// Return the tag of a message without text: GMAC of `ad`, which all threads hash.
    ///
    /// # Errors
    /// As [`OneMessage::seal`].
    pub fn authenticate(&self, nonce: &[u8], ad: &[u8]) -> Result<[u8; TAG_BYTES]> {
        self.seal(nonce, ad, &[], &mut [])
    }

    /// [`OneMessage::seal`] on raw memory, for callers whose buffers Rust cannot borrow. It also fails with
    /// [`Error::Overlap`] if input and output overlap without being equal.
    ///
    /// # Safety
    /// `input` and `output` are valid for `bytes`.
    pub unsafe fn seal_raw(
        &self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        call: Call<'_>,
    ) -> Result<[u8; TAG_BYTES]> {
        let text = check_text::<K>(input, bytes, output)?;
        let message = self.key.message(nonce, self.threads)?;
        self.pass(&message, ad, text, Pass::Encrypt, call)
    }

    /// [`OneMessage::open`] on raw memory, as [`OneMessage::seal_raw`].
    ///
    /// # Safety
    /// As [`OneMessage::seal_raw`].
    #[allow(clippy::too_many_arguments)] // those of `seal_raw`, and the tag
    pub unsafe fn open_raw(
        &self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        tag: &[u8; TAG_BYTES],
        output: *mut u8,
        call: Call<'_>,
    ) -> Result<()> {
        let text = check_text::<K>(input, bytes, output)?;
        let message = self.key.message(nonce, self.threads)?;
        let one_pass = <K::Message<'_> as SegmentedMessage>::DECRYPTION_HASHES;
        let first = if one_pass { Pass::Decrypt } else { Pass::Hash };
        let computed = self.pass(&message, ad, text, first, call)?;
        if !bool::from(computed.ct_eq(tag)) {
            // SAFETY: the caller's promise; the workers have finished.
            unsafe { wipe(output, bytes, self.threads, call.fresh) };
            return Err(Error::Authentication);
        }
        if !one_pass {
            self.pass(&message, &[], text, Pass::Decrypt, call)?;
        }
        Ok(())
    }

    /// Return the length of the segments of a message.
    fn segment_of(&self, bytes: usize) -> usize {
        self.segment_bytes.unwrap_or_else(|| {
            let share = bytes / (self.threads * SEGMENTS_PER_THREAD);
            (share - share % SEGMENT_STEP).clamp(SEGMENT_STEP, SEGMENT_BYTES)
        })
    }

    /// Process all segments, and return the tag, which is meaningless if the pass does not compute the values. After an
    /// error the output is wiped, unless no segment was started.
    fn pass<M: SegmentedMessage>(
        &self,
        message: &M,
        ad: &[u8],
        text: Text,
        pass: Pass,
        call: Call<'_>,
    ) -> Result<[u8; TAG_BYTES]> {
        let total = text.bytes.saturating_add(ad.len());
        let serial = self.threads == 1 || total < self.serial_below;
        // Segments let a caller cancel a long message, so a single thread has them too.
        let segment_bytes = match self.segment_bytes {
            None if serial => SEGMENT_BYTES.max(self.serial_below - self.serial_below % 16),
            _ => self.segment_of(total),
        };
        let in_place = text.input == text.output.cast_const();
        let streaming = !in_place && text.bytes >= self.streaming_from.unwrap_or_else(last_level_cache_bytes);
        let mut shared = Shared { message, ad, text, pass, segment_bytes, streaming, values: &[] };
        let segments = shared.segments();
        let mut values = Vec::new();
        values.resize_with(segments, || Slot(UnsafeCell::new(M::Value::default())));
        shared.values = &values;
        let (result, started) = if segments == 0 {
            (Ok(()), false)
        } else {
            let process = |worker, segment| shared.process(worker, segment);
            let run = Run::new(self.threads, segments, segment_bytes, &process)
                .with_cancel_flag(call.cancel)
                .with_algorithm(&OWN_KERNEL);
            if serial {
                run.process_chunk(0, 0..segments);
            } else {
                self.schedule.run(&run);
            }
            let started = run.started();
            (run.into_result(), started)
        };
        let blocks: Vec<u64> = (0..segments).map(|segment| shared.blocks(segment)).collect();
        let mut values = values;
        let tag = result.map(|()| {
            let in_order = values.iter_mut().zip(blocks).map(|(slot, blocks)| (slot.0.get_mut().clone(), blocks));
            combine(message, in_order, ad.len() as u64, text.bytes as u64)
        });
        values.iter_mut().for_each(|slot| slot.0.get_mut().zeroize());
        if tag.is_err() && started && pass != Pass::Hash {
            // SAFETY: the callers' promises; the workers have finished.
            unsafe { wipe(text.output, text.bytes, self.threads, call.fresh) };
        }
        tag
    }
}

fn check_output(input: usize, output: usize) -> Result<()> {
    if input == output {
        return Ok(());
    }
    Err(Error::Length { name: "output buffer", given: output, expected: input.to_string() })
}

/// Check the length of a message, and that its buffers are equal or disjoint.
fn check_text<K: SegmentedKey>(input: *const u8, bytes: usize, output: *mut u8) -> Result<Text> {
    check_length::<K>(bytes as u64)?;
    if input != output.cast_const() {
        require_disjoint(input, bytes, output, bytes)?;
    }
    Ok(Text { input, output, bytes })
}

/// Check the length of a message.
pub(super) fn check_length<K: SegmentedKey>(bytes: u64) -> Result<()> {
    ensure!(
        bytes <= K::MAX_BYTES,
        "message of {bytes} bytes given, {} takes at most {}: use a nonce for each part, or ParSplit",
        K::NAME,
        K::MAX_BYTES
    );
    Ok(())
}
