#![no_main]
fuzz::reader!(fuzz::readers::manifest_target());
