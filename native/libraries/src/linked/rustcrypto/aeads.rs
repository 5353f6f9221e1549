//! AEADs: every mode that implements the `aead` traits, and AES-SIV through its own interface.

use super::kernel::Code;
use super::kernel::Unit::{Aes, ChaCha, Clmul, Poly};
use crate::descriptor::c_string;
use crate::export::{self, Failure, Keyed, Lengths, Outcome, Wiped};
use aead::array::ArraySize;
use aead::consts::{U12, U16};
use aead::{AeadCore, AeadInOut, KeyInit, KeySizeUser};
use aeadlab_abi::{self as abi, Algorithm};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::AesGcm;
use aes_gcm_siv::AesGcmSiv;
use aes_siv::siv::CmacSiv;
use aria::{Aria128, Aria192, Aria256};
use camellia::{Camellia128, Camellia192, Camellia256};
use ccm::Ccm;
use chacha20poly1305 as chacha;
use cipher::common::typenum::Unsigned;
use cipher::{
    BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InvalidLength,
    Key, consts::U32,
};
use eax::Eax;
use inout::InOutBuf;
use ocb3::Ocb3;

const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG;

/// Any `aead::AeadInOut`.
struct Aead<A>(Wiped<A>);

impl<A: AeadInOut + KeyInit + Send> Keyed for Aead<A> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        A::new_from_slice(key).map(Wiped::new).map(Self).map_err(|_| Failure::BadArgument)
    }
}

impl<A: AeadInOut + KeyInit + Send> export::Aead for Aead<A> {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        let computed = self.0.encrypt_inout_detached(nonce, ad, message).map_err(|_| Failure::BadArgument)?;
        tag.copy_from_slice(&computed);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        self.0.decrypt_inout_detached(nonce, ad, message, tag).map_err(|_| Failure::Authentication)
    }
}

const SIV_NONCE_BYTES: u32 = 16;

/// AES-SIV (RFC 5297) with the nonce as the last component of the header. It keeps the key of S2V and sets up the other
/// for each message; the crate's `SivAead` sets up both for each message and has no 192-bit form.
struct Siv<C>(Wiped<CmacSiv<C>>)
where
    C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + KeyInit;

impl<C> Keyed for Siv<C>
where
    C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + KeyInit + Send,
    CmacSiv<C>: KeyInit + Send,
{
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        CmacSiv::new_from_slice(key).map(Wiped::new).map(Self).map_err(|_| Failure::BadArgument)
    }
}

impl<C> export::Aead for Siv<C>
where
    C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + KeyInit + Send,
    CmacSiv<C>: KeyInit + Send,
{
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let computed = self.0.encrypt_inout_detached(header(ad, nonce)?, message).map_err(|_| Failure::Internal)?;
        tag.copy_from_slice(&computed);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        self.0.decrypt_inout_detached(header(ad, nonce)?, message, tag).map_err(|_| Failure::Authentication)
    }
}

fn header<'a>(ad: &'a [u8], nonce: &'a [u8]) -> Result<[&'a [u8]; 2], Failure> {
    if nonce.len() == SIV_NONCE_BYTES as usize { Ok([ad, nonce]) } else { Err(Failure::BadArgument) }
}

/// Serpent with a key of 32 bytes. The crate's type takes 16 to 32 bytes and states a key size of 16, which modes that
/// keep the key rely on.
#[derive(Clone)]
struct Serpent256(serpent::Serpent);

impl KeySizeUser for Serpent256 {
    type KeySize = U32;
}

impl KeyInit for Serpent256 {
    fn new(key: &Key<Self>) -> Self {
        match serpent::Serpent::new_from_slice(key) {
            Ok(cipher) => Self(cipher),
            Err(InvalidLength) => unreachable!("Serpent takes 32 bytes"),
        }
    }
}

impl BlockSizeUser for Serpent256 {
    type BlockSize = U16;
}

impl BlockCipherEncrypt for Serpent256 {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
        self.0.encrypt_with_backend(f);
    }
}

impl BlockCipherDecrypt for Serpent256 {
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
        self.0.decrypt_with_backend(f);
    }
}

/// OCB with a table of 32 offsets instead of the crate's 26, so that messages may be longer than 1 GiB.
type Ocb<C> = Ocb3<C, U12, U16, 32>;

const GIB: u64 = 1 << 30;
const MAX_OCB: u64 = 64 * GIB - 1;
const MAX_EAX: u64 = 64 * GIB;
/// A nonce of 12 bytes leaves 3 bytes for the message length.
const MAX_CCM: u64 = (1 << 24) - 1;
/// SP 800-38D: a plaintext is at most 2^39 - 256 bits.
const MAX_GCM: u64 = 64 * GIB - 32;
const MAX_GCM_SIV: u64 = 64 * GIB;
/// The limit of the crate, one byte less than 2^32 - 1 blocks of 64 bytes.
const MAX_CHACHA: u64 = 256 * GIB - 65;

fn row<A>(name: &str, max_bytes: u64, flags: u64, code: Code<'_>) -> Algorithm
where
    A: AeadInOut + AeadCore<NonceSize: ArraySize> + KeyInit + Send,
{
    let lengths = Lengths(A::KeySize::U32, A::NonceSize::U32, A::TagSize::U32);
    let row = export::aead::<Aead<A>>(c_string(name), lengths, FLAGS | flags);
    Algorithm { max_bytes, kernel: code.kernel(), ..row }
}

fn siv<C>(name: &str) -> Algorithm
where
    C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + KeyInit + Send,
    CmacSiv<C>: KeyInit + Send,
{
    let lengths = Lengths(<CmacSiv<C> as KeySizeUser>::KeySize::U32, SIV_NONCE_BYTES, 16);
    let row = export::aead::<Siv<C>>(c_string(name), lengths, FLAGS);
    Algorithm { kernel: Code(&["aes-siv", "aes", "cmac"], &[Aes]).kernel(), ..row }
}

/// The modes of any block cipher with 16-byte blocks. `eax` keeps the raw key and sets it up four times per message.
fn modes<C>(cipher: &str, Code(crates, units): Code<'_>) -> [Algorithm; 3]
where
    C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Clone + Send,
{
    let code = |mode: &'static str| [&[mode], crates].concat();
    [
        row::<Ccm<C, U16, U12>>(&format!("{cipher}-ccm"), MAX_CCM, 0, Code(&code("ccm"), units)),
        row::<Eax<C>>(&format!("{cipher}-eax"), MAX_EAX, 0, Code(&code("eax"), units)),
        row::<Ocb<C>>(&format!("{cipher}-ocb"), MAX_OCB, 0, Code(&code("ocb3"), units)),
    ]
}

/// The table of AEADs. GCM is listed with AES only: `aes-gcm` advises against other ciphers.
pub(super) fn rows() -> Vec<Algorithm> {
    const GCM: Code<'_> = Code(&["aes-gcm", "aes", "ghash"], &[Aes, Clmul]);
    const GCM_SIV: Code<'_> = Code(&["aes-gcm-siv", "aes", "polyval"], &[Aes, Clmul]);
    const AES: Code<'_> = Code(&["aes"], &[Aes]);
    const CHACHA: Code<'_> = Code(&["chacha20poly1305", "chacha20", "poly1305"], &[ChaCha, Poly]);
    const REDUCED: u64 = abi::RESEARCH;
    // The crate uses single rounds of `aes::hazmat`, which have the same feature detection.
    const DEOXYS: Code<'_> = Code(&["deoxys", "aes"], &[Aes]);
    let mut rows = vec![
        row::<AesGcm<Aes128, U12>>("aes-128-gcm", MAX_GCM, 0, GCM),
        row::<AesGcm<Aes192, U12>>("aes-192-gcm", MAX_GCM, 0, GCM),
        row::<AesGcm<Aes256, U12>>("aes-256-gcm", MAX_GCM, 0, GCM),
        row::<AesGcmSiv<Aes128>>("aes-128-gcm-siv", MAX_GCM_SIV, 0, GCM_SIV),
        row::<AesGcmSiv<Aes256>>("aes-256-gcm-siv", MAX_GCM_SIV, 0, GCM_SIV),
        siv::<Aes128>("aes-128-siv"),
        siv::<Aes192>("aes-192-siv"),
        siv::<Aes256>("aes-256-siv"),
        row::<chacha::ChaCha20Poly1305>("chacha20-poly1305", MAX_CHACHA, 0, CHACHA),
        row::<chacha::ChaCha12Poly1305>("chacha12-poly1305", MAX_CHACHA, REDUCED, CHACHA),
        row::<chacha::ChaCha8Poly1305>("chacha8-poly1305", MAX_CHACHA, REDUCED, CHACHA),
        row::<chacha::XChaCha20Poly1305>("xchacha20-poly1305", MAX_CHACHA, 0, CHACHA),
        row::<chacha::XChaCha12Poly1305>("xchacha12-poly1305", MAX_CHACHA, REDUCED, CHACHA),
        row::<chacha::XChaCha8Poly1305>("xchacha8-poly1305", MAX_CHACHA, REDUCED, CHACHA),
        row::<ascon_aead128::AsconAead128>("ascon-aead128", 0, 0, Code(&["ascon-aead128", "ascon"], &[])),
        row::<deoxys::DeoxysI128>("deoxys-i-128", 0, abi::RESEARCH, DEOXYS),
        row::<deoxys::DeoxysI256>("deoxys-i-256", 0, abi::RESEARCH, DEOXYS),
        row::<deoxys::DeoxysII128>("deoxys-ii-128", 0, abi::RESEARCH, DEOXYS),
        row::<deoxys::DeoxysII256>("deoxys-ii-256", 0, abi::RESEARCH, DEOXYS),
    ];
    rows.extend(modes::<Aes128>("aes-128", AES));
    rows.extend(modes::<Aes192>("aes-192", AES));
    rows.extend(modes::<Aes256>("aes-256", AES));
    rows.extend(modes::<Aria128>("aria-128", Code(&["aria"], &[])));
    rows.extend(modes::<Aria192>("aria-192", Code(&["aria"], &[])));
    rows.extend(modes::<Aria256>("aria-256", Code(&["aria"], &[])));
    rows.extend(modes::<Camellia128>("camellia-128", Code(&["camellia"], &[])));
    rows.extend(modes::<Camellia192>("camellia-192", Code(&["camellia"], &[])));
    rows.extend(modes::<Camellia256>("camellia-256", Code(&["camellia"], &[])));
    rows.extend(modes::<sm4::Sm4>("sm4", Code(&["sm4"], &[])));
    rows.extend(modes::<Serpent256>("serpent-256", Code(&["serpent"], &[])));
    rows.extend(modes::<twofish::Twofish>("twofish-256", Code(&["twofish"], &[])));
    rows
}
