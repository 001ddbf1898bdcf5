//! What a file uses that is not its own: names, calls of them, parts of the state and of the events that its
//! hooks are given, moments that it announces; and the functions that it gives a name others may use.

use std::collections::{BTreeMap, BTreeSet};

use full_moon::ast::{
    Call, Expression, Field, FunctionArgs, FunctionBody, FunctionCall, Parameter, Suffix,
    TableConstructor,
};
use full_moon::tokenizer::TokenReference;

use super::locals::LocalId;
use super::names::{bare, first_text, front, line, name, name as name_of, table, text};
use super::said::{Part, Said, Table, Whole, may_be_several, said, table as written};

/// A name that is not the file's own.
#[derive(Debug)]
pub(in crate::workshop) struct Global {
    pub(in crate::workshop) name: String,
    /// What is asked of it, if that is written out: `abs` of `math.abs`.
    pub(in crate::workshop) field: Option<String>,
    pub(in crate::workshop) line: u32,
    pub(in crate::workshop) assigned: bool,
}

/// A call of a name that is not the file's own.
#[derive(Debug)]
pub(in crate::workshop) struct Calling {
    pub(in crate::workshop) name: String,
    pub(in crate::workshop) line: u32,
    /// So many arguments at least; exactly so many unless the last one may stand for several.
    pub(in crate::workshop) arguments: usize,
    pub(in crate::workshop) open: bool,
    /// What the first of them plainly are.
    pub(in crate::workshop) said: Vec<Said>,
}

/// A moment that is named: hung on, announced, or asked what it would come to.
#[derive(Debug)]
pub(in crate::workshop) struct MomentUse {
    /// The function that it is named to.
    pub(in crate::workshop) verb: String,
    /// Its name; none if only running tells.
    pub(in crate::workshop) name: Option<String>,
    pub(in crate::workshop) line: u32,
    /// The event, where it is written out.
    pub(in crate::workshop) event: Option<Table>,
}

/// A part of the state or of an event is looked at, or given a value.
#[derive(Debug)]
pub(in crate::workshop) struct PartUse {
    pub(in crate::workshop) part: Part,
    pub(in crate::workshop) line: u32,
    /// What it is given here, if it is.
    pub(in crate::workshop) given: Option<Said>,
}

/// A function with a name that others use.
#[derive(Clone, Debug)]
pub(in crate::workshop) struct Signature {
    /// `export`, `export_builder` or `rule`.
    pub(in crate::workshop) verb: String,
    pub(in crate::workshop) name: String,
    pub(in crate::workshop) shape: Option<Shape>,
    /// The line that names it.
    pub(in crate::workshop) line: u32,
}

/// What a function takes and gives, as it is written.
#[derive(Clone, Debug, Default)]
pub(in crate::workshop) struct Shape {
    /// Each name with its type, where there is one: `: number?`.
    pub(in crate::workshop) takes: Vec<(String, String)>,
    /// The type of what it gives, `: boolean`; empty if that is not written.
    pub(in crate::workshop) gives: String,
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let takes: Vec<String> =
            self.takes.iter().map(|(name, ty)| format!("{name}{ty}")).collect();
        write!(f, "({}){}", takes.join(", "), self.gives)
    }
}

/// Everything of that sort in one file.
#[derive(Debug, Default)]
pub(in crate::workshop) struct Uses {
    /// By where they stand.
    pub(in crate::workshop) globals: BTreeMap<usize, Global>,
    pub(in crate::workshop) calls: Vec<Calling>,
    pub(in crate::workshop) moments: Vec<MomentUse>,
    pub(in crate::workshop) parts: Vec<PartUse>,
    pub(in crate::workshop) signatures: Vec<Signature>,
}

/// Gathers them on a walk over the file.
#[derive(Default)]
pub(super) struct Gatherer {
    uses: Uses,
    /// What locals hold of the state or of an event; and those that came to hold something else.
    held: BTreeMap<LocalId, Part>,
    lost: BTreeSet<LocalId>,
    /// What names, by where they stand, are about to be given at the end of their chains.
    given: BTreeMap<usize, Said>,
    /// Functions that a local holds.
    functions: BTreeMap<LocalId, Shape>,
    /// Where their bodies lie, and what they are given first.
    bodies: BTreeMap<LocalId, *const FunctionBody>,
    firsts: BTreeMap<*const FunctionBody, LocalId>,
    /// Hooks: where their bodies lie, and their moments.
    hooks: Vec<(*const FunctionBody, String)>,
    named_hooks: Vec<(LocalId, String)>,
}

impl Gatherer {
    /// A name that is no local.
    pub(super) fn global(&mut self, token: &TokenReference, field: Option<String>, assigned: bool) {
        let at = token.token().start_position().bytes();
        let global = || Global { name: name(token), field, line: line(token), assigned };
        self.uses.globals.entry(at).or_insert_with(global);
    }

    /// A function is about to be walked, and is given this first.
    pub(super) fn begin(&mut self, body: &FunctionBody, first: Option<LocalId>) {
        let Some(local) = first else { return };
        let of = match self.hooks.iter().position(|(hook, _)| std::ptr::eq(*hook, body)) {
            Some(at) => Whole::Event(self.hooks.swap_remove(at).1),
            None => Whole::Given(local),
        };
        self.firsts.insert(std::ptr::from_ref(body), local);
        self.held.insert(local, Part { of, path: Vec::new(), by: vec![local] });
    }

    /// What a name holds: a local, or one that is no local.
    pub(super) fn held(&self, local: Option<LocalId>, name: &str) -> Option<Part> {
        match local {
            Some(local) => self.held.get(&local).cloned(),
            None if name == "state" => {
                Some(Part { of: Whole::State, path: Vec::new(), by: Vec::new() })
            }
            None => None,
        }
    }

    /// A local begins, and holds this.
    pub(super) fn holds(&mut self, local: LocalId, mut part: Part) {
        part.by.push(local);
        self.held.insert(local, part);
    }

    /// A local comes to hold something else.
    pub(super) fn assigned(&mut self, local: LocalId) {
        self.lost.insert(local);
        self.functions.remove(&local);
        self.bodies.remove(&local);
    }

    /// What this token names is about to be given a value, at the end of its chain.
    pub(super) fn gives(&mut self, token: &TokenReference, given: Said) {
        self.given.insert(token.token().start_position().bytes(), given);
    }

    /// A part is looked at, or given a value.
    pub(super) fn part(&mut self, token: &TokenReference, part: Part, to_its_end: bool) {
        let at = token.token().start_position().bytes();
        let given = self.given.remove(&at).filter(|_| to_its_end);
        self.uses.parts.push(PartUse { part, line: line(token), given });
    }

    /// A local holds a function.
    pub(super) fn function(&mut self, local: LocalId, body: &FunctionBody) {
        self.functions.insert(local, shape(body));
        self.bodies.insert(local, std::ptr::from_ref(body));
    }

    /// A call of a name that is no local.
    pub(super) fn call(
        &mut self,
        called: &str,
        call: &FunctionCall,
        local: impl Fn(&str) -> Option<LocalId>,
    ) {
        let mut suffixes = call.suffixes();
        let Some(Suffix::Call(Call::AnonymousCall(arguments))) = suffixes.next() else { return };
        let line = front(call.prefix()).map_or(0, |token| line(token));
        let list: Vec<&Expression> = match &**arguments {
            FunctionArgs::Parentheses { arguments, .. } => arguments.iter().collect(),
            _ => Vec::new(),
        };
        let several = list.last().is_some_and(|last| may_be_several(last));
        let count = match &**arguments {
            FunctionArgs::Parentheses { .. } => list.len() - usize::from(several),
            _ => 1,
        };
        let name = called.to_owned();
        let plainly = match &**arguments {
            FunctionArgs::String(token) => vec![Said::Text(text(token.token()))],
            FunctionArgs::TableConstructor(made) => vec![Said::Table(written(made))],
            _ => list.iter().map(|one| said(one)).collect(),
        };
        self.uses.calls.push(Calling {
            name,
            line,
            arguments: count,
            open: several,
            said: plainly,
        });
        let first = first_text(arguments).and_then(|token| text(token.token()));
        match called {
            "before" | "after" | "emit" | "preview" => {
                // What is announced is handed to a function after its hooks, as it is to them.
                let hook = list.get(if called == "emit" { 2 } else { 1 });
                match (&first, hook) {
                    (Some(moment), Some(Expression::Function(hook))) => {
                        self.hooks.push((hook.body(), moment.clone()));
                    }
                    (Some(moment), Some(hook)) => {
                        let named = bare(hook).and_then(|token| local(&name_of(token)));
                        self.named_hooks.extend(named.map(|local| (local, moment.clone())));
                    }
                    _ => {}
                }
                let event = list.get(1).and_then(|event| table(event)).map(written);
                let verb = called.to_owned();
                self.uses.moments.push(MomentUse { verb, name: first, line, event });
            }
            "export" | "export_builder" => {
                let work = list.get(1).copied();
                self.sign(called, first, work, line, local);
            }
            "rule" => {
                let Some(Suffix::Call(Call::AnonymousCall(body))) = suffixes.next() else { return };
                let work = match &**body {
                    FunctionArgs::Parentheses { arguments, .. } => arguments.iter().next(),
                    FunctionArgs::TableConstructor(body) => value(body, "run"),
                    _ => None,
                };
                self.sign(called, first, work, line, local);
            }
            _ => {}
        }
    }

    fn sign(
        &mut self,
        verb: &str,
        name_of: Option<String>,
        work: Option<&Expression>,
        line: u32,
        local: impl Fn(&str) -> Option<LocalId>,
    ) {
        let (Some(name_of), Some(work)) = (name_of, work) else { return };
        let shape = match work {
            Expression::Function(function) => Some(shape(function.body())),
            other => {
                bare(other).and_then(|token| self.functions.get(&local(&name(token))?)).cloned()
            }
        };
        let verb = verb.to_owned();
        self.uses.signatures.push(Signature { verb, name: name_of, shape, line });
    }

    /// The walk is over.
    pub(super) fn finish(mut self) -> Uses {
        // A function with a name that hangs on one moment is given its events.
        let mut events: BTreeMap<LocalId, Option<String>> = BTreeMap::new();
        for (local, moment) in &self.named_hooks {
            let first = self.bodies.get(local).and_then(|body| self.firsts.get(body));
            let Some(first) = first else { continue };
            let known = events.entry(*first).or_insert_with(|| Some(moment.clone()));
            if known.as_deref() != Some(moment) {
                *known = None;
            }
        }
        self.uses.parts.retain_mut(|one| {
            if let Whole::Given(local) = one.part.of {
                let Some(Some(moment)) = events.get(&local) else { return false };
                one.part.of = Whole::Event(moment.clone());
            }
            !one.part.by.iter().any(|local| self.lost.contains(local))
        });
        self.uses
    }
}

fn value<'t>(table: &'t TableConstructor, of: &str) -> Option<&'t Expression> {
    table.fields().iter().find_map(|field| match field {
        Field::NameKey { key, value, .. } if name(key) == of => Some(value.as_ref()),
        _ => None,
    })
}

/// What a function takes and gives.
fn shape(body: &FunctionBody) -> Shape {
    let takes = body.parameters().iter().zip(body.type_specifiers()).map(|(parameter, ty)| {
        let named = match parameter {
            Parameter::Name(token) => name(token),
            _ => "...".to_owned(),
        };
        (named, ty.map(|ty| plain(&ty.to_string())).unwrap_or_default())
    });
    let gives = body.return_type().map(|ty| plain(&ty.to_string())).unwrap_or_default();
    Shape { takes: takes.collect(), gives }
}

/// A type on one line.
fn plain(written: &str) -> String {
    written.split_whitespace().collect::<Vec<_>>().join(" ")
}
