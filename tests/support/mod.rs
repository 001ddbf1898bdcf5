//! Helpers for tests of several topics: folders, games of a few lines, and their VM.

pub mod disk;
pub mod ferry_runs;
mod ledger;
pub mod memory_runs;
mod mod_builder;
mod random_source;
mod text_expansion;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

#[allow(unused_imports)] // the benchmarks draw nothing and keep no ledger
pub use self::{
    ledger::Ledger,
    mod_builder::{GAME_MANIFEST, manifest_needing, mod_from_text},
    random_source::RandomSource,
    text_expansion::expand_text,
};
use base::{Problem, Value};
use mods::{
    EmbeddedMods, ModSet, ModSource, SearchPaths, read_embedded_mods, read_folder,
    register_embedded, sort_into_load_order,
};
use protocol::{
    AcceptedInput, AnswerType, Choice, Input, Prompt, StoryEvent, WorldState, show_emitted_events,
};
use script::Vm;

/// The mods embedded in this binary, as in the program.
static EMBEDDED_MODS: EmbeddedMods = include!(concat!(env!("OUT_DIR"), "/embedded_mods.rs"));

/// The default search paths with the embedded games. Every test that looks for mods begins here.
#[allow(dead_code)] // the benchmarks look for none
pub fn embedded_search_paths() -> SearchPaths {
    register_embedded(&EMBEDDED_MODS);
    SearchPaths::default()
}

/// Replaces every date such as `2026-11-21` with a placeholder of the same width, because snapshots
/// must not depend on today.
#[allow(dead_code)] // the benchmarks say no days
pub fn mask_dates(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let is_date = |window: &[u8]| {
        window.iter().zip(b"0000-00-00").all(|(byte, pattern_byte)| match pattern_byte {
            b'0' => byte.is_ascii_digit(),
            _ => byte == pattern_byte,
        })
    };
    for index in 0..bytes.len().saturating_sub(9) {
        if is_date(&bytes[index..index + 10]) {
            bytes[index..index + 10].copy_from_slice(b"YYYY-MM-DD");
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// The embedded base game.
pub fn embedded_base_game() -> ModSource {
    register_embedded(&EMBEDDED_MODS);
    read_embedded_mods().remove(0)
}

/// Every embedded mod.
#[allow(dead_code)] // the benchmarks ask for one game
pub fn all_embedded_mods() -> Vec<ModSource> {
    register_embedded(&EMBEDDED_MODS);
    read_embedded_mods()
}

/// Mods in load order, with the library of the games.
pub fn load_order_with_library(mut mods: Vec<ModSource>) -> Result<ModSet, Vec<Problem>> {
    let needs_parts = mods.iter().any(|source| source.manifest.needed_mods.contains_key("parts"));
    if needs_parts && !mods.iter().any(|source| source.id() == "parts") {
        mods.push(read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("mods/parts"))?);
    }
    sort_into_load_order(mods)
}

/// The scene and the start that every game needs.
pub const MINIMAL_GAME: &str = r#"
scene "only" { prompt = function() return { text = "?", choices = { { id = "go", label = "Go" } } } end, on = { go = function() end } }
start(function() go "only" end)
"#;

/// A game of one mod with these files.
pub fn game_from_files(files: &[(&str, &str)]) -> ModSet {
    sort_into_load_order(vec![mod_from_text(GAME_MANIFEST, files)]).unwrap()
}

/// The mods in the subfolders, or the one mod that the folder is.
pub fn mods_in_folder(path: &Path) -> ModSet {
    let folders = if path.join("mod.toml").exists() {
        vec![path.to_owned()]
    } else {
        let mut subfolders: Vec<_> =
            fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        subfolders.sort();
        subfolders
    };
    sort_into_load_order(folders.iter().map(|folder| read_folder(folder).unwrap()).collect())
        .unwrap()
}

/// What the program writes beside a mod's own files, at any time while tests run.
const EDITOR_FILES: [&str; 3] = [".editor", ".luaurc", ".vscode"];

/// Copies a folder recursively, without the editor files of mods.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        if EDITOR_FILES.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Loads a game of these files.
pub fn load_game_from_files(files: &[(&str, &str)]) -> Result<Vm, Vec<Problem>> {
    Vm::load(&game_from_files(files), &Value::map())
}

/// Problems as an author reads them.
pub fn problem_texts(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect::<Vec<_>>().join("\n")
}

/// A begun run of a game: the VM and the world.
pub struct TestRun {
    pub vm: Vm,
    pub world: WorldState,
}

impl TestRun {
    /// Begins a run of these mods.
    pub fn start(mods: &ModSet, seed: u64) -> Result<Self, Problem> {
        let vm = Vm::load(mods, &Value::map()).map_err(|problems| problems[0].clone())?;
        let mut world = WorldState::new(seed);
        vm.start_run(&mut world, &Value::map(), &Value::map())?;
        Ok(Self { vm, world })
    }

    /// The current prompt.
    pub fn prompt(&mut self) -> Result<Prompt, Problem> {
        self.vm.compute_prompt(&mut self.world, &Value::map())
    }

    /// The output since the last call, as it is shown.
    pub fn take_events(&mut self) -> Vec<StoryEvent> {
        take_story_events(&mut self.world, &self.vm)
    }

    /// Takes a choice.
    pub fn choose(&mut self, id: &str) -> Result<(), Problem> {
        let prompt = self.prompt()?;
        let input = prompt.accept(Input::Choice(id.to_owned())).unwrap();
        self.vm.handle_answer(&mut self.world, &Value::map(), &prompt, &input)
    }
}

/// An input as a prompt that fits it accepts it.
pub fn accepted(input: Input) -> AcceptedInput {
    let ids = match &input {
        Input::Choice(id) => std::slice::from_ref(id),
        Input::Choices(ids) => ids,
        Input::Number(_) | Input::Text(_) => &[],
    };
    let choices = ids.iter().map(|id| Choice { id: id.clone(), ..Choice::default() }).collect();
    let answer_type = match &input {
        Input::Choice(_) => AnswerType::SingleChoice,
        Input::Choices(ids) => AnswerType::MultipleChoice { min: 0, max: ids.len() },
        Input::Number(number) => {
            AnswerType::Number { min: *number, max: *number, default: *number }
        }
        Input::Text(text) => AnswerType::Text { max_length: text.len(), default: String::new() },
    };
    let (scene, text) = (String::new(), String::new());
    Prompt { scene, text, answer_type, choices, repeats: false }.accept(input).unwrap()
}

/// The output of a world since the last call, as it is shown with the text overrides of a VM.
pub fn take_story_events(world: &mut WorldState, vm: &Vm) -> Vec<StoryEvent> {
    show_emitted_events(world.take_story_events(), vm.registry().text_overrides())
}

/// The output and status of `test` for a game in a folder.
pub fn test_command_output(
    game: &str,
    folder: &Path,
    extra_arguments: &[&str],
) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["test", game, "--mods"]).arg(folder).args(extra_arguments);
    command.current_dir(std::env::temp_dir()).env("XDG_DATA_HOME", "/no/such/folder");
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

/// The number of cases of a test: from this environment variable, or a few.
#[allow(clippy::disallowed_methods)] // a test is asked for its full length from outside
pub fn count_from_env(variable: &str, default_count: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default_count)
}

/// Whether the time of a step is checked: in a full run of the optimized build, where little else
/// runs. A build with assertions is slower.
#[allow(dead_code)] // the benchmarks check none
pub fn is_thread_time_checked() -> bool {
    count_from_env("SUB_ROSA_FULL", 0) > 0 && !cfg!(debug_assertions)
}

/// The part of a long test that runs: `.ci/run` derives it from the commit's hash, so that each
/// commit runs another part.
pub fn sample_number() -> u64 {
    count_from_env("SUB_ROSA_SAMPLE", 0)
}

/// The processor time of this thread in ms, on systems that report it.
#[allow(dead_code)] // the benchmarks have clocks of their own
pub fn thread_time_ms() -> u64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    statistics
        .split_whitespace()
        .next()
        .and_then(|nanoseconds| nanoseconds.parse::<u64>().ok())
        .unwrap_or(0)
        / 1_000_000
}

/// What a step changed that set one field of the scripts' `state`.
pub fn state_field_change(name: &str, value: i64) -> protocol::WorldChanges {
    let set = [(name.into(), base::Value::Int(value))].into();
    let table =
        state::TableChange { path: vec!["game".into()], set_entries: set, ..Default::default() };
    protocol::WorldChanges { table_changes: vec![table], ..Default::default() }
}
