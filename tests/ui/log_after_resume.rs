//! The log after a resume equals the log when the run was closed.

use std::io::{self, Cursor};
use std::sync::Arc;

use crossterm::event::KeyCode;
use engine::base::{Problem, Value};
use engine::protocol::{Choice, Input, Prompt, StoryEntry, StoryEvent, View};
use engine::save::{DataDir, LockedProfile, MemoryDisk};
use engine::session::{self, ActiveRun, Bot, Content, RunRequest};
use engine::ui::auto_travel::AutoTravel;
use engine::ui::full::{Palette, Screen, Theme};
use engine::ui::menu::{Setup, run_menu};
use engine::ui::plain::{LineReader, PlainText};
use engine::ui::{Answer, Frontend, Preferences};

use super::sample::{frame, press, rows};
use super::screens::setup;
use crate::bundled;
use crate::support::memory_runs::{data_dir, lock_ada};

/// The output of `log`.
fn log_of(voice: PlainText<Cursor<String>, Vec<u8>>) -> String {
    let all = String::from_utf8(voice.into_output()).unwrap();
    all.rsplit("> log\n").next().unwrap().to_owned()
}

/// A practice descent of the bundled game, and its content.
fn descent(profile: &mut LockedProfile, given: &[(&str, &str)], seed: u64) -> (Content, ActiveRun) {
    let content = bundled::content("sub_rosa", &[]);
    let vm = bundled::load(&content);
    let given = given.iter().map(|(name, value)| ((*name).to_owned(), Value::text(value)));
    let specs = session::option_specs(vm.registry());
    let options = session::complete_options(&specs, &given.collect()).unwrap();
    let wish = RunRequest { content: content.clone(), options, seed: Some(seed), practice: true };
    (content, session::start_run_in_vm(vm, profile, wish, &mut || seed).unwrap())
}

/// The number of answers in a story.
fn answers(past: &[StoryEntry]) -> usize {
    past.iter().filter(|past| matches!(past, StoryEntry::Answer(_))).count()
}

#[test]
fn the_log_after_a_resume_is_the_one_that_was_left_with_its_answers() {
    let (_disk, data_dir) = data_dir();
    let mut profile = lock_ada(&data_dir);
    let given = [("dungeon", "sub_rosa:ice_house")];
    let (content, mut in_hand) = descent(&mut profile, &given, 9);
    let mut bot = Bot::new("sub_rosa:steady", 9);
    let mut told = in_hand.output.events.clone();
    // A new front end gives each answer, because a bot needs the result of the last one.
    let mut past: Vec<StoryEntry> = told.iter().cloned().map(StoryEntry::Event).collect();
    let mut set = 0;
    for _ in 0..30 {
        let input = bot.choose(&mut in_hand.session, &told).unwrap();
        let engine::protocol::Input::Choice(id) = &input else { break };
        let (prompt, view) = (in_hand.session.prompt().clone(), in_hand.session.view().clone());
        let mut voice = PlainText::new(
            LineReader::from_terminal(Cursor::new(format!("{id}\n"))),
            Vec::new(),
            80,
        );
        let answered = voice.ask_prompt(&prompt, &view).unwrap();
        assert_eq!(answered, Answer::Input(input.clone()));
        match view.is_form_choice(id) {
            true => set += 1,
            false => past.push(StoryEntry::Answer(prompt.describe_answer(&input))),
        }
        told = in_hand.session.answer(&input).unwrap().events;
        past.extend(told.iter().cloned().map(StoryEntry::Event));
    }
    assert!(set > 0, "the build is set by its form");
    drop(profile);
    let run_id = in_hand.session.run_id().unwrap().to_owned();
    drop(in_hand);
    let again = session::resume(&data_dir, &run_id, Some(&content)).unwrap();
    assert_eq!(again.earlier_story, past);
    let answers = answers(&again.earlier_story);
    assert!(answers > 20, "{answers} answers");

    // Both front ends show it.
    let script = LineReader::from_script(Cursor::new("log\n".to_owned()), "log.txt");
    let mut voice = PlainText::new(script, Vec::new(), 80);
    voice.begin_story(&again.earlier_story).unwrap();
    voice.ask_prompt(again.session.prompt(), &Default::default()).unwrap();
    let log = log_of(voice);
    let mut screen = Screen::new(Theme::of(Palette::None));
    screen.begin_story(&again.earlier_story);
    press(&mut screen, KeyCode::Char('t'));
    let shown = rows(&frame(&mut screen, 80, 900)).collect::<Vec<_>>().join("\n");
    for past in &again.earlier_story {
        if let StoryEntry::Answer(words) = past {
            let line = format!("> {}", &words[..words.len().min(40)]);
            assert!(log.contains(&line) && shown.contains(&line), "{line}\n{shown}");
        }
    }
}

#[test]
fn what_is_taken_back_is_not_in_the_log() {
    let (_disk, data_dir) = data_dir();
    let content = bundled::content("cellar", &[]);
    let mut profile = lock_ada(&data_dir);
    let wish = RunRequest { content, options: Value::map(), seed: Some(3), practice: true };
    let mut in_hand = session::start_run(&mut profile, wish, &mut || 3).unwrap();
    let mut answered = Vec::new();
    for _ in 0..2 {
        let prompt = in_hand.session.prompt().clone();
        let open = prompt.choices.iter().find(|choice| choice.disabled_because.is_none()).unwrap();
        answered.push(StoryEntry::Answer(open.label_with_cost()));
        let input = engine::protocol::Input::Choice(open.id.clone());
        in_hand.session.answer(&input).unwrap();
    }
    let past = session::undo_step(&mut in_hand.session, &data_dir).unwrap();
    let left: Vec<_> =
        past.into_iter().filter(|past| matches!(past, StoryEntry::Answer(_))).collect();
    assert_eq!(left, answered[..1]);
    drop((in_hand, profile));
}

/// Exploring answers prompt by prompt: a run with auto travel is an ordinary run.
#[test]
fn a_run_that_was_travelled_is_walked_again() {
    let (_disk, data_dir) = data_dir();
    let mut profile = lock_ada(&data_dir);
    let given = [("dungeon", "sub_rosa:ice_house"), ("build", "blade"), ("difficulty", "gentle")];
    let (_, mut in_hand) = descent(&mut profile, &given, 14);
    let session = &mut in_hand.session;
    let (mut set_out, mut steps) = (0, 0);
    while let Ok(way) = AutoTravel::start_exploring(session.prompt(), session.view()) {
        let (mut errand, mut input) = way;
        set_out += 1;
        loop {
            let told = session.answer(&input).unwrap();
            steps += 1;
            let hurt = AutoTravel::is_ended_by(&told.events);
            match errand.next_step(session.prompt(), session.view()).filter(|_| !hurt) {
                Some(on) => (errand, input) = on,
                None => break,
            }
        }
    }
    assert!(set_out > 3, "{set_out} errands, {steps} steps");
    let run_id = session.run_id().unwrap().to_owned();
    drop((in_hand, profile));
    assert_eq!(session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(), steps);
    let again = session::resume(&data_dir, &run_id, None).unwrap();
    assert_eq!(answers(&again.earlier_story) as u64, steps);
}

/// A player at the full screen who takes the first choice for a number of answers and then leaves
/// the run. Records the last prompt before and the first prompt after a resume.
struct FirstChoicePlayer {
    screen: Screen,
    answers: usize,
    drawn: Vec<String>,
}

impl Frontend for FirstChoicePlayer {
    fn begin_story(&mut self, past: &[StoryEntry]) -> io::Result<()> {
        self.screen.begin_story(past);
        Ok(())
    }

    fn show_events(&mut self, _: &[StoryEvent]) -> io::Result<()> {
        Ok(())
    }

    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        self.screen.show_prompt(prompt, view);
        let take = |id: &str| Ok(Answer::Input(Input::Choice(id.to_owned())));
        if prompt.scene == "host:title" {
            return match self.answers {
                0 => Ok(Answer::Quit),
                _ if prompt.choice("resume").is_some() => take("resume"),
                _ => take("new"),
            };
        }
        self.drawn = rows(&frame(&mut self.screen, 80, 24)).collect();
        self.answers -= 1;
        let open = |one: &&Choice| one.disabled_because.is_none() && !one.id.starts_with("back");
        match prompt.choices.iter().find(open).filter(|_| self.answers > 0) {
            Some(open) => take(&open.id),
            None => Ok(Answer::Leave),
        }
    }

    fn show_page(&mut self, _: &View) -> io::Result<()> {
        Ok(())
    }

    fn show_problem(&mut self, problem: &Problem) -> io::Result<()> {
        unreachable!("{problem}")
    }

    fn restore_keys(&mut self, run: &str, met: &mut dyn FnMut() -> Option<(Prompt, View)>) {
        self.screen.restore_keys(run, met);
    }

    fn apply_preferences(&mut self, _: &Preferences) {}

    fn set_run_label(&mut self, _: &str, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, _: &[String]) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn after_a_resume_everything_has_the_key_that_it_had() {
    let mut keyed = 0;
    for answers in [9, 14, 22, 30, 41] {
        let disk = Arc::new(MemoryDisk::new());
        let set = [("dungeon", "sub_rosa:ice_house"), ("build", "blade"), ("difficulty", "gentle")];
        let sit_down = |answers| {
            let setup = Setup {
                search_paths: crate::support::embedded_search_paths(),
                game: Some("sub_rosa".to_owned()),
                data_dir: DataDir::on_disk(disk.clone(), "memory"),
                option_values: set
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .to_vec(),
                ..setup()
            };
            let screen = Screen::new(Theme::of(Palette::None));
            let mut seated = FirstChoicePlayer { screen, answers, drawn: Vec::new() };
            run_menu(setup, &mut seated, &mut || 7).unwrap();
            let rule = seated.drawn.iter().rposition(|row| row.starts_with('─')).unwrap();
            seated.drawn.split_off(rule)
        };
        let left = sit_down(answers);
        assert_eq!(sit_down(1), left, "after {answers} answers");
        keyed += left.len();
    }
    assert!(keyed > 20, "{keyed} rows of questions");
}
