//! Types of RustCrypto's crate `aead` as algorithms, without a descriptor of the caller.

use crate::error::Result;
use crate::one_message::LibraryGcmKey;
use crate::schedules::Schedule;
use crate::splitter::ParSplit;
use aead::array::typenum::Unsigned;
use aead::{AeadCore, AeadInOut, KeyInit, KeySizeUser, Nonce, Tag};
use aeadlab_abi::{self as abi, Algorithm};
use aeadlab_export::{Aead, Failure, InOutBuf, Keyed, Lengths, Outcome};

/// Each worker has a value of its own, so that any type can be used on several threads.
const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE;

struct Adapter<A>(A);

impl<A: AeadInOut + KeyInit + Send> Keyed for Adapter<A> {
    fn new(_: &Algorithm, key: &[u8]) -> std::result::Result<Self, Failure> {
        A::new_from_slice(key).map(Self).map_err(|_| Failure::BadArgument)
    }
}

impl<A: AeadInOut + KeyInit + Send> Aead for Adapter<A> {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let nonce: &Nonce<A> = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        // The only error is a length that the algorithm does not support.
        tag.copy_from_slice(&self.0.encrypt_inout_detached(nonce, ad, message).map_err(|_| Failure::BadArgument)?);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let nonce: &Nonce<A> = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        let tag: &Tag<A> = tag.try_into().map_err(|_| Failure::BadArgument)?;
        self.0.decrypt_inout_detached(nonce, ad, message, tag).map_err(|_| Failure::Authentication)
    }
}

/// Return the descriptor of a type of the crate `aead` (0.6), for functions that take an [`Algorithm`].
///
/// A type can wipe its key when it is dropped only if its crate does so, mostly behind the feature `zeroize`.
#[must_use]
pub fn algorithm_of<A: AeadInOut + KeyInit + Send>() -> &'static Algorithm {
    const {
        &aeadlab_export::aead::<Adapter<A>>(
            c"rust",
            Lengths(<A as KeySizeUser>::KeySize::U32, <A as AeadCore>::NonceSize::U32, <A as AeadCore>::TagSize::U32),
            FLAGS,
        )
    }
}

impl ParSplit {
    /// [`ParSplit::new`] for a type of the crate `aead` (0.6), such as those of `aes-gcm` 0.11 or `chacha20poly1305`
    /// 0.11. Requires the feature `aead`.
    ///
    /// ```
    /// use aes_gcm::Aes256Gcm;
    /// use parsplit::{ParSplit, Schedule};
    ///
    /// // Blocks of 64 KiB and two threads.
    /// let splitter = ParSplit::of::<Aes256Gcm>(64 << 10, 2, Schedule::default())?;
    /// let mut keyed = splitter.key(&[7; 32])?;
    /// let message = vec![1; 200_000];
    /// let mut sealed = vec![0; splitter.layout(message.len())?.sealed_bytes()];
    /// keyed.seal(b"7 bytes", b"associated data", &message, &mut sealed)?;
    /// let mut opened = vec![0; message.len()];
    /// keyed.open(b"7 bytes", b"associated data", &sealed, &mut opened)?;
    /// assert_eq!(opened, message);
    /// # Ok::<(), parsplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`ParSplit::new`].
    pub fn of<A: AeadInOut + KeyInit + Send>(block_size: usize, threads: usize, schedule: Schedule) -> Result<Self> {
        Self::new(algorithm_of::<A>(), block_size, threads, schedule)
    }
}

impl LibraryGcmKey {
    /// [`LibraryGcmKey::new`] for an AES-GCM of the crate `aead` with nonces of 16 bytes. Messages still have nonces of
    /// any length, also of 12 bytes. Requires the feature `aead`.
    ///
    /// ```
    /// use aes_gcm::{AesGcm, aead::consts::U16, aes::Aes256};
    /// use parsplit::Schedule;
    /// use parsplit::one_message::{LibraryGcm, LibraryGcmKey};
    ///
    /// let key = LibraryGcmKey::of::<AesGcm<Aes256, U16>>(&[7; 32])?;
    /// let cipher = LibraryGcm::new(key, 2, Schedule::default())?;
    /// # Ok::<(), parsplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`LibraryGcmKey::new`].
    pub fn of<A: AeadInOut + KeyInit + Send>(key: &[u8]) -> Result<Self> {
        Self::new(algorithm_of::<A>(), key)
    }
}
