use crate::message::{Message, Slot, Work};
use crate::nonce::Nonces;
use crate::part::Part;
use crate::run::Run;
use crate::trace::{Span, Trace};
use crate::{Context, Error, Layout, MAX_THREADS, Result, Schedule, wipe};
use aeadlab_abi::{self as abi, Algorithm};
use crossbeam_utils::CachePadded;
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use zeroize::Zeroizing;

/// An algorithm with a block size, a thread count and a schedule: an AEAD of its own, parallel.
#[derive(Clone, Copy, Debug)]
pub struct ParSplit {
    algorithm: &'static Algorithm,
    block_size: usize,
    threads: usize,
    schedule: Schedule,
    serial_below: usize,
}

/// Messages under so many bytes stay on the caller's thread, unless [`ParSplit::serial_below`] says otherwise.
///
/// Measured by `native/benches/crossover.py` with two threads and eight blocks, on a virtual machine with two cores of a
/// Zen 5, where it takes the caller 10 us to wake a thread and the thread 40 us to begin. OpenSSL's AES-256-GCM: two
/// threads took 1.34 times as long as one at 512 KiB, 1.17 at 1 MiB, 0.73 at 2 MiB. Its ChaCha20-Poly1305: 1.23 at
/// 256 KiB, 0.71 at 512 KiB. This is between the two; a machine that wakes threads faster gains from less.
pub const SERIAL_BELOW: usize = 512 << 10;

impl ParSplit {
    /// Checks the combination; nothing is started yet.
    ///
    /// # Errors
    /// An algorithm that is neither an AEAD nor a baseline cipher, whose nonce is under 12 bytes, or that cannot be
    /// used from several threads; threads outside 1 to [`MAX_THREADS`]; a block size of 0 or beyond what the
    /// algorithm takes.
    pub fn new(algorithm: &'static Algorithm, block_size: usize, threads: usize, schedule: Schedule) -> Result<Self> {
        let baseline = algorithm.kind == abi::CIPHER && algorithm.has(abi::BASELINE) && algorithm.nonce_bytes == 0;
        if algorithm.kind != abi::AEAD && !baseline {
            return Err(Error::Argument("ParSplit needs an AEAD: without tags it could not detect any change".into()));
        }
        if algorithm.kind == abi::AEAD {
            Nonces::prefix_bytes(algorithm.nonce_bytes.max(1) as usize)?;
        }
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(Error::Argument(format!("{threads} threads given, 1 to {MAX_THREADS} wanted")));
        }
        if threads > 1 && !algorithm.has(abi::THREAD_SAFE) {
            return Err(Error::Argument(format!("{threads} threads given, but the algorithm is not thread-safe")));
        }
        if block_size == 0 {
            return Err(Error::Argument("block size 0 given, at least 1 byte wanted".into()));
        }
        if algorithm.max_bytes != 0 && block_size as u64 > algorithm.max_bytes {
            return Err(Error::Argument(format!(
                "block size {block_size} given, the algorithm takes at most {} bytes",
                algorithm.max_bytes
            )));
        }
        Ok(Self { algorithm, block_size, threads, schedule, serial_below: SERIAL_BELOW })
    }

    /// With another bound for what stays on the caller's thread and wakes nobody; 0 gives every message to all threads.
    #[must_use]
    pub fn serial_below(self, bytes: usize) -> Self {
        Self { serial_below: bytes, ..self }
    }

    /// With another block size.
    ///
    /// # Errors
    /// As [`ParSplit::new`].
    pub fn with_block_size(self, block_size: usize) -> Result<Self> {
        Ok(Self {
            serial_below: self.serial_below,
            ..Self::new(self.algorithm, block_size, self.threads, self.schedule)?
        })
    }

    /// The algorithm that seals the blocks.
    #[must_use]
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Bytes per block.
    #[must_use]
    pub fn block_size(&self) -> usize {
        self.block_size
    }

    /// How many threads work on a message.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Length of the key.
    #[must_use]
    pub fn key_bytes(&self) -> usize {
        self.algorithm.key_bytes as usize
    }

    /// Length of the nonce that a message needs: the algorithm's own less 5.
    #[must_use]
    pub fn nonce_bytes(&self) -> usize {
        // `new` has refused what has no prefix.
        Nonces::prefix_bytes(self.algorithm.nonce_bytes as usize).unwrap_or(0)
    }

    /// How a message of `bytes` is laid out.
    ///
    /// # Errors
    /// More than 2^32 blocks.
    pub fn layout(&self, bytes: usize) -> Result<Layout> {
        Layout::of_message(bytes, self.block_size, self.algorithm.tag_bytes as usize)
    }

    /// How a sealed message of `sealed` bytes is laid out.
    ///
    /// # Errors
    /// A length that no message has.
    pub fn layout_of_sealed(&self, sealed: usize) -> Result<Layout> {
        Layout::of_sealed(sealed, self.block_size, self.algorithm.tag_bytes as usize)
    }

    /// Sets up a key for any number of messages.
    ///
    /// # Errors
    /// A key of the wrong length, or one that the library refuses.
    pub fn key(&self, key: &[u8]) -> Result<Keyed> {
        let first = Context::new(self.algorithm, key)?;
        let mut slots: Vec<_> = (0..self.threads).map(|_| CachePadded::new(UnsafeCell::new(None))).collect();
        if let Some(slot) = slots.first_mut() {
            *slot.get_mut() = Some(first);
        }
        let key = Zeroizing::new(key.to_vec());
        Ok(Keyed { splitter: *self, key, slots, cancel: None, fresh: false, traced: false, spans: Vec::new() })
    }
}

/// A [`ParSplit`] with its key: one context per worker, each made by the worker that first needs it and kept.
pub struct Keyed {
    splitter: ParSplit,
    key: Zeroizing<Vec<u8>>,
    slots: Vec<Slot>,
    cancel: Option<Arc<AtomicBool>>,
    fresh: bool,
    traced: bool,
    spans: Vec<Span>,
}

// SAFETY: the slots are reached through `&mut self` alone.
unsafe impl Sync for Keyed {}

pub(crate) fn apart(a: *const u8, a_bytes: usize, b: *const u8, b_bytes: usize) -> bool {
    let (a, b) = (a as usize, b as usize);
    a_bytes == 0 || b_bytes == 0 || a + a_bytes <= b || b + b_bytes <= a
}

impl Keyed {
    /// The ParSplit that the key was set up for.
    #[must_use]
    pub fn splitter(&self) -> &ParSplit {
        &self.splitter
    }

    /// Seals `input` into `output`: ciphertext, then the tags; returns the bytes written.
    ///
    /// # Errors
    /// A nonce or output of the wrong length, more than 2^32 blocks, or a library that refuses; the output is then
    /// wiped.
    pub fn seal(&mut self, nonce: &[u8], ad: &[u8], input: &[u8], output: &mut [u8]) -> Result<usize> {
        let layout = self.splitter.layout(input.len())?;
        let output = sized(output, layout.sealed())?;
        let (text, tags) = output.split_at_mut(layout.bytes());
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.seal_raw(nonce, ad, input.as_ptr(), input.len(), text.as_mut_ptr(), tags.as_mut_ptr())? };
        Ok(layout.sealed())
    }

    /// Seals the first `bytes` of `buffer` where they are and puts the tags behind them; returns the bytes written.
    ///
    /// # Errors
    /// As [`Keyed::seal`], and an algorithm that cannot work in place.
    pub fn seal_in_place(&mut self, nonce: &[u8], ad: &[u8], buffer: &mut [u8], bytes: usize) -> Result<usize> {
        let layout = self.splitter.layout(bytes)?;
        let buffer = sized(buffer, layout.sealed())?;
        let (text, tags) = buffer.split_at_mut(bytes);
        let text = text.as_mut_ptr();
        // SAFETY: `text` and `tags` are the two parts of one mutable slice.
        unsafe { self.seal_raw(nonce, ad, text, bytes, text, tags.as_mut_ptr())? };
        Ok(layout.sealed())
    }

    /// Opens `sealed` into `output`; returns the bytes of the message.
    ///
    /// # Errors
    /// [`Error::Authentication`] if any block fails, with the output wiped; otherwise as [`Keyed::seal`].
    pub fn open(&mut self, nonce: &[u8], ad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<usize> {
        let layout = self.splitter.layout_of_sealed(sealed.len())?;
        let output = sized(output, layout.bytes())?;
        let (text, tags) = sealed.split_at(layout.bytes());
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.open_raw(nonce, ad, text.as_ptr(), text.len(), output.as_mut_ptr(), tags.as_ptr())? };
        Ok(layout.bytes())
    }

    /// Opens `buffer` where it is; the message is its first bytes, as many as are returned.
    ///
    /// # Errors
    /// As [`Keyed::open`]. The ciphertext is lost when a block fails: the buffer is the output that is wiped.
    pub fn open_in_place(&mut self, nonce: &[u8], ad: &[u8], buffer: &mut [u8]) -> Result<usize> {
        let layout = self.splitter.layout_of_sealed(buffer.len())?;
        let (text, tags) = buffer.split_at_mut(layout.bytes());
        let text = text.as_mut_ptr();
        // SAFETY: `text` and `tags` are the two parts of one mutable slice.
        unsafe { self.open_raw(nonce, ad, text, layout.bytes(), text, tags.as_ptr())? };
        Ok(layout.bytes())
    }

    /// [`Keyed::seal`] on raw memory, for callers whose buffers Rust cannot borrow.
    ///
    /// # Errors
    /// As [`Keyed::seal`]; [`Error::Overlap`] where buffers overlap without being equal.
    ///
    /// # Safety
    /// `input` and `output` are valid for `bytes`, `tags` for [`Layout::tags`] of the message.
    pub unsafe fn seal_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tags: *mut u8,
    ) -> Result<()> {
        let layout = self.splitter.layout(bytes)?;
        if !apart(input, bytes, tags, layout.tags()) || !apart(output, bytes, tags, layout.tags()) {
            return Err(Error::Overlap);
        }
        self.run(layout, Part::WHOLE, nonce, ad, input, output, Work::Seal { tags })
    }

    /// [`Keyed::open`] on raw memory, for callers whose buffers Rust cannot borrow.
    ///
    /// # Errors
    /// As [`Keyed::open`]; [`Error::Overlap`] where buffers overlap without being equal.
    ///
    /// # Safety
    /// As [`Keyed::seal_raw`], `tags` being read.
    pub unsafe fn open_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tags: *const u8,
    ) -> Result<()> {
        let layout = self.splitter.layout(bytes)?;
        if !apart(output, bytes, tags, layout.tags()) {
            return Err(Error::Overlap);
        }
        self.run(layout, Part::WHOLE, nonce, ad, input, output, Work::Open { tags })
    }

    /// Does all blocks of `layout`, which are the message or `part` of it; on failure wipes the output, unless no block
    /// was begun. The pointers are valid for what the layout says, and the tags apart from the output or woven into it.
    #[allow(clippy::too_many_arguments)] // a message, and which part of it
    pub(crate) fn run(
        &mut self,
        layout: Layout,
        part: Part,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        output: *mut u8,
        work: Work,
    ) -> Result<()> {
        let ParSplit { algorithm, block_size, threads, schedule, serial_below } = self.splitter;
        let in_place = input == output.cast_const();
        if in_place && layout.bytes() > 0 && !algorithm.has(abi::IN_PLACE) {
            return Err(Error::Argument("the algorithm cannot work in place: give a separate output".into()));
        }
        let (read, written) = match work {
            Work::Seal { .. } => (layout.bytes(), part.sealed(layout)),
            Work::Open { .. } => (part.sealed(layout), layout.bytes()),
        };
        if (!in_place || part.woven) && !apart(input, read, output, written) {
            return Err(Error::Overlap);
        }
        let message = Message {
            layout,
            part,
            nonces: Nonces::new(nonce, algorithm.nonce_bytes as usize)?,
            ad,
            input,
            output,
            work,
            key: &self.key,
            algorithm,
            slots: &self.slots,
        };
        self.spans = Vec::new();
        let trace = if self.traced { Some(Trace::new(layout.blocks())?) } else { None };
        let call = |worker, block| message.block(worker, block);
        let run = Run::new(threads, layout.blocks(), block_size, &call)
            .cancelled_by(self.cancel.as_deref())
            .traced_to(trace.as_ref());
        if layout.blocks() == 1 || layout.bytes() < serial_below {
            run.range(0, 0..layout.blocks());
        } else {
            schedule.run(&run);
        }
        let began = run.began();
        let outcome = run.outcome();
        if outcome.is_err() && began {
            // SAFETY: the callers' promises; the workers are done.
            unsafe {
                wipe::wipe(output, written, threads, self.fresh);
                if let (Work::Seal { tags }, false) = (work, part.woven) {
                    wipe::wipe(tags, layout.tags(), threads, self.fresh);
                }
            }
        }
        self.spans = trace.map(Trace::into_spans).unwrap_or_default();
        outcome
    }

    /// Has later messages cut into blocks of another size and done by another number of threads. Keys that were set up
    /// are kept.
    ///
    /// # Errors
    /// As [`ParSplit::new`]; nothing has changed then.
    pub fn resize(&mut self, block_size: usize, threads: usize) -> Result<()> {
        let ParSplit { algorithm, schedule, serial_below, .. } = self.splitter;
        self.splitter = ParSplit::new(algorithm, block_size, threads, schedule)?.serial_below(serial_below);
        self.slots.resize_with(threads, || CachePadded::new(UnsafeCell::new(None)));
        Ok(())
    }

    /// Has later calls end with [`Error::Interrupted`] and a wiped output once somebody sets the word. It is looked at
    /// before each block, so a block is the longest that a call goes on.
    pub fn cancelled_by(&mut self, word: Option<Arc<AtomicBool>>) {
        self.cancel = word;
    }

    /// Whether the output of later calls is anonymous memory that was allocated for them and that nobody has seen: then
    /// wiping it may be to give its pages back.
    pub fn fresh_output(&mut self, fresh: bool) {
        self.fresh = fresh;
    }

    /// Whether later calls note who does which block when.
    pub fn traced(&mut self, traced: bool) {
        self.traced = traced;
    }

    /// The blocks that the last call did, by index, if it was traced.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }
}

pub(crate) fn sized(output: &mut [u8], wanted: usize) -> Result<&mut [u8]> {
    let given = output.len();
    output.get_mut(..wanted).ok_or_else(|| Error::Length {
        what: "output buffer",
        given,
        wanted: format!("at least {wanted}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::c_void;

    unsafe extern "C" fn key_new(_: *const Algorithm, _: *const u8, _: usize, context: *mut *mut c_void) -> i32 {
        // SAFETY: a place for the result, which is never followed.
        unsafe { context.write(std::ptr::dangling_mut()) };
        abi::OK
    }

    unsafe extern "C" fn key_free(_: *mut c_void) {}

    unsafe extern "C" fn crypt(
        _: *mut c_void,
        _: *const u8,
        _: usize,
        input: *const u8,
        n: usize,
        output: *mut u8,
    ) -> i32 {
        std::thread::sleep(std::time::Duration::from_millis(1));
        // SAFETY: valid for `n` and apart.
        unsafe { output.copy_from(input, n) };
        abi::OK
    }

    static COPY: Algorithm = Algorithm {
        flags: abi::THREAD_SAFE | abi::BASELINE,
        key_new: Some(key_new),
        key_free: Some(key_free),
        encrypt: Some(crypt),
        decrypt: Some(crypt),
        ..Algorithm::empty(abi::CIPHER)
    };

    #[test]
    fn a_panic_in_a_worker_is_an_error_with_the_output_wiped() {
        for (name, schedule) in Schedule::ALL {
            let splitter = ParSplit::new(&COPY, 64, 4, *schedule).unwrap().serial_below(0);
            let mut keyed = splitter.key(&[]).unwrap();
            // A bug as good as any: the other workers have no place for their context.
            keyed.slots.truncate(1);
            let mut output = vec![0xee; 64 * 100];
            let failed = keyed.seal(&[], &[], &[7; 64 * 100], &mut output);
            assert!(
                matches!(&failed, Err(Error::Panic(said)) if said.contains("index out of bounds")),
                "{name}: {failed:?}"
            );
            assert!(output.iter().all(|&byte| byte == 0), "{name}: something was left behind");
        }
    }
}
