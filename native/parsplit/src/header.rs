//! The header of a sealed stream; docs/FORMATS.md specifies its bytes.

use crate::error::{Error, Result, ensure};
use crate::kdf::{SALT_BYTES, check_key, hkdf_sha256, random};
use crate::nonce::Nonces;
use crate::splitter::ParSplit;
use aeadlab_abi as abi;
use std::ffi::CStr;
use std::fmt::Display;
use zeroize::Zeroizing;

const MAGIC: &[u8; 8] = b"PARSPLIT";
const VERSION: u8 = 1;

/// The largest block size of a stream in bytes. A reader holds unverified blocks in memory, so their size is limited.
pub const MAX_STREAM_BLOCK_SIZE: usize = 1 << 24;

/// The derivation of the key that seals the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivation {
    /// The caller's key is used directly; the caller ensures that no nonce prefix is used twice under one key.
    None,
    /// HKDF-SHA-256 of the caller's key, with the random salt of the stream and its header as info.
    HkdfSha256 {
        /// The random salt.
        salt: [u8; SALT_BYTES],
    },
}

/// The header of a sealed stream: the parameters needed to open it, except the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    algorithm: String,
    block_size: usize,
    tag_bytes: usize,
    prefix: Vec<u8>,
    derivation: Derivation,
}

impl Header {
    /// Length in bytes of the fixed fields, which determine [`Header::length`].
    pub const FIXED_BYTES: usize = 17;

    /// Create a header with a derived key: a random salt and a random nonce prefix.
    ///
    /// # Errors
    /// A block size or an algorithm that a header cannot state, or a failure of the random generator.
    pub fn random(splitter: &ParSplit) -> Result<Self> {
        let prefix = random::<{ u8::MAX as usize }>()?;
        let prefix = prefix.get(..splitter.nonce_bytes()).unwrap_or_default();
        Self::new(splitter, prefix, Derivation::HkdfSha256 { salt: random()? })
    }

    /// Create a header with the given nonce prefix and key derivation.
    ///
    /// # Errors
    /// A block size or an algorithm that a header cannot state, or a prefix of the wrong length.
    pub fn new(splitter: &ParSplit, prefix: &[u8], derivation: Derivation) -> Result<Self> {
        let algorithm = splitter.algorithm();
        ensure!(
            algorithm.kind == abi::AEAD && algorithm.nonce_bytes != 0 && algorithm.tag_bytes != 0,
            "a stream needs an AEAD with a nonce and a tag"
        );
        ensure!(
            splitter.block_size() <= MAX_STREAM_BLOCK_SIZE,
            "block size {} given, a stream has blocks of at most {MAX_STREAM_BLOCK_SIZE} bytes",
            splitter.block_size()
        );
        let name = algorithm_name(splitter)?;
        Nonces::new(prefix, algorithm.nonce_bytes as usize)?;
        let tag_bytes = algorithm.tag_bytes as usize;
        ensure!(
            tag_bytes <= usize::from(u8::MAX) && is_valid_name(name.as_bytes()),
            "algorithm {name:?} with tags of {tag_bytes} bytes given, \
             a name of 1 to 255 visible ASCII characters and tags of at most 255 bytes expected"
        );
        let (block_size, prefix) = (splitter.block_size(), prefix.to_vec());
        Ok(Self { algorithm: name, block_size, tag_bytes, prefix, derivation })
    }

    /// Return the length of the complete header in bytes, from its first [`Header::FIXED_BYTES`] bytes.
    ///
    /// # Errors
    /// [`Error::Format`] for bytes that are not a header, and for an unsupported version or key derivation.
    pub fn length(fixed: &[u8]) -> Result<usize> {
        let Some((fixed, _)) = fixed.split_first_chunk::<{ Self::FIXED_BYTES }>() else {
            return Err(not_a_stream(format_args!("{} bytes given, its header alone is longer", fixed.len())));
        };
        if !fixed.starts_with(MAGIC) {
            return Err(not_a_stream("it does not begin with PARSPLIT"));
        }
        let [.., version, derivation, _, prefix, _, _, _, _, name] = *fixed;
        if version != VERSION {
            return Err(Error::Format(format!("sealed stream of version {version} given, version {VERSION} expected")));
        }
        let salt = match derivation {
            0 => 0,
            1 => SALT_BYTES,
            other => {
                return Err(Error::Format(format!("sealed stream with key derivation {other} given, 0 or 1 expected")));
            }
        };
        Ok(Self::FIXED_BYTES + usize::from(name) + usize::from(prefix) + salt)
    }

    /// Parse a complete header.
    ///
    /// # Errors
    /// As [`Header::length`]; [`Error::Format`] for a different length and for invalid fields.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let length = Self::length(bytes)?;
        if bytes.len() != length {
            return Err(not_a_stream(format_args!("header of {} bytes given, {length} expected", bytes.len())));
        }
        let (fixed, rest) = bytes.split_at(Self::FIXED_BYTES);
        let [.., derivation, tag_bytes, prefix, b3, b2, b1, b0, name] = *fixed else {
            return Err(Error::Format("not a sealed stream".into()));
        };
        let block_size = u32::from_be_bytes([b3, b2, b1, b0]) as usize;
        let (name, rest) = rest.split_at(usize::from(name));
        let (prefix, salt) = rest.split_at(usize::from(prefix));
        if !(1..=MAX_STREAM_BLOCK_SIZE).contains(&block_size) || tag_bytes == 0 || !is_valid_name(name) {
            return Err(not_a_stream("its header has an invalid block size, tag length or algorithm name"));
        }
        let derivation = match derivation {
            0 => Derivation::None,
            _ => Derivation::HkdfSha256 { salt: salt.try_into().map_err(|_| not_a_stream("its salt is truncated"))? },
        };
        Ok(Self {
            algorithm: String::from_utf8_lossy(name).into_owned(),
            block_size,
            tag_bytes: usize::from(tag_bytes),
            prefix: prefix.to_vec(),
            derivation,
        })
    }

    /// Return the encoded header.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (derivation, salt) = match &self.derivation {
            Derivation::None => (0, &[][..]),
            Derivation::HkdfSha256 { salt } => (1, &salt[..]),
        };
        // `new` and `parse` have checked that every length fits its field.
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, derivation, self.tag_bytes as u8, self.prefix.len() as u8]);
        bytes.extend((self.block_size as u32).to_be_bytes());
        bytes.push(self.algorithm.len() as u8);
        bytes.extend(self.algorithm.bytes());
        bytes.extend(&self.prefix);
        bytes.extend(salt);
        bytes
    }

    /// Name of the algorithm, such as `aes-256-gcm`; any library's implementation can open the stream.
    #[must_use]
    pub fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// Bytes per block.
    #[must_use]
    pub fn block_size(&self) -> usize {
        self.block_size
    }

    /// Length of a tag in bytes.
    #[must_use]
    pub fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    /// The nonce prefix shared by all blocks.
    #[must_use]
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// The derivation of the key that seals the blocks.
    #[must_use]
    pub fn derivation(&self) -> Derivation {
        self.derivation
    }

    /// Fail unless the algorithm is the one that the header names.
    pub(crate) fn check_algorithm(&self, splitter: &ParSplit) -> Result<()> {
        let name = algorithm_name(splitter)?;
        ensure!(name == self.algorithm, "algorithm {name} given, but the stream was sealed with {}", self.algorithm);
        let (nonce, tag) = (splitter.nonce_bytes(), splitter.algorithm().tag_bytes as usize);
        if (nonce, tag) != (self.prefix.len(), self.tag_bytes) {
            return Err(not_a_stream(format_args!(
                "its header states a nonce prefix of {} bytes and tags of {}, {name} has {nonce} and {tag}",
                self.prefix.len(),
                self.tag_bytes
            )));
        }
        Ok(())
    }

    /// Return the key that seals the blocks.
    pub(crate) fn block_key(&self, key: &[u8], splitter: &ParSplit) -> Result<Zeroizing<Vec<u8>>> {
        let key_bytes = splitter.key_bytes();
        let Derivation::HkdfSha256 { salt } = self.derivation else {
            return Ok(Zeroizing::new(key.to_vec()));
        };
        check_key(key)?;
        if key.len() < key_bytes {
            let expected = format!("at least {key_bytes} (the key length of the algorithm)");
            return Err(Error::Length { name: "key", given: key.len(), expected });
        }
        let mut derived = Zeroizing::new(vec![0; key_bytes]);
        hkdf_sha256(key, &salt, &self.to_bytes(), &mut derived)?;
        Ok(derived)
    }
}

fn not_a_stream(reason: impl Display) -> Error {
    Error::Format(format!("not a sealed stream: {reason}"))
}

/// Algorithm names consist of 1 to 255 visible ASCII characters.
fn is_valid_name(name: &[u8]) -> bool {
    (1..=usize::from(u8::MAX)).contains(&name.len()) && name.iter().all(u8::is_ascii_graphic)
}

pub(crate) fn algorithm_name(splitter: &ParSplit) -> Result<String> {
    let name = splitter.algorithm().name;
    ensure!(!name.is_null(), "the algorithm has no name");
    // SAFETY: by the ABI the name is a C string that lives until the process ends.
    Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}
