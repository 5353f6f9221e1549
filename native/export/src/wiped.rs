//! Wiping what crates themselves do not: the keys that `eax` and `hmac` hold, the offsets of `ocb3`, keys of `ring`.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr;
use zeroize::optimization_barrier;

/// A value whose memory is zero after it is dropped. It must hold its secrets itself, not in an allocation;
/// nothing that uses it allocates.
pub struct Wiped<T>(ManuallyDrop<T>);

impl<T> Wiped<T> {
    /// Takes a value over.
    pub fn new(value: T) -> Self {
        Self(ManuallyDrop::new(value))
    }
}

impl<T> Deref for Wiped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> Drop for Wiped<T> {
    fn drop(&mut self) {
        // SAFETY: dropped here and nowhere else, and not used after.
        unsafe { ManuallyDrop::drop(&mut self.0) };
        // SAFETY: the place belongs to `self`, and what it held is dropped.
        unsafe { ptr::from_mut(self).cast::<u8>().write_bytes(0, size_of::<Self>()) };
        // Without it the compiler may leave out writes to memory that is given back next.
        optimization_barrier(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::MaybeUninit;

    /// What a wiped key is usually part of: something with a drop of its own.
    struct Dropped([u8; 64]);

    impl Drop for Dropped {
        fn drop(&mut self) {
            assert_eq!(self.0, [0xa5; 64], "wiped before it was dropped");
        }
    }

    #[test]
    fn nothing_is_left_after_the_values_own_drop() {
        let mut place = MaybeUninit::new(Wiped::new(Dropped([0xa5; 64])));
        // SAFETY: initialised above, and not used as a value after its drop; the memory stays that of `place`.
        let left = unsafe {
            place.assume_init_drop();
            place.as_ptr().cast::<[u8; 64]>().read()
        };
        assert_eq!(left, [0; 64]);
    }
}
