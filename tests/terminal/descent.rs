//! A whole descent on a terminal. A bot records the answers without a terminal; the test presses
//! them as keys. The journal must match step by step, whatever happens to the window and the
//! program on the way.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::base::Value;
use engine::protocol::{AnswerType, Input, Prompt};
use engine::session::Bot;
use engine::ui::choice_keys::ChoiceKeys;
use engine::ui::choice_layout::ChoiceLayout;
use engine::ui::full::Keymap;
use serde_json::Value as Json;

use super::{PATIENCE, Terminal};
use crate::bundled;
use crate::support::RandomSource;

/// The number of resizes.
const RESIZES: usize = 200;

/// A prompt, its answer, and the digest after it.
struct Answer {
    prompt: Prompt,
    title: String,
    input: Input,
    digest: String,
}

/// The keys that a player types, by the bindings of the choices.
fn keys(memory: &mut ChoiceKeys, answer: &Answer) -> String {
    let Answer { prompt, title, input, .. } = answer;
    let keymap = Keymap::default();
    let laid = ChoiceLayout::of(prompt);
    let given = memory.assign(prompt, title, &laid, &|key| keymap.reserved_action(key).is_none());
    let place = |id: &String| prompt.choices.iter().position(|choice| choice.id == *id).unwrap();
    let one = |id: &String| {
        let at = place(id);
        let found = laid.top_level.iter().position(|of| *of == at);
        let mut keys: Vec<char> =
            found.and_then(|found| given.top_level[found]).into_iter().collect();
        for (index, page) in laid.submenus.iter().enumerate() {
            if let Some(found) = page.choices.iter().position(|of| *of == at) {
                keys.extend(given.submenus[index]);
                let inner = given.in_submenus[index][found]
                    .filter(|_| page.single_choice(prompt).is_none());
                keys.extend(inner);
            }
        }
        let pressed = keys.last().copied();
        if !prompt.choices[at].confirm.is_empty() {
            keys.push(if pressed == Some('y') { '9' } else { 'y' });
        }
        keys.into_iter().collect::<String>()
    };
    match input {
        Input::Choice(id) => one(id),
        // An empty selection needs a confirmation.
        Input::Many(ids) if ids.is_empty() => "\r\r".to_owned(),
        Input::Many(ids) => ids.iter().map(one).collect::<String>() + "\r",
        Input::Number(number) => format!("{number}\r"),
        Input::Text(line) => {
            let AnswerType::Text { default, .. } = &prompt.ask else {
                unreachable!("a line was asked for")
            };
            "\u{8}".repeat(default.chars().count()) + line + "\r"
        }
    }
}

/// The options of the run; a custom build is a form with its own tests.
const OPTIONS: [(&str, &str); 2] = [("difficulty", "gentle"), ("build", "breath")];

/// A descent played by the bot, and its outcome.
fn descent(seed: u64) -> (Vec<Answer>, String) {
    let content = bundled::content("sub_rosa", &[]);
    let (mut session, mut told) = bundled::begin(
        &content,
        seed,
        &OPTIONS.map(|(name, value)| (name, Value::text(value))),
        Value::map(),
    );
    let mut bot = Bot::new("sub_rosa:steady", seed);
    let mut answers = Vec::new();
    while session.run_outcome().is_none() {
        let input = bot.choose(&mut session, &told.events).unwrap();
        let (prompt, title) = (session.prompt().clone(), session.view().title.clone());
        told = session.answer(&input).unwrap();
        answers.push(Answer { prompt, title, input, digest: session.digest().to_string() });
    }
    let table = session.run_outcome().unwrap();
    (answers, table.get("outcome").and_then(Value::as_text).unwrap().to_owned())
}

/// The digests in a journal, step by step.
fn digests(journal: &Path) -> Vec<String> {
    let text = fs::read_to_string(journal).unwrap_or_default();
    let entries = text.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let results =
        entries.filter_map(|line| line["entry"]["result"]["digest"].as_str().map(str::to_owned));
    results.collect()
}

struct TerminalDescent {
    terminal: Terminal,
    journal: PathBuf,
    folder: tempfile::TempDir,
    chance: RandomSource,
    resized: usize,
}

impl TerminalDescent {
    /// Another window size, seldom one that is too small to draw in.
    fn resize(&mut self) {
        let (columns, rows) = match self.chance.below(20) {
            0 => (1 + self.chance.below(39), 1 + self.chance.below(11)),
            _ => (40 + self.chance.below(140), 12 + self.chance.below(50)),
        };
        self.terminal.resize(columns as u16, rows as u16);
        self.resized += 1;
    }

    fn wait_for_step(&self, step: usize, answer: &Answer) {
        let begun = Instant::now();
        loop {
            let found = digests(&self.journal);
            if let Some(found) = found.get(step) {
                assert_eq!(*found, answer.digest, "step {step} has another digest");
                return;
            }
            let shown = self.terminal.screen_text();
            let input = &answer.input;
            assert!(begun.elapsed() < PATIENCE, "step {step} did not follow {input:?}:\n{shown}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ended by a signal in the middle, and resumed by a new program on a new terminal.
    fn end_and_resume(&mut self, signal: &str) {
        self.terminal.signal(signal);
        drop(self.terminal.child.wait());
        // A killed program cannot restore anything.
        if signal != "-KILL" {
            self.terminal.assert_terminal_restored();
            self.terminal.wait_for("The run player-0001 is saved");
        }
        self.terminal = Terminal::open(self.folder.path(), &[]);
        self.terminal.wait_for("Take up the candle again");
        self.terminal.send_keys("1");
        self.terminal.wait_until("question", |shown| !shown.contains("Take up the candle"));
    }

    fn suspend_and_continue(&mut self) {
        self.terminal.send_keys("\u{1a}");
        let begun = Instant::now();
        while !self.terminal.is_stopped() {
            assert!(begun.elapsed() < PATIENCE, "it was not suspended");
            std::thread::sleep(Duration::from_millis(10));
        }
        self.terminal.assert_terminal_restored();
        self.terminal.signal("-CONT");
        let screen = std::sync::Arc::clone(&self.terminal.screen);
        let back = |_: &str| screen.lock().unwrap().screen().alternate_screen();
        self.terminal.wait_until("screen of its own", back);
    }
}

#[test]
fn a_whole_descent_on_a_terminal_that_changes_all_the_while() {
    let (answers, outcome) = descent(9);
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
    terminal.wait_for("A new descent");
    terminal.send_keys("1");
    terminal.wait_for("the entrance");
    let journal = folder.path().join("runs/player-0001/journal.jsonl");
    let mut played =
        TerminalDescent { terminal, journal, folder, chance: RandomSource::of(1), resized: 0 };
    let each = RESIZES.div_ceil(answers.len());
    // The interruptions, and the answer before which each happens.
    let eighth = |part: usize| answers.len() * part / 8;
    // After a restart every choice has the key that it had.
    let mut memory = ChoiceKeys::default();
    for (at, answer) in answers.iter().enumerate() {
        for _ in 0..each {
            played.resize();
        }
        match at {
            _ if at == eighth(2) || at == eighth(5) => played.suspend_and_continue(),
            _ if at == eighth(3) => played.end_and_resume("-TERM"),
            _ if at == eighth(4) => played.end_and_resume("-KILL"),
            _ if at == eighth(6) => played.end_and_resume("-INT"),
            _ => {}
        }
        played.terminal.send_keys(&keys(&mut memory, answer));
        played.wait_for_step(at + 1, answer);
    }
    assert!(played.resized >= RESIZES);
    played.terminal.resize(80, 24);
    played.terminal.wait_for(&format!("The run is over: {outcome}"));
    // The page is written when a run ends.
    let page = fs::read_to_string(played.folder.path().join("runs/player-0001/page.md")).unwrap();
    assert!(page.contains(&outcome), "{page}");
    // The path is long and its places are short: it is one line, and so is the typed command.
    let way = page.split("## Path\n\n").nth(1).unwrap().lines().next().unwrap();
    assert!(way.matches(", ").count() > 12, "{way}");
    assert!(page.contains("`sub-rosa --game sub_rosa --seed 9"), "{page}");
    played.terminal.send_keys("\u{3}");
    assert_eq!(played.terminal.child.wait().unwrap().signal(), Some("Interrupt"));
    played.terminal.assert_terminal_restored();
}
