//! Calls in functions that nobody has run: whether each is given what the function is declared to take, be it
//! one of the host's, a rule or what a mod exports. Where only running tells, nothing is said.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::moments::named;
use super::parts::is_new;
use super::suits::{Suits, found};
use crate::content::{Argument, Come, FieldType, Kind, Shapes, Signature, Way, follow};
use crate::kit::{Place, Problem, Severity};
use crate::mods::ModSet;
use crate::script::{Vm, surface};
use crate::workshop::lua::{Calling, Facts, From, Said, Whole};

/// Looks at the calls in all files.
pub(super) fn look(look: &Look<'_>, facts: &[Rc<Facts>]) -> Vec<Problem> {
    let each = facts.iter().flat_map(|facts| {
        facts.uses.calls.iter().filter_map(|call| look.call(facts, call)).collect::<Vec<_>>()
    });
    each.collect()
}

/// What a function takes and gives, and where a mod wrote it.
type Told = Rc<(Signature, Place)>;

/// A look at what functions are given, and what they give.
pub(super) struct Look<'t> {
    pub(super) vm: &'t Vm,
    pub(super) mods: &'t ModSet,
    moments: &'t [Kind],
    shapes: &'t Shapes,
    /// The host's own, by name.
    host: BTreeMap<&'static str, Told>,
    /// What was read so far of others, by whole id.
    read: RefCell<BTreeMap<String, Option<Told>>>,
}

impl<'t> Look<'t> {
    /// A look at what these mods declare.
    pub(super) fn new(
        vm: &'t Vm,
        mods: &'t ModSet,
        (moments, shapes): (&'t [Kind], &'t Shapes),
    ) -> Self {
        let names = |name: &str| vm.type_named("", "", name);
        let host = surface().into_iter().filter_map(|row| {
            let signature = Signature::of(row.takes?, row.gives, &names);
            Some((row.name, Rc::new((signature, Place::default()))))
        });
        Self { vm, mods, moments, shapes, host: host.collect(), read: RefCell::default() }
    }

    /// What the way to a part of the state or of an event comes to.
    pub(super) fn follow(&self, of: &Whole, path: &[Way]) -> Option<Come<'t>> {
        match of {
            Whole::State => Some(self.shapes.follow(path)),
            Whole::Event(name) => {
                let moment = self.moments.iter().find(|one| *one.name == **name)?;
                Some(follow(&moment.fields, path))
            }
            Whole::Given(_) => None,
        }
    }

    /// The function that a mod means by a name.
    pub(super) fn told(&self, owner: &str, name: &str) -> Option<Told> {
        if let Some(told) = self.host.get(name) {
            return Some(told.clone());
        }
        let one = self.vm.function_named(owner, name)?;
        let key = format!("{} {}", one.kind, one.id);
        if let Some(told) = self.read.borrow().get(&key) {
            return told.clone();
        }
        // Whoever puts something around it may take more, or do with less.
        let whole = one.changes.is_empty().then(|| self.vm.described(one).signature).flatten();
        let told = whole.map(|signature| Rc::new((signature, one.place.clone())));
        self.read.borrow_mut().insert(key, told.clone());
        told
    }

    fn call(&self, facts: &Facts, call: &Calling) -> Option<Problem> {
        let told = self.told(&facts.owner, &call.name)?;
        let (signature, place) = &*told;
        let problem = counted(signature, call).or_else(|| self.suited(facts, signature, call))?;
        let mut problem = match problem.place {
            Some(_) => problem,
            None => problem.at(facts.place(call.line)),
        };
        if place.line > 0 && !is_new(self.mods, facts) {
            problem.severity = Severity::Warning;
        }
        let name = &call.name;
        let expected = match signature.written.starts_with(':') {
            true => name.clone(),
            false => format!("{name}{signature}"),
        };
        let problem = if problem.expected.is_some() { problem } else { problem.expected(expected) };
        Some(if place.line > 0 { problem.by_way_of(place.clone()) } else { problem })
    }

    /// Whether what it is given is of the types that it takes.
    fn suited(&self, facts: &Facts, signature: &Signature, call: &Calling) -> Option<Problem> {
        let suits = Suits { registry: self.vm.registry() };
        let nothing = |_: &Argument| None;
        signature.takes.iter().enumerate().find_map(|(at, one)| {
            let Some(said) = call.said.get(at) else { return nothing(one) };
            let from = call.from.get(at).and_then(Option::as_ref);
            let given = |what: &str| format!("`{}` is given {what} as `{}`", call.name, one.name);
            if let (Said::Untold, Some(from)) = (said, from) {
                let (what, ty) = self.come_from(facts, from)?;
                let differs = apart(&one.ty, &ty);
                return differs
                    .then(|| Problem::error("wrong-type", given(&format!("{what}, {ty},"))));
            }
            if *said == Said::Nil {
                let plain = matches!(one.ty, FieldType::Text | FieldType::Number | FieldType::Bool);
                let lacks = plain && !one.optional;
                return lacks.then(|| Problem::error("wrong-type", given("nothing")));
            }
            let wrong = suits.look(&one.ty, said, call.line).into_iter().next()?;
            let what = wrong.found.clone().unwrap_or_else(|| "what it does not know".to_owned());
            let problem = match wrong.way.is_empty() {
                true => Problem::error("wrong-type", given(&found(said))),
                false => Problem::error(
                    "wrong-type",
                    format!("`{}` is given {what} as `{}{}`", call.name, one.name, wrong.way),
                )
                .expected(wrong.expected),
            };
            let problem = problem.at(facts.place(wrong.line));
            Some(wrong.hint.into_iter().fold(problem, Problem::hint))
        })
    }

    /// What a value is that comes from elsewhere, as it is declared there.
    pub(super) fn come_from(&self, facts: &Facts, from: &From) -> Option<(String, FieldType)> {
        match from {
            From::Part(part) => {
                let come = self.follow(&part.of, &part.path)?;
                let Come::To(ty) = come else { return None };
                Some((named(part), ty.clone()))
            }
            From::Call(name) => {
                let told = self.told(&facts.owner, name)?;
                let (ty, _) = told.0.gives.clone()?;
                Some((format!("what `{name}` gives"), ty))
            }
        }
    }
}

/// Whether a function is given as many arguments as it takes.
fn counted(signature: &Signature, call: &Calling) -> Option<Problem> {
    let least = signature.least();
    let arguments = |count: usize| match count {
        0 => "nothing".to_owned(),
        1 => "one argument".to_owned(),
        more => format!("{more} arguments"),
    };
    let given = call.arguments;
    let found = format!("`{}` is given {}", call.name, arguments(given));
    if given < least && !call.open {
        let missing = signature.takes[given..least].iter().filter(|one| !one.optional);
        let missing: Vec<String> = missing.map(|one| format!("`{}`", one.name)).collect();
        let missing = format!("what is missing: {}", missing.join(", "));
        return Some(Problem::error("too-few-arguments", found).hint(missing));
    }
    (given > signature.takes.len() && !signature.more).then(|| {
        Problem::warning("too-many-arguments", found)
            .hint("what is more than it takes is passed over; take it out")
    })
}

/// Whether nothing can be of both types.
fn apart(one: &FieldType, other: &FieldType) -> bool {
    match (sorts(one), sorts(other)) {
        (Some(these), Some(those)) => !these.iter().any(|sort| those.contains(sort)),
        _ => false,
    }
}

/// The sorts of values that a type has; nothing if it may be any.
pub(super) fn sorts(ty: &FieldType) -> Option<Vec<&'static str>> {
    Some(match ty {
        FieldType::Any => return None,
        FieldType::Text | FieldType::Line(_) | FieldType::OneOf(_) | FieldType::Ref(_) => {
            vec!["text"]
        }
        FieldType::Int { .. } | FieldType::Number => vec!["number"],
        FieldType::Bool => vec!["truth"],
        FieldType::Fn => vec!["function"],
        FieldType::List(_) | FieldType::Map(_) | FieldType::Record(_) => vec!["table"],
        FieldType::Either(types) => {
            let all: Option<Vec<_>> = types.iter().map(sorts).collect();
            all?.concat()
        }
    })
}
