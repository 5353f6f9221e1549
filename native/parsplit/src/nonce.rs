use crate::{Error, Result};

/// What STREAM adds to the prefix: a 32-bit big-endian index and the last-block flag.
const OVERHEAD: usize = 5;
/// Shorter nonces leave a prefix too short to be unique.
const MIN_NONCE: usize = 12;
const MAX_NONCE: usize = 64;

/// The nonces of one message: `prefix ‖ be32(index) ‖ last`, or no nonce at all for a baseline.
#[derive(Clone, Copy)]
pub(crate) struct Nonces {
    template: [u8; MAX_NONCE],
    bytes: usize,
}

impl Nonces {
    /// Length of the prefix for an algorithm with nonces of `nonce_bytes`.
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
        let wanted = Self::prefix_bytes(nonce_bytes)?;
        if prefix.len() != wanted {
            return Err(Error::Length {
                what: "nonce prefix",
                given: prefix.len(),
                wanted: format!("{wanted} (the algorithm's {nonce_bytes} less {OVERHEAD} for the block's index)"),
            });
        }
        let mut template = [0; MAX_NONCE];
        template[..wanted].copy_from_slice(prefix);
        Ok(Self { template, bytes: nonce_bytes })
    }

    /// Calls `f` with the nonce of block `index`. The layout has made sure that the index fits 32 bits.
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
