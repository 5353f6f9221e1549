//! The formats open what other implementations seal and the reverse, and nothing that was changed.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../../../fuzz/src/check.rs"]
mod check;
mod double;
mod floe;
mod forgeries;
mod readers;
mod seeds;
mod wycheproof;
