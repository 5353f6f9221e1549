//! The format of this project, "PARSPLIT v1": STREAM with a header that names any AEAD.

use super::format::Format;
use super::material::{AssociatedData, Chunking, Ending, Keys, Material, Nonces};
use crate::error::{Error, Result};
use crate::header::{Derivation, Header};
use crate::layout::Layout;
use crate::nonce;
use crate::splitter::ParSplit;

pub(super) static PARSPLIT_V1: Format = Format {
    name: "parsplit-v1",
    document: "docs/FORMATS.md",
    algorithm: "",
    key_bytes: 0,
    chunk_bytes: 0,
    committing: false,
    header_bytes: |start| {
        if start.len() < Header::FIXED_BYTES { Ok(Header::FIXED_BYTES) } else { Header::length(start) }
    },
    begin: |_, splitter, key, ad| {
        let header = Header::random(splitter)?;
        Ok((header.to_bytes(), material(splitter, &header, key, ad)?))
    },
    resume: |_, splitter, key, ad, header| {
        let header = Header::parse(header)?;
        // The header is not authenticated, so that it must not decide whether the key is derived.
        if header.derivation() == Derivation::None {
            let reason = "the key of this stream was not derived: open it with the nonce that it was sealed with";
            return Err(Error::Format(reason.into()));
        }
        material(splitter, &header, key, ad)
    },
};

/// Return the material of a stream with this header.
pub(super) fn material(splitter: &ParSplit, header: &Header, key: &[u8], ad: &[u8]) -> Result<Material> {
    header.check_algorithm(splitter)?;
    Ok(Material {
        chunking: Chunking {
            chunk_bytes: header.block_size(),
            lead_bytes: 0,
            prefix_bytes: 0,
            tag_bytes: header.tag_bytes(),
            ending: Ending::Marked,
            max_chunks: Layout::MAX_BLOCKS,
        },
        keys: Keys::One(header.block_key(key, splitter)?),
        nonces: Nonces::Stream(nonce::Nonces::new(header.prefix(), splitter.algorithm().nonce_bytes as usize)?),
        // The header encodes its own length, so two different pairs of header and data never concatenate to equal
        // bytes.
        associated_data: AssociatedData::First([&header.to_bytes(), ad].concat()),
    })
}
