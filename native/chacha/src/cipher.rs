//! ChaCha20 at any block counter, one file for each kernel.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use crate::Kernel;
use crate::wipe::wipe;
use chacha20::cipher::InOutBuf;
use zeroize::ZeroizeOnDrop;

/// The length of a block of keystream.
pub(crate) const BLOCK: usize = 64;

/// The state of ChaCha20 for one message, whose counter is set for each call. It is wiped on drop.
#[derive(Clone)]
pub(crate) struct Cipher {
    state: State,
    kernel: Kernel,
}

/// The 16 words of RFC 8439, section 2.3: constants, key, counter and nonce.
type State = [u32; 16];

impl Cipher {
    /// The kernel must be available; others are replaced with the portable one.
    pub(crate) fn new(key: &[u8; 32], nonce: &[u8; 12], kernel: Kernel) -> Self {
        let mut state = [0; 16];
        let (key, _) = key.as_chunks::<4>();
        let (nonce, _) = nonce.as_chunks::<4>();
        let (constants, _) = b"expand 32-byte k".as_chunks::<4>();
        let bytes = constants.iter().chain(key).chain(&[[0; 4]]).chain(nonce);
        state.iter_mut().zip(bytes).for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
        Self { state, kernel: if kernel.available() { kernel } else { Kernel::Portable } }
    }

    /// Combine the data with the keystream from the start of a block on. The last block used is at most 2³² − 1.
    pub(crate) fn apply(&self, counter: u32, data: InOutBuf<'_, '_, u8>) {
        let mut state = self.state;
        state[12] = counter;
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a cipher only has this kernel where the processor has its instructions.
            Kernel::Ifma => unsafe { avx512::apply(&mut state, data) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::apply(&mut state, data) },
            _ => portable::apply(&state, data),
        }
        wipe(&mut state);
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

impl ZeroizeOnDrop for Cipher {}
