//! Screens of every kind of the bundled games at three sizes, and the space they leave to the
//! story. The games are those embedded in the program; their own bots play them.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::Value;
use crossterm::event::KeyCode;
use protocol::view::Widget;
use protocol::{AnswerType, Input, Prompt, StoryEntry, StoryEvent};
use save::{DataDir, MemoryDisk};
use session::{Bot, Session};
use ui::auto_travel::reachable_places;
use ui::choice_layout::ChoiceLayout;
use ui::form::split_off_form;
use ui::full_screen::{Palette, Screen, Theme};
use ui::menu::{MenuSetup, run_menu};
use ui::plain_text::{LineReader, PlainText};
use ui::{Answer, Frontend, Preferences};

use super::edge_crossings::{crossings_in_row, min_crossings};
use super::few_keys::focus_choice;
use super::sample::{draw_frame, press_key};
use super::screens::{FrameRecorder, ferry_setup};
use crate::bundled;
use crate::support::accepted;
use crate::support::{count_from_env, sample_number};

/// The smallest comes first: text that was visible once is not read again.
const SIZES: [(u16, u16); 3] = [(40, 12), (80, 24), (120, 36)];
/// The number of steps that are examined.
const MAX_STEPS: u64 = 150;
/// From this step on the lists of a game have entries.
const FIRST_STEP_WITH_LISTS: u64 = 12;

fn draw_rows(screen: &mut Screen, (columns, height): (u16, u16)) -> Vec<String> {
    let frame = draw_frame(screen, columns, height);
    super::sample::frame_rows(&frame).map(|row| row.trim_end().to_owned()).collect()
}

fn draw_at_three_sizes(screen: &mut Screen, name: &str) -> String {
    let page = SIZES.map(|size| {
        let rows_text = draw_rows(screen, size).join("\n");
        format!("== {name}, {} x {}\n{rows_text}\n", size.0, size.1)
    });
    page.concat()
}

/// Whether there is unread text below the window.
fn has_unread_text(rows: &[String]) -> bool {
    rows.iter().any(|row| row.starts_with('─') && row.contains("reads on"))
}

/// Scrolls to the end of the new text, as a player does before an answer.
fn scroll_to_end(screen: &mut Screen) -> Vec<String> {
    loop {
        let page = draw_rows(screen, (80, 24));
        if !has_unread_text(&page) {
            return page;
        }
        press_key(screen, KeyCode::PageDown);
    }
}

/// Plays a game with a bot, and calls back at each prompt.
fn for_each_prompt(
    game: &str,
    bot: &str,
    seed: u64,
    options: &[(&str, Value)],
    mut on_prompt: impl FnMut(&mut Screen, &Session),
) {
    let content = bundled::game_content(game, &[]);
    let (mut session, mut step_outcome) =
        bundled::start_session(&content, seed, options, Value::map());
    let mut bot = Bot::new(bot, seed);
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    let mut earlier_story = Vec::new();
    while session.run_outcome().is_none() && session.step_number() < MAX_STEPS {
        // The text before this step was read.
        screen.begin_story(&earlier_story);
        screen.add_events(&step_outcome.events);
        earlier_story.extend(step_outcome.events.iter().cloned().map(StoryEntry::Event));
        screen.show_prompt(session.prompt(), session.view());
        on_prompt(&mut screen, &session);
        let input = bot.choose_input(&mut session, &step_outcome.events).unwrap();
        step_outcome = session.answer_prompt(&input).unwrap();
    }
}

/// The games of a long test: one that the sample selects, all of them in `.ci/full`.
fn sampled_games() -> Vec<String> {
    let mut games = bundled::embedded_game_ids();
    if count_from_env("SUB_ROSA_FULL", 0) == 0 {
        let index = usize::try_from(sample_number()).unwrap() % games.len();
        games = vec![games.swap_remove(index)];
    }
    games
}

/// Collects screens, one of each kind.
#[derive(Default)]
struct ScreenCollector {
    recorded_names: BTreeSet<String>,
    text: String,
}

impl ScreenCollector {
    fn record(&mut self, screen: &mut Screen, name: &str) {
        if self.recorded_names.insert(name.to_owned()) {
            self.text.push_str(&draw_at_three_sizes(screen, name));
        }
    }

    /// Records a prompt: a story longer than the window, the prompt itself, the host's pages over
    /// it, the game's pages in it, and its confirmations.
    fn record_prompt(&mut self, screen: &mut Screen, session: &Session) {
        let (prompt, step) = (session.prompt(), session.step_number());
        if has_unread_text(&draw_rows(screen, (80, 24))) {
            self.record(screen, "a story that is read on");
        }
        scroll_to_end(screen);
        self.record(screen, &prompt.scene);
        if step > FIRST_STEP_WITH_LISTS {
            for (key, name) in [('m', "map"), ('c', "sheet"), ('x', "cards"), ('t', "log")] {
                press_key(screen, KeyCode::Char(key));
                if screen.has_open_page() {
                    self.record(screen, &format!("page: {name}"));
                    press_key(screen, KeyCode::Enter);
                    if key == 'x' && screen.has_open_page() {
                        self.record(screen, "page: a card");
                    }
                }
                while screen.has_open_page() {
                    press_key(screen, KeyCode::Esc);
                }
            }
        }
        for submenu in ChoiceLayout::from_prompt(prompt).submenus {
            let [choice_index, _, ..] = submenu.choices[..] else { continue };
            if self.recorded_names.contains(&format!("{}: {}", prompt.scene, submenu.id)) {
                continue;
            }
            screen.show_prompt(prompt, session.view());
            focus_choice(screen, prompt, &prompt.choices[choice_index].id);
            self.record(screen, &format!("{}: {}", prompt.scene, submenu.id));
            press_key(screen, KeyCode::Esc);
        }
        let choice_with_confirmation = prompt
            .choices
            .iter()
            .find(|choice| !choice.confirm.is_empty() && choice.disabled_because.is_none());
        if let Some(choice_with_confirmation) =
            choice_with_confirmation.filter(|_| !self.recorded_names.contains("asked once more"))
        {
            focus_choice(screen, prompt, &choice_with_confirmation.id);
            press_key(screen, KeyCode::Enter);
            self.record(screen, "asked once more");
            press_key(screen, KeyCode::Esc);
        }
    }
}

/// The screens before and after a game: its title, settings, keys, options, history, and the page
/// of a run.
fn screens_outside_run(game: &str) -> String {
    let mut scripted_choices =
        "settings keys back back new abandon abandon history records run:player-0001 \
                      page back back quit"
            .split_whitespace()
            .peekable();
    let mut answer_count = 0;
    let answer_fn = move |prompt: &Prompt| {
        let is_enabled =
            |id: &&str| prompt.choice(id).is_some_and(|choice| choice.disabled_because.is_none());
        if let Some(scripted_choice) = scripted_choices.next_if(is_enabled) {
            return Some(Answer::Input(accepted(Input::Choice(scripted_choice.to_owned()))));
        }
        // Plays some answers, and then leaves the run.
        answer_count += 1;
        if answer_count > 6 {
            return Some(Answer::Leave);
        }
        let mut enabled_choices =
            prompt.choices.iter().filter(|choice| choice.disabled_because.is_none());
        enabled_choices
            .next()
            .map(|choice| Answer::Input(accepted(Input::Choice(choice.id.clone()))))
    };
    let setup = MenuSetup {
        search_paths: crate::support::embedded_search_paths(),
        game: Some(game.to_owned()),
        data_dir: DataDir::with_disk(Arc::new(MemoryDisk::new()), "memory"),
        ..ferry_setup()
    };
    let mut recorder = FrameRecorder::answered_by_callback(Box::new(answer_fn), &SIZES);
    run_menu(setup, &mut recorder, &mut || 14).unwrap();
    let host_pages = recorder
        .pages
        .iter()
        .filter(|page| page.starts_with("== host:") || page.starts_with("== page"));
    crate::support::mask_dates(&host_pages.cloned().collect::<String>())
}

#[test]
fn screens_of_each_kind_match_snapshots_at_three_sizes() {
    for game in bundled::embedded_game_ids() {
        let vm = bundled::load_vm(&bundled::game_content(&game, &[]));
        let bots: Vec<String> =
            vm.registry().active_definitions("bot").take(2).map(|bot| bot.id.to_string()).collect();
        let mut collector = ScreenCollector::default();
        for (bot, seed) in bots.iter().zip([9, 14]) {
            for_each_prompt(&game, bot, seed, &[], |screen, session| {
                collector.record_prompt(screen, session)
            });
        }
        snapshot!(format!("bundled_{game}"), collector.text);
        snapshot!(format!("bundled_{game}_around"), screens_outside_run(&game));
    }
}
/// The number of words in a text.
fn count_words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Scenes with more choices than fit beside a dozen lines of story: skills to learn, errands, wares
/// to sell, applicants. None is a scene for walking or fighting.
const LIST_SCENES: [&str; 4] =
    ["fivey:market", "sovereign:board", "sovereign:level", "sovereign:sell"];

#[test]
#[allow(clippy::print_stdout)]
fn the_story_has_twelve_lines_and_fight_rounds_are_short() {
    let mut shortfalls = Vec::new();
    for game in sampled_games() {
        let vm = bundled::load_vm(&bundled::game_content(&game, &[]));
        let (mut question_count, mut round_count, mut long_list_count) = (0, 0, 0);
        let mut check_screen = |screen: &mut Screen, session: &Session| {
            let prompt = session.prompt();
            let rows_drawn = scroll_to_end(screen);
            let separator_row = rows_drawn.iter().rposition(|row| row.starts_with('─')).unwrap();
            if prompt.answer_type != AnswerType::SingleChoice
                || separator_row == 0
                || LIST_SCENES.contains(&&*prompt.scene)
            {
                return;
            }
            // A form has rows, and no list of choices.
            if split_off_form(prompt, session.view()).1.is_some() {
                return;
            }
            let (story, question) =
                (&rows_drawn[1..separator_row], &rows_drawn[separator_row + 1..23]);
            let mut report = |shortfall: String| {
                shortfalls.push(format!("{}: {shortfall}\n{}", prompt.scene, rows_drawn.join("\n")))
            };
            let visible_choice_count = ChoiceLayout::from_prompt(prompt).top_level.len();
            question_count += 1;
            long_list_count += usize::from(visible_choice_count > 7);
            if story.len() < 12 || visible_choice_count > 7 {
                report(format!(
                    "{} lines of story, {visible_choice_count} choices in sight",
                    story.len()
                ));
            }
            if prompt.repeats {
                round_count += 1;
                // Percentages and keys stand in columns and are no words; the description of the
                // focused choice may stand beside it.
                let is_repeated_row = |row_index: usize| {
                    let row = question[row_index].trim();
                    question[..row_index].iter().any(|earlier_row| earlier_row.ends_with(row))
                };
                let row_texts = (0..question.len())
                    .filter(|row_index| !is_repeated_row(*row_index))
                    .map(|row_index| &*question[row_index]);
                let has_letters =
                    |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
                let question_text = row_texts.collect::<Vec<_>>().join(" ");
                let word_count = question_text.split_whitespace().filter(has_letters).count();
                if word_count > 60 || visible_choice_count > 7 {
                    report(format!(
                        "{word_count} words in a round, {visible_choice_count} choices"
                    ));
                }
            }
        };
        for (bot, seed) in vm.registry().active_definitions("bot").take(3).zip([4, 2, 7]) {
            for_each_prompt(&game, bot.id.as_str(), seed, &[], &mut check_screen);
        }
        for place in vm.registry().active_definitions("dungeon") {
            let options = [("dungeon", Value::text(place.id.as_str()))];
            for_each_prompt(&game, "sub_rosa:curious", 3, &options, &mut check_screen);
        }
        println!(
            "{game}: {question_count} questions, {long_list_count} with more than seven choices, {round_count} rounds"
        );
    }
    assert!(shortfalls.is_empty(), "{} fall short:\n{}", shortfalls.len(), shortfalls.join("\n"));
}

/// The brief output of the plain front end for each round after the first, with its prompt.
fn brief_round_outputs(game: &str, bot: &str, seed: u64, options: &[(&str, Value)]) -> Vec<String> {
    let content = bundled::game_content(game, &[]);
    let (mut session, mut step_outcome) =
        bundled::start_session(&content, seed, options, Value::map());
    let mut bot = Bot::new(bot, seed);
    let (mut recorded_prompts, mut lines) = (Vec::new(), String::new());
    while session.run_outcome().is_none() && session.step_number() < 2 * MAX_STEPS {
        recorded_prompts.push((
            step_outcome.events.clone(),
            session.prompt().clone(),
            session.view().clone(),
        ));
        let input = bot.choose_input(&mut session, &step_outcome.events).unwrap();
        let line = match &*input {
            // An id may be the name of a command, a label in full is not taken for one.
            Input::Choice(id) if id == "leave" => {
                session.prompt().choice(id).unwrap().label.clone()
            }
            Input::Choice(id) => id.clone(),
            Input::Choices(ids) if ids.is_empty() => "none".to_owned(),
            Input::Choices(ids) => ids.join(", "),
            Input::Number(number) => number.to_string(),
            Input::Text(line) => line.clone(),
        };
        lines.push_str(&format!("{line}\n"));
        step_outcome = session.answer_prompt(&input).unwrap();
    }
    let mut frontend =
        PlainText::new(LineReader::from_terminal(std::io::Cursor::new(lines)), Vec::new(), 80);
    frontend
        .apply_preferences(&Preferences { uses_brief_text: Some(true), ..Preferences::default() });
    for (events, prompt, view) in &recorded_prompts {
        frontend.show_events(events).unwrap();
        assert!(
            matches!(frontend.ask_prompt(prompt, view).unwrap(), Answer::Input(_)),
            "{}",
            prompt.scene
        );
    }
    let output = String::from_utf8(frontend.into_output()).unwrap();
    let prompt_pairs = output.split("\n> ").zip(recorded_prompts.windows(2)).map(|(_, pair)| pair);
    // New scenes on the run are printed in full.
    let has_heading = |events: &[StoryEvent]| {
        events.iter().any(|choice| matches!(choice, StoryEvent::Heading { .. }))
    };
    let is_repeated_round = |pair: &[(Vec<StoryEvent>, Prompt, _)]| {
        pair[1].1.repeats && pair[0].1.scene == pair[1].1.scene && !has_heading(&pair[1].0)
    };
    let is_round: Vec<bool> =
        std::iter::once(false).chain(prompt_pairs.map(is_repeated_round)).collect();
    let output = output.split("\n> ").zip(is_round).filter(|(_, is_round)| *is_round);
    output.map(|(output, _)| output.to_owned()).collect()
}

#[test]
#[allow(clippy::print_stdout)]
fn a_brief_round_has_at_most_sixty_words() {
    for game in sampled_games() {
        let vm = bundled::load_vm(&bundled::game_content(&game, &[]));
        let (mut word_counts, mut longest_output) = (Vec::new(), String::new());
        for bot in vm.registry().active_definitions("bot").take(3) {
            for output in brief_round_outputs(&game, bot.id.as_str(), 5, &[]) {
                word_counts.push(count_words(&output));
                if count_words(&output) > count_words(&longest_output) {
                    longest_output = output;
                }
            }
        }
        word_counts.sort_unstable();
        let long_count = word_counts.iter().filter(|count| **count > 60).count();
        println!(
            "{game}: {} rounds, the middle one {} words, the longest {}, {long_count} over sixty",
            word_counts.len(),
            word_counts.get(word_counts.len() / 2).copied().unwrap_or(0),
            count_words(&longest_output),
        );
        println!("{longest_output}");
        assert!(game != "sub_rosa" || word_counts.len() > 20, "{} rounds", word_counts.len());
        assert!(long_count == 0, "{game}:\n{longest_output}");
    }
}

/// The choice that Enter alone takes after reading, and the number of presses.
fn choice_taken_by_enter(screen: &mut Screen) -> Option<(String, usize)> {
    for press_count in 1..=2 {
        if let Some(Answer::Input(input)) = press_key(screen, KeyCode::Enter) {
            let Input::Choice(id) = input.into_input() else { return None };
            return Some((id, press_count));
        }
        draw_rows(screen, (80, 24));
    }
    None
}

/// The edge crossings on the page of the map, at 80 columns.
fn count_map_crossings(screen: &mut Screen) -> usize {
    press_key(screen, KeyCode::Char('m'));
    let rows_drawn = draw_rows(screen, (80, 70));
    press_key(screen, KeyCode::Esc);
    rows_drawn.iter().map(|row| crossings_in_row(row)).sum()
}

/// Counts of a game while its bots play.
#[derive(Default)]
struct ScreenCounts {
    /// Prompts, those in which Enter asks for a confirmation, and those that Esc leaves.
    question_count: usize,
    confirmed_count: usize,
    scenes_left_by_esc: BTreeSet<String>,
    /// Maps, those without edge crossings, and the crossings of all others.
    map_count: usize,
    maps_without_crossings: usize,
    crossing_count: usize,
    place_count: usize,
    /// Visited places without a path to them, and those with one.
    unreachable_places: BTreeSet<String>,
    reachable_count: usize,
}

impl ScreenCounts {
    /// Enter alone rolls no dice and takes no choice that needs a confirmation or leads back.
    fn press_enter(&mut self, screen: &mut Screen, prompt: &Prompt) {
        self.question_count += 1;
        let Some((id, press_count)) = choice_taken_by_enter(screen) else { return };
        let choice = prompt.choice(&id).unwrap();
        assert!(choice.confirm.is_empty(), "{}: Enter takes {id}, which is dear", prompt.scene);
        assert!(
            choice.odds.is_none() || press_count == 2,
            "{}: Enter throws for {id}",
            prompt.scene
        );
        let has_back_choice =
            prompt.choices.iter().any(|one| one.is_back_choice && one.disabled_because.is_none());
        assert!(
            !has_back_choice || choice.is_back_choice || press_count == 2,
            "{}: Enter takes {id}",
            prompt.scene
        );
        self.confirmed_count += usize::from(press_count == 2);
    }

    /// Esc takes the choice that leads back out of a prompt.
    fn press_esc(&mut self, screen: &mut Screen, prompt: &Prompt) {
        let back_choice = prompt
            .choices
            .iter()
            .find(|choice| choice.is_back_choice && choice.disabled_because.is_none());
        let Some(back_choice) = back_choice else { return };
        let expected_answer = Some(Answer::Input(accepted(Input::Choice(back_choice.id.clone()))));
        assert_eq!(press_key(screen, KeyCode::Esc), expected_answer, "{}", prompt.scene);
        self.scenes_left_by_esc.insert(prompt.scene.clone());
    }

    /// Every place of a map has a name, and where one can walk on, one can walk back.
    fn check_map(&mut self, screen: &mut Screen, session: &Session) {
        let (prompt, view) = (session.prompt(), session.view());
        let map = view.widgets.iter().find_map(|placed_widget| match &placed_widget.widget {
            Widget::Map { nodes, edges, .. } => Some((nodes, edges)),
            _ => None,
        });
        let Some((nodes, edges)) = map else { return };
        for node in nodes {
            assert!(!["", "?"].contains(&node.label.trim()), "{} has no name", node.id);
        }
        if nodes.len() != std::mem::replace(&mut self.place_count, nodes.len()) {
            self.map_count += 1;
            let crossing_count = count_map_crossings(screen);
            // If the game gives positions, the map uses them.
            let has_unplaced_node = nodes.iter().any(|node| node.position.is_none());
            let min_crossing_count =
                has_unplaced_node.then(|| min_crossings(nodes, edges)).flatten();
            assert!(
                min_crossing_count
                    .is_none_or(|min_crossing_count| crossing_count <= min_crossing_count),
                "{crossing_count} crossings, {min_crossing_count:?} would do"
            );
            self.maps_without_crossings += usize::from(crossing_count == 0);
            self.crossing_count += crossing_count;
        }
        if !prompt.choices.iter().any(|choice| !choice.map_targets.is_empty()) {
            return;
        }
        let reachable_ids = reachable_places(prompt, view);
        for node in nodes.iter().filter(|node| node.is_visited && !node.is_current) {
            match reachable_ids.contains(&&*node.id) {
                true => self.reachable_count += 1,
                false => {
                    self.unreachable_places.insert(format!("{}: {}", prompt.scene, node.id));
                }
            }
        }
    }
}

#[test]
#[allow(clippy::print_stdout)]
fn enter_rolls_no_dice_esc_goes_back_and_maps_are_reachable() {
    for game in sampled_games() {
        let vm = bundled::load_vm(&bundled::game_content(&game, &[]));
        let mut counts = ScreenCounts::default();
        let mut check_screen = |screen: &mut Screen, session: &Session| {
            let (prompt, view) = (session.prompt(), session.view());
            if prompt.answer_type != AnswerType::SingleChoice
                || split_off_form(prompt, view).1.is_some()
            {
                return;
            }
            scroll_to_end(screen);
            counts.check_map(screen, session);
            screen.show_prompt(prompt, view);
            counts.press_esc(screen, prompt);
            // This prompt is new.
            screen
                .show_prompt(&Prompt { scene: "nowhere:else".to_owned(), ..prompt.clone() }, view);
            screen.show_prompt(prompt, view);
            counts.press_enter(screen, prompt);
        };
        for (bot, seed) in vm.registry().active_definitions("bot").take(2).zip([4, 2]) {
            for_each_prompt(&game, bot.id.as_str(), seed, &[], &mut check_screen);
        }
        let ScreenCounts {
            question_count,
            confirmed_count,
            scenes_left_by_esc,
            map_count,
            maps_without_crossings,
            crossing_count,
            unreachable_places,
            reachable_count,
            ..
        } = counts;
        println!(
            "{game}: {question_count} questions, {confirmed_count} in which Enter asks to be pressed once more"
        );
        println!(
            "  {map_count} maps, {maps_without_crossings} without a crossing, {crossing_count} crossings in the others"
        );
        println!(
            "  {reachable_count} ways to a place that was entered; not {unreachable_places:?}; Esc leaves {scenes_left_by_esc:?}"
        );
        assert!(
            question_count > 50 && map_count > 2 && reachable_count > 10 * unreachable_places.len(),
            "{game}: {unreachable_places:?}"
        );
    }
}
