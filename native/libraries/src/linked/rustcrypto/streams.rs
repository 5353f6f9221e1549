//! Stream ciphers. Key and nonce are set together, so a context holds the key alone and each message includes the
//! set-up: a copy for ChaCha and Salsa, 256 swaps for RC4, 8 KiB of tables and 4096 steps for HC-256.

use super::kernel::Code;
use super::kernel::Unit::ChaCha;
use crate::descriptor::c_string;
use crate::export::{self, Cipher, Failure, Keyed, Lengths, Outcome, Wiped};
use aeadlab_abi::{self as abi, Algorithm};
use chacha20::{ChaCha8, ChaCha12, ChaCha20, XChaCha20};
use cipher::common::typenum::Unsigned;
use cipher::{Iv, Key, KeyInit, KeyIvInit, StreamCipher};
use hc_256::Hc256;
use inout::InOutBuf;
use rc4::Rc4;
use salsa20::{Salsa8, Salsa12, Salsa20, XSalsa20};

/// Any stream cipher with a nonce.
struct Stream<S: KeyIvInit>(Wiped<Key<S>>);

impl<S: KeyIvInit + Send> Keyed for Stream<S> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        let key: &Key<S> = key.try_into().map_err(|_| Failure::BadArgument)?;
        Ok(Self(Wiped::new(key.clone())))
    }
}

impl<S: KeyIvInit + StreamCipher + Send> Cipher for Stream<S> {
    fn encrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        let nonce: &Iv<S> = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        S::new(&self.0, nonce).try_apply_keystream_inout(message).map_err(|_| Failure::BadArgument)
    }
}

const RC4_KEY_BYTES: usize = 16;

/// RC4 has no nonce. The state of the crate cannot be copied, so each message starts from the key.
struct Rc4Key(Wiped<[u8; RC4_KEY_BYTES]>);

impl Keyed for Rc4Key {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        key.try_into().map(Wiped::new).map(Self).map_err(|_| Failure::BadArgument)
    }
}

impl Cipher for Rc4Key {
    fn encrypt(&mut self, _: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        let mut cipher = Rc4::new_from_slice(&self.0[..]).map_err(|_| Failure::Internal)?;
        cipher.try_apply_keystream_inout(message).map_err(|_| Failure::BadArgument)
    }
}

/// ChaCha's counter has 32 bits, and the crate does not use its last value.
const MAX_CHACHA: u64 = (1 << 38) - 64;

const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE;

fn row<S: KeyIvInit + StreamCipher + Send>(name: &str, max_bytes: u64, flags: u64, code: Code<'_>) -> Algorithm {
    let lengths = Lengths(S::KeySize::U32, S::IvSize::U32, 0);
    let row = export::cipher::<Stream<S>>(c_string(name), lengths, FLAGS | flags);
    Algorithm { max_bytes, kernel: code.kernel(), ..row }
}

/// The table of stream ciphers.
pub(super) fn rows() -> Vec<Algorithm> {
    const CHACHA: Code<'_> = Code(&["chacha20"], &[ChaCha]);
    const SALSA: Code<'_> = Code(&["salsa20"], &[]);
    const REDUCED: u64 = abi::RESEARCH;
    let rc4 = export::cipher::<Rc4Key>(c"rc4", Lengths(RC4_KEY_BYTES as u32, 0, 0), FLAGS | abi::HISTORICAL);
    vec![
        row::<ChaCha20>("chacha20", MAX_CHACHA, 0, CHACHA),
        row::<ChaCha12>("chacha12", MAX_CHACHA, REDUCED, CHACHA),
        row::<ChaCha8>("chacha8", MAX_CHACHA, REDUCED, CHACHA),
        row::<XChaCha20>("xchacha20", MAX_CHACHA, 0, CHACHA),
        row::<Salsa20>("salsa20", 0, 0, SALSA),
        row::<Salsa12>("salsa20-12", 0, REDUCED, SALSA),
        row::<Salsa8>("salsa20-8", 0, REDUCED, SALSA),
        row::<XSalsa20>("xsalsa20", 0, 0, SALSA),
        row::<Hc256>("hc-256", 0, 0, Code(&["hc-256"], &[])),
        Algorithm { kernel: Code(&["rc4"], &[]).kernel(), ..rc4 },
    ]
}
