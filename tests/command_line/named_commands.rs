//! Every command and flag named in a message, a help text or a page exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::{program_command, run_with_input, utf8_text};

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// What people type before the program's arguments.
const PROGRAM_PREFIXES: [&str; 2] = ["sub-rosa ", "cargo run -- "];
/// Flags of other programs that pages name beside ours.
const FLAGS_OF_OTHER_PROGRAMS: [&str; 21] = [
    // Cargo and the test runner.
    "--all",
    "--apply",
    "--bench",
    "--all-targets",
    "--exact",
    "--no-run",
    "--nocapture",
    "--path",
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

fn collect_files(folder: &Path, endings: &[&str], paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        match path.is_dir() {
            true => collect_files(&path, endings, paths),
            // The changelog also names commands of earlier releases.
            false if path.ends_with("CHANGELOG.md") || path.ends_with("glossary.md") => {}
            false if endings.contains(&ending) => paths.push(path),
            false => {}
        }
    }
}

/// The help texts of the requested commands, each read once.
#[derive(Default)]
struct HelpTexts(BTreeMap<Vec<String>, String>);

impl HelpTexts {
    fn help_text(&mut self, command: &[String]) -> &str {
        self.0.entry(command.to_vec()).or_insert_with(|| {
            let mut help = program_command(&[]);
            help.args(command).arg("--help");
            utf8_text(&run_with_input(help, "").stdout)
        })
    }

    /// The subcommands of a command.
    fn subcommands(&mut self, command: &[String]) -> BTreeSet<String> {
        let help = self.help_text(command).to_owned();
        let command_list = help.split("Commands:\n").nth(1).unwrap_or_default();
        let lines = command_list.lines().take_while(|line| !line.is_empty());
        let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        names.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
    }

    fn has_flag(&mut self, command: &[String], flag: &str) -> bool {
        let help = self.help_text(command).to_owned();
        let mut words = help.split(|c: char| c.is_whitespace() || ",[]<>=`".contains(c));
        words.any(|word| word == flag)
    }
}

/// The words of each command line in a text: after a backtick or a quote, or on a line of its own.
fn command_lines(text: &str) -> Vec<Vec<String>> {
    let mut lines_of_words = Vec::new();
    for line in text.lines() {
        for (program, position) in PROGRAM_PREFIXES
            .iter()
            .flat_map(|name| line.match_indices(name).map(move |(position, _)| (name, position)))
        {
            let text_before = line[..position].trim_start_matches(['$', ' ', '/', '!']);
            if !(text_before.is_empty() || text_before.ends_with(['`', '"'])) {
                continue;
            }
            let rest = &line[position + program.len()..];
            let rest =
                rest.split(['`', '"', '#', '|', '>', ';', '\\', '(']).next().unwrap_or_default();
            let rest = rest.split("  ").next().unwrap_or_default();
            lines_of_words.push(rest.split_whitespace().map(str::to_owned).collect());
        }
    }
    lines_of_words
}

/// The first part of a command line that does not exist.
fn first_unknown_word(words: &[String], help_texts: &mut HelpTexts) -> Option<String> {
    let mut command: Vec<String> = Vec::new();
    let is_plain_word = |word: &String| word.bytes().all(|byte| byte.is_ascii_lowercase());
    if let Some(command_word) = words.first().filter(|word| is_plain_word(word)) {
        if !help_texts.subcommands(&[]).contains(command_word) {
            return Some(command_word.clone());
        }
        command.push(command_word.clone());
        let second = words.get(1).filter(|word| is_plain_word(word));
        if let Some(second) = second.filter(|_| command_word == "mods") {
            if !help_texts.subcommands(&command).contains(second) {
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
    flags.into_iter().find(|flag| !help_texts.has_flag(&command, flag))
}

#[test]
fn every_documented_command_and_flag_exists() {
    let mut paths = Vec::new();
    for (folder, endings) in [
        ("engine", &["rs"][..]),
        ("docs", &["md"]),
        ("base_game", &["luau", "toml", "md"]),
        ("mods", &["luau", "toml", "md"]),
    ] {
        collect_files(&Path::new(PROJECT_ROOT).join(folder), endings, &mut paths);
    }
    paths.push(Path::new(PROJECT_ROOT).join("README.md"));
    let (mut help_texts, mut mistakes, mut count) = (HelpTexts::default(), Vec::new(), 0);
    let (mut flags_without_command, mut all_commands) = (BTreeMap::new(), BTreeSet::new());
    for path in &paths {
        let page = fs::read_to_string(path).unwrap();
        for words in command_lines(&page) {
            count += 1;
            if let Some(missing_word) = first_unknown_word(&words, &mut help_texts) {
                mistakes.push(format!(
                    "{}: {missing_word} in: {}",
                    path.display(),
                    words.join(" ")
                ));
            }
        }
        // Flags that are named alone, as in: name another folder with --data.
        for page_word in
            page.split([' ', '`', '"', '(', '\n']).filter(|part| part.starts_with("--"))
        {
            let flag = page_word.trim_end_matches(|c: char| !c.is_ascii_lowercase());
            let name = flag.get(2..).unwrap_or_default();
            let is_flag_name = name
                .split('-')
                .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()));
            if is_flag_name && flag.len() > 3 && flag.starts_with("--") {
                flags_without_command
                    .entry(flag.to_owned())
                    .or_insert_with(|| path.display().to_string());
            }
        }
    }
    assert!(count > 60, "only {count} command lines were found");
    for command in help_texts.subcommands(&[]) {
        let command = vec![command];
        all_commands.extend(
            help_texts
                .subcommands(&command)
                .into_iter()
                .map(|subcommand| [&command[..], &[subcommand]].concat()),
        );
        all_commands.insert(command);
    }
    for (flag, page) in flags_without_command
        .iter()
        .filter(|(flag, _)| !FLAGS_OF_OTHER_PROGRAMS.contains(&flag.as_str()))
    {
        if !all_commands.iter().any(|command| help_texts.has_flag(command, flag)) {
            mistakes.push(format!("{page}: {flag}"));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    // Every help text fits a terminal of 80 columns.
    for (command, help) in &help_texts.0 {
        let long_line = help.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long_line, None, "{command:?}");
    }
}
