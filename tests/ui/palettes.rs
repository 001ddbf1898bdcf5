//! Palettes and glyph sets: no fact depends on colour, and every colour is readable.

use protocol::StoryEvent;
use ratatui::buffer::Buffer;
use ratatui::style::Color;
use ui::Preferences;
use ui::full_screen::{Palette, Screen, Theme};

use super::sample::*;

fn draw_with_theme(theme: Theme, columns: u16, rows: u16) -> Buffer {
    let mut screen = Screen::new(theme);
    screen.add_events(&sample_events());
    screen.show_prompt(&ferry_prompt(), &sample_view());
    draw_frame(&mut screen, columns, rows)
}

fn frame_symbols(buffer: &Buffer) -> String {
    buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect()
}

#[test]
fn every_palette_draws_the_same_symbols() {
    let plain_frame = draw_with_theme(Theme::from_palette(Palette::None), 80, 24);
    assert!(
        plain_frame.content().iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset))
    );
    for (palette, name, _) in Palette::ALL {
        let coloured_frame = draw_with_theme(Theme::from_palette(palette), 80, 24);
        assert_eq!(frame_symbols(&coloured_frame), frame_symbols(&plain_frame), "{name}");
        let has_background = coloured_frame.content().iter().all(|cell| cell.bg != Color::Reset);
        assert_eq!(
            has_background,
            palette.indexed_colours().is_some(),
            "{name} lays its own ground or none"
        );
    }
}

#[test]
fn event_kinds_and_states_have_distinct_symbols() {
    let draw_event = |event: StoryEvent| {
        let mut screen = Screen::new(Theme::from_palette(Palette::None));
        screen.add_events(&[event]);
        screen.show_prompt(&ferry_prompt(), &sample_view());
        frame_symbols(&draw_frame(&mut screen, 80, 24))
    };
    let text = "three lamps".to_owned();
    let kinds = [
        draw_event(StoryEvent::Say { text: text.clone() }),
        draw_event(StoryEvent::Gain { text: text.clone() }),
        draw_event(StoryEvent::Loss { text: text.clone() }),
        draw_event(StoryEvent::Note { text }),
    ];
    for (index, symbols_of_one) in kinds.iter().enumerate() {
        assert!(
            kinds[index + 1..].iter().all(|symbols_of_other| symbols_of_other != symbols_of_one)
        );
    }
    let page = frame_symbols(&draw_with_theme(Theme::from_palette(Palette::None), 80, 24));
    for symbol in ["> 1 Row", "█", "▓", "░", "×", "closed:"] {
        assert!(page.contains(symbol), "{symbol}:\n{page}");
    }
}

#[test]
fn ascii_mode_draws_only_ascii() {
    for (columns, rows) in [(40, 12), (80, 24), (120, 40)] {
        let theme = Theme { palette: Palette::Dark, ascii_only: true };
        let page = frame_symbols(&draw_with_theme(theme, columns, rows));
        assert!(page.is_ascii(), "{:?}", page.chars().find(|c| !c.is_ascii()));
    }
    snapshot!("full_ascii", {
        let page = frame_symbols(&draw_with_theme(
            Theme { palette: Palette::None, ascii_only: true },
            80,
            24,
        ));
        let characters: Vec<char> = page.chars().collect();
        let rows: Vec<String> = characters.chunks(80).map(|row| row.iter().collect()).collect();
        rows.join("\n")
    });
}

/// The lightness of one of the 256 colours, by the formula of the accessibility guidelines.
fn relative_luminance(number: u8) -> f64 {
    let rgb = match number {
        16..=231 => {
            let offset = u32::from(number) - 16;
            let channel_level =
                |level_index: u32| if level_index == 0 { 0 } else { 55 + 40 * level_index };
            [channel_level(offset / 36), channel_level(offset / 6 % 6), channel_level(offset % 6)]
        }
        232.. => [8 + 10 * (u32::from(number) - 232); 3],
        _ => unreachable!("the first sixteen are the terminal's own"),
    };
    let linear = rgb.map(|channel| {
        let fraction = f64::from(channel) / 255.0;
        if fraction <= 0.03928 { fraction / 12.92 } else { ((fraction + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

#[test]
fn every_colour_has_enough_contrast() {
    for (palette, name, _) in Palette::ALL {
        let Some((background, roles)) = palette.indexed_colours() else { continue };
        let min_contrast = if palette == Palette::Contrast { 10.0 } else { 4.5 };
        for (role, number) in roles {
            let (background_lightness, text_lightness) =
                (relative_luminance(background), relative_luminance(number));
            let contrast = (background_lightness.max(text_lightness) + 0.05)
                / (background_lightness.min(text_lightness) + 0.05);
            assert!(contrast >= min_contrast, "{name}: {role:?} has a contrast of {contrast:.1}");
        }
    }
}

#[test]
fn preferences_apply_at_once_and_flags_override() {
    let stored_preferences =
        Preferences { palette: Some("light".to_owned()), ..Preferences::default() };
    let flags = Preferences { palette: Some("none".to_owned()), ..Preferences::default() };
    let mut screen = Screen::new(Theme::from_palette(Palette::Dark));
    screen.show_prompt(&ferry_prompt(), &sample_view());
    let mut background_after = |preferences: &Preferences| {
        screen.apply_preferences(preferences);
        draw_frame(&mut screen, 80, 24)[(0, 0)].bg
    };
    assert_eq!(background_after(&stored_preferences), Color::Indexed(255));
    assert_eq!(background_after(&flags.with_fallback(&stored_preferences)), Color::Reset);
}
