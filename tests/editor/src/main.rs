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
const KNOWN_FALSE_REPORTS: [(&str, &str); 1] =
    [("mods/parts/lib/reactions.luau", "Unknown type 'chances.")];
/// Marks a line with a planted mistake.
const PLANTED_MARK: &str = "-- found";

fn main() {
    let program = env::args().nth(1).expect("the program: editor target/release/sub-rosa");
    let project_folder = env::current_dir().expect("there is a folder");
    let mut mistakes = Vec::new();
    for AnalysisRun { game, mod_ids: enabled_ids, folders } in analysis_runs(&program) {
        let mut checker = checker_with_declarations(&program, &game, &enabled_ids);
        for file in folders.iter().flat_map(|folder| script_paths(Path::new(folder))) {
            let text = fs::read_to_string(&file).expect("it was listed");
            for (line, message) in find_errors(&mut checker, "nonstrict", &text) {
                let name =
                    file.strip_prefix(&project_folder).unwrap_or(&file).display().to_string();
                if !KNOWN_FALSE_REPORTS.iter().any(|(known_file, expected_message)| {
                    name == *known_file && message.contains(expected_message)
                }) {
                    mistakes.push(format!("{name}:{line}: {message}"));
                }
            }
        }
        println!("{game} {}: {} folders", enabled_ids.join(" "), folders.len());
    }
    let mut checker = checker_with_declarations(&program, "sub_rosa", &[]);
    for file in script_paths(Path::new("tests/editor/planted")) {
        let text = fs::read_to_string(&file).expect("it was listed");
        let lines = text.lines().enumerate().filter(|(_, line)| line.ends_with(PLANTED_MARK));
        let planted_lines: BTreeSet<usize> = lines.map(|(line_index, _)| line_index + 1).collect();
        let found_lines: BTreeSet<usize> =
            find_errors(&mut checker, "strict", &annotate_hooks(&text))
                .into_iter()
                .map(|(line, _)| line)
                .collect();
        let name = file.display();
        mistakes.extend(
            planted_lines.difference(&found_lines).map(|line| format!("{name}:{line}: not found")),
        );
        mistakes.extend(
            found_lines.difference(&planted_lines).map(|line| format!("{name}:{line}: sound")),
        );
    }
    mistakes.iter().for_each(|line| println!("{line}"));
    exit(i32::from(!mistakes.is_empty()));
}

/// One analysis: a game, the enabled mods, their folders.
struct AnalysisRun {
    game: String,
    mod_ids: Vec<String>,
    folders: Vec<String>,
}

/// Each game with its libraries; and each game with all its mods.
fn analysis_runs(program: &str) -> Vec<AnalysisRun> {
    let output_json = run_json(program, &["mods", "--json"]);
    let mods = output_json["mods"].as_array().expect("it lists the mods");
    let project_folder = env::current_dir().expect("there is a folder");
    // Excludes mods that the user has installed.
    let is_in_project = |entry: &&Value| {
        entry["origin"]
            .as_str()
            .is_some_and(|origin| Path::new(origin).starts_with(&project_folder))
    };
    let mods: Vec<&Value> = mods.iter().filter(is_in_project).collect();
    let lists_game = |entry: &Value, field: &str, game: &Value| {
        entry[field].as_array().is_some_and(|list| list.contains(game))
    };
    let text = |value: &Value| value.as_str().expect("it is a text").to_owned();
    let mut runs = Vec::new();
    for game in mods.iter().copied().filter(|entry| entry["game"] == true) {
        let id = &game["id"];
        let libraries = mods.iter().copied().filter(|entry| lists_game(entry, "comes_with", id));
        let folders =
            [game].into_iter().chain(libraries).map(|entry| text(&entry["origin"])).collect();
        runs.push(AnalysisRun { game: text(id), mod_ids: Vec::new(), folders });
        let other_mods = mods
            .iter()
            .copied()
            .filter(|entry| entry["game"] != true && lists_game(entry, "for", id));
        let other_mods: Vec<_> =
            other_mods.filter(|entry| !lists_game(entry, "comes_with", id)).collect();
        if !other_mods.is_empty() {
            let ids = other_mods.iter().map(|entry| text(&entry["id"])).collect();
            let folders = other_mods.iter().map(|entry| text(&entry["origin"])).collect();
            runs.push(AnalysisRun { game: text(id), mod_ids: ids, folders });
        }
    }
    assert!(!runs.is_empty(), "there are games: it is run from the project's folder");
    runs
}

/// The program's output as JSON.
fn run_json(program: &str, arguments: &[&str]) -> Value {
    let output = Command::new(program).args(arguments).output().expect("the program runs");
    serde_json::from_slice(&output.stdout).expect("it writes JSON")
}

/// A checker with the declarations that the program writes.
fn checker_with_declarations(program: &str, game: &str, enabled_ids: &[String]) -> Checker {
    let with_arguments = enabled_ids.iter().flat_map(|id| ["--with", id]);
    let arguments: Vec<&str> =
        ["api", "--json", "--game", game].into_iter().chain(with_arguments).collect();
    let output_json = run_json(program, &arguments);
    let mut checker = Checker::new().expect("a checker");
    checker
        .add_definitions(output_json["types"].as_str().expect("it tells the types"))
        .expect("the declarations are sound");
    checker
}

/// The text with the annotations that the plugin in `.editor/` makes in luau-lsp: Luau itself infers
/// no parameter from the name of an event. `tests/editor_files.rs` tests the plugin.
fn annotate_hooks(text: &str) -> String {
    let annotate = |line: &str| {
        let call = ["before(\"", "after(\""].iter().find_map(|call| line.strip_prefix(call));
        let (event, hook) = call?.split_once("\", function(")?;
        let (parameter, rest) = hook.split_once(')').filter(|(name, _)| !name.contains(':'))?;
        let start = &line[..line.len() - rest.len() - 1];
        let title = |word: &str| word[..1].to_uppercase() + &word[1..];
        let title: String = event.split('_').map(title).collect();
        (!parameter.is_empty()).then(|| format!("{start}: {title}Event){rest}"))
    };
    let lines = text.lines().map(|line| annotate(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<Vec<_>>().join("\n")
}

/// The analyser's findings, each with its line.
fn find_errors(checker: &mut Checker, mode: &str, text: &str) -> Vec<(usize, String)> {
    // The mode is a line of its own above the script.
    let check_result = checker.check(&format!("--!{mode}\n{text}")).expect("it is checked");
    let errors = check_result.errors().into_iter();
    errors.map(|error| (error.line as usize, error.message.replace('\n', " "))).collect()
}

/// The scripts of a folder without its tests.
fn script_paths(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["tests", "templates", ".editor"].contains(&&*name) {
            paths.extend(script_paths(&path));
        } else if name.ends_with(".luau") {
            paths.push(path);
        }
    }
    paths
}
