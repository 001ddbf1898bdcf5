//! Number prompts: typed digits replace the default value.

use crossterm::event::KeyCode;
use engine::protocol::{AnswerType, Input, Prompt};
use engine::ui::Answer;
use engine::ui::full::{Palette, Screen, Theme};

use super::sample::{picture, press, sample_prompt, sample_view, type_in};

fn screen_with_prompt(prompt: &Prompt) -> Screen {
    let mut screen = Screen::new(Theme::of(Palette::Sixteen));
    screen.begin_story(&[]);
    screen.show_prompt(prompt, &sample_view());
    picture(&mut screen, 80, 24);
    screen
}

#[test]
fn a_digit_replaces_what_nobody_typed_and_escape_leaves_a_setting() {
    let number = |default| {
        let mut prompt =
            sample_prompt(AnswerType::Number { min: 0, max: 99, default }, "How many?");
        prompt.scene = "host:settings".to_owned();
        screen_with_prompt(&prompt)
    };
    let taken = |keys: &str, default| {
        let mut screen = number(default);
        type_in(&mut screen, keys);
        press(&mut screen, KeyCode::Enter)
    };
    let is = |number| Some(Answer::Input(Input::Number(number)));
    assert_eq!(taken("11", 0), is(11));
    assert_eq!(taken("011", 7), is(11));
    let mut screen = number(0);
    press(&mut screen, KeyCode::Up);
    type_in(&mut screen, "12");
    assert_eq!(press(&mut screen, KeyCode::Enter), is(12));
    let mut screen = number(12);
    press(&mut screen, KeyCode::Backspace);
    type_in(&mut screen, "5");
    assert_eq!(press(&mut screen, KeyCode::Enter), is(15));
    assert_eq!(press(&mut number(3), KeyCode::Esc), Some(Answer::Leave));
    // A number prompt of a game is answered.
    let mut screen =
        screen_with_prompt(&sample_prompt(AnswerType::Number { min: 0, max: 9, default: 3 }, "n"));
    assert_eq!(press(&mut screen, KeyCode::Esc), None);
}
