//! Rocca-S (draft-nakano-rocca-s), the crate `rocca`.
//!
//! It seals and opens in place or into fresh memory only, so a message with a separate output is copied there first.

use crate::Linked;
use crate::descriptor::{COMPILED, c_string, crate_version, rust_library};
use crate::export::{self, Failure, Keyed, Lengths, Outcome};
use ::rocca::Rocca;
use aeadlab_abi::{self as abi, Algorithm};
use inout::InOutBuf;
use zeroize::Zeroizing;

/// The key: no part of the state depends on the key alone.
struct RoccaS(Zeroizing<[u8; 32]>);

impl RoccaS {
    fn start(&self, nonce: &[u8]) -> Result<Rocca, Failure> {
        Ok(Rocca::new(nonce.try_into().map_err(|_| Failure::BadArgument)?, &self.0))
    }
}

impl Keyed for RoccaS {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self(Zeroizing::new(key.try_into().map_err(|_| Failure::BadArgument)?)))
    }
}

impl export::Aead for RoccaS {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let rocca = self.start(nonce)?;
        tag.copy_from_slice(&rocca.encrypt_in_place(message.into_out_with_copied_in(), ad));
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        let rocca = self.start(nonce)?;
        rocca.decrypt_in_place(message.into_out_with_copied_in(), tag, ad).map_err(|_| Failure::Authentication)
    }
}

/// The library.
pub(crate) fn library() -> Linked {
    const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG | abi::RESEARCH;
    // The crate chooses its code path at compile time.
    let kernel = if cfg!(target_feature = "aes") && cfg!(target_arch = "x86_64") { "AES-NI" } else { "portable" };
    rust_library(
        "rocca",
        crate_version("rocca"),
        COMPILED,
        vec![Algorithm {
            kernel: c_string(kernel).as_ptr(),
            ..export::aead::<RoccaS>(c"rocca-s", Lengths(32, 16, 32), FLAGS)
        }],
    )
}
