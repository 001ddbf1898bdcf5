//! Key bindings: a player's own, conflicts among them, and a help that matches them.

use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ui::full_screen::{KeyAction, Keymap, Palette, Screen, Theme};

use super::sample::*;
use ui::terms::ExplainedTerm;

fn screen_with_keymap(keymap: Keymap) -> Screen {
    let mut screen = Screen::new(Theme::from_palette(Palette::None)).with_keymap(keymap);
    screen.add_events(&sample_events());
    screen.show_prompt(&ferry_prompt(), &sample_view());
    screen
}

fn draw_text(screen: &mut Screen) -> String {
    frame_rows(&draw_frame(screen, 100, 40)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_key_file_binds_keys_and_the_help_lists_them() {
    let (keymap, problems) =
        Keymap::parse("down = [\"s\", \"Tab\"]\nexamine = \"F5\"\n", "keys.toml");
    assert!(problems.is_empty(), "{problems:?}");
    let mut screen = screen_with_keymap(keymap);
    assert_eq!(press_key(&mut screen, KeyCode::Char('j')), None);
    press_key(&mut screen, KeyCode::Char('s'));
    assert_eq!(press_key(&mut screen, KeyCode::Enter), choice_answer("ring"));
    press_key(&mut screen, KeyCode::Char('?'));
    let help = draw_text(&mut screen);
    assert!(help.contains("s, Tab") && help.contains("F5"), "{help}");
    press_key(&mut screen, KeyCode::Esc);
    press_key(&mut screen, KeyCode::F(5));
    assert!(screen.has_open_page());
}

#[test]
fn key_file_mistakes_are_reported_with_their_line() {
    let toml = "# mine\nup = \"w\"\ndown = [\"w\", \"s\"]\nlook = \"l\"\nlog = \"5\"\nhelp = \"Pause\"\nsheet = \"Q\"\n";
    let (keymap, problems) = Keymap::parse(toml, "keys.toml");
    let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
    snapshot!("keys_problems", messages.join("\n"));
    // Everything valid is applied.
    assert_eq!(keymap.action_of_key(KeyCode::Char('w')), Some(KeyAction::Up));
    assert_eq!(keymap.action_of_key(KeyCode::Char('s')), Some(KeyAction::Down));
    assert_eq!(keymap.action_of_key(KeyCode::Char('t')), Some(KeyAction::Log));
    let (_, problems) = Keymap::parse("down = [\n", "keys.toml");
    assert_eq!(problems.len(), 1);
}

#[test]
fn the_help_key_leads_on_to_the_terms_of_the_focused_choice_and_the_screen_first() {
    let mut screen = screen_with_keymap(Keymap::default());
    let term = |names: &str| ExplainedTerm { names: names.to_owned(), meaning: "it is".to_owned() };
    let last_word_of_choice = |index: usize| {
        let label = ferry_prompt().choices[index].label.clone();
        label.split(' ').next_back().unwrap().to_uppercase()
    };
    let (focused, visible) = (last_word_of_choice(0), last_word_of_choice(1));
    let names = [format!("yak, {visible}"), format!("zebra, {focused}")];
    screen.set_terms(vec![term("aardvark"), term(&names[0]), term(&names[1])]);
    press_key(&mut screen, KeyCode::Char('?'));
    assert!(draw_text(&mut screen).contains("what the terms mean"));
    press_key(&mut screen, KeyCode::Char('?'));
    let page = draw_text(&mut screen);
    let place = |name: &str| page.find(name).unwrap_or_else(|| panic!("{name}: {page}"));
    let order = ["In the focused choice", "zebra", "On this screen", "yak", "Others", "aardvark"];
    assert!(order.map(place).is_sorted(), "{page}");
    press_key(&mut screen, KeyCode::Esc);
    assert!(!screen.has_open_page());
}

#[test]
fn the_help_lists_every_key_with_an_effect() {
    let mut screen = screen_with_keymap(Keymap::default());
    press_key(&mut screen, KeyCode::Char('?'));
    let help = draw_text(&mut screen);
    press_key(&mut screen, KeyCode::Esc);
    for code in (33..127).map(|c| KeyCode::Char(char::from(c))) {
        let KeyCode::Char(letter) = code else { continue };
        if letter.is_ascii_digit() {
            continue;
        }
        // A key without effect is reported once.
        press_key(&mut screen, KeyCode::Char('!'));
        press_key(&mut screen, KeyCode::Esc);
        let before = draw_text(&mut screen);
        let answer = press_key(&mut screen, code);
        let after = draw_text(&mut screen);
        // An action that was refused with an explanation is not reported either.
        let refusal_texts = ["No choice here leads to a place.", "Only answers of a practice run"];
        let has_effect = answer.is_some()
            || after != before && !refusal_texts.iter().any(|refusal| after.contains(refusal));
        let help_keys = help.lines().skip(1).filter_map(|line| line.trim().split("  ").next());
        let is_in_help = help_keys
            .flat_map(|help_keys| help_keys.split(", "))
            .any(|key| key == letter.to_string());
        assert!(
            is_in_help || !has_effect,
            "{letter} does something that the help does not tell:\n{help}"
        );
        press_key(&mut screen, KeyCode::Esc);
        press_key(&mut screen, KeyCode::Esc);
        screen.show_prompt(&ferry_prompt(), &sample_view());
    }
}

#[test]
fn a_click_focuses_a_choice_and_a_second_click_takes_it() {
    let mut screen = screen_with_keymap(Keymap::default());
    let page = draw_text(&mut screen);
    let row = page.lines().position(|line| line.contains("2 Ring for")).unwrap() as u16;
    let mouse_event = |kind| MouseEvent { kind, column: 8, row, modifiers: KeyModifiers::NONE };
    let left_click = mouse_event(MouseEventKind::Down(MouseButton::Left));
    assert_eq!(screen.handle_mouse(left_click), None);
    assert!(draw_text(&mut screen).contains("> 2 Ring for"));
    assert_eq!(screen.handle_mouse(left_click), choice_answer("ring"));
    assert_eq!(screen.handle_mouse(mouse_event(MouseEventKind::ScrollUp)), None);
}

#[test]
fn the_log_can_be_searched() {
    let mut screen = screen_with_keymap(Keymap::default());
    let waves: Vec<_> = (1..=200).map(|n| say_event(&format!("Wave {n} breaks."))).collect();
    screen.add_events(&waves);
    for code in "/wave 77".chars().map(KeyCode::Char) {
        press_key(&mut screen, code);
        draw_text(&mut screen);
    }
    press_key(&mut screen, KeyCode::Enter);
    let search_page = draw_text(&mut screen);
    assert!(search_page.contains(">Wave 77 breaks."), "{search_page}");
    press_key(&mut screen, KeyCode::Char('/'));
    for code in "no such thing".chars().map(KeyCode::Char) {
        press_key(&mut screen, code);
    }
    press_key(&mut screen, KeyCode::Enter);
    assert!(draw_text(&mut screen).contains("\"no such thing\" was not found"));
}

#[test]
fn the_examine_key_cycles_through_cards() {
    let mut screen = screen_with_keymap(Keymap::default());
    press_key(&mut screen, KeyCode::Char('x'));
    let card_list = draw_text(&mut screen);
    assert!(
        card_list.contains("Things to examine") && card_list.contains("x examine"),
        "{card_list}"
    );
    press_key(&mut screen, KeyCode::Char('x'));
    let first_card = draw_text(&mut screen);
    assert!(first_card.contains("next (1 of 3)"), "the choice in focus has no card:\n{first_card}");
    press_key(&mut screen, KeyCode::Char('x'));
    assert!(draw_text(&mut screen).contains("(2 of 3)"));
    press_key(&mut screen, KeyCode::Char('x'));
    assert!(draw_text(&mut screen).contains("(3 of 3)"));
    press_key(&mut screen, KeyCode::Esc);
    press_key(&mut screen, KeyCode::Esc);
    press_key(&mut screen, KeyCode::Esc);
    assert!(!draw_text(&mut screen).contains("Things to examine"));
}
