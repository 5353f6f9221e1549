//! FLOE (c2sp.org/FLOE) with its only parameters: AES-256-GCM, HKDF-Expand of SHA-384, an IV of 32 bytes.

use super::expand;
use super::format::Format;
use super::material::{AssociatedData, Chunking, Ending, Keys, MARKER_BYTES, Material, NONCE_BYTES, Nonces, TAG_BYTES};
use crate::error::{Error, Result, ensure};
use crate::kdf::random;
use crate::splitter::ParSplit;
use std::sync::Arc;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

const PARAMETER_BYTES: usize = 10;
const IV_BYTES: usize = 32;
const TAG: usize = PARAMETER_BYTES + IV_BYTES;
const HEADER_BYTES: usize = TAG + 32;
const MESSAGE_KEY_BYTES: usize = 48;
const KEY_BYTES: usize = 32;
const OVERHEAD: usize = MARKER_BYTES + NONCE_BYTES + TAG_BYTES;
/// A new key is derived after 2^20 segments.
const ROTATION: u64 = 1 << 20;
/// Longest segment in bytes, with the memory of a reader in mind; the specification has no limit but the field's.
const MAX_SEGMENT_BYTES: usize = 1 << 24;

pub(super) static FLOE: Format = Format {
    name: "floe",
    document: "c2sp.org/FLOE",
    algorithm: "aes-256-gcm",
    key_bytes: KEY_BYTES,
    chunk_bytes: 0,
    committing: true,
    header_bytes: |_| Ok(HEADER_BYTES),
    begin,
    resume,
};

/// The inputs of each derivation: `PARAM_ENCODE ‖ iv ‖ purpose ‖ aad`.
struct Derivation<'a> {
    start: &'a [u8],
    context: &'a [u8],
}

impl Derivation<'_> {
    fn derive(&self, key: &[u8], purpose: &[&[u8]], bytes: usize) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(vec![0; bytes]);
        expand::sha384(key, &[&[self.start], purpose, &[self.context]].concat(), &mut out);
        out
    }
}

/// The segment has the block size of the splitter with its overhead, which must fit the field of the header.
fn begin(format: &Format, splitter: &ParSplit, key: &[u8], context: &[u8]) -> Result<(Vec<u8>, Material)> {
    format.check_key(key)?;
    let segment = splitter.block_size() + OVERHEAD;
    ensure!(segment <= MAX_SEGMENT_BYTES, "segments of {segment} bytes given, at most {MAX_SEGMENT_BYTES} expected");
    let mut header = vec![0, 0];
    header.extend((segment as u32).to_be_bytes());
    header.extend((IV_BYTES as u32).to_be_bytes());
    header.extend(random::<IV_BYTES>()?);
    header.extend(&**header_tag(key, &header, context));
    let material = material(key, header.get(..TAG).unwrap_or_default(), context, segment);
    Ok((header, material))
}

fn resume(format: &Format, _: &ParSplit, key: &[u8], context: &[u8], header: &[u8]) -> Result<Material> {
    format.check_key(key)?;
    let header: &[u8; HEADER_BYTES] = format.exact(header)?;
    let [0, 0, b3, b2, b1, b0, 0, 0, 0, 32, ..] = *header else {
        return Err(Error::Format("not a FLOE file with AES-256-GCM, SHA-384 and an IV of 32 bytes".into()));
    };
    let segment = u32::from_be_bytes([b3, b2, b1, b0]) as usize;
    if !(OVERHEAD + 1..=MAX_SEGMENT_BYTES).contains(&segment) {
        let reason = format!(
            "FLOE file with segments of {segment} bytes given, {} to {MAX_SEGMENT_BYTES} expected",
            OVERHEAD + 1
        );
        return Err(Error::Format(reason));
    }
    let (start, tag) = header.split_at(TAG);
    if !bool::from(header_tag(key, start, context).ct_eq(tag)) {
        return Err(Error::Authentication);
    }
    Ok(material(key, start, context, segment))
}

fn header_tag(key: &[u8], start: &[u8], context: &[u8]) -> Zeroizing<Vec<u8>> {
    Derivation { start, context }.derive(key, &[b"HEADER_TAG:"], HEADER_BYTES - TAG)
}

/// Return the material for a header that begins with parameters and IV.
fn material(key: &[u8], start: &[u8], context: &[u8], segment: usize) -> Material {
    let message_key = Derivation { start, context }.derive(key, &[b"MESSAGE_KEY:"], MESSAGE_KEY_BYTES);
    let (start, context): (Arc<[u8]>, Arc<[u8]>) = (start.into(), context.into());
    let derive = move |first: u64| {
        let derivation = Derivation { start: &start, context: &context };
        Ok(derivation.derive(&message_key, &[b"DEK:", &first.to_be_bytes()], KEY_BYTES))
    };
    Material {
        chunking: Chunking {
            chunk_bytes: segment - OVERHEAD,
            prefix_bytes: MARKER_BYTES + NONCE_BYTES,
            tag_bytes: TAG_BYTES,
            ending: Ending::MarkedOfAnyLength,
            max_chunks: 1 << 40,
        },
        keys: Keys::Rotating { period: ROTATION, derive: Box::new(derive) },
        nonces: Nonces::Stored,
        associated_data: AssociatedData::Position,
    }
}
