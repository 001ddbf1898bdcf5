//! Key bindings: a player's own, conflicts among them, and a help that matches them.

use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use engine::ui::full::{Action, Keymap, Palette, Screen, Theme};

use super::sample::*;

fn screen(keymap: Keymap) -> Screen {
    let mut screen = Screen::new(Theme::of(Palette::None)).with_keymap(keymap);
    screen.add_events(&sample_events());
    screen.show_prompt(&ferry_prompt(), &sample_view());
    screen
}

fn picture(screen: &mut Screen) -> String {
    rows(&frame(screen, 100, 40)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_file_binds_keys_and_the_help_follows() {
    let (keymap, problems) =
        Keymap::parse("down = [\"s\", \"Tab\"]\nexamine = \"F5\"\n", "keys.toml");
    assert!(problems.is_empty(), "{problems:?}");
    let mut screen = screen(keymap);
    assert_eq!(press(&mut screen, KeyCode::Char('j')), None);
    press(&mut screen, KeyCode::Char('s'));
    assert_eq!(press(&mut screen, KeyCode::Enter), choice_answer("ring"));
    press(&mut screen, KeyCode::Char('?'));
    let help = picture(&mut screen);
    assert!(help.contains("s, Tab") && help.contains("F5"), "{help}");
    press(&mut screen, KeyCode::Esc);
    press(&mut screen, KeyCode::F(5));
    assert!(screen.has_open_page());
}

#[test]
fn what_is_wrong_with_a_key_file_is_told_with_its_line() {
    let page = "# mine\nup = \"w\"\ndown = [\"w\", \"s\"]\nlook = \"l\"\nlog = \"5\"\nhelp = \"Pause\"\nsheet = \"Q\"\n";
    let (keymap, problems) = Keymap::parse(page, "keys.toml");
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    snapshot!("keys_problems", told.join("\n"));
    // Everything valid is applied.
    assert_eq!(keymap.action(KeyCode::Char('w')), Some(Action::Up));
    assert_eq!(keymap.action(KeyCode::Char('s')), Some(Action::Down));
    assert_eq!(keymap.action(KeyCode::Char('t')), Some(Action::Log));
    let (_, problems) = Keymap::parse("down = [\n", "keys.toml");
    assert_eq!(problems.len(), 1);
}

#[test]
fn the_help_lists_exactly_what_keys_do() {
    let mut screen = screen(Keymap::default());
    press(&mut screen, KeyCode::Char('?'));
    let help = picture(&mut screen);
    press(&mut screen, KeyCode::Esc);
    for code in (33..127).map(|c| KeyCode::Char(char::from(c))) {
        let KeyCode::Char(letter) = code else { continue };
        if letter.is_ascii_digit() {
            continue;
        }
        // A key without effect is reported once.
        press(&mut screen, KeyCode::Char('!'));
        press(&mut screen, KeyCode::Esc);
        let before = picture(&mut screen);
        let answer = press(&mut screen, code);
        let after = picture(&mut screen);
        // Nor is a refused action of the kind that explains itself.
        let refused = ["No choice here leads to a place.", "Only answers of a practice run"];
        let moved =
            answer.is_some() || after != before && !refused.iter().any(|why| after.contains(why));
        let keys = help.lines().skip(1).filter_map(|line| line.trim().split("  ").next());
        let told = keys.flat_map(|keys| keys.split(", ")).any(|key| key == letter.to_string());
        assert!(told || !moved, "{letter} does something that the help does not tell:\n{help}");
        press(&mut screen, KeyCode::Esc);
        press(&mut screen, KeyCode::Esc);
        screen.show_prompt(&ferry_prompt(), &sample_view());
    }
}

#[test]
fn a_click_puts_in_focus_and_a_second_one_takes() {
    let mut screen = screen(Keymap::default());
    let drawn = picture(&mut screen);
    let row = drawn.lines().position(|line| line.contains("2 Ring for")).unwrap() as u16;
    let click = |kind| MouseEvent { kind, column: 8, row, modifiers: KeyModifiers::NONE };
    let left = click(MouseEventKind::Down(MouseButton::Left));
    assert_eq!(screen.handle_mouse(left), None);
    assert!(picture(&mut screen).contains("> 2 Ring for"));
    assert_eq!(screen.handle_mouse(left), choice_answer("ring"));
    assert_eq!(screen.handle_mouse(click(MouseEventKind::ScrollUp)), None);
}

#[test]
fn words_are_found_in_the_log() {
    let mut screen = screen(Keymap::default());
    let waves: Vec<_> = (1..=200).map(|n| say(&format!("Wave {n} breaks."))).collect();
    screen.add_events(&waves);
    for code in "/wave 77".chars().map(KeyCode::Char) {
        press(&mut screen, code);
        picture(&mut screen);
    }
    press(&mut screen, KeyCode::Enter);
    let found = picture(&mut screen);
    assert!(found.contains(">Wave 77 breaks."), "{found}");
    press(&mut screen, KeyCode::Char('/'));
    for code in "no such thing".chars().map(KeyCode::Char) {
        press(&mut screen, code);
    }
    press(&mut screen, KeyCode::Enter);
    assert!(picture(&mut screen).contains("\"no such thing\" was not found"));
}

#[test]
fn looking_closely_goes_from_one_thing_to_the_next() {
    let mut screen = screen(Keymap::default());
    press(&mut screen, KeyCode::Char('x'));
    let all = picture(&mut screen);
    assert!(all.contains("Things to examine") && all.contains("x examine"), "{all}");
    press(&mut screen, KeyCode::Char('x'));
    let first = picture(&mut screen);
    assert!(first.contains("next (1 of 3)"), "the choice in focus has no card:\n{first}");
    press(&mut screen, KeyCode::Char('x'));
    assert!(picture(&mut screen).contains("(2 of 3)"));
    press(&mut screen, KeyCode::Char('x'));
    assert!(picture(&mut screen).contains("(3 of 3)"));
    press(&mut screen, KeyCode::Esc);
    press(&mut screen, KeyCode::Esc);
    press(&mut screen, KeyCode::Esc);
    assert!(!picture(&mut screen).contains("Things to examine"));
}
