//! The tree of BLAKE3 above leaves of equal length, built by the workers as leaves finish.
//!
//! A leaf is a chunk or a complete subtree, so that the root equals the keyed hash of the whole input.

use super::ONE_TAG_BYTES;
use blake3::hazmat::{ChainingValue, HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root};
use blake3::{Hasher, keyed_hash};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use zeroize::Zeroize;

/// A value that one worker writes and another one reads later.
pub(super) struct Slot(UnsafeCell<ChainingValue>);

// SAFETY: those who share a slot order their accesses; see `Tree::climb` and `LeafValues`.
unsafe impl Sync for Slot {}

fn slots(count: usize) -> Vec<Slot> {
    (0..count).map(|_| Slot(UnsafeCell::new([0; 32]))).collect()
}

/// Return the chaining value of leaf `index` of several.
pub(super) fn leaf_value(key: &[u8; 32], leaf_bytes: usize, index: usize, leaf: &[u8]) -> ChainingValue {
    let mut hasher = Hasher::new_keyed(key);
    hasher.set_input_offset(index as u64 * leaf_bytes as u64).update(leaf);
    let value = hasher.finalize_non_root();
    hasher.zeroize();
    value
}

/// The chaining values of the leaves of a range, each written by the worker that processes it.
pub(super) struct LeafValues(Vec<Slot>);

impl LeafValues {
    pub(super) fn new(leaves: usize) -> Self {
        Self(slots(leaves))
    }

    /// # Safety
    /// Nobody else accesses the value of this leaf meanwhile.
    pub(super) unsafe fn set(&self, leaf: usize, value: ChainingValue) {
        // SAFETY: the caller's promise.
        unsafe { *self.0[leaf].0.get() = value };
    }

    pub(super) fn into_values(self) -> Vec<ChainingValue> {
        self.0.into_iter().map(|slot| slot.0.into_inner()).collect()
    }
}

/// A tree in progress, shared by the workers.
pub(super) struct Tree<'a> {
    key: &'a [u8; 32],
    leaf_bytes: usize,
    leaves: usize,
    /// The chaining value of the subtree that begins with this leaf and is complete so far.
    nodes: Vec<Slot>,
    /// Whether one of the two subtrees that meet before this leaf is complete.
    arrived: Vec<AtomicBool>,
    root: Slot,
    kept: Option<&'a LeafValues>,
}

impl<'a> Tree<'a> {
    /// A tree above at least one leaf. `kept` receives the chaining values of several leaves.
    pub(super) fn new(key: &'a [u8; 32], leaf_bytes: usize, leaves: usize, kept: Option<&'a LeafValues>) -> Self {
        let arrived = (0..leaves).map(|_| AtomicBool::new(false)).collect();
        let root = Slot(UnsafeCell::new([0; 32]));
        Self { key, leaf_bytes, leaves, nodes: slots(leaves), arrived, root, kept }
    }

    /// Hash a leaf, and all subtrees that are complete with it.
    ///
    /// # Safety
    /// Each leaf is finished once.
    #[inline]
    pub(super) unsafe fn finish_leaf(&self, index: usize, leaf: &[u8]) {
        if self.leaves == 1 {
            // SAFETY: the only leaf, finished once.
            unsafe { *self.root.0.get() = *keyed_hash(self.key, leaf).as_bytes() };
            return;
        }
        let value = leaf_value(self.key, self.leaf_bytes, index, leaf);
        // SAFETY: the caller's promise.
        unsafe {
            if let Some(kept) = self.kept {
                kept.set(index, value);
            }
            self.climb(index, value);
        }
    }

    /// Merge subtrees from a leaf upwards until one is reached whose sibling is not complete; the worker that completes
    /// the sibling continues from there.
    ///
    /// # Safety
    /// As [`Tree::finish_leaf`].
    unsafe fn climb(&self, leaf: usize, mut value: ChainingValue) {
        let mode = Mode::KeyedHash(self.key);
        let (mut start, mut size) = (leaf, 1);
        loop {
            let sibling = start ^ size;
            if sibling >= self.leaves {
                // The last subtree has no sibling here, and is one of the next level as it is.
                size *= 2;
                continue;
            }
            let left = start & !size;
            // SAFETY: this worker owns the node until the exchange, which publishes it and, if the other subtree is
            // complete, makes its node visible. Nobody accesses the two nodes after that but the worker that merges.
            let other = unsafe {
                *self.nodes[start].0.get() = value;
                if !self.arrived[left + size].swap(true, Ordering::AcqRel) {
                    return;
                }
                *self.nodes[sibling].0.get()
            };
            let (left_value, right_value) = if start == left { (&value, &other) } else { (&other, &value) };
            if left == 0 && 2 * size >= self.leaves {
                let root = merge_subtrees_root(left_value, right_value, mode);
                // SAFETY: one worker merges the last two subtrees.
                unsafe { *self.root.0.get() = *root.as_bytes() };
                return;
            }
            value = merge_subtrees_non_root(left_value, right_value, mode);
            (start, size) = (left, 2 * size);
        }
    }

    /// The root, once all leaves are finished.
    pub(super) fn into_root(self) -> [u8; ONE_TAG_BYTES] {
        self.root.0.into_inner()
    }
}
