//! The forms of a generator: a state for each thread, or a shared state with or without a lock, and forms that differ in
//! the call of the generator for each word.

use super::MAX_OUTPUT_BYTES;
use super::memory::{Memory, Scalar, Shared};
use crate::export::{self, Failure, Keyed, Outcome, Wiped};
use aeadlab_abi::{self as abi, Algorithm};
use parsplit::PerProcess;
use std::any::{Any, TypeId};
use std::process::abort;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A generator of words of four bytes, over some kind of memory.
pub(super) trait Generator: Sized + Send + 'static {
    type Memory: Memory;
    /// The length of the key and the nonce behind it, in bytes.
    const SEED_BYTES: usize;

    /// Set up the generator from a seed of `SEED_BYTES`.
    fn new(seed: &[u8]) -> Result<Self, Failure>;

    /// Return the next word.
    fn word(&self) -> [u8; 4];

    /// Fill `output`, a whole number of words.
    #[inline]
    fn words(&self, output: &mut [u8]) {
        word_by_word(self, output);
    }
}

#[inline(always)]
fn word_by_word(generator: &impl Generator, output: &mut [u8]) {
    for word in output.chunks_exact_mut(4) {
        word.copy_from_slice(&generator.word());
    }
}

fn called_for_each_word(generator: &impl Generator, output: &mut [u8]) {
    #[inline(never)]
    fn word(generator: &impl Generator) -> [u8; 4] {
        generator.word()
    }
    for output in output.chunks_exact_mut(4) {
        output.copy_from_slice(&word(generator));
    }
}

/// Never set, but the compiler must assume that other code sets it.
#[used]
static ASSERTION_FAILED: AtomicBool = AtomicBool::new(false);

#[inline(always)]
fn branch_before_each_word(generator: &impl Generator, output: &mut [u8]) {
    for word in output.chunks_exact_mut(4) {
        if ASSERTION_FAILED.load(Relaxed) {
            abort();
        }
        word.copy_from_slice(&generator.word());
    }
}

/// A generator and the number of bytes it has output.
pub(super) struct State<G: Generator> {
    generator: Wiped<G>,
    output_bytes: <G::Memory as Memory>::U64,
}

/// The unused last `left` bytes of a word.
#[derive(Default)]
pub(super) struct PartialWord {
    bytes: [u8; 4],
    left: usize,
}

impl<G: Generator> State<G> {
    pub(super) fn new(seed: &[u8]) -> Result<Self, Failure> {
        if seed.len() != G::SEED_BYTES {
            return Err(Failure::BadArgument);
        }
        Ok(Self { generator: Wiped::new(G::new(seed)?), output_bytes: Scalar::new(0) })
    }

    #[inline(always)]
    pub(super) fn generate(&self, rest: &mut PartialWord, output: &mut [u8], words: impl Fn(&G, &mut [u8])) -> Outcome {
        let output_bytes = self.output_bytes.get().saturating_add(output.len() as u64);
        if output_bytes > MAX_OUTPUT_BYTES {
            return Err(Failure::BadArgument);
        }
        self.output_bytes.set(output_bytes);
        let (start, output) = output.split_at_mut(rest.left.min(output.len()));
        if !start.is_empty() {
            let from = 4 - rest.left;
            start.copy_from_slice(&rest.bytes[from..from + start.len()]);
            rest.left -= start.len();
        }
        let (whole, end) = output.split_at_mut(output.len() - output.len() % 4);
        words(&self.generator, whole);
        if !end.is_empty() {
            rest.bytes = self.generator.word();
            rest.left = 4 - end.len();
            end.copy_from_slice(&rest.bytes[..end.len()]);
        }
        Ok(())
    }
}

/// Return the table row of a form, without a name.
pub(super) fn row<F: Form>() -> Algorithm {
    export::generator::<F>(c"", F::SEED_BYTES as u32, abi::THREAD_SAFE)
}

/// One of the forms of a generator.
pub(super) trait Form: export::Generator {
    const SEED_BYTES: usize;
}

/// Each context has a state of its own.
pub(super) struct PerThread<G: Generator>(Box<State<G>>, PartialWord);

/// Each context has a state of its own, and the generator is inlined into the loop over the words.
pub(super) struct Inlined<G: Generator>(Box<State<G>>, PartialWord);

/// As [`Inlined`], with a call of the generator for each word.
pub(super) struct Called<G: Generator>(Box<State<G>>, PartialWord);

/// As [`Inlined`], with a branch before each word that is never taken.
pub(super) struct Branched<G: Generator>(Box<State<G>>, PartialWord);

/// All contexts of one key share a state, which one thread uses at a time.
pub(super) struct Locked<G: Generator>(Arc<Mutex<State<G>>>, PartialWord);

/// All contexts of one key share a state, which all threads use at once.
pub(super) struct Unlocked<G: Generator>(Arc<State<G>>, PartialWord);

macro_rules! form {
    (
        $form:ident, $bound:path, |$generator:ident, $seed:ident| $new:expr,
        |$state:ident, $rest:ident, $output:ident| $generate:expr
    ) => {
        impl<$generator: Generator + $bound> Keyed for $form<$generator> {
            fn new(_: &Algorithm, $seed: &[u8]) -> Result<Self, Failure> {
                $new.map(|state| Self(state, PartialWord::default()))
            }
        }

        impl<$generator: Generator + $bound> export::Generator for $form<$generator> {
            #[inline]
            fn generate(&mut self, $output: &mut [u8]) -> Outcome {
                let Self($state, $rest) = self;
                $generate
            }
        }

        impl<$generator: Generator + $bound> Form for $form<$generator> {
            const SEED_BYTES: usize = $generator::SEED_BYTES;
        }
    };
}

form!(PerThread, Send, |G, seed| State::<G>::new(seed).map(Box::new), |state, rest, output| {
    state.generate(rest, output, G::words)
});
form!(Inlined, Send, |G, seed| State::<G>::new(seed).map(Box::new), |state, rest, output| {
    state.generate(rest, output, word_by_word)
});
form!(Called, Send, |G, seed| State::<G>::new(seed).map(Box::new), |state, rest, output| {
    state.generate(rest, output, called_for_each_word)
});
form!(Branched, Send, |G, seed| State::<G>::new(seed).map(Box::new), |state, rest, output| {
    state.generate(rest, output, branch_before_each_word)
});
form!(Locked, Send, |G, seed| shared(seed, || State::<G>::new(seed).map(Mutex::new)), |state, rest, output| {
    state.lock().unwrap_or_else(PoisonError::into_inner).generate(rest, output, G::words)
});
form!(Unlocked, SharedGenerator, |G, seed| shared(seed, || State::<G>::new(seed)), |state, rest, output| {
    state.generate(rest, output, G::words)
});

/// A generator whose memory several threads can share.
pub(super) trait SharedGenerator: Generator<Memory = Shared> + Sync {}
impl<G: Generator<Memory = Shared> + Sync> SharedGenerator for G {}

/// A shared state, by its type and the hash of its seed: the seed itself must not outlive the state.
type SharedState = (TypeId, blake3::Hash, Weak<dyn Any + Send + Sync>);

/// Return the state that all contexts of `seed` share. It is freed with the last of them.
fn shared<T: Send + Sync + 'static>(seed: &[u8], new: impl FnOnce() -> Result<T, Failure>) -> Result<Arc<T>, Failure> {
    static STATES: PerProcess<Mutex<Vec<SharedState>>> = PerProcess::new();
    let mut states = STATES.get().lock().unwrap_or_else(PoisonError::into_inner);
    states.retain(|(_, _, state)| state.strong_count() > 0);
    let (id, hash) = (TypeId::of::<T>(), blake3::hash(seed));
    let existing = states.iter().find(|(state_id, seed_hash, _)| (*state_id, *seed_hash) == (id, hash));
    if let Some(state) = existing.and_then(|(_, _, state)| state.upgrade()) {
        return state.downcast().map_err(|_| Failure::Internal);
    }
    let state = Arc::new(new()?);
    let weak: Weak<dyn Any + Send + Sync> = Arc::<T>::downgrade(&state);
    states.push((id, hash, weak));
    Ok(state)
}
