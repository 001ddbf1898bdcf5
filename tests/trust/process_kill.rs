//! The real program, killed with `kill -9` at random moments. All shown output is there again, no
//! die changes, and the run is paid once.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use engine::protocol::StoryEvent;
use engine::save::{DataDir, ReadExtent};
use engine::session::RETRY_CHOICE_ID;

use crate::cli;
use crate::support::memory_runs::without_answers;
use crate::support::{RandomSource, count_from_env, sample};

const PLAYER: &str = "Ada";
const RUN: &str = "ada-0001";

/// The answers, step by step; step 1 is the first.
const ANSWERS: [&str; 17] = [
    "1, letters",
    "Ann",
    "wait",
    "break",
    "wait",
    "row",
    "break",
    "row",
    "row",
    "break",
    "row",
    "row",
    "row",
    "row",
    "row",
    "row",
    "swim",
];

/// The events in the journal so far, rolls and lines, in order.
fn journal_events(data_dir: &DataDir) -> Vec<StoryEvent> {
    match data_dir.open(RUN, ReadExtent::All) {
        Ok(opened) => {
            assert!(opened.damage.is_none(), "{}", opened.damage.unwrap().problem);
            without_answers(&opened.story())
        }
        Err(_) => Vec::new(),
    }
}

/// The lines to type now, by the data on disk, from the title on.
fn script(data_dir: &DataDir) -> Option<Vec<String>> {
    let Ok(opened) = data_dir.open(RUN, ReadExtent::All) else {
        let answers = ANSWERS.iter().map(|answer| (*answer).to_owned());
        return Some(std::iter::once("new".to_owned()).chain(answers).collect());
    };
    if opened.run_state.ended.is_some() {
        return None;
    }
    let mut lines = vec!["resume".to_owned()];
    let mut next = opened.run_state.next_step.max(1);
    if let Some(pending) = &opened.run_state.pending {
        if pending.retries > 0 {
            lines.push(RETRY_CHOICE_ID.to_owned());
        }
        next = pending.step + 1;
    }
    let from = usize::try_from(next).unwrap() - 1;
    lines.extend(ANSWERS.iter().skip(from).map(|answer| (*answer).to_owned()));
    Some(lines)
}

/// Starts the program with a script and kills it after a while; returns its output so far.
#[allow(clippy::disallowed_methods)] // moments are random on purpose
fn start(folder: &Path, with: &[String], lines: &[String], kill_after: Option<Duration>) -> String {
    let data = folder.to_string_lossy().into_owned();
    let arguments = [
        "--data",
        &data,
        "--profile",
        PLAYER,
        "--seed",
        "5",
        "--set",
        "oil=9",
        "--set",
        "boat=barge",
    ];
    let out = tempfile::tempfile().unwrap();
    let mut command = cli::ferry(&arguments);
    command.args(with);
    command.stdin(Stdio::piped()).stdout(out.try_clone().unwrap()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = command.spawn().unwrap();
    let typed = lines.join("\n") + "\ntitle\nquit\n";
    // It may be killed before it has read all input.
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    match kill_after {
        None => assert!(child.wait().unwrap().success()),
        Some(after) => {
            std::thread::sleep(after.saturating_sub(begun.elapsed()));
            let _ = child.kill();
            child.wait().unwrap();
        }
    }
    use std::io::{Read, Seek};
    let (mut out, mut shown) = (out, Vec::new());
    out.rewind().unwrap();
    out.read_to_end(&mut shown).unwrap();
    String::from_utf8_lossy(&shown).into_owned()
}

/// The rolls in an output, in order, without one that was cut off.
fn rolls_in_text(shown: &str) -> Vec<String> {
    let whole = shown.rfind('\n').map_or("", |end| &shown[..end]);
    let lines = whole.lines().filter(|line| line.starts_with("* row:"));
    lines.map(|line| line.trim().to_owned()).collect()
}

fn roll_faces(events: &[StoryEvent]) -> Vec<String> {
    let face = |event: &StoryEvent| match event {
        StoryEvent::Roll(roll) => Some(format!("{} = {}", roll.dice[0].face, roll.total)),
        _ => None,
    };
    events.iter().filter_map(face).collect()
}

/// A hostile mod that uses nearly all memory, fuel and lines of every step; returns the arguments
/// to play with it.
fn hostile(folder: &Path) -> Vec<String> {
    let stranger = folder.join("stranger");
    fs::create_dir_all(&stranger).unwrap();
    let manifest = crate::support::manifest_needing("stranger", &["ferry"]);
    fs::write(stranger.join("mod.toml"), manifest).unwrap();
    let text = r#"
local function pile()
  local all = {}
  for index = 1, 60000 do
    all[index] = index .. " of very many texts, each a little longer than it would have to be for what it says"
  end
  for turn = 1, 200000 do end
  return #all
end
patch.scene "ferry:water" { prompt = wrap(function(original)
  pile()
  return original()
end) }
"#;
    fs::write(stranger.join("main.luau"), text).unwrap();
    let folder = stranger.to_string_lossy().into_owned();
    ["--mods", &folder, "--with", "stranger"].map(str::to_owned).to_vec()
}

/// A variant: its mods, its duration, and its output without a kill.
struct PlayVariant {
    with: Vec<String>,
    span: u64,
    reference: Vec<StoryEvent>,
}

impl PlayVariant {
    #[allow(clippy::disallowed_methods)] // moments are random on purpose
    fn of(with: Vec<String>) -> Self {
        let whole = tempfile::tempdir().unwrap();
        let begun = Instant::now();
        start(whole.path(), &with, &script(&DataDir::new(whole.path())).unwrap(), None);
        let span = u64::try_from(begun.elapsed().as_micros()).unwrap();
        let reference = journal_events(&DataDir::new(whole.path()));
        assert!(roll_faces(&reference).len() >= 3, "{reference:?}");
        Self { with, span, reference }
    }
}

#[test]
#[allow(clippy::disallowed_methods)] // moments are random on purpose
fn killed_at_random_moments_nothing_shown_is_lost_drawn_again_or_paid_twice() {
    let kills = count_from_env("SUB_ROSA_KILLS", 12);
    let mods = tempfile::tempdir().unwrap();
    let plain = PlayVariant::of(Vec::new());
    let hostile = PlayVariant::of(hostile(mods.path()));
    let seed = count_from_env("SUB_ROSA_KILLS_SEED", 1 + sample());
    let (mut chance, mut killed, mut runs) = (RandomSource::of(seed), 0, 0);
    while killed < kills || runs < 2 {
        runs += 1;
        let PlayVariant { with, span, reference } = if runs % 2 == 0 { &hostile } else { &plain };
        let folder = tempfile::tempdir().unwrap();
        let data_dir = DataDir::new(folder.path());
        let mut shown = Vec::new();
        while let Some(lines) = script(&data_dir) {
            // Sometimes it may finish; otherwise a run would never end.
            let after = Duration::from_micros(chance.below(*span * 5 / 4));
            let said = start(folder.path(), with, &lines, Some(after));
            killed += 1;
            shown.extend(rolls_in_text(&said));
            let kept = journal_events(&data_dir);
            assert_eq!(kept, reference[..kept.len()], "the dice fell another way");
            for throw in rolls_in_text(&said) {
                let face = |face: &String| throw.contains(face.split(' ').next().unwrap());
                assert!(roll_faces(&kept).iter().any(face), "{throw} was shown and is gone");
            }
            assert!(
                rolls_in_text(&said).len() <= roll_faces(&kept).len(),
                "more was shown than is stored"
            );
        }
        assert_eq!(&journal_events(&data_dir), reference, "the whole story, once");
        let (held, _) = data_dir.lock_profile(PLAYER).unwrap();
        let game = held.profile().game("ferry");
        assert_eq!((game.settled.len(), game.history.len(), game.runs_started), (1, 1, 1));
        let journal = fs::read_to_string(data_dir.journal_path(RUN).unwrap()).unwrap();
        assert!(journal.matches("\"settled\"").count() <= 1, "paid twice");
    }
    super::figure("kills", &format!("{killed} kills in {runs} runs, 0 shown lines lost"));
}

/// An answer that ends the program twice can be refused, and the run continues.
#[test]
fn an_answer_that_kills_the_program_does_not_lock_the_run() {
    let folder = super::first_format();
    let data_dir = DataDir::new(folder.path());
    let input = engine::protocol::Input::Choice("row".to_owned());
    let step = {
        let mut writer =
            engine::save::open_run_for_writing(&data_dir, "ada-0002", ReadExtent::AfterCheckpoint)
                .unwrap()
                .writer
                .unwrap();
        let step = writer.run_state().next_step;
        // As if the program had died in it, and again in the second attempt.
        let intent = engine::save::JournalEntry::Intent { step, input, said: String::new() };
        writer.append_all(&[intent, engine::save::JournalEntry::Retry { step }], true).unwrap();
        step
    };
    let data = folder.path().to_string_lossy().into_owned();
    let flags = ["--data", &data, "--profile", PLAYER];
    let said = cli::text(
        &cli::run(cli::ferry(&flags), "resume\nrefuse\nwait\nswim\ntitle\nquit\n").stdout,
    );
    assert!(said.contains("The tide turns") && said.contains("The run is over"), "{said}");
    let opened = data_dir.open("ada-0002", ReadExtent::All).unwrap();
    let refused = opened.entries.iter().any(|(_, entry)| {
        matches!(entry, engine::save::JournalEntry::Refusal { step: at, problem } if *at == step && problem.code == "ended-program")
    });
    assert!(refused, "the refusal is in the journal");
}

/// The output of a program without the parts that differ each time.
fn normalized_output(said: &[String], process: u32) -> String {
    let lines = said.iter().filter(|line| !line.contains(".lock")).cloned();
    lines.collect::<Vec<_>>().join("\n").replace(&process.to_string(), "NUMBER")
}

/// Two programs on one run: one plays, the other is told who holds the lock.
#[test]
fn two_programs_on_one_profile_are_told_of_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let flags = ["--data", &data, "--profile", PLAYER, "--seed", "5", "--set", "boat=barge"];
    let mut first = cli::ferry(&flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut keys = first.stdin.take().unwrap();
    keys.write_all(b"new\n1\nAnn\n").unwrap();
    keys.flush().unwrap();
    let data_dir = DataDir::new(folder.path());
    for _ in 0..600 {
        if data_dir.open(RUN, ReadExtent::All).is_ok_and(|opened| opened.run_state.next_step >= 3) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let second = cli::run(cli::ferry(&flags), "quit\n");
    let said = cli::text(&second.stdout) + &cli::text(&second.stderr);
    assert!(said.contains(&format!("in use by process {}", first.id())), "{said}");
    assert!(!second.status.success());
    // Watching needs no lock, and follows the run.
    let mut second = cli::ferry(&flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut onlooker = second.stdin.take().unwrap();
    onlooker.write_all(b"watch\nlast\n").unwrap();
    onlooker.flush().unwrap();
    let mut lines = BufReader::new(second.stdout.take().unwrap()).lines();
    let mut seen = Vec::new();
    let mut ends = 0;
    while ends < 2 {
        // The line after the prompt of each answer.
        seen.push(lines.next().expect("it continues until it gets `leave`").unwrap());
        ends += usize::from(seen.last().is_some_and(|line| line == "8. Back"));
    }
    keys.write_all(b"row\n").unwrap();
    keys.flush().unwrap();
    while data_dir.open(RUN, ReadExtent::All).unwrap().run_state.last_step() < Some(3) {
        std::thread::sleep(Duration::from_millis(50));
    }
    onlooker.write_all(b"more\nback\nquit\n").unwrap();
    drop(onlooker);
    seen.extend(lines.map(|line| line.unwrap()));
    second.wait().unwrap();
    insta::assert_snapshot!("an_onlooker", normalized_output(&seen, first.id()));
    assert_eq!(data_dir.open(RUN, ReadExtent::All).unwrap().run_state.last_step(), Some(3));
    first.kill().unwrap();
    first.wait().unwrap();
    let again = cli::run(cli::ferry(&flags), "resume\nswim\ntitle\nquit\n");
    assert!(cli::text(&again.stdout).contains("The run is over"), "a dead holder's lock is free");
}
