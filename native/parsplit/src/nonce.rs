use crate::error::{Error, Result};

/// Bytes that STREAM appends to the prefix: the 32-bit big-endian block index and the last-block flag.
const OVERHEAD: usize = 5;
/// A shorter nonce leaves a prefix that is too short to be unique.
const MIN_NONCE: usize = 12;
const MAX_NONCE: usize = 64;

/// The nonces of one message: `prefix ‖ be32(index) ‖ last`, or empty for a baseline.
#[derive(Clone, Copy)]
pub(crate) struct Nonces {
    template: [u8; MAX_NONCE],
    bytes: usize,
}

impl Nonces {
    /// Return the length of the prefix in bytes for an algorithm with nonces of `nonce_bytes`.
    pub(crate) fn prefix_bytes(nonce_bytes: usize) -> Result<usize> {
        match nonce_bytes {
            0 => Ok(0),
            MIN_NONCE..=MAX_NONCE => Ok(nonce_bytes - OVERHEAD),
            _ => Err(Error::Argument(format!(
                "the algorithm has nonces of {nonce_bytes} bytes, ParSplit needs {MIN_NONCE} to {MAX_NONCE}"
            ))),
        }
    }

    pub(crate) fn new(prefix: &[u8], nonce_bytes: usize) -> Result<Self> {
        let prefix_bytes = Self::prefix_bytes(nonce_bytes)?;
        if prefix.len() != prefix_bytes {
            return Err(Error::Length {
                name: "nonce prefix",
                given: prefix.len(),
                expected: format!("{prefix_bytes} (the algorithm's {nonce_bytes} less {OVERHEAD} for the block index)"),
            });
        }
        let mut template = [0; MAX_NONCE];
        template[..prefix_bytes].copy_from_slice(prefix);
        Ok(Self { template, bytes: nonce_bytes })
    }

    /// Call `f` with the nonce of block `index`, which fits 32 bits by the layout.
    #[inline]
    pub(crate) fn with<T>(&self, index: usize, last: bool, f: impl FnOnce(&[u8]) -> T) -> T {
        let mut nonce = self.template;
        if let Some(prefix) = self.bytes.checked_sub(OVERHEAD) {
            nonce[prefix..prefix + 4].copy_from_slice(&(index as u32).to_be_bytes());
            nonce[prefix + 4] = u8::from(last);
        }
        f(&nonce[..self.bytes])
    }
}
