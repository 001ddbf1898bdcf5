//! `editor PROGRAM` checks the type declarations that `api` writes with Luau's own analyser. The
//! games and every example have no errors. Each planted mistake is reported at its line and at no
//! other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

use luau_analyze::Checker;
use serde_json::Value;

/// The analyser's report on correct scripts: it sees one file at a time, so it knows no type of a
/// required file.
const KNOWN: [(&str, &str); 1] = [("mods/parts/lib/reactions.luau", "Unknown type 'chances.")];
/// Marks a line with a planted mistake.
const MARK: &str = "-- found";

fn main() {
    let program = env::args().nth(1).expect("the program: editor target/release/sub-rosa");
    let here = env::current_dir().expect("there is a folder");
    let mut wrong = Vec::new();
    for Together { game, with, folders } in together(&program) {
        let mut checker = told(&program, &game, &with);
        for file in folders.iter().flat_map(|folder| scripts(Path::new(folder))) {
            let text = fs::read_to_string(&file).expect("it was listed");
            for (line, message) in found(&mut checker, "nonstrict", &text) {
                let name = file.strip_prefix(&here).unwrap_or(&file).display().to_string();
                if !KNOWN.iter().any(|(known, said)| name == *known && message.contains(said)) {
                    wrong.push(format!("{name}:{line}: {message}"));
                }
            }
        }
        println!("{game} {}: {} folders", with.join(" "), folders.len());
    }
    let mut checker = told(&program, "sub_rosa", &[]);
    for file in scripts(Path::new("tests/editor/planted")) {
        let text = fs::read_to_string(&file).expect("it was listed");
        let lines = text.lines().enumerate().filter(|(_, line)| line.ends_with(MARK));
        let planted: BTreeSet<usize> = lines.map(|(at, _)| at + 1).collect();
        let found: BTreeSet<usize> =
            found(&mut checker, "strict", &text).into_iter().map(|(line, _)| line).collect();
        let name = file.display();
        wrong.extend(planted.difference(&found).map(|line| format!("{name}:{line}: not found")));
        wrong.extend(found.difference(&planted).map(|line| format!("{name}:{line}: sound")));
    }
    wrong.iter().for_each(|line| println!("{line}"));
    exit(i32::from(!wrong.is_empty()));
}

/// One analysis: a game, the enabled mods, their folders.
struct Together {
    game: String,
    with: Vec<String>,
    folders: Vec<String>,
}

/// Each game with its libraries; and each game with all its mods.
fn together(program: &str) -> Vec<Together> {
    let page = run(program, &["mods", "--json"]);
    let mods = page["mods"].as_array().expect("it lists the mods");
    let here = env::current_dir().expect("there is a folder");
    // Excludes mods that the user has installed.
    let ours = |one: &&Value| {
        one["origin"].as_str().is_some_and(|origin| Path::new(origin).starts_with(&here))
    };
    let mods: Vec<&Value> = mods.iter().filter(ours).collect();
    let names = |one: &Value, field: &str, game: &Value| {
        one[field].as_array().is_some_and(|list| list.contains(game))
    };
    let text = |value: &Value| value.as_str().expect("it is a text").to_owned();
    let mut all = Vec::new();
    for game in mods.iter().copied().filter(|one| one["game"] == true) {
        let id = &game["id"];
        let below = mods.iter().copied().filter(|one| names(one, "comes_with", id));
        let folders = [game].into_iter().chain(below).map(|one| text(&one["origin"])).collect();
        all.push(Together { game: text(id), with: Vec::new(), folders });
        let beside =
            mods.iter().copied().filter(|one| one["game"] != true && names(one, "for", id));
        let beside: Vec<_> = beside.filter(|one| !names(one, "comes_with", id)).collect();
        if !beside.is_empty() {
            let with = beside.iter().map(|one| text(&one["id"])).collect();
            let folders = beside.iter().map(|one| text(&one["origin"])).collect();
            all.push(Together { game: text(id), with, folders });
        }
    }
    assert!(!all.is_empty(), "there are games: it is run from the project's folder");
    all
}

/// The program's output as JSON.
fn run(program: &str, arguments: &[&str]) -> Value {
    let told = Command::new(program).args(arguments).output().expect("the program runs");
    serde_json::from_slice(&told.stdout).expect("it writes JSON")
}

/// A checker with the declarations that the program writes.
fn told(program: &str, game: &str, with: &[String]) -> Checker {
    let with = with.iter().flat_map(|id| ["--with", id]);
    let arguments: Vec<&str> = ["api", "--json", "--game", game].into_iter().chain(with).collect();
    let page = run(program, &arguments);
    let mut checker = Checker::new().expect("a checker");
    checker
        .add_definitions(page["types"].as_str().expect("it tells the types"))
        .expect("the declarations are sound");
    checker
}

/// The analyser's findings, each with its line.
fn found(checker: &mut Checker, mode: &str, text: &str) -> Vec<(usize, String)> {
    // The mode is a line of its own above the script.
    let result = checker.check(&format!("--!{mode}\n{text}")).expect("it is checked");
    let found = result.errors().into_iter();
    found.map(|one| (one.line as usize, one.message.replace('\n', " "))).collect()
}

/// The scripts of a folder without its tests.
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
