//! The lines of an overlay, as its content and its width make them.

use ratatui::text::{Line, Span};

use super::OverlayContent;
use crate::full_screen::story_lines::item_lines;
use crate::full_screen::story_pane::StoryPane;
use crate::full_screen::theme::Theme;
use crate::full_screen::widget_lines::{self, Density};
use crate::{display_text, text_wrap};
use base::text;
use protocol::view::Card;

impl OverlayContent {
    pub(super) fn lines(
        &self,
        columns: usize,
        story: &StoryPane,
        theme: Theme,
    ) -> Vec<Line<'static>> {
        match self {
            Self::View(view) => {
                widget_lines::widgets_to_lines(view.widgets.iter(), columns, Density::Spaced, theme)
            }
            Self::Cards(cards, at, true) => {
                let name = |(index, (name, card)): (usize, &(String, Card))| {
                    let focused = index == *at;
                    let style = if focused { theme.strong_style() } else { theme.text_style() };
                    let lead = if focused { "> " } else { "  " };
                    let beside = display_text::markup_on_one_line(&card.subtitle);
                    let room = columns.saturating_sub(text::display_width(name) + 4);
                    Line::from(vec![
                        Span::styled(text_wrap::truncate(&format!("{lead}{name}"), columns), style),
                        Span::styled(
                            format!("  {}", text_wrap::truncate(&beside, room)),
                            theme.quiet_style(),
                        ),
                    ])
                };
                cards.iter().enumerate().map(name).collect()
            }
            Self::Cards(cards, at, false) => match cards.get(*at) {
                Some((_, card)) => {
                    let untitled = Card { title: String::new(), ..card.clone() };
                    widget_lines::card_lines(&untitled, columns, theme)
                }
                None => Vec::new(),
            },
            // It draws itself.
            Self::Map(_) => Vec::new(),
            Self::Log(Some(told)) => item_lines(told, columns, theme),
            Self::Log(None) => story.all_lines(columns, theme),
            Self::Help(hints) => {
                let widest =
                    hints.iter().map(|(key, _)| text::display_width(key)).max().unwrap_or(0);
                let widest = widest.min(columns / 2);
                let lines = |(keys, does): &(String, String)| {
                    let room = columns.saturating_sub(widest + 2).max(1);
                    let (keys, does) = (
                        text_wrap::wrap_lines(keys, widest.max(1)),
                        text_wrap::wrap_lines(does, room),
                    );
                    (0..keys.len().max(does.len())).map(move |at| {
                        let key = keys.get(at).map_or("", String::as_str);
                        let does = does.get(at).map_or("", String::as_str);
                        let key = Span::styled(
                            widget_lines::truncate_or_pad(key, widest),
                            theme.strong_style(),
                        );
                        Line::from(vec![key, Span::raw(format!("  {does}"))])
                    })
                };
                hints.iter().flat_map(lines).collect()
            }
        }
    }
}
