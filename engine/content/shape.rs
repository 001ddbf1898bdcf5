//! Shapes: what the state may hold. Each field of the state is declared by whoever owns it, and others may
//! add fields to what it holds; all of them together are one record, which is walked along a path.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::schema::{Field, FieldType};
use crate::kit::{Place, Problem};

/// One declaration: what a field of the state holds, or what is added to that.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The field, under its name.
    pub field: Field,
    /// Where it is declared.
    pub place: Place,
}

/// All of them together.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    pub(super) fields: Vec<Field>,
    /// Where each field of the state is declared, and each that another declaration added to it.
    places: BTreeMap<(Arc<str>, Option<Arc<str>>), Place>,
}

/// A step of a path through the state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Under a name.
    Name(String),
    /// Under whatever stands there: a place of a list, or a name that only running tells.
    Each,
}

/// What a path through the state comes to.
#[derive(Debug)]
pub enum Come<'s> {
    /// What is declared there.
    To(&'s FieldType),
    /// The step with this number is a name that is not among these fields.
    Unknown(usize, &'s [Field]),
    /// What stands there is not told.
    Untold,
}

impl Shapes {
    /// Adds a declaration. Two of one thing are a Problem.
    pub fn add(&mut self, shape: &Shape) -> Result<(), Problem> {
        let Shape { field, place } = shape;
        let name = &field.name;
        let mut steps = name.split('.');
        let front = steps.next().unwrap_or_default();
        let Some(known) = self.fields.iter_mut().find(|known| *known.name == *front) else {
            if front != &**name {
                let found = format!("nobody declares what `state.{front}` holds");
                let problem = Problem::error("unknown-state-field", found);
                return Err(problem.expected("fields that are added to what is declared before"));
            }
            let at = self.fields.partition_point(|known| known.name < *name);
            self.fields.insert(at, field.clone());
            self.places.insert((name.clone(), None), place.clone());
            return Ok(());
        };
        let first = &self.places[&(Arc::from(front), None)];
        if known.doc.is_empty() && *front == **name {
            known.doc.clone_from(&field.doc);
        }
        let mut held = Some(&mut known.ty);
        for step in steps {
            held = held.and_then(|held| record_in(held)).and_then(|fields| {
                fields.iter_mut().find(|field| *field.name == *step).map(|field| &mut field.ty)
            });
        }
        let fields = held.and_then(|held| record_in(held));
        let (Some(fields), FieldType::Record(more)) = (fields, &field.ty) else {
            let found = format!("what `state.{name}` holds is declared twice");
            let problem = Problem::error("duplicate", found)
                .expected("one declaration, and fields that are added to one with fields");
            return Err(problem.by_way_of(first.clone()));
        };
        for one in more {
            if fields.iter().any(|field| field.name == one.name) {
                let found = format!("`state.{name}.{}` is declared twice", one.name);
                let second = self.places.get(&(name.clone(), Some(one.name.clone())));
                let place = second.unwrap_or(first).clone();
                let problem = Problem::error("duplicate", found);
                let problem = problem.expected("one declaration of a field");
                return Err(problem.by_way_of(place));
            }
            // Whoever makes the table does not know of what others keep in it.
            let optional = one.optional || place.owner != first.owner;
            let at = fields.partition_point(|field| field.name < one.name);
            fields.insert(at, Field { optional, ..one.clone() });
        }
        for one in more {
            self.places.insert((name.clone(), Some(one.name.clone())), place.clone());
        }
        Ok(())
    }

    /// The fields of the state, in the order of names.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Where a field of the state is declared, or one of what it holds.
    pub fn place(&self, name: &str, inner: Option<&str>) -> Option<&Place> {
        let of = |inner: Option<&str>| self.places.get(&(Arc::from(name), inner.map(Arc::from)));
        inner.and_then(|inner| of(Some(inner))).or_else(|| of(None))
    }

    /// What a path comes to.
    pub fn follow<'s>(&'s self, path: &[Way]) -> Come<'s> {
        follow(&self.fields, path)
    }
}

/// The fields of what a type holds: of itself, or of each of what is in it.
fn record_in(ty: &mut FieldType) -> Option<&mut Vec<Field>> {
    match ty {
        FieldType::Record(fields) => Some(fields),
        FieldType::List(one) | FieldType::Map(one) => record_in(one),
        _ => None,
    }
}

/// What a path comes to that begins at one of these fields.
pub fn follow<'s>(fields: &'s [Field], path: &[Way]) -> Come<'s> {
    from(fields, path, 0)
}

/// What a path comes to inside of what a type holds.
pub fn follow_in<'s>(ty: &'s FieldType, path: &[Way]) -> Come<'s> {
    inside(ty, path, 0)
}

/// The field that a function stands in, by the way to it from these fields.
pub fn function_at<'s>(fields: &'s [Field], path: &[Way]) -> Option<&'s Field> {
    let (Way::Name(name), rest) = path.split_first()? else { return None };
    let field = fields.iter().find(|field| *field.name == **name)?;
    if rest.is_empty() { Some(field) } else { function_in(&field.ty, rest) }
}

fn function_in<'s>(ty: &'s FieldType, path: &[Way]) -> Option<&'s Field> {
    match ty {
        FieldType::Record(fields) => function_at(fields, path),
        FieldType::List(one) | FieldType::Map(one) => function_in(one, path.get(1..)?),
        FieldType::Either(types) => types.iter().find_map(|one| function_in(one, path)),
        _ => None,
    }
}

fn from<'s>(fields: &'s [Field], path: &[Way], at: usize) -> Come<'s> {
    match path.get(at) {
        Some(Way::Name(name)) => match fields.iter().find(|field| *field.name == **name) {
            Some(field) => inside(&field.ty, path, at + 1),
            None => Come::Unknown(at, fields),
        },
        _ => Come::Untold,
    }
}

/// The rest of a path inside of what a type holds.
fn inside<'s>(ty: &'s FieldType, path: &[Way], at: usize) -> Come<'s> {
    let Some(step) = path.get(at) else { return Come::To(ty) };
    match (ty, step) {
        (FieldType::Record(fields), _) => from(fields, path, at),
        (FieldType::List(one), Way::Each) | (FieldType::Map(one), _) => inside(one, path, at + 1),
        (FieldType::Either(types), _) => {
            let mut unknown = Come::Untold;
            for ty in types {
                match inside(ty, path, at) {
                    // Which of them it is, nobody knows; one that knows the name is enough.
                    Come::To(_) | Come::Untold if holds_more(ty) => return Come::Untold,
                    come @ Come::Unknown(..) => unknown = come,
                    _ => {}
                }
            }
            unknown
        }
        _ => Come::Untold,
    }
}

/// Whether something may lie inside.
fn holds_more(ty: &FieldType) -> bool {
    match ty {
        FieldType::Record(_) | FieldType::List(_) | FieldType::Map(_) | FieldType::Any => true,
        FieldType::Either(types) => types.iter().any(holds_more),
        _ => false,
    }
}
