//! Each game has a quota of a profile: a value that does not fit is refused and reported, and no
//! game blocks another.

use base::Value;
use save::{
    Disk, JournalEntry, JournalWriter, LockedProfile, NewRunParameters, Profile, RunEnding,
    StartRunOutcome,
};

use super::{data_dir_on, ended_entry, problem_codes, result_entry};
use crate::support::disk::FaultyDisk;

fn begin_run_of_game(locked_profile: &mut LockedProfile, game: &str) -> JournalWriter {
    let run_parameters = NewRunParameters { game: game.to_owned(), ..super::new_run() };
    match locked_profile.start_new_run(run_parameters, &mut || 7).unwrap() {
        StartRunOutcome::Started(writer) => *writer,
        StartRunOutcome::BlockedByUnfinishedRun(id) => panic!("{id} is not over"),
    }
}

/// Ends a run of a game and returns the report of its payment.
fn end_run_of_game(
    locked_profile: &mut LockedProfile,
    game: &str,
    ending_entry: JournalEntry,
) -> Vec<String> {
    let mut writer = begin_run_of_game(locked_profile, game);
    writer.append_all(&[result_entry(0), ending_entry], true).unwrap();
    let payment = locked_profile.pay_run(&mut writer).unwrap();
    assert!(payment.is_newly_paid);
    payment.award_problem.iter().map(|problem| problem.code.to_string()).collect()
}

/// The end of a run of the reported game: 1.8 MiB of award, and 2 MiB of outcome.
fn oversized_ended_entry() -> JournalEntry {
    let texts = (0..30).map(|number| Value::text(format!("{number}{}", "x".repeat(60_000))));
    let outcome_facts: Vec<(String, Value)> =
        (0..35).map(|number| (format!("f{number}"), Value::text("y".repeat(60_000)))).collect();
    let outcome_fields = outcome_facts.iter().map(|(name, value)| (name.as_str(), value.clone()));
    JournalEntry::Ended(RunEnding {
        outcome: Value::map_of(outcome_fields.chain([("outcome", "done".into())])),
        award: Value::map_of([("texts", Value::List(texts.collect()))]),
        was_abandoned: false,
        achievement_ids: (0..20_000)
            .map(|number| format!("evil:achievement_number_{number}"))
            .collect(),
        end_date: String::new(),
    })
}

fn profile_bytes(disk: &FaultyDisk) -> usize {
    disk.read_file(&data_dir_on(disk).profile_path("anna").unwrap(), u64::MAX).unwrap().len()
}

#[test]
fn an_oversized_award_is_refused_and_other_games_are_paid() {
    let disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    for _ in 0..5 {
        assert_eq!(
            end_run_of_game(&mut locked_profile, "evil", oversized_ended_entry()),
            ["award-refused"]
        );
        assert_eq!(end_run_of_game(&mut locked_profile, "honest", ended_entry()), [""; 0]);
    }
    drop(locked_profile);
    assert!(profile_bytes(&disk) < 1024 * 1024, "{} bytes", profile_bytes(&disk));
    let (locked_profile, notes) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    assert_eq!(problem_codes(&notes), [""; 0]);
    let (greedy_game, honest_game) = (
        locked_profile.profile().game_profile("evil"),
        locked_profile.profile().game_profile("honest"),
    );
    assert_eq!((greedy_game.paid_runs.len(), honest_game.paid_runs.len()), (5, 5));
    assert_eq!(honest_game.award_data.get("experience"), Some(&Value::Int(200)));
    // The outcome of each run is stored, without long texts.
    let outcomes = greedy_game.finished_runs.iter().map(|run| run.outcome.to_json());
    assert!(outcomes.into_iter().all(|outcome| outcome == "{\"outcome\":\"done\"}"));
    assert!(
        greedy_game.achievement_ids.len() > 1_000 && greedy_game.achievement_ids.len() < 20_000
    );
}

#[test]
fn a_refused_award_is_reported_once_at_the_next_start() {
    let disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin_run_of_game(&mut locked_profile, "evil");
    // The program ends before the profile is paid.
    writer.append_all(&[result_entry(0), oversized_ended_entry()], true).unwrap();
    drop((writer, locked_profile));
    let start_codes =
        || problem_codes(&data_dir_on(&disk).lock_profile("Anna").unwrap().1).join(" ");
    assert_eq!(start_codes(), "award-refused");
    assert_eq!(start_codes(), "");
}

#[test]
fn many_small_values_fill_a_quota_like_long_texts() {
    let disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    let award = Value::map_of([("list", Value::List(vec![Value::Int(0); 10_000]))]);
    let build_ending = || {
        let JournalEntry::Ended(run_ending) = ended_entry() else { panic!("an end") };
        JournalEntry::Ended(RunEnding { award: award.clone(), ..run_ending })
    };
    let refusal_counts =
        (0..10).map(|_| end_run_of_game(&mut locked_profile, "evil", build_ending()).len());
    assert_eq!(refusal_counts.sum::<usize>(), 9, "a list is as long as a start can read quickly");
    // Payments that need no more space succeed.
    assert_eq!(end_run_of_game(&mut locked_profile, "evil", ended_entry()), [""; 0]);
}

#[test]
fn a_profile_filled_by_an_older_program_blocks_no_game() {
    let disk = FaultyDisk::new();
    drop(data_dir_on(&disk).lock_profile("Anna").unwrap());
    let mut profile = Profile::new("Anna");
    profile.format = 1;
    let text = Value::text("x".repeat(60_000));
    profile.game_profile_mut("evil").award_data =
        Value::map_of([("texts", Value::List(vec![text; 270]))]);
    let profile_toml = toml_of_profile(&profile);
    assert!(profile_toml.len() > 15 * 1024 * 1024);
    disk.write_file(&data_dir_on(&disk).profile_path("anna").unwrap(), profile_toml.as_bytes())
        .unwrap();
    let (mut locked_profile, notes) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    assert_eq!(problem_codes(&notes), [""; 0]);
    assert_eq!(end_run_of_game(&mut locked_profile, "honest", ended_entry()), [""; 0]);
    assert_eq!(
        locked_profile.profile().game_profile("evil").award_data,
        profile.game_profile("evil").award_data,
        "nothing is taken away"
    );
}

/// A profile of one list of texts, as TOML.
fn toml_of_profile(profile: &Profile) -> String {
    let data = profile.game_profile("evil").award_data;
    let texts = data.get("texts").and_then(Value::as_list).unwrap();
    let texts: Vec<String> =
        texts.iter().map(|text| format!("{:?}", text.as_text().unwrap())).collect();
    format!("format = 1\nname = \"Anna\"\n[games.evil.data]\ntexts = [{}]\n", texts.join(",\n"))
}
