//! What a sealed stream begins with; docs/FORMAT.md has it byte for byte.

use crate::kdf::{SALT_BYTES, check_key, hkdf_sha256, random};
use crate::nonce::Nonces;
use crate::{Error, ParSplit, Result};
use aeadlab_abi as abi;
use std::ffi::CStr;
use zeroize::Zeroizing;

const MAGIC: &[u8; 8] = b"PARSPLIT";
const VERSION: u8 = 1;

/// Blocks of a stream have at most so many bytes: whoever opens one holds some in memory before anything is verified.
pub const MOST_BLOCK_SIZE: usize = 1 << 24;

/// Where the key of the blocks comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivation {
    /// It is the caller's key, and the caller answers for the nonce prefix: never twice under one key.
    None,
    /// HKDF-SHA-256 of the caller's key, the stream's random salt, and the whole header as info.
    HkdfSha256 {
        /// The salt.
        salt: [u8; SALT_BYTES],
    },
}

/// The beginning of a sealed stream: all that is needed to open it, but the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    algorithm: String,
    block_size: usize,
    tag_bytes: usize,
    prefix: Vec<u8>,
    derivation: Derivation,
}

impl Header {
    /// Bytes from which [`Header::length`] is known.
    pub const FIXED: usize = 17;

    /// A header for a stream sealed by `splitter`, with a key of its own: random salt, random nonce prefix.
    ///
    /// # Errors
    /// A block size or an algorithm that a header cannot state, or a system without random bytes.
    pub fn random(splitter: &ParSplit) -> Result<Self> {
        let prefix = random::<{ u8::MAX as usize }>()?;
        let prefix = prefix.get(..splitter.nonce_bytes()).unwrap_or_default();
        Self::new(splitter, prefix, Derivation::HkdfSha256 { salt: random()? })
    }

    /// A header with these contents.
    ///
    /// # Errors
    /// A block size or an algorithm that a header cannot state, or a prefix of the wrong length.
    pub fn new(splitter: &ParSplit, prefix: &[u8], derivation: Derivation) -> Result<Self> {
        let algorithm = splitter.algorithm();
        if algorithm.kind != abi::AEAD || algorithm.nonce_bytes == 0 || algorithm.tag_bytes == 0 {
            return Err(Error::Argument("a stream needs an AEAD with a nonce and a tag".into()));
        }
        if splitter.block_size() > MOST_BLOCK_SIZE {
            return Err(Error::Argument(format!(
                "block size {} given, a stream has blocks of at most {MOST_BLOCK_SIZE} bytes",
                splitter.block_size()
            )));
        }
        let name = name_of(splitter)?;
        Nonces::new(prefix, algorithm.nonce_bytes as usize)?;
        let tag_bytes = algorithm.tag_bytes as usize;
        if tag_bytes > usize::from(u8::MAX) || !plain(name.as_bytes()) {
            return Err(Error::Argument(format!("the algorithm {name:?} cannot be named in a header")));
        }
        let (block_size, prefix) = (splitter.block_size(), prefix.to_vec());
        Ok(Self { algorithm: name, block_size, tag_bytes, prefix, derivation })
    }

    /// Length of the whole header, told by its first [`Header::FIXED`] bytes.
    ///
    /// # Errors
    /// [`Error::Format`] for what is no header, or one of another version.
    pub fn length(fixed: &[u8]) -> Result<usize> {
        let Some((fixed, _)) = fixed.split_first_chunk::<{ Self::FIXED }>() else {
            return Err(Error::Format(format!(
                "no sealed stream: {} bytes given, its header alone is longer",
                fixed.len()
            )));
        };
        if !fixed.starts_with(MAGIC) {
            return Err(Error::Format("no sealed stream: it does not begin with PARSPLIT".into()));
        }
        let [.., version, derivation, _, prefix, _, _, _, _, name] = *fixed;
        if version != VERSION {
            return Err(Error::Format(format!("a sealed stream of version {version}; only {VERSION} is known here")));
        }
        let salt = match derivation {
            0 => 0,
            1 => SALT_BYTES,
            _ => {
                return Err(Error::Format(format!(
                    "a sealed stream with key derivation {derivation}; only 0 and 1 are known here"
                )));
            }
        };
        Ok(Self::FIXED + usize::from(name) + usize::from(prefix) + salt)
    }

    /// Reads a header.
    ///
    /// # Errors
    /// As [`Header::length`]; [`Error::Format`] for another length than that, and for contents that no header has.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let length = Self::length(bytes)?;
        if bytes.len() != length {
            return Err(Error::Format(format!(
                "no sealed stream: a header of {} bytes given, it should have {length}",
                bytes.len()
            )));
        }
        let (fixed, rest) = bytes.split_at(Self::FIXED);
        let [.., derivation, tag_bytes, prefix, b3, b2, b1, b0, name] = *fixed else {
            return Err(Error::Format("no sealed stream".into()));
        };
        let block_size = u32::from_be_bytes([b3, b2, b1, b0]) as usize;
        let (name, rest) = rest.split_at(usize::from(name));
        let (prefix, salt) = rest.split_at(usize::from(prefix));
        if !(1..=MOST_BLOCK_SIZE).contains(&block_size) || tag_bytes == 0 || !plain(name) {
            return Err(Error::Format("no sealed stream: its header makes no sense".into()));
        }
        let derivation = match derivation {
            0 => Derivation::None,
            _ => Derivation::HkdfSha256 {
                salt: salt.try_into().map_err(|_| Error::Format("no sealed stream: its salt is cut off".into()))?,
            },
        };
        Ok(Self {
            algorithm: String::from_utf8_lossy(name).into_owned(),
            block_size,
            tag_bytes: usize::from(tag_bytes),
            prefix: prefix.to_vec(),
            derivation,
        })
    }

    /// The header's bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let (derivation, salt) = match &self.derivation {
            Derivation::None => (0, &[][..]),
            Derivation::HkdfSha256 { salt } => (1, &salt[..]),
        };
        // `new` and `parse` let nothing pass that does not fit.
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, derivation, self.tag_bytes as u8, self.prefix.len() as u8]);
        bytes.extend((self.block_size as u32).to_be_bytes());
        bytes.push(self.algorithm.len() as u8);
        bytes.extend(self.algorithm.bytes());
        bytes.extend(&self.prefix);
        bytes.extend(salt);
        bytes
    }

    /// Name of the algorithm, such as `aes-256-gcm`; any library's will do.
    #[must_use]
    pub fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// Bytes per block.
    #[must_use]
    pub fn block_size(&self) -> usize {
        self.block_size
    }

    /// Bytes of a tag.
    #[must_use]
    pub fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    /// What the nonces of all blocks begin with.
    #[must_use]
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// Where the key of the blocks comes from.
    #[must_use]
    pub fn derivation(&self) -> Derivation {
        self.derivation
    }

    /// Fails unless the algorithm is the one that the header names.
    pub(crate) fn check(&self, splitter: &ParSplit) -> Result<()> {
        let name = name_of(splitter)?;
        if name != self.algorithm {
            return Err(Error::Argument(format!(
                "the stream was sealed with {}, {name} given to open it",
                self.algorithm
            )));
        }
        let (nonce, tag) = (splitter.nonce_bytes(), splitter.algorithm().tag_bytes as usize);
        if (nonce, tag) != (self.prefix.len(), self.tag_bytes) {
            return Err(Error::Format(format!(
                "no sealed stream: its header gives {} bytes of nonce prefix and {} of tag, {name} has {nonce} and {tag}",
                self.prefix.len(),
                self.tag_bytes
            )));
        }
        Ok(())
    }

    /// The key of the blocks.
    pub(crate) fn key(&self, key: &[u8], splitter: &ParSplit) -> Result<Zeroizing<Vec<u8>>> {
        let wanted = splitter.key_bytes();
        let Derivation::HkdfSha256 { salt } = self.derivation else {
            return Ok(Zeroizing::new(key.to_vec()));
        };
        check_key(key)?;
        if key.len() < wanted {
            let wanted = format!("at least {wanted}, the algorithm's own,");
            return Err(Error::Length { what: "key", given: key.len(), wanted });
        }
        let mut derived = Zeroizing::new(vec![0; wanted]);
        hkdf_sha256(key, &salt, &self.bytes(), &mut derived)?;
        Ok(derived)
    }
}

/// Names are what the catalogue calls algorithms: visible ASCII.
fn plain(name: &[u8]) -> bool {
    (1..=usize::from(u8::MAX)).contains(&name.len()) && name.iter().all(u8::is_ascii_graphic)
}

fn name_of(splitter: &ParSplit) -> Result<String> {
    let name = splitter.algorithm().name;
    if name.is_null() {
        return Err(Error::Argument("the algorithm has no name".into()));
    }
    // SAFETY: the header of the ABI promises a text that lives as long as the process.
    Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}
