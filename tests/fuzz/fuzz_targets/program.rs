//! Programs of the grammar, whose choices are the bytes.
#![no_main]

use fuzz::program_generator::{generate_program, run_program};
use fuzz::support::RandomSource;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = run_program("program", &generate_program(RandomSource::from_bytes(bytes)));
});
