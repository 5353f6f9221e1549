#![no_main]

use libfuzzer_sys::fuzz_target;
use parsplit_fuzz::check::check_family;

fuzz_target!(|input: &[u8]| check_family("age", input));
