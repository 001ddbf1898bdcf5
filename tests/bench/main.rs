//! Benchmarks: `cargo bench` prints one table. Each figure stands beside a baseline from the same
//! run that any machine can measure. A slow machine is therefore not mistaken for a slow engine.

// A benchmark needs the clock.
#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, unreachable_pub)]

mod bare_host;
mod calls;
mod descent;
mod host_comparison;
mod hostile;
#[allow(dead_code)] // it serves tests too
#[path = "../trust/hostile_mod.rs"]
mod hostile_mod;
#[allow(dead_code)] // it serves tests too
#[path = "../trust/inn.rs"]
mod inn;
mod instruction_counts;
mod memory;
mod native_fights;
mod reload;
mod report;
mod scaling;
mod screen;
mod start;
mod steps;
#[allow(dead_code)] // it serves tests too
#[path = "../support/mod.rs"]
mod support;

use report::BenchReport;

/// The allocator of the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The available rows and what each shows. Slow ones run only on request.
const ROWS: [(&str, &str, bool); 10] = [
    ("calls", "(a) hooks and (b) reads and writes of the state", true),
    ("hosts", "(c) duels and (d) descents, on the engine and on the bare host", true),
    ("start", "(e) start to first prompt", true),
    ("reload", "(f) a saved file to the new prompt", true),
    ("steps", "steps without a disk, and (g) with their sync", true),
    ("screen", "a key drawn", true),
    ("hostile", "the longest hostile step", true),
    ("memory", "(i) memory of a VM, of a run and of the program", true),
    ("growth", "(h) growth; a journal of 100,000 steps takes a minute", false),
    ("counts", "instructions of (a) to (d), with valgrind; takes some minutes", false),
];

fn main() {
    let mut arguments = std::env::args().skip(1).collect::<Vec<_>>();
    if let [flag, name, times] = &arguments[..]
        && flag == "--work"
    {
        return match name.as_str() {
            start::COLD => start::cold(),
            _ => instruction_counts::work(name, times.parse().unwrap()),
        };
    }
    // `cargo test --benches` runs this too, with an argument of its own; then one quick pass is
    // enough.
    let quick = arguments.iter().any(|argument| argument == "--test" || argument == "--quick");
    arguments.retain(|argument| !argument.starts_with("--"));
    let is_row = |name: &String| name == "all" || ROWS.iter().any(|(row, ..)| row == name);
    if let Some(odd) = arguments.iter().find(|name| !is_row(name)) {
        println!("there are no rows {odd:?}. `cargo bench -- ROWS…` takes some of these, or all:");
        ROWS.iter().for_each(|(name, about, _)| println!("  {name:8}  {about}"));
        std::process::exit(2);
    }
    let rounds = if quick { 1 } else { 15 };
    let mut table = BenchReport::default();
    for (name, _, unasked) in ROWS {
        let named = arguments.iter().any(|argument| argument == name || argument == "all");
        if named || (arguments.is_empty() && unasked && !quick) || (quick && name != "counts") {
            run_section(name, &mut table, rounds, quick);
        }
    }
    table.print();
}

fn run_section(name: &str, table: &mut BenchReport, rounds: usize, quick: bool) {
    match name {
        "calls" => calls::rows(table, rounds),
        "hosts" => host_comparison::rows(table, rounds),
        "start" => start::rows(table, rounds),
        "reload" => reload::rows(table, rounds),
        "steps" => {
            steps::without_disk(table, rounds);
            steps::with_sync(table, rounds);
        }
        "screen" => screen::rows(table),
        "hostile" => hostile::rows(table, rounds),
        "memory" => memory::rows(table),
        "growth" => scaling::rows(table, rounds, if quick { 0 } else { 100_000 }),
        _ => instruction_counts::rows(table),
    }
}
