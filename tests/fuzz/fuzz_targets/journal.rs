#![no_main]
fuzz::reader!(fuzz::readers::journal_target());
