//! Front ends in which a player plays by itself, and which note the plain words that they show.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, BufReader, Read, Write};
use std::rc::Rc;

use base::Problem;
use crossterm::event::KeyCode;
use protocol::{AnswerType, Input, Prompt, StoryEvent, View};
use ui::full_screen::{Palette, Screen, Theme};
use ui::plain_text::{LineReader, PlainText};
use ui::{Answer, Frontend, Preferences};

use crate::support::accepted;
use crate::ui::sample::{draw_frame, forward_to_screen, frame_rows, press_key};

/// Words that stay: commands to type, ids of mods, the player's name. A text that a
/// run has stored, such as the points in its result, stays as it was too.
const PLAIN_WORDS: &[&str] = &[
    "Ctrl", "F1", "help", "yes", "log", "look", "map", "none", "again", "brief", "full", "sheet",
    "go", "explore", "odds", "why", "reload", "leave", "quit", "undo", "player", "Player",
    "pseudo", "seed", "parts", "ferry", "rope", "bread", "letters", "ATK", "DEF", "CAR", "INT",
];
/// Letters of the pseudo-language that no German word has.
const PSEUDO_LETTERS: &str = "ƀćďƒǵĥíĵķĺɱńƥǫŕśťúṽŵẋýźƁĆĎƑǴĤÍĴĶĹṀŃƤǪŔŚŤÚṼŴẊÝŹ";
/// The most prompts of a whole run.
const MAX_PROMPTS: usize = 1_200;

/// The words of a screen that should not be there, each with the line where it was seen first.
#[derive(Clone)]
pub struct WordWatch {
    is_wrong_word: fn(&str) -> bool,
    seen: Rc<RefCell<BTreeMap<String, String>>>,
}

/// Whether a word has plain letters, so that its text has no translation in the pseudo-language.
pub fn is_plain_word(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphabetic()) && !PLAIN_WORDS.contains(&word)
}

/// Whether a word has letters of the pseudo-language that German has not.
pub fn is_pseudo_word(word: &str) -> bool {
    word.chars().any(|c| PSEUDO_LETTERS.contains(c))
}

impl WordWatch {
    pub fn new(is_wrong_word: fn(&str) -> bool) -> Self {
        Self { is_wrong_word, seen: Rc::default() }
    }

    pub fn seen_words(&self) -> BTreeMap<String, String> {
        self.seen.borrow().clone()
    }

    fn note_line(&self, line: &str) {
        // An answer in a replay is what the journal keeps.
        if line.contains("> Śťéƥ ") {
            return;
        }
        // Commands are for copying.
        if line.contains("sub-rosa ")
            || line.contains("--set ")
            || line.contains("--") && line.contains("seed")
        {
            return;
        }
        for token in line.split(|c: char| c.is_whitespace() || "│─┌┐└┘├┤|/".contains(c))
        {
            let is_id =
                token.contains(':') && !token.ends_with([':', ';']) || token.contains(['_', '=']);
            if is_id {
                continue;
            }
            for word in token.split(|c: char| !c.is_alphanumeric()) {
                if word.len() > 1 && (self.is_wrong_word)(word) {
                    let mut seen = self.seen.borrow_mut();
                    seen.entry(word.to_owned()).or_insert_with(|| line.to_owned());
                }
            }
        }
    }
}

/// Chooses answers: those of the menu from a list, those of the game at random.
pub struct Player {
    pub menu_answers: VecDeque<&'static str>,
    /// The number of prompts after which the run is left; none if it is played to its end.
    last_prompt: Option<usize>,
    prompts: usize,
    random: u64,
    last_answers: BTreeSet<String>,
}

impl Player {
    pub fn new(menu_answers: &[&'static str], last_prompt: Option<usize>) -> Self {
        let menu_answers = menu_answers.iter().copied().collect();
        Self { menu_answers, last_prompt, prompts: 0, random: 7, last_answers: BTreeSet::new() }
    }

    fn draw(&mut self, sides: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) as usize % sides
    }

    /// The answer; `None` if the menu has been walked through, or the run is to be left.
    fn answer(&mut self, prompt: &Prompt) -> Option<Input> {
        self.prompts += 1;
        if self.last_prompt.is_some_and(|last| self.prompts > last) {
            return None;
        }
        assert!(self.prompts < MAX_PROMPTS, "the run does not end: {prompt:?}");
        let is_menu = prompt.is_from_host() && !prompt.scene.starts_with("host:option");
        if is_menu {
            let id = self.menu_answers.pop_front()?;
            let choice = prompt.choices.iter().find(|one| one.id.starts_with(id));
            let choice = choice.unwrap_or_else(|| panic!("no {id} in {prompt:?}"));
            return Some(Input::Choice(choice.id.clone()));
        }
        let open: Vec<&str> = prompt
            .choices
            .iter()
            .filter(|choice| choice.is_enabled() && choice.id != "host:back")
            .map(|choice| &*choice.id)
            .collect();
        // What was not chosen yet comes first, so that forms are left.
        let new: Vec<&str> =
            open.iter().copied().filter(|id| !self.last_answers.contains(*id)).collect();
        Some(match &prompt.answer_type {
            AnswerType::Number { default, .. } => Input::Number(*default),
            AnswerType::Text { .. } => Input::Text("Xý".to_owned()),
            AnswerType::MultipleChoice { min, .. } => {
                Input::Choices(open.iter().take((*min).max(1)).map(|id| (*id).to_owned()).collect())
            }
            AnswerType::SingleChoice => {
                let from = if new.is_empty() { &open } else { &new };
                let id = from[self.draw(from.len())].to_owned();
                if new.is_empty() {
                    self.last_answers.clear();
                }
                self.last_answers.insert(id.clone());
                Input::Choice(id)
            }
        })
    }
}

/// A full screen that notes what escaped on it.
pub struct ScreenWatcher {
    screen: Screen,
    pub player: Player,
    watch: WordWatch,
}

impl ScreenWatcher {
    pub fn new(player: Player, watch: WordWatch) -> Self {
        Self { screen: Screen::new(Theme::from_palette(Palette::None)), player, watch }
    }

    fn note_frame(&mut self) {
        for row in frame_rows(&draw_frame(&mut self.screen, 80, 24)) {
            self.watch.note_line(&row);
        }
    }

    /// Notes the pages of the host over the prompt.
    fn note_pages(&mut self) {
        for key in ['c', 'm', '?', 't', 'x'] {
            press_key(&mut self.screen, KeyCode::Char(key));
            self.note_frame();
            press_key(&mut self.screen, KeyCode::PageDown);
            self.note_frame();
            press_key(&mut self.screen, KeyCode::Esc);
        }
    }
}

impl Frontend for ScreenWatcher {
    forward_to_screen!();

    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        self.screen.show_prompt(prompt, view);
        for _ in 0..4 {
            self.note_frame();
            press_key(&mut self.screen, KeyCode::PageDown);
        }
        for _ in 0..prompt.choices.len().min(6) {
            press_key(&mut self.screen, KeyCode::Down);
            self.note_frame();
        }
        if self.player.prompts.is_multiple_of(8) && prompt.choices.len() > 1 {
            self.note_pages();
        }
        Ok(match self.player.answer(prompt) {
            Some(input) => Answer::Input(accepted(input)),
            None => Answer::Quit,
        })
    }

    fn show_page(&mut self, page: &View) -> io::Result<()> {
        self.screen.open_page(page);
        for _ in 0..4 {
            self.note_frame();
            press_key(&mut self.screen, KeyCode::PageDown);
        }
        press_key(&mut self.screen, KeyCode::Esc);
        Ok(())
    }

    fn show_problem(&mut self, problem: &Problem) -> io::Result<()> {
        panic!("{problem}");
    }

    fn apply_preferences(&mut self, _: &Preferences) {}

    fn finish(&mut self, last_lines: &[String]) -> io::Result<()> {
        last_lines.iter().for_each(|line| self.watch.note_line(line));
        Ok(())
    }
}

/// Lines that are typed while the program runs.
#[derive(Clone, Default)]
struct TypedLines(Rc<RefCell<VecDeque<u8>>>);

impl Read for TypedLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bytes = self.0.borrow_mut();
        let count = bytes.len().min(buffer.len());
        for (target, byte) in buffer.iter_mut().zip(bytes.drain(..count)) {
            *target = byte;
        }
        Ok(count)
    }
}

/// An output that notes what escaped in it.
struct OutputWatcher {
    line: Vec<u8>,
    watch: WordWatch,
}

impl Write for OutputWatcher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            if *byte == b'\n' {
                let line = String::from_utf8_lossy(&self.line).into_owned();
                // What was typed is repeated.
                if !line.starts_with("> ") && !line.contains("| ") {
                    self.watch.note_line(&line);
                }
                self.line.clear();
            } else {
                self.line.push(*byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // The mark before an answer.
        if self.line == b"> " {
            self.line.clear();
        }
        Ok(())
    }
}

/// Plain text that a player answers by typing.
pub struct PlainWatcher {
    plain: PlainText<BufReader<TypedLines>, OutputWatcher>,
    typed_lines: TypedLines,
    pub player: Player,
}

impl PlainWatcher {
    pub fn new(player: Player, watch: WordWatch) -> Self {
        let typed_lines = TypedLines::default();
        let output = OutputWatcher { line: Vec::new(), watch };
        let lines = LineReader::from_terminal(BufReader::new(typed_lines.clone()));
        Self { plain: PlainText::new(lines, output, 80), typed_lines, player }
    }
}

impl Frontend for PlainWatcher {
    fn begin_story(&mut self, past: &[protocol::StoryEntry]) -> io::Result<()> {
        self.plain.begin_story(past)
    }

    fn show_events(&mut self, events: &[StoryEvent]) -> io::Result<()> {
        self.plain.show_events(events)
    }

    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        let asks_at_length = self.player.prompts.is_multiple_of(8);
        let Some(input) = self.player.answer(prompt) else { return Ok(Answer::Quit) };
        let line = match &input {
            // Here the id could be the command too.
            Input::Choice(id) if id == "leave" && !prompt.is_from_host() => {
                prompt.choice(id).map_or_else(String::new, |choice| choice.label.replace('*', ""))
            }
            Input::Choice(id) => id.clone(),
            Input::Choices(ids) => ids.join(","),
            Input::Number(number) => number.to_string(),
            Input::Text(text) => text.clone(),
        };
        let commands =
            ":help\n:sheet\n:map\n:odds\n:why\n:look\n:why 1\n:look 1\n:log 4\n:brief\n:full\n";
        let mut bytes = self.typed_lines.0.borrow_mut();
        bytes.extend(if asks_at_length { commands } else { "" }.bytes());
        bytes.extend(format!("{line}\nyes\n").bytes());
        drop(bytes);
        let answer = self.plain.ask_prompt(prompt, view)?;
        self.typed_lines.0.borrow_mut().clear();
        Ok(answer)
    }

    fn show_page(&mut self, page: &View) -> io::Result<()> {
        self.plain.show_page(page)
    }

    fn show_problem(&mut self, problem: &Problem) -> io::Result<()> {
        panic!("{problem}");
    }

    fn apply_preferences(&mut self, preferences: &Preferences) {
        self.plain.apply_preferences(preferences);
    }

    fn set_run_label(&mut self, words: &str, can_undo: bool) -> io::Result<()> {
        self.plain.set_run_label(words, can_undo)
    }

    fn finish(&mut self, last_lines: &[String]) -> io::Result<()> {
        self.plain.finish(last_lines)
    }
}
