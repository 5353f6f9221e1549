//! Generators made of a block function: its output is kept in a buffer and handed out word by word.

use super::memory::{Memory, Slot};
use super::sharing::Core;
use crate::export::{Failure, Wiped};
use aes::Aes256Enc;
use cipher::common::typenum::Unsigned;
use cipher::{BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher, StreamCipherSeek};
use std::array;
use std::marker::PhantomData;
use zeroize::Zeroizing;

/// Enough for every library to use its widest instructions, and small beside a first-level cache.
const BUFFER: usize = 1024;
const WORDS: usize = BUFFER / 4;

/// A keystream of which any block can be made.
pub(super) trait Source: Sized + Send + Sync + 'static {
    const SEED: usize;

    fn new(seed: &[u8]) -> Result<Self, Failure>;

    /// Bytes `number * BUFFER` and on, into zeros.
    fn block(&self, number: u64, output: &mut [u8; BUFFER]);
}

pub(super) struct Buffered<S, M: Memory> {
    source: S,
    buffer: [M::Word; WORDS],
    /// Of the next word in the buffer.
    place: M::Word,
    /// Of the next block.
    number: M::Long,
}

impl<S: Source, M: Memory> Buffered<S, M> {
    /// The place of the next word, which is in the buffer then.
    #[inline(always)]
    fn ready(&self) -> usize {
        let place = self.place.get() as usize;
        if place < WORDS {
            return place;
        }
        self.refill();
        0
    }

    #[cold]
    #[inline(never)]
    fn refill(&self) {
        let mut bytes = [0; BUFFER];
        let number = self.number.get();
        self.number.set(number.wrapping_add(1));
        self.source.block(number, &mut bytes);
        for (slot, word) in self.buffer.iter().zip(bytes.chunks_exact(4)) {
            slot.set(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        }
    }
}

impl<S: Source, M: Memory> Core for Buffered<S, M> {
    type Memory = M;
    const SEED: usize = S::SEED;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        Ok(Self {
            source: S::new(seed)?,
            buffer: array::from_fn(|_| Slot::new(0)),
            place: Slot::new(WORDS as u32),
            number: Slot::new(0),
        })
    }

    #[inline(always)]
    fn word(&self) -> [u8; 4] {
        let place = self.ready();
        self.place.set(place as u32 + 1);
        self.buffer[place].get().to_le_bytes()
    }

    fn words(&self, mut output: &mut [u8]) {
        while !output.is_empty() {
            let place = self.ready();
            let words = (output.len() / 4).min(WORDS - place);
            let (now, later) = output.split_at_mut(4 * words);
            for (bytes, slot) in now.chunks_exact_mut(4).zip(&self.buffer[place..]) {
                bytes.copy_from_slice(&slot.get().to_le_bytes());
            }
            self.place.set((place + words) as u32);
            output = later;
        }
    }
}

/// A stream cipher that can begin anywhere; the seed is its key, then its nonce. Its set-up copies these two, so that it
/// is made anew for each kilobyte.
pub(super) struct Stream<C>(Zeroizing<Vec<u8>>, PhantomData<fn() -> C>);

impl<C> Stream<C>
where
    C: KeyIvInit,
{
    fn cipher(&self) -> Result<C, Failure> {
        let (key, nonce) = self.0.split_at(C::KeySize::USIZE);
        C::new_from_slices(key, nonce).map_err(|_| Failure::BadArgument)
    }
}

impl<C> Source for Stream<C>
where
    C: KeyIvInit + StreamCipher + StreamCipherSeek + 'static,
{
    const SEED: usize = C::KeySize::USIZE + C::IvSize::USIZE;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let made = Self(Zeroizing::new(seed.to_vec()), PhantomData);
        made.cipher().map(|_| made)
    }

    fn block(&self, number: u64, output: &mut [u8; BUFFER]) {
        // It was made once already.
        if let Ok(mut cipher) = self.cipher() {
            cipher.seek(number * BUFFER as u64);
            cipher.apply_keystream(output);
        }
    }
}

/// AES-256 in counter mode; the seed is its key, then the first counter block. What NIST SP 800-90A's CTR_DRBG gives
/// between two updates of its key.
pub(super) struct Aes256Ctr {
    cipher: Aes256Enc,
    counter: u128,
}

const AES_BLOCK: usize = 16;

impl Source for Aes256Ctr {
    const SEED: usize = 32 + AES_BLOCK;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let (key, counter) = seed.split_at(32);
        Ok(Self {
            cipher: Aes256Enc::new_from_slice(key).map_err(|_| Failure::BadArgument)?,
            counter: u128::from_be_bytes(counter.try_into().map_err(|_| Failure::BadArgument)?),
        })
    }

    fn block(&self, number: u64, output: &mut [u8; BUFFER]) {
        let first = self.counter.wrapping_add(u128::from(number) * (BUFFER / AES_BLOCK) as u128);
        let mut blocks: [cipher::Block<Aes256Enc>; BUFFER / AES_BLOCK] =
            array::from_fn(|i| first.wrapping_add(i as u128).to_be_bytes().into());
        self.cipher.encrypt_blocks(&mut blocks);
        for (to, from) in output.chunks_exact_mut(AES_BLOCK).zip(&blocks) {
            to.copy_from_slice(from);
        }
    }
}

/// AEGIS-128L's encryption of zeros, a kilobyte for each nonce, which counts up from that of the seed: it cannot begin
/// in the middle. The seed is its key, then the first nonce.
pub(super) struct Aegis128L {
    key: Wiped<[u8; 16]>,
    nonce: u128,
}

impl Source for Aegis128L {
    const SEED: usize = 32;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let (key, nonce) = seed.split_at(16);
        Ok(Self {
            key: Wiped::new(key.try_into().map_err(|_| Failure::BadArgument)?),
            nonce: u128::from_le_bytes(nonce.try_into().map_err(|_| Failure::BadArgument)?),
        })
    }

    fn block(&self, number: u64, output: &mut [u8; BUFFER]) {
        let nonce = self.nonce.wrapping_add(u128::from(number)).to_le_bytes();
        // SAFETY: the library fills as many bytes as it is told, from a key and a nonce of 16 bytes each.
        unsafe { aegis128l_stream(output.as_mut_ptr(), BUFFER, nonce.as_ptr(), self.key.as_ptr()) };
    }
}

// Of libaegis, which the crate `aegis` compiles and `libaegis.rs` has initialised.
unsafe extern "C" {
    fn aegis128l_stream(output: *mut u8, bytes: usize, nonce: *const u8, key: *const u8);
}

/// BLAKE3's extendable output of an empty message under a key, which is the seed.
pub(super) struct Blake3(Wiped<blake3::OutputReader>);

impl Source for Blake3 {
    const SEED: usize = blake3::KEY_LEN;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let key = seed.try_into().map_err(|_| Failure::BadArgument)?;
        Ok(Self(Wiped::new(blake3::Hasher::new_keyed(key).finalize_xof())))
    }

    fn block(&self, number: u64, output: &mut [u8; BUFFER]) {
        let mut reader = Wiped::new(self.0.clone());
        reader.set_position(number * BUFFER as u64);
        reader.fill(output);
    }
}
