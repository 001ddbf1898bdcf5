//! `editor PROGRAM`: holds the type declarations that `api` writes to Luau's own analyser. The games and every
//! example are sound; of the planted mistakes, each is found at its line, and no other line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

use luau_analyze::Checker;

/// What is looked at together: a game, the mods that are switched on, the folders.
const SOUND: [(&str, &[&str], &[&str]); 4] = [
    ("sub_rosa", &[], &["base_game", "mods/parts"]),
    (
        "sub_rosa",
        &["template", "ember_words", "low_light", "second_thoughts", "signal_house"],
        &["mods/_template", "mods/ember_words", "mods/low_light", "mods/second_thoughts", "mods/signal_house"],
    ),
    ("sovereign", &["sexton_spade"], &["mods/sovereign", "mods/sexton_spade"]),
    ("hollow_way", &[], &["mods/hollow_way"]),
];
/// What the analyser says of sound scripts: it takes what a callback is given for a table in the first, and, since
/// it is shown one file at a time, knows no type of the file that the second requires.
const KNOWN: [(&str, &str); 2] = [
    ("base_game/lints.luau", "'string.lower'"),
    ("mods/parts/lib/reactions.luau", "Unknown type 'chances."),
];
/// What ends a line with a planted mistake.
const MARK: &str = "-- found";

fn main() {
    let program = env::args().nth(1).expect("the program: editor target/release/sub-rosa");
    let mut wrong = Vec::new();
    for (game, with, folders) in SOUND {
        let types = types(&program, game, with);
        for file in folders.iter().flat_map(|folder| scripts(Path::new(folder))) {
            let text = fs::read_to_string(&file).expect("it was listed");
            for (line, message) in found(&types, "nonstrict", &text) {
                let name = file.display().to_string();
                if !KNOWN.iter().any(|(known, said)| name == *known && message.contains(said)) {
                    wrong.push(format!("{name}:{line}: {message}"));
                }
            }
        }
    }
    let types = types(&program, "sub_rosa", &[]);
    for file in scripts(Path::new("tests/editor/planted")) {
        let text = fs::read_to_string(&file).expect("it was listed");
        let lines = text.lines().enumerate().filter(|(_, line)| line.ends_with(MARK));
        let planted: BTreeSet<usize> = lines.map(|(at, _)| at + 1).collect();
        let found: BTreeSet<usize> =
            found(&types, "strict", &text).into_iter().map(|(line, _)| line).collect();
        let name = file.display();
        wrong.extend(planted.difference(&found).map(|line| format!("{name}:{line}: not found")));
        wrong.extend(found.difference(&planted).map(|line| format!("{name}:{line}: sound")));
    }
    wrong.iter().for_each(|line| println!("{line}"));
    exit(i32::from(!wrong.is_empty()));
}

/// The declarations that the program writes.
fn types(program: &str, game: &str, with: &[&str]) -> String {
    let with = with.iter().flat_map(|id| ["--with", id]);
    let mut command = Command::new(program);
    command.args(["api", "--json", "--mods", "mods", "--game", game]).args(with);
    let told = command.output().expect("the program runs");
    let told = String::from_utf8(told.stdout).expect("it writes UTF-8");
    let page: String = told.split("\"types\":").nth(1).expect("it tells the types").to_owned();
    unescaped(page.trim_start().trim_start_matches('"'))
}

/// A text of JSON up to its end.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => break,
            '\\' => match rest.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

/// What the analyser finds, each with its line.
fn found(types: &str, mode: &str, text: &str) -> Vec<(usize, String)> {
    let mut checker = Checker::new().expect("a checker");
    if let Err(why) = checker.add_definitions(types) {
        return vec![(0, format!("the declarations: {why}"))];
    }
    // The mode stands on a line of its own above the script.
    let result = checker.check(&format!("--!{mode}\n{text}")).expect("it is checked");
    let found = result.errors().into_iter();
    found.map(|one| (one.line as usize, one.message.replace('\n', " "))).collect()
}

/// The scripts of a folder, but for its tests.
fn scripts(folder: &Path) -> Vec<PathBuf> {
    let mut list = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|one| one.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" && name != "templates" {
            list.extend(scripts(&path));
        } else if name.ends_with(".luau") {
            list.push(path);
        }
    }
    list
}
