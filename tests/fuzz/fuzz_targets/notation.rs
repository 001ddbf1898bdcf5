#![no_main]
fuzz::reader!(fuzz::readers::notation_target());
