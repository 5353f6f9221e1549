#![no_main]

use libfuzzer_sys::fuzz_target;
use parsplit_fuzz::edits::Edited;

fuzz_target!(|edited: Edited| edited.check());
