//! Coverage-guided fuzz targets: the readers and programs of `tests/trust/`, through the same
//! functions that the tests call.

#[allow(dead_code)] // the tests of hostile mods use more of it
#[path = "../trust/inn.rs"]
mod inn;
#[path = "../trust/program_generator.rs"]
pub mod program_generator;
#[path = "../trust/readers.rs"]
pub mod readers;
pub mod support;

/// The target of one reader.
#[macro_export]
macro_rules! fuzz_reader {
    ($reader:expr) => {
        thread_local!(static READER: fuzz::readers::FuzzTarget = $reader);
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| READER.with(|read| read(bytes)));
    };
}
