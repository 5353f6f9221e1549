//! HiAE (draft-pham-cfrg-hiae), the crate `hiae`.

use crate::Linked;
use crate::descriptor::{COMPILED, c_string, crate_version, rust_library};
use crate::export::{self, Failure, Keyed, Lengths, Outcome};
use aeadlab_abi::{self as abi, Algorithm};
use inout::InOutBuf;
use std::slice;
use zeroize::Zeroizing;

/// The draft counts bits in 64-bit numbers.
const MAX_BYTES: u64 = (1 << 61) - 1;

/// The key: no part of the state depends on the key alone.
struct Hiae(Zeroizing<[u8; 32]>);

impl Keyed for Hiae {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self(Zeroizing::new(key.try_into().map_err(|_| Failure::BadArgument)?)))
    }
}

/// Return input and output of a message.
///
/// # Safety
/// The two are disjoint.
unsafe fn disjoint<'a>(message: InOutBuf<'a, 'a, u8>) -> (&'a [u8], &'a mut [u8]) {
    let bytes = message.len();
    let (input, output) = message.into_raw();
    // SAFETY: the caller's promise; `message` was valid for both and is consumed.
    unsafe { (slice::from_raw_parts(input, bytes), slice::from_raw_parts_mut(output, bytes)) }
}

impl export::Aead for Hiae {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        // SAFETY: without `IN_PLACE` the host never passes equal buffers.
        let (input, output) = unsafe { disjoint(message) };
        let computed = ::hiae::encrypt_into(input, ad, &self.0, nonce, output).map_err(|_| Failure::BadArgument)?;
        tag.copy_from_slice(&computed);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        // SAFETY: as in `seal`.
        let (input, output) = unsafe { disjoint(message) };
        ::hiae::decrypt_into(input, tag, ad, &self.0, nonce, output).map_err(|error| match error {
            ::hiae::Error::AuthenticationFailed => Failure::Authentication,
            _ => Failure::BadArgument,
        })
    }
}

/// The library.
pub(crate) fn library() -> Linked {
    const FLAGS: u64 = abi::THREAD_SAFE | abi::OPEN_COMPUTES_TAG | abi::RESEARCH;
    // The crate chooses its code path at compile time.
    let kernel = if cfg!(all(target_arch = "x86_64", target_feature = "aes")) {
        "AES-NI"
    } else if cfg!(all(target_arch = "aarch64", target_feature = "aes")) {
        "Neon, AES"
    } else {
        "portable, not constant-time"
    };
    rust_library(
        "hiae",
        crate_version("hiae"),
        COMPILED,
        vec![Algorithm {
            max_bytes: MAX_BYTES,
            kernel: c_string(kernel).as_ptr(),
            ..export::aead::<Hiae>(c"hiae", Lengths(32, 16, 16), FLAGS)
        }],
    )
}
