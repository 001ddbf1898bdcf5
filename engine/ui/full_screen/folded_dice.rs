//! Rolls in the story as short marks: `[d20 14+3, 17 vs 15]` at the end of the sentence that tells
//! what came of them. A longer list of rolls has lines of its own.

use super::super::display_text::{markup_on_one_line, short_roll_text};
use super::story_pane::StoryItem;
use protocol::StoryEvent;
use protocol::story_event::RollEvent;

/// So many rolls are folded into one sentence; more are a list, as the first throws of a party.
const MAX_ROLLS_IN_MARK: usize = 2;

/// Where the rolls beside an entry are shown.
pub(super) enum FoldedDice {
    /// The entry is shown with this mark at its end, which may be empty.
    Mark(String),
    /// The entry is shown as it is.
    Unfolded,
    /// The entry is a roll that a sentence or an earlier line shows.
    ShownElsewhere,
    /// The entry is the first of some rolls without a sentence.
    OwnLines(String),
}

impl FoldedDice {
    /// Of an entry. `first_not_shown` is moved past rolls with lines of their own: the last ones may
    /// be shown before a sentence follows.
    pub(super) fn of_item(items: &[StoryItem], at: usize, first_not_shown: &mut usize) -> Self {
        let roll = |at: usize| match items.get(at) {
            Some(StoryItem::Event(StoryEvent::Roll(roll))) => Some(&**roll),
            _ => None,
        };
        let rolls = |from: usize| (from..).map_while(roll).collect::<Vec<_>>();
        if roll(at).is_some() {
            let run = rolls(at);
            let belongs_to_sentence =
                run.len() <= MAX_ROLLS_IN_MARK && is_sentence(items.get(at + run.len()));
            if at < *first_not_shown || belongs_to_sentence {
                return Self::ShownElsewhere;
            }
            *first_not_shown = at + run.len();
            return Self::OwnLines(mark_text(&run, roll_with_label));
        }
        if !is_sentence(items.get(at)) {
            return Self::Unfolded;
        }
        let first = (*first_not_shown..at).rev().take_while(|at| roll(*at).is_some()).last();
        let run = first.map(rolls).unwrap_or_default();
        Self::Mark(if run.is_empty() { String::new() } else { mark_text(&run, short_roll_text) })
    }
}

/// Whether an entry is a sentence into which rolls can be folded.
fn is_sentence(item: Option<&StoryItem>) -> bool {
    let Some(StoryItem::Event(event)) = item else { return false };
    !matches!(event, StoryEvent::Heading { .. } | StoryEvent::Roll(_))
}

fn mark_text(rolls: &[&RollEvent], roll_text: fn(&RollEvent) -> String) -> String {
    let each = rolls.iter().map(|roll| roll_text(roll));
    format!("[{}]", each.collect::<Vec<_>>().join("; "))
}

fn roll_with_label(roll: &RollEvent) -> String {
    format!("{} {}", markup_on_one_line(&roll.label), short_roll_text(roll)).trim_start().to_owned()
}
