//! Keys are set up once per worker, never per block, and always freed.
#![allow(clippy::unwrap_used, clippy::undocumented_unsafe_blocks, missing_docs)]

mod double;

use double::{GCM, KEYS_FREED, KEYS_MADE};
use parsplit::{ParSplit, Schedule};
use std::sync::atomic::Ordering;

// One test in this file: the counters are shared by the process.
#[test]
fn one_context_per_worker_however_many_blocks_and_messages() {
    for (name, schedule) in Schedule::ALL {
        for threads in [1, 2, 4] {
            let made = KEYS_MADE.load(Ordering::SeqCst);
            let splitter = ParSplit::new(&GCM, 64, threads, *schedule).unwrap().serial_below(0);
            let mut keyed = splitter.key(&[1; 32]).unwrap();
            let message = vec![3; 64_000];
            let mut sealed = vec![0; splitter.layout(message.len()).unwrap().sealed()];
            for _ in 0..10 {
                keyed.seal(&[0; 7], b"", &message, &mut sealed).unwrap();
            }
            let new = KEYS_MADE.load(Ordering::SeqCst) - made;
            assert!((1..=threads).contains(&new), "{name}: {new} contexts for {threads} threads");
            drop(keyed);
            assert_eq!(KEYS_MADE.load(Ordering::SeqCst), KEYS_FREED.load(Ordering::SeqCst));
        }
    }
}
