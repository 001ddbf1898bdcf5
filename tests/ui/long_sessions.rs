//! A session with much output: memory holds the end of the log, the journal the rest. The log and
//! the numbers of choices are the same after a resume.

use std::fs;
use std::io::Cursor;
use std::rc::Rc;
use std::sync::Arc;

use mods::SearchPaths;
use protocol::{StoryEntry, StoryEvent};
use save::DataDir;
use ui::menu::{MenuSetup, run_menu};
use ui::plain_text::{LineReader, PlainText};
use ui::story_log::{MAX_LOG_BYTES, StoryLog};

use super::screens::ferry_setup;
use crate::support::disk::FaultyDisk;

const GAME_SCRIPT: &str = r#"
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

fn write_game() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest =
        "id = \"much\"\nname = \"Much\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";
    fs::write(folder.path().join("mod.toml"), manifest).unwrap();
    fs::write(folder.path().join("main.luau"), GAME_SCRIPT).unwrap();
    folder
}

fn run_game(disk: &FaultyDisk, folder: &tempfile::TempDir, lines: &str) -> String {
    let setup = MenuSetup {
        search_paths: SearchPaths {
            named_folders: vec![folder.path().to_owned()],
            ..crate::support::embedded_search_paths()
        },
        game: Some("much".to_owned()),
        data_dir: DataDir::with_disk(Arc::new(disk.clone()), "data"),
        ..ferry_setup()
    };
    let line_reader = LineReader::from_terminal(Cursor::new(lines.to_owned().into_bytes()));
    let mut frontend = PlainText::new(line_reader, Vec::new(), 80);
    let _ = run_menu(setup, &mut frontend, &mut || 7);
    String::from_utf8(frontend.into_output()).unwrap()
}

/// The text between the last prompt and the next.
fn last_output(output: &str) -> &str {
    let question_text = "4. Much\n> ";
    let start = output.rfind(question_text).expect("it was asked") + question_text.len();
    &output[start..output.rfind("\n> ").expect("it was asked again")]
}

#[test]
fn log_and_choice_numbers_are_the_same_after_a_resume() {
    for steps in [2, 8] {
        let (disk, folder) = (FaultyDisk::new(), write_game());
        let answer_lines = "much\n".repeat(steps);
        let output_before =
            run_game(&disk, &folder, &format!("new\ntwo\n{answer_lines}again\nlog\nquit\nquit\n"));
        assert!(output_before.contains("1. one\n3. three\n4. Much"), "a spent choice leaves a gap");
        let output_after = run_game(&disk, &folder, "resume\nagain\nlog\nquit\nquit\n");
        assert!(
            output_after.contains("1. one\n3. three\n4. Much"),
            "{steps} steps: the gap is there again"
        );
        let log = last_output(&output_before);
        assert!(log.contains("Step 1 begins.") && log.contains(&format!("Step {steps} begins.")));
        assert_eq!(log, last_output(&output_after), "{steps} steps");
    }
}

fn say_entry(text_bytes: usize, number: usize) -> StoryEntry {
    StoryEntry::Event(StoryEvent::Say { text: format!("{number} {}", "o".repeat(text_bytes)) })
}

#[test]
fn a_log_keeps_its_end_in_memory_and_reads_the_rest() {
    let entries: Vec<StoryEntry> = (0..40).map(|number| say_entry(100_000, number)).collect();
    let mut log = StoryLog::default();
    entries.iter().cloned().for_each(|entry| log.push(entry));
    let loaded_entries = log.all_entries();
    assert!(loaded_entries.iter().map(StoryEntry::memory_bytes).sum::<usize>() <= MAX_LOG_BYTES);
    assert!(
        loaded_entries.len() > 8 && entries.ends_with(&loaded_entries),
        "the newest is in memory"
    );
    let journal_entries = entries.clone();
    log.set_reader(Some(Rc::new(move || journal_entries.clone())));
    assert_eq!(log.all_entries(), entries);
    // A new beginning is stored as long as it fits.
    log.restart_with(&entries[..3]);
    assert_eq!(log.all_entries(), entries[..3]);
}
