//! Any library's AES-GCM as a black box: segments of one message by calls for whole messages.
//!
//! SP 800-38D, section 7.1, hashes a nonce of 16 bytes to the first counter block, J = (nonce · H + L) · H, where L is the
//! block of the lengths 0 and 128 bits. The nonce ((J · H⁻¹) + L) · H⁻¹ therefore starts a message at any counter
//! block. Its tag is E(J) + (value + lengths) · H, so the mask E(J), which is the tag of an empty message, and H give
//! the value of the segment.
//!
//! Encryption of a ciphertext decrypts it, because the keystream is added. The library then hashes the plaintext, so
//! opening hashes the ciphertext in a pass of its own, as associated data, and verifies the tag before it decrypts.

use super::TAG_BYTES;
use super::gcm::identifier;
use super::key::{Segment, SegmentedKey, SegmentedMessage};
use crate::context::Context;
use crate::error::{Error, Result, ensure};
use aeadlab_abi::{self as abi, Algorithm};
use aeadlab_gcm::{CounterBlock, Element, Key, MAX_MESSAGE_BYTES};
use crossbeam_utils::CachePadded;
use std::cell::UnsafeCell;
use std::sync::{Mutex, PoisonError};
use zeroize::{Zeroize, Zeroizing};

/// The nonce of the calls that find H. Their results never leave this module.
const INTERNAL_NONCE: [u8; 16] = [0; 16];

/// A key of AES-GCM of any library that takes nonces of 16 bytes.
pub struct LibraryGcmKey {
    algorithm: &'static Algorithm,
    key: Zeroizing<Vec<u8>>,
    hash_key: Element,
    inverse: Element,
    /// The tag of an empty message under [`INTERNAL_NONCE`].
    internal_mask: Element,
    /// Contexts that no message uses at the moment.
    idle: Mutex<Vec<Context>>,
}

impl LibraryGcmKey {
    /// Set up a key, and verify that the library starts at the counter block asked for.
    ///
    /// # Errors
    /// An algorithm that is not AES-GCM with nonces of any length, that is not thread-safe, or that fails the
    /// verification; a key of the wrong length; an error of the library.
    pub fn new(algorithm: &'static Algorithm, key: &[u8]) -> Result<Self> {
        ensure!(
            algorithm.kind == abi::AEAD
                && (algorithm.has(abi::ANY_NONCE_LENGTH) || algorithm.nonce_bytes == 16)
                && algorithm.has(abi::THREAD_SAFE)
                && algorithm.tag_bytes as usize == TAG_BYTES
                && algorithm.block_bytes == 1,
            "one message in segments needs an AES-GCM that is thread-safe and takes nonces of 16 bytes; this algorithm \
             is none: choose aeadlab's own"
        );
        let mut context = Context::new(algorithm, key)?;
        let mask = tag(&mut context, &INTERNAL_NONCE, &[])?;
        // The tag of 16 zero bytes of associated data is the mask + (0 · H + lengths) · H.
        let masked = tag(&mut context, &INTERNAL_NONCE, &[0; 16])?;
        let hash_key = (masked + mask) * Key::lengths(16, 0).inverse();
        let new = Self {
            algorithm,
            key: Zeroizing::new(key.to_vec()),
            hash_key,
            inverse: hash_key.inverse(),
            internal_mask: mask,
            idle: Mutex::new(vec![context]),
        };
        new.verify()?;
        Ok(new)
    }

    /// Compare three blocks that are encrypted in two segments with the same in one message.
    fn verify(&self) -> Result<()> {
        let (input, mut whole, mut parts) = ([0x5a; 48], [0; 48], [0; 48]);
        let mut expected = [0; TAG_BYTES];
        let message = self.message(&INTERNAL_NONCE, 1)?;
        // SAFETY: the buffers have the lengths given, and one thread uses the message.
        let computed = unsafe {
            message.with_context(0, |context| {
                let output = whole.as_mut_ptr();
                context.seal(&INTERNAL_NONCE, &[], input.as_ptr(), input.len(), output, expected.as_mut_ptr())
            })?;
            let segment = |from: usize, output: *mut u8, bytes| Segment {
                input: input.as_ptr().wrapping_add(from),
                output: output.wrapping_add(from),
                bytes,
                streaming: false,
            };
            let output = parts.as_mut_ptr();
            let first = message.encrypt(0, 0, &segment(0, output, 16))?;
            let second = message.encrypt(0, 16, &segment(16, output, 32))?;
            message.tag(&message.append(&first, &message.power(2), &second), 0, 48)
        };
        let verified = whole == parts && computed == expected;
        whole.zeroize();
        parts.zeroize();
        ensure!(verified, "this algorithm is not AES-GCM: a message in two segments differs from the same in one");
        Ok(())
    }

    /// Return the first counter block of a nonce, SP 800-38D, section 7.1, step 2.
    fn counter_block(&self, nonce: &[u8]) -> CounterBlock {
        let mut block = [0; 16];
        if nonce.len() == 12 {
            block[..12].copy_from_slice(nonce);
            block[15] = 1;
            return CounterBlock::from_bytes(&block);
        }
        let mut hash = Element::ZERO;
        for part in nonce.chunks(16) {
            block = [0; 16];
            block[..part.len()].copy_from_slice(part);
            hash = (hash + Element::from_bytes(&block)) * self.hash_key;
        }
        CounterBlock::from_bytes(&((hash + Key::lengths(0, nonce.len() as u64)) * self.hash_key).to_bytes())
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Context>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LibraryGcmKey {
    fn drop(&mut self) {
        self.hash_key.zeroize();
        self.inverse.zeroize();
        self.internal_mask.zeroize();
    }
}

/// Return the tag of an empty message.
fn tag(context: &mut Context, nonce: &[u8], ad: &[u8]) -> Result<Element> {
    let mut tag = [0; TAG_BYTES];
    let mut nothing = [0; 1];
    // SAFETY: no byte of the message is read or written, and the tag has its length.
    unsafe { context.seal(nonce, ad, nothing.as_ptr(), 0, nothing.as_mut_ptr(), tag.as_mut_ptr())? };
    Ok(Element::from_bytes(&tag))
}

impl SegmentedKey for LibraryGcmKey {
    type Message<'key> = LibraryGcmMessage<'key>;

    const NAME: &'static str = "AES-GCM";
    const MAX_BYTES: u64 = MAX_MESSAGE_BYTES;

    fn message(&self, nonce: &[u8], workers: usize) -> Result<LibraryGcmMessage<'_>> {
        if nonce.is_empty() {
            return Err(Error::Length { name: "nonce", given: 0, expected: "at least 1, usually 12,".to_owned() });
        }
        let mut contexts: Vec<ContextSlot> = Vec::with_capacity(workers);
        {
            let mut idle = self.idle();
            contexts.resize_with(workers, || CachePadded::new(UnsafeCell::new(idle.pop())));
        }
        let counter = self.counter_block(nonce);
        let mut message = LibraryGcmMessage { key: self, counter, mask: Element::ZERO, contexts };
        // Not with the nonce itself: libraries limit its length.
        let nonce = message.nonce_of(counter);
        // SAFETY: no other thread has the message yet.
        message.mask = unsafe { message.with_context(0, |context| tag(context, &nonce, &[]))? };
        Ok(message)
    }

    fn identifier(&self, data: &[&[u8]]) -> Result<[u8; 16]> {
        // The same as of the own kernel, so that machines with different libraries can share a message.
        identifier(&self.key, "aeadlab AES-GCM part", data)
    }
}

type ContextSlot = CachePadded<UnsafeCell<Option<Context>>>;

/// A message of a library's AES-GCM in progress.
pub struct LibraryGcmMessage<'key> {
    key: &'key LibraryGcmKey,
    counter: CounterBlock,
    /// The encrypted first counter block, which masks the tag.
    mask: Element,
    /// One for each worker, created with its first segment.
    contexts: Vec<ContextSlot>,
}

// SAFETY: a context is used only by the worker of its index, whose calls do not overlap.
unsafe impl Sync for LibraryGcmMessage<'_> {}

impl LibraryGcmMessage<'_> {
    /// Call with the context of a worker.
    ///
    /// # Safety
    /// Calls with the same `worker` do not overlap.
    unsafe fn with_context<T>(&self, worker: usize, call: impl FnOnce(&mut Context) -> Result<T>) -> Result<T> {
        // SAFETY: the caller's promise.
        let slot = unsafe { &mut *self.contexts[worker].get() };
        let context = match slot {
            Some(context) => context,
            None => slot.insert(Context::new(self.key.algorithm, &self.key.key)?),
        };
        call(context)
    }

    /// Return the nonce that starts a message at a counter block.
    fn nonce_of(&self, counter: CounterBlock) -> [u8; 16] {
        let first = Element::from_bytes(&counter.to_bytes()) * self.key.inverse + Key::lengths(0, 16);
        (first * self.key.inverse).to_bytes()
    }

    /// Return the value that a tag covers.
    fn unmasked(&self, tag: Element, mask: Element, ad_bytes: usize, bytes: usize) -> Element {
        (tag + mask) * self.key.inverse + Key::lengths(ad_bytes as u64, bytes as u64)
    }
}

impl SegmentedMessage for LibraryGcmMessage<'_> {
    type Value = Element;

    const VALUE_BYTES: usize = 16;
    const DECRYPTION_HASHES: bool = false;

    unsafe fn hash(&self, worker: usize, data: *const u8, bytes: usize) -> Result<Element> {
        // SAFETY: the caller's promise; the pointer of an empty slice must not be null.
        let data = if bytes == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, bytes) } };
        // SAFETY: the caller's promise.
        let tag = unsafe { self.with_context(worker, |context| tag(context, &INTERNAL_NONCE, data))? };
        Ok(self.unmasked(tag, self.key.internal_mask, bytes, 0))
    }

    unsafe fn encrypt(&self, worker: usize, offset: u64, segment: &Segment) -> Result<Element> {
        let nonce = self.nonce_of(self.counter.after(offset / 16));
        let mut sealed = [0; TAG_BYTES];
        // SAFETY: the caller's promise.
        let mask = unsafe {
            self.with_context(worker, |context| {
                let Segment { input, output, bytes, .. } = *segment;
                context.seal(&nonce, &[], input, bytes, output, sealed.as_mut_ptr())?;
                if offset == 0 { Ok(self.mask) } else { tag(context, &nonce, &[]) }
            })?
        };
        Ok(self.unmasked(Element::from_bytes(&sealed), mask, 0, segment.bytes))
    }

    unsafe fn decrypt(&self, worker: usize, offset: u64, segment: &Segment) -> Result<Element> {
        let nonce = self.nonce_of(self.counter.after(offset / 16));
        let mut unused = [0; TAG_BYTES];
        // SAFETY: the caller's promise.
        unsafe {
            self.with_context(worker, |context| {
                let Segment { input, output, bytes, .. } = *segment;
                context.seal(&nonce, &[], input, bytes, output, unused.as_mut_ptr())
            })?;
        }
        unused.zeroize();
        Ok(Element::ZERO)
    }

    fn power(&self, blocks: u64) -> Element {
        self.key.hash_key.power(blocks)
    }

    fn append(&self, value: &Element, power: &Element, next: &Element) -> Element {
        *value * *power + *next
    }

    fn tag(&self, value: &Element, ad_bytes: u64, bytes: u64) -> [u8; TAG_BYTES] {
        (self.mask + (*value + Key::lengths(ad_bytes, bytes)) * self.key.hash_key).to_bytes()
    }

    fn to_bytes(value: &Element) -> Vec<u8> {
        value.to_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Element> {
        Some(Element::from_bytes(bytes.try_into().ok()?))
    }
}

impl Drop for LibraryGcmMessage<'_> {
    fn drop(&mut self) {
        self.mask.zeroize();
        let contexts = self.contexts.drain(..).filter_map(|slot| CachePadded::into_inner(slot).into_inner());
        self.key.idle().extend(contexts);
    }
}
