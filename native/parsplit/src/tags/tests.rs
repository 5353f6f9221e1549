use super::proof::{proof_values, root_of, write_proof};
use super::tree::{LeafValues, Tree, leaf_value};
use super::{OneTag, Tags};
use crate::error::Error;
use crate::schedules::Schedule;
use crate::test_cipher::COPY;
use blake3::keyed_hash;
use std::ops::Range;
use std::thread;

const KEY: [u8; 32] = [7; 32];

fn data(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 31 % 251) as u8).collect()
}

/// Return the root and the leaf values of a tree whose leaves are finished in the given order, by two threads.
fn built(data: &[u8], leaf_bytes: usize, order: &[usize]) -> ([u8; 32], Vec<[u8; 32]>) {
    let values = LeafValues::new(order.len());
    let tree = Tree::new(&KEY, leaf_bytes, order.len(), Some(&values));
    let finish = |leaves: &[usize]| {
        for &leaf in leaves {
            let end = data.len().min((leaf + 1) * leaf_bytes);
            // SAFETY: the order names each leaf once.
            unsafe { tree.finish_leaf(leaf, &data[leaf * leaf_bytes..end]) };
        }
    };
    let (first, second) = order.split_at(order.len() / 2);
    thread::scope(|scope| {
        scope.spawn(|| finish(first));
        finish(second);
    });
    (tree.into_root(), values.into_values())
}

#[test]
fn a_tree_equals_the_hash_of_its_input_in_every_order_and_its_proofs_verify() {
    for leaf_bytes in [1024, 2048] {
        for leaves in 1..=19 {
            let data = data(leaves * leaf_bytes - 3);
            let expected = *keyed_hash(&KEY, &data).as_bytes();
            let ascending: Vec<usize> = (0..leaves).collect();
            let descending: Vec<usize> = (0..leaves).rev().collect();
            let scattered: Vec<usize> = (0..leaves).map(|i| i * 23 % leaves).collect();
            let mut values = Vec::new();
            for order in [ascending, descending, scattered] {
                if (0..leaves).all(|leaf| order.contains(&leaf)) {
                    let (root, found) = built(&data, leaf_bytes, &order);
                    assert_eq!(root, expected, "{leaves} leaves of {leaf_bytes} bytes in order {order:?}");
                    values = found;
                }
            }
            if leaves == 1 {
                continue;
            }
            for start in 0..leaves {
                for end in start + 1..=leaves {
                    let range = start..end;
                    let mut proof = Vec::new();
                    write_proof(&KEY, &values, &range, &mut proof);
                    assert_eq!(proof.len(), 32 * proof_values(leaves, &range));
                    let root = |range: &Range<usize>, proof: &[u8]| {
                        root_of(&KEY, leaves, range, &values[range.clone()], proof)
                    };
                    assert_eq!(root(&range, &proof), Ok(expected), "{range:?} of {leaves}");
                    if let Some(first) = proof.first_mut() {
                        *first ^= 1;
                        assert_ne!(root(&range, &proof), Ok(expected), "{range:?} of {leaves}");
                    }
                    proof.push(0);
                    assert!(matches!(root(&range, &proof), Err(Error::Length { name: "proof", .. })));
                }
            }
        }
    }
}

#[test]
fn a_leaf_value_depends_on_key_position_and_content() {
    let (leaf, other) = (data(1024), data(1025));
    let value = leaf_value(&KEY, 1024, 1, &leaf);
    assert_ne!(value, leaf_value(&[8; 32], 1024, 1, &leaf));
    assert_ne!(value, leaf_value(&KEY, 1024, 3, &leaf));
    assert_ne!(value, leaf_value(&KEY, 1024, 1, &other[1..]));
}

#[test]
fn a_proof_of_one_leaf_has_a_value_for_each_level() {
    assert_eq!(proof_values(1, &(0..1)), 0);
    assert_eq!(proof_values(1 << 20, &(77..78)), 20);
    assert_eq!(proof_values(5, &(4..5)), 1);
    assert_eq!(proof_values(5, &(0..5)), 0);
}

#[test]
fn names_select_the_forms_and_a_baseline_is_no_cipher() {
    for (name, tags) in Tags::ALL {
        assert_eq!(name.parse::<Tags>().as_ref(), Ok(tags));
        assert_eq!(tags.to_string(), *name);
        assert!(OneTag::new(&COPY, 1024, 1, Schedule::default(), *tags).is_err());
    }
    let unknown = "hash".parse::<Tags>().unwrap_err().to_string();
    assert_eq!(unknown, "tags \"hash\" given, one of digest, merkle, blake3 expected");
}
