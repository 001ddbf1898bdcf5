//! Loads the bundled game and the test games for tests of other topics.

use std::path::Path;

use engine::base::Value;
use engine::mods::read_folder;
use engine::script::Vm;
use engine::session::{
    Content, Recorder, RunParameters, Session, StepOutcome, complete_options, option_specs,
};

/// The ids of the embedded games, the default first.
pub fn games() -> Vec<String> {
    let carried = crate::support::all_embedded_mods();
    let games = carried.into_iter().filter(|source| source.manifest.game);
    games.map(|source| source.id().to_owned()).collect()
}

/// The content of a game (a bundled one, or one of `tests/games/`) with further mod folders.
pub fn content(game: &str, mods: &[String]) -> Content {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let home = match game {
        "sub_rosa" => root.join("base_game"),
        // A bundled game is in the folder of its name.
        other => Some(root.join("mods").join(other))
            .filter(|folder| folder.is_dir())
            .unwrap_or_else(|| root.join("tests/games").join(other)),
    };
    let folders = std::iter::once(home).chain(mods.iter().map(|folder| root.join(folder)));
    let sources = folders
        .map(|folder| read_folder(&folder).unwrap_or_else(|problems| panic!("{}", problems[0])));
    Content { mods: crate::support::ordered(sources.collect()).unwrap(), settings: Value::map() }
}

/// A VM of that content.
pub fn load(content: &Content) -> Vm {
    content.load().unwrap_or_else(|problems| {
        let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{}", texts.join("\n\n"))
    })
}

/// Begins a run without storage.
pub fn begin(
    content: &Content,
    seed: u64,
    options: &[(&str, Value)],
    profile: Value,
) -> (Session, StepOutcome) {
    let vm = load(content);
    let given = options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let options = complete_options(&option_specs(vm.registry()), &given).unwrap();
    let terms = RunParameters { seed, options, profile };
    let (session, told) = Session::start(content.clone(), vm, &terms, Recorder::null()).unwrap();
    assert!(told.refused.is_none(), "{}", told.refused.unwrap());
    (session, told)
}

/// The ids of a prompt's choices, for a message.
pub fn prompt_ids(session: &Session) -> String {
    let prompt = session.prompt();
    let ids: Vec<&str> = prompt.choices.iter().map(|choice| choice.id.as_str()).collect();
    format!("the prompt of {} offers: {}", prompt.scene, ids.join(", "))
}
