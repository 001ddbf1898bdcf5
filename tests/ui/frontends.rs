//! The full screen and the plain front end show the same facts, compared by their text.
//! `SUB_ROSA_RUNS=50` compares that many runs.

use std::collections::BTreeSet;
use std::io::Cursor;

use base::{Value, text};
use crossterm::event::KeyCode;
use protocol::view::Widget;
use protocol::{Prompt, StoryEvent, View};
use session::{Bot, RANDOM_BOT_ID};
use ui::Frontend;
use ui::choice_layout::ChoiceLayout;
use ui::form::split_off_form;
use ui::full_screen::{Palette, Screen, Theme};
use ui::plain_text::{LineReader, PlainText};

use super::sample::{draw_frame, frame_rows, press_key};
use crate::{bundled, support};

/// Words of the front ends themselves, which state no fact.
const FRONTEND_WORDS: &str = "closed costs was none choose with commas between them to or a whole number \
    from an empty line means at most characters odds roll of you are here not entered back lines \
    above below more enter take up down move sheet log help leave examine x m c q esc search next \
    pgup pgdn done mark marked asked space 1 t also choice choices dice hangs map see told so far \
    everything what now before next in it its closely o read on is nothing look be can the that there no card full lists row set by name and as read ways back asked once may give keys looks looked at depends details are things previous match work \
    press again this current state asks for confirmation selected";

/// A line without the number of its choice, or the numbers in its submenu.
fn strip_choice_numbers(line: &str) -> String {
    let is_choice_number = |word: &str| {
        let digits = word.trim_end_matches('.');
        digits.len() < word.len() && digits.len() < 3 && digits.parse::<usize>().is_ok()
    };
    let words = line.split_whitespace().filter(|word| !is_choice_number(word));
    words.collect::<Vec<_>>().join(" ") + "\n"
}

/// A row without the key of its choice.
fn strip_choice_key(row: &str) -> String {
    let cells: Vec<char> = row.chars().collect();
    match cells[..] {
        [' ' | '>', ' ', key, ' ', ..] if key != ' ' => cells[4..].iter().collect(),
        _ => row.to_owned(),
    }
}

fn fact_words(text: &str) -> BTreeSet<String> {
    // The full screen's table of odds has one percent sign for all columns. Numbers and keys of
    // choices are no facts.
    let text = text.lines().map(strip_choice_numbers).collect::<String>();
    let is_separator = |c: char| !(c.is_alphanumeric() || c == '.');
    // A word shortened by a sign is no word.
    let uncut_words = text.split_whitespace().filter(|word| !word.ends_with('…'));
    let words = uncut_words.flat_map(|word| word.split(is_separator));
    let words = words.map(|word| word.trim_matches('.').to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

fn plain_output(events: &[StoryEvent], prompt: &Prompt, view: &View) -> String {
    let mut commands = "sheet\nmap\nodds\nlook\n".to_owned();
    for number in 1..=split_off_form(prompt, view).0.choices.len() {
        commands.push_str(&format!("look {number}\nwhy {number}\n"));
    }
    for placed_widget in &view.widgets {
        let card_names: Vec<&String> = match &placed_widget.widget {
            Widget::List { items, .. } => {
                let items_with_card = items.iter().filter(|item| item.card.is_some());
                items_with_card.map(|item| &item.label).collect()
            }
            Widget::Card(card) => vec![&card.title],
            _ => Vec::new(),
        };
        for name in card_names {
            commands.push_str(&format!("look {}\n", text::strip_markup(name)));
        }
    }
    if prompt.choices.is_empty() {
        commands = commands.lines().map(|line| format!(":{line}\n")).collect();
    }
    let mut frontend =
        PlainText::new(LineReader::from_terminal(Cursor::new(commands)), Vec::new(), 2000);
    frontend.show_events(events).unwrap();
    frontend.ask_prompt(prompt, view).unwrap();
    String::from_utf8(frontend.into_output()).unwrap()
}

fn full_screen_output(events: &[StoryEvent], prompt: &Prompt, view: &View) -> String {
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    screen.add_events(events);
    screen.show_prompt(prompt, view);
    let view_card_counts = view.widgets.iter().map(|placed_widget| match &placed_widget.widget {
        Widget::List { items, .. } => items.iter().filter(|item| item.card.is_some()).count(),
        Widget::Card(_) => 1,
        _ => 0,
    });
    let choice_card_count = prompt.choices.iter().filter(|choice| choice.card.is_some()).count();
    let card_count = choice_card_count + view_card_counts.sum::<usize>();
    let mut output = String::new();
    let mut append_frame = |screen: &mut Screen| {
        // The last row holds keys and the position in a page.
        for row in frame_rows(&draw_frame(screen, 200, 120)).take(119) {
            output.push_str(strip_choice_key(&row).trim_end());
            output.push('\n');
        }
    };
    let (list_prompt, form) = split_off_form(prompt, view);
    let form_row_count = form.as_ref().map_or(0, |form| form.rows.len());
    let has_form = form.is_some();
    let prompt = &list_prompt;
    let layout = ChoiceLayout::from_prompt(prompt);
    let mut visit_entries = |screen: &mut Screen, entry_count: usize| {
        for _ in 0..entry_count.max(1) {
            append_frame(screen);
            // In a row of choices only the focused one shows its result.
            for _ in 0..if has_form { 6 } else { 0 } {
                press_key(screen, KeyCode::Char(' '));
                append_frame(screen);
            }
            press_key(screen, KeyCode::Down);
        }
    };
    visit_entries(&mut screen, form_row_count + layout.top_level.len() + layout.submenus.len());
    for (index, submenu) in layout.submenus.iter().enumerate() {
        press_key(&mut screen, KeyCode::Home);
        for _ in 0..layout.top_level.len() + index {
            press_key(&mut screen, KeyCode::Down);
        }
        if submenu.single_choice(prompt).is_none() {
            press_key(&mut screen, KeyCode::Enter);
            visit_entries(&mut screen, submenu.choices.len());
            press_key(&mut screen, KeyCode::Esc);
        }
    }
    for page_key in ['t', 'm', 'c', 'x'] {
        press_key(&mut screen, KeyCode::Char(page_key));
        append_frame(&mut screen);
        if page_key == 'x' {
            // Cyclically: the maximum number, and once more does no harm.
            for _ in 0..=card_count {
                press_key(&mut screen, KeyCode::Char('x'));
                append_frame(&mut screen);
            }
            press_key(&mut screen, KeyCode::Esc);
        }
        press_key(&mut screen, KeyCode::Esc);
    }
    output
}

#[test]
fn both_frontends_show_the_same_facts() {
    let runs = support::count_from_env("SUB_ROSA_RUNS", 1);
    let step_interval = if runs > 1 { 1 } else { 7 };
    let frontend_words = fact_words(FRONTEND_WORDS);
    let content = bundled::game_content("sub_rosa", &[]);
    let (mut steps, mut screen_count) = (0, 0);
    for seed in 1..=runs {
        let (mut session, mut step_outcome) =
            bundled::start_session(&content, seed, &[], Value::map());
        let mut bot = Bot::new(RANDOM_BOT_ID, seed);
        while session.run_outcome().is_none() && session.step_number() < 400 {
            let (prompt, view) = (session.prompt().clone(), session.view().clone());
            if steps % step_interval == 0 {
                screen_count += 1;
                let plain_words = fact_words(&plain_output(&step_outcome.events, &prompt, &view));
                let full_screen_words =
                    fact_words(&full_screen_output(&step_outcome.events, &prompt, &view));
                for (words_of_one, words_of_other, frontend_name) in [
                    (&plain_words, &full_screen_words, "full"),
                    (&full_screen_words, &plain_words, "plain"),
                ] {
                    // Submenus have letters as keys here, and numbers in the plain front end.
                    let is_choice_key = |word: &str| {
                        let starts_with_digit = word.starts_with(|c: char| c.is_ascii_digit());
                        word.len() == 1 && (frontend_name == "plain" || !starts_with_digit)
                    };
                    let missing_words = words_of_one.difference(words_of_other);
                    let missing_words = missing_words
                        .filter(|word| !frontend_words.contains(*word) && !is_choice_key(word));
                    let missing_words: Vec<&String> = missing_words.collect();
                    assert!(
                        missing_words.is_empty(),
                        "seed {seed}, {}: the {frontend_name} voice lacks {missing_words:?}",
                        prompt.scene
                    );
                }
            }
            steps += 1;
            let input = bot.choose_input(&mut session, &step_outcome.events).unwrap();
            step_outcome = session.answer_prompt(&input).unwrap();
        }
    }
    assert!(screen_count > 5, "{screen_count} screens of {steps} steps were compared");
}
