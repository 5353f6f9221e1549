//! Who does which block: a row per schedule, and a file per kind of them.

mod dynamic;
mod experiments;
mod fixed;
mod foreign;
mod guided;
mod rayon;
mod std_threads;

pub use foreign::{Block, Loop};

use crate::run::Run;
use crate::{Error, MAX_THREADS, Result};
use foreign::{Foreign, Runtime};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

/// Who does which block. Every schedule gives the same bytes.
#[derive(Clone, Copy)]
pub struct Schedule(&'static Row);

struct Row {
    name: &'static str,
    how: How,
}

enum How {
    Own(fn(&Run<'_>) -> Result<()>),
    Foreign(Foreign),
}

impl Row {
    const fn own(name: &'static str, how: fn(&Run<'_>) -> Result<()>) -> Self {
        Self { name, how: How::Own(how) }
    }
}

/// What the runs of `dynamic` hold while the message is far from its end. Two cores on neighbouring blocks slow each other
/// down: on a Zen 5 OpenSSL's AES-256-GCM in two threads sealed 14 GiB/s when a run was one block of 256 KiB, 32 GiB/s
/// from two on; one block of 1 MiB was as bad, and blocks of 16 KiB needed runs of 1 MiB. XOR and memcpy showed less of
/// it. Four tags share a cache line, so runs of four also keep each core on lines of its own there.
const RUN_BYTES: usize = 1 << 20;
const RUN_BLOCKS: usize = 4;
/// Leaves that each worker of `rayon-max-len` can count on, so that a short message is still shared evenly.
const LEAVES_PER_WORKER: usize = 4;

fn longest_run(run: &Run<'_>) -> usize {
    (RUN_BYTES / run.block_size()).max(RUN_BLOCKS)
}

fn longest_leaf(run: &Run<'_>) -> usize {
    longest_run(run).min(run.blocks() / (run.threads() * LEAVES_PER_WORKER)).max(1)
}

/// Loops that were added while the process runs; their rows are never freed.
static FOREIGN: Mutex<Vec<&'static Row>> = Mutex::new(Vec::new());

impl Schedule {
    /// Rayon's parallel iterator inside the pool: the ETH paper's. Splits by halves and steals.
    pub const RAYON: Self = Self(&rayon::RAYON);
    /// As [`Self::RAYON`] when started from outside the pool, which splits four times finer.
    pub const RAYON_EXTERNAL: Self = Self(&rayon::EXTERNAL);
    /// As [`Self::RAYON`], with leaves no longer than the runs of [`Self::DYNAMIC`].
    pub const RAYON_MAX_LEN: Self = Self(&rayon::MAX_LEN);
    /// One range of neighbouring blocks per worker.
    pub const STATIC: Self = Self(&fixed::STATIC);
    /// An atomic counter: each worker takes the next run of neighbouring blocks. The default.
    pub const DYNAMIC: Self = Self(&dynamic::DYNAMIC);
    /// As [`Self::DYNAMIC`] with long runs at first.
    pub const GUIDED: Self = Self(&guided::GUIDED);
    /// As [`Self::STATIC`] in threads started for this message.
    pub const STD_THREADS: Self = Self(&std_threads::STD_THREADS);

    /// All schedules of this crate by name. Those called `-pinned` keep each worker on one core.
    pub const ALL: &'static [(&'static str, Self)] = &[
        named(&rayon::RAYON),
        named(&rayon::EXTERNAL),
        named(&rayon::MAX_LEN),
        named(&fixed::STATIC),
        named(&fixed::STATIC_PINNED),
        named(&dynamic::DYNAMIC),
        named(&dynamic::DYNAMIC_PINNED),
        named(&guided::GUIDED),
        named(&guided::GUIDED_PINNED),
        named(&std_threads::STD_THREADS),
        named(&std_threads::STD_THREADS_PINNED),
    ];

    /// Changes to [`Self::RAYON`] for experiments, found by name as all are; none is better than what it changes.
    pub const EXPERIMENTS: &'static [(&'static str, Self)] = &[
        named(&experiments::NEW_POOL),
        named(&experiments::PINNED),
        named(&experiments::LATE),
        named(&experiments::TOO_LATE),
    ];

    /// The name used in records and figures.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Adds a loop that is not this crate's, found by `name` from then on. What stands before the first `-` of the name
    /// is the runtime: loops of one runtime share its threads and never run at once.
    ///
    /// # Errors
    /// A name that is taken.
    ///
    /// # Safety
    /// `call` does what [`Loop`] says, and stays where it is as long as the process lives.
    pub unsafe fn foreign(name: &str, most_threads: usize, call: Loop) -> Result<Self> {
        let mut rows = FOREIGN.lock().unwrap_or_else(PoisonError::into_inner);
        if Self::ALL
            .iter()
            .chain(Self::EXPERIMENTS)
            .map(|(known, _)| *known)
            .chain(rows.iter().map(|row| row.name))
            .any(|known| known == name)
        {
            return Err(Error::Argument(format!("a schedule {name:?} is there already")));
        }
        let same = rows.iter().find(|row| family(row.name) == family(name));
        let runtime = match same.map(|row| &row.how) {
            Some(How::Foreign(foreign)) => foreign.runtime,
            _ => &*Box::leak(Box::<Runtime>::default()),
        };
        let most_threads = most_threads.min(MAX_THREADS);
        let name = Box::leak(name.to_owned().into_boxed_str());
        let row = &*Box::leak(Box::new(Row { name, how: How::Foreign(Foreign { call, most_threads, runtime }) }));
        rows.push(row);
        Ok(Self(row))
    }

    /// Has every block of a run done once, unless the run ends early; two blocks of one worker never at the same time.
    pub(crate) fn run(self, run: &Run<'_>) {
        let done = match &self.0.how {
            How::Own(own) => own(run),
            How::Foreign(foreign) => foreign.run(self.0.name, run),
        };
        if let Err(error) = done {
            run.fail(error);
        }
    }
}

const fn named(row: &'static Row) -> (&'static str, Schedule) {
    (row.name, Schedule(row))
}

fn family(name: &str) -> &str {
    name.split('-').next().unwrap_or_default()
}

impl Default for Schedule {
    fn default() -> Self {
        Self::DYNAMIC
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

// Names are unique.
impl PartialEq for Schedule {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Schedule {}

impl Hash for Schedule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl FromStr for Schedule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        if let Some((_, schedule)) = Self::ALL.iter().chain(Self::EXPERIMENTS).find(|(known, _)| *known == name) {
            return Ok(*schedule);
        }
        let foreign = FOREIGN.lock().unwrap_or_else(PoisonError::into_inner);
        foreign.iter().find(|row| row.name == name).map(|row| Self(row)).ok_or_else(|| {
            let names: Vec<_> =
                Self::ALL.iter().map(|(known, _)| *known).chain(foreign.iter().map(|row| row.name)).collect();
            Error::Argument(format!("schedule {name:?} given, one of {} wanted", names.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests;
