//! A state that each request looks up in a variable of its thread, as a kernel looks up the state of its CPU.

use super::arc4::Arc4;
use super::hc128::Hc128;
use super::memory::Owned;
use super::sharing::{Form, Generator, PartialWord, State};
use crate::export::{self, Failure, Keyed, Outcome};
use aeadlab_abi::Algorithm;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::LocalKey;
use zeroize::Zeroizing;

/// The states of a thread, each with the number of its context. A thread rarely has more than one.
pub(super) type States<G> = RefCell<Vec<(u64, Box<State<G>>)>>;

/// A generator with a variable of the thread for its states.
pub(super) trait ThreadVariable: Generator {
    fn states() -> &'static LocalKey<States<Self>>;
}

macro_rules! thread_variable {
    ($($generator:ty;)*) => {
        $(impl ThreadVariable for $generator {
            fn states() -> &'static LocalKey<States<Self>> {
                thread_local! {
                    static STATES: States<$generator> = const { RefCell::new(Vec::new()) };
                }
                &STATES
            }
        })*
    };
}

thread_variable! { Arc4<Owned>; Hc128<Owned>; }

/// Each context has a state in each thread that uses it, which every request looks up.
pub(super) struct LookedUp<G: ThreadVariable> {
    number: u64,
    seed: Zeroizing<Vec<u8>>,
    rest: PartialWord,
    generator: PhantomData<fn() -> G>,
}

impl<G: ThreadVariable> Keyed for LookedUp<G> {
    fn new(_: &Algorithm, seed: &[u8]) -> Result<Self, Failure> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Relaxed);
        let state = Box::new(State::new(seed)?);
        G::states().with_borrow_mut(|states| states.push((number, state)));
        Ok(Self { number, seed: seed.to_vec().into(), rest: PartialWord::default(), generator: PhantomData })
    }
}

impl<G: ThreadVariable> export::Generator for LookedUp<G> {
    #[inline]
    fn generate(&mut self, output: &mut [u8]) -> Outcome {
        G::states().with_borrow_mut(|states| {
            let index = states.iter().position(|(number, _)| *number == self.number);
            let index = match index {
                Some(index) => index,
                None => {
                    // Another thread created the context.
                    states.push((self.number, Box::new(State::new(&self.seed)?)));
                    states.len() - 1
                }
            };
            states[index].1.generate(&mut self.rest, output, G::words)
        })
    }
}

impl<G: ThreadVariable> Drop for LookedUp<G> {
    fn drop(&mut self) {
        // States in other threads, and all states of a thread that ends, are freed with their thread.
        let _ = G::states().try_with(|states| states.borrow_mut().retain(|(number, _)| *number != self.number));
    }
}

impl<G: ThreadVariable> Form for LookedUp<G> {
    const SEED_BYTES: usize = G::SEED_BYTES;
}
