//! Every command and flag named in a message, a help text or a page exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::{program, run, text};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// What people type before the program's arguments.
const PROGRAM: [&str; 2] = ["sub-rosa ", "cargo run -- "];
/// Flags of other programs that pages name beside ours.
const OF_OTHERS: [&str; 20] = [
    // Cargo and the test runner.
    "--all",
    "--apply",
    "--bench",
    "--all-targets",
    "--exact",
    "--no-run",
    "--nocapture",
    "--release",
    "--report-time",
    "--test",
    "--tests",
    "--workspace",
    // Git.
    "--exclude-standard",
    "--no-color",
    "--no-ext-diff",
    "--others",
    "--relative",
    // `.ci/full`.
    "--list",
    // A batch scheduler.
    "--array",
    "--wrap",
];

fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        match path.is_dir() {
            true => files(&path, endings, found),
            // The changelog also names commands of earlier releases.
            false if path.ends_with("CHANGELOG.md") || path.ends_with("glossary.md") => {}
            false if endings.contains(&ending) => found.push(path),
            false => {}
        }
    }
}

/// The help texts of the requested commands, each read once.
#[derive(Default)]
struct HelpTexts(BTreeMap<Vec<String>, String>);

impl HelpTexts {
    fn of(&mut self, command: &[String]) -> &str {
        self.0.entry(command.to_vec()).or_insert_with(|| {
            let mut help = program(&[]);
            help.args(command).arg("--help");
            text(&run(help, "").stdout)
        })
    }

    /// The subcommands of a command.
    fn below(&mut self, command: &[String]) -> BTreeSet<String> {
        let help = self.of(command).to_owned();
        let listed = help.split("Commands:\n").nth(1).unwrap_or_default();
        let lines = listed.lines().take_while(|line| !line.is_empty());
        let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        names.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
    }

    fn has_flag(&mut self, command: &[String], flag: &str) -> bool {
        let help = self.of(command).to_owned();
        let mut words = help.split(|c: char| c.is_whitespace() || ",[]<>=`".contains(c));
        words.any(|word| word == flag)
    }
}

/// The words of each command line in a text: after a backtick or a quote, or on a line of its own.
fn command_lines(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for line in text.lines() {
        for (program, at) in
            PROGRAM.iter().flat_map(|name| line.match_indices(name).map(move |(at, _)| (name, at)))
        {
            let before = line[..at].trim_start_matches(['$', ' ', '/', '!']);
            if !(before.is_empty() || before.ends_with(['`', '"'])) {
                continue;
            }
            let rest = &line[at + program.len()..];
            let rest =
                rest.split(['`', '"', '#', '|', '>', ';', '\\', '(']).next().unwrap_or_default();
            let rest = rest.split("  ").next().unwrap_or_default();
            found.push(rest.split_whitespace().map(str::to_owned).collect());
        }
    }
    found
}

/// The first part of a command line that does not exist.
fn missing(words: &[String], helps: &mut HelpTexts) -> Option<String> {
    let mut command: Vec<String> = Vec::new();
    let plain = |word: &String| word.bytes().all(|byte| byte.is_ascii_lowercase());
    if let Some(first) = words.first().filter(|word| plain(word)) {
        if !helps.below(&[]).contains(first) {
            return Some(first.clone());
        }
        command.push(first.clone());
        let second = words.get(1).filter(|word| plain(word));
        if let Some(second) = second.filter(|_| first == "mods") {
            if !helps.below(&command).contains(second) {
                return Some(second.clone());
            }
            command.push(second.clone());
        }
    }
    let flags = words.iter().filter(|word| word.starts_with("--") && word.len() > 2);
    let flags = flags.map(|word| {
        let name = word.split(['=', '[', '\'']).next().unwrap_or_default();
        name.trim_end_matches(['.', ',', ':', ')', ']', '…']).to_owned()
    });
    let flags: Vec<String> = flags.collect();
    flags.into_iter().find(|flag| !helps.has_flag(&command, flag))
}

#[test]
fn every_command_that_is_named_is_there() {
    let mut found = Vec::new();
    for (folder, endings) in [
        ("engine", &["rs"][..]),
        ("docs", &["md"]),
        ("base_game", &["luau", "toml", "md"]),
        ("mods", &["luau", "toml", "md"]),
    ] {
        files(&Path::new(ROOT).join(folder), endings, &mut found);
    }
    found.push(Path::new(ROOT).join("README.md"));
    let (mut helps, mut wrong, mut count) = (HelpTexts::default(), Vec::new(), 0);
    let (mut alone, mut all) = (BTreeMap::new(), BTreeSet::new());
    for path in &found {
        let page = fs::read_to_string(path).unwrap();
        for words in command_lines(&page) {
            count += 1;
            if let Some(what) = missing(&words, &mut helps) {
                wrong.push(format!("{}: {what} in: {}", path.display(), words.join(" ")));
            }
        }
        // Flags that are named alone, as in: name another folder with --data.
        for part in page.split([' ', '`', '"', '(', '\n']).filter(|part| part.starts_with("--")) {
            let flag = part.trim_end_matches(|c: char| !c.is_ascii_lowercase());
            let name = flag.get(2..).unwrap_or_default();
            let named = name
                .split('-')
                .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()));
            if named && flag.len() > 3 && flag.starts_with("--") {
                alone.entry(flag.to_owned()).or_insert_with(|| path.display().to_string());
            }
        }
    }
    assert!(count > 60, "only {count} command lines were found");
    for command in helps.below(&[]) {
        let command = vec![command];
        all.extend(
            helps.below(&command).into_iter().map(|below| [&command[..], &[below]].concat()),
        );
        all.insert(command);
    }
    for (flag, page) in alone.iter().filter(|(flag, _)| !OF_OTHERS.contains(&flag.as_str())) {
        if !all.iter().any(|command| helps.has_flag(command, flag)) {
            wrong.push(format!("{page}: {flag}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Every help text fits a terminal of 80 columns.
    for (command, help) in &helps.0 {
        let long = help.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None, "{command:?}");
    }
}
