//! A whole descent on a terminal. A bot records the answers without a terminal; the test presses
//! them as keys. The journal must match step by step, whatever happens to the window and the
//! program on the way.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::Value;
use protocol::{AnswerType, Input, Prompt};
use save::DataDir;
use serde_json::Value as Json;
use session::{Bot, restore_run};
use ui::choice_keys::ChoiceKeys;
use ui::choice_layout::ChoiceLayout;
use ui::full_screen::Keymap;

use super::{OUTPUT_TIMEOUT, Terminal};
use crate::bundled;
use crate::support::RandomSource;

/// The number of resizes.
const MIN_RESIZES: usize = 200;

/// A prompt, its answer, and the digest after it.
struct DescentAnswer {
    prompt: Prompt,
    title: String,
    input: Input,
    digest: String,
}

/// The Up key: it opens a question that is not in sight, and takes nothing.
const OPEN_QUESTION: &str = "\u{1b}[A";

/// The keys that a player types, by the bindings of the choices.
fn keys_for_answer(memory: &mut ChoiceKeys, answer: &DescentAnswer) -> String {
    let DescentAnswer { prompt, title, input, .. } = answer;
    let keymap = Keymap::default();
    let layout = ChoiceLayout::from_prompt(prompt);
    let assigned_keys =
        memory.assign_keys(prompt, title, &layout, &|key| keymap.reserved_action(key).is_none());
    let choice_index =
        |id: &String| prompt.choices.iter().position(|choice| choice.id == *id).unwrap();
    let keys_for_choice = |id: &String| {
        let position = choice_index(id);
        let top_level_index =
            layout.top_level.iter().position(|choice_number| *choice_number == position);
        let mut keys: Vec<char> = top_level_index
            .and_then(|index_found| assigned_keys.top_level[index_found])
            .into_iter()
            .collect();
        for (index, submenu) in layout.submenus.iter().enumerate() {
            if let Some(submenu_index) =
                submenu.choices.iter().position(|choice_number| *choice_number == position)
            {
                keys.extend(assigned_keys.submenus[index]);
                let submenu_key = assigned_keys.submenu_choices[index][submenu_index]
                    .filter(|_| submenu.single_choice(prompt).is_none());
                keys.extend(submenu_key);
            }
        }
        let last_key = keys.last().copied();
        if !prompt.choices[position].confirm.is_empty() {
            keys.push(if last_key == Some('y') { '9' } else { 'y' });
        }
        keys.into_iter().collect::<String>()
    };
    match input {
        Input::Choice(id) => format!("{OPEN_QUESTION}{}", keys_for_choice(id)),
        // An empty selection needs a confirmation.
        Input::Choices(ids) if ids.is_empty() => "\r\r".to_owned(),
        Input::Choices(ids) => ids.iter().map(keys_for_choice).collect::<String>() + "\r",
        Input::Number(number) => format!("{number}\r"),
        Input::Text(text_answer) => {
            let AnswerType::Text { default, .. } = &prompt.answer_type else {
                unreachable!("a line was asked for")
            };
            "\u{8}".repeat(default.chars().count()) + text_answer + "\r"
        }
    }
}

/// The options of the run; a custom build is a form with its own tests.
const RUN_OPTIONS: [(&str, &str); 2] = [("difficulty", "gentle"), ("build", "breath")];

/// A descent played by the bot, and its outcome.
fn record_descent(seed: u64) -> (Vec<DescentAnswer>, String) {
    let content = bundled::game_content("sub_rosa", &[]);
    let (mut session, mut step_outcome) = bundled::start_session(
        &content,
        seed,
        &RUN_OPTIONS.map(|(name, value)| (name, Value::text(value))),
        Value::map(),
    );
    let mut bot = Bot::new("sub_rosa:steady", seed);
    let mut answers = Vec::new();
    while session.run_outcome().is_none() {
        let input = bot.choose_input(&mut session, &step_outcome.events).unwrap();
        let (prompt, title) = (session.prompt().clone(), session.view().title.clone());
        step_outcome = session.answer_prompt(&input).unwrap();
        let input = input.into_input();
        answers.push(DescentAnswer { prompt, title, input, digest: session.digest().to_string() });
    }
    let outcome = session.run_outcome().unwrap();
    (answers, outcome.get("outcome").and_then(Value::as_text).unwrap().to_owned())
}

/// The number of steps with a result in a journal, the start among them.
fn completed_step_count(journal: &Path) -> usize {
    let text = fs::read_to_string(journal).unwrap_or_default();
    let entries = text.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    entries.filter(|line| !line["entry"]["result"].is_null()).count()
}

struct TerminalDescent {
    terminal: Terminal,
    journal: PathBuf,
    folder: tempfile::TempDir,
    random_source: RandomSource,
    resize_count: usize,
}

impl TerminalDescent {
    /// Another window size, seldom one that is too small to draw in.
    fn resize(&mut self) {
        let (columns, rows) = match self.random_source.next_below(20) {
            0 => (1 + self.random_source.next_below(39), 1 + self.random_source.next_below(11)),
            _ => (40 + self.random_source.next_below(140), 12 + self.random_source.next_below(50)),
        };
        self.terminal.resize(columns as u16, rows as u16);
        self.resize_count += 1;
    }

    fn wait_for_step(&self, step: usize, answer: &DescentAnswer) {
        let start_time = Instant::now();
        loop {
            if completed_step_count(&self.journal) > step {
                let data_dir = DataDir::new(self.folder.path());
                let restored = restore_run(&data_dir, "player-0001", Some(step as u64)).unwrap();
                let digest = restored.world.digest().to_string();
                assert_eq!(digest, answer.digest, "step {step} has another digest");
                return;
            }
            let screen_text = self.terminal.screen_text();
            let input = &answer.input;
            assert!(
                start_time.elapsed() < OUTPUT_TIMEOUT,
                "step {step} did not follow {input:?}:\n{screen_text}"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ended by a signal in the middle, and resumed by a new program on a new terminal.
    fn end_and_resume(&mut self, signal: &str) {
        self.terminal.send_signal(signal);
        drop(self.terminal.child.wait());
        // A killed program cannot restore anything.
        if signal != "-KILL" {
            self.terminal.assert_terminal_restored();
            self.terminal.wait_for_output("The run player-0001 is saved");
        }
        self.terminal = Terminal::open(self.folder.path(), &[]);
        self.terminal.wait_for("Continue");
        self.terminal.send_keys("1");
        self.terminal.wait_until("question", |screen_text| !screen_text.contains("1 Continue"));
    }

    fn suspend_and_continue(&mut self) {
        self.terminal.send_keys("\u{1a}");
        let start_time = Instant::now();
        while !self.terminal.is_stopped() {
            assert!(start_time.elapsed() < OUTPUT_TIMEOUT, "it was not suspended");
            std::thread::sleep(Duration::from_millis(10));
        }
        self.terminal.assert_terminal_restored();
        self.terminal.send_signal("-CONT");
        let screen = std::sync::Arc::clone(&self.terminal.screen);
        let is_back = |_: &str| screen.lock().unwrap().screen().alternate_screen();
        self.terminal.wait_until("screen of its own", is_back);
    }
}

#[test]
fn a_descent_survives_resizes_suspensions_and_restarts() {
    let (answers, outcome) = record_descent(9);
    assert!(answers.len() > 40, "{} answers are no whole descent", answers.len());
    let folder = tempfile::tempdir().unwrap();
    let flags = [
        "--seed",
        "9",
        "--set",
        "dungeon=ice_house",
        "--set",
        "difficulty=gentle",
        "--set",
        "build=breath",
    ];
    let mut terminal = Terminal::open(folder.path(), &flags);
    terminal.wait_for("New game");
    terminal.send_keys("1");
    terminal.wait_for("the entrance");
    let journal = folder.path().join("runs/player-0001/journal.jsonl");
    let mut play = TerminalDescent {
        terminal,
        journal,
        folder,
        random_source: RandomSource::from_seed(1),
        resize_count: 0,
    };
    let resizes_per_answer = MIN_RESIZES.div_ceil(answers.len());
    // The interruptions, and the answer before which each happens.
    let answer_at_eighth = |eighth_number: usize| answers.len() * eighth_number / 8;
    // After a restart every choice has the key that it had.
    let mut memory = ChoiceKeys::default();
    for (index, answer) in answers.iter().enumerate() {
        for _ in 0..resizes_per_answer {
            play.resize();
        }
        match index {
            _ if index == answer_at_eighth(2) || index == answer_at_eighth(5) => {
                play.suspend_and_continue()
            }
            _ if index == answer_at_eighth(3) => play.end_and_resume("-TERM"),
            _ if index == answer_at_eighth(4) => play.end_and_resume("-KILL"),
            _ if index == answer_at_eighth(6) => play.end_and_resume("-INT"),
            _ => {}
        }
        play.terminal.send_keys(&keys_for_answer(&mut memory, answer));
        play.wait_for_step(index + 1, answer);
    }
    assert!(play.resize_count >= MIN_RESIZES);
    play.terminal.resize(80, 24);
    // The end is read first.
    play.terminal.send_keys("    ");
    play.terminal.wait_for(&format!("The run is over: {outcome}"));
    // The page is written when a run ends.
    let page = fs::read_to_string(play.folder.path().join("runs/player-0001/page.md")).unwrap();
    assert!(page.contains(&outcome), "{page}");
    // The path is long and its places are short: it is one line, and so is the typed command.
    let path_line = page.split("## Path\n\n").nth(1).unwrap().lines().next().unwrap();
    assert!(path_line.matches(", ").count() > 12, "{path_line}");
    assert!(page.contains("`sub-rosa --game sub_rosa --seed 9"), "{page}");
    play.terminal.send_keys("\u{3}");
    assert_eq!(play.terminal.child.wait().unwrap().signal(), Some("Interrupt"));
    play.terminal.assert_terminal_restored();
}
