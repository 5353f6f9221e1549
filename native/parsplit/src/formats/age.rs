//! The payload of age files (c2sp.org/age): what follows the header with the recipients.

use super::format::Format;
use super::material::{AssociatedData, Chunking, Ending, Keys, Material, Nonces, TAG_BYTES};
use crate::error::Result;
use crate::kdf::{hkdf_sha256, random};
use zeroize::Zeroizing;

const NONCE_BYTES: usize = 16;
const CHUNKING: Chunking = Chunking {
    chunk_bytes: 64 << 10,
    lead_bytes: 0,
    prefix_bytes: 0,
    tag_bytes: TAG_BYTES,
    ending: Ending::Marked,
    // The counter has 88 bits; this many chunks exceed every file.
    max_chunks: 1 << 48,
};

/// The key is the file key, and the header the nonce of the payload.
pub(super) static PAYLOAD: Format = Format {
    name: "age-payload",
    document: "c2sp.org/age",
    algorithm: "chacha20-poly1305",
    key_bytes: 16,
    chunk_bytes: CHUNKING.chunk_bytes,
    committing: false,
    header_bytes: |_| Ok(NONCE_BYTES),
    begin: |format, _, key, context| {
        let nonce = random::<NONCE_BYTES>()?;
        Ok((nonce.to_vec(), material(format, key, context, &nonce)?))
    },
    resume: |format, _, key, context, header| material(format, key, context, format.exact(header)?),
};

fn material(format: &Format, key: &[u8], context: &[u8], nonce: &[u8; NONCE_BYTES]) -> Result<Material> {
    format.check_key(key)?;
    crate::error::ensure!(context.is_empty(), "associated data given, but age authenticates none");
    let mut derived = Zeroizing::new(vec![0; 32]);
    hkdf_sha256(key, nonce, b"payload", &mut derived)?;
    let (keys, nonces, associated_data) = (Keys::One(derived), Nonces::Counter, AssociatedData::None);
    Ok(Material { chunking: CHUNKING, keys, nonces, associated_data })
}
