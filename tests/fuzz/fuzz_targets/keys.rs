#![no_main]
fuzz::reader!(fuzz::readers::key_file_target());
