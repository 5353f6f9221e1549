//! What runs in a row: the crates with their versions, and the CPU's instructions that they take.

use crate::describe::{crate_version, text};
use std::ffi::c_char;

/// Code that chooses by CPU at run time, as the crates' own detection does without `--cfg` overrides.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    /// Crate `aes`: VAES is taken only with `--cfg aes_backend`.
    Aes,
    /// Crate `polyval`, under `ghash` too.
    Clmul,
    /// Crate `chacha20`: AVX-512 is taken only with `--cfg chacha20_avx512`.
    ChaCha,
    /// Crate `poly1305`.
    Poly,
    /// Crates `sha1`, and `sha2` for words of 32 bits.
    Sha32,
    /// Crate `sha2` for words of 64 bits.
    Sha64,
    /// Crate `kuznyechik`, fixed when compiled.
    Kuznyechik,
}

#[cfg(target_arch = "x86_64")]
fn instructions(unit: Unit) -> Option<&'static str> {
    use std::is_x86_feature_detected as has;
    match unit {
        Unit::Aes => has!("aes").then_some("AES-NI"),
        Unit::Clmul => (has!("pclmulqdq") && has!("avx")).then_some("CLMUL"),
        Unit::ChaCha => Some(if has!("avx2") { "AVX2" } else { "SSE2" }),
        Unit::Poly | Unit::Sha64 => has!("avx2").then_some("AVX2"),
        Unit::Sha32 => (has!("sha") && has!("ssse3") && has!("sse4.1")).then_some("SHA-NI"),
        Unit::Kuznyechik => Some("SSE2"),
    }
}

/// Which rows a row's code is made of: crates, and what they choose. No units is portable code.
#[derive(Clone, Copy)]
pub(super) struct Code<'a>(pub &'a [&'a str], pub &'a [Unit]);

impl Code<'_> {
    /// For a descriptor's `kernel`: "aes-gcm 0.11.1, aes 0.9.2: AES-NI, CLMUL".
    pub(super) fn kernel(self) -> *const c_char {
        let Self(crates, units) = self;
        let crates: Vec<_> = crates.iter().map(|name| format!("{name} {}", crate_version(name))).collect();
        text(&format!("{}{}", crates.join(", "), path(units))).as_ptr()
    }
}

#[cfg(target_arch = "x86_64")]
fn path(units: &[Unit]) -> String {
    let mut found: Vec<_> = units.iter().map(|&unit| instructions(unit).unwrap_or("soft")).collect();
    found.dedup();
    format!(": {}", if found.is_empty() { "soft".to_owned() } else { found.join(", ") })
}

/// Elsewhere the crates choose too, but nothing here tells what.
#[cfg(not(target_arch = "x86_64"))]
fn path(_: &[Unit]) -> String {
    String::new()
}
