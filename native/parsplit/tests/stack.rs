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

/// Makes a call with the stack pointer moved down by `bytes`, a multiple of 16 as the ABI requires. Local variables would
/// not move it by the same amount in every build: AddressSanitizer aligns each frame.
fn with_stack_moved_by(bytes: usize, call: &mut dyn FnMut()) {
    extern "C" fn trampoline(call: *mut c_void) {
        unsafe { (*call.cast::<&mut dyn FnMut()>())() }
    }
    let mut call = call;
    unsafe {
        asm!(
            "mov r12, rsp",
            "and rsp, -64",
            "sub rsp, {bytes}",
            "call {trampoline}",
            "mov rsp, r12",
            out("r12") _,
            bytes = in(reg) bytes,
            trampoline = sym trampoline,
            in("rdi") (&raw mut call).cast::<c_void>(),
            clobber_abi("C"),
        );
    }
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
    for bytes in [0, 16, 32, 48] {
        with_stack_moved_by(bytes, &mut call);
    }
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
