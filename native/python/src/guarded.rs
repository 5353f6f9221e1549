use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroize;

/// Whether buffers get a guard page; set once, in processes that verify plugins.
static GUARDED: AtomicBool = AtomicBool::new(false);

/// Makes every later buffer of a call end at a page that must not be touched; touching it ends the process with a word.
pub(crate) fn guard() {
    GUARDED.store(true, Ordering::Relaxed);
    // SAFETY: the action is zeroed, which is valid, and names a handler of the type that SA_SIGINFO asks for.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = touched as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGSEGV, &raw const action, ptr::null_mut());
    }
}

/// Whether this call is to use a key that was kept: every second one, in processes that verify.
pub(crate) fn keeps_keys() -> bool {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    GUARDED.load(Ordering::Relaxed) && CALLS.fetch_add(1, Ordering::Relaxed) % 2 == 1
}

/// Which argument a buffer holds.
#[derive(Clone, Copy)]
pub(crate) enum Argument {
    Key,
    Nonce,
    AssociatedData,
    Input,
    Output,
    Tag,
}

impl Argument {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Nonce => "nonce",
            Self::AssociatedData => "associated data",
            Self::Input => "input",
            Self::Output => "output",
            Self::Tag => "tag",
        }
    }

    const ALL: [Self; 6] = [Self::Key, Self::Nonce, Self::AssociatedData, Self::Input, Self::Output, Self::Tag];
}

/// The guard page of each argument's latest buffer: one call after the other is verified.
static PAGES: [AtomicUsize; Argument::ALL.len()] = [const { AtomicUsize::new(0) }; Argument::ALL.len()];
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Only what a signal handler may call: atomics, `write`, `_exit`, `signal`.
extern "C" fn touched(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let say = |text: &str| {
        // SAFETY: valid for its length; nothing can be done about a failure.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    };
    // SAFETY: the kernel passes the signal's information, and for SIGSEGV it has an address.
    let at = unsafe { (*info).si_addr() } as usize;
    for argument in Argument::ALL {
        let page = PAGES[argument as usize].load(Ordering::Relaxed);
        if page != 0 && (page..page + PAGE_BYTES.load(Ordering::Relaxed)).contains(&at) {
            say("\nit reads or writes behind its ");
            say(argument.name());
            say("\n");
            // SAFETY: ends the process.
            unsafe { libc::_exit(1) }
        }
    }
    // SAFETY: another fault is met again by the same instruction, and then ends the process as it would have.
    unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
}

/// The bytes in front of a guarded buffer.
const CANARY: u8 = 0xc5;
const CANARIES: usize = 64;

/// Memory for one argument of a call: plain, or ending right at a guard page, with canaries before it, so that a
/// function that reads or writes past its end faults, and one that writes before its start is found out.
pub(crate) enum Memory {
    Plain(Vec<u8>),
    Guarded { mapping: *mut u8, mapped: usize, start: *mut u8, bytes: usize },
}

impl Memory {
    /// Zeros.
    pub(crate) fn zeros(argument: Argument, bytes: usize) -> Self {
        let guarded = if GUARDED.load(Ordering::Relaxed) { Self::guarded(argument, bytes) } else { None };
        guarded.unwrap_or_else(|| Self::Plain(vec![0; bytes]))
    }

    /// A copy.
    pub(crate) fn of(argument: Argument, content: &[u8]) -> Self {
        let mut memory = Self::zeros(argument, content.len());
        memory.as_mut_slice().copy_from_slice(content);
        memory
    }

    fn guarded(argument: Argument, bytes: usize) -> Option<Self> {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        let usable = (bytes + CANARIES).div_ceil(page) * page;
        let mapped = usable + page;
        let mapping = spare(mapped).or_else(|| map(usable, page))?;
        // SAFETY: all offsets lie in the pages before the guard, which belong to this value now.
        let start = unsafe {
            mapping.write_bytes(CANARY, usable - bytes);
            let start = mapping.add(usable - bytes);
            start.write_bytes(0, bytes);
            start
        };
        PAGE_BYTES.store(page, Ordering::Relaxed);
        PAGES[argument as usize].store(mapping as usize + usable, Ordering::Relaxed);
        Some(Self::Guarded { mapping, mapped, start, bytes })
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Plain(bytes) => bytes,
            // SAFETY: `start` and `bytes` lie in the mapping, which belongs to this value.
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

    /// Whether nothing was written before the start.
    pub(crate) fn intact(&self) -> bool {
        match self {
            Self::Plain(_) => true,
            Self::Guarded { mapping, start, .. } => {
                let length = *start as usize - *mapping as usize;
                // SAFETY: from the mapping's start to the buffer's.
                unsafe { std::slice::from_raw_parts(*mapping, length) }.iter().all(|&byte| byte == CANARY)
            }
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Self::Guarded { mapping, mapped, start, bytes } = self {
            let guard = *start as usize + *bytes;
            for page in &PAGES {
                // Another buffer may be mapped there next.
                let _ = page.compare_exchange(guard, 0, Ordering::Relaxed, Ordering::Relaxed);
            }
            // SAFETY: the buffer belongs to this value for the last time.
            unsafe { std::slice::from_raw_parts_mut(*start, *bytes) }.zeroize();
            let mut spares = SPARES.lock().unwrap_or_else(PoisonError::into_inner);
            if spares.len() < MOST_SPARES {
                spares.push((*mapping as usize, *mapped));
            } else {
                // SAFETY: mapped by `map` with this length, unmapped once.
                unsafe { libc::munmap(mapping.cast(), *mapped) };
            }
        }
    }
}

/// Address and length of mappings to use again: verification makes millions of calls with buffers of few lengths.
static SPARES: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
const MOST_SPARES: usize = 64;

fn spare(mapped: usize) -> Option<*mut u8> {
    let mut spares = SPARES.lock().unwrap_or_else(PoisonError::into_inner);
    let place = spares.iter().rposition(|&(_, length)| length == mapped)?;
    Some(spares.swap_remove(place).0 as *mut u8)
}

/// Pages of so many usable bytes, and one more that must not be touched.
fn map(usable: usize, page: usize) -> Option<*mut u8> {
    let mapped = usable + page;
    let (flags, access) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: a new private anonymous mapping touches nothing that exists.
    let mapping = unsafe { libc::mmap(ptr::null_mut(), mapped, access, flags, -1, 0) };
    if mapping == libc::MAP_FAILED {
        return None;
    }
    let mapping = mapping.cast::<u8>();
    // SAFETY: the last page of the new mapping; where it cannot be protected, the mapping goes again.
    unsafe {
        if libc::mprotect(mapping.add(usable).cast(), page, libc::PROT_NONE) != 0 {
            libc::munmap(mapping.cast(), mapped);
            return None;
        }
    }
    Some(mapping)
}
