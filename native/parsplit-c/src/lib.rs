//! `parsplit.h`: the C API of the engine, and a plugin for hosts of `aeadlab.h`.
//!
//! The headers are the contract of all exported functions. The comments in this crate give only reasons.

mod builtin;
mod handle;
mod load;
mod memory;
mod message;
mod oneshot;
mod plugin;
mod status;
