//! Entries of descriptors, also of plugins that were compiled with an earlier `aeadlab.h`.

use aeadlab_abi::{self as abi, Algorithm, FIRST_ALGORITHM_BYTES, KeyNew};
use std::ffi::c_void;
use std::mem::size_of;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// An entry of an earlier header and its copy, whose later fields are empty. They are never freed.
struct Extended {
    original: *const Algorithm,
    key_new: Option<KeyNew>,
    copy: Algorithm,
    previous: *const Extended,
}

/// The last copy. The list has no lock, which would stay locked in a child that is forked meanwhile.
static LAST: AtomicPtr<Extended> = AtomicPtr::new(ptr::null_mut());

/// Return an entry of a descriptor. One that is shorter than [`Algorithm`] is copied once, and its later fields are
/// empty; the plugin still receives its own entry.
///
/// # Errors
/// The length of the entry if it is below [`FIRST_ALGORITHM_BYTES`].
///
/// # Safety
/// `entry` points to an entry that follows the header and is constant until the process ends.
pub unsafe fn entry_of(entry: *const Algorithm) -> Result<&'static Algorithm, usize> {
    // SAFETY: the size is the first field in every version of the ABI.
    let bytes = unsafe { entry.cast::<usize>().read() };
    if bytes < FIRST_ALGORITHM_BYTES {
        return Err(bytes);
    }
    if bytes >= size_of::<Algorithm>() {
        // SAFETY: long enough, and constant by the caller's promise.
        return Ok(unsafe { &*entry });
    }
    let last = LAST.load(Ordering::Acquire);
    if let Some(known) = find(entry, last) {
        return Ok(&known.copy);
    }
    let mut copy = Algorithm::empty(abi::AEAD);
    // SAFETY: both have this number of bytes, which ends at the end of a field.
    unsafe { (&raw mut copy).cast::<u8>().copy_from_nonoverlapping(entry.cast(), FIRST_ALGORITHM_BYTES) };
    let extended = Box::leak(Box::new(Extended { original: entry, key_new: copy.key_new, copy, previous: last }));
    extended.copy.struct_size = size_of::<Algorithm>();
    extended.copy.data = ptr::from_ref(&*extended).cast();
    extended.copy.key_new = extended.key_new.map(|_| key_new_of_original as KeyNew);
    // Two threads that add the same entry make two copies, which serve equally well.
    while let Err(other) =
        LAST.compare_exchange_weak(extended.previous.cast_mut(), extended, Ordering::AcqRel, Ordering::Acquire)
    {
        extended.previous = other;
    }
    Ok(&extended.copy)
}

fn find(entry: *const Algorithm, last: *const Extended) -> Option<&'static Extended> {
    let mut next = last;
    // SAFETY: every pointer of the list came from a box that is never freed; null ends it.
    while let Some(extended) = unsafe { next.as_ref() } {
        if extended.original == entry {
            return Some(extended);
        }
        next = extended.previous;
    }
    None
}

/// Pass `key_new` the plugin's own entry instead of the copy, because plugins find their data in it.
unsafe extern "C" fn key_new_of_original(
    copy: *const Algorithm,
    key: *const u8,
    bytes: usize,
    context: *mut *mut c_void,
) -> i32 {
    // SAFETY: `entry_of` stored the pointer in the copy, and this function is called with copies only.
    let extended = unsafe { &*(*copy).data.cast::<Extended>() };
    match extended.key_new {
        // SAFETY: the caller's promise is the header's.
        Some(key_new) => unsafe { key_new(extended.original, key, bytes, context) },
        None => abi::INTERNAL,
    }
}
