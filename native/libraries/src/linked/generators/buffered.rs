//! Generators from a block function, whose output is buffered and returned word by word.

use super::memory::{Memory, Scalar};
use super::sharing::Generator;
use crate::export::{Failure, Wiped};
use aes::Aes256Enc;
use cipher::common::typenum::Unsigned;
use cipher::{BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher, StreamCipherSeek};
use std::array;
use std::marker::PhantomData;
use zeroize::Zeroizing;

/// Long enough for the widest instructions of every library, and small compared with a first-level cache.
const BUFFER_BYTES: usize = 1024;
const BUFFER_WORDS: usize = BUFFER_BYTES / 4;

/// A keystream with random access to its blocks.
pub(super) trait Keystream: Sized + Send + Sync + 'static {
    const SEED_BYTES: usize;

    fn new(seed: &[u8]) -> Result<Self, Failure>;

    /// Write block `index` of the keystream, of `BUFFER_BYTES`, to `output`, which holds zeros.
    fn block(&self, index: u64, output: &mut [u8; BUFFER_BYTES]);
}

pub(super) struct Buffered<S, M: Memory> {
    keystream: S,
    buffer: [M::U32; BUFFER_WORDS],
    /// The index of the next word in the buffer.
    next_word: M::U32,
    /// The index of the next block of the keystream.
    next_block: M::U64,
}

impl<S: Keystream, M: Memory> Buffered<S, M> {
    /// Return the index of the next word, after refilling the buffer if it is used up.
    #[inline(always)]
    fn next_index(&self) -> usize {
        let index = self.next_word.get() as usize;
        if index < BUFFER_WORDS {
            return index;
        }
        self.refill();
        0
    }

    #[cold]
    #[inline(never)]
    fn refill(&self) {
        let mut bytes = [0; BUFFER_BYTES];
        let block = self.next_block.get();
        self.next_block.set(block.wrapping_add(1));
        self.keystream.block(block, &mut bytes);
        for (scalar, word) in self.buffer.iter().zip(bytes.chunks_exact(4)) {
            scalar.set(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        }
    }
}

impl<S: Keystream, M: Memory> Generator for Buffered<S, M> {
    type Memory = M;
    const SEED_BYTES: usize = S::SEED_BYTES;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        Ok(Self {
            keystream: S::new(seed)?,
            buffer: array::from_fn(|_| Scalar::new(0)),
            next_word: Scalar::new(BUFFER_WORDS as u32),
            next_block: Scalar::new(0),
        })
    }

    #[inline(always)]
    fn word(&self) -> [u8; 4] {
        let index = self.next_index();
        self.next_word.set(index as u32 + 1);
        self.buffer[index].get().to_le_bytes()
    }

    fn words(&self, mut output: &mut [u8]) {
        while !output.is_empty() {
            let index = self.next_index();
            let words = (output.len() / 4).min(BUFFER_WORDS - index);
            let (head, tail) = output.split_at_mut(4 * words);
            for (bytes, scalar) in head.chunks_exact_mut(4).zip(&self.buffer[index..]) {
                bytes.copy_from_slice(&scalar.get().to_le_bytes());
            }
            self.next_word.set((index + words) as u32);
            output = tail;
        }
    }
}

/// A seekable stream cipher; the seed is its key, then its nonce. Its set-up only copies these two, so a new cipher is
/// set up for each block.
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

impl<C> Keystream for Stream<C>
where
    C: KeyIvInit + StreamCipher + StreamCipherSeek + 'static,
{
    const SEED_BYTES: usize = C::KeySize::USIZE + C::IvSize::USIZE;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let stream = Self(Zeroizing::new(seed.to_vec()), PhantomData);
        stream.cipher().map(|_| stream)
    }

    fn block(&self, index: u64, output: &mut [u8; BUFFER_BYTES]) {
        // `new` has checked that the set-up succeeds.
        if let Ok(mut cipher) = self.cipher() {
            cipher.seek(index * BUFFER_BYTES as u64);
            cipher.apply_keystream(output);
        }
    }
}

/// AES-256 in counter mode; the seed is its key, then the first counter block. This is the output of CTR_DRBG (NIST
/// SP 800-90A) between two updates of its key.
pub(super) struct Aes256Ctr {
    cipher: Aes256Enc,
    counter: u128,
}

const AES_BLOCK_BYTES: usize = 16;

impl Keystream for Aes256Ctr {
    const SEED_BYTES: usize = 32 + AES_BLOCK_BYTES;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let (key, counter) = seed.split_at(32);
        Ok(Self {
            cipher: Aes256Enc::new_from_slice(key).map_err(|_| Failure::BadArgument)?,
            counter: u128::from_be_bytes(counter.try_into().map_err(|_| Failure::BadArgument)?),
        })
    }

    fn block(&self, index: u64, output: &mut [u8; BUFFER_BYTES]) {
        let first = self.counter.wrapping_add(u128::from(index) * (BUFFER_BYTES / AES_BLOCK_BYTES) as u128);
        let mut blocks: [cipher::Block<Aes256Enc>; BUFFER_BYTES / AES_BLOCK_BYTES] =
            array::from_fn(|i| first.wrapping_add(i as u128).to_be_bytes().into());
        self.cipher.encrypt_blocks(&mut blocks);
        for (bytes, block) in output.chunks_exact_mut(AES_BLOCK_BYTES).zip(&blocks) {
            bytes.copy_from_slice(block);
        }
    }
}

/// AEGIS-128L's encryption of zeros. It is not seekable, so each block has a nonce of its own, counted up from that of
/// the seed. The seed is its key, then the first nonce.
pub(super) struct Aegis128L {
    key: Wiped<[u8; 16]>,
    nonce: u128,
}

impl Keystream for Aegis128L {
    const SEED_BYTES: usize = 32;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let (key, nonce) = seed.split_at(16);
        Ok(Self {
            key: Wiped::new(key.try_into().map_err(|_| Failure::BadArgument)?),
            nonce: u128::from_le_bytes(nonce.try_into().map_err(|_| Failure::BadArgument)?),
        })
    }

    fn block(&self, index: u64, output: &mut [u8; BUFFER_BYTES]) {
        let nonce = self.nonce.wrapping_add(u128::from(index)).to_le_bytes();
        // SAFETY: the output has the length given, the key and the nonce have 16 bytes each.
        unsafe { aegis128l_stream(output.as_mut_ptr(), BUFFER_BYTES, nonce.as_ptr(), self.key.as_ptr()) };
    }
}

// The crate `aegis` compiles libaegis, and `generators.rs` initialises it.
unsafe extern "C" {
    fn aegis128l_stream(output: *mut u8, bytes: usize, nonce: *const u8, key: *const u8);
}

/// BLAKE3's extendable output of an empty message; the seed is the key.
pub(super) struct Blake3(Wiped<blake3::OutputReader>);

impl Keystream for Blake3 {
    const SEED_BYTES: usize = blake3::KEY_LEN;

    fn new(seed: &[u8]) -> Result<Self, Failure> {
        let key = seed.try_into().map_err(|_| Failure::BadArgument)?;
        Ok(Self(Wiped::new(blake3::Hasher::new_keyed(key).finalize_xof())))
    }

    fn block(&self, index: u64, output: &mut [u8; BUFFER_BYTES]) {
        let mut reader = Wiped::new(self.0.clone());
        reader.set_position(index * BUFFER_BYTES as u64);
        reader.fill(output);
    }
}
