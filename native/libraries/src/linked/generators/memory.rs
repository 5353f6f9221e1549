//! What a generator's state is made of: memory of one thread, or memory that several read and write without any order.

use std::cell::Cell;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

/// A number in such memory.
pub(super) trait Slot<T>: Send {
    fn new(value: T) -> Self;
    fn get(&self) -> T;
    fn set(&self, value: T);
}

/// A kind of memory.
pub(super) trait Memory: 'static {
    type Byte: Slot<u8>;
    type Word: Slot<u32>;
    type Long: Slot<u64>;
}

/// Of one thread.
pub(super) struct Owned;

impl Memory for Owned {
    type Byte = Cell<u8>;
    type Word = Cell<u32>;
    type Long = Cell<u64>;
}

/// Of several threads. Each access is atomic and nothing else is: what the document did with a mutex left out, which in
/// Rust and C would be undefined, is defined here, at the same cost of a plain load or store.
pub(super) struct Shared;

impl Memory for Shared {
    type Byte = AtomicU8;
    type Word = AtomicU32;
    type Long = AtomicU64;
}

impl<T: Copy + Send> Slot<T> for Cell<T> {
    #[inline(always)]
    fn new(value: T) -> Self {
        Self::new(value)
    }
    #[inline(always)]
    fn get(&self) -> T {
        self.get()
    }
    #[inline(always)]
    fn set(&self, value: T) {
        self.set(value);
    }
}

macro_rules! atomic {
    ($($atomic:ty, $plain:ty;)*) => {
        $(impl Slot<$plain> for $atomic {
            #[inline(always)]
            fn new(value: $plain) -> Self {
                Self::new(value)
            }
            #[inline(always)]
            fn get(&self) -> $plain {
                self.load(Relaxed)
            }
            #[inline(always)]
            fn set(&self, value: $plain) {
                self.store(value, Relaxed);
            }
        })*
    };
}

atomic! { AtomicU8, u8; AtomicU32, u32; AtomicU64, u64; }
