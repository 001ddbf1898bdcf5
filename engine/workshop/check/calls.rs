//! Checks calls in functions: whether each call passes what the function is declared to take. This
//! covers host functions, rules and exports of mods. A value that is known only at run time is not
//! reported.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::known::event_of;
use super::moments::named;
use super::required::Files;
use super::suits::{Suits, found};
use crate::content::{
    Argument, Come, Field, FieldType, Kind, Shapes, Signature, Way, follow, follow_in,
};
use crate::kit::problem::nearest;
use crate::kit::text;
use crate::kit::{Place, Problem};
use crate::script::{Vm, surface, unfilled};
use crate::workshop::lua::{Calling, Facts, From, Part, Required, Said, Whole};

/// Checks the calls in all files.
pub(super) fn look(look: &Look<'_>, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let each = facts.iter().flat_map(|facts| {
        facts.uses.calls.iter().filter_map(|call| look.call(facts, call)).collect::<Vec<_>>()
    });
    each.collect()
}

/// Functions that fill the marks of a text.
const TELLING: [&str; 6] = ["say", "heading", "note", "gain", "loss", "fill"];

/// The signature of a function, and where a mod declares it.
type Told = Rc<(Signature, Place)>;

/// What the checks of literals need: the declarations of all mods, and the types of values.
pub(super) struct Look<'t> {
    pub(super) vm: &'t Vm,
    moments: &'t [Kind],
    shapes: &'t Shapes,
    /// The types of values that come from elsewhere.
    pub(super) types: OnceCell<BTreeMap<Whole, FieldType>>,
    /// Host functions by name.
    host: BTreeMap<&'static str, Told>,
    /// The files of all mods.
    pub(super) files: Files<'t>,
    /// Functions of mods that were looked up already, by whole id.
    read: RefCell<BTreeMap<String, Option<Told>>>,
    /// Functions that were looked up already, by mod and name.
    meant: RefCell<BTreeMap<String, BTreeMap<String, Option<Told>>>>,
}

impl<'t> Look<'t> {
    /// A context for these mods.
    pub(super) fn new(
        vm: &'t Vm,
        (moments, shapes): (&'t [Kind], &'t Shapes),
        facts: &'t [Arc<Facts>],
    ) -> Self {
        let names = |name: &str| vm.type_named("", "", name);
        let host = surface().into_iter().filter_map(|row| {
            let signature = Signature::of(row.takes?, row.gives, &names);
            Some((row.name, Rc::new((signature, Place::default()))))
        });
        let (read, meant) = Default::default();
        let files = Files::of(facts);
        let types = OnceCell::new();
        let look = Self { vm, moments, shapes, types, host: host.collect(), files, read, meant };
        let types = super::known::types(&look, facts);
        assert!(look.types.set(types).is_ok(), "they are looked for once");
        look
    }

    /// Follows a path into the state, an event or another typed value.
    pub(super) fn follow(&self, of: &Whole, path: &[Way]) -> Option<Come<'_>> {
        match of {
            Whole::State => Some(self.shapes.follow(path)),
            Whole::Given(_) | Whole::Input(_) | Whole::Options | Whole::Seen(_) => None,
            _ => match event_of(self.vm.registry(), of) {
                Some(name) => {
                    let moment = self.moments.iter().find(|one| *one.name == *name)?;
                    Some(follow(&moment.fields, path))
                }
                None => Some(follow_in(self.types.get()?.get(of)?, path)),
            },
        }
    }

    /// The function that a name means in a file; with `of`, a function of a required file.
    pub(super) fn told(&self, facts: &Facts, name: &str, of: Option<&Required>) -> Option<Told> {
        if let Some(of) = of {
            let place = self.files.function(facts, of, name.split_once('.')?.1)?;
            return self.vm.signature_at(&place).map(|signature| Rc::new((signature, place)));
        }
        let owner = &*facts.owner;
        if let Some(told) = self.host.get(name) {
            return Some(told.clone());
        }
        if let Some(told) = self.meant.borrow().get(owner).and_then(|names| names.get(name)) {
            return told.clone();
        }
        let told = self.read(owner, name);
        let mut meant = self.meant.borrow_mut();
        meant.entry(owner.to_owned()).or_default().insert(name.to_owned(), told.clone());
        told
    }

    /// Looks up a function of a mod.
    fn read(&self, owner: &str, name: &str) -> Option<Told> {
        let one = self.vm.function_named(owner, name)?;
        let key = format!("{} {}", one.kind, one.id);
        if let Some(told) = self.read.borrow().get(&key) {
            return told.clone();
        }
        // An override may take more or fewer arguments.
        let whole = one.changes.is_empty().then(|| self.vm.described(one).signature).flatten();
        let told = whole.map(|signature| Rc::new((signature, one.place.clone())));
        self.read.borrow_mut().insert(key, told.clone());
        told
    }

    fn call(&self, facts: &Facts, call: &Calling) -> Option<Problem> {
        let Some(told) = self.told(facts, &call.name, call.of.as_ref()) else {
            return self.asked_of_a_function(facts, call);
        };
        let (signature, place) = &*told;
        let problem = counted(signature, call)
            .or_else(|| self.suited(facts, signature, call))
            .or_else(|| self.unfilled(call))
            .or_else(|| without_an_outcome(call))?;
        let problem = match problem.place {
            Some(_) => problem,
            None => problem.at(facts.place(call.line)),
        };
        let name = &shown(&call.name);
        let expected = match signature.written.starts_with(':') {
            true => name.clone(),
            false => format!("{name}{signature}"),
        };
        let problem = if problem.expected.is_some() { problem } else { problem.expected(expected) };
        Some(if place.line > 0 { problem.by_way_of(place.clone()) } else { problem })
    }

    /// For `fight.harm.hard(…)`, where `fight.harm` is a function.
    fn asked_of_a_function(&self, facts: &Facts, call: &Calling) -> Option<Problem> {
        let (function, name) =
            call.name.rsplit_once('.').filter(|(front, _)| front.contains('.'))?;
        let told = self.told(facts, function, call.of.as_ref())?;
        let found = format!("`{function}` is a function and has no field `{name}`");
        let problem = Problem::error("unknown-name", found)
            .at(facts.place(call.line))
            .expected(format!("`{function}(…)`"))
            .hint("a module contains functions, not further modules");
        Some(if told.1.line > 0 { problem.by_way_of(told.1.clone()) } else { problem })
    }

    /// Checks the types of the arguments.
    fn suited(&self, facts: &Facts, signature: &Signature, call: &Calling) -> Option<Problem> {
        let suits = Suits { registry: self.vm.registry(), whole: false };
        let nothing = |_: &Argument| None;
        signature.takes.iter().enumerate().find_map(|(at, one)| {
            let Some(said) = call.said.get(at) else { return nothing(one) };
            let from = call.from.get(at).and_then(Option::as_ref);
            let name = shown(&call.name);
            let given = |what: &str| format!("`{name}` is given {what} as `{}`", one.name);
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
            let Some(wrong) = suits.look(&one.ty, said, call.line).into_iter().next() else {
                let field = lacking(&one.ty, said)?;
                let found = format!("`{name}` is given no `{}.{}`", one.name, field.name);
                return Some(Problem::error("wrong-type", found).expected(field.ty.to_string()));
            };
            let what = wrong.found.clone().unwrap_or_else(|| "an undeclared field".to_owned());
            let problem = match wrong.way.is_empty() {
                true => Problem::error("wrong-type", given(&found(said))),
                false => Problem::error(
                    "wrong-type",
                    format!("`{name}` is given {what} as `{}{}`", one.name, wrong.way),
                )
                .expected(wrong.expected),
            };
            let problem = problem.at(facts.place(wrong.line));
            Some(problem.maybe_hint(wrong.hint))
        })
    }

    /// The fields of a path that leads to a table.
    fn fields(&self, part: &Part) -> Option<&[Field]> {
        if let (Some(name), []) = (event_of(self.vm.registry(), &part.of), &*part.path) {
            let moment = self.moments.iter().find(|one| *one.name == *name)?;
            return Some(&moment.fields);
        }
        match self.follow(&part.of, &part.path)? {
            Come::To(FieldType::Record(fields)) => Some(fields),
            _ => None,
        }
    }

    /// A mark of a text that no value fills, if both are written out.
    fn unfilled(&self, call: &Calling) -> Option<Problem> {
        if call.of.is_some() || !TELLING.contains(&call.name.as_str()) {
            return None;
        }
        let Some(Said::Text(Some(written))) = call.said.first() else { return None };
        let names: Vec<&str> = match (call.said.get(1), call.from.get(1).and_then(Option::as_ref)) {
            (None | Some(Said::Nil), _) if !call.open => Vec::new(),
            (Some(Said::Table(values)), _) if !values.open => {
                values.named.iter().map(|(name, _, _)| &**name).collect()
            }
            (Some(Said::Untold), Some(From::Part(part))) => {
                self.fields(part)?.iter().map(|field| &*field.name).collect()
            }
            _ => return None,
        };
        let mark = text::unfilled(written, &names)?;
        Some(unfilled(&format!("the text of {}", call.name), mark, &names))
    }

    /// The declared type of a value that comes from elsewhere.
    pub(super) fn come_from(&self, facts: &Facts, from: &From) -> Option<(String, FieldType)> {
        match from {
            From::Part(part) => {
                let come = self.follow(&part.of, &part.path)?;
                let Come::To(ty) = come else { return None };
                Some((named(part), ty.clone()))
            }
            From::Call(name, of) => {
                let told = self.told(facts, name, of.as_ref())?;
                let (ty, _) = told.0.gives.clone()?;
                Some((format!("the result of `{}`", shown(name)), ty))
            }
        }
    }
}

/// `finish` without an outcome.
fn without_an_outcome(call: &Calling) -> Option<Problem> {
    let (None, Some(Said::Table(given)), "finish") = (&call.of, call.said.first(), &*call.name)
    else {
        return None;
    };
    if given.open || given.said("outcome").is_some() {
        return None;
    }
    let names = given.named.iter().map(|(name, ..)| (name, nearest("outcome", [&**name])));
    let near = names.filter_map(|(name, near)| near.map(|_| name)).next();
    let problem = Problem::error("missing-field", "`finish` gets no `outcome`")
        .expected("outcome: a text that says how the run ended");
    let near = near.map(|near| format!("`{near}` is not read: write `outcome`"));
    Some(problem.maybe_hint(near))
}

/// A required field that is missing in a complete table literal.
fn lacking<'f>(ty: &'f FieldType, said: &Said) -> Option<&'f Field> {
    let (FieldType::Record(fields), Said::Table(table)) = (ty, said) else { return None };
    let lacks = |field: &&Field| !table.named.iter().any(|(name, ..)| **name == *field.name);
    fields.iter().filter(|field| !field.optional && !table.open).find(lacks)
}

/// A call as it is written; a rule of another mod is called by its whole id.
fn shown(name: &str) -> String {
    match name.split_once('.') {
        Some((front, id)) if id.contains(':') => format!("{front}[{id:?}]"),
        _ => name.to_owned(),
    }
}

/// Checks the number of arguments.
fn counted(signature: &Signature, call: &Calling) -> Option<Problem> {
    let least = signature.least();
    let arguments = |count: usize| match count {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        more => format!("{more} arguments"),
    };
    let given = call.arguments;
    let found = format!("`{}` is called with {}", shown(&call.name), arguments(given));
    if given < least && !call.open {
        let missing = signature.takes[given..least].iter().filter(|one| !one.optional);
        let missing: Vec<String> = missing.map(|one| format!("`{}`", one.name)).collect();
        let missing = format!("missing: {}", missing.join(", "));
        return Some(Problem::error("too-few-arguments", found).hint(missing));
    }
    (given > signature.takes.len() && !signature.more).then(|| {
        Problem::warning("too-many-arguments", found)
            .hint("the extra arguments are ignored; remove them")
    })
}

/// Whether no value has both types.
fn apart(one: &FieldType, other: &FieldType) -> bool {
    match (sorts(one), sorts(other)) {
        (Some(these), Some(those)) => !these.iter().any(|sort| those.contains(sort)),
        _ => false,
    }
}

/// The sorts of values of a type; none if it may be any.
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
