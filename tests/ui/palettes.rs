//! Palettes and glyph sets: no fact depends on colour, and every colour is readable.

use engine::protocol::StoryEvent;
use engine::ui::Preferences;
use engine::ui::full::{Palette, Screen, Theme};
use ratatui::buffer::Buffer;
use ratatui::style::Color;

use super::sample::*;

fn draw_with_theme(theme: Theme, columns: u16, rows: u16) -> Buffer {
    let mut screen = Screen::new(theme);
    screen.add_events(&sample_events());
    screen.show_prompt(&ferry_prompt(), &sample_view());
    frame(&mut screen, columns, rows)
}

fn symbols(buffer: &Buffer) -> String {
    buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect()
}

#[test]
fn every_palette_tells_the_same_and_none_has_no_colour() {
    let plain = draw_with_theme(Theme::of(Palette::None), 80, 24);
    assert!(plain.content().iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset)));
    for (palette, name, _) in Palette::ALL {
        let coloured = draw_with_theme(Theme::of(palette), 80, 24);
        assert_eq!(symbols(&coloured), symbols(&plain), "{name}");
        let painted = coloured.content().iter().all(|cell| cell.bg != Color::Reset);
        assert_eq!(
            painted,
            palette.indexed_colours().is_some(),
            "{name} lays its own ground or none"
        );
    }
}

#[test]
fn what_differs_in_meaning_differs_in_signs() {
    let told = |event: StoryEvent| {
        let mut screen = Screen::new(Theme::of(Palette::None));
        screen.add_events(&[event]);
        screen.show_prompt(&ferry_prompt(), &sample_view());
        symbols(&frame(&mut screen, 80, 24))
    };
    let text = "three lamps".to_owned();
    let kinds = [
        told(StoryEvent::Say { text: text.clone() }),
        told(StoryEvent::Gain { text: text.clone() }),
        told(StoryEvent::Loss { text: text.clone() }),
        told(StoryEvent::Note { text }),
    ];
    for (at, one) in kinds.iter().enumerate() {
        assert!(kinds[at + 1..].iter().all(|other| other != one));
    }
    let drawn = symbols(&draw_with_theme(Theme::of(Palette::None), 80, 24));
    for sign in ["> 1 Row", "█", "▓", "░", "×", "closed:"] {
        assert!(drawn.contains(sign), "{sign}:\n{drawn}");
    }
}

#[test]
fn ascii_draws_nothing_else() {
    for (columns, rows) in [(40, 12), (80, 24), (120, 40)] {
        let theme = Theme { palette: Palette::Dark, ascii_only: true };
        let drawn = symbols(&draw_with_theme(theme, columns, rows));
        assert!(drawn.is_ascii(), "{:?}", drawn.chars().find(|c| !c.is_ascii()));
    }
    snapshot!("full_ascii", {
        let drawn =
            symbols(&draw_with_theme(Theme { palette: Palette::None, ascii_only: true }, 80, 24));
        let letters: Vec<char> = drawn.chars().collect();
        let rows: Vec<String> = letters.chunks(80).map(|row| row.iter().collect()).collect();
        rows.join("\n")
    });
}

/// The lightness of one of the 256 colours, by the formula of the accessibility guidelines.
fn lightness(number: u8) -> f64 {
    let rgb = match number {
        16..=231 => {
            let at = u32::from(number) - 16;
            let level = |part: u32| if part == 0 { 0 } else { 55 + 40 * part };
            [level(at / 36), level(at / 6 % 6), level(at % 6)]
        }
        232.. => [8 + 10 * (u32::from(number) - 232); 3],
        _ => unreachable!("the first sixteen are the terminal's own"),
    };
    let linear = rgb.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

#[test]
fn every_colour_can_be_read_on_its_ground() {
    for (palette, name, _) in Palette::ALL {
        let Some((ground, roles)) = palette.indexed_colours() else { continue };
        let least = if palette == Palette::Contrast { 10.0 } else { 4.5 };
        for (role, number) in roles {
            let (a, b) = (lightness(ground), lightness(number));
            let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(contrast >= least, "{name}: {role:?} has a contrast of {contrast:.1}");
        }
    }
}

#[test]
fn preferences_are_taken_up_at_once_and_flags_go_first() {
    let kept = Preferences { palette: Some("light".to_owned()), ..Preferences::default() };
    let flags = Preferences { palette: Some("none".to_owned()), ..Preferences::default() };
    let mut screen = Screen::new(Theme::of(Palette::Dark));
    screen.show_prompt(&ferry_prompt(), &sample_view());
    let mut ground = |preferences: &Preferences| {
        screen.apply_preferences(preferences);
        frame(&mut screen, 80, 24)[(0, 0)].bg
    };
    assert_eq!(ground(&kept), Color::Indexed(255));
    assert_eq!(ground(&flags.or(&kept)), Color::Reset);
}
