//! Summarizes the events between two repetitions of a prompt in brief mode: dice by their outcome,
//! gains and losses in full, other texts as far as there is room. If gains and losses alone are too
//! long, the last ones are shown with the number of earlier ones.

use super::super::{display_text, text_wrap};
use base::host_text;
use base::text;
use protocol::StoryEvent;
use protocol::story_event::RollEvent;

/// The most words of a repetition, including its question.
pub(super) const MAX_REPETITION_WORDS: usize = 60;

/// The fewest words kept of the only event shown.
const MIN_EVENT_WORDS: usize = 6;

/// Counts the words of a text.
pub(super) fn count_words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// An event, shortened as needed.
struct EventSummary {
    prefix: &'static str,
    text: String,
    /// A shorter text, if that still says something.
    shorter_text: Option<String>,
    /// Whether the event can be dropped; the highest goes first.
    drop_priority: u8,
    /// Whether it is a loss.
    is_loss: bool,
}

/// Summarizes events in at most so many words, if possible; each line with its prefix.
pub(super) fn summarize_events(
    events: &[StoryEvent],
    max_words: usize,
) -> Vec<(&'static str, String)> {
    // A roll without an outcome belongs to the roll before it.
    let is_significant =
        |event: &&StoryEvent| !matches!(event, StoryEvent::Roll(roll) if roll.outcome.is_none());
    let next_event = |at: usize| events[at + 1..].iter().find(is_significant);
    let all = events.iter().enumerate();
    let mut summaries: Vec<EventSummary> =
        all.filter_map(|(at, event)| summarize_event(event, next_event(at))).collect();
    let is_too_long = |bits: &[EventSummary]| {
        bits.iter().map(|one| count_words(&one.text)).sum::<usize>() > max_words
    };
    while is_too_long(&summaries) {
        let find_longest = |of: &dyn Fn(&EventSummary) -> bool| {
            let found = summaries.iter().enumerate().filter(|(_, one)| of(one));
            found
                .max_by_key(|(_, one)| (one.drop_priority, count_words(&one.text)))
                .map(|(at, _)| at)
        };
        if let Some(at) = find_longest(&|one| one.shorter_text.is_some()) {
            summaries[at].text = summaries[at].shorter_text.take().unwrap_or_default();
        } else if let Some(at) = find_longest(&|one| one.drop_priority > 0) {
            summaries.remove(at);
        } else {
            break;
        }
    }
    // If too much happened, the newest events are kept, and losses before gains.
    let mut dropped_count = 0;
    while is_too_long(&summaries) && summaries.len() > 1 {
        if dropped_count == 0 {
            let text = String::new();
            summaries.push(EventSummary {
                prefix: "",
                text,
                shorter_text: None,
                drop_priority: 0,
                is_loss: true,
            });
        }
        let others = summaries.len() - 1;
        let at = summaries[..others].iter().position(|one| !one.is_loss).unwrap_or(0);
        if others == 1 {
            break;
        }
        summaries.remove(at);
        dropped_count += 1;
        if let Some(last) = summaries.last_mut() {
            last.text = host_text!("({count} before: {log})", count = dropped_count, log = "log");
        }
    }
    let excess_words =
        summaries.iter().map(|one| count_words(&one.text)).sum::<usize>().saturating_sub(max_words);
    if let Some(first) = summaries.first_mut().filter(|_| excess_words > 0) {
        let max_words = count_words(&first.text).saturating_sub(excess_words).max(MIN_EVENT_WORDS);
        first.text = truncate_words(&first.text, max_words);
    }
    summaries.into_iter().map(|one| (one.prefix, one.text)).collect()
}

/// The first words of a text, with an ellipsis if there were more.
fn truncate_words(text: &str, max_words: usize) -> String {
    let all: Vec<&str> = text.split_whitespace().collect();
    match all.len() > max_words {
        true => format!("{} …", all[..max_words].join(" ")),
        false => text.to_owned(),
    }
}

/// Summarizes an event, given the one after it.
fn summarize_event(event: &StoryEvent, next: Option<&StoryEvent>) -> Option<EventSummary> {
    let build_summary = |lead, text| EventSummary {
        prefix: lead,
        text,
        shorter_text: None,
        drop_priority: 0,
        is_loss: false,
    };
    let summary = match event {
        StoryEvent::Say { text } => {
            let text = text_wrap::strip_text_art(&text::strip_markup(text));
            let shorter_text = first_sentence(&text).map(|first| format!("{first} …"));
            EventSummary { shorter_text, drop_priority: 1, ..build_summary("", text) }
        }
        StoryEvent::Note { text } => EventSummary {
            drop_priority: 2,
            ..build_summary("", format!("({})", text::strip_markup(text)))
        },
        StoryEvent::Heading { text } => {
            build_summary("", format!("-- {} --", display_text::markup_on_one_line(text)))
        }
        StoryEvent::Gain { text } => build_summary("+ ", text::strip_markup(text)),
        StoryEvent::Loss { text } => {
            EventSummary { is_loss: true, ..build_summary("- ", text::strip_markup(text)) }
        }
        // The next line may state the result of the roll.
        StoryEvent::Roll(roll) => {
            let is_result_stated =
                matches!(next, Some(StoryEvent::Gain { .. } | StoryEvent::Loss { .. }));
            let drop_priority = if is_result_stated || roll.outcome.is_none() { 3 } else { 0 };
            EventSummary { drop_priority, ..build_summary("* ", roll_outcome(roll)) }
        }
    };
    (!summary.text.is_empty()).then_some(summary)
}

/// The outcome of a roll: `strike: 29 against 14: full`.
fn roll_outcome(roll: &RollEvent) -> String {
    let short = RollEvent {
        notation: String::new(),
        dice: Vec::new(),
        dice_total: roll.total,
        modifiers: Vec::new(),
        added_dice: Vec::new(),
        ..roll.clone()
    };
    display_text::roll_text(&short).replace(":  ", ": ").trim().to_owned()
}

/// The first sentence of a text with more than one.
fn first_sentence(text: &str) -> Option<&str> {
    let ends = text.match_indices(['.', '!', '?']).map(|(at, sign)| at + sign.len());
    let ends_after_quotes = ends.map(|at| {
        let quote = text[at..].chars().next().filter(|c| "'\"”’".contains(*c));
        at + quote.map_or(0, char::len_utf8)
    });
    let mut inner_ends = ends_after_quotes.filter(|at| text[*at..].starts_with([' ', '\n']));
    inner_ends.next().map(|at| &text[..at]).filter(|first| count_words(first) > 1)
}
