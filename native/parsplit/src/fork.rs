//! Recognition of forked children.
//!
//! A child inherits the memory of its parent but no thread except the one that forked. A lock that another thread held
//! stays locked in the child forever, and a pool has lost its threads. Therefore everything that threads share in this
//! process belongs to one generation, and a child starts the next one.
//!
//! The process ID does not identify a process: a child in a new PID namespace can have the ID of its parent. The kernel
//! fills a page with `MADV_WIPEONFORK` with zeros in a child, whatever function made the child. Other systems call a
//! handler in the child.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// The generation of this process, 0 until it is determined. It lies in a page that the kernel wipes in a child, or it
/// is [`UNWIPED_MARKER`].
static MARKER: AtomicPtr<AtomicU64> = AtomicPtr::new(ptr::null_mut());
static UNWIPED_MARKER: AtomicU64 = AtomicU64::new(0);
/// The latest generation of this process and its ancestors. A child inherits it.
static LATEST: AtomicU64 = AtomicU64::new(0);

/// The generation of a process that was not forked since its first call of [`generation`].
pub(crate) const FIRST_GENERATION: u64 = 1;

/// Return a number, at least 1, that differs from that of every process that this one was forked from.
#[inline]
pub fn generation() -> u64 {
    // SAFETY: a stored pointer refers to memory that is never freed; null gives None.
    let marker = unsafe { MARKER.load(Ordering::Acquire).as_ref() }.unwrap_or_else(create_marker);
    match marker.load(Ordering::Relaxed) {
        0 => next_generation(marker),
        generation => generation,
    }
}

#[cold]
fn next_generation(marker: &AtomicU64) -> u64 {
    let next = LATEST.fetch_add(1, Ordering::Relaxed) + 1;
    marker.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed).map_or_else(|other| other, |_| next)
}

#[cold]
fn create_marker() -> &'static AtomicU64 {
    let new = wiped_marker().unwrap_or_else(unwiped_marker);
    let marker = match MARKER.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
        // If another thread was first, the page of this one is lost, once in a process.
        Ok(_) => new,
        Err(other) => other,
    };
    // SAFETY: not null, and never freed.
    unsafe { &*marker }
}

/// Return memory that is zero in a child; None where the kernel does not offer it.
#[cfg(all(target_os = "linux", not(miri)))]
fn wiped_marker() -> Option<*mut AtomicU64> {
    // SAFETY: a new anonymous mapping of a page, which the kernel aligns and fills with zeros. If the advice is
    // rejected, the mapping has no other user and is removed.
    unsafe {
        let bytes = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).ok()?;
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let page = libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0);
        if page == libc::MAP_FAILED {
            return None;
        }
        if libc::madvise(page, bytes, libc::MADV_WIPEONFORK) != 0 {
            libc::munmap(page, bytes);
            return None;
        }
        Some(page.cast())
    }
}

#[cfg(any(not(target_os = "linux"), miri))]
fn wiped_marker() -> Option<*mut AtomicU64> {
    None
}

/// Return a marker that a handler of `fork` sets to 0 in a child.
fn unwiped_marker() -> *mut AtomicU64 {
    #[cfg(all(unix, not(miri)))]
    {
        extern "C" fn in_child() {
            UNWIPED_MARKER.store(0, Ordering::Relaxed);
        }
        // SAFETY: the handler only stores an atomic value, which is allowed in a child. Without memory for the handler
        // the call fails and children are not recognized.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    }
    (&raw const UNWIPED_MARKER).cast_mut()
}

/// A value that the threads of one process share. A forked child creates its own and never reads the inherited one.
pub struct PerProcess<T> {
    current: AtomicPtr<Generation<T>>,
}

struct Generation<T> {
    number: u64,
    value: T,
}

impl<T> PerProcess<T> {
    /// Create a value for a static variable, which is initialized at its first use in each process.
    #[must_use]
    pub const fn new() -> Self {
        Self { current: AtomicPtr::new(ptr::null_mut()) }
    }
}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Default + Send + Sync> PerProcess<T> {
    /// Return the value of this process. It is never freed.
    pub fn get(&'static self) -> &'static T {
        let number = generation();
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: a stored pointer came from a box that is never freed; null gives None.
        if let Some(current) = unsafe { current.as_ref() }.filter(|current| current.number == number) {
            return &current.value;
        }
        let new = Box::into_raw(Box::new(Generation { number, value: T::default() }));
        let current = match self.current.compare_exchange(current, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => new,
            Err(other) => {
                // SAFETY: another thread stored its value first, and no other thread has a pointer to this one.
                drop(unsafe { Box::from_raw(new) });
                other
            }
        };
        // SAFETY: as above, and not null.
        unsafe { &(*current).value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    static VALUE: PerProcess<Mutex<u64>> = PerProcess::new();

    /// Call `check` in a forked child and return whether it was true there.
    fn in_child(check: impl FnOnce() -> bool) -> bool {
        // SAFETY: the child uses no lock of another thread, and ends without running handlers of this process.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::alarm(20);
                libc::_exit(i32::from(!check()));
            }
            let mut status = -1;
            child > 0 && libc::waitpid(child, &raw mut status, 0) == child && status == 0
        }
    }

    #[test]
    fn each_descendant_has_a_later_generation() {
        let own = generation();
        assert!(own >= 1);
        assert!(in_child(|| {
            let child = generation();
            child > own && child == generation() && in_child(|| generation() > child)
        }));
        assert_eq!(generation(), own);
    }

    #[test]
    fn a_child_does_not_wait_for_a_lock_of_its_parent() {
        let guard = VALUE.get().lock().unwrap();
        assert!(in_child(|| {
            let own = VALUE.get().try_lock().map(|mut value| *value = 7).is_ok();
            own && in_child(|| VALUE.get().try_lock().is_ok_and(|value| *value == 0))
        }));
        assert!(VALUE.get().try_lock().is_err());
        drop(guard);
        assert!(ptr::eq(VALUE.get(), VALUE.get()));
    }

    #[test]
    fn the_handler_recognizes_a_child_without_a_wiped_page() {
        // SAFETY: the marker is a static variable.
        let marker = unsafe { &*unwiped_marker() };
        let own = next_generation(marker);
        assert_eq!(marker.load(Ordering::Relaxed), own);
        assert!(in_child(|| marker.load(Ordering::Relaxed) == 0 && next_generation(marker) > own));
        assert_eq!(marker.load(Ordering::Relaxed), own);
    }
}
