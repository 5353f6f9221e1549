//! Whether times depend on secrets: Welch's test for two classes of input, with code that has a leak beside it.
//!
//! `make dudect` takes many measurements and prints |t| of each target.
#![allow(clippy::unwrap_used)]

mod targets;
mod welch;

use welch::LEAK;

const SHORT: usize = 20_000;
const LONG: usize = 1_000_000;

/// Runs of a test on a computer that other programs use; a leak shows in each.
const ATTEMPTS: u64 = 5;

#[test]
fn planted_leaks_are_found() {
    for target in targets::planted() {
        let t = (target.largest_t)(SHORT, 1);
        assert!(t > LEAK, "{}: |t| = {t:.1}", target.name);
    }
}

#[test]
fn times_of_the_kernels_do_not_show_their_secrets() {
    for target in targets::own() {
        let least = (0..ATTEMPTS).map(|seed| (target.largest_t)(SHORT, seed)).find(|t| *t < LEAK);
        assert!(least.is_some(), "{}: |t| is at least {LEAK} in each of {ATTEMPTS} runs", target.name);
    }
}

#[test]
#[ignore = "takes minutes on idle cores: make dudect"]
fn table() {
    println!("largest |t| of {LONG} measurements; beyond {LEAK} there is a leak\n");
    for target in targets::planted().into_iter().chain(targets::own()) {
        println!("{:60} {:8.1}", target.name, (target.largest_t)(LONG, 1));
    }
}
