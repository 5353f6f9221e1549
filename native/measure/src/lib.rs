//! The native clock: what is timed, and what a sample holds.
//!
//! One [`Arena`] of memory serves all cases of a run, so that interleaved cases meet the same pages. A [`Case`] is
//! prepared once and sampled many times; each sample's result is compared with the first.

mod arena;
mod case;
mod clock;
mod evict;
mod streams;

pub use arena::Arena;
pub use case::{Case, Engine, Model, Op, Placement, Spec, Told};
pub use clock::{Sample, sample, tsc};
pub use streams::Streams;
