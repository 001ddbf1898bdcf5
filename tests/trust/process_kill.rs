//! The real program, killed with `kill -9` at random moments. All shown output is there again, no
//! die changes, and the run is paid once.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use protocol::{Choice, Input, StoryEvent};
use save::{DataDir, ReadExtent};
use session::RETRY_CHOICE_ID;

use crate::cli;
use crate::support::memory_runs::events_without_answers;
use crate::support::{RandomSource, count_from_env, sample_number};

const PLAYER_NAME: &str = "Ada";
const RUN_ID: &str = "ada-0001";

/// The number of answers in a bundled game.
const BUNDLED_ANSWERS: usize = 24;

/// The answers of the ferry, step by step; step 1 is the first.
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
    match data_dir.open_run(RUN_ID, ReadExtent::All) {
        Ok(opened_run) => {
            assert!(opened_run.damage.is_none(), "{}", opened_run.damage.unwrap().problem);
            events_without_answers(&opened_run.recent_story(&Default::default()).unwrap())
        }
        Err(_) => Vec::new(),
    }
}

/// The lines to type now, by the data on disk, from the title on; `None` when all are answered.
fn remaining_input_lines(data_dir: &DataDir, game: &PlayedGame) -> Option<Vec<String>> {
    let Ok(opened_run) = data_dir.open_run(RUN_ID, ReadExtent::All) else {
        return Some([&game.start_lines[..], &game.answers].concat());
    };
    if opened_run.run_state.run_ending.is_some()
        || opened_run.run_state.last_completed_step() == Some(game.answers.len() as u64)
    {
        return None;
    }
    let mut input_lines = vec!["resume".to_owned()];
    let mut next_step = opened_run.run_state.next_step.max(1);
    if let Some(pending) = &opened_run.run_state.pending_step {
        if pending.retry_count > 0 {
            input_lines.push(RETRY_CHOICE_ID.to_owned());
        }
        next_step = pending.step + 1;
    }
    let answered_count = usize::try_from(next_step).unwrap() - 1;
    input_lines.extend(game.answers.iter().skip(answered_count).cloned());
    Some(input_lines)
}

/// A game with its arguments, what is typed from the title to the first prompt, and the answers.
struct PlayedGame {
    id: String,
    arguments: Vec<String>,
    start_lines: Vec<String>,
    answers: Vec<String>,
    /// Whether the answers end the run.
    ends: bool,
}

impl PlayedGame {
    fn ferry(mod_arguments: Vec<String>) -> Self {
        let ferry_arguments = [
            "--mods",
            cli::FERRY_FOLDER,
            "--game",
            "ferry",
            "--set",
            "oil=9",
            "--set",
            "boat=barge",
        ];
        Self {
            id: "ferry".to_owned(),
            arguments: ferry_arguments
                .map(str::to_owned)
                .into_iter()
                .chain(mod_arguments)
                .collect(),
            start_lines: vec!["new".to_owned()],
            answers: ANSWERS.map(str::to_owned).to_vec(),
            ends: true,
        }
    }

    /// A bundled game, begun with what it offers first; the answers are choices drawn at random.
    fn bundled(id: &str, arguments: &[&str], seed: u64) -> Self {
        let mut game = Self {
            id: id.to_owned(),
            arguments: ["--game", id].iter().chain(arguments).map(|&one| one.to_owned()).collect(),
            start_lines: ["new", "1"].map(str::to_owned).to_vec(),
            answers: Vec::new(),
            ends: false,
        };
        let folder = tempfile::tempdir().unwrap();
        run_and_kill(folder.path(), &game, &game.start_lines, None);
        let data_dir = DataDir::new(folder.path());
        let mut session = session::resume_run(&data_dir, RUN_ID, None).unwrap().session;
        let mut random = RandomSource::from_seed(seed);
        while game.answers.len() < BUNDLED_ANSWERS && session.run_outcome().is_none() {
            let is_plain = |choice: &&Choice| choice.is_enabled() && choice.confirm.is_empty();
            let choices: Vec<Choice> =
                session.prompt().choices.iter().filter(is_plain).cloned().collect();
            if choices.is_empty() {
                break;
            }
            let choice = &choices[random.next_below(choices.len() as u64) as usize];
            session.answer_prompt(&Input::Choice(choice.id.clone())).unwrap();
            game.answers.push(choice.label.clone());
        }
        game.ends = session.run_outcome().is_some();
        assert!(game.answers.len() > BUNDLED_ANSWERS / 4, "{id}: {:?}", game.answers);
        game
    }
}

/// Starts the program with a script and kills it after a while; returns its output so far.
#[allow(clippy::disallowed_methods)] // moments are random on purpose
fn run_and_kill(
    folder: &Path,
    game: &PlayedGame,
    input_lines: &[String],
    kill_after: Option<Duration>,
) -> String {
    let data = folder.to_string_lossy().into_owned();
    let output_file = tempfile::tempfile().unwrap();
    let mut command =
        cli::program_command(&["--data", &data, "--profile", PLAYER_NAME, "--seed", "5"]);
    command.args(&game.arguments);
    command.stdin(Stdio::piped()).stdout(output_file.try_clone().unwrap()).stderr(Stdio::null());
    let start_time = Instant::now();
    let mut child = command.spawn().unwrap();
    let input_text = input_lines.join("\n") + "\ntitle\nquit\n";
    // It may be killed before it has read all input.
    let _ = child.stdin.take().unwrap().write_all(input_text.as_bytes());
    match kill_after {
        None => assert!(child.wait().unwrap().success()),
        Some(kill_delay) => {
            std::thread::sleep(kill_delay.saturating_sub(start_time.elapsed()));
            let _ = child.kill();
            child.wait().unwrap();
        }
    }
    use std::io::{Read, Seek};
    let (mut output_file, mut output_bytes) = (output_file, Vec::new());
    output_file.rewind().unwrap();
    output_file.read_to_end(&mut output_bytes).unwrap();
    String::from_utf8_lossy(&output_bytes).into_owned()
}

/// The rolls in an output, in order, without one that was cut off.
fn complete_roll_lines(output: &str) -> Vec<String> {
    let complete_lines = output.rfind('\n').map_or("", |end| &output[..end]);
    let input_lines = complete_lines.lines().filter(|line| line.starts_with("* row:"));
    input_lines.map(|line| line.trim().to_owned()).collect()
}

fn roll_faces(events: &[StoryEvent]) -> Vec<String> {
    let roll_text = |event: &StoryEvent| match event {
        StoryEvent::Roll(roll) => Some(format!("{} = {}", roll.dice[0].face, roll.total)),
        _ => None,
    };
    events.iter().filter_map(roll_text).collect()
}

/// A hostile mod that uses nearly all memory, fuel and lines of every step; returns the arguments
/// to play with it.
fn write_hostile_mod(folder: &Path) -> Vec<String> {
    let mod_folder = folder.join("stranger");
    fs::create_dir_all(&mod_folder).unwrap();
    let manifest = crate::support::manifest_needing("stranger", &["ferry"]);
    fs::write(mod_folder.join("mod.toml"), manifest).unwrap();
    let mod_text = r#"
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
    fs::write(mod_folder.join("main.luau"), mod_text).unwrap();
    let folder = mod_folder.to_string_lossy().into_owned();
    ["--mods", &folder, "--with", "stranger"].map(str::to_owned).to_vec()
}

/// A game with its duration and its story without a kill.
struct PlayVariant {
    game: PlayedGame,
    duration_us: u64,
    expected_events: Vec<StoryEvent>,
}

impl PlayVariant {
    #[allow(clippy::disallowed_methods)] // moments are random on purpose
    fn measure(game: PlayedGame) -> Self {
        let data_folder = tempfile::tempdir().unwrap();
        let data_dir = DataDir::new(data_folder.path());
        let start_time = Instant::now();
        let input_lines = remaining_input_lines(&data_dir, &game).unwrap();
        let output = run_and_kill(data_folder.path(), &game, &input_lines, None);
        let duration_us = u64::try_from(start_time.elapsed().as_micros()).unwrap();
        assert_eq!(remaining_input_lines(&data_dir, &game), None, "{output}");
        let expected_events = journal_events(&data_dir);
        assert!(expected_events.len() >= 10, "{expected_events:?}");
        for beginning in expected_events.iter().filter_map(shown_beginning) {
            assert!(has_paragraph(&output, &beginning), "{beginning} is not shown:\n{output}");
        }
        Self { game, duration_us, expected_events }
    }
}

/// The beginning of a text as a line shows it, without marks.
fn shown_beginning(event: &StoryEvent) -> Option<String> {
    let (StoryEvent::Say { text } | StoryEvent::Note { text }) = event else { return None };
    let plain_text = base::text::strip_markup(text);
    let beginning: String = plain_text.chars().take_while(|c| *c != '\n').take(30).collect();
    (beginning.chars().count() == 30).then_some(beginning)
}

/// Whether an output has a paragraph that begins so. A choice's details are indented and may have
/// the words of a later event; a note stands in brackets.
fn has_paragraph(output: &str, beginning: &str) -> bool {
    output.lines().any(|line| line.strip_prefix('(').unwrap_or(line).starts_with(beginning))
}

/// What was shown is on disk: no text that is told once and is not stored stands in the output.
fn assert_shown_is_stored(output: &str, expected_events: &[StoryEvent], stored_count: usize) {
    let (stored, missing) = expected_events.split_at(stored_count);
    let stored_beginnings: Vec<String> = stored.iter().filter_map(shown_beginning).collect();
    for beginning in missing.iter().filter_map(shown_beginning) {
        assert!(
            stored_beginnings.contains(&beginning) || !has_paragraph(output, &beginning),
            "{beginning} was shown and is gone"
        );
    }
}

#[test]
#[allow(clippy::disallowed_methods)] // moments are random on purpose
fn random_kills_lose_no_output_and_pay_once() {
    let kill_limit = count_from_env("SUB_ROSA_KILLS", 12);
    let mods = tempfile::tempdir().unwrap();
    let seed = count_from_env("SUB_ROSA_KILLS_SEED", 1 + sample_number());
    let games = [
        PlayedGame::ferry(Vec::new()),
        PlayedGame::bundled("leeward", &["--set", "size=3"], seed),
        PlayedGame::ferry(write_hostile_mod(mods.path())),
        PlayedGame::bundled("hollow_way", &[], seed),
    ];
    let variants = games.map(PlayVariant::measure);
    let (mut random, mut kill_count, mut run_count) = (RandomSource::from_seed(seed), 0, 0);
    while kill_count < kill_limit || run_count < variants.len() {
        let PlayVariant { game, duration_us, expected_events } =
            &variants[run_count % variants.len()];
        run_count += 1;
        let folder = tempfile::tempdir().unwrap();
        let data_dir = DataDir::new(folder.path());
        let mut stored_count = 0;
        let mut longest_delay_us = *duration_us * 5 / 4;
        while let Some(input_lines) = remaining_input_lines(&data_dir, game) {
            let kill_delay = Duration::from_micros(random.next_below(longest_delay_us));
            let output = run_and_kill(folder.path(), game, &input_lines, Some(kill_delay));
            kill_count += 1;
            let stored_events = journal_events(&data_dir);
            // A resume that takes longer than the measured run must be able to finish a step.
            if stored_events.len() == stored_count {
                longest_delay_us += *duration_us / 4;
            }
            stored_count = stored_events.len();
            assert_eq!(
                stored_events,
                expected_events[..stored_events.len()],
                "the dice fell another way"
            );
            assert_shown_is_stored(&output, expected_events, stored_events.len());
            for roll_line in complete_roll_lines(&output) {
                let contains_face =
                    |face: &String| roll_line.contains(face.split(' ').next().unwrap());
                assert!(
                    roll_faces(&stored_events).iter().any(contains_face),
                    "{roll_line} was shown and is gone"
                );
            }
            assert!(
                complete_roll_lines(&output).len() <= roll_faces(&stored_events).len(),
                "more was shown than is stored"
            );
        }
        assert_eq!(&journal_events(&data_dir), expected_events, "the whole story, once");
        if !game.ends {
            continue;
        }
        let (locked_profile, _) = data_dir.lock_profile(PLAYER_NAME).unwrap();
        let profile = locked_profile.profile().game_profile(&game.id);
        assert_eq!(
            (profile.paid_runs.len(), profile.finished_runs.len(), profile.runs_started),
            (1, 1, 1)
        );
        let journal = fs::read_to_string(data_dir.journal_path(RUN_ID).unwrap()).unwrap();
        assert!(journal.matches("\"settled\"").count() <= 1, "paid twice");
    }
    super::record_figure(
        "kills",
        &format!("{kill_count} kills in {run_count} runs, 0 shown lines lost"),
    );
}

/// An answer that ends the program twice can be refused, and the run continues.
#[test]
fn an_answer_that_kills_the_program_twice_can_be_refused() {
    let folder = super::fixture_data();
    let data_dir = DataDir::new(folder.path());
    let input = protocol::Input::Choice("row".to_owned());
    let step = {
        let mut writer =
            save::open_run_for_writing(&data_dir, "ada-0002", ReadExtent::AfterCheckpoint)
                .unwrap()
                .writer
                .unwrap();
        let step = writer.run_state().next_step;
        // As if the program had died in it, and again in the second attempt.
        let intent =
            save::JournalEntry::Intent { step, input, answer_text: String::new(), odds: None };
        writer.append_all(&[intent, save::JournalEntry::Retry { step }], true).unwrap();
        step
    };
    let data = folder.path().to_string_lossy().into_owned();
    let flags = ["--data", &data, "--profile", PLAYER_NAME];
    let output = cli::utf8_text(
        &cli::run_with_input(
            cli::ferry_command(&flags),
            "resume\nrefuse\nwait\nswim\ntitle\nquit\n",
        )
        .stdout,
    );
    assert!(output.contains("The tide turns") && output.contains("The run is over"), "{output}");
    let opened_run = data_dir.open_run("ada-0002", ReadExtent::All).unwrap();
    let is_refused = opened_run.entries().any(|(_, entry)| {
        matches!(entry, save::JournalEntry::Refusal { step: answered_step, problem } if answered_step == step && problem.code == "ended-program")
    });
    assert!(is_refused, "the refusal is in the journal");
}

/// The output of a program without the parts that differ each time.
fn mask_process_details(output: &[String], process_id: u32) -> String {
    let input_lines = output.iter().filter(|line| !line.contains(".lock")).cloned();
    input_lines.collect::<Vec<_>>().join("\n").replace(&process_id.to_string(), "NUMBER")
}

/// Two programs on one run: one plays, the other is told who holds the lock.
#[test]
fn a_second_program_is_told_who_holds_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let flags = ["--data", &data, "--profile", PLAYER_NAME, "--seed", "5", "--set", "boat=barge"];
    let mut first_program = cli::ferry_command(&flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut player_input = first_program.stdin.take().unwrap();
    player_input.write_all(b"new\n1\nAnn\n").unwrap();
    player_input.flush().unwrap();
    let data_dir = DataDir::new(folder.path());
    for _ in 0..600 {
        if data_dir
            .open_run(RUN_ID, ReadExtent::All)
            .is_ok_and(|opened_run| opened_run.run_state.next_step >= 3)
        {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let second_output = cli::run_with_input(cli::ferry_command(&flags), "quit\n");
    let refusal_text =
        cli::utf8_text(&second_output.stdout) + &cli::utf8_text(&second_output.stderr);
    assert!(
        refusal_text.contains(&format!("in use by process {}", first_program.id())),
        "{refusal_text}"
    );
    assert!(!second_output.status.success());
    // Watching needs no lock, and follows the run.
    let mut spectator = cli::ferry_command(&flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut spectator_input = spectator.stdin.take().unwrap();
    spectator_input.write_all(b"watch\nlast\n").unwrap();
    spectator_input.flush().unwrap();
    let mut input_lines = BufReader::new(spectator.stdout.take().unwrap()).lines();
    let mut output_lines = Vec::new();
    let mut last_step_count = 0;
    while last_step_count < 2 {
        // The line after the prompt of each answer.
        output_lines.push(input_lines.next().expect("it continues until it gets `leave`").unwrap());
        last_step_count += usize::from(output_lines.last().is_some_and(|line| line == "8. Back"));
    }
    player_input.write_all(b"row\n").unwrap();
    player_input.flush().unwrap();
    while data_dir.open_run(RUN_ID, ReadExtent::All).unwrap().run_state.last_completed_step()
        < Some(3)
    {
        std::thread::sleep(Duration::from_millis(50));
    }
    spectator_input.write_all(b"more\nback\nquit\n").unwrap();
    drop(spectator_input);
    output_lines.extend(input_lines.map(|line| line.unwrap()));
    spectator.wait().unwrap();
    insta::assert_snapshot!("an_onlooker", mask_process_details(&output_lines, first_program.id()));
    assert_eq!(
        data_dir.open_run(RUN_ID, ReadExtent::All).unwrap().run_state.last_completed_step(),
        Some(3)
    );
    first_program.kill().unwrap();
    first_program.wait().unwrap();
    let output_after_kill =
        cli::run_with_input(cli::ferry_command(&flags), "resume\nswim\ntitle\nquit\n");
    assert!(
        cli::utf8_text(&output_after_kill.stdout).contains("The run is over"),
        "a dead holder's lock is free"
    );
}
