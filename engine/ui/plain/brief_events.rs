//! Summarizes the events between two repetitions of a prompt in brief mode: dice by their outcome,
//! gains and losses in full, other texts as far as there is room. If gains and losses alone are too
//! long, the last ones are shown with the number of earlier ones.

use super::super::{describe, wrap};
use crate::base::text;
use crate::protocol::StoryEvent;
use crate::protocol::story_event::RollEvent;

/// The most words of a repetition, including its question.
pub(super) const MAX_WORDS: usize = 60;

/// The fewest words kept of the only event shown.
const MIN_WORDS: usize = 6;

/// Counts the words of a text.
pub(super) fn count_words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// An event, shortened as needed.
struct EventSummary {
    prefix: &'static str,
    text: String,
    /// A shorter text, if that still says something.
    shorter: Option<String>,
    /// Whether the event can be dropped; the highest goes first.
    drop_priority: u8,
    /// Whether it is a loss.
    is_loss: bool,
}

/// Summarizes events in at most so many words, if possible; each line with its prefix.
pub(super) fn summarize_events(events: &[StoryEvent], room: usize) -> Vec<(&'static str, String)> {
    // A roll without an outcome belongs to the roll before it.
    let weighs =
        |event: &&StoryEvent| !matches!(event, StoryEvent::Roll(roll) if roll.outcome.is_none());
    let next = |at: usize| events[at + 1..].iter().find(weighs);
    let all = events.iter().enumerate();
    let mut bits: Vec<EventSummary> =
        all.filter_map(|(at, event)| summarize_event(event, next(at))).collect();
    let long =
        |bits: &[EventSummary]| bits.iter().map(|one| count_words(&one.text)).sum::<usize>() > room;
    while long(&bits) {
        let longest = |of: &dyn Fn(&EventSummary) -> bool| {
            let found = bits.iter().enumerate().filter(|(_, one)| of(one));
            found
                .max_by_key(|(_, one)| (one.drop_priority, count_words(&one.text)))
                .map(|(at, _)| at)
        };
        if let Some(at) = longest(&|one| one.shorter.is_some()) {
            bits[at].text = bits[at].shorter.take().unwrap_or_default();
        } else if let Some(at) = longest(&|one| one.drop_priority > 0) {
            bits.remove(at);
        } else {
            break;
        }
    }
    // If too much happened, the newest events are kept, and losses before gains.
    let mut left = 0;
    while long(&bits) && bits.len() > 1 {
        if left == 0 {
            let text = String::new();
            bits.push(EventSummary {
                prefix: "",
                text,
                shorter: None,
                drop_priority: 0,
                is_loss: true,
            });
        }
        let others = bits.len() - 1;
        let at = bits[..others].iter().position(|one| !one.is_loss).unwrap_or(0);
        if others == 1 {
            break;
        }
        bits.remove(at);
        left += 1;
        if let Some(last) = bits.last_mut() {
            last.text = format!("({left} before: log)");
        }
    }
    let over = bits.iter().map(|one| count_words(&one.text)).sum::<usize>().saturating_sub(room);
    if let Some(first) = bits.first_mut().filter(|_| over > 0) {
        let most = count_words(&first.text).saturating_sub(over).max(MIN_WORDS);
        first.text = truncate_words(&first.text, most);
    }
    bits.into_iter().map(|one| (one.prefix, one.text)).collect()
}

/// The first words of a text, with an ellipsis if there were more.
fn truncate_words(text: &str, most: usize) -> String {
    let all: Vec<&str> = text.split_whitespace().collect();
    match all.len() > most {
        true => format!("{} …", all[..most].join(" ")),
        false => text.to_owned(),
    }
}

/// Summarizes an event, given the one after it.
fn summarize_event(event: &StoryEvent, next: Option<&StoryEvent>) -> Option<EventSummary> {
    let kept = |lead, text| EventSummary {
        prefix: lead,
        text,
        shorter: None,
        drop_priority: 0,
        is_loss: false,
    };
    let bit = match event {
        StoryEvent::Say { text } => {
            let text = wrap::strip_art(&text::strip_markup(text));
            let less = first_sentence(&text).map(|first| format!("{first} …"));
            EventSummary { shorter: less, drop_priority: 1, ..kept("", text) }
        }
        StoryEvent::Note { text } => {
            EventSummary { drop_priority: 2, ..kept("", format!("({})", text::strip_markup(text))) }
        }
        StoryEvent::Heading { text } => kept("", format!("-- {} --", describe::one_line(text))),
        StoryEvent::Gain { text } => kept("+ ", text::strip_markup(text)),
        StoryEvent::Loss { text } => {
            EventSummary { is_loss: true, ..kept("- ", text::strip_markup(text)) }
        }
        // The next line may state the result of the roll.
        StoryEvent::Roll(roll) => {
            let told = matches!(next, Some(StoryEvent::Gain { .. } | StoryEvent::Loss { .. }));
            let spare = if told || roll.outcome.is_none() { 3 } else { 0 };
            EventSummary { drop_priority: spare, ..kept("* ", roll_outcome(roll)) }
        }
    };
    (!bit.text.is_empty()).then_some(bit)
}

/// The outcome of a roll: `strike: 29 against 14: full`.
fn roll_outcome(roll: &RollEvent) -> String {
    let short = RollEvent {
        notation: String::new(),
        dice: Vec::new(),
        dice_total: roll.total,
        modifiers: Vec::new(),
        added: Vec::new(),
        ..roll.clone()
    };
    describe::roll(&short).replace(":  ", ": ").trim().to_owned()
}

/// The first sentence of a text with more than one.
fn first_sentence(text: &str) -> Option<&str> {
    let ends = text.match_indices(['.', '!', '?']).map(|(at, sign)| at + sign.len());
    let closed = ends.map(|at| {
        let quote = text[at..].chars().next().filter(|c| "'\"”’".contains(*c));
        at + quote.map_or(0, char::len_utf8)
    });
    let mut inner = closed.filter(|at| text[*at..].starts_with([' ', '\n']));
    inner.next().map(|at| &text[..at]).filter(|first| count_words(first) > 1)
}
