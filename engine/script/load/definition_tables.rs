//! Definitions as scripts read them: by id, all of a kind, or as a tombstone. Each table is built
//! on first use.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::collections::BTreeMap;
use std::sync::Arc;

use mlua::{Function, Lua, Table, Value, Variadic};

use crate::diagnostics::host_explanation::HostExplanation as _;
use crate::from_lua::wrap_with_schema_check;
use crate::host::Host;
use crate::host::lazy_tables::KindTables;
use base::{Code, Id, Problem};
use content::{Datum, Definition, FunctionRef, Kind, StatePathStep, find_function_field};
use luau::{Stack, StackIndex};

impl Host {
    /// The table of a definition: its fields and `id`, frozen, with callable functions.
    pub(crate) fn definition_table(&self, kind: &str, id: &str) -> mlua::Result<Option<Table>> {
        let find_table = |tables_by_kind: &BTreeMap<Arc<str>, KindTables>| {
            tables_by_kind.get(kind)?.tables_by_id.get(id).cloned()
        };
        if let Some(table) = find_table(&self.lazy_tables.definition_tables.borrow()) {
            return Ok(Some(table));
        }
        let registry = self.registry().clone();
        let Some(definition) = registry.get(kind, id) else { return Ok(None) };
        let lua = self.lua();
        let table = self.run_without_accounting(&lua, || {
            let table = self.build_table(&lua, definition)?;
            self.index_definition(kind, id, &table)?;
            Ok(table)
        })?;
        let mut tables_by_kind = self.lazy_tables.definition_tables.borrow_mut();
        let kind_tables = tables_by_kind.entry(definition.kind.clone()).or_default();
        kind_tables.tables_by_id.insert(Arc::from(id), table.clone());
        Ok(Some(table))
    }

    /// Stores a definition in the table of its kind, where Luau finds it without a call. Does
    /// nothing while coverage is traced.
    fn index_definition(&self, kind: &str, id: &str, table: &Table) -> mlua::Result<()> {
        let kind_handles = self.lazy_tables.kind_handles.borrow();
        let kind_handle = kind_handles
            .iter()
            .find(|handle| *handle.kind == *kind)
            .filter(|_| self.coverage_trace.is_none());
        kind_handle.map_or(Ok(()), |kind_handle| kind_handle.definitions_by_id.raw_set(id, table))
    }

    /// The kind and the id of the definition that a table stands for.
    pub(crate) fn definition_of_table(&self, table: &Table) -> Option<(Arc<str>, Arc<str>)> {
        let id: String = table.raw_get("id").ok()?;
        self.lazy_tables.definition_tables.borrow().iter().find_map(|(kind, kind_tables)| {
            let (id, cached_table) = kind_tables.tables_by_id.get_key_value(id.as_str())?;
            (cached_table == table).then(|| (kind.clone(), id.clone()))
        })
    }

    /// All definitions of a kind that are not retired, in order, as a frozen list.
    pub(crate) fn list_definition_tables(&self, kind: &str) -> mlua::Result<Option<Table>> {
        let cached_list = self
            .lazy_tables
            .definition_tables
            .borrow()
            .get(kind)
            .and_then(|kind_tables| kind_tables.definition_list.clone());
        if cached_list.is_some() {
            return Ok(cached_list);
        }
        let registry = self.registry().clone();
        let Some(kind_name) = registry.kind(kind).map(|kind| kind.name.clone()) else {
            return Ok(None);
        };
        let lua = self.lua();
        let list = self.run_without_accounting(&lua, || {
            let list = lua.create_table()?;
            for definition in registry.active_definitions(kind) {
                list.raw_push(self.definition_table(kind, definition.id.as_str())?)?;
            }
            list.set_readonly(true);
            Ok(list)
        })?;
        let mut tables_by_kind = self.lazy_tables.definition_tables.borrow_mut();
        tables_by_kind.entry(kind_name).or_default().definition_list = Some(list.clone());
        Ok(Some(list))
    }

    /// Records that a definition was read, if coverage is traced.
    fn trace_definition_read(&self, kind: &str, id: &str) {
        if let Some(trace) = &self.coverage_trace {
            trace.record_definition_read(kind, id);
        }
    }

    /// Finds a definition for a script. A name without a mod is in the calling mod.
    pub(crate) fn find_definition_table(
        &self,
        lua: &Lua,
        kind: &str,
        id: &str,
    ) -> mlua::Result<Table> {
        if let Some(table) = self.definition_table(kind, id)? {
            self.trace_definition_read(kind, id);
            return Ok(table);
        }
        let full_id = Id::parse(id, &self.calling_mod(lua))
            .map_err(|reason| Problem::error(Code::BadReference, reason))
            .into_lua_err()?;
        if let Some(table) = self.definition_table(kind, full_id.as_str())? {
            self.trace_definition_read(kind, full_id.as_str());
            return Ok(table);
        }
        if let Some(tombstone) = self.create_tombstone(lua, kind, full_id.as_str())? {
            return Ok(tombstone);
        }
        Err(unknown_definition_problem(kind, &full_id).into_lua_err())
    }

    fn build_table(&self, lua: &Lua, definition: &Definition) -> mlua::Result<Table> {
        let mut fields = definition.fields.clone();
        fields.insert(Arc::from("id"), Datum::text(definition.id.as_str()));
        let kind = self.registry().kind(&definition.kind).filter(|kind| !kind.is_builtin);
        let mut type_check_path =
            kind.map(|kind| FunctionPath { kind, definition, path: Vec::new() });
        match self.build_datum_value(lua, &Datum::Map(fields), &mut type_check_path)? {
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
        type_check_path: &mut Option<FunctionPath<'_>>,
    ) -> mlua::Result<Value> {
        let mut functions = Vec::new();
        self.collect_functions(lua, datum, type_check_path, &mut functions)?;
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
        type_check_path: &mut Option<FunctionPath<'_>>,
        functions: &mut Vec<Function>,
    ) -> mlua::Result<()> {
        let mut collect_item = |create_step: &dyn Fn() -> StatePathStep, item: &Datum| {
            // Most values are leaves without functions.
            if !matches!(item, Datum::Fn(_) | Datum::List(_) | Datum::Map(_)) {
                return Ok(());
            }
            if let Some(parent_path) = type_check_path {
                parent_path.path.push(create_step());
            }
            let result = self.collect_functions(lua, item, type_check_path, functions);
            if let Some(parent_path) = type_check_path {
                parent_path.path.pop();
            }
            result
        };
        match datum {
            Datum::Fn(function) => {
                let callable = self.build_callable(lua, function)?;
                functions.push(match type_check_path {
                    Some(parent_path) => {
                        self.wrap_with_type_checks(lua, parent_path, function, callable)?
                    }
                    None => callable,
                });
            }
            Datum::List(list) => {
                list.iter().try_for_each(|item| collect_item(&|| StatePathStep::AnyEntry, item))?
            }
            Datum::Map(map) => map.iter().try_for_each(|(name, item)| {
                collect_item(&|| StatePathStep::Name(String::from(&**name)), item)
            })?,
            _ => {}
        }
        Ok(())
    }

    /// A function of a definition whose kind declares parameters and result. If the kind belongs to
    /// another mod, the function is always type-checked, so that errors are attributed to its
    /// author. If it belongs to the same mod, it is checked in strict mode only.
    fn wrap_with_type_checks(
        &self,
        lua: &Lua,
        type_check_path: &FunctionPath<'_>,
        function: &FunctionRef,
        callable: Function,
    ) -> mlua::Result<Function> {
        let FunctionPath { kind, definition, path } = type_check_path;
        let is_active =
            |wrapper: &&FunctionRef| !self.disabled_set.is_mod_disabled(&wrapper.place.owner);
        let responsible_function =
            function.wrappers.iter().rev().find(is_active).unwrap_or(function);
        if responsible_function.place.owner == kind.owner && !self.checks_export_calls.get() {
            return Ok(callable);
        }
        let Some(field) = find_function_field(&kind.fields, path) else { return Ok(callable) };
        let (Some(function_schema), Some(host)) =
            (field.function_schema.clone(), self.weak_self.upgrade())
        else {
            return Ok(callable);
        };
        let name = format!("`{}` of {}", field.name, definition.id);
        wrap_with_schema_check(
            lua,
            &host,
            (*function_schema, name, responsible_function.place.clone(), kind.place.clone()),
            callable,
        )
    }
}

/// The path of the functions in a definition that is being built.
struct FunctionPath<'r> {
    kind: &'r Kind,
    definition: &'r Definition,
    path: Vec<StatePathStep>,
}

/// The Problem of an unknown definition.
pub(crate) fn unknown_definition_problem(kind: &str, full_id: &Id) -> Problem {
    let message = format!("there is no {kind} called \"{full_id}\"");
    Problem::error(Code::BadReference, message).suggest_definition(kind, full_id.as_str())
}

/// Pushes a datum. Its functions are on the stack from `next_function` on, in the order of the
/// datum.
fn push_datum(stack: Stack<'_>, datum: &Datum, next_function: &mut StackIndex) {
    match datum {
        Datum::Bool(truth) => stack.push_bool(*truth),
        Datum::Int(int) => stack.push_number(*int as f64),
        Datum::Num(number) => stack.push_number(*number),
        Datum::Text(text) => stack.push_text(&**text),
        Datum::Fn(_) => {
            stack.push_copy(*next_function);
            *next_function += 1;
        }
        Datum::List(list) => {
            stack.push_list(list, true, |item| push_datum(stack, item, next_function))
        }
        Datum::Map(map) => {
            let entries = map.iter().map(|(name, item)| (&**name, item));
            stack.push_map(entries, true, |item| push_datum(stack, item, next_function));
        }
    }
}
