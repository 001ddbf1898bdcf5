//! Ergonomics of the screen: the focus stays where it was, a key goes back, and no scroll sign
//! covers visible text.

use base::Problem;
use crossterm::event::KeyCode;
use protocol::view::{MapEdge, MapNode, PlacedWidget, Widget, WidgetSlot};
use protocol::{Choice, Prompt, View};
use ui::full_screen::{Palette, Screen, Theme};

use super::sample::*;

fn draw_rows(screen: &mut Screen, columns: u16, height: u16) -> Vec<String> {
    frame_rows(&draw_frame(screen, columns, height)).collect()
}

fn screen_with_prompt(prompt: &Prompt) -> Screen {
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    screen.add_events(&sample_events());
    screen.show_prompt(prompt, &sample_view());
    screen
}

#[test]
fn a_repeated_prompt_keeps_its_focus() {
    let mut screen = screen_with_prompt(&ferry_prompt());
    assert_eq!(press_key(&mut screen, KeyCode::Char('2')), choice_answer("ring"));
    let mut repeated_prompt = ferry_prompt();
    repeated_prompt.choices[1].label = "Ring once more".to_owned();
    screen.show_prompt(&repeated_prompt, &sample_view());
    assert_eq!(screen.focused_id(), Some("ring"));
    // A choice disabled since then does not hold the focus, and neither does another prompt.
    repeated_prompt.choices[1].disabled_because = Some("the rope is down".to_owned());
    screen.show_prompt(&repeated_prompt, &sample_view());
    assert_eq!(screen.focused_id(), Some("row"));
    press_key(&mut screen, KeyCode::Char('3'));
    screen
        .show_prompt(&Prompt { scene: "ferry:other".to_owned(), ..ferry_prompt() }, &sample_view());
    assert_eq!(screen.focused_id(), Some("row"));
}

#[test]
fn esc_goes_back_from_host_prompts_only() {
    let prompt_with_back = |scene: &str| {
        let mut prompt = Prompt { scene: scene.to_owned(), ..ferry_prompt() };
        prompt.choices.push(choice("back", "Back"));
        prompt
    };
    let mut screen = screen_with_prompt(&prompt_with_back("host:settings"));
    let key_line = draw_rows(&mut screen, 80, 24).pop().unwrap();
    assert!(key_line.contains("Esc back"), "{key_line}");
    assert_eq!(press_key(&mut screen, KeyCode::Esc), choice_answer("back"));
    for scene in ["host:title", "ferry:crossing"] {
        let prompt = if scene == "host:title" {
            Prompt { scene: scene.to_owned(), ..ferry_prompt() }
        } else {
            prompt_with_back(scene)
        };
        let mut screen = screen_with_prompt(&prompt);
        assert_eq!(press_key(&mut screen, KeyCode::Esc), None, "{scene}");
        assert!(!draw_rows(&mut screen, 80, 24).pop().unwrap().contains("Esc back"), "{scene}");
    }
}

#[test]
fn scroll_markers_do_not_cover_odds() {
    let mut prompt = ferry_prompt();
    let row = prompt.choices[0].clone();
    prompt.choices = (1..=6)
        .map(|number| Choice {
            id: format!("row{number}"),
            label: format!("Row {number}"),
            ..row.clone()
        })
        .collect();
    for (columns, height) in [(40, 12), (48, 12), (64, 14)] {
        let mut screen = screen_with_prompt(&prompt);
        while draw_rows(&mut screen, columns, height).join("\n").contains("reads on") {
            press_key(&mut screen, KeyCode::PageDown);
        }
        for step in 0..6 {
            let rows_drawn = draw_rows(&mut screen, columns, height);
            let text = rows_drawn.join("\n");
            let is_choice_row = |line: &&String| line.contains(" Row ") && !line.contains("lamp");
            let visible_rows: Vec<&String> = rows_drawn.iter().filter(is_choice_row).collect();
            assert!(visible_rows.len() >= 3, "{text}");
            assert!(visible_rows.iter().all(|line| line.contains("30  25  40   5%")), "{text}");
            let has_scroll_marker = ["below", "above"].iter().any(|marker| text.contains(marker));
            assert!(
                visible_rows.len() == 6 || has_scroll_marker,
                "{columns}x{height}, {step}:\n{text}"
            );
            press_key(&mut screen, KeyCode::Down);
        }
    }
}

#[test]
fn pages_in_small_windows_cut_no_text() {
    let mut screen = screen_with_prompt(&ferry_prompt());
    press_key(&mut screen, KeyCode::Char('?'));
    let mut text_read = String::new();
    for _ in 0..40 {
        let rows_drawn = draw_rows(&mut screen, 40, 12);
        assert!(!rows_drawn.concat().contains('…'), "{}", rows_drawn.join("\n"));
        text_read.push_str(rows_drawn[10].trim());
        text_read.push(' ');
        press_key(&mut screen, KeyCode::Down);
    }
    let words = text_read.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("scroll the story"), "{words}");
    for key in ['t', 'c', 'm'] {
        let mut screen = screen_with_prompt(&ferry_prompt());
        screen.add_events(&(1..90).map(|n| say_event(&format!("Wave {n}."))).collect::<Vec<_>>());
        press_key(&mut screen, KeyCode::Char(key));
        let key_line = draw_rows(&mut screen, 40, 12).pop().unwrap();
        assert!(key_line.contains("Esc back") && !key_line.contains('…'), "{key_line}");
    }
}

#[test]
fn map_page_shows_whole_names() {
    let long_label = "a door behind which somebody is putting out one lamp after another, singing";
    let node = |id: &str, label: &str, is_here| MapNode {
        id: id.to_owned(),
        label: label.to_owned(),
        is_current: is_here,
        is_visited: is_here,
        ..MapNode::default()
    };
    let edge = |to: &str| MapEdge { from: "a".to_owned(), to: to.to_owned() };
    let map = Widget::Map {
        label: "Chart".to_owned(),
        nodes: vec![
            node("a", "Here", true),
            node("b", long_label, false),
            node("c", long_label, false),
        ],
        edges: vec![edge("b"), edge("c")],
    };
    let view = View {
        title: "A house".to_owned(),
        widgets: vec![PlacedWidget { slot: WidgetSlot::Optional, widget: map }],
    };
    for columns in [40, 64, 80, 120] {
        let mut screen = Screen::new(Theme::from_palette(Palette::None));
        screen.show_prompt(&ferry_prompt(), &view);
        press_key(&mut screen, KeyCode::Char('m'));
        let rows_drawn = draw_rows(&mut screen, columns, 40);
        let text = rows_drawn.join("\n");
        assert!(!text.contains('…'), "{text}");
        for word in long_label.split(' ') {
            assert!(text.matches(word).count() >= 2, "{word} at {columns}:\n{text}");
        }
    }
}

#[test]
fn odds_are_drawn_near_their_choice() {
    let mut screen = screen_with_prompt(&ferry_prompt());
    let rows_drawn = draw_rows(&mut screen, 300, 100);
    let row = rows_drawn.iter().rfind(|line| line.contains("Row for the far lamp")).unwrap();
    assert!(row.trim_end().chars().count() <= 132, "{row}");
    assert!(row.contains("30  25  40   5%"), "{row}");
}

/// A note that needs its own row beside the reason why a choice is disabled.
const LONG_NOTE: &str = "32 vigour; blows lose 1; a steady breath returns 2; and so it goes";

#[test]
fn a_disabled_reason_takes_no_row_from_other_choices() {
    let disabled_choice = |number: usize| Choice {
        disabled_because: Some("no points are left; lower another".to_owned()),
        note: if number == 1 { LONG_NOTE.to_owned() } else { "strikes deal 5".to_owned() },
        ..choice(&format!("up{number}"), &format!("Arm {number}"))
    };
    let mut prompt = Prompt { choices: vec![choice("done", "Step in")], ..ferry_prompt() };
    prompt.choices.extend((0..11).map(disabled_choice));
    let mut screen = screen_with_prompt(&prompt);
    press_key(&mut screen, KeyCode::Down);
    let text = draw_rows(&mut screen, 80, 24).join("\n");
    // One below the other, with every reason in full.
    assert_eq!(text.matches("closed: no points are left; lower another").count(), 11, "{text}");
    let detail = "Closed: no points are left; lower another; strikes deal 5";
    assert!(text.contains(detail), "{text}");
}

#[test]
fn a_problem_before_the_first_prompt_is_shown_with_it() {
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    screen.add_problem(&Problem::error(base::Code::KeyConflict, "s is bound to two actions"));
    screen.begin_story(&[]);
    screen.add_events(&[sample_events(), sample_events()].concat());
    screen.show_prompt(&ferry_prompt(), &sample_view());
    let text = draw_rows(&mut screen, 80, 24).join("\n");
    assert!(text.contains("s is bound to two actions") && text.contains("more below"), "{text}");
    // Seen once, it disappears with its story.
    screen.begin_story(&[]);
    screen.add_events(&sample_events());
    screen.show_prompt(&ferry_prompt(), &sample_view());
    assert!(!draw_rows(&mut screen, 80, 60).join("\n").contains("two actions"));
}

#[test]
fn a_long_title_ends_before_the_column_border() {
    for title in ["The slip", "The Counter Under the Counter of One Regiment, Entire, at Skell"] {
        let mut screen = Screen::new(Theme::from_palette(Palette::None));
        let view = View { title: title.to_owned(), ..sample_view() };
        screen.show_prompt(&ferry_prompt(), &view);
        let rows_drawn = draw_rows(&mut screen, 80, 24);
        let border_column = rows_drawn[1].chars().position(|sign| sign == '│').unwrap();
        assert_eq!(rows_drawn[0].chars().nth(border_column), Some('┬'), "{}", rows_drawn[0]);
    }
}

/// A row without odds shows its note also in a list with odds. In a round only one that must be
/// confirmed does.
#[test]
fn a_note_stands_on_its_row_beside_odds() {
    let note = "no way back from there";
    let mut prompt = ferry_prompt();
    prompt.choices[2].note = note.to_owned();
    let round = |prompt: &Prompt| Prompt { repeats: true, ..prompt.clone() };
    let rows_with_note = |prompt: &Prompt| {
        let rows_drawn = draw_rows(&mut screen_with_prompt(prompt), 80, 24);
        rows_drawn
            .iter()
            .filter(|row| row.contains("Wait on the slip") && row.contains(note))
            .count()
    };
    assert_eq!(rows_with_note(&prompt), 1);
    assert_eq!(rows_with_note(&round(&prompt)), 0);
    prompt.choices[2].confirm = "No way back from there.".to_owned();
    assert_eq!(rows_with_note(&round(&prompt)), 1);
}
