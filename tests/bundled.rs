//! Loads the bundled game and the test games for tests of other topics.

use std::path::Path;

use base::Value;
use mods::read_folder;
use script::Vm;
use session::{
    RunContent, RunParameters, Session, StepOutcome, StepRecorder, complete_options, option_specs,
};

/// The ids of the embedded games, the default first.
pub fn embedded_game_ids() -> Vec<String> {
    let embedded_mods = crate::support::all_embedded_mods();
    let games = embedded_mods.into_iter().filter(|source| source.manifest.is_game);
    games.map(|source| source.id().to_owned()).collect()
}

/// The content of a game (a bundled one, or one of `tests/games/`) with further mod folders.
pub fn game_content(game: &str, mods: &[String]) -> RunContent {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let game_folder = match game {
        "sub_rosa" => root.join("base_game"),
        // A bundled game is in the folder of its name.
        other => Some(root.join("mods").join(other))
            .filter(|folder| folder.is_dir())
            .unwrap_or_else(|| root.join("tests/games").join(other)),
    };
    let folders = std::iter::once(game_folder).chain(mods.iter().map(|folder| root.join(folder)));
    let sources = folders
        .map(|folder| read_folder(&folder).unwrap_or_else(|problems| panic!("{}", problems[0])));
    RunContent {
        mods: crate::support::load_order_with_library(sources.collect()).unwrap(),
        settings: Value::map(),
    }
}

/// A VM of that content.
pub fn load_vm(content: &RunContent) -> Vm {
    content.load_vm().unwrap_or_else(|problems| {
        let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{}", texts.join("\n\n"))
    })
}

/// Begins a run without storage.
pub fn start_session(
    content: &RunContent,
    seed: u64,
    options: &[(&str, Value)],
    profile: Value,
) -> (Session, StepOutcome) {
    let vm = load_vm(content);
    let option_values =
        options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let options = complete_options(&option_specs(vm.registry()), &option_values).unwrap();
    let run_parameters = RunParameters { seed, options, profile };
    let (session, step_outcome) =
        Session::start(content.clone(), vm, &run_parameters, StepRecorder::without_journal())
            .unwrap();
    assert!(step_outcome.refusal.is_none(), "{}", step_outcome.refusal.unwrap());
    (session, step_outcome)
}

/// The ids of a prompt's choices, for a message.
pub fn prompt_description(session: &Session) -> String {
    let prompt = session.prompt();
    let ids: Vec<&str> = prompt.choices.iter().map(|choice| choice.id.as_str()).collect();
    format!("the prompt of {} offers: {}", prompt.scene, ids.join(", "))
}
