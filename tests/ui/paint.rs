//! Terminal output: another terminal emulator that reads it must show the drawn frame, whatever it
//! showed before.

use crossterm::event::KeyCode;
use engine::ui::full::{Painter, Palette, Screen, Theme};
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::sample::*;

fn index(colour: Color) -> vt100::Color {
    match colour {
        Color::Indexed(number) => vt100::Color::Idx(number),
        Color::Red => vt100::Color::Idx(1),
        Color::Green => vt100::Color::Idx(2),
        Color::Yellow => vt100::Color::Idx(3),
        _ => vt100::Color::Default,
    }
}

/// The terminal shows the frame, sign by sign: what can be seen of each is right.
fn assert_shown(terminal: &vt100::Parser, frame: &Buffer) {
    for position in frame.area.positions() {
        let wanted = &frame[position];
        let found = terminal.screen().cell(position.y, position.x).unwrap();
        let symbol = if found.has_contents() { found.contents() } else { " " };
        assert_eq!(symbol, wanted.symbol(), "at {position}");
        let inverse = wanted.modifier.contains(Modifier::REVERSED);
        assert_eq!(found.bgcolor(), index(wanted.bg), "under {symbol:?} at {position}");
        assert_eq!(found.inverse(), inverse, "{symbol:?} at {position}");
        if symbol != " " {
            assert_eq!(found.fgcolor(), index(wanted.fg), "of {symbol:?} at {position}");
            // Faint goes before bold: together they look different on every terminal.
            let bold = wanted.modifier & (Modifier::BOLD | Modifier::DIM) == Modifier::BOLD;
            assert_eq!(found.bold(), bold, "{symbol:?} at {position}");
        }
    }
}

#[test]
fn a_terminal_shows_what_was_drawn_whatever_it_showed_before() {
    for palette in [Palette::Dark, Palette::Sixteen, Palette::None] {
        let mut screen = Screen::new(Theme::of(palette));
        screen.add_events(&sample_events());
        screen.show_prompt(&ferry_prompt(), &sample_view());
        let mut terminal = vt100::Parser::new(40, 120, 0);
        let mut painter = Painter::default();
        for (at, key) in "jjkc q?qmqtqxxq2jkl1jh".chars().cycle().take(120).enumerate() {
            // Now and then the window changes, and its signs with it.
            let (columns, rows) = if at % 40 < 30 { (120, 40) } else { (83, 25) };
            if at % 40 == 0 || at % 40 == 30 {
                terminal.process(b"\x1b[2J\x1b[7;7Hleft behind");
                terminal.screen_mut().set_size(rows, columns);
                painter.forget_frame();
            }
            let key = if key == 'q' { KeyCode::Esc } else { KeyCode::Char(key) };
            if press(&mut screen, key).is_some() {
                screen.add_events(&[
                    say("Wide letters are 二 wide: 渡し場."),
                    say("And *bold* ones."),
                ]);
                let prompt = if at % 2 == 0 { loading() } else { ferry_prompt() };
                screen.show_prompt(&prompt, &sample_view());
            }
            let frame = frame(&mut screen, columns, rows);
            let mut bytes = Vec::new();
            painter.paint_changes(frame.clone(), &mut bytes).unwrap();
            terminal.process(&bytes);
            assert_shown(&terminal, &frame);
        }
    }
}

#[test]
fn what_stands_is_not_painted_again() {
    let mut screen = Screen::new(Theme::of(Palette::Dark));
    screen.add_events(&sample_events());
    screen.show_prompt(&ferry_prompt(), &sample_view());
    let mut painter = Painter::default();
    let mut paint = |screen: &mut Screen| {
        let mut bytes = Vec::new();
        painter.paint_changes(frame(screen, 120, 40), &mut bytes).unwrap();
        bytes.len()
    };
    assert!(paint(&mut screen) > 4_800, "the first frame is painted whole");
    assert_eq!(paint(&mut screen), 0);
    press(&mut screen, KeyCode::Down);
    assert!(paint(&mut screen) < 600);
}
