//! Streaming AEAD of Tink (developers.google.com/tink/streaming-aead/aes_gcm_hkdf_streaming), with the parameters of its
//! key templates. A key is what Tink calls input key material; key sets are not read.

use super::format::Format;
use super::material::{AssociatedData, Chunking, Ending, Keys, Material, NONCE_BYTES, Nonces, TAG_BYTES};
use crate::error::{Error, Result};
use crate::kdf::{hkdf_sha256, random};
use crate::nonce;
use crate::splitter::ParSplit;
use zeroize::Zeroizing;

const PREFIX_BYTES: usize = 7;
const MAX_KEY_BYTES: usize = 32;

pub(super) static AES_256_1MB: Format = template("tink-aes256-gcm-hkdf-1mb", "aes-256-gcm", 32, 1 << 20);
pub(super) static AES_256_4KB: Format = template("tink-aes256-gcm-hkdf-4kb", "aes-256-gcm", 32, 4 << 10);
pub(super) static AES_128_1MB: Format = template("tink-aes128-gcm-hkdf-1mb", "aes-128-gcm", 16, 1 << 20);
pub(super) static AES_128_4KB: Format = template("tink-aes128-gcm-hkdf-4kb", "aes-128-gcm", 16, 4 << 10);

const fn template(name: &'static str, algorithm: &'static str, key_bytes: usize, segment: usize) -> Format {
    Format {
        name,
        document: "developers.google.com/tink/streaming-aead/aes_gcm_hkdf_streaming",
        algorithm,
        key_bytes,
        chunk_bytes: segment - TAG_BYTES,
        committing: false,
        // A pointer to a function captures no length.
        header_bytes: if key_bytes == 32 { |_| Ok(header_bytes(32)) } else { |_| Ok(header_bytes(16)) },
        begin,
        resume,
    }
}

/// Length in bytes of the header: its length, a salt as long as the key, and the prefix of the nonces.
const fn header_bytes(key_bytes: usize) -> usize {
    1 + key_bytes + PREFIX_BYTES
}

fn begin(format: &Format, _: &ParSplit, key: &[u8], context: &[u8]) -> Result<(Vec<u8>, Material)> {
    let random = random::<{ MAX_KEY_BYTES + PREFIX_BYTES }>()?;
    let bytes = header_bytes(format.key_bytes);
    let mut header = vec![bytes as u8];
    header.extend(random.get(..bytes - 1).unwrap_or_default());
    let material = material(format, key, context, &header)?;
    Ok((header, material))
}

fn resume(format: &Format, _: &ParSplit, key: &[u8], context: &[u8], header: &[u8]) -> Result<Material> {
    let expected = header_bytes(format.key_bytes);
    if header.len() != expected || header.first().copied() != u8::try_from(expected).ok() {
        return Err(Error::Format(format!(
            "not a {} file: it does not begin with a header of {expected} bytes",
            format.name
        )));
    }
    material(format, key, context, header)
}

fn material(format: &Format, key: &[u8], context: &[u8], header: &[u8]) -> Result<Material> {
    format.check_key(key)?;
    let (start, prefix) = header.split_at(header.len() - PREFIX_BYTES);
    let mut derived = Zeroizing::new(vec![0; format.key_bytes]);
    hkdf_sha256(key, start.get(1..).unwrap_or_default(), context, &mut derived)?;
    Ok(Material {
        chunking: Chunking {
            chunk_bytes: format.chunk_bytes,
            lead_bytes: header.len(),
            prefix_bytes: 0,
            tag_bytes: TAG_BYTES,
            ending: Ending::Marked,
            max_chunks: 1 << 32,
        },
        keys: Keys::One(derived),
        nonces: Nonces::Stream(nonce::Nonces::new(prefix, NONCE_BYTES)?),
        associated_data: AssociatedData::None,
    })
}
