//! The lines of story entries, wrapped to a width.

use ratatui::text::{Line, Span};

use super::super::{display_text, text_wrap};
use super::story_pane::StoryItem;
use super::theme::{Theme, styled_line, styled_runs_line};
use base::text;
use protocol::StoryEvent;

pub(super) fn follows_an_answer(items: &[StoryItem], at: usize) -> bool {
    at > 0 && matches!(items[at - 1], StoryItem::Answer(_))
}

/// Entries wrapped to a width, with their rolls in full.
pub(super) fn item_lines(all: &[StoryItem], columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    for (at, told) in all.iter().enumerate() {
        add_item_lines(&mut out, told, (follows_an_answer(all, at), ""), columns, theme);
    }
    out
}

/// Adds the lines of an entry; `dice` is the mark of the rolls that are folded into it.
pub(super) fn add_item_lines(
    out: &mut Vec<Line<'static>>,
    item: &StoryItem,
    (follows_answer, dice): (bool, &str),
    columns: usize,
    theme: Theme,
) {
    let mut marked = |lead: &str, marked: &str, style| {
        let indent = text::display_width(lead);
        let first_line = out.len();
        let marked = match dice {
            "" => marked.to_owned(),
            dice => format!("{marked} {}", text::escape_markup(dice)),
        };
        for (index, runs) in text_wrap::wrap_markup(&marked, columns.saturating_sub(indent).max(1))
            .into_iter()
            .enumerate()
        {
            let lead = if index == 0 { lead.to_owned() } else { " ".repeat(indent) };
            out.push(styled_runs_line(&lead, runs, style));
        }
        quieten_end(&mut out[first_line..], dice, theme);
    };
    match item {
        StoryItem::Event(StoryEvent::Say { text }) => marked("", text, theme.text_style()),
        StoryItem::Event(StoryEvent::Note { text }) => marked("  ", text, theme.quiet_style()),
        StoryItem::Event(StoryEvent::Gain { text }) => marked("+ ", text, theme.good_style()),
        StoryItem::Event(StoryEvent::Loss { text }) => marked("- ", text, theme.bad_style()),
        StoryItem::Event(StoryEvent::Heading { text }) => {
            if !out.is_empty() {
                out.push(Line::default());
            }
            for runs in text_wrap::wrap_markup(text, columns) {
                out.push(styled_runs_line("", runs, theme.heading_style()));
            }
        }
        StoryItem::Event(StoryEvent::Roll(roll)) => {
            let lines = text_wrap::wrap_with_prefix("* ", &display_text::roll_text(roll), columns);
            let outcome =
                roll.outcome.as_deref().map(display_text::markup_on_one_line).unwrap_or_default();
            let last = lines.len() - 1;
            for (index, line) in lines.into_iter().enumerate() {
                out.push(match line.strip_suffix(&outcome) {
                    Some(sum) if index == last => Line::from(vec![
                        Span::styled(sum.to_owned(), theme.text_style()),
                        Span::styled(outcome.clone(), theme.strong_style()),
                    ]),
                    _ => styled_line(line, theme.text_style()),
                });
            }
        }
        StoryItem::Answer(answer) => {
            if !follows_answer {
                out.push(Line::default());
            }
            let lines = text_wrap::wrap_with_prefix("> ", answer, columns);
            out.extend(lines.into_iter().map(|line| styled_line(line, theme.quiet_style())));
        }
        StoryItem::Problem(words) => {
            let lines =
                words.lines().flat_map(|line| text_wrap::wrap_with_prefix("! ", line, columns));
            out.extend(lines.map(|line| styled_line(line, theme.bad_style())));
        }
    }
}

/// Gives the mark at the end of some lines the quiet style. Wrapping only drops its spaces.
fn quieten_end(lines: &mut [Line<'static>], mark: &str, theme: Theme) {
    let mut remaining = mark.chars().filter(|c| !c.is_whitespace()).count();
    for line in lines.iter_mut().rev() {
        let mut at = line.spans.len();
        while remaining > 0 && at > 0 {
            at -= 1;
            let words = line.spans[at].content.to_string();
            let letters = words.char_indices().rev().filter(|(_, c)| !c.is_whitespace());
            let (start, count) = letters
                .take(remaining)
                .fold((words.len(), 0), |(_, count), (start, _)| (start, count + 1));
            remaining -= count;
            line.spans[at].content = words[..start].to_owned().into();
            line.spans.insert(at + 1, Span::styled(words[start..].to_owned(), theme.quiet_style()));
        }
    }
}
