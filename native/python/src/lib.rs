//! Python bindings of the lab: single calls of algorithms, ParSplit, and the native clock.
//!
//! Buffers of Python objects are read and written through raw pointers while the GIL is released. Another Python thread
//! may change a `bytearray` at the same time. That makes the result of the call useless, but it is not undefined
//! behaviour, because no Rust reference to the memory exists.

mod algorithm;
mod buffer;
mod contexts;
mod errors;
mod exclusive;
mod fast_floe;
mod guard_pages;
mod idle;
mod interrupt;
mod keyed;
mod many;
mod measure;
mod one_message;
mod parsplit;
mod placements;
mod stream;
mod tags;

use pyo3::prelude::*;

/// Return how this extension was built: `profile`, `compiler`, and `sources`, a hash of the native sources.
#[pyfunction]
fn build_info() -> Vec<(&'static str, &'static str)> {
    vec![
        ("profile", if cfg!(debug_assertions) { "debug" } else { "release" }),
        ("compiler", aeadlab_libraries::RUST_BUILD),
        ("sources", env!("AEADLAB_SOURCES")),
    ]
}

/// The compiled half of aeadlab.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::algorithm::{Algorithm, compose, guard_buffers, linked, load_foreign, load_plugin};
    #[pymodule_export]
    use super::buffer::check_buffer;
    #[pymodule_export]
    use super::build_info;
    #[pymodule_export]
    use super::contexts::check_contexts;
    #[pymodule_export]
    use super::fast_floe::{fast_floe, fast_floe_version};
    #[pymodule_export]
    use super::keyed::Keyed;
    #[pymodule_export]
    use super::many::check_many;
    #[pymodule_export]
    use super::measure::{Arena, Case, Streams, associated_data, calibrate, pseudorandom, sample_call, tsc};
    #[pymodule_export]
    use super::one_message::{Multipart, OneMessage, Partial};
    #[pymodule_export]
    use super::parsplit::{ParSplit, add_schedule, schedule_experiments, schedules};
    #[pymodule_export]
    use super::placements::check_placements;
    #[pymodule_export]
    use super::stream::{Opener, Sealer, formats, header_bytes, hkdf_sha256, message_key, read_header};
    #[pymodule_export]
    use super::tags::OneTag;
    #[pymodule_export]
    const MAX_THREADS: usize = ::parsplit::MAX_THREADS;
    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        // The engine recognizes children that are forked after this first call.
        ::parsplit::generation();
        Ok(())
    }
    #[pymodule_export]
    const SERIAL_BELOW: usize = ::parsplit::SERIAL_BELOW;
}
