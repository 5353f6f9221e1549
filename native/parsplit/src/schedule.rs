use crate::{Error, Result, pool::pool};
use crossbeam_utils::CachePadded;
use rayon::prelude::*;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Who does which block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Rayon's parallel iterator inside the pool: the paper's. Splits by halves and steals.
    Rayon,
    /// An atomic counter: each worker takes the next run of neighbouring blocks. No worker waits while runs are left.
    Dynamic,
}

/// What the runs of `Dynamic` hold at least, where the message is long enough. Two cores on neighbouring blocks slow
/// each other down: on a Zen 5 OpenSSL's AES-256-GCM in two threads sealed 14 GiB/s when a run was one block of 256 KiB,
/// 32 GiB/s from two on; one block of 1 MiB was as bad, and blocks of 16 KiB needed runs of 1 MiB. XOR and memcpy showed
/// less of it. Four tags share a cache line, so runs of four also keep each core on lines of its own there.
const RUN_BYTES: usize = 1 << 20;
const RUN_BLOCKS: usize = 4;
/// Runs that each worker can count on, so that a short message is still shared evenly.
const RUNS_PER_WORKER: usize = 4;

fn run_length(threads: usize, blocks: usize, block_size: usize) -> usize {
    (RUN_BYTES / block_size).max(RUN_BLOCKS).min(blocks / (threads * RUNS_PER_WORKER)).max(1)
}

const NAMES: [(&str, Schedule); 2] = [("rayon", Schedule::Rayon), ("dynamic", Schedule::Dynamic)];

impl Schedule {
    /// All schedules by name.
    pub const ALL: &'static [(&'static str, Self)] = &NAMES;

    /// The name used in records and figures.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, schedule)| *schedule == self).map_or("", |(name, _)| name)
    }

    /// Calls `work(worker, block)` once for each block, with `worker < threads`. Two calls with the same `worker`
    /// never run at the same time. `block_size` is at least 1.
    pub(crate) fn run(
        self,
        threads: usize,
        blocks: usize,
        block_size: usize,
        work: impl Fn(usize, usize) + Sync,
    ) -> Result<()> {
        if blocks == 1 {
            work(0, 0);
            return Ok(());
        }
        match self {
            Self::Rayon => pool(threads)?.install(|| {
                (0..blocks).into_par_iter().for_each(|block| {
                    // `install` puts the closure on a worker of this pool, which has an index.
                    if let Some(worker) = rayon::current_thread_index() {
                        work(worker, block);
                    }
                });
            }),
            Self::Dynamic if threads == 1 => (0..blocks).for_each(|block| work(0, block)),
            Self::Dynamic => {
                let next = CachePadded::new(AtomicUsize::new(0));
                let length = run_length(threads, blocks, block_size);
                pool(threads)?.broadcast(|worker| {
                    loop {
                        let first = next.fetch_add(length, Ordering::Relaxed);
                        if first >= blocks {
                            break;
                        }
                        (first..blocks.min(first + length)).for_each(|block| work(worker.index(), block));
                    }
                });
            }
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, schedule)| *schedule).ok_or_else(|| {
            let names: Vec<_> = NAMES.iter().map(|(known, _)| *known).collect();
            Error::Argument(format!("schedule {name:?} given, one of {} wanted", names.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_done_once_by_a_worker_that_is_alone() {
        for (name, schedule) in Schedule::ALL {
            for threads in [1, 2, 3, 5, 8] {
                for (blocks, block_size) in [(1, 1), (2, 1 << 21), (3, 7), (7, 1), (64, 4096), (1000, 16 << 10)] {
                    let done: Vec<_> = (0..blocks).map(|_| AtomicUsize::new(0)).collect();
                    let busy: Vec<_> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
                    schedule
                        .run(threads, blocks, block_size, |worker, block| {
                            assert_eq!(busy[worker].fetch_add(1, Ordering::SeqCst), 0, "{name}: worker shared");
                            done[block].fetch_add(1, Ordering::SeqCst);
                            busy[worker].fetch_sub(1, Ordering::SeqCst);
                        })
                        .unwrap();
                    assert!(done.iter().all(|n| n.load(Ordering::SeqCst) == 1), "{name} {threads} {blocks}");
                }
            }
        }
    }

    #[test]
    fn runs_are_long_but_leave_some_for_everybody() {
        assert_eq!(run_length(2, 65536, 16 << 10), 64, "1 MiB");
        assert_eq!(run_length(2, 4096, 256 << 10), 4, "1 MiB");
        assert_eq!(run_length(2, 64, 64 << 10), 8, "4 MiB in two threads: four runs each");
        assert_eq!(run_length(2, 1024, 1 << 20), 4, "a cache line of tags");
        assert_eq!(run_length(64, 100, 1), 1);
        assert_eq!(run_length(1, 3, 1 << 30), 1);
    }

    #[test]
    fn names_round_trip() {
        for (name, schedule) in Schedule::ALL {
            assert_eq!(name.parse::<Schedule>().unwrap(), *schedule);
            assert_eq!(schedule.name(), *name);
        }
        assert!("raion".parse::<Schedule>().is_err());
    }
}
