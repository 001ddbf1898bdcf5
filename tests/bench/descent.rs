//! Small descents of the bundled game, recorded once with its bot. Benchmarks then time the engine
//! on these answers and not the bot's decisions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::base::Value;
use engine::mods::{load_order, read_folder};
use engine::protocol::Input;
use engine::save::{DataDir, Disk, MemoryDisk};
use engine::script::Vm;
use engine::session::{
    Bot, Content, Recorder, RunParameters, Session, complete_options, option_specs,
};

use crate::support::{embedded_base_game, ordered, recorded_texts};

/// The bundled game as the program carries it.
pub fn content() -> Content {
    Content { mods: ordered(vec![embedded_base_game()]).unwrap(), settings: Value::map() }
}

/// The bundled game as it was when the recorded runs were made. It does not change, so that figures
/// of different years can be compared. It uses nothing that the bare host lacks.
pub fn frozen_content() -> Content {
    let texts = recorded_texts("corpus.json.xz");
    let path = format!("content/{KEPT}.json");
    let (disk, file) = (MemoryDisk::new(), PathBuf::from("data").join(&path));
    disk.make_folder(file.parent().unwrap()).unwrap();
    disk.write(&file, texts[&path].as_bytes()).unwrap();
    let source = DataDir::on(Arc::new(disk), "data").load_content(KEPT.parse().unwrap()).unwrap();
    Content { mods: load_order(vec![source]).unwrap(), settings: Value::map() }
}

/// The digest of the frozen content.
const KEPT: &str = "5ddea9b57ad5c0604cbcb83117775496";

/// A game in the folder of the benchmarks.
pub fn folder(name: &str) -> Content {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench").join(name);
    let source = read_folder(&folder).unwrap();
    Content { mods: load_order(vec![source]).unwrap(), settings: Value::map() }
}

/// The terms of a descent; the bot places the build, as a person would.
pub fn terms(vm: &Vm, seed: u64) -> RunParameters {
    let options = complete_options(&option_specs(vm.registry()), &BTreeMap::new()).unwrap();
    RunParameters { seed, options, profile: Value::map() }
}

/// A run without storage, at its first prompt.
pub fn begin(content: &Content, vm: Vm, seed: u64) -> Session {
    let terms = terms(&vm, seed);
    Session::begin(content.clone(), vm, &terms, Recorder::null()).unwrap().0
}

/// The answers of a whole descent.
pub fn answers(content: &Content, seed: u64) -> Vec<Input> {
    let mut session = begin(content, content.load().unwrap(), seed);
    let mut bot = Bot::new("sub_rosa:steady", seed);
    let (mut told, mut given) = (Vec::new(), Vec::new());
    while session.finished().is_none() {
        let input = bot.choose(&mut session, &told).unwrap();
        told = session.answer(&input).unwrap().events;
        given.push(input);
    }
    given
}
