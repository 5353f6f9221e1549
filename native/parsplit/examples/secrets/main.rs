//! Seal messages whose key and text valgrind takes for uninitialized: it reports each branch and each address that
//! depends on them. With the argument `branch` or `lookup` there is one, which valgrind must report.
//!
//! `native/sanitize.sh secrets` runs all. Valgrind executes neither AVX-512 nor VAES, so this checks the other kernels.
#![allow(clippy::unwrap_used)]

#[cfg(target_arch = "x86_64")]
mod chacha;
#[cfg(target_arch = "x86_64")]
mod gcm;
#[cfg(target_arch = "x86_64")]
mod marks;

const NONCE: [u8; 12] = [1; 12];
const ASSOCIATED: [u8; 21] = [3; 21];
const LENGTHS: [usize; 6] = [5, 64, 300, 700, 5000, 20_001];

/// A planted leak.
#[derive(Clone, Copy)]
enum Leak {
    Branch,
    Lookup,
}

/// Leak a byte of the ciphertext, which depends on the key.
fn leak(planted: Option<Leak>, output: &[u8]) {
    static TABLE: [u8; 256] = [1; 256];
    match planted {
        Some(Leak::Branch) if output[0] == 3 => println!("a branch that depends on a secret"),
        Some(Leak::Lookup) => println!("entry {}", std::hint::black_box(&TABLE)[usize::from(output[0])]),
        _ => {}
    }
}

#[cfg(target_arch = "x86_64")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let algorithm = arguments.next();
    let planted = arguments.next().map(|name| if name == "branch" { Leak::Branch } else { Leak::Lookup });
    match algorithm.as_deref() {
        Some("aes-gcm") => gcm::seal(planted),
        Some("chacha20-poly1305") => chacha::seal(planted),
        other => panic!("algorithm {other:?} given, aes-gcm or chacha20-poly1305 expected"),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn main() {}
