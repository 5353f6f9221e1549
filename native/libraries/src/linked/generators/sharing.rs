//! Who uses a generator's state: one thread, or several, under a lock or without one.

use super::MOST_BYTES;
use super::memory::{Memory, Shared, Slot};
use crate::export::{self, Failure, Generator, Keyed, Outcome, Wiped};
use aeadlab_abi::{self as abi, Algorithm};
use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A generator over some kind of memory, which gives words of four bytes.
pub(super) trait Core: Sized + Send + 'static {
    type Memory: Memory;
    /// Bytes of the key, and of the nonce behind it.
    const SEED: usize;

    /// From a seed of that length.
    fn new(seed: &[u8]) -> Result<Self, Failure>;

    fn word(&self) -> [u8; 4];

    /// Many at once; `output` is a whole number of words.
    #[inline]
    fn words(&self, output: &mut [u8]) {
        one_by_one(self, output);
    }
}

#[inline(always)]
fn one_by_one(core: &impl Core, output: &mut [u8]) {
    for word in output.chunks_exact_mut(4) {
        word.copy_from_slice(&core.word());
    }
}

/// A generator, and how much it has given.
pub(super) struct State<C: Core> {
    core: Wiped<C>,
    spent: <C::Memory as Memory>::Long,
}

/// What is left of a word of which fewer bytes were wanted.
#[derive(Default)]
struct Rest {
    bytes: [u8; 4],
    left: usize,
}

impl<C: Core> State<C> {
    fn new(seed: &[u8]) -> Result<Self, Failure> {
        if seed.len() != C::SEED {
            return Err(Failure::BadArgument);
        }
        Ok(Self { core: Wiped::new(C::new(seed)?), spent: Slot::new(0) })
    }

    #[inline(always)]
    fn generate(&self, rest: &mut Rest, output: &mut [u8], words: impl Fn(&C, &mut [u8])) -> Outcome {
        let spent = self.spent.get().saturating_add(output.len() as u64);
        if spent > MOST_BYTES {
            return Err(Failure::BadArgument);
        }
        self.spent.set(spent);
        let (start, output) = output.split_at_mut(rest.left.min(output.len()));
        if !start.is_empty() {
            let from = 4 - rest.left;
            start.copy_from_slice(&rest.bytes[from..from + start.len()]);
            rest.left -= start.len();
        }
        let (whole, end) = output.split_at_mut(output.len() - output.len() % 4);
        words(&self.core, whole);
        if !end.is_empty() {
            rest.bytes = self.core.word();
            rest.left = 4 - end.len();
            end.copy_from_slice(&rest.bytes[..end.len()]);
        }
        Ok(())
    }
}

/// The row of a form, without name.
pub(super) fn row<F: Form>() -> Algorithm {
    export::generator::<F>(c"", F::SEED as u32, abi::THREAD_SAFE)
}

pub(super) trait Form: Generator {
    const SEED: usize;
}

/// Each context has a state of its own.
pub(super) struct PerThread<C: Core>(Box<State<C>>, Rest);

/// The same, with its words taken one by one where they are used: what a caller has who sees the generator's inside.
pub(super) struct Inlined<C: Core>(Box<State<C>>, Rest);

/// All contexts of one key have one state, used by one at a time.
pub(super) struct Locked<C: Core>(Arc<Mutex<State<C>>>, Rest);

/// All contexts of one key have one state, used by all at once.
pub(super) struct Unlocked<C: Core>(Arc<State<C>>, Rest);

macro_rules! form {
    ($form:ident, $shared:path, |$core:ident, $seed:ident| $new:expr, |$state:ident, $rest:ident, $output:ident| $generate:expr) => {
        impl<$core: Core + $shared> Keyed for $form<$core> {
            fn new(_: &Algorithm, $seed: &[u8]) -> Result<Self, Failure> {
                $new.map(|state| Self(state, Rest::default()))
            }
        }

        impl<$core: Core + $shared> Generator for $form<$core> {
            #[inline]
            fn generate(&mut self, $output: &mut [u8]) -> Outcome {
                let Self($state, $rest) = self;
                $generate
            }
        }

        impl<$core: Core + $shared> Form for $form<$core> {
            const SEED: usize = $core::SEED;
        }
    };
}

form!(PerThread, Send, |C, seed| State::<C>::new(seed).map(Box::new), |state, rest, output| {
    state.generate(rest, output, C::words)
});
form!(Inlined, Send, |C, seed| State::<C>::new(seed).map(Box::new), |state, rest, output| {
    state.generate(rest, output, one_by_one)
});
form!(Locked, Send, |C, seed| shared(seed, || State::<C>::new(seed).map(Mutex::new)), |state, rest, output| {
    state.lock().unwrap_or_else(PoisonError::into_inner).generate(rest, output, C::words)
});
form!(Unlocked, SharedCore, |C, seed| shared(seed, || State::<C>::new(seed)), |state, rest, output| {
    state.generate(rest, output, C::words)
});

/// A core whose memory is of several threads.
pub(super) trait SharedCore: Core<Memory = Shared> + Sync {}
impl<C: Core<Memory = Shared> + Sync> SharedCore for C {}

/// A state that contexts share, and the hash of the seed that finds it: the seed itself ends with the state.
type Known = (TypeId, blake3::Hash, Weak<dyn Any + Send + Sync>);

/// The state that contexts of this seed share; it lives as long as one of them.
fn shared<T: Send + Sync + 'static>(seed: &[u8], new: impl FnOnce() -> Result<T, Failure>) -> Result<Arc<T>, Failure> {
    static STATES: Mutex<Vec<Known>> = Mutex::new(Vec::new());
    let mut states = STATES.lock().unwrap_or_else(PoisonError::into_inner);
    states.retain(|(_, _, state)| state.strong_count() > 0);
    let (of, hash) = (TypeId::of::<T>(), blake3::hash(seed));
    let known = states.iter().find(|(one, its, _)| (*one, *its) == (of, hash));
    if let Some(state) = known.and_then(|(_, _, state)| state.upgrade()) {
        return state.downcast().map_err(|_| Failure::Internal);
    }
    let state = Arc::new(new()?);
    let weak: Weak<dyn Any + Send + Sync> = Arc::<T>::downgrade(&state);
    states.push((of, hash, weak));
    Ok(state)
}
