//! How long mods that mean harm hold a player up, over all of `tests/hostile/`: the longest and the
//! median, beside a bare loop of as many turns as a step has fuel. At most 300 ms is promised on a
//! machine of two processors.

use std::path::Path;
use std::time::Duration;

use mlua::Lua;

use super::hostile_mod::strangers;
use super::report::{self, median, timed};
use super::support::{MINIMAL_GAME, load};

/// Turns of the bare loop: the fuel of a step.
const TURNS: &str = "local function turn() end for _ = 1, 2000000 do turn() end";
/// How often each strikes: the shortest of these is its own, the rest is the machine's.
const TIMES: usize = 3;

pub fn rows(table: &mut report::BenchReport, rounds: usize) {
    let mut strikes: Vec<(Duration, String)> = Vec::new();
    for stranger in strangers() {
        let mut times = Vec::new();
        for _ in 0..TIMES.min(rounds) {
            stranger.attack_within(&mut |harm| {
                let (time, problem) = timed(harm);
                times.push(time);
                problem
            });
        }
        // One that cannot even begin strikes nobody.
        strikes.extend(times.into_iter().min().map(|time| (time, stranger.name.clone())));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let files = [("frame.luau", MINIMAL_GAME), ("main.luau", text.as_str())];
        let times = (0..TIMES.min(rounds)).map(|_| timed(|| load(&files).is_ok()).0);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        strikes.extend(times.min().map(|time| (time, name)));
    }
    let lua = Lua::new();
    let bare = lua.load(TURNS).into_function().unwrap();
    let mut bare: Vec<_> = (0..rounds).map(|_| timed(|| bare.call::<()>(()).unwrap()).0).collect();
    let (beside, bare) = ("a bare loop of 2 000 000 turns", median(&mut bare));
    strikes.sort();
    let count = strikes.len();
    let mut times: Vec<_> = strikes.iter().map(|(time, _)| *time).collect();
    table.row(&format!("median of {count} hostile programs"), median(&mut times), beside, bare);
    for (time, name) in strikes.iter().rev().take(3) {
        table.row(&format!("among the longest of {count} ({name})"), *time, beside, bare);
    }
}
