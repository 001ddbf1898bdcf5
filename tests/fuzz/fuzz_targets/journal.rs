#![no_main]
fuzz::fuzz_reader!(fuzz::readers::journal_target());
