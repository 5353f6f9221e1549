//! Reference lines: what moving the bytes costs without any cryptography.

use crate::describe::{self, RUST_BUILD};
use crate::export::{Cipher, Failure, Keyed, Lengths, Outcome, cipher};
use aeadlab_abi::{self as abi, Algorithm, Library};
use inout::InOutBuf;
use std::sync::OnceLock;

/// The C library's memcpy, the physical limit of everything with a separate output.
struct Memcpy;

impl Keyed for Memcpy {
    fn new(_: &Algorithm, _: &[u8]) -> Result<Self, Failure> {
        Ok(Self)
    }
}

impl Cipher for Memcpy {
    fn encrypt(&mut self, _: &[u8], mut message: InOutBuf<'_, '_, u8>) -> Outcome {
        // Without IN_PLACE the host never passes equal buffers, so both borrows are of different memory.
        let (input, length) = (message.get_in().as_ptr(), message.len());
        let output = message.get_out().as_mut_ptr();
        // SAFETY: both are valid for `length` and apart.
        unsafe { libc::memcpy(output.cast(), input.cast(), length) };
        Ok(())
    }

    fn decrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        self.encrypt(nonce, message)
    }
}

/// XOR with a repeated 32-byte key, the ETH paper's baseline: the least work an encryption could do.
struct Xor {
    key: [u8; 32],
}

impl Keyed for Xor {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self { key: key.try_into().map_err(|_| Failure::BadArgument)? })
    }
}

impl Cipher for Xor {
    fn encrypt(&mut self, _: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        let (input, output, length) = {
            let length = message.len();
            let (input, output) = message.into_raw();
            (input, output, length)
        };
        let key = self.key;
        let whole = length - length % key.len();
        for start in (0..whole).step_by(key.len()) {
            // SAFETY: `start + 32 <= length`; reading a block before writing it is right in place as well.
            unsafe {
                let mut block: [u8; 32] = input.add(start).cast::<[u8; 32]>().read();
                block.iter_mut().zip(&key).for_each(|(b, k)| *b ^= k);
                output.add(start).cast::<[u8; 32]>().write(block);
            }
        }
        for i in whole..length {
            // SAFETY: `i < length`.
            unsafe { output.add(i).write(input.add(i).read() ^ key[i - whole]) };
        }
        Ok(())
    }

    fn decrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        self.encrypt(nonce, message)
    }
}

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::BASELINE;
    LIBRARY.get_or_init(|| {
        describe::library(
            "baseline",
            env!("CARGO_PKG_VERSION"),
            RUST_BUILD,
            vec![
                cipher::<Memcpy>(c"memcpy", Lengths(0, 0, 0), FLAGS),
                cipher::<Xor>(c"xor", Lengths(32, 0, 0), FLAGS | abi::IN_PLACE),
            ],
        )
    })
}
