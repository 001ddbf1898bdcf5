//! Diagnosis of a failed step: finds the line that wrote a wrong value which another line could not
//! use. The step runs once more to collect wrong writes, and is rolled back. So a successful step
//! costs nothing.

use super::step::{Session, StepTask};
use base::{Code, Problem, SourceLocation};
use dice::RandomStreams;
use script::WrongWrite;

/// The codes of Problems that a wrong value cannot cause.
const LIMIT_CODES: [Code; 4] =
    [Code::OutOfFuel, Code::OutOfMemory, Code::TooSlow, Code::StateWrongValue];

impl Session {
    /// Attributes the Problem of a failed, rolled back task to a wrong write. If the failure
    /// mentions the written field, the Problem moves to the line of the write. Any other wrong
    /// write becomes a related location. Runs only if the player sees which mods are at fault.
    pub(super) fn attribute_to_wrong_write(
        &mut self,
        task: &StepTask,
        dice: Option<RandomStreams>,
        problem: Problem,
    ) -> Problem {
        let needs_cause =
            self.disabling_command_flags.is_some() || matches!(task, StepTask::Start(_));
        if !needs_cause
            || self.is_strict
            || LIMIT_CODES.contains(&problem.code)
            || !self.vm.is_usable()
        {
            return problem;
        }
        self.vm.collect_wrong_writes();
        let mark = self.world.open_savepoint();
        let outcome = self.run_task(task);
        self.roll_back(mark, dice);
        let mut writes = self.vm.take_wrong_writes();
        let is_same_failure = outcome.is_err_and(|repeated| repeated.message == problem.message);
        if !is_same_failure {
            return problem;
        }
        let related_index = writes.iter().rposition(|write| mentions_field(&problem, write));
        match related_index {
            Some(index) => problem_at_write(writes.swap_remove(index), problem),
            None => {
                let places = writes.pop().and_then(|write| write.type_problem.place);
                problem.add_related_locations(places)
            }
        }
    }
}

/// Whether a Problem or one of its excerpts mentions the written field.
fn mentions_field(problem: &Problem, write: &WrongWrite) -> bool {
    let field = write.path.rsplit('.').next().unwrap_or_default();
    let field = field.split('[').next().unwrap_or_default();
    let excerpts = problem.place.iter().chain(&problem.related_locations).filter_map(excerpt);
    let mut texts = excerpts.chain([&*problem.message]).chain(problem.hint.as_deref());
    texts.any(|text| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == field)
    })
}

fn excerpt(place: &SourceLocation) -> Option<&str> {
    place.excerpt.as_deref()
}

/// The Problem of the write, with the failure that it caused.
fn problem_at_write(write: WrongWrite, failure: Problem) -> Problem {
    let mut problem = write.type_problem;
    problem.message = format!("{}; later in the step: {}", problem.message, failure.message);
    let places = failure.place.into_iter().chain(failure.related_locations);
    problem
        .related_locations
        .splice(0..0, places.filter(|place| Some(place) != problem.place.as_ref()));
    problem
}
