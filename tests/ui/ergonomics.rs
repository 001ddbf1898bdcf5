//! Ergonomics of the screen: the focus stays where it was, a key goes back, and no scroll sign
//! covers visible text.

use crossterm::event::KeyCode;
use engine::base::Problem;
use engine::protocol::view::{MapEdge, MapNode, PlacedWidget, Widget, WidgetSlot};
use engine::protocol::{Choice, Prompt, View};
use engine::ui::full::{Palette, Screen, Theme};

use super::sample::*;

fn draw_rows(screen: &mut Screen, columns: u16, height: u16) -> Vec<String> {
    rows(&frame(screen, columns, height)).collect()
}

fn screen_with_prompt(prompt: &Prompt) -> Screen {
    let mut screen = Screen::new(Theme::of(Palette::None));
    screen.add_events(&sample_events());
    screen.show_prompt(prompt, &sample_view());
    screen
}

#[test]
fn the_same_question_once_more_keeps_the_focus() {
    let mut screen = screen_with_prompt(&ferry_prompt());
    assert_eq!(press(&mut screen, KeyCode::Char('2')), choice_answer("ring"));
    let mut later = ferry_prompt();
    later.choices[1].label = "Ring once more".to_owned();
    screen.show_prompt(&later, &sample_view());
    assert_eq!(screen.focused_id(), Some("ring"));
    // A choice disabled since then does not hold the focus, and neither does another prompt.
    later.choices[1].disabled_because = Some("the rope is down".to_owned());
    screen.show_prompt(&later, &sample_view());
    assert_eq!(screen.focused_id(), Some("row"));
    press(&mut screen, KeyCode::Char('3'));
    screen
        .show_prompt(&Prompt { scene: "ferry:other".to_owned(), ..ferry_prompt() }, &sample_view());
    assert_eq!(screen.focused_id(), Some("row"));
}

#[test]
fn esc_leads_back_from_the_questions_of_the_host_and_answers_no_other() {
    let with_back = |scene: &str| {
        let mut prompt = Prompt { scene: scene.to_owned(), ..ferry_prompt() };
        prompt.choices.push(choice("back", "Back"));
        prompt
    };
    let mut screen = screen_with_prompt(&with_back("host:settings"));
    let keys = draw_rows(&mut screen, 80, 24).pop().unwrap();
    assert!(keys.contains("Esc back"), "{keys}");
    assert_eq!(press(&mut screen, KeyCode::Esc), choice_answer("back"));
    for scene in ["host:title", "ferry:crossing"] {
        let prompt = if scene == "host:title" {
            Prompt { scene: scene.to_owned(), ..ferry_prompt() }
        } else {
            with_back(scene)
        };
        let mut screen = screen_with_prompt(&prompt);
        assert_eq!(press(&mut screen, KeyCode::Esc), None, "{scene}");
        assert!(!draw_rows(&mut screen, 80, 24).pop().unwrap().contains("Esc back"), "{scene}");
    }
}

#[test]
fn a_sign_of_what_is_out_of_sight_covers_no_odds() {
    let mut prompt = ferry_prompt();
    let row = prompt.choices[0].clone();
    prompt.choices = (1..=6)
        .map(|at| Choice { id: format!("row{at}"), label: format!("Row {at}"), ..row.clone() })
        .collect();
    for (columns, height) in [(40, 12), (48, 12), (64, 14)] {
        let mut screen = screen_with_prompt(&prompt);
        for step in 0..6 {
            let drawn = draw_rows(&mut screen, columns, height);
            let text = drawn.join("\n");
            let of = |line: &&String| line.contains(" Row ") && !line.contains("lamp");
            let in_sight: Vec<&String> = drawn.iter().filter(of).collect();
            assert!(in_sight.len() >= 3, "{text}");
            assert!(in_sight.iter().all(|line| line.contains("30  25  40   5%")), "{text}");
            let signs = ["below", "above"].iter().any(|sign| text.contains(sign));
            assert!(in_sight.len() == 6 || signs, "{columns}x{height}, {step}:\n{text}");
            press(&mut screen, KeyCode::Down);
        }
    }
}

#[test]
fn pages_in_small_windows_cut_nothing_off() {
    let mut screen = screen_with_prompt(&ferry_prompt());
    press(&mut screen, KeyCode::Char('?'));
    let mut read = String::new();
    for _ in 0..40 {
        let drawn = draw_rows(&mut screen, 40, 12);
        assert!(!drawn.concat().contains('…'), "{}", drawn.join("\n"));
        read.push_str(drawn[10].trim());
        read.push(' ');
        press(&mut screen, KeyCode::Down);
    }
    let words = read.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("scroll the story"), "{words}");
    for key in ['t', 'c', 'm'] {
        let mut screen = screen_with_prompt(&ferry_prompt());
        screen.add_events(&(1..90).map(|n| say(&format!("Wave {n}."))).collect::<Vec<_>>());
        press(&mut screen, KeyCode::Char(key));
        let foot = draw_rows(&mut screen, 40, 12).pop().unwrap();
        assert!(foot.contains("Esc back") && !foot.contains('…'), "{foot}");
    }
}

#[test]
fn names_on_the_page_of_the_map_are_whole() {
    let long = "a door behind which somebody is putting out one lamp after another, singing";
    let node = |id: &str, label: &str, here| MapNode {
        id: id.to_owned(),
        label: label.to_owned(),
        here,
        seen: here,
        ..MapNode::default()
    };
    let edge = |to: &str| MapEdge { from: "a".to_owned(), to: to.to_owned() };
    let map = Widget::Map {
        label: "Chart".to_owned(),
        nodes: vec![node("a", "Here", true), node("b", long, false), node("c", long, false)],
        edges: vec![edge("b"), edge("c")],
    };
    let view = View {
        title: "A house".to_owned(),
        widgets: vec![PlacedWidget { slot: WidgetSlot::Optional, widget: map }],
    };
    for columns in [40, 64, 80, 120] {
        let mut screen = Screen::new(Theme::of(Palette::None));
        screen.show_prompt(&ferry_prompt(), &view);
        press(&mut screen, KeyCode::Char('m'));
        let drawn = draw_rows(&mut screen, columns, 40);
        let text = drawn.join("\n");
        assert!(!text.contains('…'), "{text}");
        for word in long.split(' ') {
            assert!(text.matches(word).count() >= 2, "{word} at {columns}:\n{text}");
        }
    }
}

#[test]
fn odds_stand_near_what_they_are_the_odds_of() {
    let mut screen = screen_with_prompt(&ferry_prompt());
    let drawn = draw_rows(&mut screen, 300, 100);
    let row = drawn.iter().rfind(|line| line.contains("Row for the far lamp")).unwrap();
    assert!(row.trim_end().chars().count() <= 132, "{row}");
    assert!(row.contains("30  25  40   5%"), "{row}");
}

/// A note that needs its own row beside the reason why a choice is disabled.
const LONG: &str = "32 vigour; blows lose 1; a steady breath returns 2; and so it goes";

#[test]
fn why_a_choice_is_disabled_takes_no_row_from_the_others() {
    let closed = |at: usize| Choice {
        disabled_because: Some("no points are left; lower another".to_owned()),
        note: if at == 1 { LONG.to_owned() } else { "strikes deal 5".to_owned() },
        ..choice(&format!("up{at}"), &format!("Arm {at}"))
    };
    let mut prompt = Prompt { choices: vec![choice("done", "Step in")], ..ferry_prompt() };
    prompt.choices.extend((0..11).map(closed));
    let mut screen = screen_with_prompt(&prompt);
    press(&mut screen, KeyCode::Down);
    let text = draw_rows(&mut screen, 80, 24).join("\n");
    // One below the other, with every reason in full.
    assert_eq!(text.matches("closed: no points are left; lower another").count(), 11, "{text}");
    let detail = "Closed: no points are left; lower another; strikes deal 5";
    assert!(text.contains(detail), "{text}");
}

#[test]
fn what_went_wrong_before_the_first_question_is_seen_at_it() {
    let mut screen = Screen::new(Theme::of(Palette::None));
    screen
        .add_problem(&Problem::error(engine::base::Code::KeyConflict, "s is bound to two actions"));
    screen.begin_story(&[]);
    screen.add_events(&sample_events());
    screen.show_prompt(&ferry_prompt(), &sample_view());
    let text = draw_rows(&mut screen, 80, 24).join("\n");
    assert!(text.contains("s is bound to two actions") && text.contains("more below"), "{text}");
    // Seen once, it disappears with its story.
    screen.begin_story(&[]);
    screen.add_events(&sample_events());
    screen.show_prompt(&ferry_prompt(), &sample_view());
    assert!(!draw_rows(&mut screen, 80, 60).join("\n").contains("two actions"));
}
