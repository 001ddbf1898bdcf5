//! Number prompts: typed digits replace the default value.

use crate::support::accepted;
use crossterm::event::KeyCode;
use protocol::{AnswerType, Input, Prompt};
use ui::Answer;
use ui::full_screen::{Palette, Screen, Theme};

use super::sample::{draw_boxed_text, press_key, sample_prompt, sample_view, type_keys};

fn screen_with_prompt(prompt: &Prompt) -> Screen {
    let mut screen = Screen::new(Theme::from_palette(Palette::SixteenColours));
    screen.begin_story(&[]);
    screen.show_prompt(prompt, &sample_view());
    draw_boxed_text(&mut screen, 80, 24);
    screen
}

#[test]
fn a_digit_replaces_the_default_and_esc_leaves_a_setting() {
    let number_screen = |default| {
        let mut prompt =
            sample_prompt(AnswerType::Number { min: 0, max: 99, default }, "How many?");
        prompt.scene = "host:settings".to_owned();
        screen_with_prompt(&prompt)
    };
    let answer_to_keys = |keys: &str, default| {
        let mut screen = number_screen(default);
        type_keys(&mut screen, keys);
        press_key(&mut screen, KeyCode::Enter)
    };
    let number_answer = |number| Some(Answer::Input(accepted(Input::Number(number))));
    assert_eq!(answer_to_keys("11", 0), number_answer(11));
    assert_eq!(answer_to_keys("011", 7), number_answer(11));
    let mut screen = number_screen(0);
    press_key(&mut screen, KeyCode::Up);
    type_keys(&mut screen, "12");
    assert_eq!(press_key(&mut screen, KeyCode::Enter), number_answer(12));
    let mut screen = number_screen(12);
    press_key(&mut screen, KeyCode::Backspace);
    type_keys(&mut screen, "5");
    assert_eq!(press_key(&mut screen, KeyCode::Enter), number_answer(15));
    assert_eq!(press_key(&mut number_screen(3), KeyCode::Esc), Some(Answer::Leave));
    // A number prompt of a game is answered.
    let mut screen =
        screen_with_prompt(&sample_prompt(AnswerType::Number { min: 0, max: 9, default: 3 }, "n"));
    assert_eq!(press_key(&mut screen, KeyCode::Esc), None);
}
