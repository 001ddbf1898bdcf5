//! Strict mode type-checks each write to the state, the whole state at the end of a step, and each
//! emitted event. It costs time and changes no result.

use mlua::Lua;

use crate::functions::runtime_type_checker::{
    FieldMismatch, RuntimeTypeChecker, STATE_MISMATCH_CODES,
};
use crate::host::Host;
use crate::host::script_sources::CONSOLE_FILE;
use crate::values::value_ref::ValueRef;
use crate::vm::Vm;
use base::problem::{nearest_name, searched_part};
use base::{Code, Problem, SourceLocation, UndeclaredName, Value};
use content::{Field, FieldList, FieldType, PathLookupResult, StatePathStep, StateSchemas};
use protocol::WorldState;
use state::{Key, TableHandle};

impl Vm {
    /// Turns strict mode on or off.
    pub fn set_strict(&self, holds: bool) {
        self.host().set_strict(holds);
    }

    /// Whether strict mode is on.
    pub fn is_strict(&self) -> bool {
        self.host().is_strict.get()
    }

    /// The first incomplete or wrong value among the fields with these names.
    pub fn find_incomplete_state(&self, world: &WorldState, names: &[String]) -> Option<Problem> {
        let host = self.host();
        let shapes = &host.load_state.all_declarations.borrow().schemas;
        let fits = RuntimeTypeChecker::new(host.registry(), world, true);
        names.iter().find_map(|name| {
            let field = shapes.fields().iter().find(|field| *field.name == **name)?;
            let slot = world.state.get_by_text_key(world.game_table(), name).ok()?;
            let value = world.state.stored_to_plain_value(&slot).ok()??;
            let misfit = fits.find_mismatch(&field.ty, &ValueRef::from_value(&value))?;
            let inner = misfit.path.strip_prefix('.').map(|way| way.split(['.', '[']).next());
            let declaration = shapes.declaration_location(name, inner.flatten()).cloned();
            let state_path = state_path(name);
            let field_path = format!("{state_path}{}", misfit.path);
            let (cause, place) = match host.write_checks.find_incomplete_write(&field_path) {
                Some(place) => ("this line", Some(place)),
                None => ("this step", None),
            };
            let problem = misfit.into_problem(STATE_MISMATCH_CODES, cause, &state_path);
            let problem = match place {
                Some(place) => problem.at(place).add_related_locations(declaration),
                None => problem.at(declaration.unwrap_or_default()),
            };
            Some(problem.explain(host))
        })
    }
}

impl Vm {
    /// The first value of a run that the previous VM declared and this one does not. In strict mode
    /// the next write to it would fail.
    pub fn find_undeclared_state(&self, before: &Self, world: &WorldState) -> Option<Problem> {
        let (was, is) = (before.state_schemas(), self.state_schemas());
        let fits = RuntimeTypeChecker::new(self.host().registry(), world, false);
        was.fields().iter().find_map(|field| {
            let name = &*field.name;
            let slot = world.state.get_by_text_key(world.game_table(), name).ok()?;
            let value = world.state.stored_to_plain_value(&slot).ok()??;
            let way = match is.fields().iter().find(|field| *field.name == *name) {
                None => String::new(),
                Some(field) => {
                    let misfit = fits.find_mismatch(&field.ty, &ValueRef::from_value(&value));
                    misfit.filter(|misfit| misfit.is_undeclared())?.path
                }
            };
            let inner = way.strip_prefix('.').and_then(|way| way.split(['.', '[']).next());
            let found =
                format!("the run has `{}{way}`, which no mod declares any more", state_path(name));
            let problem = Problem::error(Code::UnknownStateField, found)
                .expected("a schema for every value in the state of the run")
                .hint("keep its `schema`, or remove the field from the run in a `migrate`");
            Some(Problem { place: was.declaration_location(name, inner).cloned(), ..problem })
        })
    }
}

fn state_path(name: &str) -> String {
    format!("state.{name}")
}

impl Host {
    /// The Problem of a write that does not match the schema. Called in strict mode only.
    #[cold]
    pub(crate) fn check_strict_write(
        &self,
        lua: &Lua,
        node: TableHandle,
        key: &Key,
        value: Option<&Value>,
    ) -> Option<Problem> {
        let caller = self.place_of_caller(lua);
        if caller.owner.is_empty() {
            return None;
        }
        let world = self.call_context.world.borrow();
        // The first key leads from the root to the game's own table.
        let path = world.state.path_to_table(node).into_iter().skip(1).chain([key.clone()]);
        let path: Vec<StatePathStep> = path
            .map(|key| match key {
                Key::Text(name) => StatePathStep::Name(name.to_string()),
                Key::Index(_) => StatePathStep::AnyEntry,
            })
            .collect();
        let name = self.format_state_path(node, Some(key.clone()));
        let shapes = &self.load_state.all_declarations.borrow().schemas;
        match shapes.lookup_in_state(&path) {
            PathLookupResult::Untyped => None,
            PathLookupResult::NameInList(at) => {
                let list = if at + 1 == path.len() {
                    self.format_state_path(node, None)
                } else {
                    "what contains it".to_owned()
                };
                Some(name_in_list_problem(&name, &list))
            }
            // A case or the console may store data of its own in the state. A name similar to a
            // declared one is a typing mistake.
            PathLookupResult::UnknownName(0, fields)
                if (caller.file == CONSOLE_FILE || caller.file.starts_with(mods::TESTS_FOLDER))
                    && !has_similar_name(&path[0], fields) =>
            {
                None
            }
            PathLookupResult::UnknownName(at, fields) => {
                Some(undeclared_field_problem(&name, &path[..=at], fields))
            }
            PathLookupResult::Found(ty) => {
                let fits = RuntimeTypeChecker::new(self.registry(), &world, false);
                let misfit = match value {
                    Some(value) => {
                        let value = ValueRef::from_value(value);
                        let misfit = fits.find_mismatch(ty, &value);
                        if misfit.is_none() {
                            let complete = RuntimeTypeChecker::new(self.registry(), &world, true);
                            let lacking = complete.find_mismatch(ty, &value);
                            lacking.into_iter().for_each(|lacking| {
                                let field_path = format!("{name}{}", lacking.path);
                                self.write_checks.add_incomplete_write(field_path, caller.clone());
                            });
                        }
                        misfit
                    }
                    // A case may remove a field and restore it in the same step.
                    None if caller.file.starts_with(mods::TESTS_FOLDER) => None,
                    None => find_removed_field(shapes, &path),
                }?;
                let (Some(StatePathStep::Name(of)), inner) = (path.first(), path.get(1)) else {
                    return None;
                };
                let inner = match inner {
                    Some(StatePathStep::Name(inner)) => Some(&**inner),
                    _ => None,
                };
                let place: Option<SourceLocation> = shapes.declaration_location(of, inner).cloned();
                let problem = misfit.into_problem(STATE_MISMATCH_CODES, "this line", &name);
                Some(problem.add_related_locations(place))
            }
        }
    }
}

/// The mismatch of a required field that a script sets to nil. Fields of `state` itself may be
/// absent.
fn find_removed_field(shapes: &StateSchemas, path: &[StatePathStep]) -> Option<FieldMismatch> {
    let (StatePathStep::Name(name), parent @ [_, ..]) = path.split_last()? else { return None };
    let PathLookupResult::Found(FieldType::Record(fields)) = shapes.lookup_in_state(parent) else {
        return None;
    };
    let field = fields.iter().find(|field| *field.name == **name)?;
    (!field.is_optional && field.default.is_none())
        .then(|| FieldMismatch::of_removed_value(&field.ty))
}

fn has_similar_name(way: &StatePathStep, fields: &[Field]) -> bool {
    let StatePathStep::Name(name) = way else { return false };
    nearest_name(name, fields.iter().map(|field| &*field.name)).is_some()
}

/// The Problem of a name as the key of a list of the state.
pub fn name_in_list_problem(name: &str, list: &str) -> Problem {
    let found = format!("`{name}` is no item: {list} is a list");
    Problem::error(Code::StateWrongValue, found)
        .expected("a number in brackets; `table.insert` adds an item")
}

/// The Problem of an undeclared field of the state. The path ends with the field.
pub fn undeclared_field_problem(name: &str, path: &[StatePathStep], fields: &FieldList) -> Problem {
    let step = |step: &StatePathStep| match step {
        StatePathStep::Name(name) => StatePathStep::Name(searched_part(name)),
        StatePathStep::AnyEntry => StatePathStep::AnyEntry,
    };
    let (path, fields) = (path.iter().map(step).collect::<Vec<_>>(), fields.clone());
    Problem::error(Code::UnknownStateField, format!("no mod declares `{name}`"))
        .explain_later(move |problem, _| explain_undeclared_field(problem, &path, &fields))
}

/// Says which fields there are, and how to declare one that is not.
fn explain_undeclared_field(problem: Problem, path: &[StatePathStep], fields: &[Field]) -> Problem {
    let last = match path.last() {
        Some(StatePathStep::Name(name)) => name,
        _ => "",
    };
    let problem = problem.expect_one_of_names(last, fields.iter().map(|field| &*field.name));
    let problem = match path {
        // The list of allowed names would not help: each mod usually declares its own field of
        // `state`.
        [_] => {
            problem.expected("a field of the state that a mod declares: the reference lists them")
        }
        _ if fields.is_empty() => problem.expected("a table without fields"),
        _ => problem,
    };
    if problem.hint.is_some() {
        return problem;
    }
    if let [StatePathStep::Name(name)] = path {
        return problem
            .hint(format!("declare it: `schema \"{name}\" {{ … }}`"))
            .with_undeclared_name(UndeclaredName::StatePart(name.clone()));
    }
    problem.hint(match path {
        [StatePathStep::Name(name), StatePathStep::Name(_)] => {
            format!("or declare it: `schema \"{name}\" {{ {last} = field.… }}` adds a field")
        }
        _ => "declare it in the declaration of the table that contains it".to_owned(),
    })
}
