//! A session with much output: memory holds the end of the log, the journal the rest. The log and
//! the numbers of choices are the same after a resume.

use std::fs;
use std::io::Cursor;
use std::rc::Rc;
use std::sync::Arc;

use engine::mods::SearchPaths;
use engine::protocol::{StoryEntry, StoryEvent};
use engine::save::DataDir;
use engine::ui::log::{Log, MAX_LOG_BYTES};
use engine::ui::menu::{Setup, run_menu};
use engine::ui::plain::{LineReader, PlainText};

use super::screens::setup;
use crate::support::disk::FaultyDisk;

const MAIN: &str = r#"
start(function() state.told = 0 go "inn" end)
scene "inn" {
  prompt = function()
    local choices = {}
    for _, id in { "one", "two", "three" } do
      if not state[id] then table.insert(choices, { id = id, label = id }) end
    end
    table.insert(choices, { id = "much", label = "Much" })
    return { text = "What?", choices = choices }
  end,
  on = {
    one = function() state.one = true end,
    two = function() state.two = true end,
    three = function() state.three = true end,
    much = function()
      state.told += 1
      say("Step {told} begins.", { told = state.told })
      for i = 1, 6 do say(("word "):rep(9000)) end
      say "It ends."
    end,
  },
}
"#;

fn game() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest =
        "id = \"much\"\nname = \"Much\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";
    fs::write(folder.path().join("mod.toml"), manifest).unwrap();
    fs::write(folder.path().join("main.luau"), MAIN).unwrap();
    folder
}

fn start(disk: &FaultyDisk, folder: &tempfile::TempDir, lines: &str) -> String {
    let setup = Setup {
        search_paths: SearchPaths {
            named_folders: vec![folder.path().to_owned()],
            ..crate::support::embedded_search_paths()
        },
        game: Some("much".to_owned()),
        data_dir: DataDir::on_disk(Arc::new(disk.clone()), "data"),
        ..setup()
    };
    let typed = LineReader::from_terminal(Cursor::new(lines.to_owned().into_bytes()));
    let mut front = PlainText::new(typed, Vec::new(), 80);
    let _ = run_menu(setup, &mut front, &mut || 7);
    String::from_utf8(front.into_output()).unwrap()
}

/// The text between the last prompt and the next.
fn last_answer(said: &str) -> &str {
    let question = "4. Much\n> ";
    let from = said.rfind(question).expect("it was asked") + question.len();
    &said[from..said.rfind("\n> ").expect("it was asked again")]
}

#[test]
fn the_log_and_the_numbers_are_the_same_after_a_resume() {
    for steps in [2, 8] {
        let (disk, folder) = (FaultyDisk::new(), game());
        let much = "much\n".repeat(steps);
        let first = start(&disk, &folder, &format!("new\ntwo\n{much}again\nlog\nquit\nquit\n"));
        assert!(first.contains("1. one\n3. three\n4. Much"), "a spent choice leaves a gap");
        let again = start(&disk, &folder, "resume\nagain\nlog\nquit\nquit\n");
        assert!(
            again.contains("1. one\n3. three\n4. Much"),
            "{steps} steps: the gap is there again"
        );
        let log = last_answer(&first);
        assert!(log.contains("Step 1 begins.") && log.contains(&format!("Step {steps} begins.")));
        assert_eq!(log, last_answer(&again), "{steps} steps");
    }
}

fn say(bytes: usize, at: usize) -> StoryEntry {
    StoryEntry::Event(StoryEvent::Say { text: format!("{at} {}", "o".repeat(bytes)) })
}

#[test]
fn a_log_holds_its_end_and_reads_the_rest() {
    let all: Vec<StoryEntry> = (0..40).map(|at| say(100_000, at)).collect();
    let mut log = Log::default();
    all.iter().cloned().for_each(|past| log.push(past));
    let held = log.all_entries();
    assert!(held.iter().map(StoryEntry::bytes).sum::<usize>() <= MAX_LOG_BYTES);
    assert!(held.len() > 8 && all.ends_with(&held), "the newest is in memory");
    let whole = all.clone();
    log.set_reader(Some(Rc::new(move || whole.clone())));
    assert_eq!(log.all_entries(), all);
    // A new beginning is stored as long as it fits.
    log.restart(&all[..3]);
    assert_eq!(log.all_entries(), all[..3]);
}
