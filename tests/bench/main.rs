//! Benchmarks: `cargo bench` prints one table. Every figure stands beside something measured in the
//! same run that any machine can do without us, so that a slow machine is not read as a slow engine.

// A benchmark is what looks at the clock.
#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, unreachable_pub)]

mod bare;
mod calls;
mod descent;
mod hostile;
mod hosts;
#[allow(dead_code)] // it serves tests too
#[path = "../trust/inn.rs"]
mod inn;
mod reload;
mod screen;
mod start;
mod steps;
#[allow(dead_code)] // it serves tests too
#[path = "../support/mod.rs"]
mod support;
mod table;

use table::Table;

/// What the program itself is run with.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    // `cargo test --benches` runs this too, with an argument of its own; a look that it works is
    // enough then.
    let quick = std::env::args().any(|argument| argument == "--test" || argument == "--quick");
    let rounds = if quick { 1 } else { 15 };
    let mut table = Table::default();
    calls::rows(&mut table, rounds);
    hosts::rows(&mut table, rounds);
    start::rows(&mut table, rounds);
    steps::without_disk(&mut table, rounds);
    steps::with_sync(&mut table, rounds);
    screen::rows(&mut table);
    reload::rows(&mut table, rounds);
    hostile::rows(&mut table, rounds);
    table.print();
}
