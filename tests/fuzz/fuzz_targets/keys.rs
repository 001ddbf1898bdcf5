#![no_main]
fuzz::reader!(fuzz::readers::keys());
