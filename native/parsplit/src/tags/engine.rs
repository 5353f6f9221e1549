//! Sealing and opening of whole messages with one tag.

use super::ONE_TAG_BYTES;
use super::binding::Binding;
use super::kind::{OneTag, Tags};
use super::message::{BlockTags, Blocks, Hashed, Pass, Scratch, tags_per_chunk};
use super::tree::{LeafValues, Tree};
use crate::buffers::{output_prefix, require_disjoint};
use crate::context::Context;
use crate::dead_stack::{ClearDeadStack, clear_dead_stack};
use crate::error::{Error, Result, ensure};
use crate::layout::Layout;
use crate::limits::check_lengths;
use crate::message::ContextSlot;
use crate::run::{ProcessBlock, Run};
use crate::wipe::wipe;
use aeadlab_abi::{self as abi, Algorithm};
use blake3::CHUNK_LEN;
use crossbeam_utils::CachePadded;
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

/// BLAKE3 leaves its keys as deep in the stack as the ciphers that are not AEADs.
pub(super) static BLAKE3: Algorithm = Algorithm { key_bytes: 32, ..Algorithm::empty(abi::CIPHER) };

/// A [`OneTag`] with its key, and one context per worker: kept from message to message for the key of an AEAD, set up for
/// each message of [`Tags::Blake3`].
pub struct KeyedOneTag {
    pub(super) settings: OneTag,
    pub(super) key: Zeroizing<Vec<u8>>,
    pub(super) contexts: Vec<ContextSlot>,
    pub(super) scratch: Vec<Scratch>,
    pub(super) cancel: Option<Arc<AtomicBool>>,
    pub(super) fresh: bool,
}

// SAFETY: contexts and scratch buffers are reached through `&mut self` alone.
unsafe impl Sync for KeyedOneTag {}

impl OneTag {
    /// Set up a key for any number of messages.
    ///
    /// # Errors
    /// A key of the wrong length, or one that the library rejects.
    pub fn key(&self, key: &[u8]) -> Result<KeyedOneTag> {
        let _clear = ClearDeadStack(&BLAKE3);
        let expected = self.key_bytes();
        if key.len() != expected {
            return Err(Error::Length { name: "key", given: key.len(), expected: expected.to_string() });
        }
        let first = match self.tags {
            Tags::Digest | Tags::Merkle => Some(Context::new(self.algorithm, key)?),
            Tags::Blake3 => None,
        };
        let mut contexts = vec![CachePadded::new(UnsafeCell::new(first))];
        contexts.resize_with(self.threads, || CachePadded::new(UnsafeCell::new(None)));
        let scratch = (0..self.threads).map(|_| Scratch::new(UnsafeCell::default())).collect();
        let key = Zeroizing::new(key.to_vec());
        Ok(KeyedOneTag { settings: *self, key, contexts, scratch, cancel: None, fresh: false })
    }
}

impl KeyedOneTag {
    /// The settings that the key was set up for.
    #[must_use]
    pub fn settings(&self) -> &OneTag {
        &self.settings
    }

    /// Seal `input` into `output`, ciphertext first, then the tag; return the number of bytes written.
    ///
    /// # Errors
    /// A nonce or output of the wrong length, more than 2^32 blocks, or an error of the library, after which the output
    /// is wiped.
    pub fn seal(&mut self, nonce: &[u8], ad: &[u8], input: &[u8], output: &mut [u8]) -> Result<usize> {
        self.settings.layout(input.len())?;
        let output = output_prefix(output, input.len() + ONE_TAG_BYTES)?;
        let (text, tag) = output.split_at_mut(input.len());
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        let sealed = unsafe { self.seal_raw(nonce, ad, input.as_ptr(), input.len(), text.as_mut_ptr())? };
        tag.copy_from_slice(&sealed);
        Ok(output.len())
    }

    /// Seal the first `bytes` of `buffer` in place and write the tag behind them; return the number of bytes written.
    ///
    /// # Errors
    /// As [`KeyedOneTag::seal`], and an algorithm that cannot work in place.
    pub fn seal_in_place(&mut self, nonce: &[u8], ad: &[u8], buffer: &mut [u8], bytes: usize) -> Result<usize> {
        self.settings.layout(bytes)?;
        let buffer = output_prefix(buffer, bytes + ONE_TAG_BYTES)?;
        let text = buffer.as_mut_ptr();
        // SAFETY: one mutable slice.
        let tag = unsafe { self.seal_raw(nonce, ad, text, bytes, text)? };
        buffer[bytes..].copy_from_slice(&tag);
        Ok(buffer.len())
    }

    /// Open `sealed` into `output`; return the length of the message in bytes.
    ///
    /// # Errors
    /// [`Error::Authentication`] if the tag does not match, with the output wiped; otherwise as [`KeyedOneTag::seal`].
    pub fn open(&mut self, nonce: &[u8], ad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<usize> {
        let bytes = self.settings.layout_of_sealed(sealed.len())?.bytes();
        let output = output_prefix(output, bytes)?;
        let tag = tag_of(&sealed[bytes..])?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.open_raw(nonce, ad, sealed.as_ptr(), bytes, output.as_mut_ptr(), &tag)? };
        Ok(bytes)
    }

    /// Open `buffer` in place; return the length in bytes of the message, which the buffer then begins with.
    ///
    /// # Errors
    /// As [`KeyedOneTag::open`]. The ciphertext is lost if the tag does not match: the buffer is the output that is
    /// wiped.
    pub fn open_in_place(&mut self, nonce: &[u8], ad: &[u8], buffer: &mut [u8]) -> Result<usize> {
        let bytes = self.settings.layout_of_sealed(buffer.len())?.bytes();
        let tag = tag_of(&buffer[bytes..])?;
        let text = buffer.as_mut_ptr();
        // SAFETY: one mutable slice.
        unsafe { self.open_raw(nonce, ad, text, bytes, text, &tag)? };
        Ok(bytes)
    }

    /// [`KeyedOneTag::seal`] on raw memory, for callers whose buffers Rust cannot borrow; returns the tag. It also fails
    /// with [`Error::Overlap`] if input and output overlap without being equal.
    ///
    /// # Safety
    /// `input` and `output` are valid for `bytes`.
    pub unsafe fn seal_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
    ) -> Result<[u8; ONE_TAG_BYTES]> {
        let layout = self.checked_layout(input, bytes, output)?;
        self.pass(layout, nonce, ad, input, output, Pass::Seal, None)
    }

    /// [`KeyedOneTag::open`] on raw memory, as [`KeyedOneTag::seal_raw`].
    ///
    /// # Safety
    /// As [`KeyedOneTag::seal_raw`].
    pub unsafe fn open_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tag: &[u8; ONE_TAG_BYTES],
    ) -> Result<()> {
        let layout = self.checked_layout(input, bytes, output)?;
        let computed = self.pass(layout, nonce, ad, input, output, Pass::Open, None)?;
        if bool::from(computed.ct_eq(tag)) {
            return Ok(());
        }
        // SAFETY: the caller's promise; the workers have finished.
        unsafe { wipe(output, bytes, self.settings.threads, self.fresh) };
        Err(Error::Authentication)
    }

    /// Check the buffers of a message and return its layout.
    pub(super) fn checked_layout(&self, input: *const u8, bytes: usize, output: *mut u8) -> Result<Layout> {
        let layout = self.settings.layout(bytes)?;
        if input != output.cast_const() {
            require_disjoint(input, bytes, output, bytes)?;
        } else {
            ensure!(
                bytes == 0 || self.settings.algorithm.has(abi::IN_PLACE),
                "the algorithm cannot work in place: give a separate output"
            );
        }
        Ok(layout)
    }

    /// Process all blocks of a message and return its tag; `values` receives the chaining values of several leaves. After
    /// an error the output is wiped, unless no block was started.
    #[allow(clippy::too_many_arguments)] // a message, and what to do with it
    pub(super) fn pass(
        &mut self,
        layout: Layout,
        nonce: &[u8],
        ad: &[u8],
        input: *const u8,
        output: *mut u8,
        pass: Pass,
        values: Option<(&LeafValues, &mut Zeroizing<Vec<u8>>)>,
    ) -> Result<[u8; ONE_TAG_BYTES]> {
        let _clear = ClearDeadStack(&BLAKE3);
        let OneTag { algorithm, block_size, tags, .. } = self.settings;
        if tags != Tags::Blake3 {
            check_lengths(algorithm, 0, ad.len())?;
        }
        let binding = Binding::new(&self.settings, &self.key, nonce, ad, layout.bytes() as u64)?;
        let (kept, kept_tags) = values.unzip();
        // After a failure they are valid tags of changed blocks.
        let mut own_tags = Zeroizing::new(Vec::new());
        let block_tags = kept_tags.unwrap_or(&mut own_tags);
        let key = &binding.tag_key;
        let hashed = match tags {
            Tags::Blake3 => Hashed::Blocks(Tree::new(key, block_size, layout.blocks(), kept)),
            Tags::Digest | Tags::Merkle => {
                block_tags.resize(layout.blocks() * algorithm.tag_bytes as usize, 0);
                let chunks = || layout.blocks().div_ceil(tags_per_chunk(algorithm));
                let tree = (tags == Tags::Merkle).then(|| Tree::new(key, CHUNK_LEN, chunks(), kept));
                Hashed::Tags(BlockTags::new(block_tags, layout.blocks(), tree))
            }
        };
        let blocks = self.blocks(layout, ad, input, output, &binding);
        let process = |worker, block| blocks.process(worker, block, pass, &hashed);
        let (result, started) = self.run(layout, &process);
        let tag = result.map(|()| hashed.into_tag(key));
        if pass == Pass::Prove {
            // Only then they hold plaintext.
            self.scratch.iter_mut().for_each(|scratch| scratch.get_mut().zeroize());
        }
        self.finish(&tag, started && pass != Pass::Prove, layout, output);
        tag
    }

    /// The state that the workers share.
    pub(super) fn blocks<'a>(
        &'a self,
        layout: Layout,
        ad: &'a [u8],
        input: *const u8,
        output: *mut u8,
        binding: &'a Binding,
    ) -> Blocks<'a> {
        let (algorithm, contexts, scratch) = (self.settings.algorithm, &self.contexts, &self.scratch);
        Blocks { layout, ad, input, output, algorithm, binding, contexts, scratch }
    }

    /// Process all blocks; return the first error, and whether any block was started.
    pub(super) fn run(&self, layout: Layout, process: ProcessBlock<'_>) -> (Result<()>, bool) {
        let OneTag { algorithm, block_size, threads, schedule, serial_below, .. } = self.settings;
        let run = Run::new(threads, layout.blocks(), block_size, process)
            .with_cancel_flag(self.cancel.as_deref())
            .with_algorithm(algorithm);
        if layout.blocks() == 1 || layout.bytes() < serial_below {
            run.process_chunk(0, 0..layout.blocks());
        } else {
            schedule.run(&run);
        }
        let started = run.started();
        (run.into_result(), started)
    }

    /// Free what belongs to one message, and wipe its output after an error.
    pub(super) fn finish<T>(&mut self, result: &Result<T>, written: bool, layout: Layout, output: *mut u8) {
        if self.settings.tags == Tags::Blake3 {
            self.contexts.iter_mut().for_each(|slot| *slot.get_mut() = None);
        }
        if result.is_err() && written {
            // SAFETY: the callers' promises; the workers have finished.
            unsafe { wipe(output, layout.bytes(), self.settings.threads, self.fresh) };
        }
    }

    /// Stop later calls with [`Error::Interrupted`] and a wiped output when another thread sets the flag.
    pub fn set_cancel_flag(&mut self, flag: Option<Arc<AtomicBool>>) {
        self.cancel = flag;
    }

    /// State that the output of later calls is newly allocated anonymous memory that no other code has seen: wiping it
    /// may then return its pages to the system.
    pub fn set_fresh_output(&mut self, fresh: bool) {
        self.fresh = fresh;
    }
}

/// Return the tag that a slice of its length holds.
pub(super) fn tag_of(bytes: &[u8]) -> Result<[u8; ONE_TAG_BYTES]> {
    let length = |_| Error::Length { name: "tag", given: bytes.len(), expected: ONE_TAG_BYTES.to_string() };
    bytes.try_into().map_err(length)
}

impl Drop for KeyedOneTag {
    fn drop(&mut self) {
        self.contexts.clear();
        clear_dead_stack(self.settings.algorithm);
    }
}
