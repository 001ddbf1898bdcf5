#![no_main]
fuzz::fuzz_reader!(fuzz::readers::checkpoint_target());
