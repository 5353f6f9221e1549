//! Buffers that end at a guard page, for processes that verify implementations.
//!
//! A function that accesses memory behind such a buffer faults; one that writes in front of it changes a canary byte.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroize;

/// Set once, in processes that verify implementations.
static ENABLED: AtomicBool = AtomicBool::new(false);

/// Makes every later [`Memory`] end at a guard page. An access to that page ends the process with status 1 and a
/// message on stderr that names the argument.
pub(crate) fn enable() {
    ENABLED.store(true, Ordering::Relaxed);
    // SAFETY: a zeroed action is valid, and its handler has the signature that SA_SIGINFO requires.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGSEGV, &raw const action, ptr::null_mut());
    }
}

/// Whether this call should use a context that processed another message before: every second call, in processes that
/// verify implementations.
pub(crate) fn reuses_context() -> bool {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    ENABLED.load(Ordering::Relaxed) && CALLS.fetch_add(1, Ordering::Relaxed) % 2 == 1
}

/// The argument that a buffer holds.
#[derive(Clone, Copy)]
pub(crate) enum Argument {
    Key,
    Nonce,
    AssociatedData,
    Input,
    Output,
    Tag,
}

/// The names of the arguments, in the order of [`Argument`].
const NAMES: [&str; 6] = ["key", "nonce", "associated data", "input", "output", "tag"];

impl Argument {
    pub(crate) const fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// The guard page of the latest buffer of each argument. One buffer per argument suffices, because implementations are
/// verified one call after the other.
static GUARD_PAGES: [AtomicUsize; NAMES.len()] = [const { AtomicUsize::new(0) }; NAMES.len()];
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Uses only what a signal handler may use: atomics, `write`, `_exit` and `signal`.
extern "C" fn on_fault(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let print = |text: &str| {
        // SAFETY: the text is valid for its length; a failed write cannot be handled here.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    };
    // SAFETY: the kernel passes the signal's information, which has an address for SIGSEGV.
    let address = unsafe { (*info).si_addr() } as usize;
    for (page, name) in GUARD_PAGES.iter().zip(NAMES) {
        let page = page.load(Ordering::Relaxed);
        if page != 0 && (page..page + PAGE_BYTES.load(Ordering::Relaxed)).contains(&address) {
            print("\nit reads or writes behind its ");
            print(name);
            print("\n");
            // SAFETY: ends the process.
            unsafe { libc::_exit(1) }
        }
    }
    // SAFETY: restores the default action; the instruction then faults again and ends the process.
    unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
}

/// The value of the bytes in front of a guarded buffer.
const CANARY: u8 = 0xc5;
const CANARY_BYTES: usize = 64;

/// A buffer for one argument of a call: ordinary memory, or pages with canary bytes in front and a guard page behind.
pub(crate) enum Memory {
    Plain(Vec<u8>),
    Guarded { mapping: *mut u8, mapped: usize, start: *mut u8, bytes: usize },
}

impl Memory {
    pub(crate) fn zeros(argument: Argument, bytes: usize) -> Self {
        let guarded = if ENABLED.load(Ordering::Relaxed) { Self::guarded(argument, bytes) } else { None };
        guarded.unwrap_or_else(|| Self::Plain(vec![0; bytes]))
    }

    pub(crate) fn copy_of(argument: Argument, content: &[u8]) -> Self {
        let mut memory = Self::zeros(argument, content.len());
        memory.as_mut_slice().copy_from_slice(content);
        memory
    }

    fn guarded(argument: Argument, bytes: usize) -> Option<Self> {
        // SAFETY: reads a system constant.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        let usable = (bytes + CANARY_BYTES).div_ceil(page) * page;
        let mapped = usable + page;
        let mapping = take_free_mapping(mapped).or_else(|| map(usable, page))?;
        // SAFETY: all offsets lie in the pages before the guard page, which this value owns now.
        let start = unsafe {
            mapping.write_bytes(CANARY, usable - bytes);
            let start = mapping.add(usable - bytes);
            start.write_bytes(0, bytes);
            start
        };
        PAGE_BYTES.store(page, Ordering::Relaxed);
        GUARD_PAGES[argument as usize].store(mapping as usize + usable, Ordering::Relaxed);
        Some(Self::Guarded { mapping, mapped, start, bytes })
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Plain(bytes) => bytes,
            // SAFETY: `start` and `bytes` lie in the mapping, which this value owns.
            Self::Guarded { start, bytes, .. } => unsafe { std::slice::from_raw_parts(*start, *bytes) },
        }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        match self {
            Self::Plain(bytes) => bytes,
            // SAFETY: as above, borrowed mutably.
            Self::Guarded { start, bytes, .. } => unsafe { std::slice::from_raw_parts_mut(*start, *bytes) },
        }
    }

    /// Whether the canary bytes in front of the buffer are unchanged.
    pub(crate) fn is_intact(&self) -> bool {
        match self {
            Self::Plain(_) => true,
            Self::Guarded { mapping, start, .. } => {
                let length = *start as usize - *mapping as usize;
                // SAFETY: the bytes from the start of the mapping to that of the buffer.
                unsafe { std::slice::from_raw_parts(*mapping, length) }.iter().all(|&byte| byte == CANARY)
            }
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Self::Guarded { mapping, mapped, start, bytes } = self {
            let guard_page = *start as usize + *bytes;
            for page in &GUARD_PAGES {
                // The mapping may hold another argument next.
                let _ = page.compare_exchange(guard_page, 0, Ordering::Relaxed, Ordering::Relaxed);
            }
            // SAFETY: this value owns the buffer until the end of this function.
            unsafe { std::slice::from_raw_parts_mut(*start, *bytes) }.zeroize();
            let mut free = FREE_MAPPINGS.lock().unwrap_or_else(PoisonError::into_inner);
            if free.len() < MAX_FREE_MAPPINGS {
                free.push((*mapping as usize, *mapped));
            } else {
                // SAFETY: `map` mapped this length, and it is unmapped once.
                unsafe { libc::munmap(mapping.cast(), *mapped) };
            }
        }
    }
}

/// Address and length of mappings for later buffers: verification makes millions of calls with few different lengths.
static FREE_MAPPINGS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
const MAX_FREE_MAPPINGS: usize = 64;

fn take_free_mapping(mapped: usize) -> Option<*mut u8> {
    let mut free = FREE_MAPPINGS.lock().unwrap_or_else(PoisonError::into_inner);
    let index = free.iter().rposition(|&(_, length)| length == mapped)?;
    Some(free.swap_remove(index).0 as *mut u8)
}

/// Maps `usable` bytes of whole pages and a guard page behind them.
fn map(usable: usize, page: usize) -> Option<*mut u8> {
    let mapped = usable + page;
    let (flags, access) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: a new private anonymous mapping touches nothing that exists.
    let mapping = unsafe { libc::mmap(ptr::null_mut(), mapped, access, flags, -1, 0) };
    if mapping == libc::MAP_FAILED {
        return None;
    }
    let mapping = mapping.cast::<u8>();
    // SAFETY: the last page of the new mapping, which is unmapped again if the page cannot be protected.
    unsafe {
        if libc::mprotect(mapping.add(usable).cast(), page, libc::PROT_NONE) != 0 {
            libc::munmap(mapping.cast(), mapped);
            return None;
        }
    }
    Some(mapping)
}
