use crate::{Error, Result};

/// The cores that this thread may run on.
#[cfg(target_os = "linux")]
pub(crate) fn cores() -> Result<Vec<usize>> {
    // SAFETY: a set of cores is plain bits, all zero being the empty one.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is a place for the result, of the size given.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) } != 0 {
        return Err(refused());
    }
    // SAFETY: the index is below the number of bits of the set.
    Ok((0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) }).collect())
}

/// Keeps this thread on one core from now on.
#[cfg(target_os = "linux")]
pub(crate) fn pin(core: usize) -> Result<()> {
    // SAFETY: as above.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `core` comes from `cores`, and the set is of the size given.
    let status = unsafe {
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
    };
    if status == 0 { Ok(()) } else { Err(refused()) }
}

#[cfg(target_os = "linux")]
fn refused() -> Error {
    Error::Argument(format!("threads cannot be pinned here: {}", std::io::Error::last_os_error()))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn cores() -> Result<Vec<usize>> {
    Err(Error::Argument("threads cannot be pinned on this system".into()))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_: usize) -> Result<()> {
    cores().map(|_| ())
}

/// The core of worker `number`: the cores in turn, however many workers there are.
pub(crate) fn core_of(number: usize, cores: &[usize]) -> Result<usize> {
    let turn = number.checked_rem(cores.len()).and_then(|turn| cores.get(turn));
    turn.copied().ok_or_else(|| Error::Argument("threads cannot be pinned here: no core is allowed".into()))
}
