//! Terminal output: another terminal emulator that reads it must show the drawn frame, whatever it
//! showed before.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use ui::full_screen::{Painter, Palette, Screen, Theme};

use super::sample::*;

fn terminal_colour(colour: Color) -> vt100::Color {
    match colour {
        Color::Indexed(number) => vt100::Color::Idx(number),
        Color::Red => vt100::Color::Idx(1),
        Color::Green => vt100::Color::Idx(2),
        Color::Yellow => vt100::Color::Idx(3),
        _ => vt100::Color::Default,
    }
}

/// The terminal shows the frame, sign by sign: what can be seen of each is right.
fn assert_terminal_shows_frame(terminal: &vt100::Parser, frame: &Buffer) {
    for position in frame.area.positions() {
        let expected_cell = &frame[position];
        let terminal_cell = terminal.screen().cell(position.y, position.x).unwrap();
        let symbol = if terminal_cell.has_contents() { terminal_cell.contents() } else { " " };
        assert_eq!(symbol, expected_cell.symbol(), "at {position}");
        let is_reversed = expected_cell.modifier.contains(Modifier::REVERSED);
        assert_eq!(
            terminal_cell.bgcolor(),
            terminal_colour(expected_cell.bg),
            "under {symbol:?} at {position}"
        );
        assert_eq!(terminal_cell.inverse(), is_reversed, "{symbol:?} at {position}");
        if symbol != " " {
            assert_eq!(
                terminal_cell.fgcolor(),
                terminal_colour(expected_cell.fg),
                "of {symbol:?} at {position}"
            );
            // Faint goes before bold: together they look different on every terminal.
            let is_bold =
                expected_cell.modifier & (Modifier::BOLD | Modifier::DIM) == Modifier::BOLD;
            assert_eq!(terminal_cell.bold(), is_bold, "{symbol:?} at {position}");
        }
    }
}

#[test]
fn a_terminal_shows_the_frame_after_any_earlier_content() {
    for palette in [Palette::Dark, Palette::SixteenColours, Palette::None] {
        let mut screen = Screen::new(Theme::from_palette(palette));
        screen.add_events(&sample_events());
        screen.show_prompt(&ferry_prompt(), &sample_view());
        let mut terminal = vt100::Parser::new(40, 120, 0);
        let mut painter = Painter::default();
        for (index, key) in "jjkc q?qmqtqxxq2jkl1jh".chars().cycle().take(120).enumerate() {
            // Now and then the window changes, and its signs with it.
            let (columns, rows) = if index % 40 < 30 { (120, 40) } else { (83, 25) };
            if index % 40 == 0 || index % 40 == 30 {
                terminal.process(b"\x1b[2J\x1b[7;7Hleft behind");
                terminal.screen_mut().set_size(rows, columns);
                painter.forget_frame();
            }
            let key = if key == 'q' { KeyCode::Esc } else { KeyCode::Char(key) };
            if press_key(&mut screen, key).is_some() {
                screen.add_events(&[
                    say_event("Wide letters are 二 wide: 渡し場."),
                    say_event("And *bold* ones."),
                ]);
                let prompt = if index % 2 == 0 { cargo_prompt() } else { ferry_prompt() };
                screen.show_prompt(&prompt, &sample_view());
            }
            let frame = draw_frame(&mut screen, columns, rows);
            let mut bytes = Vec::new();
            painter.paint_changes(frame.clone(), &mut bytes).unwrap();
            terminal.process(&bytes);
            assert_terminal_shows_frame(&terminal, &frame);
        }
    }
}

#[test]
fn unchanged_cells_are_not_repainted() {
    let mut screen = Screen::new(Theme::from_palette(Palette::Dark));
    screen.add_events(&sample_events());
    screen.show_prompt(&ferry_prompt(), &sample_view());
    let mut painter = Painter::default();
    let mut painted_bytes = |screen: &mut Screen| {
        let mut bytes = Vec::new();
        painter.paint_changes(draw_frame(screen, 120, 40), &mut bytes).unwrap();
        bytes.len()
    };
    assert!(painted_bytes(&mut screen) > 4_800, "the first frame is painted whole");
    assert_eq!(painted_bytes(&mut screen), 0);
    press_key(&mut screen, KeyCode::Down);
    assert!(painted_bytes(&mut screen) < 600);
}
