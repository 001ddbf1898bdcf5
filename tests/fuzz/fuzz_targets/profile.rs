#![no_main]
fuzz::fuzz_reader!(fuzz::readers::profile_target().1);
