//! Print the speed of each kernel and of RustCrypto for several lengths, the best of many runs.
//!
//! `cargo run --release -p aeadlab-chacha --example speed` is a first look and not a measurement: its runs are not
//! interleaved and it reports no interval.
#![allow(clippy::unwrap_used)]

use aeadlab_chacha::{InOutBuf, Kernel, Key, Poly};
use chacha20poly1305::ChaCha20Poly1305;
use chacha20poly1305::aead::{AeadInOut, KeyInit};
use poly1305::Poly1305;
use std::hint::black_box;
use std::time::{Duration, Instant};

const LENGTHS: [usize; 8] = [16, 64, 256, 512, 1024, 8192, 16384, 1 << 20];

/// Return bytes for each nanosecond, which are GB/s, of the fastest run.
fn speed(length: usize, mut run: impl FnMut()) -> f64 {
    let repeats = (200_000 / (length + 200)).max(1);
    let mut best = Duration::MAX;
    let until = Instant::now() + Duration::from_millis(150);
    while Instant::now() < until {
        let start = Instant::now();
        for _ in 0..repeats {
            run();
        }
        best = best.min(start.elapsed());
    }
    (length * repeats) as f64 / best.as_nanos() as f64
}

fn row(name: &str, mut speed_of: impl FnMut(usize) -> f64) {
    print!("{name:<34}");
    LENGTHS.into_iter().for_each(|length| print!("{:>9.2}", speed_of(length)));
    println!();
}

fn main() {
    let mut buffer = vec![7; 1 << 20];
    let (key, nonce) = ([1; 32], [2; 12]);
    print!("{:<34}", "GB/s");
    LENGTHS.into_iter().for_each(|length| print!("{length:>9}"));
    println!();
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.available()) {
        let poly = Poly::with_kernel([5; 16], kernel).unwrap();
        row(&format!("poly1305 {}", kernel.name()), |length| {
            speed(length, || drop(black_box(poly.hash(black_box(&buffer[..length])))))
        });
        row(&format!("poly1305 {}, new r", kernel.name()), |length| {
            speed(length, || {
                let poly = Poly::with_kernel(black_box([5; 16]), kernel).unwrap();
                drop(black_box(poly.hash(black_box(&buffer[..length]))));
            })
        });
    }
    row("poly1305 rustcrypto, new r", |length| {
        speed(length, || {
            black_box(Poly1305::new(&black_box(key).into()).compute_unpadded(black_box(&buffer[..length])));
        })
    });
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.available()) {
        let key = Key::with_kernel(&key, kernel).unwrap();
        let message = key.message(&nonce);
        row(&format!("segment {}", kernel.name()), |length| {
            speed(length, || drop(black_box(message.encrypt(0, InOutBuf::from(&mut buffer[..length])).unwrap())))
        });
        row(&format!("seal {}", kernel.name()), |length| {
            speed(length, || {
                black_box(key.seal(&nonce, &[], InOutBuf::from(&mut buffer[..length])).unwrap());
            })
        });
    }
    let cipher = ChaCha20Poly1305::new(&key.into());
    row("seal rustcrypto", |length| {
        speed(length, || {
            black_box(cipher.encrypt_inout_detached(&nonce.into(), &[], (&mut buffer[..length]).into()).unwrap());
        })
    });
}
