#![no_main]
fuzz::fuzz_reader!(fuzz::readers::script_target());
