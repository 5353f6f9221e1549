//! Each worker sets up its key once, not once per block, and every context is freed.
#![allow(clippy::unwrap_used, clippy::undocumented_unsafe_blocks, missing_docs)]

mod double;

use double::{GCM, KEYS_FREED, KEYS_MADE};
use parsplit::{ParSplit, Schedule};
use std::sync::atomic::Ordering;

// The counters are shared by the process, so this file has one test.
#[test]
fn each_worker_creates_one_context_for_all_messages() {
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
