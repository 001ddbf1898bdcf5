//! The full screen and the plain front end show the same facts, compared by their text.
//! `SUB_ROSA_RUNS=50` compares that many runs.

use std::collections::BTreeSet;
use std::io::Cursor;

use crossterm::event::KeyCode;
use engine::base::{Value, text};
use engine::protocol::view::Widget;
use engine::protocol::{Prompt, StoryEvent, View};
use engine::session::{Bot, RANDOM_BOT_ID};
use engine::ui::Frontend;
use engine::ui::choice_layout::ChoiceLayout;
use engine::ui::form::split_prompt;
use engine::ui::full::{Palette, Screen, Theme};
use engine::ui::plain::{LineReader, PlainText};

use super::sample::{frame, press, rows};
use crate::{bundled, support};

/// Words of the front ends themselves, which state no fact.
const FRONTEND_WORDS: &str = "closed costs was none choose with commas between them to or a whole number \
    from an empty line means at most characters odds roll of you are here not entered back lines \
    above below more enter take up down move sheet log help leave examine x m c q esc search next \
    pgup pgdn done mark marked asked space 1 t also choice choices dice hangs map see told so far \
    everything what now before next in it its closely o read on is nothing look be can the that there no card full lists row set by name and as read ways back asked once may give keys looks looked at depends details are things previous match work \
    press again this current state asks for confirmation selected";

/// A line without the number of its choice, or the numbers in its submenu.
fn unnumbered(line: &str) -> String {
    let number = |word: &str| {
        let digits = word.trim_end_matches('.');
        digits.len() < word.len() && digits.len() < 3 && digits.parse::<usize>().is_ok()
    };
    let words = line.split_whitespace().filter(|word| !number(word));
    words.collect::<Vec<_>>().join(" ") + "\n"
}

/// A row without the key of its choice.
fn without_key(row: &str) -> String {
    let cells: Vec<char> = row.chars().collect();
    match cells[..] {
        [' ' | '>', ' ', key, ' ', ..] if key != ' ' => cells[4..].iter().collect(),
        _ => row.to_owned(),
    }
}

fn words(text: &str) -> BTreeSet<String> {
    // The full screen's table of odds has one percent sign for all columns. Numbers and keys of
    // choices are no facts.
    let text = text.lines().map(unnumbered).collect::<String>();
    let letters = |c: char| !(c.is_alphanumeric() || c == '.');
    // A word shortened by a sign is no word.
    let whole = text.split_whitespace().filter(|word| !word.ends_with('…'));
    let words = whole.flat_map(|word| word.split(letters));
    let words = words.map(|word| word.trim_matches('.').to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

fn plain_text(events: &[StoryEvent], prompt: &Prompt, view: &View) -> String {
    let mut commands = "sheet\nmap\nodds\nlook\n".to_owned();
    for number in 1..=split_prompt(prompt, view).0.choices.len() {
        commands.push_str(&format!("look {number}\nwhy {number}\n"));
    }
    for placed in &view.widgets {
        let names: Vec<&String> = match &placed.widget {
            Widget::List { items, .. } => {
                let carded = items.iter().filter(|item| item.card.is_some());
                carded.map(|item| &item.label).collect()
            }
            Widget::Card(card) => vec![&card.title],
            _ => Vec::new(),
        };
        for name in names {
            commands.push_str(&format!("look {}\n", text::strip_markup(name)));
        }
    }
    if prompt.choices.is_empty() {
        commands = commands.lines().map(|line| format!(":{line}\n")).collect();
    }
    let mut voice =
        PlainText::new(LineReader::from_terminal(Cursor::new(commands)), Vec::new(), 2000);
    voice.show_events(events).unwrap();
    voice.ask_prompt(prompt, view).unwrap();
    String::from_utf8(voice.into_output()).unwrap()
}

fn full_text(events: &[StoryEvent], prompt: &Prompt, view: &View) -> String {
    let mut screen = Screen::new(Theme::of(Palette::None));
    screen.add_events(events);
    screen.show_prompt(prompt, view);
    let of_view = view.widgets.iter().map(|placed| match &placed.widget {
        Widget::List { items, .. } => items.iter().filter(|item| item.card.is_some()).count(),
        Widget::Card(_) => 1,
        _ => 0,
    });
    let of_choices = prompt.choices.iter().filter(|choice| choice.card.is_some()).count();
    let cards = of_choices + of_view.sum::<usize>();
    let mut out = String::new();
    let mut draw = |screen: &mut Screen| {
        // The last row holds keys and the position in a page.
        for row in rows(&frame(screen, 200, 120)).take(119) {
            out.push_str(without_key(&row).trim_end());
            out.push('\n');
        }
    };
    let (rest, form) = split_prompt(prompt, view);
    let rows = form.as_ref().map_or(0, |form| form.rows.len());
    let form = form.is_some();
    let prompt = &rest;
    let laid = ChoiceLayout::of(prompt);
    let mut look_at_each = |screen: &mut Screen, entries: usize| {
        for _ in 0..entries.max(1) {
            draw(screen);
            // In a row of choices only the focused one shows its result.
            for _ in 0..if form { 6 } else { 0 } {
                press(screen, KeyCode::Char(' '));
                draw(screen);
            }
            press(screen, KeyCode::Down);
        }
    };
    look_at_each(&mut screen, rows + laid.top_level.len() + laid.submenus.len());
    for (at, page) in laid.submenus.iter().enumerate() {
        press(&mut screen, KeyCode::Home);
        for _ in 0..laid.top_level.len() + at {
            press(&mut screen, KeyCode::Down);
        }
        if page.single_choice(prompt).is_none() {
            press(&mut screen, KeyCode::Enter);
            look_at_each(&mut screen, page.choices.len());
            press(&mut screen, KeyCode::Esc);
        }
    }
    for page in ['t', 'm', 'c', 'x'] {
        press(&mut screen, KeyCode::Char(page));
        draw(&mut screen);
        if page == 'x' {
            // Cyclically: the maximum number, and once more does no harm.
            for _ in 0..=cards {
                press(&mut screen, KeyCode::Char('x'));
                draw(&mut screen);
            }
            press(&mut screen, KeyCode::Esc);
        }
        press(&mut screen, KeyCode::Esc);
    }
    out
}

#[test]
fn both_frontends_show_the_same_facts() {
    let runs = support::count_from_env("SUB_ROSA_RUNS", 1);
    let every = if runs > 1 { 1 } else { 7 };
    let furniture = words(FRONTEND_WORDS);
    let content = bundled::content("sub_rosa", &[]);
    let (mut steps, mut shown) = (0, 0);
    for seed in 1..=runs {
        let (mut session, mut told) = bundled::begin(&content, seed, &[], Value::map());
        let mut bot = Bot::new(RANDOM_BOT_ID, seed);
        while session.run_outcome().is_none() && session.step_number() < 400 {
            let (prompt, view) = (session.prompt().clone(), session.view().clone());
            if steps % every == 0 {
                shown += 1;
                let plain = words(&plain_text(&told.events, &prompt, &view));
                let full = words(&full_text(&told.events, &prompt, &view));
                for (one, other, which) in [(&plain, &full, "full"), (&full, &plain, "plain")] {
                    // Submenus have letters as keys here, and numbers in the plain front end.
                    let key = |word: &str| {
                        let digit = word.starts_with(|c: char| c.is_ascii_digit());
                        word.len() == 1 && (which == "plain" || !digit)
                    };
                    let missing = one.difference(other);
                    let missing = missing.filter(|word| !furniture.contains(*word) && !key(word));
                    let missing: Vec<&String> = missing.collect();
                    assert!(
                        missing.is_empty(),
                        "seed {seed}, {}: the {which} voice lacks {missing:?}",
                        prompt.scene
                    );
                }
            }
            steps += 1;
            let input = bot.choose(&mut session, &told.events).unwrap();
            told = session.answer(&input).unwrap();
        }
    }
    assert!(shown > 5, "{shown} screens of {steps} steps were compared");
}
