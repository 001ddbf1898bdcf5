#![no_main]
fuzz::reader!(fuzz::readers::script_target());
