use crate::run::said;
use crate::{Error, Result, pin, pool};
use std::hint;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Threads that wait for work. One caller at a time has a crew; it grows to what was wanted of it and never ends.
pub(crate) struct Crew {
    pinned: bool,
    seats: Vec<Arc<Seat>>,
}

/// Where one thread waits.
#[derive(Default)]
struct Seat {
    job: AtomicPtr<Job<'static>>,
    thread: OnceLock<Thread>,
}

/// Which workers must have been called when the work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Called {
    /// All: each has a part of its own.
    All,
    /// Any: once the caller has returned from its own call nothing is left to do, and who has not started need not.
    Any,
}

/// Work on the stack of the caller, who waits until `left` is 0 before it goes away.
struct Job<'a> {
    work: &'a (dyn Fn(usize) + Sync),
    seats: &'a [Arc<Seat>],
    /// The worker that the first seat is.
    first: usize,
    /// Seats that have been handed the job and are not done with it.
    left: AtomicUsize,
    panic: Mutex<Option<String>>,
    caller: Thread,
    /// Whether who waits for the next job, or for the others, does so awake at first.
    awake: bool,
}

/// How long. Going to sleep and being woken takes 20 us here, and 50 to 200 where the core went to sleep as well; who
/// waits awake for about as long loses at most what it could have saved.
const AWAKE: Duration = Duration::from_micros(50);
/// Looks between two at the clock.
const LOOKS: usize = 16;

impl Seat {
    fn hand(&self, job: *const Job<'_>) {
        self.job.store(job.cast_mut().cast(), Ordering::Release);
        // No system call unless the thread sleeps.
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Takes the job, or takes it back if the thread has not begun.
    fn take(&self) -> Option<NonNull<Job<'static>>> {
        // Looked at first: who spins shares the line with who hands.
        if self.job.load(Ordering::Relaxed).is_null() {
            return None;
        }
        NonNull::new(self.job.swap(ptr::null_mut(), Ordering::Acquire))
    }
}

/// Waits until there is what is waited for: awake at first, if `awake`, then asleep until somebody calls `unpark`.
fn wait<T>(awake: bool, ready: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    let mut awake = awake;
    loop {
        for _ in 0..LOOKS {
            if let Some(found) = ready() {
                return found;
            }
            if awake {
                hint::spin_loop();
            }
        }
        awake = awake && start.elapsed() < AWAKE;
        if !awake {
            thread::park();
        }
    }
}

impl Job<'_> {
    fn hand(&self, seat: &Seat) {
        self.left.fetch_add(1, Ordering::Relaxed);
        seat.hand(self);
    }

    fn call(&self, worker: usize) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (self.work)(worker))) {
            let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(said(&*panic));
        }
    }

    /// A thread's part. The threads wake each other as a tree, so that the last of many starts after few wake-ups.
    fn take_part(&self, seat: usize) {
        self.seats.iter().skip(2 * seat + 1).take(2).for_each(|next| self.hand(next));
        self.call(self.first + seat);
    }
}

impl Crew {
    /// Without threads yet; those of a pinned one are kept on a core each.
    pub(crate) fn new(pinned: bool) -> Self {
        Self { pinned, seats: Vec::new() }
    }

    /// Calls `work` with each of 0 to `workers`, at once. The calling thread is worker 0, unless the crew is pinned: the
    /// caller's thread is not ours to pin.
    pub(crate) fn work(&mut self, workers: usize, called: Called, work: &(dyn Fn(usize) + Sync)) -> Result<()> {
        let first = usize::from(!self.pinned);
        let others = workers.saturating_sub(first);
        self.grow(others)?;
        let seats = self.seats.get(..others).unwrap_or_default();
        let (left, panic) = (AtomicUsize::new(0), Mutex::new(None));
        // With more threads than cores somebody else could use the core.
        let awake = workers <= pool::cores();
        let job = Job { work, seats, first, left, panic, caller: thread::current(), awake };
        if let Some(seat) = seats.first() {
            job.hand(seat);
        }
        if !self.pinned {
            job.call(0);
            if called == Called::Any {
                // A thread that still sleeps would take longer to wake up than all the work took.
                let back = seats.iter().filter(|seat| seat.take().is_some()).count();
                job.left.fetch_sub(back, Ordering::AcqRel);
            }
        }
        // Nothing before this can unwind, so the job stays until every thread is done with it.
        wait(awake, || (job.left.load(Ordering::Acquire) == 0).then_some(()));
        job.panic.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |said| Err(Error::Panic(said)))
    }

    fn grow(&mut self, wanted: usize) -> Result<()> {
        let cores = if self.pinned && self.seats.len() < wanted { pin::cores()? } else { Vec::new() };
        while self.seats.len() < wanted {
            let (number, seat) = (self.seats.len(), Arc::new(Seat::default()));
            let core = if self.pinned { Some(pin::core_of(number, &cores)?) } else { None };
            let (ready, started) = mpsc::channel();
            let here = seat.clone();
            thread::Builder::new()
                .name(format!("parsplit-{number}"))
                .spawn(move || {
                    let _ = here.thread.set(thread::current());
                    let pinned = core.map_or(Ok(()), pin::pin);
                    let failed = pinned.is_err();
                    if ready.send(pinned).is_ok() && !failed {
                        sit(&here, number);
                    }
                })
                .map_err(|e| Error::Argument(format!("{wanted} threads could not be started: {e}")))?;
            started.recv().unwrap_or_else(|_| Err(Error::Panic("a thread ended when it started".into())))?;
            self.seats.push(seat);
        }
        Ok(())
    }
}

fn sit(seat: &Seat, number: usize) {
    let mut awake = false;
    loop {
        let job = wait(awake, || seat.take());
        // SAFETY: the caller waits until `left` is 0, and this thread counts itself off after its last use.
        let job = unsafe { job.as_ref() };
        job.take_part(number);
        awake = job.awake;
        let caller = job.caller.clone();
        if job.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            caller.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_worker_is_called_once_whatever_the_count_was_before() {
        for pinned in [false, true] {
            let mut crew = Crew::new(pinned);
            for workers in [1, 7, 2, 64, 3, 200, 1, 5] {
                let calls: Vec<_> = (0..workers).map(|_| AtomicUsize::new(0)).collect();
                crew.work(workers, Called::All, &|worker| {
                    calls[worker].fetch_add(1, Ordering::SeqCst);
                })
                .unwrap();
                assert!(calls.iter().all(|n| n.load(Ordering::SeqCst) == 1), "{workers}");
            }
            assert_eq!(crew.seats.len(), if pinned { 200 } else { 199 });
        }
    }

    #[test]
    fn threads_are_kept_and_the_caller_is_one_of_them() {
        let mut crew = Crew::new(false);
        let seen = Mutex::new(HashSet::new());
        for _ in 0..20 {
            crew.work(4, Called::All, &|worker| {
                assert!(worker > 0 || thread::current().name() != Some("parsplit-0"));
                seen.lock().unwrap().insert(thread::current().id());
            })
            .unwrap();
        }
        let seen = seen.into_inner().unwrap();
        assert_eq!(seen.len(), 4);
        assert!(seen.contains(&thread::current().id()));
    }

    #[test]
    fn who_has_not_started_when_all_is_done_is_not_waited_for() {
        let mut crew = Crew::new(false);
        for round in 0..2000 {
            let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
            crew.work(1 + round % 40, Called::Any, &|_| {
                while next.fetch_add(1, Ordering::SeqCst) < 100 {
                    done.fetch_add(1, Ordering::SeqCst);
                }
            })
            .unwrap();
            assert_eq!(done.into_inner(), 100);
            assert!(crew.seats.iter().all(|seat| seat.job.load(Ordering::Relaxed).is_null()), "a job was left behind");
        }
    }

    #[test]
    fn a_panic_of_any_worker_is_an_error_and_the_crew_works_on() {
        let mut crew = Crew::new(false);
        for bad in 0..5 {
            let failed = crew.work(5, Called::All, &|worker| assert_ne!(worker, bad, "as wanted"));
            assert!(matches!(failed, Err(Error::Panic(said)) if said.contains("as wanted")), "{bad}");
            crew.work(5, Called::All, &|_| ()).unwrap();
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pinned_threads_stay_on_one_core_each_and_the_caller_where_it_was() {
        let before = pin::cores().unwrap();
        let on = Mutex::new(HashSet::new());
        let mut crew = Crew::new(true);
        crew.work(before.len() * 2, Called::All, &|worker| {
            let mine = pin::cores().unwrap();
            assert_eq!(mine, [before[worker % before.len()]]);
            on.lock().unwrap().insert(mine[0]);
        })
        .unwrap();
        assert_eq!(on.into_inner().unwrap().len(), before.len());
        assert_eq!(pin::cores().unwrap(), before);
    }
}
