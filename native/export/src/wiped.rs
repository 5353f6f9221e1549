//! Wiping of secrets that other crates leave in memory: keys of `eax`, `hmac` and `ring`, offsets of `ocb3`.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr;
use zeroize::optimization_barrier;

/// A value whose memory is overwritten with zeros when it is dropped. The value must hold its secrets itself, not in a
/// heap allocation.
pub struct Wiped<T>(ManuallyDrop<T>);

impl<T> Wiped<T> {
    /// Wraps a value.
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
        // SAFETY: the value is dropped only here and not used afterwards.
        unsafe { ManuallyDrop::drop(&mut self.0) };
        // SAFETY: `self` owns the memory, and its value has been dropped.
        unsafe { ptr::from_mut(self).cast::<u8>().write_bytes(0, size_of::<Self>()) };
        // Without the barrier the compiler may remove writes to memory that is freed next.
        optimization_barrier(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::MaybeUninit;

    /// A secret that implements `Drop` itself, as keys of other crates do.
    struct Secret([u8; 64]);

    impl Drop for Secret {
        fn drop(&mut self) {
            assert_eq!(self.0, [0xa5; 64], "wiped before it was dropped");
        }
    }

    #[test]
    fn wipes_the_memory_after_the_value_is_dropped() {
        let mut memory = MaybeUninit::new(Wiped::new(Secret([0xa5; 64])));
        // SAFETY: initialised above and not used as a value after its drop; `memory` owns the bytes until the end.
        let bytes = unsafe {
            memory.assume_init_drop();
            memory.as_ptr().cast::<[u8; 64]>().read()
        };
        assert_eq!(bytes, [0; 64]);
    }
}
