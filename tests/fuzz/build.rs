//! Builds the counters of Luau's branches. They are told something only where Luau is built with the flags
//! that `README.md` names; without them only our own code guides.

fn main() {
    println!("cargo:rerun-if-changed=branches.c");
    cc::Build::new().file("branches.c").warnings(false).compile("branches");
}
