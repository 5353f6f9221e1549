//! The header of a message with one tag, and the keys that are derived from it.

use super::kind::OneTag;
use super::kind::Tags;
use crate::error::{Error, Result, ensure};
use crate::nonce::Nonces;
use aeadlab_abi::Algorithm;
use blake3::{Hasher, OutputReader};
use std::ffi::CStr;
use zeroize::{Zeroize, Zeroizing};

/// The longest nonce of a cipher in bytes: one compression of BLAKE3 writes it.
pub(super) const MAX_NONCE_BYTES: usize = 64;
/// Shorter nonces are the block's number: no cipher extends them to a counter that could reach the next block's.
const MIN_RANDOM_NONCE_BYTES: usize = 16;

/// The keys of one message.
pub(super) struct Binding {
    /// The key of the tag.
    pub(super) tag_key: Zeroizing<[u8; 32]>,
    /// The key of the AEAD or of the cipher.
    pub(super) cipher_key: Zeroizing<Vec<u8>>,
    pub(super) nonces: BlockNonces,
}

/// The nonces of the blocks.
pub(super) enum BlockNonces {
    /// Those of STREAM.
    Stream(Nonces),
    /// The number of the block, big-endian.
    Number(usize),
    /// Parts of the output of BLAKE3. A nonce of 16 bytes may be the first counter block of counter mode, whose later
    /// ones must not reach those of another block.
    Random(usize, Box<OutputReader>),
}

impl Drop for BlockNonces {
    fn drop(&mut self) {
        if let Self::Random(_, output) = self {
            output.zeroize();
        }
    }
}

impl BlockNonces {
    /// Call `f` with the nonce of block `index`.
    #[inline]
    pub(super) fn with<T>(&self, index: usize, last: bool, f: impl FnOnce(&[u8]) -> T) -> T {
        let mut nonce = [0; MAX_NONCE_BYTES];
        match self {
            Self::Stream(nonces) => nonces.with(index, last, f),
            Self::Number(bytes) => {
                nonce[bytes - 8..*bytes].copy_from_slice(&(index as u64).to_be_bytes());
                f(&nonce[..*bytes])
            }
            Self::Random(bytes, output) => {
                let mut output = OutputReader::clone(output);
                output.set_position(index as u64 * bytes.next_power_of_two() as u64);
                output.fill(&mut nonce[..*bytes]);
                f(&nonce[..*bytes])
            }
        }
    }
}

impl Binding {
    /// Derive the keys of a message of `bytes` with this nonce and associated data.
    pub(super) fn new(settings: &OneTag, key: &[u8], nonce: &[u8], ad: &[u8], bytes: u64) -> Result<Self> {
        let OneTag { algorithm, tags, .. } = *settings;
        let mut hasher = Hasher::new_derive_key(tags.context());
        hasher.update(&header(settings, key, nonce, ad, bytes)?).update(key).update(ad);
        let mut output = hasher.finalize_xof();
        hasher.zeroize();
        let mut tag_key = Zeroizing::new([0; 32]);
        output.fill(&mut *tag_key);
        let (cipher_key, nonces) = match tags {
            Tags::Digest | Tags::Merkle => {
                let nonces = Nonces::new(nonce, algorithm.nonce_bytes as usize)?;
                (Zeroizing::new(key.to_vec()), BlockNonces::Stream(nonces))
            }
            Tags::Blake3 => {
                let mut nonce_key = Zeroizing::new([0; 32]);
                output.fill(&mut *nonce_key);
                let mut cipher_key = Zeroizing::new(vec![0; algorithm.key_bytes as usize]);
                output.fill(&mut cipher_key);
                (cipher_key, block_nonces(algorithm.nonce_bytes as usize, &nonce_key))
            }
        };
        output.zeroize();
        Ok(Self { tag_key, cipher_key, nonces })
    }
}

fn block_nonces(bytes: usize, key: &[u8; 32]) -> BlockNonces {
    if bytes < MIN_RANDOM_NONCE_BYTES {
        return BlockNonces::Number(bytes);
    }
    let mut hasher = Hasher::new_keyed(key);
    let output = Box::new(hasher.finalize_xof());
    hasher.zeroize();
    BlockNonces::Random(bytes, output)
}

/// Return the header: all that both sides must agree on. It states the lengths of what follows it in the derivation, so
/// that no two messages have the same input.
fn header(settings: &OneTag, key: &[u8], nonce: &[u8], ad: &[u8], bytes: u64) -> Result<Vec<u8>> {
    let name = algorithm_name(settings.algorithm)?;
    let expected = settings.nonce_bytes();
    if nonce.len() != expected {
        return Err(Error::Length { name: "nonce", given: nonce.len(), expected: expected.to_string() });
    }
    let short = |length: usize| {
        u16::try_from(length).map_err(|_| Error::Argument(format!("{length} bytes do not fit the header of a tag")))
    };
    let mut header = Vec::with_capacity(32 + name.len() + nonce.len());
    for length in [name.len(), nonce.len(), key.len(), settings.algorithm.tag_bytes as usize] {
        header.extend(short(length)?.to_be_bytes());
    }
    for length in [settings.block_size as u64, bytes, ad.len() as u64] {
        header.extend(length.to_be_bytes());
    }
    header.extend(name.bytes());
    header.extend(nonce);
    Ok(header)
}

/// Return the name of an algorithm, which is the same for all libraries that have it.
pub(super) fn algorithm_name(algorithm: &Algorithm) -> Result<String> {
    ensure!(!algorithm.name.is_null(), "the algorithm has no name");
    // SAFETY: by the ABI the name is a C string that lives until the process ends.
    Ok(unsafe { CStr::from_ptr(algorithm.name) }.to_string_lossy().into_owned())
}
