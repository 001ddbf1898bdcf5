//! Runs that an earlier program recorded: the program of today comes to the same, step by step.
//! (Runs that one build plays and replays prove nothing of another.) A few runs by default, all of
//! them when it is asked to (`.ci/full`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use engine::base::digest::Hasher;
use engine::base::{Digest, Value};
use engine::save::{DataDir, Disk, JournalEntry, MemoryDisk, ReadExtent, RunStatus};
use engine::session;

use crate::support::{count_from_env, recorded_texts, sample};

/// Texts by path.
type Packed = BTreeMap<String, String>;

static CORPUS: LazyLock<Packed> = LazyLock::new(|| recorded_texts("corpus.json.xz"));

/// The link of a line of the first format, as it was when these runs were recorded.
fn link(before: Digest, entry: &str) -> Digest {
    let mut hasher = Hasher::new("journal");
    hasher.bytes(&before.0).count(entry.len()).bytes(entry.as_bytes());
    hasher.finish()
}

/// The journal that a run's entries stood in, byte by byte.
fn journal(packed: &str) -> String {
    let (entries, last) = packed.trim_end().rsplit_once('\n').unwrap();
    let (mut journal, mut chain) = (String::new(), Digest::default());
    for entry in entries.lines() {
        chain = link(chain, entry);
        journal.push_str(&format!("{{\"chain\":\"{chain}\",\"entry\":{entry}}}\n"));
    }
    assert_eq!(chain.to_string(), last, "the recorded run is whole");
    journal
}

fn put(disk: &MemoryDisk, path: &Path, text: &str) {
    disk.make_folder(path.parent().unwrap()).unwrap();
    disk.write(path, text.as_bytes()).unwrap();
}

/// A data folder in memory with the recorded content in it.
fn with_content() -> (DataDir, MemoryDisk) {
    let disk = MemoryDisk::new();
    for (path, text) in CORPUS.iter().filter(|(path, _)| path.starts_with("content/")) {
        put(&disk, &PathBuf::from("data").join(path), text);
    }
    (DataDir::on(Arc::new(disk.clone()), "data"), disk)
}

/// Replays each so-manyth of the recorded runs; the replay compares the world's digest and what was
/// told, step by step.
fn replay_part(part: usize) {
    let wanted = usize::try_from(count_from_env("SUB_ROSA_RECORDED", 4)).unwrap();
    let runs: Vec<&String> =
        CORPUS.iter().filter(|(path, _)| path.starts_with("runs/")).map(|(_, run)| run).collect();
    assert_eq!(runs.len(), 520);
    let wanted = wanted.clamp(2, runs.len());
    let first = usize::try_from(sample()).unwrap();
    let (mut replayed, mut steps, mut wrong) = (0, 0, Vec::new());
    for at in (0..wanted).filter(|at| at % 2 == part) {
        let number = (first + at * runs.len() / wanted) % runs.len();
        let (home, disk) = with_content();
        let journal_text = journal(runs[number]);
        put(&disk, &home.journal("ada-0001").unwrap(), &journal_text);
        let opened = home.open("ada-0001", ReadExtent::All).unwrap();
        assert!(opened.damage.is_none() && opened.torn.is_none(), "run {number}");
        let last = opened.run_state.last_step().unwrap();
        match session::replay(&home, "ada-0001", &mut |_, _| steps += 1) {
            Ok(done) if done == last => replayed += 1,
            Ok(done) => wrong.push(format!("run {number}: {done} of {last} steps")),
            Err(problem) => wrong.push(format!("run {number}: {problem}")),
        }
    }
    assert!(wrong.is_empty(), "{} runs differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(steps >= replayed, "{steps} steps of {replayed} runs are too few to mean anything");
    let figure = format!("{replayed} runs, {steps} steps, 0 differences");
    super::figure(&format!("recorded_{part}"), &figure);
}

#[test]
fn runs_that_an_earlier_program_recorded_replay_without_a_difference() {
    replay_part(0);
}

#[test]
fn the_other_half_of_the_recorded_runs_too() {
    replay_part(1);
}

/// The recorded runs say something: one that was tampered with is told, with the step.
#[test]
fn a_recorded_run_that_came_to_something_else_is_told() {
    let run = CORPUS.iter().find(|(path, _)| path.starts_with("runs/")).unwrap().1;
    let mut entries: Vec<String> = run.lines().map(str::to_owned).collect();
    entries.pop();
    let JournalEntry::Result { step: 1, digest, .. } = serde_json::from_str(&entries[3]).unwrap()
    else {
        panic!("{}", entries[3])
    };
    entries[3] = entries[3].replace(&digest.to_string(), &Digest::default().to_string());
    let last = entries.iter().fold(Digest::default(), |chain, entry| link(chain, entry));
    let (home, disk) = with_content();
    let text = journal(&format!("{}\n{last}\n", entries.join("\n")));
    put(&disk, &home.journal("ada-0001").unwrap(), &text);
    let problem = session::replay(&home, "ada-0001", &mut |_, _| {}).unwrap_err();
    assert_eq!(problem.code, "diverged", "{problem}");
    assert!(problem.to_string().contains("step 1"), "{problem}");
}

/// A player's folder of then: nothing in it is lost, and what was begun goes on.
#[test]
fn the_folder_of_an_earlier_player_opens_whole_and_goes_on() {
    let (home, disk) = with_content();
    for (path, text) in recorded_texts("player.json.xz") {
        put(&disk, &PathBuf::from("data").join(path), &text);
    }
    let (held, told) = home.lock_profile("Ada").unwrap();
    assert_eq!(told, []);
    let game = held.profile().game("sub_rosa");
    assert_eq!((game.runs_started, game.history.len()), (17, 16));
    let kept = |name: &str| game.data.get(name).cloned();
    assert_eq!(kept("experience"), Some(Value::Int(7526)));
    assert_eq!(kept("victory"), Some(Value::Int(13)));
    assert!(kept("relics").unwrap().as_list().is_some_and(|relics| !relics.is_empty()));
    let company = held.profile().game("sovereign");
    assert_eq!((company.runs_started, company.history.len()), (4, 3));
    let over = |id: &str| {
        let lines = home.list_runs().unwrap();
        let line = lines.into_iter().find(|line| line.run_id == id).unwrap();
        matches!(line.status, RunStatus::Ended(_))
    };
    assert!(over("ada-0016") && over("ada-0020") && !over("ada-0017") && !over("ada-0021"));
    for (game, id, scene, digest) in [
        ("sub_rosa", "ada-0017", "sub_rosa:room", "45fa2bb32d5fa0cf5a1a36e86011d5ea"),
        ("sovereign", "ada-0021", "sovereign:chamber", "8bbbe1c218b1662fe786d4dd271b704b"),
    ] {
        assert_eq!(held.unfinished(game).unwrap().as_deref(), Some(id));
        let mut again = session::resume(&home, id, None).unwrap();
        assert_eq!(again.session.step_number(), 75, "{id}");
        assert_eq!(again.session.prompt().scene, scene);
        assert_eq!(again.session.digest().to_string(), digest, "{id}");
        let mut bot = session::Bot::new(session::RANDOM, 1);
        for _ in 0..5 {
            let input = bot.choose(&mut again.session, &[]).unwrap();
            assert!(again.session.answer(&input).unwrap().refused.is_none());
        }
        let digest = again.session.digest();
        drop(again);
        assert_eq!(session::resume(&home, id, None).unwrap().session.digest(), digest);
        assert_eq!(session::replay(&home, id, &mut |_, _| {}).unwrap(), 80, "{id}");
    }
}
