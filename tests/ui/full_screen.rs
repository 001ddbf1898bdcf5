//! Frames of the full screen, drawn into a buffer, and the effect of keys.

use base::Problem;
use base::text;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use protocol::{AnswerType, Input, Prompt, StoryEntry, StoryEvent, View};
use ui::Answer;
use ui::full_screen::{Palette, Screen, Theme};

use super::sample::*;
use crate::support::RandomSource;
use crate::support::accepted;

fn screen_after_sample_events(prompt: &Prompt, view: &View) -> Screen {
    let mut screen = Screen::new(Theme::from_palette(Palette::SixteenColours));
    screen.begin_story(&[]);
    screen.add_events(&sample_events());
    screen.show_prompt(prompt, view);
    screen
}

#[test]
fn sample_screen_matches_snapshots_at_four_sizes() {
    let mut screen = screen_after_sample_events(&ferry_prompt(), &sample_view());
    snapshot!("full_80x24", draw_boxed_text(&mut screen, 80, 24));
    snapshot!("full_40x12", draw_boxed_text(&mut screen, 40, 12));
    snapshot!("full_120x40", draw_boxed_text(&mut screen, 120, 40));
    snapshot!("full_too_small", draw_boxed_text(&mut screen, 30, 5));
}

#[test]
fn overlay_pages_match_snapshots() {
    let mut screen = screen_after_sample_events(&ferry_prompt(), &sample_view());
    for (name, key) in [("help", '?'), ("sheet", 'c'), ("log", 't'), ("map", 'm')] {
        type_keys(&mut screen, &key.to_string());
        snapshot!(format!("full_page_{name}"), draw_boxed_text(&mut screen, 80, 24));
        press_key(&mut screen, KeyCode::Esc);
        assert!(!screen.has_open_page());
    }
    type_keys(&mut screen, "jx");
    snapshot!("full_page_card", draw_boxed_text(&mut screen, 60, 14));
}

#[test]
fn examining_or_taking_an_unavailable_choice_explains_why() {
    let mut screen = screen_after_sample_events(&ferry_prompt(), &sample_view());
    type_keys(&mut screen, "x");
    press_key(&mut screen, KeyCode::Esc);
    assert_eq!(type_keys(&mut screen, "4"), None);
    assert!(draw_boxed_text(&mut screen, 80, 24).contains("the causeway is under water"));
}

#[test]
fn keys_take_choices() {
    let answer_to_keys = |keys: &[KeyCode]| {
        let mut screen = screen_after_sample_events(&ferry_prompt(), &sample_view());
        keys.iter().map(|key| press_key(&mut screen, *key)).last().flatten()
    };
    assert_eq!(answer_to_keys(&[KeyCode::Char('2')]), choice_answer("ring"));
    assert_eq!(answer_to_keys(&[KeyCode::Down, KeyCode::Enter]), choice_answer("ring"));
    assert_eq!(
        answer_to_keys(&[KeyCode::Char('j'), KeyCode::Char('j'), KeyCode::Enter]),
        choice_answer("wait")
    );
    assert_eq!(answer_to_keys(&[KeyCode::Up, KeyCode::Up, KeyCode::Enter]), choice_answer("wait"));
    assert_eq!(answer_to_keys(&[KeyCode::Char('9')]), None);
    assert_eq!(answer_to_keys(&[KeyCode::Esc]), None);
    assert_eq!(answer_to_keys(&[KeyCode::Char('Q')]), Some(Answer::Leave));
    let mut screen = screen_after_sample_events(&ferry_prompt(), &sample_view());
    let interrupt_key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(screen.press_key(interrupt_key), Some(Answer::Quit));
}

#[test]
fn key_release_and_repeat_do_nothing() {
    let mut screen = screen_after_sample_events(&ferry_prompt(), &sample_view());
    let key_event =
        |kind| KeyEvent { kind, ..KeyEvent::new(KeyCode::Char('2'), KeyModifiers::NONE) };
    assert_eq!(screen.press_key(key_event(KeyEventKind::Release)), None);
    assert_eq!(screen.press_key(key_event(KeyEventKind::Repeat)), None);
    assert_eq!(screen.press_key(key_event(KeyEventKind::Press)), choice_answer("ring"));
}

#[test]
fn each_of_25_choices_has_a_key_that_acts_at_once() {
    let mut prompt = Prompt { choices: Vec::new(), ..ferry_prompt() };
    prompt.choices.extend((1..=25).map(|n| choice(&format!("s{n}"), &format!("Stone {n}"))));
    let answer_to_keys =
        |keys: &str| type_keys(&mut screen_after_sample_events(&prompt, &View::default()), keys);
    for (key, id) in [("1", "s1"), ("9", "s9"), ("a", "s10"), ("z", "s24"), ("A", "s25")] {
        assert_eq!(answer_to_keys(key), choice_answer(id), "{key}");
    }
    // The key of the way back.
    assert_eq!(answer_to_keys("0"), None);
    let mut long_list_screen = screen_after_sample_events(&prompt, &View::default());
    snapshot!("full_many_choices", draw_boxed_text(&mut long_list_screen, 80, 24));
}

#[test]
fn marked_choices_are_submitted_with_enter() {
    let mut screen = screen_after_sample_events(&cargo_prompt(), &sample_view());
    assert_eq!(type_keys(&mut screen, "31"), None);
    snapshot!("full_several", draw_boxed_text(&mut screen, 80, 24));
    let marked_choices = Input::Choices(vec!["oil".to_owned(), "letters".to_owned()]);
    assert_eq!(
        press_key(&mut screen, KeyCode::Enter),
        Some(Answer::Input(accepted(marked_choices)))
    );
    type_keys(&mut screen, "2");
    assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
    assert!(draw_boxed_text(&mut screen, 80, 24).contains("3 chosen; 0 to 2 are expected"));
}

#[test]
fn a_number_is_set_by_digits_or_arrows() {
    let ask = AnswerType::Number { min: 1, max: 9, default: 5 };
    let mut screen =
        screen_after_sample_events(&sample_prompt(ask, "How many strokes?"), &sample_view());
    press_key(&mut screen, KeyCode::Up);
    snapshot!("full_number", draw_boxed_text(&mut screen, 80, 24));
    assert_eq!(
        press_key(&mut screen, KeyCode::Enter),
        Some(Answer::Input(accepted(Input::Number(6))))
    );
    press_key(&mut screen, KeyCode::Backspace);
    type_keys(&mut screen, "42");
    assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
    assert!(draw_boxed_text(&mut screen, 80, 24).contains("42 is outside 1 to 9"));
}

#[test]
fn a_text_field_accepts_command_letters() {
    let ask = AnswerType::Text { max_length: 12, default: "nobody".to_owned() };
    let mut screen = screen_after_sample_events(&sample_prompt(ask, "Your name?"), &sample_view());
    type_keys(&mut screen, "Queen? jm");
    snapshot!("full_text", draw_boxed_text(&mut screen, 80, 24));
    let name = Input::Text("Queen? jm".to_owned());
    assert_eq!(press_key(&mut screen, KeyCode::Enter), Some(Answer::Input(accepted(name))));
}

/// The crossing again, after an answer whose output is longer than the window.
fn drawn_screen(prompt: &Prompt) -> Screen {
    let mut screen = screen_after_sample_events(prompt, &sample_view());
    draw_boxed_text(&mut screen, 80, 24);
    screen
}

fn screen_with_long_output() -> Screen {
    let mut screen = screen_after_sample_events(&ferry_prompt(), &sample_view());
    press_key(&mut screen, KeyCode::Enter);
    let events: Vec<StoryEvent> = (1..=30).map(|n| say_event(&format!("Wave {n}."))).collect();
    screen.add_events(&events);
    screen.show_prompt(&ferry_prompt(), &sample_view());
    screen
}

#[test]
fn overflowing_story_is_marked_and_can_be_scrolled() {
    let mut screen = screen_with_long_output();
    let first_page = draw_boxed_text(&mut screen, 80, 24);
    // The answer is remembered, and its line gives way to its output.
    assert!(
        !first_page.contains("> Row for the far lamp") && first_page.contains("Wave 1."),
        "{first_page}"
    );
    assert!(first_page.contains("more below: Enter reads on"), "{first_page}");
    (0..4).for_each(|_| drop(press_key(&mut screen, KeyCode::Char(' '))));
    let last_page = draw_boxed_text(&mut screen, 80, 24);
    assert!(last_page.contains("Wave 30.") && !last_page.contains("more below"), "{last_page}");
    (0..40).for_each(|_| drop(press_key(&mut screen, KeyCode::PageUp)));
    draw_boxed_text(&mut screen, 80, 24);
    let top_page = draw_boxed_text(&mut screen, 80, 24);
    assert!(top_page.contains("The slip"), "{top_page}");
}

#[test]
fn an_extra_enter_while_reading_rolls_no_dice() {
    let mut screen = screen_with_long_output();
    while draw_boxed_text(&mut screen, 80, 24).contains("reads on") {
        assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
    }
    assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
    assert!(
        draw_boxed_text(&mut screen, 80, 24)
            .contains("Press Enter again to roll the dice for: Row")
    );
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("row"));
    // Without new text Enter does not answer either. A deliberate move of the focus counts, and so
    // does one away and back.
    let mut screen = drawn_screen(&ferry_prompt());
    assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
    let mut screen = drawn_screen(&ferry_prompt());
    press_key(&mut screen, KeyCode::Down);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("ring"));
    press_key(&mut screen, KeyCode::Up);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("row"));
}

#[test]
fn an_extra_enter_while_reading_takes_no_choice() {
    let screen_after_reading = |choices: &[&str]| {
        let mut prompt = ferry_prompt();
        prompt.choices = choices.iter().map(|id| choice(id, id)).collect();
        let mut screen = screen_with_long_output();
        screen.show_prompt(&prompt, &sample_view());
        let mut press_count = 0;
        while draw_boxed_text(&mut screen, 80, 24).contains("reads on") {
            assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
            press_count += 1;
        }
        assert!(press_count > 0);
        screen
    };
    let mut screen = screen_after_reading(&["arm", "ear"]);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
    assert!(draw_boxed_text(&mut screen, 80, 24).contains("Press Enter again to take: arm."));
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("arm"));
    // A deliberate focus counts, and a single choice is taken at once.
    let mut screen = screen_after_reading(&["arm", "ear"]);
    press_key(&mut screen, KeyCode::Down);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("ear"));
    assert_eq!(press_key(&mut screen_after_reading(&["on"]), KeyCode::Enter), choice_answer("on"));
}

#[test]
fn enter_after_a_choice_key_needs_a_second_press() {
    let prompt_with_choices = |choices: &[&str]| Prompt {
        choices: choices.iter().map(|id| choice(id, id)).collect(),
        scene: format!("ferry:{}", choices.concat()),
        ..ferry_prompt()
    };
    let mut screen = drawn_screen(&prompt_with_choices(&["arm", "ear"]));
    assert_eq!(press_key(&mut screen, KeyCode::Char('2')), choice_answer("ear"));
    screen.show_prompt(&prompt_with_choices(&["oil", "rope"]), &sample_view());
    assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
    assert!(draw_boxed_text(&mut screen, 80, 24).contains("Press Enter again to take: oil."));
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("oil"));
    // Now Enter answers.
    screen.show_prompt(&prompt_with_choices(&["tar", "bread"]), &sample_view());
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("tar"));
}

#[test]
fn a_choice_row_shows_as_much_detail_as_fits() {
    let prompt = Prompt { repeats: true, ..ferry_prompt() };
    let page = draw_boxed_text(&mut drawn_screen(&prompt), 80, 20);
    assert!(page.contains("The current takes what you do not; d20 + ARM 7"), "{page}");
}

#[test]
fn enter_needs_a_second_press_once_if_a_back_choice_exists() {
    let mut prompt = ferry_prompt();
    prompt.choices = ["oil", "bread", "enough"].map(|id| choice(id, id)).into();
    prompt.choices[2].is_back_choice = true;
    let mut screen = drawn_screen(&prompt);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("oil"));
    // The same key again is deliberate, and later keys are not.
    screen.show_prompt(&prompt, &sample_view());
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("oil"));
    prompt.choices[0].id = "lamp".to_owned();
    screen.show_prompt(&prompt, &sample_view());
    assert_eq!(press_key(&mut screen, KeyCode::Enter), None);
    press_key(&mut screen, KeyCode::End);
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("enough"));
}

#[test]
fn the_reason_for_a_disabled_key_is_shown_in_full() {
    let mut prompt = ferry_prompt();
    let reason = "a rope over the rail, somebody who knows the ferry, and an hour of light, \
               of which there is none left today that anybody would trust their feet to; come back"
        .to_owned();
    prompt.choices[3].disabled_because = Some(reason);
    let extra_choices = (0..6).map(|number| choice(&format!("more{number}"), "Look about"));
    prompt.choices.extend(extra_choices);
    let mut screen = drawn_screen(&prompt);
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(!page.contains("come back"), "{page}");
    // The question is not in sight yet.
    assert_eq!(press_key(&mut screen, KeyCode::Char('4')), None);
    drop(draw_frame(&mut screen, 80, 24));
    assert_eq!(press_key(&mut screen, KeyCode::Char('4')), None);
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(page.contains("come back."), "{page}");
}

#[test]
fn console_output_is_visible_above_unread_text() {
    let mut screen = screen_after_sample_events(&ferry_prompt(), &sample_view());
    press_key(&mut screen, KeyCode::Enter);
    screen.add_events(&(1..=30).map(|n| say_event(&format!("Wave {n}."))).collect::<Vec<_>>());
    screen.set_console(true);
    screen.show_prompt(&ferry_prompt(), &sample_view());
    assert!(!draw_boxed_text(&mut screen, 80, 24).contains("Wave 30."));
    type_keys(&mut screen, ":state.q");
    press_key(&mut screen, KeyCode::Enter);
    screen.add_events(&[say_event("state.q is 12")]);
    screen.show_prompt(&ferry_prompt(), &sample_view());
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(page.contains("state.q is 12") && !page.contains("more below"), "{page}");
}

#[test]
fn a_problem_is_shown_in_the_story() {
    let mut screen = screen_after_sample_events(&ferry_prompt(), &sample_view());
    screen.add_problem(
        &Problem::error(base::Code::StateWrongValue, "warmth is a text").expected("a number"),
    );
    assert!(
        draw_boxed_text(&mut screen, 100, 40)
            .contains("error[state-wrong-value]: warmth is a text")
    );
}

#[test]
fn every_window_size_can_be_drawn_with_each_page_open() {
    let text_answer = AnswerType::Text { max_length: 200, default: "a name".repeat(20) };
    let prompts = [
        ferry_prompt(),
        cargo_prompt(),
        sample_prompt(AnswerType::Number { min: 0, max: 3, default: 1 }, "n"),
        sample_prompt(text_answer, &"Long question. ".repeat(60)),
    ];
    for prompt in &prompts {
        for page in [None, Some('?'), Some('c'), Some('m'), Some('t')] {
            let mut screen = screen_after_sample_events(prompt, &sample_view());
            if let Some(key) = page {
                type_keys(&mut screen, &key.to_string());
            }
            for columns in 1..=130 {
                for rows in 1..=45 {
                    // Every size near the edges, and a sample of the others.
                    if columns <= 42 || columns % 13 == 0 || rows <= 13 && columns % 5 == 0 {
                        draw_frame(&mut screen, columns, rows);
                    }
                }
            }
        }
    }
}

#[test]
fn random_keys_at_random_sizes_do_not_panic() {
    let mut random = RandomSource::from_seed(1);
    let text_answer = AnswerType::Text { max_length: 8, default: String::new() };
    let prompts = [
        ferry_prompt(),
        cargo_prompt(),
        sample_prompt(AnswerType::Number { min: -5, max: 3, default: 1 }, "n"),
        sample_prompt(text_answer, "t"),
        sample_prompt(AnswerType::SingleChoice, "nothing can be chosen"),
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
    let mut screen = screen_after_sample_events(&prompts[0], &sample_view());
    for _ in 0..20_000 {
        let code = match random.next_below(3) {
            0 => keys[random.next_below(keys.len() as u64) as usize],
            _ => KeyCode::Char(char::from_u32(32 + random.next_below(95) as u32).unwrap()),
        };
        if let Some(Answer::Input(_)) = press_key(&mut screen, code) {
            screen.add_events(&sample_events()[..random.next_below(4) as usize]);
            screen.show_prompt(
                &prompts[random.next_below(prompts.len() as u64) as usize],
                &sample_view(),
            );
        }
        if random.next_below(400) == 0 {
            screen.begin_story(
                &sample_events().into_iter().map(StoryEntry::Event).collect::<Vec<_>>(),
            );
        }
        if random.next_below(8) == 0 {
            draw_frame(
                &mut screen,
                1 + random.next_below(130) as u16,
                1 + random.next_below(45) as u16,
            );
        }
    }
}

#[test]
fn no_hostile_text_reaches_the_frame() {
    let hostile_text = "\u{1b}[2J\u{9b}31m\u{202e}ab\u{0}\r\u{8}\u{200b}\u{e0041}";
    let mut prompt = ferry_prompt();
    for choice in &mut prompt.choices {
        choice.label = hostile_text.to_owned();
        choice.note = hostile_text.to_owned();
        choice.cost = hostile_text.to_owned();
        choice.disabled_because = choice.disabled_because.as_ref().map(|_| hostile_text.to_owned());
        choice.odds = choice.odds.as_ref().map(|_| odds_of_cases(hostile_text, &[1, 2, 3]));
        choice.card = choice.card.as_ref().map(|card| protocol::view::Card {
            text: hostile_text.to_owned(),
            lines: vec![hostile_text.to_owned()],
            ..card.clone()
        });
    }
    prompt.text = hostile_text.to_owned();
    let json = serde_json::to_string(&sample_view()).unwrap();
    let hostile_json = hostile_text.chars().map(|c| format!("\\u{:04x}", u32::from(c).min(0xffff)));
    let json =
        json.replace("Carried", &hostile_json.collect::<String>()).replace("ARM", "A\\u001bM");
    let view: View = serde_json::from_str(&json).unwrap();
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    screen.add_events(&[
        say_event(hostile_text),
        StoryEvent::Heading { text: hostile_text.to_owned() },
    ]);
    screen.add_problem(&Problem::error(base::Code::BadText, hostile_text));
    screen.show_prompt(&prompt, &view);
    for keys in ["", "c", "?", "m", "t", "jx"] {
        type_keys(&mut screen, keys);
        let page = draw_boxed_text(&mut screen, 80, 24);
        assert!(page.chars().all(text::is_printable), "{page:?}");
        press_key(&mut screen, KeyCode::Esc);
    }
}

#[test]
fn the_help_names_every_key_of_the_key_line() {
    for prompt in [
        ferry_prompt(),
        cargo_prompt(),
        sample_prompt(AnswerType::Number { min: 1, max: 3, default: 2 }, ""),
    ] {
        let mut screen = screen_after_sample_events(&prompt, &sample_view());
        let key_line = draw_boxed_text(&mut screen, 200, 24);
        let keys = key_line.lines().last().unwrap().trim_matches(['|', ' ']).to_owned();
        type_keys(&mut screen, "?");
        let help = draw_boxed_text(&mut screen, 200, 24);
        for hint in keys.split("  ").map(str::trim).filter(|hint| !hint.is_empty()) {
            let (key, action) = hint.split_once(' ').unwrap();
            let contains_key = |line: &str| key.split('/').all(|key| line.contains(key));
            let is_in_help = help.lines().any(|line| contains_key(line) && line.contains(action));
            assert!(is_in_help, "{hint} is not in the help:\n{help}");
        }
    }
}

#[test]
fn a_prompt_interrupted_by_reload_keeps_its_focus() {
    let mut screen = screen_after_sample_events(&ferry_prompt(), &sample_view());
    press_key(&mut screen, KeyCode::Down);
    let before = draw_boxed_text(&mut screen, 80, 24);
    assert_eq!(type_keys(&mut screen, "R"), Some(Answer::Reload));
    screen.show_prompt(&ferry_prompt(), &sample_view());
    assert_eq!(draw_boxed_text(&mut screen, 80, 24), before);
    screen.set_stale_mods_reason(Some("well/play/well.luau:3"));
    let stale_page = draw_boxed_text(&mut screen, 80, 24);
    assert!(
        stale_page.lines().next().unwrap().contains("[stale: well/play/well.luau:3]"),
        "{stale_page}"
    );
    screen.set_stale_mods_reason(None);
    assert_eq!(draw_boxed_text(&mut screen, 80, 24), before);
}

#[test]
fn a_colon_opens_the_console_if_enabled() {
    let mut screen = screen_after_sample_events(&ferry_prompt(), &sample_view());
    assert_eq!(type_keys(&mut screen, ":x"), None);
    press_key(&mut screen, KeyCode::Esc);
    screen.set_console(true);
    assert_eq!(type_keys(&mut screen, ":state.q = 12"), None);
    press_key(&mut screen, KeyCode::Backspace);
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(page.lines().last().unwrap().starts_with("|:state.q = 1_"), "{page}");
    assert_eq!(
        press_key(&mut screen, KeyCode::Enter),
        Some(Answer::ConsoleLine("state.q = 1".to_owned()))
    );
    type_keys(&mut screen, ":");
    press_key(&mut screen, KeyCode::Esc);
    assert_ne!(type_keys(&mut screen, "1"), None, "the keys choose again");
}

#[test]
fn rolls_are_marks_in_their_sentences_until_they_are_opened() {
    let mut screen = drawn_screen(&ferry_prompt());
    let text = draw_boxed_text(&mut screen, 80, 30);
    assert!(text.contains("[d20 14+7, 21 vs 16: full]") && !text.contains("* row"), "{text}");
    press_key(&mut screen, KeyCode::Char('*'));
    let text = draw_boxed_text(&mut screen, 80, 30);
    assert!(text.contains("* row: d20 14 + ARM 7 = 21 against 16") && !text.contains("[d20"));
    press_key(&mut screen, KeyCode::Char('*'));
    // The log has them in full.
    press_key(&mut screen, KeyCode::Char('t'));
    let log = draw_boxed_text(&mut screen, 80, 30);
    assert!(log.contains("* row: d20 14 + ARM 7 = 21 against 16"), "{log}");
}

#[test]
fn a_long_story_is_read_before_its_question_opens() {
    let mut screen = screen_with_long_output();
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(page.contains("reads on") && !page.contains("Row for the far lamp"), "{page}");
    let mut press_count = 0;
    while draw_boxed_text(&mut screen, 80, 24).contains("reads on") {
        assert_eq!(press_key(&mut screen, KeyCode::Char(' ')), None);
        press_count += 1;
    }
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(page.contains("Row for the far lamp") && press_count > 0, "{page}");
}

#[test]
fn a_choice_key_first_opens_the_question_that_is_not_in_sight() {
    let mut screen = screen_with_long_output();
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(page.contains("reads on"), "{page}");
    assert_eq!(type_keys(&mut screen, "1"), None, "nothing is taken unseen");
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(page.contains("Row for the far lamp"), "{page}");
    assert_eq!(type_keys(&mut screen, "1"), choice_answer("row"));
}

#[test]
fn whoever_moves_the_focus_sees_all_details() {
    let mut prompt = ferry_prompt();
    prompt.choices[1].note = format!("{}and one bell at worst.", "It may ring. ".repeat(14));
    let mut screen = screen_after_sample_events(&prompt, &sample_view());
    assert!(!draw_boxed_text(&mut screen, 80, 24).contains("and one bell at worst"));
    press_key(&mut screen, KeyCode::Down);
    let page = draw_boxed_text(&mut screen, 80, 24);
    assert!(page.contains("and one bell at worst"), "{page}");
}
