//! What is timed: the project's kernels, and code with a planted leak.

use crate::welch::{Random, largest_t};
use std::hint::black_box;

const BYTES: usize = 1024;
const NONCE: [u8; 12] = [9; 12];

/// A test of one function: its name, and the largest |t| for a number of measurements and a seed.
pub struct Target {
    pub name: String,
    pub largest_t: Box<dyn Fn(usize, u64) -> f64>,
}

fn target(name: String, largest_t: impl Fn(usize, u64) -> f64 + 'static) -> Target {
    Target { name, largest_t: Box::new(largest_t) }
}

/// A key and a text: zeros, or random bytes for the second class.
fn secrets(class: bool, random: &mut Random) -> ([u8; 32], [u8; BYTES]) {
    // Both classes take the same time to make.
    let (mut key, mut text) = ([0; 32], [0; BYTES]);
    random.fill(&mut key);
    random.fill(&mut text);
    let mask = if class { 0xff } else { 0 };
    (key.map(|byte| byte & mask), text.map(|byte| byte & mask))
}

/// The tag with its first byte changed, or its last for the second class.
fn wrong(tag: [u8; 16], class: bool) -> [u8; 16] {
    let mut wrong = tag;
    wrong[if class { 15 } else { 0 }] ^= 1;
    wrong
}

/// Key set-up and sealing, and opening with a wrong tag, of AES-256-GCM with each kernel of this processor.
fn aes_gcm() -> impl Iterator<Item = Target> {
    use aeadlab_gcm::{Buffers, Kernel, Key, Stores};

    Kernel::available().flat_map(|kernel| {
        let seal = move |count, seed| {
            let mut output = [0; BYTES];
            largest_t(count, seed, secrets, |(key, text)| {
                let key = Key::with_kernel(key, kernel).unwrap();
                let message = Buffers::separate(text, &mut output).unwrap();
                black_box(key.seal(&NONCE, &[], message, Stores::Regular).unwrap());
            })
        };
        let open = move |count, seed| {
            let (key, text, mut output) = (Key::with_kernel(&[7; 32], kernel).unwrap(), [1; BYTES], [0; BYTES]);
            let message = Buffers::separate(&text, &mut output).unwrap();
            let tag = key.seal(&NONCE, &[], message, Stores::Regular).unwrap();
            let sealed = output;
            let prepare = |class, _: &mut Random| wrong(tag, class);
            largest_t(count, seed, prepare, |tag| {
                let message = Buffers::separate(&sealed, &mut output).unwrap();
                assert!(key.open(&NONCE, &[], message, tag, Stores::Regular).is_err());
            })
        };
        let name = kernel.name();
        [
            target(format!("aes-256-gcm {name}: key and text, sealing"), seal),
            target(format!("aes-256-gcm {name}: wrong tag, opening"), open),
        ]
    })
}

/// The same of ChaCha20-Poly1305.
fn chacha20_poly1305() -> impl Iterator<Item = Target> {
    use aeadlab_chacha::{InOutBuf, Kernel, Key};

    Kernel::ALL.into_iter().filter(|kernel| kernel.available()).flat_map(|kernel| {
        let seal = move |count, seed| {
            let mut output = [0; BYTES];
            largest_t(count, seed, secrets, |(key, text)| {
                let key = Key::with_kernel(key, kernel).unwrap();
                black_box(key.seal(&NONCE, &[], InOutBuf::new(text, &mut output).unwrap()).unwrap());
            })
        };
        let open = move |count, seed| {
            let (key, text, mut output) = (Key::with_kernel(&[7; 32], kernel).unwrap(), [1; BYTES], [0; BYTES]);
            let tag = key.seal(&NONCE, &[], InOutBuf::new(&text, &mut output).unwrap()).unwrap();
            let sealed = output;
            let prepare = |class, _: &mut Random| wrong(tag, class);
            largest_t(count, seed, prepare, |tag| {
                assert!(key.open(&NONCE, &[], InOutBuf::new(&sealed, &mut output).unwrap(), tag).is_err());
            })
        };
        let name = kernel.name();
        [
            target(format!("chacha20-poly1305 {name}: key and text, sealing"), seal),
            target(format!("chacha20-poly1305 {name}: wrong tag, opening"), open),
        ]
    })
}

/// The code of this project.
pub fn own() -> Vec<Target> {
    aes_gcm().chain(chacha20_poly1305()).collect()
}

/// Code with a leak of each kind that the tests above look for.
pub fn planted() -> Vec<Target> {
    let comparison = |count, seed| {
        let tag = black_box([3; 16]);
        largest_t(
            count,
            seed,
            |class, _| wrong(tag, class),
            |given| {
                // Returns at the first difference, as `memcmp` of many libraries does.
                black_box(given.iter().zip(&tag).position(|(a, b)| black_box(a) != black_box(b)));
            },
        )
    };
    let multiplication = |count, seed| {
        largest_t(count, seed, secrets, |(key, _)| {
            // Adds for the ones of the key only, as the method of school does.
            let (mut product, mut power) = (0_u128, 0x1234_5678_u128);
            for bit in 0..256 {
                if black_box(key[bit / 8] >> (bit % 8) & 1) == 1 {
                    product ^= black_box(power);
                }
                power = (power << 1) ^ ((power >> 127) * 0x87);
            }
            black_box(product);
        })
    };
    vec![
        target("planted: comparison that ends early".into(), comparison),
        target("planted: multiplication that branches".into(), multiplication),
    ]
}
