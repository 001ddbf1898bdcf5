#![no_main]
fuzz::reader!(fuzz::readers::profile_target().1);
