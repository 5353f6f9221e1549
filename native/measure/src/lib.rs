//! The native clock: buffers, prepared cases, and timed samples.
//!
//! One [`Arena`] of memory serves all cases of a run, so that interleaved cases use the same pages. A [`Case`] is
//! prepared once and sampled many times; each sample's result is compared with the first.

/// Returns [`parsplit::Error::Argument`] with this message unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(parsplit::Error::Argument(format!($($message)+)));
        }
    };
}

mod answer;
mod arena;
mod cache;
mod calibration;
mod case;
mod clock;
mod spec;
mod standard;
mod streams;

pub use answer::{AnswerError, fill};
pub use arena::{Arena, fill_associated};
pub use calibration::calibrate;
pub use case::Case;
pub use clock::{Sample, sample, tsc};
pub use spec::{Engine, LibrarySettings, Model, Op, Placement, Spec, Standard};
pub use streams::Streams;
