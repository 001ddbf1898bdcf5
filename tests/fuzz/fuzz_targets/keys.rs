#![no_main]
fuzz::fuzz_reader!(fuzz::readers::key_file_target());
