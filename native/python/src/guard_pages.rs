//! Buffers between guard pages, for processes that verify implementations.
//!
//! A buffer begins directly behind a guard page or ends directly in front of one, so that an access outside of it faults
//! on one side and a write on the other side changes a canary byte. Inputs are mapped twice: the implementation receives
//! pages that it can only read, and the host writes the same pages through the other mapping.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroize;

/// Set once, in processes that verify implementations.
static ENABLED: AtomicBool = AtomicBool::new(false);

/// Guards every later [`Memory`]. A forbidden access ends the process with status 1 and a message on stderr that names
/// the argument.
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
    InPlace,
    Tag,
}

/// The names of the arguments, in the order of [`Argument`].
const NAMES: [&str; 7] = ["key", "nonce", "associated data", "input", "output", "input and output", "tag"];

impl Argument {
    pub(crate) const fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// The pages of a buffer in use, for the handler of faults. `first` is the address of the page in front, 0 if the entry
/// is free.
struct Guarded {
    first: AtomicUsize,
    bytes: AtomicUsize,
    argument: AtomicUsize,
}

/// Several threads have at most six buffers each. Faults at further buffers are reported without the argument.
static GUARDED: [Guarded; 64] =
    [const { Guarded { first: AtomicUsize::new(0), bytes: AtomicUsize::new(0), argument: AtomicUsize::new(0) } }; 64];
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Uses only what a signal handler may use: atomics, `write`, `_exit` and `signal`.
extern "C" fn on_fault(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let print = |text: &str| {
        // SAFETY: the text is valid for its length; a failed write cannot be handled here.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    };
    // SAFETY: the kernel passes the signal's information, which has an address for SIGSEGV.
    let address = unsafe { (*info).si_addr() } as usize;
    let page = PAGE_BYTES.load(Ordering::Relaxed);
    for buffer in &GUARDED {
        let first = buffer.first.load(Ordering::Acquire);
        let bytes = buffer.bytes.load(Ordering::Relaxed);
        if first == 0 || !(first..first + bytes).contains(&address) {
            continue;
        }
        print(if address < first + page {
            "\nit reads or writes in front of its "
        } else if address >= first + bytes - page {
            "\nit reads or writes behind its "
        } else {
            "\nit writes to its "
        });
        print(NAMES.get(buffer.argument.load(Ordering::Relaxed)).unwrap_or(&"memory"));
        print("\n");
        // SAFETY: ends the process.
        unsafe { libc::_exit(1) }
    }
    // SAFETY: restores the default action; the instruction then faults again and ends the process.
    unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
}

/// The value of the bytes around a guarded buffer.
const CANARY: u8 = 0xc5;
/// Number of calls after which the positions of a buffer repeat, and how many of them are behind the front guard page.
/// The period has no common factor with the number of buffers that calls create for an argument.
const POSITIONS: usize = 5;
const IN_FRONT: usize = 2;
/// Longest read-only buffer in bytes; a longer one is only compared with its copy. The limit of file sizes of the
/// processes that verify plugins applies to the pages, too.
const MAX_READ_ONLY: usize = 16 << 20;

/// Pages between two guard pages.
#[derive(Clone, Copy)]
struct Mapping {
    /// Address of the guard page in front.
    first: usize,
    /// Bytes between the guard pages.
    usable: usize,
    /// Address at which the host writes the first usable byte: another than the implementation's if that is read-only.
    host: usize,
    read_only: bool,
}

/// A buffer for one argument of a call: ordinary memory, or pages between guard pages.
pub(crate) struct Memory {
    plain: Vec<u8>,
    guarded: Option<Placed>,
}

/// A buffer in a mapping.
struct Placed {
    mapping: Mapping,
    entry: Option<usize>,
    /// Bytes in front of the buffer.
    offset: usize,
    bytes: usize,
}

impl Memory {
    /// A buffer that the implementation reads.
    pub(crate) fn input(argument: Argument, content: &[u8]) -> Self {
        Self::filled(argument, content, true)
    }

    /// A buffer that the implementation writes, with zeros.
    pub(crate) fn output(argument: Argument, bytes: usize) -> Self {
        Self::new(argument, bytes, false)
    }

    /// A buffer that the implementation reads and writes.
    pub(crate) fn in_place(content: &[u8]) -> Self {
        Self::filled(Argument::InPlace, content, false)
    }

    fn filled(argument: Argument, content: &[u8], read_only: bool) -> Self {
        let mut memory = Self::new(argument, content.len(), read_only);
        memory.host_slice().copy_from_slice(content);
        memory
    }

    fn new(argument: Argument, bytes: usize, read_only: bool) -> Self {
        if ENABLED.load(Ordering::Relaxed)
            && let Some(placed) = Placed::new(argument, bytes, read_only)
        {
            return Self { plain: Vec::new(), guarded: Some(placed) };
        }
        Self { plain: vec![0; bytes], guarded: None }
    }

    /// The buffer at the address that the implementation receives.
    pub(crate) fn as_slice(&self) -> &[u8] {
        match &self.guarded {
            None => &self.plain,
            // SAFETY: the buffer lies in the mapping, which this value owns.
            Some(placed) => unsafe { std::slice::from_raw_parts(placed.start(), placed.bytes) },
        }
    }

    /// The address of an output.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        match &self.guarded {
            None => self.plain.as_mut_ptr(),
            Some(placed) => placed.start(),
        }
    }

    fn host_slice(&mut self) -> &mut [u8] {
        match &mut self.guarded {
            None => &mut self.plain,
            Some(placed) => placed.host_slice(),
        }
    }

    pub(crate) fn wipe(&mut self) {
        self.host_slice().zeroize();
    }

    /// Where bytes around the buffer changed: `in front of` or `behind` it.
    pub(crate) fn outside_write(&self) -> Option<&'static str> {
        let placed = self.guarded.as_ref().filter(|placed| !placed.mapping.read_only)?;
        let changed = |from: usize, to: usize| {
            // SAFETY: the bytes lie between the guard pages.
            let bytes = unsafe { std::slice::from_raw_parts((placed.mapping.host + from) as *const u8, to - from) };
            bytes.iter().any(|&byte| byte != CANARY)
        };
        let end = placed.offset + placed.bytes;
        [(0, placed.offset, "in front of"), (end, placed.mapping.usable, "behind")]
            .into_iter()
            .find_map(|(from, to, side)| changed(from, to).then_some(side))
    }
}

impl AsRef<[u8]> for Memory {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl Placed {
    fn new(argument: Argument, bytes: usize, read_only: bool) -> Option<Self> {
        static PLACED: [AtomicUsize; NAMES.len()] = [const { AtomicUsize::new(0) }; NAMES.len()];
        // SAFETY: reads a system constant.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        let usable = bytes.max(1).checked_next_multiple_of(page)?;
        let read_only = read_only && usable <= MAX_READ_ONLY;
        let mapping = take_free_mapping(usable, read_only).or_else(|| map(usable, page, read_only))?;
        let in_front = PLACED[argument as usize].fetch_add(1, Ordering::Relaxed) % POSITIONS < IN_FRONT;
        let offset = if in_front { 0 } else { usable - bytes };
        PAGE_BYTES.store(page, Ordering::Relaxed);
        let entry = GUARDED.iter().position(|buffer| {
            buffer.first.compare_exchange(0, mapping.first, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        });
        if let Some(buffer) = entry.and_then(|entry| GUARDED.get(entry)) {
            buffer.bytes.store(usable + 2 * page, Ordering::Relaxed);
            buffer.argument.store(argument as usize, Ordering::Relaxed);
        }
        let mut placed = Self { mapping, entry, offset, bytes };
        // SAFETY: the usable bytes of the mapping, which this value owns now.
        unsafe { std::slice::from_raw_parts_mut(mapping.host as *mut u8, usable) }.fill(CANARY);
        placed.host_slice().fill(0);
        Some(placed)
    }

    fn start(&self) -> *mut u8 {
        (self.mapping.first + PAGE_BYTES.load(Ordering::Relaxed) + self.offset) as *mut u8
    }

    fn host_slice(&mut self) -> &mut [u8] {
        // SAFETY: the buffer lies in the mapping, which this value owns and borrows mutably.
        unsafe { std::slice::from_raw_parts_mut((self.mapping.host + self.offset) as *mut u8, self.bytes) }
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        if let Some(buffer) = self.entry.and_then(|entry| GUARDED.get(entry)) {
            buffer.first.store(0, Ordering::Release);
        }
        self.host_slice().zeroize();
        let mut free = FREE_MAPPINGS.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < MAX_FREE_MAPPINGS {
            free.push(self.mapping);
        } else {
            unmap(self.mapping);
        }
    }
}

/// Mappings for later buffers: verification makes millions of calls with few different lengths.
static FREE_MAPPINGS: Mutex<Vec<Mapping>> = Mutex::new(Vec::new());
const MAX_FREE_MAPPINGS: usize = 64;

fn take_free_mapping(usable: usize, read_only: bool) -> Option<Mapping> {
    let mut free = FREE_MAPPINGS.lock().unwrap_or_else(PoisonError::into_inner);
    let index = free.iter().rposition(|mapping| (mapping.usable, mapping.read_only) == (usable, read_only))?;
    Some(free.swap_remove(index))
}

/// Maps `usable` bytes of whole pages between two guard pages.
fn map(usable: usize, page: usize, read_only: bool) -> Option<Mapping> {
    let (reserved, anonymous) = (usable + 2 * page, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new private anonymous mapping touches nothing that exists.
    let first = unsafe { libc::mmap(ptr::null_mut(), reserved, libc::PROT_NONE, anonymous, -1, 0) };
    if first == libc::MAP_FAILED {
        return None;
    }
    let start = first.wrapping_byte_add(page);
    let host = if read_only {
        map_twice(start, usable)
    } else {
        // SAFETY: the pages between the first and the last one of the new mapping.
        let made = unsafe { libc::mprotect(start, usable, libc::PROT_READ | libc::PROT_WRITE) };
        (made == 0).then_some(start as usize)
    };
    if host.is_none() {
        // SAFETY: the new mapping, which nothing uses.
        unsafe { libc::munmap(first, reserved) };
    }
    Some(Mapping { first: first as usize, usable, host: host?, read_only })
}

/// Replaces the pages at `start` by read-only ones; returns the address at which the same pages are writable.
fn map_twice(start: *mut c_void, usable: usize) -> Option<usize> {
    let (writable, size) = (libc::PROT_READ | libc::PROT_WRITE, libc::off_t::try_from(usable).ok()?);
    // SAFETY: a new file without a name, whose descriptor is closed once; the mappings keep its pages. `start` is
    // followed by `usable` reserved bytes, which are replaced.
    unsafe {
        let file = libc::memfd_create(c"aeadlab".as_ptr(), libc::MFD_CLOEXEC);
        if file < 0 {
            return None;
        }
        let mut host = libc::MAP_FAILED;
        if libc::ftruncate(file, size) == 0 {
            host = libc::mmap(ptr::null_mut(), usable, writable, libc::MAP_SHARED, file, 0);
        }
        if host != libc::MAP_FAILED {
            let fixed = libc::MAP_SHARED | libc::MAP_FIXED;
            if libc::mmap(start, usable, libc::PROT_READ, fixed, file, 0) == libc::MAP_FAILED {
                libc::munmap(host, usable);
                host = libc::MAP_FAILED;
            }
        }
        libc::close(file);
        (host != libc::MAP_FAILED).then_some(host as usize)
    }
}

fn unmap(mapping: Mapping) {
    let Mapping { first, usable, host, read_only } = mapping;
    // SAFETY: `map` made these mappings, and they are unmapped once.
    unsafe {
        libc::munmap(first as *mut c_void, usable + 2 * PAGE_BYTES.load(Ordering::Relaxed));
        if read_only {
            libc::munmap(host as *mut c_void, usable);
        }
    }
}
