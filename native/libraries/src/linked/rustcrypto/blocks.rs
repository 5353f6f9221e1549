//! Block ciphers, each in ECB, CBC, CTR, CFB and OFB and with CMAC.
//!
//! A context holds the keyed cipher. A mode borrows it for a message, so the key is set up once.

use super::kernel::Code;
use super::kernel::Unit::{Aes, Kuznyechik as Sse2};
use crate::descriptor::c_string;
use crate::export::{self, Cipher, Digest, Failure, Keyed, Lengths, Outcome, Wiped};
use aeadlab_abi::{self as abi, Algorithm};
use aes::{Aes128, Aes192, Aes256};
use aria::{Aria128, Aria192, Aria256};
use camellia::{Camellia128, Camellia192, Camellia256};
use cipher::array::{Array, ArraySize};
use cipher::common::typenum::Unsigned;
use cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, InnerIvInit, Iv,
    KeyInit, StreamCipherCore,
};
use cmac::Cmac;
use cmac::block_api::CmacCipher;
use cmac::digest::common::InnerInit;
use cmac::digest::{FixedOutputReset, Update};
use ctr::flavors::{Ctr64BE, Ctr128BE};
use ctr::{CtrCore, CtrFlavor};
use inout::InOutBuf;
use kuznyechik::Kuznyechik;
use magma::Magma;
use serpent::Serpent;
use sm4::Sm4;
use std::marker::PhantomData;
use twofish::Twofish;

/// A mode of operation of a keyed block cipher.
trait Mode<C> {
    fn encrypt(cipher: &C, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome;
    fn decrypt(cipher: &C, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        Self::encrypt(cipher, nonce, message)
    }
}

/// A keyed block cipher in a mode of operation.
struct KeyedMode<C, M> {
    cipher: Wiped<C>,
    mode: PhantomData<M>,
}

impl<C: KeyInit + Send, M: Send> Keyed for KeyedMode<C, M> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        let cipher = C::new_from_slice(key).map_err(|_| Failure::BadArgument)?;
        Ok(Self { cipher: Wiped::new(cipher), mode: PhantomData })
    }
}

impl<C: KeyInit + Send, M: Mode<C> + Send> Cipher for KeyedMode<C, M> {
    fn encrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        M::encrypt(&self.cipher, nonce, message)
    }

    fn decrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        M::decrypt(&self.cipher, nonce, message)
    }
}

/// Return a mode that borrows the cipher for one message.
fn start<M: InnerIvInit>(cipher: M::Inner, nonce: &[u8]) -> Result<M, Failure> {
    let nonce: &Iv<M> = nonce.try_into().map_err(|_| Failure::BadArgument)?;
    Ok(M::inner_iv_init(cipher, nonce))
}

/// Return the message as blocks.
fn whole_blocks<'i, 'o, N: ArraySize>(
    message: InOutBuf<'i, 'o, u8>,
) -> Result<InOutBuf<'i, 'o, Array<u8, N>>, Failure> {
    let (blocks, rest) = message.into_chunks();
    if rest.is_empty() { Ok(blocks) } else { Err(Failure::BadArgument) }
}

fn keystream(core: impl StreamCipherCore, message: InOutBuf<'_, '_, u8>) -> Outcome {
    // It fails if the counter would wrap around.
    core.try_apply_keystream_partial(message).map_err(|_| Failure::BadArgument)
}

struct Ecb;

impl<C: BlockCipherEncrypt + BlockCipherDecrypt> Mode<C> for Ecb {
    fn encrypt(cipher: &C, _: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        cipher.encrypt_blocks_inout(whole_blocks(message)?);
        Ok(())
    }

    fn decrypt(cipher: &C, _: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        cipher.decrypt_blocks_inout(whole_blocks(message)?);
        Ok(())
    }
}

struct Cbc;

impl<C: BlockCipherEncrypt + BlockCipherDecrypt> Mode<C> for Cbc {
    fn encrypt(cipher: &C, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        start::<cbc::Encryptor<&C>>(cipher, nonce)?.encrypt_blocks_inout(whole_blocks(message)?);
        Ok(())
    }

    fn decrypt(cipher: &C, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        start::<cbc::Decryptor<&C>>(cipher, nonce)?.decrypt_blocks_inout(whole_blocks(message)?);
        Ok(())
    }
}

struct Cfb;

impl<C: BlockCipherEncrypt> Mode<C> for Cfb {
    fn encrypt(cipher: &C, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        start::<cfb_mode::Encryptor<&C>>(cipher, nonce)?.encrypt_inout(message);
        Ok(())
    }

    fn decrypt(cipher: &C, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        start::<cfb_mode::Decryptor<&C>>(cipher, nonce)?.decrypt_inout(message);
        Ok(())
    }
}

struct Ofb;

impl<C: BlockCipherEncrypt> Mode<C> for Ofb {
    fn encrypt(cipher: &C, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        keystream(start::<ofb::OfbCore<&C>>(cipher, nonce)?, message)
    }
}

/// Counter mode. The flavor sets the width of the counter, which is that of the block.
struct Ctr<F>(PhantomData<F>);

impl<C: BlockCipherEncrypt, F: CtrFlavor<C::BlockSize>> Mode<C> for Ctr<F> {
    fn encrypt(cipher: &C, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        keystream(start::<CtrCore<&C, F>>(cipher, nonce)?, message)
    }
}

struct BlockMac<C: CmacCipher>(Wiped<Cmac<C>>);

impl<C: CmacCipher + KeyInit + Send> Keyed for BlockMac<C> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        // `Cmac::new_from_slice` takes one key length, but Serpent and Twofish have several.
        let cipher = C::new_from_slice(key).map_err(|_| Failure::BadArgument)?;
        Ok(Self(Wiped::new(Cmac::inner_init(cipher))))
    }
}

impl<C: CmacCipher + KeyInit + Send> Digest for BlockMac<C> {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        self.0.update(message);
        self.0.finalize_into_reset(tag);
        Ok(())
    }
}

fn row<C, M>(name: String, key: u32, nonce: u32, block: u32, flags: u64, code: Code<'_>) -> Algorithm
where
    C: KeyInit + Send,
    M: Mode<C> + Send,
{
    let flags = flags | abi::THREAD_SAFE | abi::IN_PLACE;
    let row = export::cipher::<KeyedMode<C, M>>(c_string(&name), Lengths(key, nonce, 0), flags);
    Algorithm { block_bytes: block, kernel: code.kernel(), ..row }
}

fn modes<C, F>(cipher: &str, key: u32, flags: u64, Code(crates, units): Code<'_>) -> [Algorithm; 6]
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + CmacCipher + KeyInit + Send,
    F: CtrFlavor<C::BlockSize> + Send,
{
    let block = <C as BlockSizeUser>::BlockSize::U32;
    let code = |mode: &'static [&'static str]| [mode, crates].concat();
    let name = |mode: &str| format!("{cipher}-{mode}");
    let mac = export::digest::<BlockMac<C>>(c_string(&name("cmac")), Lengths(key, 0, block), flags | abi::THREAD_SAFE);
    [
        row::<C, Ecb>(name("ecb"), key, 0, block, flags, Code(crates, units)),
        row::<C, Cbc>(name("cbc"), key, block, block, flags, Code(&code(&["cbc"]), units)),
        row::<C, Ctr<F>>(name("ctr"), key, block, 1, flags, Code(&code(&["ctr"]), units)),
        row::<C, Cfb>(name("cfb"), key, block, 1, flags, Code(&code(&["cfb-mode"]), units)),
        row::<C, Ofb>(name("ofb"), key, block, 1, flags, Code(&code(&["ofb"]), units)),
        Algorithm { kernel: Code(&code(&["cmac"]), units).kernel(), ..mac },
    ]
}

/// Length of a key of single DES.
const DES_KEY_BYTES: u32 = 8;

/// The table of block ciphers.
pub(super) fn rows() -> Vec<Algorithm> {
    const AES: Code<'_> = Code(&["aes"], &[Aes]);
    const ARIA: Code<'_> = Code(&["aria"], &[]);
    const CAMELLIA: Code<'_> = Code(&["camellia"], &[]);
    const SERPENT: Code<'_> = Code(&["serpent"], &[]);
    const TWOFISH: Code<'_> = Code(&["twofish"], &[]);
    let mut rows = [
        modes::<Aes128, Ctr128BE>("aes-128", 16, 0, AES),
        modes::<Aes192, Ctr128BE>("aes-192", 24, 0, AES),
        modes::<Aes256, Ctr128BE>("aes-256", 32, 0, AES),
        modes::<Aria128, Ctr128BE>("aria-128", 16, 0, ARIA),
        modes::<Aria192, Ctr128BE>("aria-192", 24, 0, ARIA),
        modes::<Aria256, Ctr128BE>("aria-256", 32, 0, ARIA),
        modes::<Camellia128, Ctr128BE>("camellia-128", 16, 0, CAMELLIA),
        modes::<Camellia192, Ctr128BE>("camellia-192", 24, 0, CAMELLIA),
        modes::<Camellia256, Ctr128BE>("camellia-256", 32, 0, CAMELLIA),
        modes::<Serpent, Ctr128BE>("serpent-128", 16, 0, SERPENT),
        modes::<Serpent, Ctr128BE>("serpent-192", 24, 0, SERPENT),
        modes::<Serpent, Ctr128BE>("serpent-256", 32, 0, SERPENT),
        modes::<Twofish, Ctr128BE>("twofish-128", 16, 0, TWOFISH),
        modes::<Twofish, Ctr128BE>("twofish-192", 24, 0, TWOFISH),
        modes::<Twofish, Ctr128BE>("twofish-256", 32, 0, TWOFISH),
        modes::<Sm4, Ctr128BE>("sm4", 16, 0, Code(&["sm4"], &[])),
        modes::<Kuznyechik, Ctr128BE>("kuznyechik", 32, 0, Code(&["kuznyechik"], &[Sse2])),
        modes::<Magma, Ctr64BE>("magma", 32, 0, Code(&["magma"], &[])),
        modes::<des::TdesEde3, Ctr64BE>("3des", 24, abi::HISTORICAL, Code(&["des"], &[])),
        modes::<des::Des, Ctr64BE>("des", DES_KEY_BYTES, abi::HISTORICAL, Code(&["des"], &[])),
    ]
    .concat();
    // CMAC with single DES has no known answers, and no other library has it.
    rows.retain(|row| row.kind != abi::MAC || row.key_bytes != DES_KEY_BYTES);
    rows
}
