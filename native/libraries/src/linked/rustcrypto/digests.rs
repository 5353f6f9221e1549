//! Hashes, and MACs other than those of block ciphers.

use super::kernel::Code;
use super::kernel::Unit::{Clmul, Poly, Sha32, Sha64};
use crate::descriptor::c_string;
use crate::export::{self, Digest, Failure, Keyed, Lengths, Outcome, Wiped};
use aeadlab_abi::{self as abi, Algorithm};
use blake2::{Blake2b256, Blake2b512, Blake2bMac512, Blake2s256, Blake2sMac256};
use digest::array::Array;
use digest::common::typenum::Unsigned;
use digest::{ExtendableOutput, FixedOutput, KeyInit, MacMarker, Update};
use ghash::GHash;
use hmac::{Hmac, SimpleHmac};
use k12::Kt128;
use md5::Md5;
use poly1305::Poly1305;
use polyval::Polyval;
use ripemd::Ripemd160;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use sha3::{Keccak224, Keccak256, Keccak384, Keccak512, Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use shake::{Shake128, Shake256};
use sm3::Sm3;
use std::marker::PhantomData;
use streebog::{Streebog256, Streebog512};
use universal_hash::UniversalHash;
use whirlpool::Whirlpool;

/// Any hash with a digest of fixed length.
#[derive(Default)]
struct Hash<D>(PhantomData<D>);

impl<D: Default + Update + FixedOutput + Send> Digest for Hash<D> {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        let mut hash = D::default();
        hash.update(message);
        hash.finalize_into(tag);
        Ok(())
    }
}

/// Any extendable-output function; the digest is the start of its output.
#[derive(Default)]
struct Xof<D>(PhantomData<D>);

impl<D: Default + Update + ExtendableOutput + Send> Digest for Xof<D> {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let mut hash = D::default();
        hash.update(message);
        hash.finalize_xof_into(tag);
        Ok(())
    }
}

/// Any MAC of the `digest` traits; each message starts from a copy of the keyed state.
struct Mac<M>(Wiped<M>);

impl<M: KeyInit + Send> Keyed for Mac<M> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        M::new_from_slice(key).map(Wiped::new).map(Self).map_err(|_| Failure::BadArgument)
    }
}

impl<M: KeyInit + MacMarker + Update + FixedOutput + Clone + Send> Digest for Mac<M> {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        let mut mac = M::clone(&self.0);
        mac.update(message);
        mac.finalize_into(tag);
        Ok(())
    }
}

/// Any `universal_hash::UniversalHash`; the message is padded with zeros to whole blocks.
struct Universal<H>(Wiped<H>);

impl<H: KeyInit + Send> Keyed for Universal<H> {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        H::new_from_slice(key).map(Wiped::new).map(Self).map_err(|_| Failure::BadArgument)
    }
}

impl<H: UniversalHash + KeyInit + Clone + Send> Digest for Universal<H> {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let mut hash = H::clone(&self.0);
        hash.update_padded(message);
        tag.copy_from_slice(&hash.finalize());
        Ok(())
    }
}

/// Poly1305 as in RFC 8439: the last block is padded with a bit 1, not with zeros.
struct Rfc8439Poly1305(Wiped<Poly1305>);

impl Keyed for Rfc8439Poly1305 {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Poly1305::new_from_slice(key).map(Wiped::new).map(Self).map_err(|_| Failure::BadArgument)
    }
}

impl Digest for Rfc8439Poly1305 {
    fn digest(&mut self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Outcome {
        let mut hash = Poly1305::clone(&self.0);
        // `update` processes blocks in parallel, `compute_unpadded` one after the other.
        let (blocks, rest) = Array::slice_as_chunks(message);
        hash.update(blocks);
        tag.copy_from_slice(&hash.compute_unpadded(rest));
        Ok(())
    }
}

fn with_kernel(row: Algorithm, code: Code<'_>) -> Algorithm {
    Algorithm { kernel: code.kernel(), ..row }
}

fn hash<D: Default + Update + FixedOutput + Send>(name: &str, flags: u64, code: Code<'_>) -> Algorithm {
    let lengths = Lengths(0, 0, D::OutputSize::U32);
    with_kernel(export::digest::<Hash<D>>(c_string(name), lengths, abi::THREAD_SAFE | flags), code)
}

fn xof<D: Default + Update + ExtendableOutput + Send>(name: &str, bytes: u32, code: Code<'_>) -> Algorithm {
    with_kernel(export::digest::<Xof<D>>(c_string(name), Lengths(0, 0, bytes), abi::THREAD_SAFE), code)
}

fn mac<M>(name: &str, key: u32, flags: u64, code: Code<'_>) -> Algorithm
where
    M: KeyInit + MacMarker + Update + FixedOutput + Clone + Send,
{
    let lengths = Lengths(key, 0, M::OutputSize::U32);
    with_kernel(export::digest::<Mac<M>>(c_string(name), lengths, abi::THREAD_SAFE | flags), code)
}

fn universal<H: Digest>(name: &str, key: u32, code: Code<'_>) -> Algorithm {
    with_kernel(export::digest::<H>(c_string(name), Lengths(key, 0, 16), abi::THREAD_SAFE | abi::UNIVERSAL_HASH), code)
}

/// The table of hashes and MACs.
pub(super) fn rows() -> Vec<Algorithm> {
    const BROKEN: u64 = abi::HISTORICAL;
    const SHA1: Code<'_> = Code(&["sha1"], &[Sha32]);
    const SHA2: Code<'_> = Code(&["sha2"], &[Sha32]);
    const SHA2_64: Code<'_> = Code(&["sha2"], &[Sha64]);
    const SHA3: Code<'_> = Code(&["sha3", "keccak"], &[]);
    const SHAKE: Code<'_> = Code(&["shake", "keccak"], &[]);
    const BLAKE2: Code<'_> = Code(&["blake2"], &[]);
    const STREEBOG: Code<'_> = Code(&["streebog"], &[]);
    const HMAC_SHA2: Code<'_> = Code(&["hmac", "sha2"], &[Sha32]);
    const HMAC_SHA2_64: Code<'_> = Code(&["hmac", "sha2"], &[Sha64]);
    const HMAC_SHA3: Code<'_> = Code(&["hmac", "sha3", "keccak"], &[]);
    const HMAC_STREEBOG: Code<'_> = Code(&["hmac", "streebog"], &[]);
    vec![
        hash::<Md5>("md5", BROKEN, Code(&["md-5"], &[])),
        hash::<Sha1>("sha-1", BROKEN, SHA1),
        hash::<Sha224>("sha-224", 0, SHA2),
        hash::<Sha256>("sha-256", 0, SHA2),
        hash::<Sha384>("sha-384", 0, SHA2_64),
        hash::<Sha512>("sha-512", 0, SHA2_64),
        hash::<Sha512_224>("sha-512-224", 0, SHA2_64),
        hash::<Sha512_256>("sha-512-256", 0, SHA2_64),
        hash::<Sha3_224>("sha3-224", 0, SHA3),
        hash::<Sha3_256>("sha3-256", 0, SHA3),
        hash::<Sha3_384>("sha3-384", 0, SHA3),
        hash::<Sha3_512>("sha3-512", 0, SHA3),
        hash::<Keccak224>("keccak-224", 0, SHA3),
        hash::<Keccak256>("keccak-256", 0, SHA3),
        hash::<Keccak384>("keccak-384", 0, SHA3),
        hash::<Keccak512>("keccak-512", 0, SHA3),
        xof::<Shake128>("shake-128", 32, SHAKE),
        xof::<Shake256>("shake-256", 64, SHAKE),
        xof::<Kt128>("k12", 32, Code(&["k12", "keccak"], &[])),
        hash::<Blake2b256>("blake2b-256", 0, BLAKE2),
        hash::<Blake2b512>("blake2b-512", 0, BLAKE2),
        hash::<Blake2s256>("blake2s-256", 0, BLAKE2),
        hash::<Sm3>("sm3", 0, Code(&["sm3"], &[])),
        hash::<Ripemd160>("ripemd-160", 0, Code(&["ripemd"], &[])),
        hash::<Streebog256>("streebog-256", 0, STREEBOG),
        hash::<Streebog512>("streebog-512", 0, STREEBOG),
        hash::<Whirlpool>("whirlpool", 0, Code(&["whirlpool"], &[])),
        mac::<Hmac<Md5>>("hmac-md5", 16, BROKEN, Code(&["hmac", "md-5"], &[])),
        mac::<Hmac<Sha1>>("hmac-sha-1", 20, BROKEN, Code(&["hmac", "sha1"], &[Sha32])),
        mac::<Hmac<Sha224>>("hmac-sha-224", 28, 0, HMAC_SHA2),
        mac::<Hmac<Sha256>>("hmac-sha-256", 32, 0, HMAC_SHA2),
        mac::<Hmac<Sha384>>("hmac-sha-384", 48, 0, HMAC_SHA2_64),
        mac::<Hmac<Sha512>>("hmac-sha-512", 64, 0, HMAC_SHA2_64),
        mac::<Hmac<Sha512_224>>("hmac-sha-512-224", 28, 0, HMAC_SHA2_64),
        mac::<Hmac<Sha512_256>>("hmac-sha-512-256", 32, 0, HMAC_SHA2_64),
        mac::<SimpleHmac<Sha3_224>>("hmac-sha3-224", 28, 0, HMAC_SHA3),
        mac::<SimpleHmac<Sha3_256>>("hmac-sha3-256", 32, 0, HMAC_SHA3),
        mac::<SimpleHmac<Sha3_384>>("hmac-sha3-384", 48, 0, HMAC_SHA3),
        mac::<SimpleHmac<Sha3_512>>("hmac-sha3-512", 64, 0, HMAC_SHA3),
        mac::<Hmac<Sm3>>("hmac-sm3", 32, 0, Code(&["hmac", "sm3"], &[])),
        mac::<Hmac<Ripemd160>>("hmac-ripemd-160", 20, 0, Code(&["hmac", "ripemd"], &[])),
        mac::<Hmac<Streebog256>>("hmac-streebog-256", 32, 0, HMAC_STREEBOG),
        mac::<Hmac<Streebog512>>("hmac-streebog-512", 64, 0, HMAC_STREEBOG),
        mac::<Blake2bMac512>("blake2b-keyed", 32, 0, BLAKE2),
        mac::<Blake2sMac256>("blake2s-keyed", 32, 0, BLAKE2),
        universal::<Universal<GHash>>("ghash", 16, Code(&["ghash", "polyval"], &[Clmul])),
        universal::<Universal<Polyval>>("polyval", 16, Code(&["polyval"], &[Clmul])),
        universal::<Rfc8439Poly1305>("poly1305", 32, Code(&["poly1305"], &[Poly])),
    ]
}
