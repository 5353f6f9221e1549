//! `std-threads`: as `static`, with new threads for every message.

use super::{Row, fixed};
use crate::run::Run;
use crate::{Error, Result, pin};
use std::thread;

pub(super) static STD_THREADS: Row = Row::own("std-threads", |run| spawned(run, &[]));
pub(super) static STD_THREADS_PINNED: Row = Row::own("std-threads-pinned", |run| spawned(run, &pin::cores()?));

fn spawned(run: &Run<'_>, cores: &[usize]) -> Result<()> {
    thread::scope(|scope| {
        for worker in 0..run.workers() {
            let started = thread::Builder::new().name(format!("parsplit-{worker}")).spawn_scoped(scope, move || {
                let pinned = if cores.is_empty() { Ok(()) } else { pin::core_of(worker, cores).and_then(pin::pin) };
                match pinned {
                    Ok(()) => drop(run.range(worker, fixed::share(run, worker))),
                    Err(error) => run.fail(error),
                }
            });
            if let Err(error) = started {
                run.fail(Error::Argument(format!("{} threads could not be started: {error}", run.workers())));
                break;
            }
        }
    });
    Ok(())
}
