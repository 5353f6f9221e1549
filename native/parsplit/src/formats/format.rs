//! The formats by name.

use super::material::Material;
use super::{age, cobblestone, floe, own, tink};
use crate::error::{Error, Result, ensure};
use crate::header::algorithm_name;
use crate::splitter::ParSplit;

/// Returns the length of a header in bytes, or how many bytes must be known to find it.
pub(super) type HeaderBytes = fn(&[u8]) -> Result<usize>;
/// Starts a message: returns its header and its material.
pub(super) type Begin = fn(&Format, &ParSplit, &[u8], &[u8]) -> Result<(Vec<u8>, Material)>;
/// Returns the material of the message with this header.
pub(super) type Resume = fn(&Format, &ParSplit, &[u8], &[u8], &[u8]) -> Result<Material>;

/// A format of encrypted files that are cut into chunks.
pub struct Format {
    /// The name by which users select it.
    pub name: &'static str,
    /// Where it is specified.
    pub document: &'static str,
    /// The algorithm that seals the chunks; empty if each header names its own.
    pub algorithm: &'static str,
    /// Length of the key in bytes; 0 if it depends on the algorithm.
    pub key_bytes: usize,
    /// Plaintext bytes of a chunk, the first of which may be shorter; 0 if each header states its own, and the block size of the splitter when sealing.
    pub chunk_bytes: usize,
    /// Whether a wrong key, context or header is detected before the first chunk is opened, by a value in the header.
    pub committing: bool,
    pub(super) header_bytes: HeaderBytes,
    pub(super) begin: Begin,
    pub(super) resume: Resume,
}

impl Format {
    /// All formats.
    pub const ALL: &'static [&'static Self] = &[
        &cobblestone::COBBLESTONE_256,
        &cobblestone::COBBLESTONE_128,
        &cobblestone::AES_256_GCM_SHA256,
        &cobblestone::AES_128_GCM_SHA256,
        &cobblestone::CHACHA_SHA256,
        &cobblestone::AES_256_GCM_RAW,
        &cobblestone::AES_128_GCM_RAW,
        &cobblestone::CHACHA_RAW,
        &age::PAYLOAD,
        &floe::FLOE,
        &tink::AES_256_1MB,
        &tink::AES_256_4KB,
        &tink::AES_128_1MB,
        &tink::AES_128_4KB,
        &own::PARSPLIT_V1,
    ];

    /// Return the format of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn find(name: &str) -> Result<&'static Self> {
        Self::ALL.iter().copied().find(|format| format.name == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|format| format.name).collect();
            Error::Argument(format!("format {name:?} given, one of {} expected", names.join(", ")))
        })
    }

    /// Return the length in bytes of the header that begins with `start`. If `start` is shorter than the result, a longer
    /// `start` may give a larger one.
    ///
    /// # Errors
    /// [`Error::Format`] if no header of this format begins like this.
    pub fn header_bytes(&self, start: &[u8]) -> Result<usize> {
        (self.header_bytes)(start)
    }

    pub(super) fn check_algorithm(&self, splitter: &ParSplit) -> Result<()> {
        let name = algorithm_name(splitter)?;
        ensure!(
            self.algorithm.is_empty() || name == self.algorithm,
            "algorithm {name} given, but {} uses {}",
            self.name,
            self.algorithm
        );
        Ok(())
    }

    pub(super) fn check_key(&self, key: &[u8]) -> Result<()> {
        if key.len() == self.key_bytes {
            return Ok(());
        }
        Err(Error::Length { name: "key", given: key.len(), expected: format!("{} for {}", self.key_bytes, self.name) })
    }

    /// Return a header of `N` bytes.
    pub(super) fn exact<'a, const N: usize>(&self, header: &'a [u8]) -> Result<&'a [u8; N]> {
        header.try_into().map_err(|_| {
            let given = header.len();
            Error::Format(format!("not a {} file: {given} bytes given, its header alone has {N}", self.name))
        })
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
