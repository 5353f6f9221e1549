//! Each worker sets up its key once, not once per block, and every context is freed.
#![allow(clippy::unwrap_used, clippy::undocumented_unsafe_blocks, missing_docs)]

mod double;

use double::{GCM, KEYS_FREED, KEYS_MADE};
use parsplit::{ParSplit, Schedule};
use std::sync::atomic::Ordering;

// The counters are shared by the process, so this file has one test.
#[test]
fn each_worker_creates_one_context_for_all_messages() {
    each_block_has_a_context_with_rekeying();
    for (name, schedule) in Schedule::ALL {
        for threads in [1, 2, 4] {
            let before = KEYS_MADE.load(Ordering::SeqCst);
            let splitter = ParSplit::new(&GCM, 64, threads, *schedule).unwrap().serial_below(0);
            let mut keyed = splitter.key(&[1; 32]).unwrap();
            let message = vec![3; 64_000];
            let mut sealed = vec![0; splitter.layout(message.len()).unwrap().sealed_bytes()];
            for _ in 0..10 {
                keyed.seal(&[0; 7], b"", &message, &mut sealed).unwrap();
            }
            let new = KEYS_MADE.load(Ordering::SeqCst) - before;
            assert!((1..=threads).contains(&new), "{name}: {new} contexts for {threads} threads");
            drop(keyed);
            assert_eq!(KEYS_MADE.load(Ordering::SeqCst), KEYS_FREED.load(Ordering::SeqCst));
        }
    }
}

fn each_block_has_a_context_with_rekeying() {
    let blocks = 1000;
    let message = vec![3; 64 * blocks];
    for (name, schedule) in Schedule::ALL {
        let before = KEYS_MADE.load(Ordering::SeqCst);
        let usual = ParSplit::new(&GCM, 64, 2, *schedule).unwrap().serial_below(0);
        let (mut once, mut rekeyed) = (usual.key(&[1; 32]).unwrap(), usual.rekeying().key(&[1; 32]).unwrap());
        let mut sealed = [0, 1].map(|_| vec![0; usual.layout(message.len()).unwrap().sealed_bytes()]);
        once.seal(&[0; 7], b"ad", &message, &mut sealed[0]).unwrap();
        rekeyed.seal(&[0; 7], b"ad", &message, &mut sealed[1]).unwrap();
        assert_eq!(sealed[0], sealed[1], "{name}");
        let new = KEYS_MADE.load(Ordering::SeqCst) - before;
        // Each of the two has one context more: a key is tried when it is set.
        assert!((blocks..=blocks + 5).contains(&new), "{name}: {new} contexts for {blocks} blocks");
        drop((once, rekeyed));
        assert_eq!(KEYS_MADE.load(Ordering::SeqCst), KEYS_FREED.load(Ordering::SeqCst));
    }
}
