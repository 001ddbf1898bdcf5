//! Builds the counters of Luau's branches. They are only told anything where Luau is built with
//! `CXXFLAGS=-fsanitize-coverage=trace-pc`; without it only our own code guides.

fn main() {
    println!("cargo:rerun-if-changed=branches.c");
    cc::Build::new().file("branches.c").warnings(false).compile("branches");
}
