//! A whole descent with three keys, for players who use a switch instead of a keyboard; and a
//! screen on which nothing moves by itself.

use base::Value;
use crossterm::event::KeyCode;
use protocol::{Input, Prompt, View};
use session::Bot;
use ui::Answer;
use ui::choice_layout::ChoiceLayout;
use ui::form::{FieldControl, split_off_form};
use ui::full_screen::{Painter, Palette, Screen, Theme};

use super::sample::{draw_frame, press_key};
use crate::bundled;

/// Presses Enter until it answers: new text is read first.
fn press_enter_until_answer(screen: &mut Screen) -> Option<Answer> {
    (0..40).find_map(|_| {
        draw_frame(screen, 80, 24);
        press_key(screen, KeyCode::Enter)
    })
}

/// Moves to a choice in a row of the form; returns whether it is one.
fn focus_form_choice(screen: &mut Screen, prompt: &Prompt, view: &View, id: &str) -> bool {
    let Some(form) = split_off_form(prompt, view).1 else { return false };
    let row_index = form.rows.iter().position(|row| match &row.control {
        FieldControl::Select { choices, .. } => choices.iter().any(|choice| choice.id == id),
        FieldControl::Stepper { .. } => false,
    });
    // The form opens at its first row; Down leaves it.
    for _ in 0..row_index.unwrap_or(form.rows.len()) {
        press_key(screen, KeyCode::Down);
    }
    let Some(FieldControl::Select { choices, selected: selected_index }) =
        row_index.map(|index| &form.rows[index].control)
    else {
        return false;
    };
    let wanted_index = choices.iter().position(|choice| choice.id == id).unwrap();
    for _ in 0..(wanted_index + choices.len() - selected_index.unwrap_or(0)) % choices.len() {
        press_key(screen, KeyCode::Char(' '));
    }
    true
}

/// Moves down, cyclically, until the choice or its submenu has the focus; opens the submenu.
pub fn focus_choice(screen: &mut Screen, prompt: &Prompt, id: &str) {
    let choice_index = prompt.choices.iter().position(|choice| choice.id == id).unwrap();
    let layout = ChoiceLayout::from_prompt(prompt);
    let submenu = layout
        .submenus
        .iter()
        .find(|page| page.choices.contains(&choice_index) && page.single_choice(prompt).is_none());
    let focus_ids = submenu.map(|page| &*page.id).into_iter().chain([id]);
    for (index, wanted_id) in focus_ids.enumerate() {
        if index > 0 {
            // New text is read first.
            let submenu_id = screen.focused_id().map(str::to_owned);
            while screen.focused_id().map(str::to_owned) == submenu_id {
                press_key(screen, KeyCode::Enter);
                draw_frame(screen, 80, 24);
            }
        }
        let mut press_count = 0;
        while screen.focused_id() != Some(wanted_id) {
            // A submenu that stayed open is left first.
            let leads_back = screen.focused_id() == Some("host:submenu_back") && index == 0;
            let key = if leads_back { KeyCode::Enter } else { KeyCode::Down };
            press_key(screen, key);
            press_count += 1;
            assert!(
                press_count <= prompt.choices.len() + layout.submenus.len(),
                "{wanted_id} is out of reach"
            );
        }
    }
}

#[test]
fn three_keys_can_play_a_run_and_an_idle_screen_is_still() {
    let content = bundled::game_content("sub_rosa", &[]);
    let options =
        [("dungeon", Value::text("sub_rosa:ice_house")), ("difficulty", Value::text("gentle"))];
    let (mut session, mut step_outcome) =
        bundled::start_session(&content, 9, &options, Value::map());
    let mut bot = Bot::new("sub_rosa:steady", 9);
    let mut screen = Screen::new(Theme::from_palette(Palette::Dark));
    let (mut painter, mut answer_count) = (Painter::default(), 0);
    while session.run_outcome().is_none() {
        let prompt = session.prompt().clone();
        screen.add_events(&step_outcome.events);
        screen.show_prompt(&prompt, session.view());
        let input = bot.choose_input(&mut session, &step_outcome.events).unwrap();
        // Without a key, a redraw sends nothing.
        painter.paint_changes(draw_frame(&mut screen, 80, 24), &mut Vec::new()).unwrap();
        let mut output_bytes = Vec::new();
        painter.paint_changes(draw_frame(&mut screen, 80, 24), &mut output_bytes).unwrap();
        let changed_cells =
            String::from_utf8_lossy(&output_bytes).chars().filter(|c| c.is_alphanumeric()).count();
        assert!(
            changed_cells < 24,
            "something moved: {:?}",
            String::from_utf8_lossy(&output_bytes)
        );
        let answer = match &*input {
            Input::Choice(id) => {
                let view = session.view().clone();
                if !focus_form_choice(&mut screen, &prompt, &view, id) {
                    let list_prompt = split_off_form(&prompt, &view).0;
                    focus_choice(&mut screen, &list_prompt, id);
                }
                let needs_confirmation =
                    prompt.choice(id).is_some_and(|choice| !choice.confirm.is_empty());
                if needs_confirmation {
                    // A confirmation is needed, and the way back has the focus.
                    while screen.focused_id().is_some() {
                        press_key(&mut screen, KeyCode::Enter);
                        draw_frame(&mut screen, 80, 24);
                    }
                    press_key(&mut screen, KeyCode::Down);
                }
                press_enter_until_answer(&mut screen)
            }
            Input::Choices(ids) => {
                for id in ids {
                    focus_choice(&mut screen, &prompt, id);
                    press_key(&mut screen, KeyCode::Char(' '));
                }
                let answer = press_key(&mut screen, KeyCode::Enter);
                if ids.is_empty() { press_key(&mut screen, KeyCode::Enter) } else { answer }
            }
            other => unreachable!("a descent does not ask for {other:?}"),
        };
        assert_eq!(answer, Some(Answer::Input(input.clone())), "{}", prompt.scene);
        step_outcome = session.answer_prompt(&input).unwrap();
        answer_count += 1;
    }
    assert!(answer_count > 40, "{answer_count} answers are no whole descent");
}
