//! A player made of rules: a game's own bot, or the host's, which takes any open choice. It sees what a
//! player sees, as far as it asks for it, and draws from a stream of its own outside the run.

use super::session::Session;
use crate::kit::Problem;
use crate::play::{Ask, Event, Input, Prompt, World};
use crate::script::Seen;

/// The id of the host's own bot: it takes any open choice, each as readily.
pub const RANDOM: &str = "random";

/// A player made of rules.
pub struct Bot {
    id: String,
    memory: World,
}

impl Bot {
    /// A bot of that id, whose own dice have that seed.
    pub fn new(id: &str, seed: u64) -> Self {
        Self { id: id.to_owned(), memory: World::new(seed) }
    }

    /// What it answers where a session stands. `told` is what it was told since it was last asked.
    pub fn choose(&mut self, session: &mut Session, told: &[Event]) -> Result<Input, Problem> {
        if self.id == RANDOM {
            return self.random(session.prompt());
        }
        let looks = session.vm().shows(&self.id, "view");
        if looks {
            session.look()?;
        }
        let facts = &session.facts(&self.id)?;
        let view = looks.then(|| session.view());
        let events = session.vm().shows(&self.id, "events").then_some(told);
        let seen = Seen { prompt: session.prompt(), view, events, facts };
        session.vm().choose(&self.id, &mut self.memory, &seen)
    }

    fn random(&mut self, prompt: &Prompt) -> Result<Input, Problem> {
        let open: Vec<&str> = prompt
            .choices
            .iter()
            .filter(|choice| choice.closed.is_none())
            .map(|choice| choice.id.as_str())
            .collect();
        Ok(match &prompt.ask {
            Ask::One => Input::Choice(open[self.below(open.len())].to_owned()),
            Ask::Many { min, max } => {
                let count = min + self.below(max.min(&open.len()) - min + 1);
                let mut left: Vec<usize> = (0..open.len()).collect();
                let mut chosen: Vec<usize> =
                    (0..count).map(|_| left.remove(self.below(left.len()))).collect();
                chosen.sort_unstable();
                Input::Many(chosen.into_iter().map(|at| open[at].to_owned()).collect())
            }
            Ask::Number { min, max, .. } => {
                let span = usize::try_from(max - min).unwrap_or(usize::MAX).saturating_add(1);
                let step = i64::try_from(self.below(span)).unwrap_or(0);
                Input::Number(min + step)
            }
            Ask::Text { default, .. } => Input::Text(default.clone()),
        })
    }

    /// A number from 0 to below `count`.
    fn below(&mut self, count: usize) -> usize {
        let sides = u32::try_from(count.max(1)).unwrap_or(u32::MAX);
        self.memory.dice.draw("host:bot", sides) as usize - 1
    }
}
