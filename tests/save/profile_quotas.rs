//! Each game has a quota of a profile: a value that does not fit is refused and reported, and no
//! game blocks another.

use engine::base::Value;
use engine::save::{
    Disk, JournalEntry, JournalWriter, LockedProfile, NewRun, Profile, RunEnding, StartRunOutcome,
};

use super::{codes, ended, open_data, result};
use crate::support::disk::FaultyDisk;

fn begin(held: &mut LockedProfile, game: &str) -> JournalWriter {
    let new = NewRun { game: game.to_owned(), ..super::new_run() };
    match held.start_new_run(new, &mut || 7).unwrap() {
        StartRunOutcome::Started(writer) => *writer,
        StartRunOutcome::BlockedByUnfinishedRun(id) => panic!("{id} is not over"),
    }
}

/// Ends a run of a game and returns the report of its payment.
fn end(held: &mut LockedProfile, game: &str, ending: JournalEntry) -> Vec<String> {
    let mut writer = begin(held, game);
    writer.append_all(&[result(0), ending], true).unwrap();
    let payment = held.pay_run(&mut writer).unwrap();
    assert!(payment.is_newly_paid);
    payment.award_problem.iter().map(|problem| problem.code.to_string()).collect()
}

/// The end of a run of the reported game: 1.8 MiB of award, and 2 MiB of outcome.
fn oversized_end() -> JournalEntry {
    let texts = (0..30).map(|at| Value::text(format!("{at}{}", "x".repeat(60_000))));
    let facts: Vec<(String, Value)> =
        (0..35).map(|at| (format!("f{at}"), Value::text("y".repeat(60_000)))).collect();
    let facts = facts.iter().map(|(name, value)| (name.as_str(), value.clone()));
    JournalEntry::Ended(RunEnding {
        outcome: Value::map_of(facts.chain([("outcome", "done".into())])),
        award: Value::map_of([("texts", Value::List(texts.collect()))]),
        abandoned: false,
        achieved: (0..20_000).map(|at| format!("evil:achievement_number_{at}")).collect(),
        day: String::new(),
    })
}

fn size(disk: &FaultyDisk) -> usize {
    disk.read(&open_data(disk).profile_path("anna").unwrap(), u64::MAX).unwrap().len()
}

#[test]
fn what_does_not_fit_is_refused_and_told_and_other_games_are_paid() {
    let disk = FaultyDisk::new();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    for _ in 0..5 {
        assert_eq!(end(&mut held, "evil", oversized_end()), ["award-refused"]);
        assert_eq!(end(&mut held, "honest", ended()), [""; 0]);
    }
    drop(held);
    assert!(size(&disk) < 1024 * 1024, "{} bytes", size(&disk));
    let (held, told) = open_data(&disk).lock_profile("Anna").unwrap();
    assert_eq!(codes(&told), [""; 0]);
    let (evil, honest) = (held.profile().game("evil"), held.profile().game("honest"));
    assert_eq!((evil.settled.len(), honest.settled.len()), (5, 5));
    assert_eq!(honest.data.get("experience"), Some(&Value::Int(200)));
    // The outcome of each run is stored, without long texts.
    let kept = evil.history.iter().map(|run| run.outcome.to_json());
    assert!(kept.into_iter().all(|outcome| outcome == "{\"outcome\":\"done\"}"));
    assert!(evil.achieved.len() > 1_000 && evil.achieved.len() < 20_000);
}

#[test]
fn a_refused_award_is_told_at_the_next_start_too_and_only_once() {
    let disk = FaultyDisk::new();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin(&mut held, "evil");
    // The program ends before the profile is paid.
    writer.append_all(&[result(0), oversized_end()], true).unwrap();
    drop((writer, held));
    let told = || codes(&open_data(&disk).lock_profile("Anna").unwrap().1).join(" ");
    assert_eq!(told(), "award-refused");
    assert_eq!(told(), "");
}

#[test]
fn a_share_is_filled_by_many_small_values_as_by_long_texts() {
    let disk = FaultyDisk::new();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    let award = Value::map_of([("list", Value::List(vec![Value::Int(0); 10_000]))]);
    let ending = || {
        let JournalEntry::Ended(ending) = ended() else { panic!("an end") };
        JournalEntry::Ended(RunEnding { award: award.clone(), ..ending })
    };
    let refused = (0..10).map(|_| end(&mut held, "evil", ending()).len());
    assert_eq!(refused.sum::<usize>(), 9, "a list is as long as a start can read quickly");
    // Payments that need no more space succeed.
    assert_eq!(end(&mut held, "evil", ended()), [""; 0]);
}

#[test]
fn a_profile_that_an_older_program_filled_holds_up_no_game() {
    let disk = FaultyDisk::new();
    drop(open_data(&disk).lock_profile("Anna").unwrap());
    let mut profile = Profile::new("Anna");
    profile.format = 1;
    let text = Value::text("x".repeat(60_000));
    profile.game_mut("evil").data = Value::map_of([("texts", Value::List(vec![text; 270]))]);
    let page = toml_of(&profile);
    assert!(page.len() > 15 * 1024 * 1024);
    disk.write(&open_data(&disk).profile_path("anna").unwrap(), page.as_bytes()).unwrap();
    let (mut held, told) = open_data(&disk).lock_profile("Anna").unwrap();
    assert_eq!(codes(&told), [""; 0]);
    assert_eq!(end(&mut held, "honest", ended()), [""; 0]);
    assert_eq!(
        held.profile().game("evil").data,
        profile.game("evil").data,
        "nothing is taken away"
    );
}

/// A profile of one list of texts, as TOML.
fn toml_of(profile: &Profile) -> String {
    let data = profile.game("evil").data;
    let texts = data.get("texts").and_then(Value::as_list).unwrap();
    let texts: Vec<String> =
        texts.iter().map(|text| format!("{:?}", text.as_text().unwrap())).collect();
    format!("format = 1\nname = \"Anna\"\n[games.evil.data]\ntexts = [{}]\n", texts.join(",\n"))
}
