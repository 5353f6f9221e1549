//! The kernel of a table row: crates with their versions, and the CPU instructions that they use.

use crate::descriptor::{c_string, crate_version};
use std::ffi::c_char;

/// A part of a crate that selects its code by CPU features, without `--cfg` overrides.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    /// Crate `aes`. It uses VAES only with `--cfg aes_backend`.
    Aes,
    /// Crate `polyval`, which `ghash` uses too.
    Clmul,
    /// Crate `chacha20`. It uses AVX-512 only with `--cfg chacha20_avx512`.
    ChaCha,
    /// Crate `poly1305`.
    Poly,
    /// Crates `sha1`, and `sha2` for words of 32 bits.
    Sha32,
    /// Crate `sha2` for words of 64 bits.
    Sha64,
    /// Crate `kuznyechik`, selected at compile time.
    Kuznyechik,
}

#[cfg(target_arch = "x86_64")]
fn selected(unit: Unit) -> Option<&'static str> {
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

/// The crates of a table row and their units. Without units the code is portable.
#[derive(Clone, Copy)]
pub(super) struct Code<'a>(pub &'a [&'a str], pub &'a [Unit]);

impl Code<'_> {
    /// Return the `kernel` of the row, such as "aes-gcm 0.11.1, aes 0.9.2: AES-NI, CLMUL".
    pub(super) fn kernel(self) -> *const c_char {
        let Self(crates, units) = self;
        let crates: Vec<_> = crates.iter().map(|name| format!("{name} {}", crate_version(name))).collect();
        c_string(&format!("{}{}", crates.join(", "), suffix(units))).as_ptr()
    }
}

#[cfg(target_arch = "x86_64")]
fn suffix(units: &[Unit]) -> String {
    let mut instructions: Vec<_> = units.iter().map(|&unit| selected(unit).unwrap_or("soft")).collect();
    instructions.dedup();
    format!(": {}", if instructions.is_empty() { "soft".to_owned() } else { instructions.join(", ") })
}

/// On other architectures the choice of the crates is not known here.
#[cfg(not(target_arch = "x86_64"))]
fn suffix(_: &[Unit]) -> String {
    String::new()
}
