use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether buffers get a guard page; set once, in processes that verify plugins.
static GUARDED: AtomicBool = AtomicBool::new(false);

/// Makes every later buffer of a call end at a page that must not be touched.
pub(crate) fn guard() {
    GUARDED.store(true, Ordering::Relaxed);
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
    pub(crate) fn zeros(bytes: usize) -> Self {
        if GUARDED.load(Ordering::Relaxed) {
            Self::guarded(bytes).unwrap_or_default()
        } else {
            Self::Plain(vec![0; bytes])
        }
    }

    /// A copy.
    pub(crate) fn of(content: &[u8]) -> Self {
        let mut memory = Self::zeros(content.len());
        memory.as_mut_slice().copy_from_slice(content);
        memory
    }

    fn guarded(bytes: usize) -> Option<Self> {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        let usable = (bytes + CANARIES).div_ceil(page) * page;
        let mapped = usable + page;
        let (flags, access) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: a new private anonymous mapping touches nothing that exists.
        let mapping = unsafe { libc::mmap(ptr::null_mut(), mapped, access, flags, -1, 0) };
        if mapping == libc::MAP_FAILED {
            return None;
        }
        let mapping = mapping.cast::<u8>();
        // SAFETY: all offsets lie inside the new mapping; its last page becomes the guard.
        let start = unsafe {
            libc::mprotect(mapping.add(usable).cast(), page, libc::PROT_NONE);
            mapping.write_bytes(CANARY, usable - bytes);
            mapping.add(usable - bytes)
        };
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

impl Default for Memory {
    fn default() -> Self {
        Self::Plain(Vec::new())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Self::Guarded { mapping, mapped, .. } = self {
            // SAFETY: mapped by `guarded` with this length, unmapped once.
            unsafe { libc::munmap(mapping.cast(), *mapped) };
        }
    }
}
