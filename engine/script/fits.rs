//! Whether a value fits what is declared of it: fields of events and of the state, while a run is played.
//! Knows declarations and plain data; who is to blame is for others to say.

use super::describe_value::field_suffix;
use super::host::Host;
use super::plain::BorrowingVisitor;
use super::value_ref::{NamedValue, ValueRef, find_named};
use crate::base::{
    Code, Id, Problem,
    problem::{describe_alternatives, nearest_name},
    text,
};
use crate::content::{Field, FieldType, Registry};
use crate::luau::{LuaKind, Stack, StackIndex, TableReader};
use crate::protocol::World;

/// A value that does not fit.
#[derive(Debug)]
pub(crate) struct Misfit {
    /// The way to it from where the look began, as a script writes it: `.modifiers[2].value`.
    pub(crate) way: String,
    /// What stands there; nothing if what must be there is missing.
    pub(crate) found: Option<String>,
    pub(crate) expected: String,
    pub(crate) hint: Option<String>,
    /// Whether it is a field that nobody declared.
    pub(crate) unknown: bool,
}

/// The codes of what is wrong with a value, and of a field that nobody declared.
pub(crate) type Codes = (Code, Code);
/// Those of events.
pub(crate) const OF_EVENTS: Codes = (Code::EventWrongValue, Code::UnknownEventField);
/// Those of the state.
pub(crate) const OF_STATE: Codes = (Code::StateWrongValue, Code::UnknownStateField);

/// A look at values.
pub(crate) struct Fits<'t> {
    registry: &'t Registry,
    /// Whether what must be there must be there by now.
    whole: bool,
    /// The run that the value is of, which knows by name what its mods had and have no more.
    run: Option<&'t World>,
}

impl<'t> Fits<'t> {
    pub(crate) fn new(registry: &'t Registry, whole: bool) -> Self {
        Self { registry, whole, run: None }
    }

    /// The same for a value of a run's state: what is gone is kept there, and may be written again.
    pub(crate) fn of_run(self, run: &'t World) -> Self {
        Self { run: Some(run), ..self }
    }

    /// What does not fit, if anything does not.
    pub(crate) fn misfit(&self, ty: &FieldType, value: &ValueRef<'_>) -> Option<Misfit> {
        match (ty, value) {
            (FieldType::Any, _)
            | (FieldType::Text | FieldType::SingleLineText(_), ValueRef::Text(_))
            | (FieldType::Number, ValueRef::Int(_) | ValueRef::Num(_))
            | (FieldType::Bool, ValueRef::Bool(_)) => None,
            (FieldType::Int { min, max }, ValueRef::Int(int)) => {
                let fits = min.is_none_or(|min| *int >= min) && max.is_none_or(|max| *int <= max);
                (!fits).then(|| wrong(ty, value))
            }
            (FieldType::OneOf(words), ValueRef::Text(word)) => {
                let known = words.iter().any(|known| known == word);
                (!known).then(|| Misfit {
                    hint: meant(nearest_name(word, words.iter().map(String::as_str))),
                    ..wrong(ty, value)
                })
            }
            (FieldType::Ref(kind), ValueRef::Text(id)) => self.reference(kind, id, ty, value),
            (FieldType::List(inner), ValueRef::List(list)) => {
                let mut items = list.iter().enumerate();
                items.find_map(|(at, item)| {
                    self.misfit(inner, item).map(|misfit| misfit.under(&format!("[{}]", at + 1)))
                })
            }
            (FieldType::Map(inner), ValueRef::Map(map)) => map.iter().find_map(|(name, item)| {
                self.misfit(inner, item).map(|misfit| misfit.under(&field_suffix(name)))
            }),
            (FieldType::Record(fields), ValueRef::Map(map)) => self.record(fields, map),
            // An empty table is a list as well as names.
            (FieldType::List(_), ValueRef::Map(map)) if map.is_empty() => None,
            (FieldType::Map(_), ValueRef::List(list)) if list.is_empty() => None,
            (FieldType::Record(fields), ValueRef::List(list)) if list.is_empty() => {
                self.record(fields, &[])
            }
            (FieldType::Either(types), value) => self.either(types, ty, value),
            _ => Some(wrong(ty, value)),
        }
    }

    fn reference(
        &self,
        kind: &str,
        id: &str,
        ty: &FieldType,
        value: &ValueRef<'_>,
    ) -> Option<Misfit> {
        if self.registry.kind(kind).is_none() || self.registry.get(kind, id).is_some() {
            return None;
        }
        if self.run.is_some_and(|run| run.removed_definition_name(kind, id).is_some()) {
            return None;
        }
        let ids = || self.registry.all_definitions(kind).map(|definition| definition.id.as_str());
        let same = |known: &&str| known.split_once(':').is_some_and(|(_, name)| name == id);
        let near = ids().find(same).or_else(|| nearest_name(id, ids()));
        let found = match Id::parse(id, "") {
            Ok(_) => Some(format!("{id:?}, and there is no such {kind}")),
            Err(_) => Some(found(value)),
        };
        Some(Misfit { found, hint: meant(near), ..wrong(ty, value) })
    }

    fn record(&self, fields: &[Field], map: &[NamedValue<'_>]) -> Option<Misfit> {
        for (name, item) in map {
            let Some(field) = fields.iter().find(|field| *field.name == **name) else {
                return Some(unknown(fields, name));
            };
            if let Some(misfit) = self.misfit(&field.ty, item) {
                return Some(misfit.under(&field_suffix(name)));
            }
        }
        let lacks = |field: &&Field| {
            !field.optional && field.default.is_none() && find_named(map, &field.name).is_none()
        };
        let missing = fields.iter().filter(|_| self.whole).find(lacks)?;
        let (way, expected) = (field_suffix(&missing.name), missing.ty.to_string());
        let hint = (!missing.doc.is_empty()).then(|| missing.doc.clone());
        Some(Misfit { way, found: None, expected, hint, unknown: false })
    }

    /// The first type that fits. If none does, the one that was meant is told of, where that can be seen.
    fn either(&self, types: &[FieldType], ty: &FieldType, value: &ValueRef<'_>) -> Option<Misfit> {
        let mut first = None;
        for one in types {
            let misfit = self.misfit(one, value)?;
            if !misfit.way.is_empty() {
                first.get_or_insert(misfit);
            }
        }
        Some(first.unwrap_or_else(|| wrong(ty, value)))
    }
}

impl Misfit {
    pub(crate) fn under(mut self, step: &str) -> Self {
        self.way.insert_str(0, step);
        self
    }

    /// The Problem, for what a script calls `name`: who made it so is said by `made`, `{…} made event.x 3`.
    /// Of the codes one is for what is wrong or missing, the other for what nobody declared.
    pub(crate) fn problem(self, (wrong, unknown): Codes, made: &str, name: &str) -> Problem {
        let whole = format!("{name}{}", self.way);
        let (code, found) = match &self.found {
            _ if self.unknown => (unknown, format!("{made} {whole}, which nobody declares")),
            Some(found) => (wrong, format!("{made} {whole} {found}")),
            None => (
                wrong,
                format!("{made} {name} without `{}`", text::strip_unprintable(&self.way[1..])),
            ),
        };
        Problem::error(code, found).expected(self.expected).maybe_hint(self.hint)
    }
}

/// A field that nobody declared.
pub(crate) fn unknown(fields: &[Field], name: &str) -> Misfit {
    let names = || fields.iter().map(|field| &*field.name);
    let expected = match fields.is_empty() {
        true => "a table without fields".to_owned(),
        false => describe_alternatives(name, names()),
    };
    let hint = nearest_name(name, names()).map(|near| format!("did you mean `{near}`?"));
    Misfit { way: field_suffix(name), found: None, expected, hint, unknown: true }
}

fn wrong(ty: &FieldType, value: &ValueRef<'_>) -> Misfit {
    let (way, found) = (String::new(), Some(found(value)));
    Misfit { way, found, expected: ty.to_string(), hint: None, unknown: false }
}

fn meant(near: Option<&str>) -> Option<String> {
    near.map(|near| format!("did you mean \"{near}\"?"))
}

fn found(value: &ValueRef<'_>) -> String {
    match value {
        ValueRef::Bool(truth) => truth.to_string(),
        ValueRef::Int(int) => int.to_string(),
        ValueRef::Num(number) => number.to_string(),
        ValueRef::Text(text) if text.chars().count() > 40 => "a long text".to_owned(),
        ValueRef::Text(text) => format!("the text {text:?}"),
        ValueRef::List(_) => "a list".to_owned(),
        ValueRef::Map(_) => "a table of names".to_owned(),
    }
}

/// Whether a number is plainly of a type.
fn is_number(ty: &FieldType, number: f64) -> bool {
    const MOST: f64 = 9e15;
    let int = number as i64;
    match ty {
        FieldType::Number => true,
        FieldType::Int { min, max } if int as f64 == number && number.abs() < MOST => {
            min.is_none_or(|min| int >= min) && max.is_none_or(|max| int <= max)
        }
        _ => false,
    }
}

impl Host {
    /// What stands at a place and does not fit. What cannot be read as plain data is passed over where a
    /// table may stand: it may hold functions.
    pub(crate) fn misfit(
        &self,
        stack: Stack<'_>,
        at: StackIndex,
        ty: &FieldType,
        whole: bool,
    ) -> Option<Misfit> {
        let value = match stack.kind(at) {
            _ if matches!(ty, FieldType::Any) => return None,
            LuaKind::Function if matches!(ty, FieldType::Fn) => return None,
            // Most are plain, and are looked at where they lie.
            LuaKind::Number if is_number(ty, stack.number(at)) => return None,
            LuaKind::Text if matches!(ty, FieldType::Text | FieldType::SingleLineText(_)) => {
                return None;
            }
            LuaKind::Bool => ValueRef::Bool(stack.is_truthy(at)),
            _ => {
                let top = stack.top();
                let mut sink = BorrowingVisitor(self);
                let read = TableReader::new(&mut sink).read_value(stack, at);
                stack.set_top(top);
                read.ok()?
            }
        };
        Fits::new(self.registry(), whole).misfit(ty, &value)
    }
}
