//! Names in functions that nobody has run: whether each is there for the file that uses it, and whether
//! functions of the host are given what they need. What is told is what running the line would come to.

use super::suits::found;
use crate::kit::Problem;
use crate::kit::problem::nearest;
use crate::mods::ModSet;
use crate::script::{Named, Row, Vm, surface};
use crate::workshop::lua::{Calling, Facts, Said};

/// Functions of the host that are given something by its id, and the kind of it.
const GIVEN: [(&str, &str); 4] =
    [("go", "scene"), ("push", "scene"), ("ask", "scene"), ("proceed", "stage")];

/// Looks at the names in all files.
pub(super) fn look(vm: &Vm, mods: &ModSet, facts: &[Facts]) -> Vec<Problem> {
    let rows = surface();
    let mut problems = Vec::new();
    for facts in facts {
        problems.extend(names(vm, facts));
        let calls = facts.uses.calls.iter();
        problems.extend(calls.clone().filter_map(|call| counted(&rows, facts, call)));
        problems.extend(calls.filter_map(|call| suited(&rows, facts, call)));
        problems.extend(settings(mods, facts));
    }
    problems
}

fn names<'t>(vm: &'t Vm, facts: &'t Facts) -> impl Iterator<Item = Problem> + 't {
    let globals = facts.uses.globals.values().filter_map(move |global| {
        let named = match &global.field {
            _ if global.assigned => Named::Assigned(&global.name),
            Some(field) => Named::Within(&global.name, field),
            None => Named::Global(&global.name),
        };
        vm.missing(&facts.place(global.line), named)
    });
    let given = facts.words.iter().filter_map(move |word| {
        let (verb, kind) = GIVEN.iter().find(|(verb, _)| *verb == word.callee)?;
        vm.missing(&facts.place(word.line), Named::Called(kind, verb, &word.text))
    });
    globals.chain(given)
}

/// Whether a function of the host is given as many arguments as it takes.
fn counted(rows: &[Row], facts: &Facts, call: &Calling) -> Option<Problem> {
    let row = rows.iter().find(|row| row.name == call.name)?;
    let takes = row.takes?;
    let needed = |(_, ty): &&(&str, &str)| !ty.ends_with('?') && *ty != "any";
    let least = takes.iter().rposition(|one| needed(&one)).map_or(0, |last| last + 1);
    let arguments = |count: usize| match count {
        0 => "nothing".to_owned(),
        1 => "one argument".to_owned(),
        more => format!("{more} arguments"),
    };
    let given = call.arguments;
    let found = match given {
        _ if given < least && !call.open => {
            let missing: Vec<String> =
                takes[given..least].iter().map(|(name, _)| format!("`{name}`")).collect();
            let found = format!("`{}` is given {}", row.name, arguments(given));
            let missing = format!("what is missing: {}", missing.join(", "));
            Problem::error("too-few-arguments", found).hint(missing)
        }
        _ if given > takes.len() => {
            let found = format!("`{}` is given {}", row.name, arguments(given));
            Problem::warning("too-many-arguments", found)
                .hint("what is more than it takes is passed over; take it out")
        }
        _ => return None,
    };
    let signature = format!("{}{}", row.name, row.signature());
    Some(found.at(facts.place(call.line)).expected(signature))
}

/// Whether what a function of the host is given is of the type that it takes.
fn suited(rows: &[Row], facts: &Facts, call: &Calling) -> Option<Problem> {
    let row = rows.iter().find(|row| row.name == call.name)?;
    let takes = row.takes?.iter().zip(&call.said);
    let (said, (name, _)) = takes.map(|(takes, said)| (said, takes)).find(|(said, (_, ty))| {
        let may_lack = ty.ends_with('?');
        match (ty.trim_end_matches('?'), said) {
            (_, Said::Untold) => false,
            (_, Said::Nil) => !may_lack && ["string", "number", "boolean"].contains(ty),
            ("string", said) => !matches!(said, Said::Text(_)),
            ("number", said) => !matches!(said, Said::Number(_)),
            ("boolean", said) => !matches!(said, Said::Truth),
            _ => false,
        }
    })?;
    let found = format!("`{}` is given {} as `{name}`", row.name, found(said));
    let signature = format!("{}{}", row.name, row.signature());
    Some(Problem::error("wrong-type", found).at(facts.place(call.line)).expected(signature))
}

/// Settings that the mod's manifest does not declare.
fn settings<'t>(mods: &'t ModSet, facts: &'t Facts) -> impl Iterator<Item = Problem> + 't {
    let manifest = mods.get(&facts.owner).map(|source| &source.manifest);
    facts.uses.globals.values().filter_map(move |global| {
        let declared = &manifest?.settings;
        let name = global.field.as_ref().filter(|_| global.name == "settings")?;
        if declared.contains_key(name) {
            return None;
        }
        let problem = Problem::error("unknown-setting", format!("there is no `settings.{name}`"))
            .at(facts.place(global.line))
            .expected(format!("what mod.toml declares: `[settings.{name}]`"));
        Some(match nearest(name, declared.keys().map(String::as_str)) {
            Some(near) => problem.hint(format!("did you mean `settings.{near}`?")),
            None => problem,
        })
    })
}
