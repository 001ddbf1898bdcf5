//! What a file uses that is not its own: names, calls of them, fields of the events that its hooks are
//! given, moments that it announces; and the functions that it gives a name others may use.

use std::collections::{BTreeMap, BTreeSet};

use full_moon::ast::{
    Call, Expression, Field, FunctionArgs, FunctionBody, FunctionCall, Parameter, Suffix,
    TableConstructor,
};
use full_moon::tokenizer::TokenReference;

use super::locals::LocalId;
use super::names::{bare, first_text, front, line, name, table, text};

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
}

/// A moment that is named: hung on, announced, or asked what it would come to.
#[derive(Debug)]
pub(in crate::workshop) struct MomentUse {
    /// The function that it is named to.
    pub(in crate::workshop) verb: String,
    /// Its name; none if only running tells.
    pub(in crate::workshop) name: Option<String>,
    pub(in crate::workshop) line: u32,
    /// The fields of the event, where it is written out: each with its line.
    pub(in crate::workshop) event: Option<Vec<(String, u32)>>,
}

/// A field of an event, in a hook.
#[derive(Debug)]
pub(in crate::workshop) struct EventField {
    pub(in crate::workshop) moment: String,
    pub(in crate::workshop) field: String,
    pub(in crate::workshop) line: u32,
    /// Whether it is given a value here.
    pub(in crate::workshop) assigned: bool,
    /// The local that holds the event.
    event: LocalId,
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
    pub(in crate::workshop) event_fields: Vec<EventField>,
    pub(in crate::workshop) signatures: Vec<Signature>,
}

/// Gathers them on a walk over the file.
#[derive(Default)]
pub(super) struct Gatherer {
    uses: Uses,
    /// Locals that hold an event, with its moment; and those that came to hold something else.
    events: BTreeMap<LocalId, String>,
    lost: BTreeSet<LocalId>,
    /// Where names stand that are given a field.
    given: BTreeSet<usize>,
    /// Functions that a local holds.
    functions: BTreeMap<LocalId, Shape>,
    /// Hooks that are about to be walked: where their bodies lie, and their moments.
    hooks: Vec<(*const FunctionBody, String)>,
}

impl Gatherer {
    /// A name that is no local.
    pub(super) fn global(&mut self, token: &TokenReference, field: Option<String>, assigned: bool) {
        let at = token.token().start_position().bytes();
        let global = || Global { name: name(token), field, line: line(token), assigned };
        self.uses.globals.entry(at).or_insert_with(global);
    }

    /// A local is called by a hook's parameter: it holds an event.
    pub(super) fn begin(&mut self, body: &FunctionBody, first: Option<LocalId>) {
        if let Some(at) = self.hooks.iter().position(|(hook, _)| std::ptr::eq(*hook, body)) {
            let (_, moment) = self.hooks.swap_remove(at);
            self.events.extend(first.map(|local| (local, moment)));
        }
    }

    /// A local comes to hold something else.
    pub(super) fn assigned(&mut self, local: LocalId) {
        self.lost.insert(local);
        self.functions.remove(&local);
    }

    /// A field of what this token names is about to be given a value.
    pub(super) fn gives(&mut self, token: &TokenReference) {
        self.given.insert(token.token().start_position().bytes());
    }

    /// A field is asked of a local.
    pub(super) fn field(&mut self, event: LocalId, token: &TokenReference, field: String) {
        let Some(moment) = self.events.get(&event).cloned() else { return };
        let assigned = self.given.contains(&token.token().start_position().bytes());
        let line = line(token);
        self.uses.event_fields.push(EventField { moment, field, line, assigned, event });
    }

    /// A local holds a function.
    pub(super) fn function(&mut self, local: LocalId, body: &FunctionBody) {
        self.functions.insert(local, shape(body));
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
        self.uses.calls.push(Calling { name, line, arguments: count, open: several });
        let first = first_text(arguments).and_then(|token| text(token.token()));
        match called {
            "before" | "after" | "emit" | "preview" => {
                // What is announced is handed to a function after its hooks, as it is to them.
                let hook = list.get(if called == "emit" { 2 } else { 1 });
                if let (Some(moment), Some(Expression::Function(hook))) = (&first, hook) {
                    self.hooks.push((hook.body(), moment.clone()));
                }
                let event = list.get(1).and_then(|event| table(event)).and_then(keys);
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
        self.uses.event_fields.retain(|field| !self.lost.contains(&field.event));
        self.uses
    }
}

/// Whether an expression at the end of a list may stand for more or fewer values than one.
fn may_be_several(expression: &Expression) -> bool {
    match expression {
        Expression::FunctionCall(_) => true,
        Expression::Symbol(symbol) => symbol.token().to_string() == "...",
        _ => false,
    }
}

/// The names in a table that is written out with names alone.
fn keys(table: &TableConstructor) -> Option<Vec<(String, u32)>> {
    let key = |field: &Field| match field {
        Field::NameKey { key, .. } => Some((name(key), line(key))),
        _ => None,
    };
    table.fields().iter().map(key).collect()
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
