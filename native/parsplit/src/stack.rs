//! Where the stack lies when a library is called. Code that keeps much on it runs at another speed at another offset from
//! the start of a cache line: RustCrypto's AES-GCM took 6.8 % longer on a Zen 5 at some offsets than at others, in one
//! binary. Which it is would depend on the frames of whoever calls, so that schedules, engines and block sizes differed by
//! what none of them does.

use std::hint::black_box;

/// Makes a call with the stack at the same place of a cache line whoever asks.
#[inline(never)]
pub(crate) fn aligned<T>(call: impl FnOnce() -> T) -> T {
    #[repr(align(64))]
    struct Line([u8; 64]);
    // A local that is aligned so has the whole frame aligned.
    let line = Line([0; 64]);
    black_box(&line.0);
    call()
}
