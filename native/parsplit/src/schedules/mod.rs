//! Assignment of blocks to workers: one file per family of schedules.

mod entry;
mod experiments;
mod fixed;
mod foreign;
mod rayon;
mod self_scheduling;
mod std_threads;

pub use foreign::{BlockCallback, ForeignLoop};

use crate::error::{Error, Result, ensure};
use crate::fork::generation;
use crate::limits::MAX_THREADS;
use crate::run::Run;
use entry::{Entry, Implementation};
use foreign::{Foreign, Runtime};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter;
use std::ptr;
use std::str::FromStr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The assignment of blocks to workers. Every schedule gives the same bytes.
#[derive(Clone, Copy)]
pub struct Schedule(&'static Entry);

/// A schedule that was registered at run time, and the one before it. They are never freed.
struct Registered {
    entry: Entry,
    previous: *const Registered,
}

/// The last registered schedule. The list has no lock, which would stay locked in a child that is forked meanwhile.
static LAST_REGISTERED: AtomicPtr<Registered> = AtomicPtr::new(ptr::null_mut());

fn registered_since(last: *const Registered) -> impl Iterator<Item = &'static Entry> {
    // SAFETY: every pointer of the list came from a box that is never freed; null gives None.
    let previous = |registered: &&Registered| unsafe { registered.previous.as_ref() };
    // SAFETY: as above.
    iter::successors(unsafe { last.as_ref() }, previous).map(|registered| &registered.entry)
}

impl Schedule {
    /// Rayon's parallel iterator inside the pool, as in the paper of Engljähringer et al.: splits by halves and steals.
    pub const RAYON: Self = Self(&rayon::RAYON);
    /// As [`Self::RAYON`], started from outside the pool, which splits four times finer.
    pub const RAYON_EXTERNAL: Self = Self(&rayon::EXTERNAL);
    /// As [`Self::RAYON`], with leaves no longer than the chunks of [`Self::DYNAMIC`].
    pub const RAYON_MAX_LEN: Self = Self(&rayon::MAX_LEN);
    /// One chunk of neighbouring blocks per worker.
    pub const STATIC: Self = Self(&fixed::STATIC);
    /// An atomic counter, from which each worker takes the next chunk of neighbouring blocks. The default.
    pub const DYNAMIC: Self = Self(&self_scheduling::DYNAMIC);
    /// As [`Self::DYNAMIC`], with long chunks at first.
    pub const GUIDED: Self = Self(&self_scheduling::GUIDED);
    /// As [`Self::STATIC`], in threads started for this message.
    pub const STD_THREADS: Self = Self(&std_threads::STD_THREADS);

    /// All schedules of this crate by name. Those named `-pinned` restrict each worker to one core.
    pub const ALL: &'static [(&'static str, Self)] = &[
        named(&rayon::RAYON),
        named(&rayon::EXTERNAL),
        named(&rayon::MAX_LEN),
        named(&fixed::STATIC),
        named(&fixed::STATIC_PINNED),
        named(&self_scheduling::DYNAMIC),
        named(&self_scheduling::DYNAMIC_PINNED),
        named(&self_scheduling::GUIDED),
        named(&self_scheduling::GUIDED_PINNED),
        named(&std_threads::STD_THREADS),
        named(&std_threads::STD_THREADS_PINNED),
    ];

    /// Variants of [`Self::RAYON`] that isolate the cause of its two run times. They can be selected by name.
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

    /// Register a loop of another runtime under `name`, whose part before the first `-` names the runtime. Loops of one
    /// runtime share its threads and never run concurrently. `started` states whether the runtime has started its
    /// threads, which a forked child then does not have; otherwise the first loop starts them.
    ///
    /// # Errors
    /// A name that is already registered.
    ///
    /// # Safety
    /// `call` follows the contract of [`ForeignLoop`] and stays loaded until the process ends.
    pub unsafe fn register_foreign(name: &str, max_threads: usize, call: ForeignLoop, started: bool) -> Result<Self> {
        let max_threads = max_threads.min(MAX_THREADS);
        let mut last = LAST_REGISTERED.load(Ordering::Acquire);
        loop {
            ensure!(find(name, last).is_none(), "schedule {name:?} is already registered: choose another name");
            let sibling = registered_since(last).find(|entry| runtime_name(entry.name) == runtime_name(name));
            let runtime = match sibling.map(|entry| &entry.implementation) {
                Some(Implementation::Foreign(foreign)) => foreign.runtime,
                _ => &*Box::leak(Box::<Runtime>::default()),
            };
            if started {
                let _ = runtime.process.compare_exchange(0, generation(), Ordering::AcqRel, Ordering::Acquire);
            }
            let name = Box::leak(name.to_owned().into_boxed_str());
            let implementation = Implementation::Foreign(Foreign { call, max_threads, runtime });
            let registered = Box::leak(Box::new(Registered { entry: Entry { name, implementation }, previous: last }));
            match LAST_REGISTERED.compare_exchange(last, registered, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Ok(Self(&registered.entry)),
                // Another thread registered a schedule meanwhile.
                Err(other) => last = other,
            }
        }
    }

    /// Process every block of a run once, unless the run stops early. Calls with the same worker number never overlap.
    pub(crate) fn run(self, run: &Run<'_>) {
        let result = match &self.0.implementation {
            Implementation::Builtin(builtin) => builtin(run),
            Implementation::Foreign(foreign) => foreign.run(self.0.name, run),
        };
        if let Err(error) = result {
            run.fail(error);
        }
    }
}

const fn named(entry: &'static Entry) -> (&'static str, Schedule) {
    (entry.name, Schedule(entry))
}

fn find(name: &str, last_registered: *const Registered) -> Option<Schedule> {
    let builtin = Schedule::ALL.iter().chain(Schedule::EXPERIMENTS).map(|(_, schedule)| *schedule);
    builtin.chain(registered_since(last_registered).map(Schedule)).find(|schedule| schedule.name() == name)
}

fn runtime_name(name: &str) -> &str {
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

// Names are unique, so they decide equality.
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
        let last = LAST_REGISTERED.load(Ordering::Acquire);
        find(name, last).ok_or_else(|| {
            let mut registered: Vec<_> = registered_since(last).map(|entry| entry.name).collect();
            registered.reverse();
            let names: Vec<_> = Self::ALL.iter().map(|(name, _)| *name).chain(registered).collect();
            Error::Argument(format!("schedule {name:?} given, one of {} expected", names.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests;
