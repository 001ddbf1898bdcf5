//! The three strategies of an explorer: random choices, the least taken choice, the game's bots.

use std::collections::BTreeMap;

use base::Problem;
use protocol::{AcceptedInput, AnswerType, Choice, Input, StoryEvent};
use session::{Bot, RANDOM_BOT_ID, Session};

/// How often each choice was offered and taken, by scene and id.
pub(super) type ChoiceCounts = BTreeMap<(String, String), ChoiceCount>;

/// How often a choice was offered and taken.
#[derive(Clone, Debug, Default)]
pub(super) struct ChoiceCount {
    /// The handler of the choice.
    pub(super) handler: String,
    pub(super) times_offered: u64,
    pub(super) times_taken: u64,
}

/// The handler of every answer that is not one choice.
const ANSWER_HANDLER: &str = "answer";

/// The explorer of one run.
pub(super) struct Explorer<'a> {
    bot: Bot,
    /// Counts of earlier runs, for the strategy of the least taken choice.
    earlier_counts: Option<&'a ChoiceCounts>,
    /// Counts of this run.
    pub(super) choice_counts: ChoiceCounts,
}

impl<'a> Explorer<'a> {
    /// The explorer of the run with this index.
    pub(super) fn new(index: usize, seed: u64, bots: &[String], before: &'a ChoiceCounts) -> Self {
        let round = index / 3;
        let id = match (index % 3, bots.is_empty()) {
            (2, false) => &bots[round % bots.len()],
            _ => RANDOM_BOT_ID,
        };
        let before = (index % 3 == 1).then_some(before);
        Self { bot: Bot::new(id, seed), earlier_counts: before, choice_counts: ChoiceCounts::new() }
    }

    /// Chooses an answer.
    pub(super) fn choose_input(
        &mut self,
        run: &mut Session,
        events: &[StoryEvent],
    ) -> Result<AcceptedInput, Problem> {
        let mut input = self.bot.choose_input(run, events)?;
        let prompt = run.prompt();
        let open = || prompt.choices.iter().filter(|choice| choice.is_enabled());
        if let (Some(before), AnswerType::SingleChoice) = (self.earlier_counts, &prompt.answer_type)
        {
            let usage_score = |id: &str| {
                let key = (prompt.scene.clone(), id.to_owned());
                let taken =
                    |counts: &ChoiceCounts| counts.get(&key).map_or(0, |count| count.times_taken);
                // Choices of this run weigh more than those of earlier runs, so that a choice that
                // leads nowhere is soon left. Earlier counts enter with their logarithm.
                u64::from((taken(before) + 1).ilog2()) + 8 * taken(&self.choice_counts)
            };
            let lowest_score = open().map(|choice| usage_score(&choice.id)).min().unwrap_or(0);
            // Among equally rare choices, the random one wins if it is one of them, else the first.
            let taken = matches!(&*input, Input::Choice(id) if usage_score(id) == lowest_score);
            let first = open().find(|choice| usage_score(&choice.id) == lowest_score);
            if let (false, Some(Ok(first))) = (taken, first.map(Choice::accept)) {
                input = first;
            }
        }
        for choice in open() {
            let count =
                self.choice_counts.entry((prompt.scene.clone(), choice.id.clone())).or_default();
            let on = if prompt.answer_type == AnswerType::SingleChoice {
                choice.handler_name.as_ref().unwrap_or(&choice.id)
            } else {
                ANSWER_HANDLER
            };
            on.clone_into(&mut count.handler);
            count.times_offered += 1;
        }
        // A question without choices counts as asked and answered.
        if let Input::Number(_) | Input::Text(_) = &*input {
            let key = (prompt.scene.clone(), ANSWER_HANDLER.to_owned());
            let count = self.choice_counts.entry(key).or_default();
            (count.times_offered, count.times_taken) =
                (count.times_offered + 1, count.times_taken + 1);
        }
        let taken: &[String] = match &*input {
            Input::Choice(id) => std::slice::from_ref(id),
            Input::Choices(ids) => ids,
            Input::Number(_) | Input::Text(_) => &[],
        };
        for id in taken {
            self.choice_counts
                .entry((prompt.scene.clone(), id.clone()))
                .or_default()
                .times_taken += 1;
        }
        Ok(input)
    }
}

/// Adds the counts of one run.
pub(super) fn add_choice_counts(all: &mut ChoiceCounts, one: ChoiceCounts) {
    for (key, count) in one {
        let sum = all.entry(key).or_default();
        sum.handler = count.handler;
        sum.times_offered += count.times_offered;
        sum.times_taken += count.times_taken;
    }
}
