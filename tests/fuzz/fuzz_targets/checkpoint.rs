#![no_main]
fuzz::reader!(fuzz::readers::checkpoint_target());
