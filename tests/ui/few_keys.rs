//! A whole descent with three keys, for players who use a switch instead of a keyboard; and a
//! screen on which nothing moves by itself.

use crossterm::event::KeyCode;
use engine::base::Value;
use engine::protocol::{Input, Prompt, View};
use engine::session::Bot;
use engine::ui::Answer;
use engine::ui::choice_layout::ChoiceLayout;
use engine::ui::form::{FieldControl, split_prompt};
use engine::ui::full::{Painter, Palette, Screen, Theme};

use super::sample::{frame, press};
use crate::bundled;

/// Presses Enter until it answers: new text is read first.
fn enter(screen: &mut Screen) -> Option<Answer> {
    (0..40).find_map(|_| {
        frame(screen, 80, 24);
        press(screen, KeyCode::Enter)
    })
}

/// Moves to a choice in a row of the form; returns whether it is one.
fn go_to_row(screen: &mut Screen, prompt: &Prompt, view: &View, id: &str) -> bool {
    let Some(form) = split_prompt(prompt, view).1 else { return false };
    let at = form.rows.iter().position(|row| match &row.control {
        FieldControl::Select { choices, .. } => choices.iter().any(|choice| choice.id == id),
        FieldControl::Stepper { .. } => false,
    });
    // The form opens at its first row; Down leaves it.
    for _ in 0..at.unwrap_or(form.rows.len()) {
        press(screen, KeyCode::Down);
    }
    let Some(FieldControl::Select { choices, selected: now }) = at.map(|at| &form.rows[at].control)
    else {
        return false;
    };
    let wanted = choices.iter().position(|choice| choice.id == id).unwrap();
    for _ in 0..(wanted + choices.len() - now.unwrap_or(0)) % choices.len() {
        press(screen, KeyCode::Char(' '));
    }
    true
}

/// Moves down, cyclically, until the choice or its submenu has the focus; opens the submenu.
pub fn go_to(screen: &mut Screen, prompt: &Prompt, id: &str) {
    let at = prompt.choices.iter().position(|choice| choice.id == id).unwrap();
    let laid = ChoiceLayout::of(prompt);
    let page = laid
        .submenus
        .iter()
        .find(|page| page.choices.contains(&at) && page.single_choice(prompt).is_none());
    let ways = page.map(|page| &*page.id).into_iter().chain([id]);
    for (further, wanted) in ways.enumerate() {
        if further > 0 {
            // New text is read first.
            let page = screen.focused_id().map(str::to_owned);
            while screen.focused_id().map(str::to_owned) == page {
                press(screen, KeyCode::Enter);
                frame(screen, 80, 24);
            }
        }
        let mut turns = 0;
        while screen.focused_id() != Some(wanted) {
            press(screen, KeyCode::Down);
            turns += 1;
            assert!(
                turns <= prompt.choices.len() + laid.submenus.len(),
                "{wanted} is out of reach"
            );
        }
    }
}

#[test]
fn three_keys_are_enough_for_a_whole_run_and_nothing_moves_by_itself() {
    let content = bundled::content("sub_rosa", &[]);
    let options =
        [("dungeon", Value::text("sub_rosa:ice_house")), ("difficulty", Value::text("gentle"))];
    let (mut session, mut told) = bundled::begin(&content, 9, &options, Value::map());
    let mut bot = Bot::new("sub_rosa:steady", 9);
    let mut screen = Screen::new(Theme::of(Palette::Dark));
    let (mut painter, mut answers) = (Painter::default(), 0);
    while session.run_outcome().is_none() {
        let prompt = session.prompt().clone();
        screen.add_events(&told.events);
        screen.show_prompt(&prompt, session.view());
        let input = bot.choose(&mut session, &told.events).unwrap();
        // Without a key, a redraw sends nothing.
        painter.paint_changes(frame(&mut screen, 80, 24), &mut Vec::new()).unwrap();
        let mut moved = Vec::new();
        painter.paint_changes(frame(&mut screen, 80, 24), &mut moved).unwrap();
        let cells = String::from_utf8_lossy(&moved).chars().filter(|c| c.is_alphanumeric()).count();
        assert!(cells < 24, "something moved: {:?}", String::from_utf8_lossy(&moved));
        let answer = match &input {
            Input::Choice(id) => {
                let view = session.view().clone();
                if !go_to_row(&mut screen, &prompt, &view, id) {
                    let rest = split_prompt(&prompt, &view).0;
                    go_to(&mut screen, &rest, id);
                }
                let dear = prompt.choice(id).is_some_and(|choice| !choice.confirm.is_empty());
                if dear {
                    // A confirmation is needed, and the way back has the focus.
                    while screen.focused_id().is_some() {
                        press(&mut screen, KeyCode::Enter);
                        frame(&mut screen, 80, 24);
                    }
                    press(&mut screen, KeyCode::Down);
                }
                enter(&mut screen)
            }
            Input::Many(ids) => {
                for id in ids {
                    go_to(&mut screen, &prompt, id);
                    press(&mut screen, KeyCode::Char(' '));
                }
                let answer = press(&mut screen, KeyCode::Enter);
                if ids.is_empty() { press(&mut screen, KeyCode::Enter) } else { answer }
            }
            other => unreachable!("a descent does not ask for {other:?}"),
        };
        assert_eq!(answer, Some(Answer::Input(input.clone())), "{}", prompt.scene);
        told = session.answer(&input).unwrap();
        answers += 1;
    }
    assert!(answers > 40, "{answers} answers are no whole descent");
}
