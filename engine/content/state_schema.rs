//! Schemas of the state. The owner of each field of the state declares its type, and other mods may
//! add fields to it. Together they form one record type, in which a path can be looked up.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::schema::{Field, FieldList, FieldType};
use base::{Code, Problem, SourceLocation};

/// One declaration: a field of the state, or a field added to one.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSchema {
    /// The field, with its name.
    pub field: Field,
    /// Its source location.
    pub place: SourceLocation,
}

/// All declarations together.
#[derive(Clone, Debug, Default)]
pub struct StateSchemas {
    pub(super) fields: FieldList,
    /// The location of each field of the state, and of each field added to one.
    declaration_locations: BTreeMap<(Arc<str>, Option<Arc<str>>), SourceLocation>,
}

/// A step of a path through the state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatePathStep {
    /// A named field.
    Name(String),
    /// Any item or entry: a list index, or a name that is only known at run time.
    AnyEntry,
}

/// The result of looking up a path.
#[derive(Debug)]
pub enum PathLookupResult<'s> {
    /// The type declared there.
    Found(&'s FieldType),
    /// The name at this index of the path is not among these fields.
    UnknownName(usize, &'s FieldList),
    /// The name at this index of the path is looked up in a list, which has numbers as keys.
    NameInList(usize),
    /// The type there is not declared.
    Untyped,
}

impl StateSchemas {
    /// Adds a declaration. A duplicate is a Problem.
    pub fn add_schema(&mut self, schema: &StateSchema) -> Result<(), Problem> {
        let StateSchema { field, place } = schema;
        let name = &field.name;
        let mut steps = name.split('.');
        let root_name = steps.next().unwrap_or_default();
        let state_fields = Arc::make_mut(&mut self.fields);
        let Some(at) = state_fields.iter().position(|known| *known.name == *root_name) else {
            if root_name != &**name {
                let found = format!("the type of `state.{root_name}` is not declared");
                let problem = Problem::error(Code::UnknownStateField, found);
                return Err(problem.expected(
                    "the name of a declared field of the state, to which fields are added",
                ));
            }
            let at = state_fields.partition_point(|known| known.name < *name);
            state_fields.insert(at, field.clone());
            self.declaration_locations.insert((name.clone(), None), place.clone());
            return Ok(());
        };
        let known = &mut state_fields[at];
        let first = &self.declaration_locations[&(Arc::from(root_name), None)];
        if known.doc.is_empty() && *root_name == **name {
            known.doc.clone_from(&field.doc);
        }
        let mut inner_type = Some(&mut known.ty);
        for step in steps {
            inner_type = inner_type.and_then(|inner_type| record_fields_mut(inner_type)).and_then(
                |fields| {
                    fields.iter_mut().find(|field| *field.name == *step).map(|field| &mut field.ty)
                },
            );
        }
        let fields = inner_type.and_then(|inner_type| record_fields_mut(inner_type));
        let (Some(fields), FieldType::Record(more)) = (fields, &field.ty) else {
            let found = format!("`state.{name}` is declared twice");
            let problem = Problem::error(Code::Duplicate, found)
                .expected("one declaration; other declarations may add fields to it");
            return Err(problem.add_related_location(first.clone()));
        };
        for one in more.iter() {
            if fields.iter().any(|field| field.name == one.name) {
                let found = format!("`state.{name}.{}` is declared twice", one.name);
                let second =
                    self.declaration_locations.get(&(name.clone(), Some(one.name.clone())));
                let place = second.unwrap_or(first).clone();
                let problem = Problem::error(Code::Duplicate, found);
                let problem = problem.expected("one declaration of a field");
                return Err(problem.add_related_location(place));
            }
            // The mod that creates the table does not set the fields that other mods add.
            let optional = one.is_optional || place.owner != first.owner;
            let at = fields.partition_point(|field| field.name < one.name);
            fields.insert(at, Field { is_optional: optional, ..one.clone() });
        }
        for one in more.iter() {
            self.declaration_locations
                .insert((name.clone(), Some(one.name.clone())), place.clone());
        }
        Ok(())
    }

    /// The fields of the state, sorted by name.
    pub fn fields(&self) -> &FieldList {
        &self.fields
    }

    /// The location of a field of the state, or of a field inside it.
    pub fn declaration_location(&self, name: &str, inner: Option<&str>) -> Option<&SourceLocation> {
        let place_of = |inner: Option<&str>| {
            self.declaration_locations.get(&(Arc::from(name), inner.map(Arc::from)))
        };
        inner.and_then(|inner| place_of(Some(inner))).or_else(|| place_of(None))
    }

    /// Looks up a path.
    pub fn lookup_in_state<'s>(&'s self, path: &[StatePathStep]) -> PathLookupResult<'s> {
        lookup_path(&self.fields, path)
    }
}

/// The fields of a record type, or of the record inside a list or map.
fn record_fields_mut(ty: &mut FieldType) -> Option<&mut Vec<Field>> {
    match ty {
        FieldType::Record(fields) => Some(Arc::make_mut(fields)),
        FieldType::List(one) | FieldType::Map(one) => record_fields_mut(one),
        _ => None,
    }
}

/// Looks up a path that begins at one of these fields.
pub fn lookup_path<'s>(fields: &'s FieldList, path: &[StatePathStep]) -> PathLookupResult<'s> {
    lookup_in_fields(fields, path, 0)
}

/// Looks up a path inside a type.
pub fn lookup_in_type<'s>(ty: &'s FieldType, path: &[StatePathStep]) -> PathLookupResult<'s> {
    lookup_rest_of_path(ty, path, 0)
}

/// The field that holds a function, by the path from these fields.
pub fn find_function_field<'s>(fields: &'s [Field], path: &[StatePathStep]) -> Option<&'s Field> {
    let (StatePathStep::Name(name), rest) = path.split_first()? else { return None };
    let field = fields.iter().find(|field| *field.name == **name)?;
    if rest.is_empty() { Some(field) } else { find_function_field_in_type(&field.ty, rest) }
}

fn find_function_field_in_type<'s>(ty: &'s FieldType, path: &[StatePathStep]) -> Option<&'s Field> {
    match ty {
        FieldType::Record(fields) => find_function_field(fields, path),
        FieldType::List(one) | FieldType::Map(one) => {
            find_function_field_in_type(one, path.get(1..)?)
        }
        FieldType::Either(types) => {
            types.iter().find_map(|one| find_function_field_in_type(one, path))
        }
        _ => None,
    }
}

fn lookup_in_fields<'s>(
    fields: &'s FieldList,
    path: &[StatePathStep],
    at: usize,
) -> PathLookupResult<'s> {
    match path.get(at) {
        Some(StatePathStep::Name(name)) => {
            match fields.iter().find(|field| *field.name == **name) {
                Some(field) => lookup_rest_of_path(&field.ty, path, at + 1),
                None => PathLookupResult::UnknownName(at, fields),
            }
        }
        _ => PathLookupResult::Untyped,
    }
}

/// Looks up the rest of a path inside a type.
fn lookup_rest_of_path<'s>(
    ty: &'s FieldType,
    path: &[StatePathStep],
    at: usize,
) -> PathLookupResult<'s> {
    let Some(step) = path.get(at) else { return PathLookupResult::Found(ty) };
    match (ty, step) {
        (FieldType::Record(fields), _) => lookup_in_fields(fields, path, at),
        (FieldType::List(one), StatePathStep::AnyEntry) | (FieldType::Map(one), _) => {
            lookup_rest_of_path(one, path, at + 1)
        }
        (FieldType::List(_), StatePathStep::Name(_)) => PathLookupResult::NameInList(at),
        (FieldType::Either(types), _) => {
            let mut unknown = PathLookupResult::Untyped;
            for ty in types.iter() {
                match lookup_rest_of_path(ty, path, at) {
                    // The present type is unknown; one type that has the name is enough.
                    PathLookupResult::Found(_)
                    | PathLookupResult::NameInList(_)
                    | PathLookupResult::Untyped
                        if has_inner_values(ty) =>
                    {
                        return PathLookupResult::Untyped;
                    }
                    result @ PathLookupResult::UnknownName(..) => unknown = result,
                    _ => {}
                }
            }
            unknown
        }
        _ => PathLookupResult::Untyped,
    }
}

/// Whether values of this type contain other values.
fn has_inner_values(ty: &FieldType) -> bool {
    match ty {
        FieldType::Record(_) | FieldType::List(_) | FieldType::Map(_) | FieldType::Any => true,
        FieldType::Either(types) => types.iter().any(has_inner_values),
        _ => false,
    }
}
