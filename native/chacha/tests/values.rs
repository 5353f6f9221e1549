//! Poly1305 values: field laws, equality with RustCrypto, carries at the modulus.
#![allow(clippy::unwrap_used)]

mod common;

use aeadlab_chacha::{Error, Kernel, Partial, Poly};
use common::{Numbers, kernels};
use poly1305::Poly1305;
use poly1305::universal_hash::KeyInit;

/// r with all bits that RFC 8439 keeps.
const LARGEST_R: [u8; 16] = [0xff; 16];

fn value(number: [u8; 17]) -> Partial {
    Partial::from_bytes(&number).unwrap()
}

/// 2¹³⁰ − 5 − `below`.
fn near_modulus(below: u8) -> [u8; 17] {
    let mut bytes = [0xff; 17];
    bytes[0] = 0xfb - below;
    bytes[16] = 3;
    bytes
}

fn small(number: u8) -> Partial {
    let mut bytes = [0; 17];
    bytes[0] = number;
    value(bytes)
}

fn any(numbers: &mut Numbers) -> Partial {
    match numbers.below(4) {
        0 => value(near_modulus(1 + numbers.below(4) as u8)),
        1 => small(numbers.below(8) as u8),
        _ => {
            let mut bytes = numbers.array::<17>();
            bytes[16] &= 1;
            value(bytes)
        }
    }
}

fn assert_same(a: &Partial, b: &Partial) {
    assert_eq!(a.to_bytes(), b.to_bytes());
}

#[test]
fn addition_and_multiplication_obey_the_field_laws() {
    let mut numbers = Numbers(1);
    for _ in 0..2000 {
        let (a, b, c) = (any(&mut numbers), any(&mut numbers), any(&mut numbers));
        assert_same(&(&a + &b), &(&b + &a));
        assert_same(&(&a * &b), &(&b * &a));
        assert_same(&(&(&a + &b) + &c), &(&a + &(&b + &c)));
        assert_same(&(&(&a * &b) * &c), &(&a * &(&b * &c)));
        assert_same(&(&(&a + &b) * &c), &(&(&a * &c) + &(&b * &c)));
        assert_same(&(&a * &small(1)), &a);
        assert_same(&(&a + &small(0)), &a);
        assert_same(&(&a * &small(0)), &small(0));
        assert_same(&(&a + &(&a * &value(near_modulus(1)))), &small(0));
    }
}

#[test]
fn values_at_the_modulus_are_reduced() {
    let minus_one = value(near_modulus(1));
    assert_same(&(&minus_one * &minus_one), &small(1));
    assert_same(&(&minus_one + &small(1)), &small(0));
    assert_same(&(&minus_one + &small(6)), &small(5));
    assert_same(&(&value(near_modulus(3)) * &small(7)), &value(near_modulus(21)));
    // 2^129 + 2^129 = 2^130 = 5.
    let mut half = [0; 17];
    half[16] = 2;
    assert_same(&(&value(half) + &value(half)), &small(5));
}

#[test]
fn only_reduced_numbers_are_accepted_as_bytes() {
    let mut largest = near_modulus(1);
    assert_eq!(value(largest).to_bytes(), largest);
    for excess in 0..5 {
        largest[0] = 0xfb + excess;
        assert_eq!(Partial::from_bytes(&largest).map(|_| ()), Err(Error::Partial));
    }
    for top in [4, 8, 128] {
        let mut bytes = [0; 17];
        bytes[16] = top;
        assert_eq!(Partial::from_bytes(&bytes).map(|_| ()), Err(Error::Partial));
    }
}

#[test]
fn a_power_counts_blocks() {
    let mut numbers = Numbers(2);
    let poly = Poly::new(numbers.array());
    assert_same(&poly.power(0), &small(1));
    let mut expected = small(1);
    for blocks in 1..100 {
        expected = &expected * &poly.power(1);
        assert_same(&poly.power(blocks), &expected);
    }
    assert_same(&(&poly.power(1 << 33) * &poly.power((1 << 33) + 3)), &poly.power((1 << 34) + 3));
    // Fermat's little theorem needs a longer exponent; two factors of it give one of 64 bits each.
    assert_same(&(&poly.power(u64::MAX) * &poly.power(1)), &(0..64).fold(poly.power(1), |power, _| &power * &power));
}

/// Patterns of bytes that carry through all limbs, or through none.
fn patterns(length: usize, numbers: &mut Numbers) -> Vec<Vec<u8>> {
    vec![vec![0xff; length], vec![0; length], vec![0x80; length], numbers.bytes(length)]
}

#[test]
fn tags_equal_those_of_rustcrypto() {
    let mut numbers = Numbers(3);
    for length in (0..=1100).chain([2047, 2048, 2049, 4096 + 512, 8192, 8191, 100_003]) {
        for r in [LARGEST_R, [0; 16], numbers.array()] {
            let s: [u8; 16] = numbers.array();
            let kernels: Vec<Poly> = kernels().map(|kernel| Poly::with_kernel(r, kernel).unwrap()).collect();
            for message in patterns(length, &mut numbers) {
                let key: [u8; 32] = [r, s].concat().try_into().unwrap();
                let expected = Poly1305::new(&key.into()).compute_unpadded(&message);
                for poly in &kernels {
                    let found = poly.finish(&poly.hash_final(&message), s);
                    assert_eq!(found, expected.as_slice(), "{:?} {length}", poly.kernel());
                }
            }
        }
    }
}

#[test]
fn segments_of_blocks_combine_to_the_value_of_the_whole() {
    let mut numbers = Numbers(4);
    for _ in 0..400 {
        let blocks = numbers.below(200) as usize;
        let after = numbers.below(200) as usize;
        let r = if numbers.below(2) == 0 { LARGEST_R } else { numbers.array() };
        let extra = numbers.below(17) as usize;
        for message in patterns(16 * (blocks + after) + extra, &mut numbers) {
            let whole = Poly::with_kernel(r, Kernel::Portable).unwrap().hash(&message);
            for kernel in kernels() {
                let poly = Poly::with_kernel(r, kernel).unwrap();
                let (first, second) = message.split_at(16 * blocks);
                let power = poly.power(second.len().div_ceil(16) as u64);
                assert_same(&(&(&poly.hash(first) * &power) + &poly.hash(second)), &whole);
            }
        }
    }
}

#[test]
fn hash_pads_with_zeros_and_hash_final_with_one_bit() {
    for kernel in kernels() {
        let poly = Poly::with_kernel(LARGEST_R, kernel).unwrap();
        assert_same(&poly.hash(&[7; 21]), &poly.hash(&[&[7; 21][..], &[0; 11]].concat()));
        assert_same(&poly.hash(&[7; 32]), &poly.hash_final(&[7; 32]));
        assert_ne!(poly.hash(&[7; 21]).to_bytes(), poly.hash_final(&[7; 21]).to_bytes());
        assert_same(&poly.hash(&[]), &small(0));
    }
}

#[test]
fn values_and_keys_are_not_printed() {
    assert_eq!(format!("{:?}", small(3)), "Partial(..)");
    let poly = Poly::with_kernel([9; 16], Kernel::Portable).unwrap();
    assert_eq!(format!("{poly:?}"), "Poly { kernel: Portable, .. }");
}

#[test]
fn an_unavailable_kernel_is_an_error_that_names_it() {
    for kernel in Kernel::ALL.into_iter().filter(|kernel| !kernel.available()) {
        assert_eq!(Poly::with_kernel([0; 16], kernel).map(|_| ()), Err(Error::Unavailable(kernel)));
    }
    assert!(Error::Unavailable(Kernel::Ifma).to_string().contains("avx512ifma"));
    assert!(Kernel::fastest().available());
}
