//! The memory of a generator's state: owned by one thread, or shared by several threads without synchronisation.

use std::cell::Cell;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

/// A number in memory.
pub(super) trait Scalar<T>: Send {
    fn new(value: T) -> Self;
    fn get(&self) -> T;
    fn set(&self, value: T);
}

/// A kind of memory.
pub(super) trait Memory: 'static {
    type U8: Scalar<u8>;
    type U32: Scalar<u32>;
    type U64: Scalar<u64>;
}

/// Memory of one thread.
pub(super) struct Owned;

impl Memory for Owned {
    type U8 = Cell<u8>;
    type U32 = Cell<u32>;
    type U64 = Cell<u64>;
}

/// Memory of several threads. Each access is a relaxed atomic one: the plain accesses of the document *NetBSD* without a
/// mutex are data races, undefined behaviour in Rust and C. One such access is a plain load or store, but a compiler
/// neither keeps the number in a register nor combines accesses, so that one thread is slower than with [`Owned`].
pub(super) struct Shared;

impl Memory for Shared {
    type U8 = AtomicU8;
    type U32 = AtomicU32;
    type U64 = AtomicU64;
}

impl<T: Copy + Send> Scalar<T> for Cell<T> {
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
        $(impl Scalar<$plain> for $atomic {
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
