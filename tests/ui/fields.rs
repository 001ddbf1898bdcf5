//! Number and text fields on the full screen: typing, pasting, and leaving them.

use crate::support::accepted;
use crossterm::event::KeyCode;
use protocol::{AnswerType, Input, Prompt, View};
use ui::Answer;
use ui::full_screen::{Palette, Screen, Theme};

use super::sample::*;

fn screen_with_prompt(scene: &str, ask: AnswerType) -> Screen {
    let mut screen = Screen::new(Theme::from_palette(Palette::SixteenColours));
    let prompt_text = "What?".to_owned();
    let prompt = Prompt {
        scene: scene.to_owned(),
        text: prompt_text,
        answer_type: ask,
        choices: Vec::new(),
        repeats: false,
    };
    screen.show_prompt(&prompt, &View::default());
    screen
}

#[test]
fn digits_replace_a_number_set_with_arrows() {
    let number_answer = AnswerType::Number { min: 1, max: 30, default: 3 };
    let mut screen = screen_with_prompt("game:count", number_answer.clone());
    press_key(&mut screen, KeyCode::Down);
    type_keys(&mut screen, "2");
    type_keys(&mut screen, "1");
    assert_eq!(
        press_key(&mut screen, KeyCode::Enter),
        Some(Answer::Input(accepted(Input::Number(21))))
    );
    let mut screen = screen_with_prompt("game:count", number_answer);
    press_key(&mut screen, KeyCode::Down);
    assert_eq!(
        press_key(&mut screen, KeyCode::Enter),
        Some(Answer::Input(accepted(Input::Number(2))))
    );
}

#[test]
fn esc_leaves_a_host_prompt() {
    let text_answer =
        |default: &str| AnswerType::Text { max_length: 20, default: default.to_owned() };
    for (scene, expected_answer) in [("host:keys", Some(Answer::Leave)), ("game:name", None)] {
        let mut screen = screen_with_prompt(scene, text_answer("Up, k"));
        assert_eq!(press_key(&mut screen, KeyCode::Esc), expected_answer, "{scene}");
        let mut screen = screen_with_prompt(scene, text_answer(""));
        type_keys(&mut screen, "ab");
        // The typed text is deleted first.
        assert_eq!(press_key(&mut screen, KeyCode::Esc), None);
        assert_eq!(press_key(&mut screen, KeyCode::Esc), expected_answer, "{scene}");
        let mut screen =
            screen_with_prompt(scene, AnswerType::Number { min: 0, max: 9, default: 1 });
        assert_eq!(press_key(&mut screen, KeyCode::Esc), expected_answer, "{scene}");
    }
}

#[test]
fn only_text_fields_accept_line_pastes() {
    let mut screen = screen_with_prompt(
        "game:name",
        AnswerType::Text { max_length: 9, default: "nobody".to_owned() },
    );
    screen.insert_pasted_text("Ann\r\nBob\t1\n2\n");
    let text_field_page = draw_boxed_text(&mut screen, 80, 24);
    assert!(
        text_field_page.contains("> Ann Bob 1 ") && text_field_page.contains("At most 9"),
        "{text_field_page}"
    );
    assert_eq!(screen.caret().map(|position| position.x), Some(12));
    let mut screen =
        screen_with_prompt("game:count", AnswerType::Number { min: 0, max: 99, default: 1 });
    screen.insert_pasted_text("12\n");
    assert_eq!(
        press_key(&mut screen, KeyCode::Enter),
        Some(Answer::Input(accepted(Input::Number(12))))
    );
    let mut screen = Screen::new(Theme::from_palette(Palette::SixteenColours));
    screen.show_prompt(&ferry_prompt(), &sample_view());
    screen.insert_pasted_text("1");
    assert!(draw_boxed_text(&mut screen, 80, 24).contains("Pasted text is ignored here."));
    assert_eq!(screen.caret(), None);
}

#[test]
fn a_key_without_effect_on_a_page_is_reported() {
    for page_key in ["?", "c", "t", "m"] {
        let mut screen = Screen::new(Theme::from_palette(Palette::SixteenColours));
        screen.show_prompt(&ferry_prompt(), &sample_view());
        type_keys(&mut screen, page_key);
        type_keys(&mut screen, "9");
        let drawn_page = draw_boxed_text(&mut screen, 80, 24);
        assert!(drawn_page.contains("9 does nothing on this page"), "{page_key}: {drawn_page}");
        assert!(screen.has_open_page());
    }
}

/// Input methods draw at the cursor what is being composed.
#[test]
fn the_cursor_is_where_a_search_or_a_console_line_is_typed() {
    let mut screen = Screen::new(Theme::from_palette(Palette::SixteenColours));
    screen.show_prompt(&ferry_prompt(), &sample_view());
    screen.set_console(true);
    let caret_after = |screen: &mut Screen, keys: &str| {
        type_keys(screen, keys);
        draw_boxed_text(screen, 80, 24);
        screen.caret().map(|position| (position.x, position.y))
    };
    assert_eq!(caret_after(&mut screen, ":state"), Some((6, 23)));
    press_key(&mut screen, KeyCode::Esc);
    assert_eq!(caret_after(&mut screen, ""), None);
    let (search_start, row) = caret_after(&mut screen, "/").unwrap();
    assert_eq!(caret_after(&mut screen, "wave"), Some((search_start + 4, row)));
    press_key(&mut screen, KeyCode::Esc);
    assert_eq!(caret_after(&mut screen, ""), None);
}
