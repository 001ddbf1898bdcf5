//! The readers of untrusted bytes, each as one function that checks its invariants. `fuzz.rs` feeds
//! them randomly mutated texts; `tests/fuzz/` feeds them coverage-guided bytes.

use std::io::Cursor;
use std::sync::Arc;

use mods::Manifest;
use protocol::{AnswerType, Choice, Prompt, View};
use save::{DataDir, Disk, MemoryDisk, ReadExtent};
use ui::full_screen::Keymap;
use ui::plain_text::{LineReader, PlainText};
use ui::{Answer, Frontend};

/// Reads bytes, and panics if an invariant fails.
pub type FuzzTarget = Box<dyn Fn(&[u8])>;

/// A journal and its checkpoint in the first format.
pub const JOURNAL: &[u8] = include_bytes!("../fixtures/format_1/runs/ada-0002/journal.jsonl");
pub const PROFILE: &[u8] = include_bytes!("../fixtures/format_1/profiles/ada.toml");
pub const CHECKPOINT: &[u8] = include_bytes!("../fixtures/format_1/runs/ada-0002/checkpoint.json");

/// Dice notation: a parsed notation is printed in a form that parses to the same.
pub fn notation_target() -> FuzzTarget {
    Box::new(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(expr) = dice::parse_roll(&text) {
            let reparsed_expr =
                dice::parse_roll(&expr.to_string()).expect("written data can be read");
            assert_eq!(reparsed_expr, expr, "and is the same");
            if let Ok(outcomes) = dice::count_roll_outcomes(&expr) {
                assert!(!outcomes.is_empty());
            }
        }
    })
}

/// `mod.toml`.
pub fn manifest_target() -> FuzzTarget {
    Box::new(|bytes| {
        let _ = Manifest::parse("odd", &String::from_utf8_lossy(bytes));
    })
}

/// `keys.toml`: nothing of it controls a terminal.
pub fn key_file_target() -> FuzzTarget {
    Box::new(|bytes| {
        let (_, problems) = Keymap::parse(&String::from_utf8_lossy(bytes), "keys.toml");
        problems.iter().for_each(|problem| assert!(!problem.to_string().contains('\u{1b}')));
    })
}

/// A disk with files of the first format, without one file.
fn fixture_disk() -> (MemoryDisk, DataDir) {
    let disk = MemoryDisk::new();
    let data_dir = DataDir::with_disk(Arc::new(disk.clone()), "data");
    let run = data_dir.root().join("runs/ada-0002");
    disk.create_folder(&run).unwrap();
    disk.create_folder(&data_dir.root().join("profiles")).unwrap();
    disk.write_file(&run.join("journal.jsonl"), JOURNAL).unwrap();
    disk.write_file(&run.join("checkpoint.json"), CHECKPOINT).unwrap();
    (disk, data_dir)
}

/// A run's journal: no forged journal is accepted as complete, read in full or from its tail.
pub fn journal_target() -> FuzzTarget {
    let (disk, data_dir) = fixture_disk();
    let path = data_dir.journal_path("ada-0002").unwrap();
    Box::new(move |bytes| {
        disk.write_file(&path, bytes).unwrap();
        for extent in [ReadExtent::AfterCheckpoint, ReadExtent::All] {
            let Ok(opened_run) = data_dir.open_run("ada-0002", extent) else { continue };
            opened_run.recent_story(&Default::default()).unwrap();
            if bytes != JOURNAL
                && opened_run.damage.is_none()
                && opened_run.torn_line_note.is_none()
            {
                assert!(JOURNAL.starts_with(bytes), "a forged journal was accepted");
            }
            // A repaired header is for a writer; a replay gets the Problem.
            let has_repaired_header =
                opened_run.damage.as_ref().is_some_and(|damage| damage.line == 1);
            if extent == ReadExtent::All && !has_repaired_header {
                let stream = data_dir.stream_journal("ada-0002").expect("it has its head");
                let entries = stream.entries();
                assert!(!stream.has_undo() && entries.eq(opened_run.entries()), "line by line");
            }
        }
    })
}

/// A checkpoint: damage costs nothing, and no forged one is accepted.
pub fn checkpoint_target() -> FuzzTarget {
    let (disk, data_dir) = fixture_disk();
    let path = data_dir.journal_path("ada-0002").unwrap().with_file_name("checkpoint.json");
    Box::new(move |bytes| {
        disk.write_file(&path, bytes).unwrap();
        let opened_run = data_dir
            .open_run("ada-0002", ReadExtent::AfterCheckpoint)
            .expect("a checkpoint costs nothing");
        assert!(
            bytes == CHECKPOINT || opened_run.checkpoint.is_none(),
            "a forged one was accepted"
        );
        assert!(opened_run.damage.is_none());
    })
}

/// A current profile: its bytes, and its reader.
pub fn profile_target() -> (Vec<u8>, FuzzTarget) {
    let disk = MemoryDisk::new();
    let data_dir = DataDir::with_disk(Arc::new(disk.clone()), "data");
    let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    locked_profile.update_profile(|profile| profile.last_run_number = 3).unwrap();
    let path = data_dir.profile_path("ada").unwrap();
    let sealed_profile = disk.read_file(&path, u64::MAX).unwrap();
    drop(locked_profile);
    let sealed_bytes = sealed_profile.clone();
    let read_bytes = move |bytes: &[u8]| {
        disk.write_file(&path, bytes).unwrap();
        let result = data_dir.read_profile("ada");
        let has_current_format = bytes.windows(10).any(|window| window == b"format = 2");
        if let (Ok(_), true) = (result, has_current_format) {
            assert!([&sealed_bytes, PROFILE].contains(&bytes), "a forged one was accepted");
        }
    };
    (sealed_profile, Box::new(read_bytes))
}

/// Answers in a file: each fits the prompt, and nothing of them controls a terminal.
pub fn script_target() -> FuzzTarget {
    let choice = |id: &str, is_disabled: bool| Choice {
        id: id.to_owned(),
        label: format!("The {id}"),
        disabled_because: is_disabled.then(|| "not now".to_owned()),
        ..Choice::default()
    };
    let choices: Vec<Choice> =
        (0..9).map(|number| choice(&format!("way{number}"), number == 4)).collect();
    let answer_types = [
        AnswerType::SingleChoice,
        AnswerType::MultipleChoice { min: 0, max: 3 },
        AnswerType::Number { min: -3, max: 900, default: 1 },
        AnswerType::Text { max_length: 12, default: "nobody".to_owned() },
    ];
    Box::new(move |bytes| {
        let line_reader = LineReader::from_script(Cursor::new(bytes.to_vec()), "odd.txt");
        let mut frontend = PlainText::new(line_reader, Vec::new(), 80);
        for turn in 0..40 {
            let answer_type = answer_types[turn % answer_types.len()].clone();
            let prompt = Prompt {
                scene: "odd:hall".to_owned(),
                text: "Which?".to_owned(),
                choices: match answer_type {
                    AnswerType::SingleChoice | AnswerType::MultipleChoice { .. } => choices.clone(),
                    _ => Vec::new(),
                },
                answer_type,
                repeats: false,
            };
            match frontend.ask_prompt(&prompt, &View::default()) {
                Ok(Answer::Input(input)) => {
                    assert_eq!(prompt.accept(input.clone().into_input()), Ok(input));
                }
                Ok(_) | Err(_) => break,
            }
        }
        let output = String::from_utf8(frontend.into_output()).unwrap();
        assert!(output.chars().all(base::text::is_printable), "{output:?}");
    })
}
