//! Frames of the full screen, drawn into a buffer, and the effect of keys.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use engine::base::Problem;
use engine::base::text;
use engine::protocol::{AnswerType, Input, Prompt, StoryEntry, StoryEvent, View};
use engine::ui::Answer;
use engine::ui::full::{Palette, Screen, Theme};

use super::sample::*;
use crate::support::RandomSource;

fn screen(prompt: &Prompt, view: &View) -> Screen {
    let mut screen = Screen::new(Theme::of(Palette::Sixteen));
    screen.begin_story(&[]);
    screen.add_events(&sample_events());
    screen.show_prompt(prompt, view);
    screen
}

#[test]
fn a_sample_screen_at_three_sizes() {
    let mut screen = screen(&ferry_prompt(), &sample_view());
    snapshot!("full_80x24", picture(&mut screen, 80, 24));
    snapshot!("full_40x12", picture(&mut screen, 40, 12));
    snapshot!("full_120x40", picture(&mut screen, 120, 40));
    snapshot!("full_too_small", picture(&mut screen, 30, 5));
}

#[test]
fn pages_over_the_screen() {
    let mut screen = screen(&ferry_prompt(), &sample_view());
    for (name, key) in [("help", '?'), ("sheet", 'c'), ("log", 't'), ("map", 'm')] {
        type_in(&mut screen, &key.to_string());
        snapshot!(format!("full_page_{name}"), picture(&mut screen, 80, 24));
        press(&mut screen, KeyCode::Esc);
        assert!(!screen.has_open_page());
    }
    type_in(&mut screen, "jx");
    snapshot!("full_page_card", picture(&mut screen, 60, 14));
}

#[test]
fn what_has_no_card_and_what_is_closed_says_so() {
    let mut screen = screen(&ferry_prompt(), &sample_view());
    type_in(&mut screen, "x");
    press(&mut screen, KeyCode::Esc);
    assert_eq!(type_in(&mut screen, "4"), None);
    assert!(picture(&mut screen, 80, 24).contains("the causeway is under water"));
}

#[test]
fn keys_choose() {
    let at = |keys: &[KeyCode]| {
        let mut screen = screen(&ferry_prompt(), &sample_view());
        keys.iter().map(|key| press(&mut screen, *key)).last().flatten()
    };
    assert_eq!(at(&[KeyCode::Char('2')]), choice_answer("ring"));
    assert_eq!(at(&[KeyCode::Down, KeyCode::Enter]), choice_answer("ring"));
    assert_eq!(
        at(&[KeyCode::Char('j'), KeyCode::Char('j'), KeyCode::Enter]),
        choice_answer("wait")
    );
    assert_eq!(at(&[KeyCode::Up, KeyCode::Up, KeyCode::Enter]), choice_answer("wait"));
    assert_eq!(at(&[KeyCode::Char('9')]), None);
    assert_eq!(at(&[KeyCode::Esc]), None);
    assert_eq!(at(&[KeyCode::Char('Q')]), Some(Answer::Leave));
    let mut screen = screen(&ferry_prompt(), &sample_view());
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(screen.press_key(interrupt), Some(Answer::Quit));
}

#[test]
fn a_key_that_is_let_go_does_nothing() {
    let mut screen = screen(&ferry_prompt(), &sample_view());
    let key = |kind| KeyEvent { kind, ..KeyEvent::new(KeyCode::Char('2'), KeyModifiers::NONE) };
    assert_eq!(screen.press_key(key(KeyEventKind::Release)), None);
    assert_eq!(screen.press_key(key(KeyEventKind::Repeat)), None);
    assert_eq!(screen.press_key(key(KeyEventKind::Press)), choice_answer("ring"));
}

#[test]
fn more_than_nine_choices_have_a_key_each_that_acts_at_once() {
    let mut prompt = Prompt { choices: Vec::new(), ..ferry_prompt() };
    prompt.choices.extend((1..=25).map(|n| choice(&format!("s{n}"), &format!("Stone {n}"))));
    let of = |keys: &str| type_in(&mut screen(&prompt, &View::default()), keys);
    for (key, id) in [("1", "s1"), ("9", "s9"), ("0", "s10"), ("a", "s11"), ("z", "s25")] {
        assert_eq!(of(key), choice_answer(id), "{key}");
    }
    assert_eq!(of("A"), None);
    let mut many = screen(&prompt, &View::default());
    snapshot!("full_many_choices", picture(&mut many, 80, 24));
}

#[test]
fn several_are_marked_and_then_given() {
    let mut screen = screen(&loading(), &sample_view());
    assert_eq!(type_in(&mut screen, "31"), None);
    snapshot!("full_several", picture(&mut screen, 80, 24));
    let both = Input::Many(vec!["oil".to_owned(), "letters".to_owned()]);
    assert_eq!(press(&mut screen, KeyCode::Enter), Some(Answer::Input(both)));
    type_in(&mut screen, "2");
    assert_eq!(press(&mut screen, KeyCode::Enter), None);
    assert!(picture(&mut screen, 80, 24).contains("3 chosen; 0 to 2 are expected"));
}

#[test]
fn a_number_is_typed_or_counted() {
    let ask = AnswerType::Number { min: 1, max: 9, default: 5 };
    let mut screen = screen(&sample_prompt(ask, "How many strokes?"), &sample_view());
    press(&mut screen, KeyCode::Up);
    snapshot!("full_number", picture(&mut screen, 80, 24));
    assert_eq!(press(&mut screen, KeyCode::Enter), Some(Answer::Input(Input::Number(6))));
    press(&mut screen, KeyCode::Backspace);
    type_in(&mut screen, "42");
    assert_eq!(press(&mut screen, KeyCode::Enter), None);
    assert!(picture(&mut screen, 80, 24).contains("42 is outside 1 to 9"));
}

#[test]
fn a_line_is_written_with_any_letter() {
    let ask = AnswerType::Text { max_length: 12, default: "nobody".to_owned() };
    let mut screen = screen(&sample_prompt(ask, "Your name?"), &sample_view());
    type_in(&mut screen, "Queen? jm");
    snapshot!("full_text", picture(&mut screen, 80, 24));
    let name = Input::Text("Queen? jm".to_owned());
    assert_eq!(press(&mut screen, KeyCode::Enter), Some(Answer::Input(name)));
}

/// The crossing again, after an answer whose output is longer than the window.
fn screen_of(prompt: &Prompt) -> Screen {
    let mut screen = screen(prompt, &sample_view());
    picture(&mut screen, 80, 24);
    screen
}

fn after_thirty_waves() -> Screen {
    let mut screen = screen(&ferry_prompt(), &sample_view());
    press(&mut screen, KeyCode::Enter);
    let long: Vec<StoryEvent> = (1..=30).map(|n| say(&format!("Wave {n}."))).collect();
    screen.add_events(&long);
    screen.show_prompt(&ferry_prompt(), &sample_view());
    screen
}

#[test]
fn what_does_not_fit_says_so_and_can_be_read() {
    let mut screen = after_thirty_waves();
    let begin = picture(&mut screen, 80, 24);
    // The answer is remembered, and its line gives way to its output.
    assert!(!begin.contains("> Row for the far lamp") && begin.contains("Wave 1."), "{begin}");
    assert!(begin.contains("more below: Enter reads on"), "{begin}");
    (0..4).for_each(|_| drop(press(&mut screen, KeyCode::Char(' '))));
    let end = picture(&mut screen, 80, 24);
    assert!(end.contains("Wave 30.") && !end.contains("more below"), "{end}");
    (0..40).for_each(|_| drop(press(&mut screen, KeyCode::PageUp)));
    picture(&mut screen, 80, 24);
    let top = picture(&mut screen, 80, 24);
    assert!(top.contains("The slip"), "{top}");
}

#[test]
fn one_press_too_many_while_reading_throws_no_dice() {
    let mut screen = after_thirty_waves();
    while picture(&mut screen, 80, 24).contains("reads on") {
        assert_eq!(press(&mut screen, KeyCode::Enter), None);
    }
    assert_eq!(press(&mut screen, KeyCode::Enter), None);
    assert!(picture(&mut screen, 80, 24).contains("Press Enter again to roll the dice for: Row"));
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("row"));
    // Nor without new text; a deliberate move of the focus counts, and so does one away and back.
    let mut screen = screen_of(&ferry_prompt());
    assert_eq!(press(&mut screen, KeyCode::Enter), None);
    let mut screen = screen_of(&ferry_prompt());
    press(&mut screen, KeyCode::Down);
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("ring"));
    press(&mut screen, KeyCode::Up);
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("row"));
}

#[test]
fn one_press_too_many_while_reading_takes_nothing_where_there_is_something_to_decide() {
    let read = |choices: &[&str]| {
        let mut prompt = ferry_prompt();
        prompt.choices = choices.iter().map(|id| choice(id, id)).collect();
        let mut screen = after_thirty_waves();
        screen.show_prompt(&prompt, &sample_view());
        let mut pressed = 0;
        while picture(&mut screen, 80, 24).contains("reads on") {
            assert_eq!(press(&mut screen, KeyCode::Enter), None);
            pressed += 1;
        }
        assert!(pressed > 0);
        screen
    };
    let mut screen = read(&["arm", "ear"]);
    assert_eq!(press(&mut screen, KeyCode::Enter), None);
    assert!(picture(&mut screen, 80, 24).contains("Press Enter again to take: arm."));
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("arm"));
    // A deliberate focus counts, and a single choice is taken at once.
    let mut screen = read(&["arm", "ear"]);
    press(&mut screen, KeyCode::Down);
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("ear"));
    assert_eq!(press(&mut read(&["on"]), KeyCode::Enter), choice_answer("on"));
}

#[test]
fn enter_of_who_answers_with_keys_takes_nothing_at_once_where_there_is_something_to_decide() {
    let ask = |choices: &[&str]| Prompt {
        choices: choices.iter().map(|id| choice(id, id)).collect(),
        scene: format!("ferry:{}", choices.concat()),
        ..ferry_prompt()
    };
    let mut screen = screen_of(&ask(&["arm", "ear"]));
    assert_eq!(press(&mut screen, KeyCode::Char('2')), choice_answer("ear"));
    screen.show_prompt(&ask(&["oil", "rope"]), &sample_view());
    assert_eq!(press(&mut screen, KeyCode::Enter), None);
    assert!(picture(&mut screen, 80, 24).contains("Press Enter again to take: oil."));
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("oil"));
    // Now Enter answers.
    screen.show_prompt(&ask(&["tar", "bread"]), &sample_view());
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("tar"));
}

#[test]
fn in_one_row_a_choice_says_as_much_as_there_is_room_for() {
    let prompt = Prompt { rounds: true, ..ferry_prompt() };
    let drawn = picture(&mut screen_of(&prompt), 80, 20);
    assert!(drawn.contains("The current takes what you do not; d20 + ARM 7"), "{drawn}");
}

#[test]
fn what_there_is_a_way_back_from_is_meant_once() {
    let mut prompt = ferry_prompt();
    prompt.choices = ["oil", "bread", "enough"].map(|id| choice(id, id)).into();
    prompt.choices[2].back = true;
    let mut screen = screen_of(&prompt);
    assert_eq!(press(&mut screen, KeyCode::Enter), None);
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("oil"));
    // The same key again is deliberate, and later keys are not.
    screen.show_prompt(&prompt, &sample_view());
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("oil"));
    prompt.choices[0].id = "lamp".to_owned();
    screen.show_prompt(&prompt, &sample_view());
    assert_eq!(press(&mut screen, KeyCode::Enter), None);
    press(&mut screen, KeyCode::End);
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("enough"));
}

#[test]
fn why_a_key_does_nothing_is_told_whole() {
    let mut prompt = ferry_prompt();
    let why = "a rope over the rail, somebody who knows the ferry, and an hour of light, \
               of which there is none left today that anybody would trust their feet to; come back"
        .to_owned();
    prompt.choices[3].disabled_because = Some(why);
    let more = (0..6).map(|at| choice(&format!("more{at}"), "Look about"));
    prompt.choices.extend(more);
    let mut screen = screen_of(&prompt);
    let page = picture(&mut screen, 80, 24);
    assert!(!page.contains("come back"), "{page}");
    assert_eq!(press(&mut screen, KeyCode::Char('4')), None);
    let page = picture(&mut screen, 80, 24);
    assert!(page.contains("come back."), "{page}");
}

#[test]
fn what_the_console_says_is_in_sight_above_what_was_not_read() {
    let mut screen = screen(&ferry_prompt(), &sample_view());
    press(&mut screen, KeyCode::Enter);
    screen.add_events(&(1..=30).map(|n| say(&format!("Wave {n}."))).collect::<Vec<_>>());
    screen.set_console(true);
    screen.show_prompt(&ferry_prompt(), &sample_view());
    assert!(!picture(&mut screen, 80, 24).contains("Wave 30."));
    type_in(&mut screen, ":state.q");
    press(&mut screen, KeyCode::Enter);
    screen.add_events(&[say("state.q is 12")]);
    screen.show_prompt(&ferry_prompt(), &sample_view());
    let drawn = picture(&mut screen, 80, 24);
    assert!(drawn.contains("state.q is 12") && !drawn.contains("more below"), "{drawn}");
}

#[test]
fn trouble_stands_in_the_story() {
    let mut screen = screen(&ferry_prompt(), &sample_view());
    screen.add_problem(
        &Problem::error(engine::base::Code::StateWrongValue, "warmth is a text")
            .expected("a number"),
    );
    assert!(picture(&mut screen, 100, 40).contains("error[state-wrong-value]: warmth is a text"));
}

#[test]
fn every_size_can_be_drawn_with_everything_open() {
    let texts = AnswerType::Text { max_length: 200, default: "a name".repeat(20) };
    let prompts = [
        ferry_prompt(),
        loading(),
        sample_prompt(AnswerType::Number { min: 0, max: 3, default: 1 }, "n"),
        sample_prompt(texts, &"Long question. ".repeat(60)),
    ];
    for prompt in &prompts {
        for page in [None, Some('?'), Some('c'), Some('m'), Some('t')] {
            let mut screen = screen(prompt, &sample_view());
            if let Some(key) = page {
                type_in(&mut screen, &key.to_string());
            }
            for columns in 1..=130 {
                for rows in 1..=45 {
                    // Every size near the edges, and a sample of the others.
                    if columns <= 42 || columns % 13 == 0 || rows <= 13 && columns % 5 == 0 {
                        frame(&mut screen, columns, rows);
                    }
                }
            }
        }
    }
}

#[test]
fn any_keys_at_any_size_do_no_harm() {
    let mut chance = RandomSource::of(1);
    let texts = AnswerType::Text { max_length: 8, default: String::new() };
    let prompts = [
        ferry_prompt(),
        loading(),
        sample_prompt(AnswerType::Number { min: -5, max: 3, default: 1 }, "n"),
        sample_prompt(texts, "t"),
        sample_prompt(AnswerType::One, "nothing can be chosen"),
    ];
    let keys = [
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Backspace,
        KeyCode::F(1),
        KeyCode::Tab,
    ];
    let mut screen = screen(&prompts[0], &sample_view());
    for _ in 0..20_000 {
        let code = match chance.below(3) {
            0 => keys[chance.below(keys.len() as u64) as usize],
            _ => KeyCode::Char(char::from_u32(32 + chance.below(95) as u32).unwrap()),
        };
        if let Some(Answer::Input(_)) = press(&mut screen, code) {
            screen.add_events(&sample_events()[..chance.below(4) as usize]);
            screen
                .show_prompt(&prompts[chance.below(prompts.len() as u64) as usize], &sample_view());
        }
        if chance.below(400) == 0 {
            screen.begin_story(
                &sample_events().into_iter().map(StoryEntry::Event).collect::<Vec<_>>(),
            );
        }
        if chance.below(8) == 0 {
            frame(&mut screen, 1 + chance.below(130) as u16, 1 + chance.below(45) as u16);
        }
    }
}

#[test]
fn no_hostile_text_reaches_the_frame() {
    let evil = "\u{1b}[2J\u{9b}31m\u{202e}ab\u{0}\r\u{8}\u{200b}\u{e0041}";
    let mut prompt = ferry_prompt();
    for choice in &mut prompt.choices {
        choice.label = evil.to_owned();
        choice.note = evil.to_owned();
        choice.cost = evil.to_owned();
        choice.disabled_because = choice.disabled_because.as_ref().map(|_| evil.to_owned());
        choice.odds = choice.odds.as_ref().map(|_| odds(evil, &[1, 2, 3]));
        choice.card = choice.card.as_ref().map(|card| engine::protocol::view::Card {
            text: evil.to_owned(),
            lines: vec![evil.to_owned()],
            ..card.clone()
        });
    }
    prompt.text = evil.to_owned();
    let json = serde_json::to_string(&sample_view()).unwrap();
    let evil_json = evil.chars().map(|c| format!("\\u{:04x}", u32::from(c).min(0xffff)));
    let json = json.replace("Carried", &evil_json.collect::<String>()).replace("ARM", "A\\u001bM");
    let view: View = serde_json::from_str(&json).unwrap();
    let mut screen = Screen::new(Theme::of(Palette::None));
    screen.add_events(&[say(evil), StoryEvent::Heading { text: evil.to_owned() }]);
    screen.add_problem(&Problem::error(engine::base::Code::BadText, evil));
    screen.show_prompt(&prompt, &view);
    for keys in ["", "c", "?", "m", "t", "jx"] {
        type_in(&mut screen, keys);
        let shown = picture(&mut screen, 80, 24);
        assert!(shown.chars().all(text::is_printable), "{shown:?}");
        press(&mut screen, KeyCode::Esc);
    }
}

#[test]
fn the_help_names_every_key_of_the_key_line() {
    for prompt in [
        ferry_prompt(),
        loading(),
        sample_prompt(AnswerType::Number { min: 1, max: 3, default: 2 }, ""),
    ] {
        let mut screen = screen(&prompt, &sample_view());
        let keys = picture(&mut screen, 200, 24);
        let keys = keys.lines().last().unwrap().trim_matches(['|', ' ']).to_owned();
        type_in(&mut screen, "?");
        let help = picture(&mut screen, 200, 24);
        for hint in keys.split("  ").map(str::trim).filter(|hint| !hint.is_empty()) {
            let (key, does) = hint.split_once(' ').unwrap();
            let named = |line: &str| key.split('/').all(|key| line.contains(key));
            let told = help.lines().any(|line| named(line) && line.contains(does));
            assert!(told, "{hint} is not in the help:\n{help}");
        }
    }
}

#[test]
fn a_question_that_is_broken_off_to_reload_keeps_its_focus() {
    let mut screen = screen(&ferry_prompt(), &sample_view());
    press(&mut screen, KeyCode::Down);
    let before = picture(&mut screen, 80, 24);
    assert_eq!(type_in(&mut screen, "R"), Some(Answer::Reload));
    screen.show_prompt(&ferry_prompt(), &sample_view());
    assert_eq!(picture(&mut screen, 80, 24), before);
    screen.set_stale_reason(Some("well/play/well.luau:3"));
    let stale = picture(&mut screen, 80, 24);
    assert!(stale.lines().next().unwrap().contains("[stale: well/play/well.luau:3]"), "{stale}");
    screen.set_stale_reason(None);
    assert_eq!(picture(&mut screen, 80, 24), before);
}

#[test]
fn a_colon_opens_the_console_where_there_is_one() {
    let mut screen = screen(&ferry_prompt(), &sample_view());
    assert_eq!(type_in(&mut screen, ":x"), None);
    press(&mut screen, KeyCode::Esc);
    screen.set_console(true);
    assert_eq!(type_in(&mut screen, ":state.q = 12"), None);
    press(&mut screen, KeyCode::Backspace);
    let drawn = picture(&mut screen, 80, 24);
    assert!(drawn.lines().last().unwrap().starts_with("|:state.q = 1_"), "{drawn}");
    assert_eq!(press(&mut screen, KeyCode::Enter), Some(Answer::Console("state.q = 1".to_owned())));
    type_in(&mut screen, ":");
    press(&mut screen, KeyCode::Esc);
    assert_ne!(type_in(&mut screen, "1"), None, "the keys choose again");
}
