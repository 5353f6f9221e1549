//! Ranges of blocks that are verified against the one tag with a proof.

use super::ONE_TAG_BYTES;
use super::binding::Binding;
use super::engine::KeyedOneTag;
use super::engine::{BLAKE3, tag_of};
use super::kind::Tags;
use super::message::{Pass, only_leaf, tags_per_chunk};
use super::proof::{proof_values, root_of, write_proof};
use super::tree::{LeafValues, leaf_value};
use crate::buffers::output_prefix;
use crate::dead_stack::ClearDeadStack;
use crate::error::{Error, Result, ensure};
use crate::layout::Layout;
use crate::wipe::wipe;
use blake3::CHUNK_LEN;
use std::ops::Range;
use std::ptr;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// The leaves of the tree that contain a range of blocks.
struct Leaves {
    leaves: usize,
    range: Range<usize>,
    leaf_bytes: usize,
    /// The blocks whose tags a proof contains: those of the leaves in the range.
    tagged: Range<usize>,
}

impl KeyedOneTag {
    /// Return the length in bytes of the proof of some blocks of a message of `bytes`.
    ///
    /// # Errors
    /// [`Tags::Digest`], which has no proofs; blocks outside the message.
    pub fn proof_bytes(&self, bytes: usize, blocks: &Range<u64>) -> Result<usize> {
        let leaves = self.leaves(self.settings.layout(bytes)?, blocks)?;
        Ok(self.tags_bytes(&leaves) + proof_values(leaves.leaves, &leaves.range) * ONE_TAG_BYTES)
    }

    /// Return the proof that `blocks` of a sealed message belong to its tag, which it also verifies.
    ///
    /// # Errors
    /// [`Error::Authentication`] if the tag does not match; otherwise as [`KeyedOneTag::proof_bytes`].
    pub fn prove(&mut self, nonce: &[u8], ad: &[u8], sealed: &[u8], blocks: &Range<u64>) -> Result<Vec<u8>> {
        let bytes = self.settings.layout_of_sealed(sealed.len())?.bytes();
        let tag = tag_of(&sealed[bytes..])?;
        // SAFETY: a borrowed slice is valid.
        unsafe { self.prove_raw(nonce, ad, blocks, sealed.as_ptr(), bytes, &tag) }
    }

    /// [`KeyedOneTag::prove`] on raw memory.
    ///
    /// # Safety
    /// `input` is valid for `bytes`, the length of the message.
    pub unsafe fn prove_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        blocks: &Range<u64>,
        input: *const u8,
        bytes: usize,
        tag: &[u8; ONE_TAG_BYTES],
    ) -> Result<Vec<u8>> {
        let layout = self.settings.layout(bytes)?;
        let leaves = self.leaves(layout, blocks)?;
        let values = LeafValues::new(leaves.leaves);
        let mut tags = Zeroizing::new(Vec::new());
        let kept = Some((&values, &mut tags));
        let computed = self.pass(layout, nonce, ad, input, ptr::null_mut(), Pass::Prove, kept)?;
        if !bool::from(computed.ct_eq(tag)) {
            return Err(Error::Authentication);
        }
        let _clear = ClearDeadStack(&BLAKE3);
        let binding = Binding::new(&self.settings, &self.key, nonce, ad, bytes as u64)?;
        let mut proof = Vec::new();
        if self.settings.tags == Tags::Merkle {
            let tag_bytes = self.settings.algorithm.tag_bytes as usize;
            proof.extend(&tags[leaves.tagged.start * tag_bytes..leaves.tagged.end * tag_bytes]);
        }
        if leaves.leaves > 1 {
            write_proof(&binding.tag_key, &values.into_values(), &leaves.range, &mut proof);
        }
        Ok(proof)
    }

    /// Open `blocks` of a message of `bytes`, whose ciphertext is `input`; return the number of bytes of plaintext.
    ///
    /// The proof binds the blocks to their positions, the length of the message, the nonce and the associated data.
    ///
    /// # Errors
    /// [`Error::Authentication`] if proof, tag and ciphertext do not belong together, with the output wiped; a
    /// ciphertext, a proof or an output of another length; otherwise as [`KeyedOneTag::proof_bytes`].
    #[allow(clippy::too_many_arguments)] // those of `open`, the range and its proof
    pub fn open_proven(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        blocks: &Range<u64>,
        input: &[u8],
        bytes: usize,
        tag: &[u8; ONE_TAG_BYTES],
        proof: &[u8],
        output: &mut [u8],
    ) -> Result<usize> {
        let expected = self.settings.layout(bytes)?.byte_range(blocks)?.len();
        if input.len() != expected {
            return Err(Error::Length { name: "ciphertext", given: input.len(), expected: expected.to_string() });
        }
        let output = output_prefix(output, expected)?;
        // SAFETY: borrowed slices are valid, and a shared and a mutable one never overlap.
        unsafe { self.open_proven_raw(nonce, ad, blocks, input.as_ptr(), bytes, tag, proof, output.as_mut_ptr()) }
    }

    /// [`KeyedOneTag::open_proven`] on raw memory.
    ///
    /// # Safety
    /// `input` and `output` are valid for the bytes of the blocks.
    #[allow(clippy::too_many_arguments)] // as above
    pub unsafe fn open_proven_raw(
        &mut self,
        nonce: &[u8],
        ad: &[u8],
        blocks: &Range<u64>,
        input: *const u8,
        bytes: usize,
        tag: &[u8; ONE_TAG_BYTES],
        proof: &[u8],
        output: *mut u8,
    ) -> Result<usize> {
        let _clear = ClearDeadStack(&BLAKE3);
        let message = self.settings.layout(bytes)?;
        let leaves = self.leaves(message, blocks)?;
        let expected = self.proof_bytes(bytes, blocks)?;
        if proof.len() != expected {
            return Err(Error::Length { name: "proof", given: proof.len(), expected: expected.to_string() });
        }
        let range = message.byte_range(blocks)?;
        let layout = self.checked_layout(input, range.len(), output)?;
        let binding = Binding::new(&self.settings, &self.key, nonce, ad, bytes as u64)?;
        let key = &binding.tag_key;
        let root = |values: &[[u8; 32]], proof: &[u8]| match values {
            [only] if leaves.leaves == 1 => Ok(*only),
            values => root_of(key, leaves.leaves, &leaves.range, values, proof),
        };
        let value_of = |leaf: usize, data: &[u8]| match leaves.leaves {
            1 => only_leaf(key, data),
            _ => leaf_value(key, leaves.leaf_bytes, leaf, data),
        };
        let first = blocks.start as usize;
        let shared = self.blocks(layout, ad, input, output, &binding);
        let (result, started) = if self.settings.tags == Tags::Merkle {
            let tag_bytes = self.settings.algorithm.tag_bytes as usize;
            let (tags, proof) = proof.split_at(self.tags_bytes(&leaves));
            let chunks = leaves.range.clone().zip(tags.chunks(CHUNK_LEN));
            let values: Vec<_> = chunks.map(|(chunk, tags)| value_of(chunk, tags)).collect();
            if !bool::from(root(&values, proof)?.ct_eq(tag)) {
                // SAFETY: the caller's promise. The output is wiped although nothing was written, as after every error.
                unsafe { wipe(output, range.len(), self.settings.threads, self.fresh) };
                return Err(Error::Authentication);
            }
            let tag = |block: usize| &tags[(first + block - leaves.tagged.start) * tag_bytes..][..tag_bytes];
            self.run(layout, &|worker, block| {
                let last = message.is_last(first + block);
                shared.open_with_tag(worker, block, first, last, tag(block))
            })
        } else {
            let values = LeafValues::new(layout.blocks());
            let (result, started) =
                self.run(layout, &|worker, block| shared.open_leaf(worker, block, first, &values, value_of));
            let verified = result.and_then(|()| {
                let matches = root(&values.into_values(), proof)?.ct_eq(tag);
                if bool::from(matches) { Ok(()) } else { Err(Error::Authentication) }
            });
            (verified, started)
        };
        self.finish(&result, started, layout, output);
        result.map(|()| range.len())
    }

    /// Return the leaves that contain some blocks of a message.
    fn leaves(&self, layout: Layout, blocks: &Range<u64>) -> Result<Leaves> {
        ensure!(
            self.settings.tags != Tags::Digest,
            "tags=\"digest\" has no proofs for ranges of blocks: use tags=\"merkle\""
        );
        layout.byte_range(blocks)?;
        let blocks = blocks.start as usize..blocks.end as usize;
        if self.settings.tags == Tags::Blake3 {
            let (leaves, leaf_bytes) = (layout.blocks(), self.settings.block_size);
            return Ok(Leaves { leaves, range: blocks, leaf_bytes, tagged: 0..0 });
        }
        let per_chunk = tags_per_chunk(self.settings.algorithm);
        let range = blocks.start / per_chunk..blocks.end.div_ceil(per_chunk);
        let tagged = range.start * per_chunk..layout.blocks().min(range.end * per_chunk);
        Ok(Leaves { leaves: layout.blocks().div_ceil(per_chunk), range, leaf_bytes: CHUNK_LEN, tagged })
    }

    /// Length of the tags that a proof contains in bytes.
    fn tags_bytes(&self, leaves: &Leaves) -> usize {
        leaves.tagged.len() * self.settings.algorithm.tag_bytes as usize
    }
}
