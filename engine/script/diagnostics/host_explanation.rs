//! Explanations that need the host: a Problem gets them when it leaves the VM.

use crate::host::Host;
use base::Problem;
use base::problem::{nearest_name, searched_part};

/// Explains Problems that a script may catch.
pub(crate) trait HostExplanation {
    /// Adds an explanation for the time when the Problem leaves the VM.
    fn explain_in_host(
        self,
        explain: impl Fn(&Host, Problem) -> Problem + Send + Sync + 'static,
    ) -> Self;

    /// Suggests a definition of a kind.
    fn suggest_definition(self, kind: &str, id: &str) -> Self;

    /// Suggests one of a few names.
    fn suggest_word(self, word: &str, known: &'static [&'static str]) -> Self;
}

impl HostExplanation for Problem {
    fn explain_in_host(
        self,
        explain: impl Fn(&Host, Problem) -> Problem + Send + Sync + 'static,
    ) -> Self {
        self.explain_later(move |problem, host| match host.downcast_ref::<Host>() {
            Some(host) => explain(host, problem),
            None => problem,
        })
    }

    fn suggest_definition(self, kind: &str, id: &str) -> Self {
        let (kind, id) = (kind.to_owned(), searched_part(id));
        self.explain_in_host(move |host, problem| {
            problem.suggest_name(host.registry().suggest_id(&kind, &id))
        })
    }

    fn suggest_word(self, word: &str, known: &'static [&'static str]) -> Self {
        let word = searched_part(word);
        self.explain_later(move |problem, _| {
            problem.suggest_name(nearest_name(&word, known.iter().copied()))
        })
    }
}
