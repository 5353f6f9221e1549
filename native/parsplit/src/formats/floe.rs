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
    let material = material(key, header.get(..TAG).unwrap_or_default(), context, segment, ROTATION);
    Ok((header, material))
}

fn resume(format: &Format, _: &ParSplit, key: &[u8], context: &[u8], header: &[u8]) -> Result<Material> {
    resume_rotating(format, key, context, header, ROTATION)
}

/// [`resume`] for a message whose key changes after `rotation` segments.
fn resume_rotating(format: &Format, key: &[u8], context: &[u8], header: &[u8], rotation: u64) -> Result<Material> {
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
    Ok(material(key, start, context, segment, rotation))
}

fn header_tag(key: &[u8], start: &[u8], context: &[u8]) -> Zeroizing<Vec<u8>> {
    Derivation { start, context }.derive(key, &[b"HEADER_TAG:"], HEADER_BYTES - TAG)
}

/// Return the material for a header that begins with parameters and IV.
fn material(key: &[u8], start: &[u8], context: &[u8], segment: usize, rotation: u64) -> Material {
    let message_key = Derivation { start, context }.derive(key, &[b"MESSAGE_KEY:"], MESSAGE_KEY_BYTES);
    let (start, context): (Arc<[u8]>, Arc<[u8]>) = (start.into(), context.into());
    let derive = move |first: u64| {
        let derivation = Derivation { start: &start, context: &context };
        Ok(derivation.derive(&message_key, &[b"DEK:", &first.to_be_bytes()], KEY_BYTES))
    };
    Material {
        chunking: Chunking {
            chunk_bytes: segment - OVERHEAD,
            lead_bytes: 0,
            prefix_bytes: MARKER_BYTES + NONCE_BYTES,
            tag_bytes: TAG_BYTES,
            ending: Ending::MarkedOfAnyLength,
            max_chunks: 1 << 40,
        },
        keys: Keys::Rotating { period: rotation, derive: Box::new(derive) },
        nonces: Nonces::Stored,
        associated_data: AssociatedData::Position,
    }
}

#[cfg(all(test, feature = "aead"))]
mod tests {
    use super::super::Opener;
    use super::*;
    use crate::schedules::Schedule;
    use aes_gcm::Aes256Gcm;

    /// The known answers of <https://github.com/Snowflake-Labs/floe-specification> at commit e466ef4, which five programs
    /// wrote, without those of 1 MiB. In those of rotation the key changes after four segments instead of 2^20.
    const KNOWN_ANSWERS: &str = include_str!("../../tests/formats/floe.csv");

    #[test]
    fn opens_the_known_answers_of_the_specification() {
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        let bytes = |hex: &str| hex.as_bytes().chunks(2).map(byte).collect::<Vec<_>>();
        let rotating = Format {
            algorithm: "",
            resume: |format, _, key, context, header| resume_rotating(format, key, context, header, 4),
            ..FLOE
        };
        let usual = Format { algorithm: "", ..FLOE };
        let mut cases = 0;
        for line in KNOWN_ANSWERS.lines().skip(1) {
            let [name, segment, rotation, plain, sealed] = line.split(',').collect::<Vec<_>>().try_into().unwrap();
            let (right, wrong) = if rotation == "4" { (&rotating, &usual) } else { (&usual, &rotating) };
            let (plain, sealed) = (bytes(plain), bytes(sealed));
            let (header, body) = sealed.split_at(HEADER_BYTES);
            for threads in [1, 3] {
                let splitter = ParSplit::of::<Aes256Gcm>(64, threads, Schedule::DYNAMIC).unwrap().serial_below(0);
                let open = |format: &Format, output: &mut [u8]| {
                    let mut opener = Opener::resume(&splitter, format, &[0; 32], b"This is AAD", header)?;
                    assert_eq!(opener.sealed_chunk_bytes(), segment.parse().unwrap());
                    opener.open(0, body, true, output)
                };
                let mut output = vec![0; plain.len()];
                assert_eq!(open(right, &mut output).unwrap(), plain.len(), "{name}");
                assert_eq!(output, plain, "{name}");
                // A message of more than four segments has another key under the other rotation.
                if body.len() > 4 * segment.parse::<usize>().unwrap() {
                    assert!(matches!(open(wrong, &mut output), Err(Error::Authentication)), "{name}");
                }
                cases += 1;
            }
        }
        assert_eq!(cases, 2 * 17);
    }
}
