//! `parsplit.h`: the engine from C, and from whatever loads plugins.
//!
//! The header is the contract of every function here; the comments in this crate only say why it is kept.

mod bare;
mod builtin;
mod call;
mod face;
mod handle;
mod load;
mod memory;
