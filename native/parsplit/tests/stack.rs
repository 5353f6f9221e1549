//! A library is called with the stack at one place of a cache line, whoever calls.
#![cfg(all(target_arch = "x86_64", not(miri)))]
#![allow(clippy::unwrap_used, clippy::undocumented_unsafe_blocks, missing_docs)]

mod double;

use aeadlab_abi::Algorithm;
use double::GCM;
use parsplit::{Context, ParSplit, Schedule};
use std::arch::asm;
use std::collections::HashSet;
use std::ffi::c_void;
use std::hint::black_box;
use std::sync::Mutex;

static SEEN: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

unsafe extern "C" fn seal(
    context: *mut c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    bytes: usize,
    output: *mut u8,
    tag: *mut u8,
) -> i32 {
    let stack: usize;
    unsafe { asm!("mov {}, rsp", out(reg) stack, options(nomem, nostack)) };
    SEEN.lock().unwrap().get_or_insert_default().insert(stack % 64);
    unsafe { GCM.seal.unwrap()(context, nonce, nonce_bytes, ad, ad_bytes, input, bytes, output, tag) }
}

static LOOKING: Algorithm = Algorithm { seal: Some(seal), ..GCM };

/// Calls from a frame with so many bytes of its own.
#[inline(never)]
fn beside<const BYTES: usize>(call: &mut dyn FnMut()) {
    let pad = [0u8; BYTES];
    black_box(&pad);
    call();
    black_box(&pad);
}

#[test]
fn every_caller_calls_from_the_same_place_of_a_line() {
    let mut context = Context::new(&LOOKING, &[1; 32]).unwrap();
    let (message, mut output, mut tag) = ([0; 100], [0; 100], [0; 16]);
    let mut frames = HashSet::new();
    let mut call = || {
        let here: usize;
        unsafe { asm!("mov {}, rsp", out(reg) here, options(nomem, nostack)) };
        frames.insert(here % 64);
        unsafe { context.seal(&[0; 12], b"", message.as_ptr(), 100, output.as_mut_ptr(), tag.as_mut_ptr()) }.unwrap();
    };
    beside::<8>(&mut call);
    beside::<24>(&mut call);
    beside::<40>(&mut call);
    beside::<56>(&mut call);
    assert!(frames.len() > 1, "the callers were all at {frames:?}");
    for (_, schedule) in Schedule::ALL {
        for threads in [1, 2, 5] {
            let splitter = ParSplit::new(&LOOKING, 16, threads, *schedule).unwrap().serial_below(0);
            let mut sealed = vec![0; splitter.layout(1000).unwrap().sealed()];
            splitter.key(&[1; 32]).unwrap().seal(&[0; 7], b"", &[0; 1000], &mut sealed).unwrap();
        }
    }
    let seen = SEEN.lock().unwrap().take().unwrap();
    assert_eq!(seen.len(), 1, "places {seen:?}");
}
