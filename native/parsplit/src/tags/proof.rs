//! Proofs that a range of leaves belongs to a root: the chaining values of the subtrees beside the range.

use super::ONE_TAG_BYTES;
use crate::error::{Error, Result};
use blake3::hazmat::{ChainingValue, Mode, merge_subtrees_non_root, merge_subtrees_root};
use std::ops::Range;

/// Number of leaves in the left subtree of `leaves`, at least two: the largest power of two below.
fn left_leaves(leaves: usize) -> usize {
    leaves.next_power_of_two() / 2
}

/// Call `visit` with each largest subtree outside `range`, in order.
fn outside(subtree: Range<usize>, range: &Range<usize>, visit: &mut dyn FnMut(Range<usize>)) {
    if subtree.end <= range.start || range.end <= subtree.start {
        visit(subtree);
    } else if subtree.len() > 1 {
        let middle = subtree.start + left_leaves(subtree.len());
        outside(subtree.start..middle, range, visit);
        outside(middle..subtree.end, range, visit);
    }
}

/// Return the number of chaining values in the proof of `range` of `leaves`.
pub(super) fn proof_values(leaves: usize, range: &Range<usize>) -> usize {
    let mut count = 0;
    outside(0..leaves, range, &mut |_| count += 1);
    count
}

/// Return the chaining value of a subtree, whose leaves and subtrees outside come from the two sources.
fn subtree_value(
    subtree: Range<usize>,
    range: &Range<usize>,
    key: &[u8; 32],
    leaf: &dyn Fn(usize) -> ChainingValue,
    next_outside: &mut dyn FnMut() -> ChainingValue,
) -> ChainingValue {
    if subtree.end <= range.start || range.end <= subtree.start {
        return next_outside();
    }
    if subtree.len() == 1 {
        return leaf(subtree.start);
    }
    let middle = subtree.start + left_leaves(subtree.len());
    let left = subtree_value(subtree.start..middle, range, key, leaf, next_outside);
    let right = subtree_value(middle..subtree.end, range, key, leaf, next_outside);
    merge_subtrees_non_root(&left, &right, Mode::KeyedHash(key))
}

/// Append the proof of `range` to `proof`. `values` are those of all leaves, of which there are several.
pub(super) fn write_proof(key: &[u8; 32], values: &[ChainingValue], range: &Range<usize>, proof: &mut Vec<u8>) {
    outside(0..values.len(), range, &mut |subtree| {
        let value = subtree_value(subtree.clone(), &subtree, key, &|leaf| values[leaf], &mut || [0; 32]);
        proof.extend(value);
    });
}

/// Return the root of a tree of several `leaves`, given the values of the leaves in `range` and its proof.
///
/// # Errors
/// A proof of another length.
pub(super) fn root_of(
    key: &[u8; 32],
    leaves: usize,
    range: &Range<usize>,
    values: &[ChainingValue],
    proof: &[u8],
) -> Result<[u8; ONE_TAG_BYTES]> {
    let (given, rest) = proof.as_chunks::<ONE_TAG_BYTES>();
    let expected = proof_values(leaves, range);
    if given.len() != expected || !rest.is_empty() {
        let expected = (expected * ONE_TAG_BYTES).to_string();
        return Err(Error::Length { name: "proof", given: proof.len(), expected });
    }
    let mut next = given.iter().copied();
    let mut next_outside = || next.next().unwrap_or_default();
    let leaf = |leaf: usize| values[leaf - range.start];
    let middle = left_leaves(leaves);
    let left = subtree_value(0..middle, range, key, &leaf, &mut next_outside);
    let right = subtree_value(middle..leaves, range, key, &leaf, &mut next_outside);
    Ok(*merge_subtrees_root(&left, &right, Mode::KeyedHash(key)).as_bytes())
}
