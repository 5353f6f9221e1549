//! HiAE (draft-pham-cfrg-hiae), the crate `hiae`.

use crate::describe::{self, RUST_BUILD, crate_version};
use crate::export::{self, Failure, Keyed, Lengths, Outcome};
use aeadlab_abi::{self as abi, Algorithm, Library};
use inout::InOutBuf;
use std::slice;
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// The draft counts bits in 64-bit numbers.
const MAX_BYTES: u64 = (1 << 61) - 1;

/// The state depends on key and nonce together, so there is nothing to prepare but the key.
struct Hiae(Zeroizing<[u8; 32]>);

impl Keyed for Hiae {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self(Zeroizing::new(key.try_into().map_err(|_| Failure::BadArgument)?)))
    }
}

/// Input and output of a message.
///
/// # Safety
/// They are apart: the row does not have `IN_PLACE`.
unsafe fn apart<'a>(message: InOutBuf<'a, 'a, u8>) -> (&'a [u8], &'a mut [u8]) {
    let bytes = message.len();
    let (input, output) = message.into_raw();
    // SAFETY: the caller's promise; `message` was valid for both and is used up.
    unsafe { (slice::from_raw_parts(input, bytes), slice::from_raw_parts_mut(output, bytes)) }
}

impl export::Aead for Hiae {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        // SAFETY: the host passes equal buffers only to rows with `IN_PLACE`.
        let (input, output) = unsafe { apart(message) };
        let made = ::hiae::encrypt_into(input, ad, &self.0, nonce, output).map_err(|_| Failure::BadArgument)?;
        tag.copy_from_slice(&made);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        // SAFETY: as in `seal`.
        let (input, output) = unsafe { apart(message) };
        ::hiae::decrypt_into(input, tag, ad, &self.0, nonce, output).map_err(|error| match error {
            ::hiae::Error::AuthenticationFailed => Failure::Authentication,
            _ => Failure::BadArgument,
        })
    }
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::OPEN_COMPUTES_TAG | abi::RESEARCH;
    LIBRARY.get_or_init(|| {
        // The crate chooses when it is compiled.
        let kernel = if cfg!(all(target_arch = "x86_64", target_feature = "aes")) {
            "AES-NI"
        } else if cfg!(all(target_arch = "aarch64", target_feature = "aes")) {
            "Neon, AES"
        } else {
            "portable, not constant-time"
        };
        describe::library(
            "hiae",
            crate_version("hiae"),
            RUST_BUILD,
            vec![Algorithm {
                max_bytes: MAX_BYTES,
                kernel: describe::text(kernel).as_ptr(),
                ..export::aead::<Hiae>(c"hiae", Lengths(32, 16, 16), FLAGS)
            }],
        )
    })
}
