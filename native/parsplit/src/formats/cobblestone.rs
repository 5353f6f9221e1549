//! Chunked encryption of C2SP (c2sp.org/chunked-encryption), with SHA-512 named Cobblestone.

use super::expand::{self, Expand};
use super::format::Format;
use super::material::{AssociatedData, Chunking, Ending, Keys, Material, NONCE_BYTES, Nonces, TAG_BYTES};
use crate::error::{Error, Result};
use crate::kdf::random;
use crate::splitter::ParSplit;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

const DOCUMENT: &str = "c2sp.org/chunked-encryption";
const LABEL: &[u8] = b"c2sp.org/chunked-encryption@v1+";
const SALT_BYTES: usize = 24;
const COMMITMENT_BYTES: usize = 32;
const HEADER_BYTES: usize = SALT_BYTES + COMMITMENT_BYTES;
const CHUNKING: Chunking = Chunking {
    chunk_bytes: 16 << 10,
    lead_bytes: 0,
    prefix_bytes: 0,
    tag_bytes: TAG_BYTES,
    ending: Ending::Short,
    max_chunks: 1 << 38,
};

/// An AEAD: its names in the catalogue and in the registry of IANA, and the length of its key.
struct Aead(&'static str, &'static str, usize);

const AES_128: Aead = Aead("aes-128-gcm", "AEAD_AES_128_GCM", 16);
const AES_256: Aead = Aead("aes-256-gcm", "AEAD_AES_256_GCM", 32);
const CHACHA: Aead = Aead("chacha20-poly1305", "AEAD_CHACHA20_POLY1305", 32);

pub(super) static COBBLESTONE_128: Format = derived("cobblestone-128", AES_128, sha512_begin, sha512_resume);
pub(super) static COBBLESTONE_256: Format = derived("cobblestone-256", AES_256, sha512_begin, sha512_resume);
pub(super) static AES_128_GCM_SHA256: Format =
    derived("chunked-aes-128-gcm-sha256", AES_128, sha256_begin, sha256_resume);
pub(super) static AES_256_GCM_SHA256: Format =
    derived("chunked-aes-256-gcm-sha256", AES_256, sha256_begin, sha256_resume);
pub(super) static CHACHA_SHA256: Format =
    derived("chunked-chacha20-poly1305-sha256", CHACHA, sha256_begin, sha256_resume);
pub(super) static AES_128_GCM_RAW: Format = raw("chunked-aes-128-gcm-raw", AES_128);
pub(super) static AES_256_GCM_RAW: Format = raw("chunked-aes-256-gcm-raw", AES_256);
pub(super) static CHACHA_RAW: Format = raw("chunked-chacha20-poly1305-raw", CHACHA);

const fn derived(name: &'static str, aead: Aead, begin: super::format::Begin, resume: super::format::Resume) -> Format {
    Format {
        name,
        document: DOCUMENT,
        algorithm: aead.0,
        key_bytes: aead.2,
        chunk_bytes: CHUNKING.chunk_bytes,
        committing: true,
        header_bytes: |_| Ok(HEADER_BYTES),
        begin,
        resume,
    }
}

/// Raw mode: no header; the key is that of the AEAD followed by the base nonce, both random and used once.
const fn raw(name: &'static str, aead: Aead) -> Format {
    Format {
        key_bytes: aead.2 + NONCE_BYTES,
        committing: false,
        header_bytes: |_| Ok(0),
        ..derived(
            name,
            aead,
            |f, _, key, context| Ok((vec![], raw_material(f, key, context)?)),
            |f, _, key, context, _| raw_material(f, key, context),
        )
    }
}

fn sha512_begin(format: &Format, _: &ParSplit, key: &[u8], context: &[u8]) -> Result<(Vec<u8>, Material)> {
    begin(format, expand::sha512, key, context)
}

fn sha512_resume(format: &Format, _: &ParSplit, key: &[u8], context: &[u8], header: &[u8]) -> Result<Material> {
    resume(format, expand::sha512, key, context, header)
}

fn sha256_begin(format: &Format, _: &ParSplit, key: &[u8], context: &[u8]) -> Result<(Vec<u8>, Material)> {
    begin(format, expand::sha256, key, context)
}

fn sha256_resume(format: &Format, _: &ParSplit, key: &[u8], context: &[u8], header: &[u8]) -> Result<Material> {
    resume(format, expand::sha256, key, context, header)
}

fn begin(format: &Format, expand: Expand, key: &[u8], context: &[u8]) -> Result<(Vec<u8>, Material)> {
    let salt = random::<SALT_BYTES>()?;
    let (material, commitment) = derive(format, expand, key, context, &salt)?;
    Ok(([&salt[..], &commitment].concat(), material))
}

fn resume(format: &Format, expand: Expand, key: &[u8], context: &[u8], header: &[u8]) -> Result<Material> {
    let header: &[u8; HEADER_BYTES] = format.exact(header)?;
    let (salt, stated) = header.split_at(SALT_BYTES);
    let (material, commitment) = derive(format, expand, key, context, salt)?;
    if bool::from(commitment.ct_eq(stated)) { Ok(material) } else { Err(Error::Authentication) }
}

/// Return the material of a message and its commitment.
fn derive(
    format: &Format,
    expand: Expand,
    key: &[u8],
    context: &[u8],
    salt: &[u8],
) -> Result<(Material, [u8; COMMITMENT_BYTES])> {
    format.check_key(key)?;
    let aead = [AES_128, AES_256, CHACHA].into_iter().find(|aead| aead.0 == format.algorithm);
    let name = aead.map(|aead| aead.1).unwrap_or_default();
    let mut derived = Zeroizing::new(vec![0; key.len() + NONCE_BYTES + COMMITMENT_BYTES]);
    expand(key, &[LABEL, name.as_bytes(), &[0], salt, context], &mut derived);
    let (secret, stated) = derived.split_at(key.len() + NONCE_BYTES);
    let mut commitment = [0; COMMITMENT_BYTES];
    commitment.copy_from_slice(stated);
    Ok((material(secret), commitment))
}

fn raw_material(format: &Format, key: &[u8], context: &[u8]) -> Result<Material> {
    format.check_key(key)?;
    crate::error::ensure!(context.is_empty(), "associated data given, but {} authenticates none", format.name);
    Ok(material(key))
}

/// Return the material of a key followed by a base nonce.
fn material(secret: &[u8]) -> Material {
    let (key, base) = secret.split_at(secret.len() - NONCE_BYTES);
    let mut nonce = [0; NONCE_BYTES];
    nonce.copy_from_slice(base);
    Material {
        chunking: CHUNKING,
        keys: Keys::One(Zeroizing::new(key.to_vec())),
        nonces: Nonces::Xor(nonce),
        associated_data: AssociatedData::None,
    }
}
