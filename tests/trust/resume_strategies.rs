//! A run is resumed from its own state, whatever the scripts of today would make of its steps: from
//! its checkpoint, or from its first line. The player is informed, and the file is complete each
//! time.

use std::sync::Arc;

use base::{Digest, Problem, Value};
use mods::sort_into_load_order;
use protocol::{Input, StoryEvent, WorldState};
use save::{
    DataDir, Disk, JournalEntry, JournalWriter, MemoryDisk, ModVersion, ReadExtent,
    open_run_for_writing,
};
use session::{ActiveRun, RunContent, RunRequest};

use crate::support::disk::FaultyDisk;
use crate::support::memory_runs::{self, choose, events_without_answers, lock_profile_of_ada};
use crate::support::{GAME_MANIFEST, game_from_files, mod_from_text};

const RUN_ID: &str = "ada-0001";

const MINE_SCRIPT: &str = r#"
start(function()
  state.depth = 0
  say "The lamp is lit."
  go "shaft"
end)
scene "shaft" {
  prompt = function()
    return { text = "Dig?", choices = { { id = "dig", label = "Dig" }, { id = "stop", label = "Stop" } } }
  end,
  on = {
    dig = function()
      for _ = 1, 4000 do end -- long enough for a look at the clock
      state.depth += roll("1d100", "mine")
      say("You are {n} deep.", { n = state.depth })
    end,
    stop = function() finish { outcome = "out" } end,
  },
}
"#;

fn mine_content() -> RunContent {
    let mods =
        sort_into_load_order(vec![mod_from_text(GAME_MANIFEST, &[("mine.luau", MINE_SCRIPT)])])
            .unwrap();
    RunContent { mods, settings: Value::map() }
}

/// A run of this many steps, and the digest after each.
fn write_run_of_steps(steps: usize) -> (FaultyDisk, DataDir, Vec<Digest>) {
    let (disk, data_dir) = memory_runs::memory_data_dir();
    let mut session =
        memory_runs::begin_run(&mut lock_profile_of_ada(&data_dir), mine_content(), 3).session;
    let mut digests = vec![session.digest()];
    for _ in 0..steps {
        choose(&mut session, "dig");
        digests.push(session.digest());
    }
    (disk, data_dir, digests)
}

fn open_writer(data_dir: &DataDir) -> JournalWriter {
    open_run_for_writing(data_dir, RUN_ID, ReadExtent::AfterCheckpoint).unwrap().writer.unwrap()
}

fn intent_entry(step: u64) -> JournalEntry {
    JournalEntry::Intent {
        step,
        input: Input::Choice("dig".to_owned()),
        answer_text: String::new(),
        odds: None,
    }
}

fn result_entry(step: u64, text: &str) -> JournalEntry {
    let events = vec![StoryEvent::Say { text: text.to_owned() }.into()];
    JournalEntry::Result { step, events, changes: Default::default() }
}

/// Appends a step with a change of a table that does not exist.
fn append_result_that_does_not_fit(data_dir: &DataDir, step: u64) {
    let mut writer = open_writer(data_dir);
    let table = state::TableChange { path: vec!["gone".into()], ..Default::default() };
    let changes = protocol::WorldChanges { table_changes: vec![table], ..Default::default() };
    let result = JournalEntry::Result { step, events: Vec::new(), changes };
    writer.append_all(&[intent_entry(step), result], true).unwrap();
}

fn problem_codes(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|problem| problem.code.as_str()).collect()
}

/// Resumes the run; the file is complete before and after, and the run is played on and resumed
/// again.
fn assert_run_continues(
    data_dir: &DataDir,
    expected_position: (u64, Digest),
    expected_codes: &[&str],
) -> ActiveRun {
    let before =
        data_dir.disk().read_file(&data_dir.journal_path(RUN_ID).unwrap(), u64::MAX).unwrap();
    let mut active_run = session::resume_run(data_dir, RUN_ID, Some(&mine_content())).unwrap();
    assert_eq!(problem_codes(&active_run.notes), expected_codes, "{:?}", active_run.notes);
    assert_eq!((active_run.session.step_number(), active_run.session.digest()), expected_position);
    let after =
        data_dir.disk().read_file(&data_dir.journal_path(RUN_ID).unwrap(), u64::MAX).unwrap();
    assert!(after.starts_with(&before), "nothing that was written is gone");
    assert!(active_run.session.prompt().scene == "game:shaft", "there is a question to answer");
    active_run.session.answer_prompt(&Input::Choice("dig".to_owned())).unwrap();
    let digest = active_run.session.digest();
    let _open_run = active_run;
    let opened_run = data_dir.open_run(RUN_ID, ReadExtent::All).unwrap();
    assert!(opened_run.damage.is_none() && opened_run.torn_line_note.is_none());
    drop(_open_run);
    let resumed_run = session::resume_run(data_dir, RUN_ID, Some(&mine_content())).unwrap();
    assert_eq!(problem_codes(&resumed_run.notes), [""; 0], "a skipped entry does not come back");
    assert_eq!(resumed_run.session.digest(), digest);
    resumed_run
}

/// A checkpoint whose state no run can have, and a run without one.
#[test]
fn a_run_with_an_unusable_checkpoint_is_restored_from_its_first_line() {
    let (disk, data_dir, digests) = write_run_of_steps(20);
    let mut writer = open_writer(&data_dir);
    let mut snapshot = WorldState::new(3).snapshot();
    snapshot.state = Value::map_of([("game", Value::map())]);
    writer.replace_checkpoint(snapshot, Digest::default()).unwrap();
    let checkpoint = writer.path().with_file_name("checkpoint.json");
    drop(writer);
    assert_run_continues(&data_dir, (20, digests[20]), &["checkpoint-passed-over"]);
    let (disk, data_dir, digests) = {
        drop(disk);
        write_run_of_steps(20)
    };
    disk.rename(&checkpoint, &checkpoint.with_extension("away")).unwrap();
    assert_run_continues(&data_dir, (20, digests[20]), &[]);
}

/// The results that today's scripts would give for past steps do not matter.
#[test]
fn a_run_that_scripts_would_not_repeat_continues_from_its_own_state() {
    let cases: [(&str, Vec<JournalEntry>); 5] = [
        ("other events", vec![intent_entry(21), result_entry(21, "You are 7 deep.")]),
        (
            "told more",
            vec![
                intent_entry(21),
                JournalEntry::Result { step: 21, events: Vec::new(), changes: Default::default() },
            ],
        ),
        (
            "an answer that was never asked for",
            vec![
                JournalEntry::Intent {
                    step: 21,
                    input: Input::Choice("fly".to_owned()),
                    answer_text: String::new(),
                    odds: None,
                },
                result_entry(21, "You fly."),
            ],
        ),
        (
            "further steps behind it, and one that is pending",
            vec![
                intent_entry(21),
                result_entry(21, "You are 7 deep."),
                intent_entry(22),
                result_entry(22, "You are 9 deep."),
                intent_entry(23),
            ],
        ),
        (
            "an answer of another kind",
            vec![
                JournalEntry::Intent {
                    step: 21,
                    input: Input::Number(7),
                    answer_text: String::new(),
                    odds: None,
                },
                result_entry(21, "Seven."),
            ],
        ),
    ];
    for (case_name, entries) in cases {
        for with_checkpoint in [true, false] {
            let (disk, data_dir, digests) = write_run_of_steps(20);
            let mut writer = open_writer(&data_dir);
            writer.append_all(&entries, true).unwrap();
            let last_step = writer.run_state().last_completed_step().unwrap();
            let is_pending = writer.run_state().pending_step.is_some();
            let checkpoint = writer.path().with_file_name("checkpoint.json");
            drop(writer);
            if !with_checkpoint {
                disk.rename(&checkpoint, &checkpoint.with_extension("away")).unwrap();
            }
            if is_pending {
                // The step without a result is carried out, with the dice of the run.
                let active_run = session::resume_run(&data_dir, RUN_ID, None).unwrap();
                assert_eq!(active_run.session.step_number(), last_step + 1, "{case_name}");
                assert!(active_run.step_outcome.refusal.is_none(), "{case_name}");
                continue;
            }
            let resumed_run = assert_run_continues(&data_dir, (last_step, digests[20]), &[]);
            let story_texts = events_without_answers(&resumed_run.earlier_story)
                .into_iter()
                .filter(|event| matches!(event, StoryEvent::Say { .. }));
            assert!(story_texts.count() >= 22, "{case_name}: the story is that of the journal");
        }
    }
}

#[test]
fn an_answer_that_no_prompt_accepts_any_more_is_told_and_asked_anew() {
    let (_, data_dir, digests) = write_run_of_steps(20);
    let mut writer = open_writer(&data_dir);
    let input = Input::Choice("fly".to_owned());
    let intent = JournalEntry::Intent { step: 21, input, answer_text: String::new(), odds: None };
    writer.append(&intent, true).unwrap();
    drop(writer);
    let mut active_run = session::resume_run(&data_dir, RUN_ID, None).unwrap();
    assert_eq!(active_run.step_outcome.refusal.as_ref().unwrap().code, "not-accepted");
    assert_eq!((active_run.session.step_number(), active_run.session.digest()), (21, digests[20]));
    choose(&mut active_run.session, "dig");
    assert_eq!(session::replay_and_verify(&data_dir, RUN_ID, &mut |_, _| {}).unwrap(), 22);
}

#[test]
fn changes_that_do_not_fit_the_state_are_told_with_their_line() {
    let (_, data_dir, _) = write_run_of_steps(2);
    append_result_that_does_not_fit(&data_dir, 3);
    let problem = session::resume_run(&data_dir, RUN_ID, None).err().unwrap();
    assert_eq!((problem.code.as_str(), problem.place.unwrap().line), ("bad-snapshot", 8));
}

#[test]
fn a_panic_in_one_resume_strategy_falls_back_to_the_next() {
    let (disk, data_dir, digests) = write_run_of_steps(20);
    let journal = data_dir.journal_path(RUN_ID).unwrap();
    let checkpoint = journal.with_file_name("checkpoint.json");
    // The last strategy, which has no next one: any read of the journal panics.
    disk.rename(&checkpoint, &checkpoint.with_extension("away")).unwrap();
    let before = disk.read_file(&journal, u64::MAX).unwrap();
    let mut panics = Vec::new();
    for successful_reads in 0.. {
        disk.panic_on_reads("journal.jsonl", successful_reads);
        let resumed_run = session::resume_run(&data_dir, RUN_ID, Some(&mine_content()));
        disk.clear_panics();
        let Err(problem) = resumed_run else { break };
        assert_eq!(problem.code, "engine-bug");
        panics.push(problem.message);
        let after = disk.read_file(&journal, u64::MAX).unwrap();
        assert_eq!(before, after, "a run that cannot be resumed is unchanged");
    }
    let is_in_strategy = |message: &String| message.contains("restore a run from its journal");
    assert!(panics.iter().any(is_in_strategy), "{panics:#?}");
    assert_run_continues(&data_dir, (20, digests[20]), &[]);
}

/// One run that cannot even be read: the start, the list and all other runs work.
#[test]
fn a_panic_over_one_run_is_reported_for_that_run_only() {
    let (disk, data_dir, _) = write_run_of_steps(3);
    {
        let (mut locked_profile, _) = data_dir.lock_profile("Bela").unwrap();
        let request = RunRequest {
            content: mine_content(),
            options: Value::map(),
            seed: Some(4),
            is_practice: false,
        };
        session::start_run(&mut locked_profile, request, &mut || 4).unwrap();
    }
    disk.panic_on_reads(RUN_ID, 0);
    let (locked_profile, notes) = data_dir.lock_profile("Ada").unwrap();
    assert_eq!(problem_codes(&notes), ["engine-bug"]);
    assert!(notes[0].place.as_ref().unwrap().file.contains(RUN_ID), "{}", notes[0]);
    assert_eq!(
        locked_profile.newest_unfinished_original_run("game").unwrap(),
        None,
        "it holds up no other"
    );
    let lines = data_dir.list_runs().unwrap();
    assert!(matches!(lines[0].status, save::RunStatus::Damaged(_)));
    assert!(matches!(lines[1].status, save::RunStatus::Unfinished { .. }));
    assert!(session::resume_run(&data_dir, "bela-0001", None).is_ok());
}

#[test]
fn missing_or_damaged_content_is_found_by_digest() {
    type DamageFn = fn(&FaultyDisk, &std::path::Path);
    let damage_cases: [(&str, DamageFn); 6] = [
        ("one byte is another", |disk, path| {
            let mut bytes = disk.read_file(path, u64::MAX).unwrap();
            let middle_index = bytes.len() / 2;
            bytes[middle_index] ^= 1;
            disk.write_file(path, &bytes).unwrap();
        }),
        ("it is gone", |disk, path| disk.rename(path, &path.with_extension("gone")).unwrap()),
        ("it is empty", |disk, path| disk.write_file(path, b"").unwrap()),
        ("it is cut", |disk, path| disk.truncate_file(path, 40).unwrap()),
        ("it is another mod", |disk, path| {
            let other_mod =
                mod_from_text(&GAME_MANIFEST.replace("game\"", "other\""), &[("a.luau", "")]);
            disk.write_file(path, other_mod.serialize_for_store().as_bytes()).unwrap();
        }),
        ("it is no text", |disk, path| disk.write_file(path, &[0xff; 300]).unwrap()),
    ];
    for (case_name, damage_file) in damage_cases {
        let (disk, data_dir, digests) = write_run_of_steps(20);
        let digest = mine_content().mods.mods[0].digest;
        let path = data_dir.root().join("content").join(format!("{digest}.json"));
        let original = disk.read_file(&path, u64::MAX).unwrap();
        damage_file(&disk, &path);
        let damaged_bytes = disk.read_file(&path, u64::MAX).ok();
        // Without the mods no strategy works; nothing is changed.
        let problem = session::resume_run(&data_dir, RUN_ID, None).err().expect("it is nowhere");
        assert!(problem.code.as_str().starts_with("content-"), "{case_name}: {problem}");
        assert_run_continues(&data_dir, (20, digests[20]), &["content-found"]);
        assert_eq!(disk.read_file(&path, u64::MAX).unwrap(), original, "{case_name}: stored again");
        let backup_path = path.with_file_name(format!("{digest}.damaged-1.json"));
        assert_eq!(
            disk.read_file(&backup_path, u64::MAX).ok(),
            damaged_bytes,
            "{case_name}: the damaged one is stored"
        );
        // A replay, which needs no content of the caller, finds it too.
        assert_eq!(session::replay_and_verify(&data_dir, RUN_ID, &mut |_, _| {}).unwrap(), 21);
    }
}

/// The embedded game is available for every run.
#[test]
fn embedded_content_is_a_fallback_for_every_run() {
    let disk = MemoryDisk::new();
    let data_dir = DataDir::with_disk(Arc::new(disk.clone()), "data");
    let source = crate::support::embedded_base_game();
    data_dir.store_content(&source).unwrap();
    let path = data_dir.root().join("content").join(format!("{}.json", source.digest));
    let original = disk.read_file(&path, u64::MAX).unwrap();
    for offset in [0, 40, original.len() / 2, original.len() - 1] {
        let mut bytes = original.clone();
        bytes[offset] ^= 4;
        disk.write_file(&path, &bytes).unwrap();
        assert_eq!(data_dir.load_content_or_fallback(source.digest).unwrap().digest, source.digest);
        assert_eq!(problem_codes(&data_dir.take_fallback_warnings()), ["content-found"]);
        assert_eq!(disk.read_file(&path, u64::MAX).unwrap(), original, "byte {offset}");
    }
    // Content with another digest is not used for it.
    assert_eq!(
        data_dir.load_content_or_fallback(Digest::default()).unwrap_err().code,
        "content-missing"
    );
}

#[test]
fn a_run_whose_content_is_nowhere_continues_with_the_present_one() {
    let (_, data_dir, digests) = write_run_of_steps(5);
    let missing_version = ModVersion {
        id: "game".to_owned(),
        version: "0.2.0".to_owned(),
        digest: Digest::hash_bytes(b"nowhere"),
    };
    let mut writer = open_writer(&data_dir);
    let reload = JournalEntry::Reload {
        mods: vec![missing_version],
        events: Vec::new(),
        changes: Default::default(),
    };
    writer.append_all(&[reload, intent_entry(6), result_entry(6, "A lode.")], true).unwrap();
    drop(writer);
    assert!(session::resume_run(&data_dir, RUN_ID, None).is_err(), "no content is at hand");
    assert_run_continues(&data_dir, (6, digests[5]), &["content-changed"]);
}

/// A mod that is not known to be the cause is not named.
#[test]
fn a_hint_names_another_version_only_if_one_exists() {
    let (_, data_dir, _) = write_run_of_steps(2);
    let mut writer = open_writer(&data_dir);
    writer.append_all(&[intent_entry(3), result_entry(3, "Gold!")], true).unwrap();
    drop(writer);
    let problem = session::replay_and_verify(&data_dir, RUN_ID, &mut |_, _| {}).unwrap_err();
    let hint = problem.hint.unwrap();
    assert!(hint.contains("the same program") && !hint.contains("version"), "{hint}");
}

/// A run that cannot be resumed can be given up, and another begun.
#[test]
fn a_run_that_cannot_be_resumed_can_be_abandoned() {
    let (_, data_dir, _) = write_run_of_steps(4);
    append_result_that_does_not_fit(&data_dir, 5);
    assert!(session::resume_run(&data_dir, RUN_ID, None).is_err());
    let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    assert_eq!(
        locked_profile.newest_unfinished_original_run("game").unwrap().as_deref(),
        Some(RUN_ID)
    );
    session::abandon_unplayable_run(&mut locked_profile, RUN_ID).unwrap();
    assert_eq!(locked_profile.newest_unfinished_original_run("game").unwrap(), None);
    assert_eq!(locked_profile.profile().game_profile("game").finished_runs.len(), 1);
    assert!(data_dir.open_run(RUN_ID, ReadExtent::All).unwrap().run_state.is_paid);
}

/// No script runs for a past step: a run whose content refuses to run one is resumed, undone and
/// summarized. Only the prompts of steps 7 and 20 may be asked.
#[test]
fn past_steps_run_no_script() {
    let (_, recorded_dir, digests) = write_run_of_steps(20);
    let recorded_run = recorded_dir.open_run(RUN_ID, ReadExtent::All).unwrap();
    let depth_after = |step| {
        let world = session::restore_run(&recorded_dir, RUN_ID, Some(step)).unwrap().world;
        let state = serde_json::to_value(world.snapshot()).unwrap();
        state.pointer("/state/game/depth").unwrap_or_else(|| panic!("{state}")).to_string()
    };
    let failing_script = format!(
        r#"
start(function() error "a past start" end)
scene "shaft" {{
  prompt = function()
    if state.depth ~= {} and state.depth ~= {} then error "a past prompt" end
    return {{ text = "Dig?", choices = {{ {{ id = "dig", label = "Dig" }} }} }}
  end,
  on = {{ dig = function() error "a past answer" end }},
}}
"#,
        depth_after(7),
        depth_after(20)
    );
    let failing_mods = game_from_files(&[("mine.luau", &failing_script)]);
    // The same run, whose content is replaced before its first step.
    let (_, data_dir, _) = write_run_of_steps(0);
    data_dir.store_mods(&failing_mods).unwrap();
    let reload = JournalEntry::Reload {
        mods: ModVersion::from_mod_set(&failing_mods),
        events: Vec::new(),
        changes: Default::default(),
    };
    let steps = recorded_run.entries().map(|(_, entry)| entry).filter(|entry| {
        matches!(entry, JournalEntry::Intent { .. } | JournalEntry::Result { step: 1.., .. })
    });
    let mut writer = open_writer(&data_dir);
    writer.append_all(&std::iter::once(reload).chain(steps).collect::<Vec<_>>(), true).unwrap();
    drop(writer);
    let mut active_run = session::resume_run(&data_dir, RUN_ID, None).unwrap();
    assert_eq!(problem_codes(&active_run.notes), [""; 0]);
    assert_eq!(active_run.session.digest(), digests[20]);
    session::undo_to_step(&data_dir, &mut active_run.session, 7).unwrap();
    assert_eq!(active_run.session.digest(), digests[7]);
    assert_eq!(session::RunSummary::from_run(&data_dir, RUN_ID).unwrap().answer_count, 7);
}

/// A choice whose roll is reported in a later step, after something was spent on it, counts on the
/// run's page as one roll with its final result.
#[test]
fn an_open_roll_is_counted_once_when_it_is_reported() {
    const OPEN_ROLL_SCRIPT: &str = r#"
local function judge(total) return if total > 1 then "held" else "slipped" end
start(function() state.open = 0 go "edge" end)
scene "edge" {
  prompt = function()
    local climb = { id = "climb", label = "Climb", odds = odds("1d6", judge) }
    local hold = { id = "hold", label = "Hold on" }
    return { text = "?", choices = { if state.open == 0 then climb else hold } }
  end,
  on = {
    climb = function()
      local _, parts = roll("1d6", "edge", { label = "climb", outcome = judge, open = true })
      state.open = parts.open
    end,
    hold = function()
      amend_roll(state.open, 6)
      tell_roll(state.open, { outcome = judge })
      state.open = 0
    end,
  },
}
"#;
    let mods = sort_into_load_order(vec![mod_from_text(
        GAME_MANIFEST,
        &[("edge.luau", OPEN_ROLL_SCRIPT)],
    )])
    .unwrap();
    let (_, data_dir) = memory_runs::memory_data_dir();
    let content = RunContent { mods, settings: Value::map() };
    let mut session =
        memory_runs::begin_run(&mut lock_profile_of_ada(&data_dir), content, 3).session;
    choose(&mut session, "climb");
    let before = session::RunSummary::from_run(&data_dir, RUN_ID).unwrap();
    assert_eq!((before.rolls.len(), before.rolls_with_odds), (1, 0));
    choose(&mut session, "hold");
    let after = session::RunSummary::from_run(&data_dir, RUN_ID).unwrap();
    assert_eq!((after.rolls.len(), after.rolls_with_odds), (1, 1));
    assert!(!after.rolls[0].1.is_open && after.rolls[0].1.total > 6, "{:?}", after.rolls);
    let success_band = after.odds_tallies.iter().find(|band| band.label == "held").unwrap();
    assert_eq!(success_band.actual_count, 1);
}
