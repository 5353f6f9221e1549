//! Rocca-S (draft-nakano-rocca-s), the crate `rocca`.

use crate::describe::{self, RUST_BUILD, crate_version};
use crate::export::{self, Failure, Keyed, Lengths, Outcome};
use ::rocca::Rocca;
use aeadlab_abi::{self as abi, Algorithm, Library};
use inout::InOutBuf;
use std::sync::OnceLock;
use std::{ptr, slice};
use zeroize::Zeroizing;

/// The state depends on key and nonce together, so there is nothing to prepare but the key.
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

/// The crate works in place or into fresh memory, so a separate output gets a copy of the input first.
fn copied<'a>(message: InOutBuf<'a, 'a, u8>) -> &'a mut [u8] {
    let bytes = message.len();
    let (input, output) = message.into_raw();
    if !ptr::eq(input, output) {
        // SAFETY: both are valid for `bytes`, and apart if they are not equal.
        unsafe { ptr::copy_nonoverlapping(input, output, bytes) };
    }
    // SAFETY: `message` was valid for it and is used up.
    unsafe { slice::from_raw_parts_mut(output, bytes) }
}

impl export::Aead for RoccaS {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let rocca = self.start(nonce)?;
        tag.copy_from_slice(&rocca.encrypt_in_place(copied(message), ad));
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        let rocca = self.start(nonce)?;
        rocca.decrypt_in_place(copied(message), tag, ad).map_err(|_| Failure::Authentication)
    }
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG | abi::RESEARCH;
    LIBRARY.get_or_init(|| {
        // The crate chooses when it is compiled.
        let kernel = if cfg!(target_feature = "aes") && cfg!(target_arch = "x86_64") { "AES-NI" } else { "portable" };
        describe::library(
            "rocca",
            crate_version("rocca"),
            RUST_BUILD,
            vec![Algorithm {
                kernel: describe::text(kernel).as_ptr(),
                ..export::aead::<RoccaS>(c"rocca-s", Lengths(32, 16, 32), FLAGS)
            }],
        )
    })
}
