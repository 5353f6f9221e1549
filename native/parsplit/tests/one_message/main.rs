//! One message on several threads has the bytes and the tag of other implementations.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used)]

mod any_nonce;
mod multipart;
mod oracle;
mod segments;
