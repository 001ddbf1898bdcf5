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
const SECTIONS: [(&str, &str, bool); 10] = [
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
            start::COLD_LOAD_ARGUMENT => start::print_cold_load_time(),
            _ => instruction_counts::run_work(name, times.parse().unwrap()),
        };
    }
    // `cargo test --benches` runs this too, with an argument of its own; then one quick pass is
    // enough.
    let is_quick = arguments.iter().any(|argument| argument == "--test" || argument == "--quick");
    arguments.retain(|argument| !argument.starts_with("--"));
    let is_section =
        |name: &String| name == "all" || SECTIONS.iter().any(|(section, ..)| section == name);
    if let Some(unknown_name) = arguments.iter().find(|name| !is_section(name)) {
        let is_list = unknown_name == "list";
        if !is_list {
            println!("there are no rows {unknown_name:?}.");
        }
        println!("`cargo bench -- ROWS…` takes some of these, or all:");
        SECTIONS.iter().for_each(|(name, description, _)| println!("  {name:8}  {description}"));
        std::process::exit(if is_list { 0 } else { 2 });
    }
    let rounds = if is_quick { 1 } else { 15 };
    let mut report = BenchReport::default();
    for (name, _, runs_by_default) in SECTIONS {
        let is_named = arguments.iter().any(|argument| argument == name || argument == "all");
        if is_named
            || (arguments.is_empty() && runs_by_default && !is_quick)
            || (is_quick && name != "counts")
        {
            run_section(name, &mut report, rounds, is_quick);
        }
    }
    report.print();
}

fn run_section(name: &str, report: &mut BenchReport, rounds: usize, is_quick: bool) {
    match name {
        "calls" => calls::add_rows(report, rounds),
        "hosts" => host_comparison::add_rows(report, rounds),
        "start" => start::add_rows(report, rounds),
        "reload" => reload::add_rows(report, rounds),
        "steps" => {
            steps::add_rows_without_disk(report, rounds);
            steps::add_rows_with_sync(report, rounds);
        }
        "screen" => screen::add_rows(report),
        "hostile" => hostile::add_rows(report, rounds),
        "memory" => memory::add_rows(report),
        "growth" => scaling::add_rows(report, rounds, if is_quick { 0 } else { 100_000 }),
        _ => instruction_counts::add_rows(report),
    }
}
