#![no_main]
fuzz::fuzz_reader!(fuzz::readers::manifest_target());
