//! Persistent worker threads that run one job at a time.

use crate::cores::{KeptOff, allowed_cores, available_cores, core_of_worker, pin_to};
use crate::error::{Error, Result};
use std::hint;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// The worker threads of one caller. Their number grows to the largest one requested, and they never end.
pub(crate) struct Workers {
    pinned: bool,
    slots: Vec<Arc<WorkerSlot>>,
}

/// The place where one thread receives its jobs.
#[derive(Default)]
struct WorkerSlot {
    job: AtomicPtr<Job<'static>>,
    thread: OnceLock<Thread>,
    asleep: AtomicBool,
    kept_off: KeptOff,
}

/// Whether every worker must be called before a job is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Participation {
    /// Each worker has its own share of the work.
    Required,
    /// The workers share one queue, which is empty once the caller's own call has returned: workers that have not
    /// started by then are withdrawn.
    Optional,
}

/// A job on the stack of the caller, which waits until `pending` is 0.
struct Job<'a> {
    work: &'a (dyn Fn(usize) + Sync),
    slots: &'a [Arc<WorkerSlot>],
    /// Worker number of the first slot.
    first_worker: usize,
    /// Number of slots that have received the job and have not finished it.
    pending: AtomicUsize,
    first_error: Mutex<Option<Error>>,
    caller: Thread,
    /// Whether threads that wait for the next job, or for the other threads, spin before they sleep.
    spin: bool,
    pinned: bool,
}

/// Time that a waiting thread spins before it sleeps. Falling asleep and being woken takes 20 µs on a virtual machine
/// with a Zen 5, and 50 to 200 µs where the core sleeps as well; spinning that long costs at most what it can save.
const SPIN_DURATION: Duration = Duration::from_micros(50);
const POLLS_PER_CLOCK_READING: usize = 16;

impl WorkerSlot {
    fn store_job(&self, job: *const Job<'_>) {
        self.job.store(job.cast_mut().cast(), Ordering::Release);
        // `unpark` makes no system call unless the thread sleeps.
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Remove the job, either for its thread or to withdraw it from a thread that has not started.
    fn take_job(&self) -> Option<NonNull<Job<'static>>> {
        // The load keeps the cache line shared while the thread spins.
        if self.job.load(Ordering::Relaxed).is_null() {
            return None;
        }
        NonNull::new(self.job.swap(ptr::null_mut(), Ordering::Acquire))
    }
}

/// Poll until there is a result, spinning at first if `spin`, then asleep until another thread calls `unpark`.
fn wait_for<T>(mut spin: bool, poll: impl Fn() -> Option<T>, sleep: impl Fn()) -> T {
    let start = Instant::now();
    loop {
        for _ in 0..POLLS_PER_CLOCK_READING {
            if let Some(result) = poll() {
                return result;
            }
            if spin {
                hint::spin_loop();
            }
        }
        spin = spin && start.elapsed() < SPIN_DURATION;
        if !spin {
            sleep();
        }
    }
}

impl Job<'_> {
    fn send_to(&self, slot: &WorkerSlot) {
        self.pending.fetch_add(1, Ordering::Relaxed);
        // With more threads than cores they have to share.
        if self.spin && !self.pinned && slot.asleep.load(Ordering::Relaxed) {
            slot.kept_off.this_core();
        }
        slot.store_job(self);
    }

    fn call(&self, worker: usize) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (self.work)(worker))) {
            let mut first_error = self.first_error.lock().unwrap_or_else(PoisonError::into_inner);
            first_error.get_or_insert(Error::from_panic(&*panic));
        }
    }

    /// Run the job on the thread of one slot. The threads wake each other as a binary tree, so that the number of
    /// wake-ups before the last of many threads starts is logarithmic.
    fn run_on_slot(&self, slot: usize) {
        self.slots.iter().skip(2 * slot + 1).take(2).for_each(|child| self.send_to(child));
        self.call(self.first_worker + slot);
    }
}

impl Workers {
    /// Create workers without threads. Each thread of pinned workers is restricted to one core.
    pub(crate) fn new(pinned: bool) -> Self {
        Self { pinned, slots: Vec::new() }
    }

    /// Call `work` with each worker number below `workers`, concurrently. The calling thread is worker 0, unless the
    /// workers are pinned: the caller's thread is not pinned.
    pub(crate) fn run(
        &mut self,
        workers: usize,
        participation: Participation,
        work: &(dyn Fn(usize) + Sync),
    ) -> Result<()> {
        let first_worker = usize::from(!self.pinned);
        let threads = workers.saturating_sub(first_worker);
        self.grow(threads)?;
        let slots = self.slots.get(..threads).unwrap_or_default();
        let (pending, first_error) = (AtomicUsize::new(0), Mutex::new(None));
        // With more threads than cores a spinning thread would take the core from a working one.
        let spin = workers <= available_cores();
        let (caller, pinned) = (thread::current(), self.pinned);
        let job = Job { work, slots, first_worker, pending, first_error, caller, spin, pinned };
        if let Some(slot) = slots.first() {
            job.send_to(slot);
        }
        if !self.pinned {
            job.call(0);
            if participation == Participation::Optional {
                // A thread that still sleeps would take longer to wake than the complete job took.
                let withdrawn = slots.iter().filter(|slot| slot.take_job().is_some()).count();
                job.pending.fetch_sub(withdrawn, Ordering::AcqRel);
            }
        }
        // Nothing before this can unwind, so the job outlives its use by every thread.
        wait_for(spin, || (job.pending.load(Ordering::Acquire) == 0).then_some(()), thread::park);
        job.first_error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn grow(&mut self, threads: usize) -> Result<()> {
        let cores = if self.pinned && self.slots.len() < threads { allowed_cores()? } else { Vec::new() };
        while self.slots.len() < threads {
            let (index, slot) = (self.slots.len(), Arc::new(WorkerSlot::default()));
            let core = if self.pinned { Some(core_of_worker(index, &cores)?) } else { None };
            let (sender, started) = mpsc::channel();
            let thread_slot = slot.clone();
            thread::Builder::new()
                .name(format!("parsplit-{index}"))
                .spawn(move || {
                    let _ = thread_slot.thread.set(thread::current());
                    thread_slot.kept_off.start();
                    let pinned = core.map_or(Ok(()), pin_to);
                    let failed = pinned.is_err();
                    if sender.send(pinned).is_ok() && !failed {
                        worker_loop(&thread_slot, index);
                    }
                })
                .map_err(|error| Error::threads_not_started(threads, &error))?;
            started.recv().unwrap_or_else(|_| Err(Error::Panic("a worker thread ended while it started".into())))?;
            self.slots.push(slot);
        }
        Ok(())
    }
}

fn worker_loop(slot: &WorkerSlot, index: usize) {
    let mut spin = false;
    loop {
        let sleep = || {
            slot.asleep.store(true, Ordering::Relaxed);
            thread::park();
            slot.asleep.store(false, Ordering::Relaxed);
        };
        let job = wait_for(spin, || slot.take_job(), sleep);
        // SAFETY: the caller waits until `pending` is 0, and this thread decrements it after its last use of the job.
        let job = unsafe { job.as_ref() };
        job.run_on_slot(index);
        spin = job.spin;
        let caller = job.caller.clone();
        if job.pending.fetch_sub(1, Ordering::AcqRel) == 1 {
            caller.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn calls_each_worker_once_for_changing_counts() {
        for pinned in [false, true] {
            let mut threads = Workers::new(pinned);
            for workers in [1, 7, 2, 64, 3, 200, 1, 5] {
                let calls: Vec<_> = (0..workers).map(|_| AtomicUsize::new(0)).collect();
                threads
                    .run(workers, Participation::Required, &|worker| {
                        calls[worker].fetch_add(1, Ordering::SeqCst);
                    })
                    .unwrap();
                assert!(calls.iter().all(|n| n.load(Ordering::SeqCst) == 1), "{workers}");
            }
            assert_eq!(threads.slots.len(), if pinned { 200 } else { 199 });
        }
    }

    #[test]
    fn keeps_threads_and_uses_the_calling_thread() {
        let mut threads = Workers::new(false);
        let ids = Mutex::new(HashSet::new());
        for _ in 0..20 {
            threads
                .run(4, Participation::Required, &|worker| {
                    assert!(worker > 0 || thread::current().name() != Some("parsplit-0"));
                    ids.lock().unwrap().insert(thread::current().id());
                })
                .unwrap();
        }
        let ids = ids.into_inner().unwrap();
        assert_eq!(ids.len(), 4);
        assert!(ids.contains(&thread::current().id()));
    }

    /// See [`KeptOff`].
    #[cfg(target_os = "linux")]
    #[test]
    fn sleeping_workers_do_not_wake_on_the_core_of_their_caller() {
        if available_cores() < 2 {
            return;
        }
        // SAFETY: the call returns a number and has no other effect.
        let core = || unsafe { libc::sched_getcpu() } as usize;
        let mut threads = Workers::new(false);
        let mut shared = 0;
        for _ in 0..40 {
            thread::sleep(Duration::from_millis(2));
            let (cores, started) = ([AtomicUsize::new(0), AtomicUsize::new(0)], AtomicUsize::new(0));
            threads
                .run(2, Participation::Required, &|worker| {
                    cores[worker].store(core(), Ordering::SeqCst);
                    started.fetch_add(1, Ordering::SeqCst);
                    while started.load(Ordering::SeqCst) < 2 {
                        hint::spin_loop();
                    }
                })
                .unwrap();
            let [caller, worker] = cores.map(AtomicUsize::into_inner);
            shared += usize::from(caller == worker);
        }
        assert!(shared <= 4, "{shared} of 40 workers shared the core of their caller");
    }

    #[test]
    fn withdraws_optional_workers_that_have_not_started() {
        let mut threads = Workers::new(false);
        for round in 0..2000 {
            let (next, processed) = (AtomicUsize::new(0), AtomicUsize::new(0));
            threads
                .run(1 + round % 40, Participation::Optional, &|_| {
                    while next.fetch_add(1, Ordering::SeqCst) < 100 {
                        processed.fetch_add(1, Ordering::SeqCst);
                    }
                })
                .unwrap();
            assert_eq!(processed.into_inner(), 100);
            assert!(threads.slots.iter().all(|slot| slot.job.load(Ordering::Relaxed).is_null()), "a job remains");
        }
    }

    #[test]
    fn reports_a_panic_and_runs_the_next_job() {
        let mut threads = Workers::new(false);
        for panicking in 0..5 {
            let failed = threads.run(5, Participation::Required, &|worker| assert_ne!(worker, panicking, "deliberate"));
            assert!(matches!(failed, Err(Error::Panic(message)) if message.contains("deliberate")), "{panicking}");
            threads.run(5, Participation::Required, &|_| ()).unwrap();
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pins_each_thread_to_one_core_but_not_the_caller() {
        let before = allowed_cores().unwrap();
        let used = Mutex::new(HashSet::new());
        let mut threads = Workers::new(true);
        threads
            .run(before.len() * 2, Participation::Required, &|worker| {
                let cores = allowed_cores().unwrap();
                assert_eq!(cores, [before[worker % before.len()]]);
                used.lock().unwrap().insert(cores[0]);
            })
            .unwrap();
        assert_eq!(used.into_inner().unwrap().len(), before.len());
        assert_eq!(allowed_cores().unwrap(), before);
    }
}
