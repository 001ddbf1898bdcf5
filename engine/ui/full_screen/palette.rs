//! Palettes: the colour of each text role. Every symbol is distinct by its shape; colour only
//! repeats the information.

use base::host_text_id;
use ratatui::style::{Color, Modifier, Style};

/// A named set of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// Warm colours on black.
    Dark,
    /// Dark text on white.
    Light,
    /// White on black, nothing dim.
    Contrast,
    /// Blue for good and orange for bad: for red-green colour blindness.
    BlueOrange,
    /// Cyan for good and red for bad: for blue-yellow colour blindness.
    CyanRed,
    /// The terminal's 16 colours and its own background.
    SixteenColours,
    /// No colours.
    None,
}

/// The colours of a palette, as numbers of the 256-colour table.
struct PaletteColours {
    background: u8,
    text: u8,
    strong: u8,
    quiet: u8,
    heading: u8,
    good: u8,
    fair: u8,
    bad: u8,
}

const DARK_COLOURS: PaletteColours = PaletteColours {
    background: 233,
    text: 252,
    strong: 230,
    quiet: 245,
    heading: 179,
    good: 108,
    fair: 180,
    bad: 167,
};
const LIGHT_COLOURS: PaletteColours = PaletteColours {
    background: 255,
    text: 235,
    strong: 16,
    quiet: 241,
    heading: 89,
    good: 22,
    fair: 94,
    bad: 124,
};
const CONTRAST_COLOURS: PaletteColours = PaletteColours {
    background: 16,
    text: 231,
    strong: 231,
    quiet: 252,
    heading: 226,
    good: 120,
    fair: 226,
    bad: 217,
};
const BLUE_ORANGE_COLOURS: PaletteColours = PaletteColours {
    background: 233,
    text: 252,
    strong: 231,
    quiet: 245,
    heading: 229,
    good: 75,
    fair: 229,
    bad: 208,
};
const CYAN_RED_COLOURS: PaletteColours = PaletteColours {
    background: 233,
    text: 252,
    strong: 231,
    quiet: 245,
    heading: 224,
    good: 80,
    fair: 224,
    bad: 203,
};

/// The role of a text, which determines its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRole {
    /// Ordinary text.
    Text,
    /// Focused or emphasised text.
    Strong,
    /// Text of little importance.
    Quiet,
    /// A heading.
    Heading,
    /// Success, or a chance of it.
    Good,
    /// Partial success.
    Fair,
    /// Failure.
    Bad,
}

impl Palette {
    /// All palettes with their names and descriptions.
    pub const ALL: [(Self, &'static str, &'static str); 7] = [
        (Self::Dark, host_text_id!("dark"), host_text_id!("warm colours on black")),
        (Self::Light, host_text_id!("light"), host_text_id!("dark text on white")),
        (Self::Contrast, host_text_id!("contrast"), host_text_id!("high contrast: white on black")),
        (
            Self::BlueOrange,
            host_text_id!("blue-orange"),
            host_text_id!("for red-green colour blindness"),
        ),
        (
            Self::CyanRed,
            host_text_id!("cyan-red"),
            host_text_id!("for blue-yellow colour blindness"),
        ),
        (
            Self::SixteenColours,
            host_text_id!("sixteen"),
            host_text_id!("the terminal's 16 colours"),
        ),
        (Self::None, host_text_id!("none"), host_text_id!("no colours")),
    ];

    /// The palette of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(palette, ..)| *palette)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(palette, ..)| *palette == self).map_or("", |(_, name, _)| name)
    }

    /// The background and the colours of all roles, if the palette defines them, as numbers of the
    /// 256-colour table.
    pub fn indexed_colours(self) -> Option<(u8, Vec<(TextRole, u8)>)> {
        let colours = self.colours()?;
        let roles = [
            (TextRole::Text, colours.text),
            (TextRole::Strong, colours.strong),
            (TextRole::Quiet, colours.quiet),
            (TextRole::Heading, colours.heading),
            (TextRole::Good, colours.good),
            (TextRole::Fair, colours.fair),
            (TextRole::Bad, colours.bad),
        ];
        Some((colours.background, roles.to_vec()))
    }

    fn colours(self) -> Option<&'static PaletteColours> {
        match self {
            Self::Dark => Some(&DARK_COLOURS),
            Self::Light => Some(&LIGHT_COLOURS),
            Self::Contrast => Some(&CONTRAST_COLOURS),
            Self::BlueOrange => Some(&BLUE_ORANGE_COLOURS),
            Self::CyanRed => Some(&CYAN_RED_COLOURS),
            Self::SixteenColours | Self::None => None,
        }
    }

    /// The background style.
    pub(super) fn background_style(self) -> Style {
        match self.colours() {
            Some(colours) => {
                Style::new().fg(Color::Indexed(colours.text)).bg(Color::Indexed(colours.background))
            }
            None => Style::new(),
        }
    }

    /// The style of a role.
    pub(super) fn role_style(self, role: TextRole) -> Style {
        let bold = matches!(role, TextRole::Strong | TextRole::Heading);
        let style = match (self.indexed_colours(), self) {
            (Some((_, roles)), _) => {
                let number = roles.iter().find(|(of, _)| *of == role).map(|(_, number)| *number);
                number.map_or(Style::new(), |number| Style::new().fg(Color::Indexed(number)))
            }
            (None, Self::SixteenColours) => match role {
                TextRole::Heading | TextRole::Fair => Style::new().fg(Color::Yellow),
                TextRole::Good => Style::new().fg(Color::Green),
                TextRole::Bad => Style::new().fg(Color::Red),
                TextRole::Quiet => Style::new().add_modifier(Modifier::DIM),
                TextRole::Text | TextRole::Strong => Style::new(),
            },
            (None, _) if role == TextRole::Quiet => Style::new().add_modifier(Modifier::DIM),
            (None, _) => Style::new(),
        };
        if bold { style.add_modifier(Modifier::BOLD) } else { style }
    }
}
