//! The log after a resume equals the log when the run was closed.

use std::io::{self, Cursor};
use std::sync::Arc;

use base::{Problem, Value};
use crossterm::event::KeyCode;
use protocol::{Choice, Input, Prompt, StoryEntry, StoryEvent, View};
use save::{DataDir, LockedProfile, MemoryDisk};
use session::{ActiveRun, Bot, RunContent, RunRequest};
use ui::auto_travel::AutoTravel;
use ui::full_screen::{Palette, Screen, Theme};
use ui::menu::{MenuSetup, run_menu};
use ui::plain_text::{LineReader, PlainText};
use ui::{Answer, Frontend, Preferences};

use super::sample::{draw_frame, frame_rows, press_key};
use super::screens::ferry_setup;
use crate::bundled;
use crate::support::accepted;
use crate::support::memory_runs::{lock_profile_of_ada, memory_data_dir};

/// The output of `log`.
fn log_output(frontend: PlainText<Cursor<String>, Vec<u8>>) -> String {
    let output = String::from_utf8(frontend.into_output()).unwrap();
    output.rsplit("> log\n").next().unwrap().to_owned()
}

/// A practice descent of the bundled game, and its content.
fn start_practice_descent(
    profile: &mut LockedProfile,
    option_values: &[(&str, &str)],
    seed: u64,
) -> (RunContent, ActiveRun) {
    let content = bundled::game_content("sub_rosa", &[]);
    let vm = bundled::load_vm(&content);
    let options_iter =
        option_values.iter().map(|(name, value)| ((*name).to_owned(), Value::text(value)));
    let specs = session::option_specs(vm.registry());
    let options = session::complete_options(&specs, &options_iter.collect()).unwrap();
    let request =
        RunRequest { content: content.clone(), options, seed: Some(seed), is_practice: true };
    (content, session::start_run_in_vm(vm, profile, request, &mut || seed).unwrap())
}

/// The number of answers in a story.
fn count_answers(story: &[StoryEntry]) -> usize {
    story.iter().filter(|entry| matches!(entry, StoryEntry::Answer(_))).count()
}

#[test]
fn the_log_after_a_resume_has_all_earlier_answers() {
    let (_disk, data_dir) = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    let option_values = [("dungeon", "sub_rosa:ice_house")];
    let (content, mut active_run) = start_practice_descent(&mut profile, &option_values, 9);
    let mut bot = Bot::new("sub_rosa:steady", 9);
    let mut events = active_run.step_outcome.events.clone();
    // A new front end gives each answer, because a bot needs the result of the last one.
    let mut story: Vec<StoryEntry> = events.iter().cloned().map(StoryEntry::Event).collect();
    let mut form_answer_count = 0_usize;
    for answer_count in 0..30 {
        let (prompt, view) =
            (active_run.session.prompt().clone(), active_run.session.view().clone());
        let mut form_choices = prompt.choices.iter().filter(|choice| {
            answer_count == 0 && choice.is_enabled() && view.is_form_choice(&choice.id)
        });
        let input = match form_choices.next() {
            Some(choice) => accepted(Input::Choice(choice.id.clone())),
            None => bot.choose_input(&mut active_run.session, &events).unwrap(),
        };
        let Input::Choice(id) = &*input else { break };
        // An id may be the name of a command, a label in full is not taken for one.
        let typed = match id.as_str() {
            "leave" => &prompt.choice(id).unwrap().label,
            _ => id,
        };
        let mut frontend = PlainText::new(
            LineReader::from_terminal(Cursor::new(format!("{typed}\n"))),
            Vec::new(),
            80,
        );
        let answer = frontend.ask_prompt(&prompt, &view).unwrap();
        assert_eq!(answer, Answer::Input(input.clone()));
        let is_form_answer = view.is_form_choice(id);
        form_answer_count += usize::from(is_form_answer);
        let answer_text = (!is_form_answer).then(|| prompt.describe_answer(&input));
        events = active_run.session.answer_prompt(&input).unwrap().events;
        story.extend(StoryEntry::of_step(answer_text, events.clone()));
    }
    assert!(form_answer_count > 0, "the build is set by its form");
    drop(profile);
    let run_id = active_run.session.run_id().unwrap().to_owned();
    drop(active_run);
    let resumed_run = session::resume_run(&data_dir, &run_id, Some(&content)).unwrap();
    assert_eq!(resumed_run.earlier_story, story);
    let answer_count = count_answers(&resumed_run.earlier_story);
    assert!(answer_count > 20, "{answer_count} answers");

    // Both front ends show it.
    let script = LineReader::from_script(Cursor::new("log\n".to_owned()), "log.txt");
    let mut frontend = PlainText::new(script, Vec::new(), 80);
    frontend.begin_story(&resumed_run.earlier_story).unwrap();
    frontend.ask_prompt(resumed_run.session.prompt(), &Default::default()).unwrap();
    let log = log_output(frontend);
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    screen.begin_story(&resumed_run.earlier_story);
    press_key(&mut screen, KeyCode::Char('t'));
    let page = frame_rows(&draw_frame(&mut screen, 80, 900)).collect::<Vec<_>>().join("\n");
    for entry in &resumed_run.earlier_story {
        if let StoryEntry::Answer(answer_text) = entry {
            let line = format!("> {}", &answer_text[..answer_text.len().min(40)]);
            assert!(log.contains(&line) && page.contains(&line), "{line}\n{page}");
        }
    }
}

#[test]
fn an_undone_answer_is_removed_from_the_log() {
    let (_disk, data_dir) = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    let option_values = [("dungeon", "sub_rosa:ice_house"), ("build", "blade")];
    let (_, mut active_run) = start_practice_descent(&mut profile, &option_values, 14);
    let mut answer_entries = Vec::new();
    for _ in 0..2 {
        let prompt = active_run.session.prompt().clone();
        let enabled_choice =
            prompt.choices.iter().find(|choice| choice.disabled_because.is_none()).unwrap();
        answer_entries.push(StoryEntry::Answer(enabled_choice.label_with_cost()));
        let input = protocol::Input::Choice(enabled_choice.id.clone());
        let told = active_run.session.answer_prompt(&input).unwrap();
        assert!(!told.events.is_empty());
    }
    let story = session::undo_step(&mut active_run.session, &data_dir).unwrap();
    let remaining_answers: Vec<_> =
        story.into_iter().filter(|entry| matches!(entry, StoryEntry::Answer(_))).collect();
    assert_eq!(remaining_answers, answer_entries[..1]);
    drop((active_run, profile));
}

#[test]
fn an_answer_after_which_nothing_is_told_is_not_in_the_log() {
    let (_disk, data_dir) = memory_data_dir();
    let content = bundled::game_content("cellar", &[]);
    let mut profile = lock_profile_of_ada(&data_dir);
    let request = RunRequest { content, options: Value::map(), seed: Some(3), is_practice: true };
    let ActiveRun { mut session, step_outcome, .. } =
        session::start_run(&mut profile, request, &mut || 3).unwrap();
    let run_id = session.run_id().unwrap();
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    let input_lines = LineReader::from_pipe(Cursor::new("red\nred\nlog\n".to_owned()));
    let mut plain_text = PlainText::new(input_lines, Vec::new(), 80);
    screen.add_events(&step_outcome.events);
    plain_text.show_events(&step_outcome.events).unwrap();
    for _ in 0..2 {
        screen.show_prompt(session.prompt(), session.view());
        plain_text.ask_prompt(session.prompt(), session.view()).unwrap();
        let Some(Answer::Input(input)) = press_key(&mut screen, KeyCode::Char('1')) else {
            panic!("no answer")
        };
        let told = session.answer_prompt(&input).unwrap();
        screen.add_events(&told.events);
        plain_text.show_events(&told.events).unwrap();
    }
    plain_text.ask_prompt(session.prompt(), session.view()).unwrap();
    screen.show_prompt(session.prompt(), session.view());
    let rows = frame_rows(&draw_frame(&mut screen, 80, 24)).collect::<Vec<_>>().join("\n");
    assert!(rows.contains("It is cold down here.") && !rows.contains("> Take"), "{rows}");
    let log = log_output(plain_text);
    assert!(log.contains("It is cold down here.") && !log.contains("> Take"), "{log}");
    let story = data_dir.read_recent_story(&run_id, session.text_overrides()).unwrap();
    assert_eq!(count_answers(&story), 0, "{story:?}");
}

/// Exploring answers prompt by prompt: a run with auto travel is an ordinary run.
#[test]
fn a_run_with_auto_travel_replays_step_by_step() {
    let (_disk, data_dir) = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    let option_values =
        [("dungeon", "sub_rosa:ice_house"), ("build", "blade"), ("difficulty", "gentle")];
    let (_, mut active_run) = start_practice_descent(&mut profile, &option_values, 14);
    let session = &mut active_run.session;
    let (mut travel_count, mut step_count, mut told_count) = (0, 0, 0);
    while let Ok(start) = AutoTravel::start_exploring(session.prompt(), session.view()) {
        let (mut travel, mut input) = start;
        travel_count += 1;
        loop {
            let events = session.answer_prompt(&input).unwrap();
            step_count += 1;
            // A known room is passed without a word.
            told_count += u64::from(!events.events.is_empty());
            let is_interrupted = AutoTravel::is_ended_by_events(&events.events);
            match travel.next_answer(session.prompt(), session.view()).filter(|_| !is_interrupted) {
                Some(next_step) => (travel, input) = next_step,
                None => break,
            }
        }
    }
    assert!(travel_count > 3, "{travel_count} errands, {step_count} steps");
    let run_id = session.run_id().unwrap().to_owned();
    drop((active_run, profile));
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), step_count);
    let resumed_run = session::resume_run(&data_dir, &run_id, None).unwrap();
    assert_eq!(count_answers(&resumed_run.earlier_story) as u64, told_count);
}

/// A player at the full screen who takes the first choice for a number of answers and then leaves
/// the run. Records the last prompt before and the first prompt after a resume.
struct FirstChoicePlayer {
    screen: Screen,
    remaining_answers: usize,
    last_rows: Vec<String>,
}

impl Frontend for FirstChoicePlayer {
    fn begin_story(&mut self, earlier_story: &[StoryEntry]) -> io::Result<()> {
        self.screen.begin_story(earlier_story);
        Ok(())
    }

    fn show_events(&mut self, _: &[StoryEvent]) -> io::Result<()> {
        Ok(())
    }

    fn ask_prompt(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer> {
        self.screen.show_prompt(prompt, view);
        let choice_result = |id: &str| Ok(Answer::Input(accepted(Input::Choice(id.to_owned()))));
        if prompt.scene == "host:title" {
            return match self.remaining_answers {
                0 => Ok(Answer::Quit),
                _ if prompt.choice("resume").is_some() => choice_result("resume"),
                _ => choice_result("new"),
            };
        }
        self.last_rows = frame_rows(&draw_frame(&mut self.screen, 80, 24)).collect();
        self.remaining_answers -= 1;
        let is_acceptable =
            |choice: &&Choice| choice.disabled_because.is_none() && !choice.id.starts_with("back");
        match prompt.choices.iter().find(is_acceptable).filter(|_| self.remaining_answers > 0) {
            Some(choice) => choice_result(&choice.id),
            None => Ok(Answer::Leave),
        }
    }

    fn show_page(&mut self, _: &View) -> io::Result<()> {
        Ok(())
    }

    fn show_problem(&mut self, problem: &Problem) -> io::Result<()> {
        unreachable!("{problem}")
    }

    fn saved_keys(&self) -> Option<(&'static str, String)> {
        Some(("keys.json", self.screen.saved_keys()))
    }

    fn restore_keys(&mut self, run_id: &str, read_page: &mut dyn FnMut(&str) -> Option<String>) {
        self.screen.restore_keys(run_id, || read_page("keys.json"));
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
fn choices_keep_their_keys_after_a_resume() {
    let mut row_count = 0;
    for answer_count in [9, 14, 22, 30, 41] {
        let disk = Arc::new(MemoryDisk::new());
        let option_values =
            [("dungeon", "sub_rosa:ice_house"), ("build", "blade"), ("difficulty", "gentle")];
        let play = |answer_count| {
            let setup = MenuSetup {
                search_paths: crate::support::embedded_search_paths(),
                game: Some("sub_rosa".to_owned()),
                data_dir: DataDir::with_disk(disk.clone(), "memory"),
                command_line_options: option_values
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .to_vec(),
                ..ferry_setup()
            };
            let screen = Screen::new(Theme::from_palette(Palette::None));
            let mut player = FirstChoicePlayer {
                screen,
                remaining_answers: answer_count,
                last_rows: Vec::new(),
            };
            run_menu(setup, &mut player, &mut || 7).unwrap();
            let separator_row =
                player.last_rows.iter().rposition(|row| row.starts_with('─')).unwrap();
            player.last_rows.split_off(separator_row)
        };
        let rows_before = play(answer_count);
        assert_eq!(play(1), rows_before, "after {answer_count} answers");
        row_count += rows_before.len();
    }
    assert!(row_count > 20, "{row_count} rows of questions");
}
