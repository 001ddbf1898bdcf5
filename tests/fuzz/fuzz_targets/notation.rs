#![no_main]
fuzz::fuzz_reader!(fuzz::readers::notation_target());
