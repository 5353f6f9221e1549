//! `std-threads`: as `static`, with new threads for every message.

use super::entry::Entry;
use super::fixed::chunk_of_worker;
use crate::cores::{allowed_cores, core_of_worker, pin_to};
use crate::error::{Error, Result};
use crate::run::Run;
use std::thread;

pub(super) static STD_THREADS: Entry = Entry::builtin("std-threads", |run| spawn_workers(run, &[]));
pub(super) static STD_THREADS_PINNED: Entry =
    Entry::builtin("std-threads-pinned", |run| spawn_workers(run, &allowed_cores()?));

fn spawn_workers(run: &Run<'_>, cores: &[usize]) -> Result<()> {
    thread::scope(|scope| {
        for worker in 0..run.workers() {
            let started = thread::Builder::new().name(format!("parsplit-{worker}")).spawn_scoped(scope, move || {
                let pinned = if cores.is_empty() { Ok(()) } else { core_of_worker(worker, cores).and_then(pin_to) };
                match pinned {
                    Ok(()) => drop(run.process_chunk(worker, chunk_of_worker(run, worker))),
                    Err(error) => run.fail(error),
                }
            });
            if let Err(error) = started {
                run.fail(Error::threads_not_started(run.workers(), &error));
                break;
            }
        }
    });
    Ok(())
}
