//! Tests of the engine that share no state, in one program: linking each takes as long as running all.
#![allow(clippy::unwrap_used, clippy::undocumented_unsafe_blocks, missing_docs)]

mod construction;
#[path = "../double/mod.rs"]
mod double;
mod failures;
mod many;
mod modules;
mod streams;
