//! Definitions as scripts read them: by id, all of a kind, or as a tombstone. Each table is built
//! on first use.

use std::collections::BTreeMap;
use std::sync::Arc;

use mlua::{Function, Lua, Table, Value, Variadic};

use super::from_lua::wrap_with_schema_check;
use super::host::{Host, KindTables};
use crate::base::{Code, Id, Problem, problem::nearest_name};
use crate::content::{
    Datum, Definition, FunctionRef, Kind, PathStep, Registry, find_function_field,
};
use crate::luau::{self, Stack, StackIndex};

impl Host {
    /// The table of a definition: its fields and `id`, frozen, with callable functions.
    pub(crate) fn definition(&self, kind: &str, id: &str) -> mlua::Result<Option<Table>> {
        let made =
            |by_kind: &BTreeMap<Arc<str>, KindTables>| by_kind.get(kind)?.by_id.get(id).cloned();
        if let Some(table) = made(&self.lazy.definitions.borrow()) {
            return Ok(Some(table));
        }
        let registry = self.registry().clone();
        let Some(definition) = registry.get(kind, id) else { return Ok(None) };
        let lua = self.lua();
        let table = self.without_accounting(&lua, || {
            let table = self.build_table(&lua, definition)?;
            self.index_definition(kind, id, &table)?;
            Ok(table)
        })?;
        let mut by_kind = self.lazy.definitions.borrow_mut();
        let of_kind = by_kind.entry(definition.kind.clone()).or_default();
        of_kind.by_id.insert(Arc::from(id), table.clone());
        Ok(Some(table))
    }

    /// Stores a definition in the table of its kind, where Luau finds it without us. Not while
    /// coverage is traced.
    fn index_definition(&self, kind: &str, id: &str, table: &Table) -> mlua::Result<()> {
        let names = self.lazy.kind_handles.borrow();
        let name = names.iter().find(|one| *one.kind == *kind).filter(|_| self.trace.is_none());
        name.map_or(Ok(()), |name| name.by_id.raw_set(id, table))
    }

    /// The kind and the id of the definition that a table stands for.
    pub(crate) fn definition_of_table(&self, table: &Table) -> Option<(Arc<str>, Arc<str>)> {
        let id: String = table.raw_get("id").ok()?;
        self.lazy.definitions.borrow().iter().find_map(|(kind, of_kind)| {
            let (id, known) = of_kind.by_id.get_key_value(id.as_str())?;
            (known == table).then(|| (kind.clone(), id.clone()))
        })
    }

    /// All definitions of a kind that are not retired, in order, as a frozen list.
    pub(crate) fn list_definitions(&self, kind: &str) -> mlua::Result<Option<Table>> {
        let made =
            self.lazy.definitions.borrow().get(kind).and_then(|of_kind| of_kind.list.clone());
        if made.is_some() {
            return Ok(made);
        }
        let registry = self.registry().clone();
        let Some(name) = registry.kind(kind).map(|kind| kind.name.clone()) else { return Ok(None) };
        let lua = self.lua();
        let list = self.without_accounting(&lua, || {
            let list = lua.create_table()?;
            for definition in registry.active_definitions(kind) {
                list.raw_push(self.definition(kind, definition.id.as_str())?)?;
            }
            list.set_readonly(true);
            Ok(list)
        })?;
        let mut by_kind = self.lazy.definitions.borrow_mut();
        by_kind.entry(name).or_default().list = Some(list.clone());
        Ok(Some(list))
    }

    /// Records that a definition was read, if coverage is traced.
    fn trace_read(&self, kind: &str, id: &str) {
        if let Some(trace) = &self.trace {
            trace.record_definition(kind, id);
        }
    }

    /// Finds a definition for a script. A name without a mod is in the calling mod.
    pub(crate) fn find_definition(&self, lua: &Lua, kind: &str, id: &str) -> mlua::Result<Table> {
        if let Some(table) = self.definition(kind, id)? {
            self.trace_read(kind, id);
            return Ok(table);
        }
        let whole = Id::parse(id, &self.calling_mod(lua))
            .map_err(|why| Problem::error(Code::BadReference, why))?;
        if let Some(table) = self.definition(kind, whole.as_str())? {
            self.trace_read(kind, whole.as_str());
            return Ok(table);
        }
        if let Some(stone) = self.create_tombstone(lua, kind, whole.as_str())? {
            return Ok(stone);
        }
        Err(unknown_definition(self.registry(), kind, &whole).into())
    }

    fn build_table(&self, lua: &Lua, definition: &Definition) -> mlua::Result<Table> {
        let mut fields = definition.fields.clone();
        fields.insert(Arc::from("id"), Datum::text(definition.id.as_str()));
        let kind = self.registry().kind(&definition.kind).filter(|kind| !kind.builtin);
        let function_path = kind.filter(|_| self.edition.holds_wraps());
        let mut function_path =
            function_path.map(|kind| FunctionPath { kind, definition, path: Vec::new() });
        match self.build_datum_value(lua, &Datum::Map(fields), &mut function_path)? {
            Value::Table(table) => Ok(table),
            _ => unreachable!("a map becomes a table"),
        }
    }

    /// A datum as scripts read it; tables are frozen.
    pub(crate) fn datum_to_lua(&self, lua: &Lua, datum: &Datum) -> mlua::Result<Value> {
        self.build_datum_value(lua, datum, &mut None)
    }

    fn build_datum_value(
        &self,
        lua: &Lua,
        datum: &Datum,
        function_path: &mut Option<FunctionPath<'_>>,
    ) -> mlua::Result<Value> {
        let mut functions = Vec::new();
        self.collect_functions(lua, datum, function_path, &mut functions)?;
        luau::call_with_stack(lua, Variadic::from_iter(functions), |stack| {
            push_datum(stack, datum, &mut 1);
            stack.insert(1);
            stack.set_top(1);
        })
    }

    fn collect_functions(
        &self,
        lua: &Lua,
        datum: &Datum,
        function_path: &mut Option<FunctionPath<'_>>,
        functions: &mut Vec<Function>,
    ) -> mlua::Result<()> {
        let mut each = |way: &dyn Fn() -> PathStep, item: &Datum| {
            // Most values are leaves without functions.
            if !matches!(item, Datum::Fn(_) | Datum::List(_) | Datum::Map(_)) {
                return Ok(());
            }
            if let Some(stands) = function_path {
                stands.path.push(way());
            }
            let done = self.collect_functions(lua, item, function_path, functions);
            if let Some(stands) = function_path {
                stands.path.pop();
            }
            done
        };
        match datum {
            Datum::Fn(function) => {
                let whole = self.build_callable(lua, function)?;
                functions.push(match function_path {
                    Some(stands) => self.checked_function(lua, stands, function, whole)?,
                    None => whole,
                });
            }
            Datum::List(list) => {
                list.iter().try_for_each(|item| each(&|| PathStep::AnyEntry, item))?
            }
            Datum::Map(map) => map.iter().try_for_each(|(name, item)| {
                each(&|| PathStep::Name(String::from(&**name)), item)
            })?,
            _ => {}
        }
        Ok(())
    }

    /// A function of a definition whose kind declares parameters and result. If the kind belongs to
    /// another mod, the function is always type-checked, so that errors are attributed to its
    /// author. If it belongs to the same mod, it is checked in strict mode only.
    fn checked_function(
        &self,
        lua: &Lua,
        function_path: &FunctionPath<'_>,
        function: &FunctionRef,
        whole: Function,
    ) -> mlua::Result<Function> {
        let FunctionPath { kind, definition, path } = function_path;
        let in_force = |one: &&FunctionRef| !self.disabled.is_mod_disabled(&one.place.owner);
        let maker = function.wrappers.iter().rev().find(in_force).unwrap_or(function);
        if maker.place.owner == kind.owner && !self.checks_calls.get() {
            return Ok(whole);
        }
        let Some(field) = find_function_field(&kind.fields, path) else { return Ok(whole) };
        let (Some(work), Some(host)) = (field.function.clone(), self.weak_self.upgrade()) else {
            return Ok(whole);
        };
        let name = format!("`{}` of {}", field.name, definition.id);
        wrap_with_schema_check(
            lua,
            &host,
            (*work, name, maker.place.clone(), kind.place.clone()),
            whole,
        )
    }
}

/// The path of the functions in a definition that is being built.
struct FunctionPath<'r> {
    kind: &'r Kind,
    definition: &'r Definition,
    path: Vec<PathStep>,
}

/// The Problem of an unknown definition.
pub(super) fn unknown_definition(registry: &Registry, kind: &str, whole: &Id) -> Problem {
    let found = format!("there is no {kind} called \"{whole}\"");
    let problem = Problem::error(Code::BadReference, found);
    let ids = || registry.all_definitions(kind).map(|definition| definition.id.as_str());
    // Compares the bare name too: the most common mistake is to omit the mod.
    let near = ids().find(|id| id.split_once(':').is_some_and(|(_, name)| name == whole.name()));
    problem.did_you_mean(near.or_else(|| nearest_name(whole.as_str(), ids())))
}

/// Pushes a datum. Its functions are on the stack from `next` on, in the order of the datum.
fn push_datum(stack: Stack<'_>, datum: &Datum, next: &mut StackIndex) {
    match datum {
        Datum::Bool(truth) => stack.push_bool(*truth),
        Datum::Int(int) => stack.push_number(*int as f64),
        Datum::Num(number) => stack.push_number(*number),
        Datum::Text(text) => stack.push_text(&**text),
        Datum::Fn(_) => {
            stack.push_copy(*next);
            *next += 1;
        }
        Datum::List(list) => stack.push_list(list, true, |item| push_datum(stack, item, next)),
        Datum::Map(map) => {
            let named = map.iter().map(|(name, item)| (&**name, item));
            stack.push_map(named, true, |item| push_datum(stack, item, next));
        }
    }
}
