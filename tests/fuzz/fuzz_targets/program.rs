//! Programs of the grammar, whose choices are the bytes.
#![no_main]

use fuzz::programs::{play, program};
use fuzz::support::Chance;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = play("program", &program(Chance::of_bytes(bytes)));
});
