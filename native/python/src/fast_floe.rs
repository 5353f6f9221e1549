//! FLOE by the crate fast-floe, a program that is measured.

use crate::errors::{ArgumentError, raise};
use ::fast_floe::low_level::SegmentKind;
use ::fast_floe::online::{Decryptor, Encryptor, FinalEncryptError};
use ::fast_floe::{Header, Key, Parameters, Provider, Result as FloeResult, SegmentFraming};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use std::slice;

const SEGMENT_BYTES: u32 = 1 << 20;
const HEADER_BYTES: usize = 74;

/// Seal (`seals`) or open a message of FLOE with AWS-LC and segments of 1 MiB; return the number of bytes written to
/// `out`. Its functions for single segments are called, because those for whole messages return new memory.
#[pyfunction]
pub(crate) fn fast_floe(
    py: Python<'_>,
    seals: bool,
    key: [u8; Key::LEN],
    aad: &[u8],
    data: &Bound<'_, PyBytes>,
    out: &Bound<'_, PyByteArray>,
) -> PyResult<usize> {
    let key = Key::from_bytes_with_provider(key, Provider::AWS_LC_RS);
    let data = data.as_bytes();
    // SAFETY: the adapter, the only caller, gives the array to no other thread, and nothing resizes it meanwhile.
    let out = unsafe { slice::from_raw_parts_mut(out.data(), out.len()) };
    let result = py.detach(|| if seals { seal(&key, aad, data, out) } else { open(&key, aad, data, out) });
    result.map_err(|error| match seals {
        true => ArgumentError::new_err(error.to_string()),
        false => raise(parsplit::Error::Authentication),
    })
}

/// Return the version of the crate.
#[pyfunction]
pub(crate) const fn fast_floe_version() -> &'static str {
    env!("FAST_FLOE_VERSION")
}

fn seal(key: &Key, aad: &[u8], data: &[u8], out: &mut [u8]) -> FloeResult<usize> {
    let parameters = Parameters::with_segment_length(SEGMENT_BYTES)?;
    let mut encryptor = Encryptor::new(key, aad, parameters)?;
    out[..HEADER_BYTES].copy_from_slice(encryptor.header().as_bytes());
    let mut written = HEADER_BYTES;
    for segment in parameters.plaintext_layout(data.len() as u64)?.segments() {
        let start = segment.plaintext_offset() as usize;
        let text = &data[start..start + segment.plaintext_length()];
        let place = &mut out[written..written + segment.ciphertext_length()];
        if segment.kind() == SegmentKind::Final {
            let last = encryptor.encrypt_final_segment_into(text, place);
            return Ok(written + last.map_err(FinalEncryptError::into_error)?);
        }
        written += encryptor.encrypt_non_final_segment_into(text, place)?;
    }
    Err(::fast_floe::Error::Truncated)
}

fn open(key: &Key, aad: &[u8], file: &[u8], out: &mut [u8]) -> FloeResult<usize> {
    let (header, mut rest) = file.split_at_checked(HEADER_BYTES).ok_or(::fast_floe::Error::Truncated)?;
    let header = Header::try_from(header)?;
    let mut decryptor = Decryptor::new(key, aad, &header)?;
    let mut written = 0;
    while let Some(prefix) = rest.first_chunk() {
        let framing = SegmentFraming::decode(decryptor.parameters(), *prefix)?;
        let (segment, next) =
            rest.split_at_checked(framing.ciphertext_length()).ok_or(::fast_floe::Error::Truncated)?;
        written += decryptor.decrypt_segment_into(segment, &mut out[written..])?;
        rest = next;
    }
    if !rest.is_empty() {
        return Err(::fast_floe::Error::Truncated);
    }
    decryptor.finish()?;
    Ok(written)
}
