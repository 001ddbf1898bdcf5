#![no_main]
fuzz::reader!(fuzz::readers::profile().1);
