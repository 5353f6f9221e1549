//! The cores that this process may use, and pinning of threads to them.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicUsize, Ordering};
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
