//! How long hostile mods delay a player, over all of `tests/hostile/`: the longest and the median.
//! The baseline is a bare loop of as many turns as a step has fuel. At most 300 ms is promised on a
//! machine of two processors.

use std::path::Path;
use std::time::Duration;

use mlua::Lua;

use super::hostile_mod::hostile_mods;
use super::report::{self, median_time, time_work};
use super::support::{MINIMAL_GAME, load_game_from_files};

/// Turns of the bare loop: the fuel of a step.
const LOOP_SCRIPT: &str = "local function turn() end for _ = 1, 2000000 do turn() end";
/// Repetitions of each attack. The minimum is its own time; the rest is load of the machine.
const REPETITIONS: usize = 3;

pub fn add_rows(report: &mut report::BenchReport, rounds: usize) {
    let mut program_times: Vec<(Duration, String)> = Vec::new();
    for hostile_mod in hostile_mods() {
        let mut times = Vec::new();
        for _ in 0..REPETITIONS.min(rounds) {
            hostile_mod.run_attack_within(&mut |attack| {
                let (time, problem) = time_work(attack);
                times.push(time);
                problem
            });
        }
        // A mod that fails to load has no time.
        program_times.extend(times.into_iter().min().map(|time| (time, hostile_mod.name.clone())));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let files = [("frame.luau", MINIMAL_GAME), ("main.luau", text.as_str())];
        let times = (0..REPETITIONS.min(rounds))
            .map(|_| time_work(|| load_game_from_files(&files).is_ok()).0);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        program_times.extend(times.min().map(|time| (time, name)));
    }
    let lua = Lua::new();
    let loop_fn = lua.load(LOOP_SCRIPT).into_function().unwrap();
    let mut loop_times: Vec<_> =
        (0..rounds).map(|_| time_work(|| loop_fn.call::<()>(()).unwrap()).0).collect();
    let (baseline_name, loop_median) =
        ("a bare loop of 2 000 000 turns", median_time(&mut loop_times));
    program_times.sort();
    let count = program_times.len();
    let mut times: Vec<_> = program_times.iter().map(|(time, _)| *time).collect();
    report.add_row(
        &format!("median of {count} hostile programs"),
        median_time(&mut times),
        baseline_name,
        loop_median,
    );
    for (time, name) in program_times.iter().rev().take(3) {
        report.add_row(
            &format!("among the longest of {count} ({name})"),
            *time,
            baseline_name,
            loop_median,
        );
    }
}
