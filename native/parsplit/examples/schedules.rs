//! Seals one message with every schedule, checks that the bytes are equal, and prints the number of blocks per thread.
//!
//!     cargo run --release -p parsplit --example schedules -- [THREADS] [MIB]
#![allow(clippy::undocumented_unsafe_blocks)] // in the test double

#[allow(clippy::unwrap_used, dead_code, missing_docs)]
#[path = "../tests/double/mod.rs"]
mod double;

use double::GCM;
use parsplit::{ParSplit, Schedule, Span};
use std::error::Error;
use std::time::Instant;

const BLOCK_SIZE: usize = 64 << 10;
const NONCE: &[u8; 7] = b"7 bytes";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(|number| number.parse::<usize>());
    let threads = arguments.next().transpose()?.unwrap_or(2);
    let message = vec![1; arguments.next().transpose()?.unwrap_or(16) << 20];
    let mut first = None;
    for (name, schedule) in Schedule::ALL {
        let splitter = ParSplit::new(&GCM, BLOCK_SIZE, threads, *schedule)?;
        let mut keyed = splitter.key(&[7; 32])?;
        let mut sealed = vec![0; splitter.layout(message.len())?.sealed_bytes()];
        keyed.set_traced(true);
        let start = Instant::now();
        keyed.seal(NONCE, b"", &message, &mut sealed)?;
        println!(
            "{name:>18} {:>9.3} ms  blocks per thread: {:?}",
            start.elapsed().as_secs_f64() * 1e3,
            blocks_per_thread(&keyed)
        );
        if *first.get_or_insert_with(|| sealed.clone()) != sealed {
            return Err(format!("schedule {name} gives different bytes").into());
        }
    }
    Ok(())
}

fn blocks_per_thread(keyed: &parsplit::Keyed) -> Vec<usize> {
    let count = |thread: u64| keyed.spans().iter().filter(|span: &&Span| span.thread == thread).count();
    let last = keyed.spans().iter().map(|span| span.thread).max();
    (0..last.map_or(0, |thread| thread + 1)).map(count).collect()
}
