//! Keys of crates that do not wipe them.

use std::mem::{MaybeUninit, needs_drop};
use std::ops::Deref;
use zeroize::Zeroize;

/// A value whose memory is wiped when it is dropped. It must own nothing outside of itself.
pub(crate) struct Wiped<T>(MaybeUninit<T>);

impl<T> Wiped<T> {
    pub(crate) fn new(value: T) -> Self {
        const { assert!(!needs_drop::<T>(), "it would be wiped before its own drop could run") };
        Self(MaybeUninit::new(value))
    }
}

impl<T> Deref for Wiped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: `new` wrote the value and only `drop` takes it away.
        unsafe { self.0.assume_init_ref() }
    }
}

impl<T> Drop for Wiped<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_leaves_nothing() {
        let mut place = MaybeUninit::new(Wiped::new([0xa5_u8; 64]));
        // SAFETY: initialised above and not used as a value again; the memory stays that of `place`.
        let left = unsafe {
            assert_eq!(**place.assume_init_ref(), [0xa5; 64]);
            place.assume_init_drop();
            place.as_ptr().cast::<[u8; 64]>().read()
        };
        assert_eq!(left, [0; 64]);
    }
}
