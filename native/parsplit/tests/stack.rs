//! Every caller calls a library with the stack at the same offset within a cache line.
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

static OFFSETS: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

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
    OFFSETS.lock().unwrap().get_or_insert_default().insert(stack % 64);
    unsafe { GCM.seal.unwrap()(context, nonce, nonce_bytes, ad, ad_bytes, input, bytes, output, tag) }
}

static RECORDING: Algorithm = Algorithm { seal: Some(seal), ..GCM };

/// Calls from a stack frame with `BYTES` of local data.
#[inline(never)]
fn from_frame_of<const BYTES: usize>(call: &mut dyn FnMut()) {
    let pad = [0u8; BYTES];
    black_box(&pad);
    call();
    black_box(&pad);
}

#[test]
fn calls_have_one_stack_offset_for_all_callers() {
    let mut context = Context::new(&RECORDING, &[1; 32]).unwrap();
    let (message, mut output, mut tag) = ([0; 100], [0; 100], [0; 16]);
    let mut caller_offsets = HashSet::new();
    let mut call = || {
        let stack: usize;
        unsafe { asm!("mov {}, rsp", out(reg) stack, options(nomem, nostack)) };
        caller_offsets.insert(stack % 64);
        unsafe { context.seal(&[0; 12], b"", message.as_ptr(), 100, output.as_mut_ptr(), tag.as_mut_ptr()) }.unwrap();
    };
    from_frame_of::<8>(&mut call);
    from_frame_of::<24>(&mut call);
    from_frame_of::<40>(&mut call);
    from_frame_of::<56>(&mut call);
    assert!(caller_offsets.len() > 1, "the callers have one offset: {caller_offsets:?}");
    for (_, schedule) in Schedule::ALL {
        for threads in [1, 2, 5] {
            let splitter = ParSplit::new(&RECORDING, 16, threads, *schedule).unwrap().serial_below(0);
            let mut sealed = vec![0; splitter.layout(1000).unwrap().sealed_bytes()];
            splitter.key(&[1; 32]).unwrap().seal(&[0; 7], b"", &[0; 1000], &mut sealed).unwrap();
        }
    }
    let offsets = OFFSETS.lock().unwrap().take().unwrap();
    assert_eq!(offsets.len(), 1, "offsets {offsets:?}");
}
