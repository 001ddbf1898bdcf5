//! The longest time that a mod which means harm holds up a step, over all of `tests/hostile/strangers/`
//! that strike in one, beside a bare loop of as many turns as a step has fuel. At most 300 ms is
//! promised on a machine of two processors.

use std::fs;
use std::path::Path;

use mlua::Lua;

use super::inn::{Evening, inn};
use super::table::{self, median, timed};

/// Turns of the bare loop: the fuel of a step.
const TURNS: &str = "local function turn() end for _ = 1, 2000000 do turn() end";

/// The moments that are choices of the evening.
const CHOICES: [&str; 6] = ["knock", "arm", "market", "visit", "light", "wait"];

pub fn rows(table: &mut table::Table, rounds: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/strangers");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let mut strikes = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let at = text.lines().find_map(|line| line.strip_prefix("-- at: ")).unwrap();
        if let (true, Ok(mut evening)) =
            (CHOICES.contains(&at), Evening::begin(&inn("0.1.0", &text)))
        {
            let (time, _) = timed(|| evening.choose(at));
            strikes.push((time, path.file_stem().unwrap().to_string_lossy().into_owned()));
        }
    }
    strikes.sort();
    let (longest, name) = strikes.pop().unwrap();
    let lua = Lua::new();
    let bare = lua.load(TURNS).into_function().unwrap();
    let mut bare: Vec<_> = (0..rounds).map(|_| timed(|| bare.call::<()>(()).unwrap()).0).collect();
    let beside = "a bare loop of 2 000 000 turns";
    let row = format!("longest of {} hostile steps ({name})", strikes.len() + 1);
    table.row(&row, longest, beside, median(&mut bare));
}
