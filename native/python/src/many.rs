//! Calls of several blocks, which must have the results of one call for each block.

use crate::algorithm::{Algorithm, check_input, check_output};
use crate::contexts::pseudorandom;
use crate::errors::{ArgumentError, VerificationError};
use crate::exclusive::exclusive;
use crate::guard_pages::{Argument, Memory};
use aeadlab_abi::{self as abi, Blocks};
use parsplit::Context;
use pyo3::prelude::*;

/// Lengths of blocks and numbers of blocks, around those that kernels process together.
const BLOCK_BYTES: [usize; 9] = [1, 16, 100, 128, 256, 512, 1024, 4096, 16384];
const COUNTS: [usize; 7] = [1, 2, 3, 9, 32, 33, 65];
/// The longest run in bytes.
const MAX_BYTES: usize = 256 << 10;
const AD_BYTES: usize = 13;
/// Bytes of a nonce of STREAM behind the prefix: the index and the last-block flag.
const OVERHEAD: usize = 5;

/// The positions of the blocks and their tags, in the order of the calls.
#[derive(Clone, Copy, PartialEq)]
enum Placement {
    Separate,
    InPlace,
    /// Each tag behind its block, as in a stream.
    TagsBetween,
}

/// A run of blocks with the result of one call for each of them.
struct Run {
    nonce: Vec<u8>,
    last: bool,
    ad: Vec<u8>,
    block_bytes: usize,
    data: Vec<u8>,
    text: Vec<u8>,
    tags: Vec<u8>,
}

impl Run {
    fn count(&self) -> usize {
        self.data.len().div_ceil(self.block_bytes).max(1)
    }

    /// Return the ciphertext with each tag behind its block.
    fn with_tags_between(&self, text: &[u8], tags: &[u8]) -> Vec<u8> {
        let tag_bytes = tags.len() / self.count();
        let blocks = text.chunks(self.block_bytes).zip(tags.chunks(tag_bytes));
        blocks.flat_map(|(block, tag)| [block, tag].concat()).collect()
    }

    fn failed(&self, placement: Placement, reason: &str) -> PyErr {
        let place = match placement {
            Placement::Separate => "",
            Placement::InPlace => " in place",
            Placement::TagsBetween => " with tags between",
        };
        let (count, bytes) = (self.count(), self.block_bytes);
        VerificationError::new_err(format!("{reason} ({count} blocks of {bytes} bytes{place})"))
    }
}

/// Compare calls of several blocks with one call for each block, and open runs with a forged tag or block. Return the
/// number of runs of each comparison; raise `VerificationError` where a result differs or a forgery is accepted, and
/// `ArgumentError` if the algorithm supports no run.
#[pyfunction]
pub(crate) fn check_many(py: Python<'_>, algorithm: &Algorithm) -> PyResult<Vec<(&'static str, usize)>> {
    let _guard = exclusive(py, algorithm.entry.algorithm);
    let (mut runs, mut forged, mut seed) = (0, 0, 0);
    for (number, block_bytes) in BLOCK_BYTES.into_iter().enumerate() {
        for (other, count) in COUNTS.into_iter().enumerate() {
            let key = pseudorandom(&mut seed, algorithm.entry.algorithm.key_bytes as usize);
            let Some(run) = draw(algorithm, &key, block_bytes, count, number + other, &mut seed)? else { continue };
            for placement in [Placement::Separate, Placement::InPlace, Placement::TagsBetween] {
                let applies = match placement {
                    Placement::Separate => true,
                    Placement::InPlace => algorithm.entry.algorithm.has(abi::IN_PLACE),
                    // The tag behind a shorter block would not be at the distance of the others.
                    Placement::TagsBetween => run.data.len().is_multiple_of(run.block_bytes) || count == 1,
                };
                if !applies {
                    continue;
                }
                seal(algorithm, &key, &run, placement)?;
                if open(algorithm, &key, &run, (&run.text, &run.tags), placement)?.as_ref() != Some(&run.data) {
                    return Err(run.failed(placement, "open_many does not return the message"));
                }
                runs += 1;
                forged += open_forged(algorithm, &key, &run, placement)?;
            }
        }
    }
    if runs == 0 {
        return Err(ArgumentError::new_err("the algorithm supports none of the runs"));
    }
    Ok(vec![("runs of blocks", runs), ("forged runs", forged)])
}

/// Draw a run and process each block by itself. None if it is too long, or if the algorithm does not support it.
fn draw(
    algorithm: &Algorithm,
    key: &[u8],
    block_bytes: usize,
    count: usize,
    number: usize,
    seed: &mut u64,
) -> PyResult<Option<Run>> {
    let a = algorithm.entry.algorithm;
    let unit = a.block_bytes as usize;
    let block_bytes = block_bytes - block_bytes % unit;
    if block_bytes == 0 || block_bytes * count > MAX_BYTES || (a.max_bytes != 0 && block_bytes as u64 > a.max_bytes) {
        return Ok(None);
    }
    // The last block is complete, or has one unit or about half of a block.
    let last_bytes = [block_bytes, unit, (block_bytes / 2).next_multiple_of(unit)][number % 3].clamp(1, block_bytes);
    let first = [0, 0x01ff_fffe, u32::MAX - (count as u32 - 1)][number / 2 % 3];
    let mut nonce = pseudorandom(seed, a.nonce_bytes as usize);
    let Some(prefix) = nonce.len().checked_sub(OVERHEAD) else { return Ok(None) };
    // MGM requires a first bit of zero (RFC 9058).
    nonce[0] &= 0x7f;
    nonce[prefix..prefix + 4].copy_from_slice(&first.to_be_bytes());
    nonce[prefix + 4] = 0;
    let ad_bytes = if number.is_multiple_of(2) || a.has(abi::NO_ASSOCIATED_DATA) { 0 } else { AD_BYTES };
    let (ad, data) = (pseudorandom(seed, ad_bytes), pseudorandom(seed, block_bytes * (count - 1) + last_bytes));
    let (text, tags) = (vec![0; data.len()], vec![0; count * a.tag_bytes as usize]);
    let mut run = Run { nonce, last: number.is_multiple_of(4), ad, block_bytes, data, text, tags };
    let mut context = algorithm.context_of(key)?;
    let blocks = run.data.chunks(block_bytes).zip(run.text.chunks_mut(block_bytes));
    for (index, ((block, text), tag)) in blocks.zip(run.tags.chunks_mut(a.tag_bytes as usize)).enumerate() {
        let mut nonce = run.nonce.clone();
        nonce[prefix..prefix + 4].copy_from_slice(&first.wrapping_add(index as u32).to_be_bytes());
        nonce[prefix + 4] = u8::from(run.last && index + 1 == count);
        let ad = if index == 0 { &run.ad[..] } else { &[] };
        // SAFETY: disjoint buffers of equal length; the tag has the algorithm's length.
        let sealed =
            unsafe { context.seal(&nonce, ad, block.as_ptr(), block.len(), text.as_mut_ptr(), tag.as_mut_ptr()) };
        if sealed.is_err() {
            return Ok(None);
        }
    }
    Ok(Some(run))
}

/// Return the description of a run in one placement, without its memory.
fn describe(run: &Run, nonce: &Memory, ad: &Memory, tag_bytes: usize, placement: Placement) -> Blocks {
    let step = run.block_bytes + if placement == Placement::TagsBetween { tag_bytes } else { 0 };
    Blocks {
        nonce: nonce.as_slice().as_ptr(),
        nonce_bytes: run.nonce.len(),
        last: run.last.into(),
        hints: if placement == Placement::Separate { abi::PAST_CACHE } else { 0 },
        ad: ad.as_slice().as_ptr(),
        ad_bytes: run.ad.len(),
        count: run.count(),
        block_bytes: run.block_bytes,
        last_bytes: run.data.len() - (run.count() - 1) * run.block_bytes,
        input: std::ptr::null(),
        in_stride: step,
        output: std::ptr::null_mut(),
        out_stride: step,
        tags: std::ptr::null_mut(),
        tag_stride: if placement == Placement::TagsBetween { step } else { tag_bytes },
    }
}

/// Return where the tags begin: in their own buffer, or between the blocks of `text`.
fn tags_at(text: *mut u8, own: *mut u8, blocks: &Blocks, placement: Placement) -> *mut u8 {
    let first = if blocks.count == 1 { blocks.last_bytes } else { blocks.block_bytes };
    if placement == Placement::TagsBetween { text.wrapping_add(first) } else { own }
}

fn seal(algorithm: &Algorithm, key: &[u8], run: &Run, placement: Placement) -> PyResult<()> {
    let between = placement == Placement::TagsBetween;
    let tag_bytes = algorithm.entry.algorithm.tag_bytes as usize;
    let mut context = algorithm.context_of(key)?;
    let nonce = Memory::input(Argument::Nonce, &run.nonce);
    let ad = Memory::input(Argument::AssociatedData, &run.ad);
    let input = Memory::input(Argument::Input, if placement == Placement::InPlace { &[] } else { &run.data });
    let mut output = match placement {
        Placement::InPlace => Memory::in_place(&run.data),
        _ => Memory::output(Argument::Output, run.data.len() + if between { run.tags.len() } else { 0 }),
    };
    let mut own_tags = Memory::output(Argument::Tag, if between { 0 } else { run.tags.len() });
    let to = output.as_mut_ptr();
    let mut blocks = describe(run, &nonce, &ad, tag_bytes, placement);
    blocks.input = if placement == Placement::InPlace { to } else { input.as_slice().as_ptr() };
    blocks.in_stride = run.block_bytes;
    blocks.output = to;
    blocks.tags = tags_at(to, own_tags.as_mut_ptr(), &blocks, placement);
    let outcome = sealed(&mut context, &blocks);
    check_input(Argument::Nonce, &nonce, &run.nonce)?;
    check_input(Argument::AssociatedData, &ad, &run.ad)?;
    check_input(Argument::Input, &input, if placement == Placement::InPlace { &[] } else { &run.data })?;
    check_output(if placement == Placement::InPlace { Argument::InPlace } else { Argument::Output }, &output)?;
    check_output(Argument::Tag, &own_tags)?;
    outcome.map_err(|error| run.failed(placement, &format!("seal_many: {error}")))?;
    let expected = if between { run.with_tags_between(&run.text, &run.tags) } else { run.text.clone() };
    if output.as_slice() != expected || (!between && own_tags.as_slice() != run.tags) {
        return Err(run.failed(placement, "seal_many differs from one call for each block"));
    }
    Ok(())
}

fn sealed(context: &mut Context, blocks: &Blocks) -> parsplit::Result<()> {
    // SAFETY: disjoint buffers, or equal ones where the algorithm declares that, with room for all blocks and tags.
    unsafe { context.seal_many(blocks) }
}

/// Open a run; return None if the algorithm rejects a tag.
fn open(
    algorithm: &Algorithm,
    key: &[u8],
    run: &Run,
    (text, tags): (&[u8], &[u8]),
    placement: Placement,
) -> PyResult<Option<Vec<u8>>> {
    let (between, in_place) = (placement == Placement::TagsBetween, placement == Placement::InPlace);
    let tag_bytes = algorithm.entry.algorithm.tag_bytes as usize;
    let mut context = algorithm.context_of(key)?;
    let nonce = Memory::input(Argument::Nonce, &run.nonce);
    let ad = Memory::input(Argument::AssociatedData, &run.ad);
    let content = match placement {
        Placement::Separate => text.to_vec(),
        Placement::InPlace => Vec::new(),
        Placement::TagsBetween => run.with_tags_between(text, tags),
    };
    let mut input = Memory::input(Argument::Input, &content);
    let mut output = if in_place { Memory::in_place(text) } else { Memory::output(Argument::Output, run.data.len()) };
    let own = if between { &[] } else { tags };
    let mut own_tags = Memory::input(Argument::Tag, own);
    let to = output.as_mut_ptr();
    let from = if in_place { to } else { input.as_mut_ptr() };
    let mut blocks = describe(run, &nonce, &ad, tag_bytes, placement);
    blocks.input = from;
    blocks.output = to;
    blocks.out_stride = run.block_bytes;
    blocks.tags = tags_at(from, own_tags.as_mut_ptr(), &blocks, placement);
    // SAFETY: as in `sealed`; the tags are only read.
    let outcome = unsafe { context.open_many(&blocks) };
    check_input(Argument::Nonce, &nonce, &run.nonce)?;
    check_input(Argument::AssociatedData, &ad, &run.ad)?;
    check_input(Argument::Input, &input, &content)?;
    check_input(Argument::Tag, &own_tags, own)?;
    check_output(if in_place { Argument::InPlace } else { Argument::Output }, &output)?;
    match outcome {
        Ok(()) => Ok(Some(output.as_slice().to_vec())),
        Err(parsplit::Error::Authentication) => Ok(None),
        Err(error) => Err(run.failed(placement, &format!("open_many: {error}"))),
    }
}

/// Open the run with one bit changed: of the first, a middle and the last tag and block. Return the number of forgeries.
fn open_forged(algorithm: &Algorithm, key: &[u8], run: &Run, placement: Placement) -> PyResult<usize> {
    if algorithm.entry.algorithm.has(abi::BASELINE) {
        return Ok(0);
    }
    let (count, tag_bytes) = (run.count(), algorithm.entry.algorithm.tag_bytes as usize);
    let mut forged = 0;
    for index in [0, count / 2, count - 1] {
        let (mut text, mut tags) = (run.text.clone(), run.tags.clone());
        tags[index * tag_bytes + index % tag_bytes] ^= 1 << (index % 8);
        text[index * run.block_bytes] ^= 1;
        for (text, tags, part) in [(&run.text, &tags, "tag"), (&text, &run.tags, "block")] {
            if open(algorithm, key, run, (text, tags), placement)?.is_some() {
                return Err(run.failed(placement, &format!("open_many accepts a forged {part} {index}")));
            }
            forged += 1;
        }
    }
    Ok(forged)
}
