use super::{Finish, Job, Series, add_counter};
use crate::field::Element;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256, Block};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;

/// Blocks that the cipher receives at a time, enough for its bit-sliced form.
const CHUNK_BLOCKS: usize = 8;
const CHUNK_BYTES: usize = 16 * CHUNK_BLOCKS;

/// The expanded key of the RustCrypto crates, which wipe it when it is dropped.
pub(crate) struct Expanded {
    cipher: Cipher,
    ghash: GHash,
}

enum Cipher {
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Aes256),
}

impl Cipher {
    fn encrypt(&self, blocks: &mut [Block]) {
        match self {
            Self::Aes128(cipher) => cipher.encrypt_blocks(blocks),
            Self::Aes192(cipher) => cipher.encrypt_blocks(blocks),
            Self::Aes256(cipher) => cipher.encrypt_blocks(blocks),
        }
    }
}

/// GHASH continued from a hash, which is added to the first block.
struct Hash {
    ghash: GHash,
    before: Option<u128>,
}

impl Hash {
    fn new(expanded: &Expanded, hash: u128) -> Self {
        Self { ghash: expanded.ghash.clone(), before: Some(hash) }
    }

    fn update(&mut self, blocks: &mut [Block]) {
        let Some(first) = blocks.first_mut() else { return };
        if let Some(hash) = self.before.take() {
            *first = (u128::from_be_bytes((*first).into()) ^ hash).to_be_bytes().into();
        }
        self.ghash.update(blocks);
    }

    fn finish(self) -> u128 {
        self.before.unwrap_or_else(|| u128::from_be_bytes(self.ghash.finalize().into()))
    }
}

pub(super) fn expand(key: &[u8]) -> Option<(Box<Expanded>, Element)> {
    let cipher = match key.len() {
        16 => Cipher::Aes128(Aes128::new_from_slice(key).ok()?),
        24 => Cipher::Aes192(Aes192::new_from_slice(key).ok()?),
        32 => Cipher::Aes256(Aes256::new_from_slice(key).ok()?),
        _ => return None,
    };
    let mut hash_key = [Block::default()];
    cipher.encrypt(&mut hash_key);
    let [hash_key] = hash_key;
    let expanded = Box::new(Expanded { cipher, ghash: GHash::new(&hash_key) });
    Some((expanded, Element::from_bytes(&hash_key.into())))
}

pub(super) fn encrypt_counter(expanded: &Expanded, counter: u128) -> u128 {
    let mut blocks = [Block::from(counter.to_be_bytes())];
    expanded.cipher.encrypt(&mut blocks);
    let [block] = blocks;
    u128::from_be_bytes(block.into())
}

/// # Safety
/// `data` is valid for reads of `bytes`.
pub(super) unsafe fn hash(expanded: &Expanded, hash: u128, data: *const u8, bytes: usize) -> u128 {
    let mut hash = Hash::new(expanded, hash);
    for at in (0..bytes).step_by(CHUNK_BYTES) {
        let here = CHUNK_BYTES.min(bytes - at);
        // SAFETY: `here` bytes from `at` on are valid.
        let mut chunk = unsafe { read(data.add(at), here) };
        hash.update(&mut chunk[..here.div_ceil(16)]);
    }
    hash.finish()
}

/// # Safety
/// The pointers satisfy what [`Job`] requires.
pub(super) unsafe fn seal(expanded: &Expanded, job: &Job) -> u128 {
    // SAFETY: the caller's promise.
    unsafe { crypt::<true>(expanded, job) }
}

/// # Safety
/// The pointers satisfy what [`Job`] requires.
pub(super) unsafe fn open(expanded: &Expanded, job: &Job) -> u128 {
    // SAFETY: the caller's promise.
    unsafe { crypt::<false>(expanded, job) }
}

/// # Safety
/// The pointers satisfy what [`Job`] requires.
unsafe fn crypt<const SEAL: bool>(expanded: &Expanded, job: &Job) -> u128 {
    let mut hash = Hash::new(expanded, job.hash);
    for at in (0..job.bytes).step_by(CHUNK_BYTES) {
        let here = CHUNK_BYTES.min(job.bytes - at);
        let blocks = here.div_ceil(16);
        let mut stream = [Block::default(); CHUNK_BLOCKS];
        for (i, block) in stream[..blocks].iter_mut().enumerate() {
            *block = add_counter(job.counter, (at / 16 + i) as u64).to_be_bytes().into();
        }
        expanded.cipher.encrypt(&mut stream[..blocks]);
        // SAFETY: `here` bytes from `at` on are valid.
        let mut chunk = unsafe { read(job.input.add(at), here) };
        if !SEAL {
            let mut ciphertext = chunk;
            hash.update(&mut ciphertext[..blocks]);
        }
        let bytes = chunk.iter_mut().flatten().zip(stream.iter().flatten()).take(here);
        for (byte, key_byte) in bytes {
            *byte ^= key_byte;
        }
        // SAFETY: `here` bytes from `at` on are valid; an array of blocks is an array of bytes.
        unsafe { std::ptr::copy_nonoverlapping(chunk.as_ptr().cast(), job.output.add(at), here) };
        if SEAL {
            hash.update(&mut chunk[..blocks]);
        }
    }
    let Some(Finish { counter, lengths }) = job.finish else { return hash.finish() };
    hash.update(&mut [lengths.to_be_bytes().into()]);
    hash.finish() ^ encrypt_counter(expanded, counter)
}

/// Messages of a series may have any length.
pub(super) const unsafe fn series_unit() -> usize {
    1
}

/// # Safety
/// The pointers satisfy what [`Series`] requires.
pub(super) unsafe fn seal_series(expanded: &Expanded, series: &Series, blocks: &mut [u128]) {
    // SAFETY: the caller's promise.
    unsafe { crypt_series::<true>(expanded, series, blocks) }
}

/// # Safety
/// The pointers satisfy what [`Series`] requires.
pub(super) unsafe fn open_series(expanded: &Expanded, series: &Series, blocks: &mut [u128]) {
    // SAFETY: the caller's promise.
    unsafe { crypt_series::<false>(expanded, series, blocks) }
}

/// # Safety
/// The pointers satisfy what [`Series`] requires.
unsafe fn crypt_series<const SEAL: bool>(expanded: &Expanded, series: &Series, blocks: &mut [u128]) {
    for (message, block) in blocks.iter_mut().enumerate() {
        let (hash, lengths) = if message == 0 { (series.hash, series.first_lengths) } else { (0, series.lengths) };
        // SAFETY: the caller's promise: the series has this message.
        *block = unsafe {
            crypt::<SEAL>(
                expanded,
                &Job {
                    counter: add_counter(*block, 1),
                    hash,
                    input: series.input.add(message * series.input_step),
                    output: series.output.add(message * series.output_step),
                    bytes: series.bytes,
                    stream: series.stream,
                    finish: Some(Finish { counter: *block, lengths }),
                },
            )
        };
    }
}

/// Return at most a chunk of bytes, and zeros after them.
///
/// # Safety
/// `from` is valid for reads of `bytes`, which are at most [`CHUNK_BYTES`].
unsafe fn read(from: *const u8, bytes: usize) -> [Block; CHUNK_BLOCKS] {
    let mut chunk = [Block::default(); CHUNK_BLOCKS];
    debug_assert!(bytes <= CHUNK_BYTES);
    // SAFETY: the caller's promise; an array of blocks is an array of bytes.
    unsafe { std::ptr::copy_nonoverlapping(from, chunk.as_mut_ptr().cast(), bytes) };
    chunk
}
