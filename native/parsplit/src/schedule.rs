use crate::{Error, Result, pool::pool};
use rayon::prelude::*;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Who does which block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Rayon's parallel iterator inside the pool: the paper's. Splits by halves and steals.
    Rayon,
    /// An atomic counter: each worker takes the next block. No worker waits while blocks are left.
    Dynamic,
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
    /// never run at the same time.
    pub(crate) fn run(self, threads: usize, blocks: usize, work: impl Fn(usize, usize) + Sync) -> Result<()> {
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
                let next = AtomicUsize::new(0);
                pool(threads)?.broadcast(|worker| {
                    loop {
                        let block = next.fetch_add(1, Ordering::Relaxed);
                        if block >= blocks {
                            break;
                        }
                        work(worker.index(), block);
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
                for blocks in [1, 2, 3, 7, 64, 1000] {
                    let done: Vec<_> = (0..blocks).map(|_| AtomicUsize::new(0)).collect();
                    let busy: Vec<_> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
                    schedule
                        .run(threads, blocks, |worker, block| {
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
    fn names_round_trip() {
        for (name, schedule) in Schedule::ALL {
            assert_eq!(name.parse::<Schedule>().unwrap(), *schedule);
            assert_eq!(schedule.name(), *name);
        }
        assert!("raion".parse::<Schedule>().is_err());
    }
}
