//! Builds the branch counters for Luau. They receive data only if Luau is built with the flags that
//! `README.md` names; otherwise only our own code guides the fuzzer.

fn main() {
    println!("cargo:rerun-if-changed=branches.c");
    cc::Build::new().file("branches.c").warnings(false).compile("branches");
}
