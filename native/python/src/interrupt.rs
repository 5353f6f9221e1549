//! Ctrl-C during a long call.
//!
//! Python records the signal and raises KeyboardInterrupt at its next instruction, which is after the call. To end the
//! call early, a handler of this module replaces Python's for its duration: it sets the flag that the engine checks
//! before each block, and then calls Python's handler.

use crate::buffer::SendPointer;
use crate::errors::raise;
use ::parsplit::{Error, Result};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Length in bytes from which a call can be interrupted. The slowest cipher of the catalogue takes a few milliseconds
/// for shorter messages.
const INTERRUPTIBLE_FROM: usize = 256 << 10;

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// The address of Python's handler, and whether it takes three arguments.
static PYTHON_HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_IGN);
static PYTHON_TAKES_SIGINFO: AtomicBool = AtomicBool::new(false);

/// Sets its flag on Ctrl-C while it lives.
struct SignalHandler {
    previous: libc::sigaction,
    flag: Arc<AtomicBool>,
}

extern "C" fn on_sigint(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if let Some(flag) = FLAG.get() {
        flag.store(true, Ordering::Relaxed);
    }
    let handler = PYTHON_HANDLER.load(Ordering::Relaxed);
    if handler == libc::SIG_IGN || handler == libc::SIG_DFL {
        return;
    }
    // SAFETY: sigaction returned the address, and its flags give the handler's arguments.
    unsafe {
        if PYTHON_TAKES_SIGINFO.load(Ordering::Relaxed) {
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                std::mem::transmute(handler);
            handler(signal, info, context);
        } else {
            let handler: extern "C" fn(libc::c_int) = std::mem::transmute(handler);
            handler(signal);
        }
    }
}

/// Whether Ctrl-C raises KeyboardInterrupt in this thread: it is the main thread, and Python's default handler is
/// installed.
fn raises_keyboard_interrupt(py: Python<'_>) -> PyResult<bool> {
    /// `threading.main_thread`, `threading.get_ident`, `signal.getsignal`, `signal.default_int_handler`
    static FUNCTIONS: PyOnceLock<[Py<PyAny>; 4]> = PyOnceLock::new();
    let [main, own, handler, default] = FUNCTIONS.get_or_try_init(py, || {
        let (threading, signal) = (py.import("threading")?, py.import("signal")?);
        let (threads, handlers) = (["main_thread", "get_ident"], ["getsignal", "default_int_handler"]);
        let [main, own] = threads.map(|name| threading.getattr(name).map(Bound::unbind));
        let [handler, default] = handlers.map(|name| signal.getattr(name).map(Bound::unbind));
        PyResult::Ok([main?, own?, handler?, default?])
    })?;
    Ok(main.bind(py).call0()?.getattr("ident")?.eq(own.bind(py).call0()?)?
        && handler.bind(py).call1((libc::SIGINT,))?.is(default))
}

impl SignalHandler {
    /// Returns None for a short message, and where Ctrl-C does not raise KeyboardInterrupt.
    fn install(py: Python<'_>, bytes: usize) -> PyResult<Option<Self>> {
        if bytes < INTERRUPTIBLE_FROM || !raises_keyboard_interrupt(py)? {
            return Ok(None);
        }
        let flag = FLAG.get_or_init(Arc::default).clone();
        flag.store(false, Ordering::Relaxed);
        // SAFETY: a zeroed action is valid.
        let mut previous: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: reads the installed action.
        if unsafe { libc::sigaction(libc::SIGINT, ptr::null(), &raw mut previous) } != 0 {
            return Ok(None);
        }
        // A child that is forked during a call inherits the handler of this module, which must not call itself.
        if previous.sa_sigaction != on_sigint as *const () as usize {
            PYTHON_HANDLER.store(previous.sa_sigaction, Ordering::Relaxed);
            PYTHON_TAKES_SIGINFO.store(previous.sa_flags & libc::SA_SIGINFO != 0, Ordering::Relaxed);
        }
        let mut action = previous;
        action.sa_sigaction = on_sigint as *const () as usize;
        action.sa_flags |= libc::SA_SIGINFO;
        // SAFETY: `on_sigint` is async-signal-safe and has the signature that SA_SIGINFO requires.
        let installed = unsafe { libc::sigaction(libc::SIGINT, &raw const action, ptr::null_mut()) } == 0;
        Ok(installed.then_some(Self { previous, flag }))
    }
}

impl Drop for SignalHandler {
    fn drop(&mut self) {
        // SAFETY: restores the previous action.
        unsafe { libc::sigaction(libc::SIGINT, &raw const self.previous, ptr::null_mut()) };
    }
}

/// Calls `work` on an engine, input and output with the GIL released. Ctrl-C ends a call of a long message early, for
/// which `set_flag` gives the engine the flag that ends its calls.
///
/// The caller holds the Python objects that own the memory until this function returns.
pub(crate) fn interruptible<E: Send, T: Send>(
    py: Python<'_>,
    engine: &mut E,
    set_flag: impl FnOnce(&mut E, Option<Arc<AtomicBool>>),
    bytes: usize,
    (input, output): (*const u8, *mut u8),
    work: impl FnOnce(&mut E, *const u8, *mut u8) -> Result<T> + Send,
) -> PyResult<T> {
    let handler = SignalHandler::install(py, bytes)?;
    set_flag(engine, handler.as_ref().map(|handler| handler.flag.clone()));
    let pointers = (SendPointer(input.cast_mut()), SendPointer(output));
    let outcome = py.detach(move || {
        // The whole tuple is moved into the closure: a capture of its raw pointers alone would not be `Send`.
        let (SendPointer(input), SendPointer(output)) = { pointers };
        work(engine, input, output)
    });
    drop(handler);
    if matches!(outcome, Err(Error::Interrupted)) {
        // Python's own handler has recorded the signal too; raise it here instead of after this call.
        py.check_signals()?;
    }
    outcome.map_err(raise)
}
