//! Status and error message of a call.

use aeadlab_abi as abi;
use parsplit::{Error, Result};
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `PARSPLIT_INTERRUPTED`. All other statuses are those of the ABI.
const INTERRUPTED: i32 = 4;

thread_local! {
    /// The message of this thread's last error.
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Runs a call and returns its status. The message of an error, or of a panic, is stored for this thread.
pub(crate) fn status(call: impl FnOnce() -> Result<()>) -> i32 {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => abi::OK,
        Ok(Err(error)) => {
            store(&error.to_string());
            match error {
                Error::Authentication => abi::AUTH_FAILED,
                Error::Length { .. } | Error::Argument(_) | Error::Overlap => abi::BAD_ARGUMENT,
                Error::Interrupted => INTERRUPTED,
                _ => abi::INTERNAL,
            }
        }
        Err(_) => {
            store("internal error: please report this");
            abi::INTERNAL
        }
    }
}

fn store(message: &str) {
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    // A thread that is ending has no storage left, and cannot read the message either.
    let _ = LAST_ERROR.try_with(|last| last.replace(message));
}

/// Returns an [`Error::Argument`] with this message unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return $crate::status::invalid(format!($($message)+));
        }
    };
}
pub(crate) use ensure;

/// Returns an [`Error::Argument`] with this message.
pub(crate) fn invalid<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::Argument(message.into()))
}

#[unsafe(no_mangle)]
extern "C" fn parsplit_last_error() -> *const c_char {
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"this thread is ending".as_ptr())
}

#[unsafe(no_mangle)]
extern "C" fn parsplit_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
