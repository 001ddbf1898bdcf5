//! Programs of the grammar, whose choices are the bytes.
#![no_main]

use fuzz::program_generator::{play, program};
use fuzz::support::RandomSource;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = play("program", &program(RandomSource::of_bytes(bytes)));
});
