//! Freezing: what was created while loading is constant afterwards. Everything that stored
//! functions and shared names can reach becomes read-only, including values that only upvalues
//! hold.

use mlua::ExternalError as _;
use std::collections::{BTreeMap, BTreeSet};

use mlua::{Function, Lua, Table, Value};

use crate::host::Host;
use base::{Code, Problem};

/// The chunk name of the prelude.
const PRELUDE_CHUNK: &str = "[host]";

/// The script functions that a freeze has reached.
#[derive(Default)]
pub(crate) struct FrozenFunctions {
    /// All of them.
    pub(crate) functions: Vec<Function>,
    /// The functions with upvalues, by address. Keeping the function here keeps its address valid.
    pub(crate) closures_by_address: BTreeMap<usize, Function>,
}

/// Makes all tables that these values can reach read-only. Refuses iterators that keep a position.
pub(crate) fn freeze_reachable(
    host: &Host,
    lua: &Lua,
    roots: Vec<Value>,
) -> mlua::Result<FrozenFunctions> {
    walk_values(host, lua, roots, |table| table.set_readonly(true))
}

/// Only checks for such iterators.
pub(crate) fn check_no_stateful_iterators(
    host: &Host,
    lua: &Lua,
    roots: Vec<Value>,
) -> mlua::Result<()> {
    walk_values(host, lua, roots, |_| {}).map(drop)
}

fn walk_values(
    host: &Host,
    lua: &Lua,
    roots: Vec<Value>,
    visit_table: impl Fn(&Table),
) -> mlua::Result<FrozenFunctions> {
    let mut frozen_functions = FrozenFunctions::default();
    let mut seen_pointers = BTreeSet::new();
    // Each value with the index of the function that holds it, if any.
    let mut pending_values: Vec<(Value, Option<usize>)> =
        roots.into_iter().map(|value| (value, None)).collect();
    while let Some((value, holder)) = pending_values.pop() {
        // Addresses only distinguish values; they never leave this function.
        match value {
            Value::Table(table) if seen_pointers.insert(table.to_pointer() as usize) => {
                for pair in table.pairs::<Value, Value>() {
                    let (key, value) = pair?;
                    let containers = [key, value].into_iter().filter(is_table_or_function);
                    pending_values.extend(containers.map(|value| (value, holder)));
                }
                pending_values
                    .extend(table.metatable().map(|metatable| (Value::Table(metatable), holder)));
                visit_table(&table);
            }
            Value::Function(function) if seen_pointers.insert(function.to_pointer() as usize) => {
                let info = function.info();
                if info.what != "Lua" || info.short_src.as_deref() == Some(PRELUDE_CHUNK) {
                    let holder_function =
                        holder.and_then(|index| frozen_functions.functions.get(index));
                    if let Some(problem) = host.iterator_problem(&function, holder_function)? {
                        return Err(problem.into_lua_err());
                    }
                    // Skips the library's own values.
                    continue;
                }
                let upvalue_values = luau::read_upvalues(lua, &function)?;
                if !upvalue_values.is_empty() {
                    frozen_functions
                        .closures_by_address
                        .insert(function.to_pointer() as usize, function.clone());
                }
                let holder = Some(frozen_functions.functions.len());
                let containers = upvalue_values.into_iter().filter(is_table_or_function);
                pending_values.extend(containers.map(|value| (value, holder)));
                frozen_functions.functions.push(function);
            }
            _ => {}
        }
    }
    Ok(frozen_functions)
}

fn is_table_or_function(value: &Value) -> bool {
    matches!(value, Value::Table(_) | Value::Function(_))
}

impl Host {
    /// The Problem of an iterator that is still held after loading. `holder` is the function that
    /// holds it, if one does.
    fn iterator_problem(
        &self,
        function: &Function,
        holder: Option<&Function>,
    ) -> mlua::Result<Option<Problem>> {
        let Some(origin) = self.prelude.iterator_origin(function)? else { return Ok(None) };
        let mut parts = origin.splitn(3, ':');
        let mut next_part = || parts.next().unwrap_or_default();
        let (line, chunk, name) = (next_part(), next_part(), next_part());
        let message = format!("an iterator of `{name}` is kept after loading");
        let problem = Problem::error(Code::KeptInALocal, message)
            .expected("iterators that are used where they are created: a save does not store their position")
            .hint(
                "create it in the function that uses it, or store its values in a list: \
                 `for word in … do list[#list + 1] = word end`",
            );
        let place = self.sources.source_location(chunk, line.parse().unwrap_or(0));
        let holder = holder.and_then(|holder| self.place_of_function(holder));
        Ok(Some(Problem { place, ..problem }.add_related_locations(holder)))
    }
}
