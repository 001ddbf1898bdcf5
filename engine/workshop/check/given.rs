//! What handlers and the function of `start` are given: whether what they read of it is ever there.

use std::sync::Arc;

use super::parts::is_new;
use crate::content::Way;
use crate::kit::problem::{nearest, one_of};
use crate::kit::{Problem, Severity};
use crate::mods::ModSet;
use crate::script::Vm;
use crate::workshop::lua::{Facts, Whole};

/// What a handler may be given, by the prompt that was answered.
const INPUT: [&str; 6] = ["id", "with", "ids", "number", "text", "asked"];

/// Looks at what is read of inputs and of options.
pub(super) fn look(vm: &Vm, mods: &ModSet, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let options: Vec<&str> = vm.registry().every("option").map(|one| one.id.name()).collect();
    let each = facts.iter().flat_map(|facts| facts.uses.parts.iter().map(move |one| (facts, one)));
    let problems = each.filter_map(|(facts, one)| {
        let (what, names) = match one.part.of {
            Whole::Input => ("input", &INPUT[..]),
            Whole::Options => ("options", &options[..]),
            _ => return None,
        };
        let Way::Name(name) = one.part.path.first()? else { return None };
        if names.contains(&name.as_str()) {
            return None;
        }
        let found = match what {
            "input" => format!("an input has no field `{name}`"),
            _ => format!("there is no option `{name}`"),
        };
        let problem = Problem::error("unknown-name", found).at(facts.place(one.line));
        let mut problem = match names {
            [] => problem.expected(format!("an option that the game declares: `option {name:?}`")),
            names => problem.expected(one_of(name, names.iter().copied())),
        };
        if let Some(near) = nearest(name, names.iter().copied()) {
            problem = problem.hint(format!("did you mean `{what}.{near}`?"));
        }
        if !is_new(mods, facts) {
            problem.severity = Severity::Warning;
        }
        Some(problem)
    });
    problems.collect()
}
