//! What every exported function has in common: a status, a reason, and no panic that leaves.

use aeadlab_abi as abi;
use parsplit::{Error, Result};
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `PARSPLIT_INTERRUPTED`; the others are the ABI's.
const INTERRUPTED: i32 = 4;

thread_local! {
    /// Why the last call of this thread that failed did.
    static REASON: RefCell<CString> = RefCell::default();
}

/// The status of a call, its reason kept for this thread.
pub(crate) fn status(call: impl FnOnce() -> Result<()>) -> i32 {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => abi::OK,
        Ok(Err(error)) => {
            keep(&error.to_string());
            match error {
                Error::Authentication => abi::AUTH_FAILED,
                Error::Length { .. } | Error::Argument(_) | Error::Overlap => abi::BAD_ARGUMENT,
                Error::Interrupted => INTERRUPTED,
                _ => abi::INTERNAL,
            }
        }
        Err(_) => {
            keep("a bug: please report this");
            abi::INTERNAL
        }
    }
}

fn keep(reason: &str) {
    let reason = CString::new(reason.replace('\0', " ")).unwrap_or_default();
    // A thread that is ending has no place any more, and nobody to read it.
    let _ = REASON.try_with(|kept| kept.replace(reason));
}

/// What an argument must be.
pub(crate) fn refused<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Argument(why.into()))
}

#[unsafe(no_mangle)]
extern "C" fn parsplit_last_error() -> *const c_char {
    REASON.try_with(|kept| kept.borrow().as_ptr()).unwrap_or(c"this thread is ending".as_ptr())
}

#[unsafe(no_mangle)]
extern "C" fn parsplit_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
