//! Rolls in the story as short marks: `[d20 14+3, 17 vs 15]` at the end of the sentence that tells
//! what came of them. A longer list of rolls has lines of its own.

use super::super::display_text;
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
    /// Of an entry. `first_not_shown` is moved past the rolls that are shown now: the last ones may
    /// be shown before their sentence is told.
    pub(super) fn of_item(items: &[StoryItem], at: usize, first_not_shown: &mut usize) -> Self {
        let roll = |at: usize| match items.get(at) {
            Some(StoryItem::Event(StoryEvent::Roll(roll))) => Some(&**roll),
            _ => None,
        };
        let rolls = |from: usize| (from..).map_while(roll).collect::<Vec<_>>();
        if roll(at).is_some() {
            if at < *first_not_shown {
                return Self::ShownElsewhere;
            }
            let run = rolls(at);
            let belongs_to_sentence =
                run.len() <= MAX_ROLLS_IN_MARK && is_sentence(items.get(at + run.len()));
            let starts_run = at == 0 || at == *first_not_shown || roll(at - 1).is_none();
            return match belongs_to_sentence {
                true => Self::ShownElsewhere,
                false if starts_run => {
                    *first_not_shown = at + run.len();
                    Self::OwnLines(mark_text(&run, true))
                }
                false => Self::ShownElsewhere,
            };
        }
        if !is_sentence(items.get(at)) {
            return Self::Unfolded;
        }
        let first = (*first_not_shown..at).rev().take_while(|at| roll(*at).is_some()).last();
        let run = rolls(first.unwrap_or(at));
        *first_not_shown = at;
        Self::Mark(if run.is_empty() { String::new() } else { mark_text(&run, false) })
    }
}

/// Whether an entry is a sentence into which rolls can be folded.
fn is_sentence(item: Option<&StoryItem>) -> bool {
    let Some(StoryItem::Event(event)) = item else { return false };
    !matches!(event, StoryEvent::Heading { .. } | StoryEvent::Roll(_))
}

fn mark_text(rolls: &[&RollEvent], has_labels: bool) -> String {
    let each = rolls.iter().map(|roll| display_text::short_roll_text(roll, has_labels));
    format!("[{}]", each.collect::<Vec<_>>().join("; "))
}
