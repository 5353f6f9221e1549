//! Tests of the linked libraries, in one program: linking each takes as long as running all.
#![allow(clippy::unwrap_used)]

mod composed;
#[path = "../context/mod.rs"]
mod context;
mod generators;
mod in_place;
mod stack_depth;
