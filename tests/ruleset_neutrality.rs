//! The host knows no ruleset: the engine's code contains no kind and no id of a bundled or test
//! game. Words that both use are listed, each with the host's meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::bundled;

/// Words of a game that the host uses too, with the host's meaning.
const SHARED_WORDS: &[(&str, &str)] = &[
    ("aside", "set aside: what takes no part any more"),
    ("background", "the colour behind a text"),
    ("builders", "functions that build definitions"),
    ("calling", "running a function"),
    ("clock", "the machine's time"),
    ("condition", "what a branch of a script asks"),
    ("covered", "reached by a case"),
    ("cut", "left out of what is too long"),
    ("day", "the day whose seed is played"),
    ("declared", "what scripts have said is there"),
    ("drain", "taking everything out of a list"),
    ("effect", "what something changes"),
    ("ending", "what a file's name ends with"),
    ("errand", "a walk on a map that goes on by itself"),
    ("event", "what a step tells, or a hook is given"),
    ("face", "a side of a die"),
    ("fish", "a shell"),
    ("flight", "the faces of one throw"),
    ("held", "looked at while it runs, or kept by a lock"),
    ("hex", "a colour in hexadecimal"),
    ("history", "what was played"),
    ("holding", "having a lock"),
    ("library", "a library of Luau's own"),
    ("licence", "what a mod's manifest says that it comes under"),
    ("lit", "drawn in a modifier of the terminal"),
    ("mend", "making a damaged file whole"),
    ("mirror", "a table that says what the state says"),
    ("origin", "where a mod was found"),
    ("pack", "making one file of a mod"),
    ("parts", "what something is made of"),
    ("place", "where something lies"),
    ("poor", "the tone of a band"),
    ("purpose", "what a digest or a template is for"),
    ("quick", "soon done"),
    ("reader", "what bytes are read through"),
    ("remembered", "what the menu stores between visits"),
    ("room", "space on a disk or a screen"),
    ("roots", "folders where things are looked for"),
    ("saw", "what was looked at before"),
    ("thing", "whatever is spoken of"),
    ("trait", "Rust's word for what types can do"),
    ("trial", "the room that asks cases"),
    ("trouble", "what went wrong, on its way to being told"),
    ("truth", "what a boolean holds"),
    ("watcher", "what tells of saved files"),
    ("word", "a run of letters"),
];

fn engine_source_paths() -> Vec<PathBuf> {
    fn collect_files(folder: &Path, paths: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                // The tests of a crate have games of their own.
                true if path.ends_with("tests") => {}
                true => collect_files(&path, paths),
                false => paths.push(path),
            }
        }
    }
    let mut paths = Vec::new();
    collect_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("engine"), &mut paths);
    paths.retain(|path| {
        path.extension().is_some_and(|extension| extension == "rs" || extension == "luau")
    });
    paths.sort();
    paths
}

/// The kinds that games declare, and the names in the ids of all their definitions.
fn words_of_games() -> BTreeMap<String, String> {
    let mut words = BTreeMap::new();
    let contents = [
        bundled::game_content("sub_rosa", &["tests/games/medium".to_owned()]),
        bundled::game_content("duel", &[]),
        bundled::game_content("sovereign", &[]),
        bundled::game_content("hollow_way", &[]),
        bundled::game_content("fivey", &[]),
        bundled::game_content("leeward", &[]),
    ];
    for content in contents {
        let vm = bundled::load_vm(&content);
        let registry = vm.registry();
        for kind in registry.kinds() {
            if !kind.is_builtin {
                words.insert(kind.name.to_string(), "a kind".to_owned());
            }
            for definition in registry.all_definitions(&kind.name) {
                let description = format!("the id {} of a {}", definition.id, kind.name);
                words.entry(definition.id.to_string()).or_insert(description.clone());
                if !kind.is_builtin {
                    words.entry(definition.id.name().to_owned()).or_insert(description);
                }
            }
        }
        for source in &content.mods.mods {
            words.insert(source.id().to_owned(), "a mod's id".to_owned());
        }
    }
    words
}

#[test]
fn the_engine_names_no_word_of_a_game() {
    let words = words_of_games();
    assert!(words.len() > 200, "the games were read: {} words", words.len());
    let allowed: BTreeSet<&str> = SHARED_WORDS.iter().map(|(word, _)| *word).collect();
    let mut findings = BTreeSet::new();
    for path in engine_source_paths() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for line in fs::read_to_string(&path).unwrap().lines() {
            // The build script names the embedded folders.
            if name == "build.rs" && line.contains("\"mods/") {
                continue;
            }
            let code_part = line.split("//").next().unwrap_or("");
            let code_words =
                code_part.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            for word in code_words.flat_map(|word| [word, word.trim_matches(':')]) {
                // A number or a single letter identifies no game.
                if word.len() > 2
                    && !allowed.contains(word)
                    && let Some(description) = words.get(word)
                {
                    findings.insert(format!("{name}: {word} ({description})"));
                }
            }
        }
    }
    let finding_list: Vec<String> = findings.into_iter().collect();
    assert!(
        finding_list.is_empty(),
        "the engine knows words of games:\n{}",
        finding_list.join("\n")
    );
}
