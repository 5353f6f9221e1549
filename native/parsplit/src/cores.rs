//! The cores that this process may use, and pinning of threads to them.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::thread::available_parallelism;

/// Return the number of threads that this process can run at once.
///
/// The number is determined once: the query reads files, which takes longer than sealing a short message.
pub fn available_cores() -> usize {
    // A `OnceLock` would block a child that was forked while another thread determined the number.
    static CORES: AtomicUsize = AtomicUsize::new(0);
    match CORES.load(Ordering::Relaxed) {
        0 => {
            let cores = available_parallelism().map_or(1, usize::from);
            CORES.store(cores, Ordering::Relaxed);
            cores
        }
        cores => cores,
    }
}

/// Return the size of the last-level cache in bytes, which all cores of one package share; 32 MiB if it is unknown.
pub fn last_level_cache_bytes() -> usize {
    static BYTES: AtomicUsize = AtomicUsize::new(0);
    match BYTES.load(Ordering::Relaxed) {
        0 => {
            let bytes = largest_cache().unwrap_or(32 << 20);
            BYTES.store(bytes, Ordering::Relaxed);
            bytes
        }
        bytes => bytes,
    }
}

/// Return the size in bytes of the largest cache of the first core, as Linux lists it.
fn largest_cache() -> Option<usize> {
    let size = |index: usize| {
        let text = std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size")).ok()?;
        let text = text.trim();
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let factor = match unit {
            "" => 1,
            "K" => 1 << 10,
            "M" => 1 << 20,
            "G" => 1 << 30,
            _ => return None,
        };
        number.parse::<usize>().ok()?.checked_mul(factor)
    };
    (0..8).filter_map(size).max().filter(|bytes| *bytes > 0)
}

/// Return the cores that the calling thread may run on.
#[cfg(target_os = "linux")]
pub(crate) fn allowed_cores() -> Result<Vec<usize>> {
    // SAFETY: a set of cores is plain bits; all zero is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is writable and has the size given.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) } != 0 {
        return Err(pinning_error());
    }
    // SAFETY: the index is below the number of bits of the set.
    Ok((0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) }).collect())
}

/// Restrict the calling thread to one core.
#[cfg(target_os = "linux")]
pub(crate) fn pin_to(core: usize) -> Result<()> {
    // SAFETY: as in `allowed_cores`.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `core` comes from `allowed_cores`, and the set has the size given.
    let status = unsafe {
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
    };
    if status == 0 { Ok(()) } else { Err(pinning_error()) }
}

/// The core that a sleeping thread is kept off, because the one that wakes it computes there.
///
/// Linux wakes a thread on the core of its waker, and looks for an idle core only in some cases: on a virtual machine
/// with two cores, 199 of 200 threads that slept for a millisecond or longer came to share the core of their waker,
/// beside an idle one. A thread that may not use this core starts on the other one, 20 µs later, or 70 µs if that core
/// sleeps as well. All other cores remain allowed, and the waker may use any.
#[derive(Debug)]
pub(crate) struct KeptOff {
    thread: AtomicI32,
    core: AtomicI32,
}

const NONE: i32 = -1;

impl Default for KeptOff {
    fn default() -> Self {
        Self { thread: AtomicI32::new(NONE), core: AtomicI32::new(NONE) }
    }
}

#[cfg(target_os = "linux")]
impl KeptOff {
    /// Make this the exclusion of the calling thread.
    pub(crate) fn start(&self) {
        // SAFETY: the call returns a number and has no other effect.
        self.thread.store(unsafe { libc::gettid() }, Ordering::Relaxed);
    }

    /// Keep the thread off the core of the caller. Where that is impossible, such as with one core, nothing changes.
    pub(crate) fn this_core(&self) {
        // SAFETY: the call returns a number and has no other effect.
        let core = unsafe { libc::sched_getcpu() };
        let (thread, before) = (self.thread.load(Ordering::Relaxed), self.core.load(Ordering::Relaxed));
        if core == before || thread == NONE || !(0..libc::CPU_SETSIZE).contains(&core) {
            return;
        }
        // SAFETY: sets of cores are plain bits; they are writable and have the size given; indexes are below the number
        // of their bits. Failures change nothing.
        unsafe {
            let (mut own, mut callers): (libc::cpu_set_t, libc::cpu_set_t) = std::mem::zeroed();
            let size = size_of::<libc::cpu_set_t>();
            if libc::sched_getaffinity(thread, size, &raw mut own) != 0
                || libc::sched_getaffinity(0, size, &raw mut callers) != 0
            {
                return;
            }
            if before != NONE && libc::CPU_ISSET(before as usize, &callers) {
                libc::CPU_SET(before as usize, &mut own);
            }
            libc::CPU_CLR(core as usize, &mut own);
            if libc::CPU_COUNT(&own) > 0 && libc::sched_setaffinity(thread, size, &raw const own) == 0 {
                self.core.store(core, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl KeptOff {
    pub(crate) fn start(&self) {
        // Other systems have no such call.
    }

    pub(crate) fn this_core(&self) {
        // As above.
    }
}

#[cfg(target_os = "linux")]
fn pinning_error() -> Error {
    Error::Argument(format!("threads cannot be pinned here: {}", std::io::Error::last_os_error()))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn allowed_cores() -> Result<Vec<usize>> {
    Err(Error::Argument("threads cannot be pinned on this system".into()))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn pin_to(_: usize) -> Result<()> {
    allowed_cores().map(|_| ())
}

/// Return the core of a worker: the workers are assigned to `cores` in turn.
pub(crate) fn core_of_worker(worker: usize, cores: &[usize]) -> Result<usize> {
    let index = worker.checked_rem(cores.len()).and_then(|index| cores.get(index));
    index.copied().ok_or_else(|| Error::Argument("threads cannot be pinned here: no core is allowed".into()))
}
