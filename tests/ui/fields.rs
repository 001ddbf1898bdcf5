//! Number and text fields on the full screen: typing, pasting, and leaving them.

use crossterm::event::KeyCode;
use engine::protocol::{AnswerType, Input, Prompt, View};
use engine::ui::Answer;
use engine::ui::full::{Palette, Screen, Theme};

use super::sample::*;

fn screen_with_prompt(scene: &str, ask: AnswerType) -> Screen {
    let mut screen = Screen::new(Theme::of(Palette::Sixteen));
    let text = "What?".to_owned();
    let prompt = Prompt { scene: scene.to_owned(), text, ask, choices: Vec::new(), rounds: false };
    screen.show_prompt(&prompt, &View::default());
    screen
}

#[test]
fn a_number_is_typed_anew_after_the_arrows() {
    let number = AnswerType::Number { min: 1, max: 30, default: 3 };
    let mut screen = screen_with_prompt("game:count", number.clone());
    press(&mut screen, KeyCode::Down);
    type_in(&mut screen, "2");
    type_in(&mut screen, "1");
    assert_eq!(press(&mut screen, KeyCode::Enter), Some(Answer::Input(Input::Number(21))));
    let mut screen = screen_with_prompt("game:count", number);
    press(&mut screen, KeyCode::Down);
    assert_eq!(press(&mut screen, KeyCode::Enter), Some(Answer::Input(Input::Number(2))));
}

#[test]
fn a_question_of_the_host_is_left_with_esc() {
    let text = |default: &str| AnswerType::Text { max_length: 20, default: default.to_owned() };
    for (scene, left) in [("host:keys", Some(Answer::Leave)), ("game:name", None)] {
        let mut screen = screen_with_prompt(scene, text("Up, k"));
        assert_eq!(press(&mut screen, KeyCode::Esc), left, "{scene}");
        let mut screen = screen_with_prompt(scene, text(""));
        type_in(&mut screen, "ab");
        // The typed text is deleted first.
        assert_eq!(press(&mut screen, KeyCode::Esc), None);
        assert_eq!(press(&mut screen, KeyCode::Esc), left, "{scene}");
        let mut screen =
            screen_with_prompt(scene, AnswerType::Number { min: 0, max: 9, default: 1 });
        assert_eq!(press(&mut screen, KeyCode::Esc), left, "{scene}");
    }
}

#[test]
fn a_paste_is_taken_by_a_line_of_text_alone() {
    let mut screen = screen_with_prompt(
        "game:name",
        AnswerType::Text { max_length: 9, default: "nobody".to_owned() },
    );
    screen.paste("Ann\r\nBob\t1\n2\n");
    let shown = picture(&mut screen, 80, 24);
    assert!(shown.contains("> Ann Bob 1 ") && shown.contains("At most 9"), "{shown}");
    assert_eq!(screen.caret().map(|at| at.x), Some(12));
    let mut screen =
        screen_with_prompt("game:count", AnswerType::Number { min: 0, max: 99, default: 1 });
    screen.paste("12\n");
    assert_eq!(press(&mut screen, KeyCode::Enter), Some(Answer::Input(Input::Number(12))));
    let mut screen = Screen::new(Theme::of(Palette::Sixteen));
    screen.show_prompt(&ferry_prompt(), &sample_view());
    screen.paste("1");
    assert!(picture(&mut screen, 80, 24).contains("Pasted text is ignored here."));
    assert_eq!(screen.caret(), None);
}

#[test]
fn a_key_that_does_nothing_on_a_page_says_so() {
    for page in ["?", "c", "t", "m"] {
        let mut screen = Screen::new(Theme::of(Palette::Sixteen));
        screen.show_prompt(&ferry_prompt(), &sample_view());
        type_in(&mut screen, page);
        type_in(&mut screen, "9");
        let shown = picture(&mut screen, 80, 24);
        assert!(shown.contains("9 does nothing on this page"), "{page}: {shown}");
        assert!(screen.has_open_page());
    }
}
