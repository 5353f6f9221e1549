//! Compare the kernels with AWS-LC and OpenSSL, interleaved on one thread with a kept key. Prints GiB/s of the fastest
//! of many samples, and the median over rounds of the ratio to the faster library.
//!
//! Usage: cargo run --release -p aeadlab-gcm --example compare -- [key bytes] [milliseconds per length]
#![allow(clippy::expect_used, reason = "an example fails where it panics")]

use aeadlab_gcm::{Buffers, Kernel, Key, Stores};
use aws_lc_sys as aws;
use openssl_sys as openssl;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

const LENGTHS: [usize; 12] = [16, 64, 256, 512, 1024, 1500, 4096, 8192, 16384, 65536, 1 << 20, 64 << 20];

/// A function that seals `bytes` from the first to the second pointer with this nonce.
type Seal = Box<dyn Fn(*const u8, *mut u8, usize, &[u8; 12])>;

fn aws_lc(key: &[u8]) -> Seal {
    // SAFETY: the context is never freed, and lengths are those of the buffers.
    unsafe {
        let aead = match key.len() {
            16 => aws::EVP_aead_aes_128_gcm(),
            24 => aws::EVP_aead_aes_192_gcm(),
            _ => aws::EVP_aead_aes_256_gcm(),
        };
        let context = aws::EVP_AEAD_CTX_new(aead, key.as_ptr(), key.len(), 16);
        assert!(!context.is_null());
        Box::new(move |input, output, bytes, nonce| {
            let (mut tag, mut tag_bytes) = ([0; 16], 0);
            let done = aws::EVP_AEAD_CTX_seal_scatter(
                context,
                output,
                tag.as_mut_ptr(),
                &mut tag_bytes,
                16,
                nonce.as_ptr(),
                12,
                input,
                bytes,
                null(),
                0,
                null(),
                0,
            );
            assert_eq!(done, 1);
        })
    }
}

fn open_ssl(key: &[u8]) -> Seal {
    // SAFETY: the context is never freed, and lengths are those of the buffers.
    unsafe {
        let cipher = match key.len() {
            16 => openssl::EVP_aes_128_gcm(),
            24 => openssl::EVP_aes_192_gcm(),
            _ => openssl::EVP_aes_256_gcm(),
        };
        let context = openssl::EVP_CIPHER_CTX_new();
        assert_eq!(openssl::EVP_EncryptInit_ex(context, cipher, null_mut(), key.as_ptr(), null()), 1);
        Box::new(move |input, output, bytes, nonce| {
            let (mut made, mut tag) = (0, [0u8; 16]);
            openssl::EVP_EncryptInit_ex(context, null(), null_mut(), null(), nonce.as_ptr());
            openssl::EVP_EncryptUpdate(context, output, &mut made, input, bytes as i32);
            openssl::EVP_EncryptFinal_ex(context, output, &mut made);
            openssl::EVP_CIPHER_CTX_ctrl(context, openssl::EVP_CTRL_GCM_GET_TAG, 16, tag.as_mut_ptr().cast());
        })
    }
}

fn own(key: &[u8], kernel: Kernel, stores: Stores) -> Seal {
    let key = Key::with_kernel(key, kernel).expect("an available kernel");
    Box::new(move |input, output, bytes, nonce| {
        // SAFETY: the buffers are disjoint and have this length.
        let buffers = unsafe { Buffers::from_raw(input, output, bytes) };
        std::hint::black_box(key.seal(nonce, &[], buffers, stores).expect("a short message"));
    })
}

fn main() {
    let number = |i| std::env::args().nth(i).and_then(|text| text.parse::<usize>().ok());
    let key = vec![7u8; number(1).unwrap_or(32)];
    let budget = Duration::from_millis(number(2).unwrap_or(500) as u64);
    let mut engines = vec![("aws-lc".to_string(), aws_lc(&key)), ("openssl".to_string(), open_ssl(&key))];
    for kernel in Kernel::available().filter(|kernel| *kernel != Kernel::Portable) {
        engines.push((kernel.name().to_string(), own(&key, kernel, Stores::Regular)));
    }
    engines.push(("streaming".to_string(), own(&key, Kernel::fastest(), Stores::Streaming)));
    print!("{:>9}", "bytes");
    engines.iter().for_each(|(name, _)| print!(" {name:>15}"));
    println!();
    for bytes in LENGTHS {
        let input = vec![1u8; bytes + 64];
        let mut output = vec![1u8; bytes + 64];
        let offset = output.as_ptr().align_offset(64);
        let input = input[input.as_ptr().align_offset(64)..].as_ptr();
        let output = output[offset..].as_mut_ptr();
        let batch = (40_000 / bytes).clamp(1, 200);
        let mut rounds: Vec<Vec<f64>> = Vec::new();
        let begin = Instant::now();
        let mut counter = 0u64;
        while begin.elapsed() < budget * 3 || rounds.len() < 5 {
            let round = engines.iter().map(|(_, seal)| {
                let mut best = f64::INFINITY;
                for _ in 0..(1 << 20) / (bytes * batch).max(1 << 17) + 1 {
                    let start = Instant::now();
                    for _ in 0..batch {
                        counter += 1;
                        let mut nonce = [0; 12];
                        nonce[..8].copy_from_slice(&counter.to_le_bytes());
                        seal(input, output, bytes, &nonce);
                    }
                    best = best.min(start.elapsed().as_secs_f64() / batch as f64);
                }
                best
            });
            rounds.push(round.collect());
        }
        print!("{bytes:>9}");
        for i in 0..engines.len() {
            let best = rounds.iter().map(|round| round[i]).fold(f64::INFINITY, f64::min);
            let mut ratios: Vec<f64> = rounds.iter().map(|round| round[0].min(round[1]) / round[i]).collect();
            ratios.sort_by(f64::total_cmp);
            print!(" {:>9.2} {:>5.3}", bytes as f64 / best / (1u64 << 30) as f64, ratios[ratios.len() / 2]);
        }
        println!();
    }
}
