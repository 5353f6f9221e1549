//! Python bindings of the lab: algorithms called once, ParSplit, and the native clock.
//!
//! Buffers that belong to Python are read and written through raw pointers while the GIL is released. Another Python
//! thread may change a `bytearray` meanwhile; that spoils its own result, and no Rust reference to the memory exists
//! that could be broken by it.

mod algorithm;
mod alone;
mod buffer;
mod errors;
mod guarded;
mod interrupt;
mod measure;
mod parsplit;
mod stream;

use pyo3::prelude::*;

/// How this extension was built: `profile`, `compiler`, `sources` (a hash of the native sources).
#[pyfunction]
fn build_info() -> Vec<(&'static str, &'static str)> {
    vec![
        ("profile", if cfg!(debug_assertions) { "debug" } else { "release" }),
        ("compiler", env!("AEADLAB_RUST_BUILD")),
        ("sources", env!("AEADLAB_SOURCES")),
    ]
}

/// The compiled half of aeadlab.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::algorithm::{Algorithm, compose, guard_buffers, linked, load_foreign, load_plugin};
    #[pymodule_export]
    use super::build_info;
    #[pymodule_export]
    use super::measure::{Arena, Case, Streams, sample_call, tsc};
    #[pymodule_export]
    use super::parsplit::{ParSplit, add_schedule, schedule_experiments, schedules};
    #[pymodule_export]
    use super::stream::{Opener, Sealer, hkdf_sha256, message_key, read_header};
}
