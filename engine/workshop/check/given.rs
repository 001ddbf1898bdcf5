//! What handlers, the function of `start` and bots are given: whether what they read of it is ever there.

use std::sync::Arc;

use super::parts::{graded, name_of};
use crate::content::Way;
use crate::kit::Problem;
use crate::kit::problem::{nearest, one_of};
use crate::mods::ModSet;
use crate::script::Vm;
use crate::workshop::lua::{Facts, PartUse, Whole};

/// What a handler may be given, by the prompt that was answered.
const INPUT: [&str; 6] = ["id", "with", "ids", "number", "text", "asked"];

/// What a bot is shown.
const SEEN: [&str; 5] = ["prompt", "view", "events", "facts", "parameters"];

/// Looks at what is read of inputs, of options and of what bots see.
pub(super) fn look(vm: &Vm, mods: &ModSet, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let options: Vec<&str> = vm.registry().every("option").map(|one| one.id.name()).collect();
    let each = facts.iter().flat_map(|facts| facts.uses.parts.iter().map(move |one| (facts, one)));
    let problems = each.filter_map(|(facts, one)| {
        let (what, names) = match one.part.of {
            Whole::Input => ("input", &INPUT[..]),
            Whole::Options => ("options", &options[..]),
            Whole::Seen => ("seen", &SEEN[..]),
            Whole::State if one.of_bot => return Some(of_bot(mods, facts, one)),
            _ => return None,
        };
        let Way::Name(name) = one.part.path.first()? else { return None };
        if names.contains(&name.as_str()) {
            return None;
        }
        let found = match what {
            "input" => format!("an input has no field `{name}`"),
            "seen" => format!("what a bot sees has no field `{name}`"),
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
        Some(graded(mods, facts, problem))
    });
    problems.collect()
}

/// The Problem of a bot that looks at a run from within.
fn of_bot(mods: &ModSet, facts: &Facts, one: &PartUse) -> Problem {
    let name = name_of(&one.part.path);
    let found = format!("a bot looks at `{name}`, and has no run before it");
    let problem = Problem::error("unknown-name", found)
        .at(facts.place(one.line))
        .expected("what a player has, `seen.prompt`, `seen.view`, `seen.events`; what it is told, `seen.facts`; and its memory")
        .hint(format!(
            "declare `fact \"…\" {{ tell = function() return {name} end }}`, name it in the bot's `facts` and read `seen.facts.…`"
        ));
    graded(mods, facts, problem)
}
