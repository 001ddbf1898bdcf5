//! Summarizes the events between two repetitions of a prompt in brief mode: dice by their outcome,
//! gains and losses in full, other texts as far as there is room. If gains and losses alone are too
//! long, the last ones are shown with the number of earlier ones.

use super::super::{facts, wrap};
use crate::kit::text;
use crate::play::Event;
use crate::play::event::Roll;

/// The most words of a repetition, including its question.
pub(super) const MOST: usize = 60;

/// The fewest words kept of the only event shown.
const LEAST: usize = 6;

/// Counts the words of a text.
pub(super) fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// An event, shortened as needed.
struct Bit {
    lead: &'static str,
    text: String,
    /// A shorter text, if that still says something.
    less: Option<String>,
    /// Whether the event can be dropped; the highest goes first.
    spare: u8,
    /// Whether it is a loss.
    loss: bool,
}

/// Summarizes events in at most so many words, if possible; each line with its prefix.
pub(super) fn in_few_words(events: &[Event], room: usize) -> Vec<(&'static str, String)> {
    // A roll without an outcome belongs to the roll before it.
    let weighs = |event: &&Event| !matches!(event, Event::Roll(roll) if roll.outcome.is_none());
    let next = |at: usize| events[at + 1..].iter().find(weighs);
    let all = events.iter().enumerate();
    let mut bits: Vec<Bit> = all.filter_map(|(at, event)| bit(event, next(at))).collect();
    let long = |bits: &[Bit]| bits.iter().map(|one| words(&one.text)).sum::<usize>() > room;
    while long(&bits) {
        let longest = |of: &dyn Fn(&Bit) -> bool| {
            let found = bits.iter().enumerate().filter(|(_, one)| of(one));
            found.max_by_key(|(_, one)| (one.spare, words(&one.text))).map(|(at, _)| at)
        };
        if let Some(at) = longest(&|one| one.less.is_some()) {
            bits[at].text = bits[at].less.take().unwrap_or_default();
        } else if let Some(at) = longest(&|one| one.spare > 0) {
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
            bits.push(Bit { lead: "", text, less: None, spare: 0, loss: true });
        }
        let others = bits.len() - 1;
        let at = bits[..others].iter().position(|one| !one.loss).unwrap_or(0);
        if others == 1 {
            break;
        }
        bits.remove(at);
        left += 1;
        if let Some(last) = bits.last_mut() {
            last.text = format!("({left} before: log)");
        }
    }
    let over = bits.iter().map(|one| words(&one.text)).sum::<usize>().saturating_sub(room);
    if let Some(first) = bits.first_mut().filter(|_| over > 0) {
        let most = words(&first.text).saturating_sub(over).max(LEAST);
        first.text = first_words(&first.text, most);
    }
    bits.into_iter().map(|one| (one.lead, one.text)).collect()
}

/// The first words of a text, with an ellipsis if there were more.
fn first_words(text: &str, most: usize) -> String {
    let all: Vec<&str> = text.split_whitespace().collect();
    match all.len() > most {
        true => format!("{} …", all[..most].join(" ")),
        false => text.to_owned(),
    }
}

/// Summarizes an event, given the one after it.
fn bit(event: &Event, next: Option<&Event>) -> Option<Bit> {
    let kept = |lead, text| Bit { lead, text, less: None, spare: 0, loss: false };
    let bit = match event {
        Event::Say { text } => {
            let text = wrap::without_drawings(&text::unmarked(text));
            let less = first_sentence(&text).map(|first| format!("{first} …"));
            Bit { less, spare: 1, ..kept("", text) }
        }
        Event::Note { text } => Bit { spare: 2, ..kept("", format!("({})", text::unmarked(text))) },
        Event::Heading { text } => kept("", format!("-- {} --", facts::line(text))),
        Event::Gain { text } => kept("+ ", text::unmarked(text)),
        Event::Loss { text } => Bit { loss: true, ..kept("- ", text::unmarked(text)) },
        // The next line may state the result of the roll.
        Event::Roll(roll) => {
            let told = matches!(next, Some(Event::Gain { .. } | Event::Loss { .. }));
            let spare = if told || roll.outcome.is_none() { 3 } else { 0 };
            Bit { spare, ..kept("* ", came_to(roll)) }
        }
    };
    (!bit.text.is_empty()).then_some(bit)
}

/// The outcome of a roll: `strike: 29 against 14: full`.
fn came_to(roll: &Roll) -> String {
    let short = Roll {
        notation: String::new(),
        dice: Vec::new(),
        dice_total: roll.total,
        modifiers: Vec::new(),
        added: Vec::new(),
        ..roll.clone()
    };
    facts::roll(&short).replace(":  ", ": ").trim().to_owned()
}

/// The first sentence of a text with more than one.
fn first_sentence(text: &str) -> Option<&str> {
    let ends = text.match_indices(['.', '!', '?']).map(|(at, sign)| at + sign.len());
    let closed = ends.map(|at| {
        let quote = text[at..].chars().next().filter(|c| "'\"”’".contains(*c));
        at + quote.map_or(0, char::len_utf8)
    });
    let mut inner = closed.filter(|at| text[*at..].starts_with([' ', '\n']));
    inner.next().map(|at| &text[..at]).filter(|first| words(first) > 1)
}
