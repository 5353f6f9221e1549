//! Ctrl-C during a long call.
//!
//! Python notes the signal and raises KeyboardInterrupt when its next instruction runs, which is after the call. So that
//! the call ends early, a handler of ours stands before Python's while it lasts: it sets the word that the engine looks
//! at before each block, and passes the signal on.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Shorter messages end soon enough: the slowest cipher of the catalogue does so many bytes in a few milliseconds.
const WATCHED_FROM: usize = 256 << 10;

static WORD: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// What Python had installed: the address of its handler, and whether that takes three arguments.
static PYTHONS: AtomicUsize = AtomicUsize::new(libc::SIG_IGN);
static PYTHONS_TAKES_INFO: AtomicBool = AtomicBool::new(false);

/// While this lives, Ctrl-C sets its word.
pub(crate) struct Watch {
    before: libc::sigaction,
    word: Arc<AtomicBool>,
}

extern "C" fn noticed(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if let Some(word) = WORD.get() {
        word.store(true, Ordering::Relaxed);
    }
    let handler = PYTHONS.load(Ordering::Relaxed);
    if handler == libc::SIG_IGN || handler == libc::SIG_DFL {
        return;
    }
    // SAFETY: the address of a handler with the arguments that its flag says, taken from sigaction.
    unsafe {
        if PYTHONS_TAKES_INFO.load(Ordering::Relaxed) {
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                std::mem::transmute(handler);
            handler(signal, info, context);
        } else {
            let handler: extern "C" fn(libc::c_int) = std::mem::transmute(handler);
            handler(signal);
        }
    }
}

/// `threading.main_thread`, `threading.get_ident`, `signal.getsignal`, `signal.default_int_handler`
type Asked = [Py<PyAny>; 4];

/// Whether Ctrl-C would raise KeyboardInterrupt in this thread: it is the main one, and nobody has put a handler of
/// another meaning in the place of Python's.
fn raises_here(py: Python<'_>) -> PyResult<bool> {
    static ASKED: PyOnceLock<Asked> = PyOnceLock::new();
    let [main, own, handler, default] = ASKED.get_or_try_init(py, || {
        let (threading, signal) = (py.import("threading")?, py.import("signal")?);
        let (threads, handlers) = (["main_thread", "get_ident"], ["getsignal", "default_int_handler"]);
        let [main, own] = threads.map(|name| threading.getattr(name).map(Bound::unbind));
        let [handler, default] = handlers.map(|name| signal.getattr(name).map(Bound::unbind));
        PyResult::Ok([main?, own?, handler?, default?])
    })?;
    Ok(main.bind(py).call0()?.getattr("ident")?.eq(own.bind(py).call0()?)?
        && handler.bind(py).call1((libc::SIGINT,))?.is(default))
}

impl Watch {
    /// None for a short message, and where Ctrl-C would not raise KeyboardInterrupt anyway.
    pub(crate) fn over(py: Python<'_>, bytes: usize) -> PyResult<Option<Self>> {
        if bytes < WATCHED_FROM || !raises_here(py)? {
            return Ok(None);
        }
        let word = WORD.get_or_init(Arc::default).clone();
        word.store(false, Ordering::Relaxed);
        // SAFETY: all zero is a valid description of a handler.
        let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: asks for what is installed.
        if unsafe { libc::sigaction(libc::SIGINT, ptr::null(), &raw mut before) } != 0 {
            return Ok(None);
        }
        PYTHONS.store(before.sa_sigaction, Ordering::Relaxed);
        PYTHONS_TAKES_INFO.store(before.sa_flags & libc::SA_SIGINFO != 0, Ordering::Relaxed);
        let mut ours = before;
        ours.sa_sigaction = noticed as *const () as usize;
        ours.sa_flags |= libc::SA_SIGINFO;
        // SAFETY: `noticed` does nothing that a handler must not do, and takes what SA_SIGINFO gives.
        let installed = unsafe { libc::sigaction(libc::SIGINT, &raw const ours, ptr::null_mut()) } == 0;
        Ok(installed.then_some(Self { before, word }))
    }

    pub(crate) fn word(&self) -> Arc<AtomicBool> {
        self.word.clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // SAFETY: puts back what was there.
        unsafe { libc::sigaction(libc::SIGINT, &raw const self.before, ptr::null_mut()) };
    }
}
