//! A game's own lints, run by `check`.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use mlua::{Function, Lua, Table, Value as LuaValue};

use crate::diagnostics::host_explanation::HostExplanation as _;
use crate::host::Host;
use crate::host::phase::Permit;
use crate::vm::Vm;
use base::problem::searched_part;
use base::{Code, Problem, Value, limits};
use content::{ProvenanceRecord, expect_kind, unexplained_unknown_kind};
use protocol::WorldState;

impl Vm {
    /// Runs the lints of the mods in order of declaration. A lint is read-only, and its reports are
    /// warnings. A lint that fails is an error; the others still run. `requested_mods` are the mods
    /// that are being checked; a lint may skip others.
    pub fn run_lints(&self, requested_mods: &BTreeSet<String>) -> Vec<Problem> {
        let requested_ids = Rc::new(requested_mods.clone());
        let lints = self.host().load_state.all_declarations.borrow().lint_function_ids.clone();
        let reports = Rc::new(RefCell::new(Vec::new()));
        for lint in lints {
            let permit = Permit::ReadOnly("a lint");
            let result = self.call_with_world(
                &mut WorldState::default(),
                &Value::map(),
                permit,
                |lua, host| {
                    host.fuel.set_budget(limits::MAX_FUEL_PER_TOOL_CALL);
                    let report_function = create_report_function(lua, host, lint, &reports)?;
                    host.call_stored_function::<()>(
                        lint,
                        (create_lint_registry(lua, host, &requested_ids)?, report_function),
                    )
                },
            );
            if let Err(problem) = result {
                reports.borrow_mut().push(problem);
            }
        }
        reports.take()
    }
}

/// What a lint receives: `registry.all(kind)` and `registry.get(kind, id)`. Unlike `all` in play,
/// `registry.all` takes any kind by name, also without retired definitions.
/// `registry.was_requested(definition)` tells whether a report on it may be in a mod that is being
/// checked.
fn create_lint_registry(
    lua: &Lua,
    host: &Rc<Host>,
    requested_mods: &Rc<BTreeSet<String>>,
) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.set(
        "all",
        host.create_typed_function(lua, |host, _, kind: String| {
            host.list_definition_tables(&kind)?.ok_or_else(|| no_kind_problem(kind).into_lua_err())
        })?,
    )?;
    table.set(
        "get",
        host.create_typed_function(lua, |host, _, (kind, id): (String, String)| {
            if host.registry().kind(&kind).is_none() {
                return Err(no_kind_problem(kind).into_lua_err());
            }
            host.definition_table(&kind, &id)
        })?,
    )?;
    let requested_ids = requested_mods.clone();
    table.set(
        "was_requested",
        host.create_typed_function(lua, move |host, _, value: LuaValue| {
            let registry = host.registry();
            let kind_and_id = value
                .as_table()
                .and_then(|definition_table| host.definition_of_table(definition_table));
            let definition = kind_and_id.and_then(|(kind, id)| registry.get(&kind, &id));
            let definition = definition
                .ok_or_else(|| not_a_definition_problem("registry.was_requested"))
                .into_lua_err()?;
            let mut owners = definition.changes.iter().map(|change| &change.owner);
            Ok(requested_ids.contains(&definition.place.owner)
                || owners.any(|owner| requested_ids.contains(owner)))
        })?,
    )?;
    table.set_readonly(true);
    Ok(table)
}

fn no_kind_problem(kind: String) -> Problem {
    let problem = unexplained_unknown_kind(&kind);
    problem.explain_in_host(move |host, problem| {
        expect_kind(problem, &searched_part(&kind), host.registry().kinds())
    })
}

/// `report(definition, text)`, or `report(definition, text, { field = …, hint = … })`. Without a
/// definition the report is at the lint itself.
fn create_report_function(
    lua: &Lua,
    host: &Rc<Host>,
    lint: u64,
    reports: &Rc<RefCell<Vec<Problem>>>,
) -> mlua::Result<Function> {
    let shared_reports = reports.clone();
    host.create_typed_function(
        lua,
        move |host, _, (subject, text, details): (LuaValue, String, Option<Table>)| {
            let read_detail = |name: &str| -> mlua::Result<Option<String>> {
                details.as_ref().map_or(Ok(None), |details| details.get(name))
            };
            let field = read_detail("field")?.unwrap_or_default();
            let mut problem = match &subject {
                LuaValue::Nil => {
                    Problem::warning(Code::Lint, text).at(host.place_of_stored_function(lint))
                }
                LuaValue::Table(table) => {
                    let Some((kind, id)) = host.definition_of_table(table) else {
                        return Err(not_a_definition_problem("report").into_lua_err());
                    };
                    let registry = host.registry();
                    let definition = registry
                        .get(&kind, &id)
                        .expect("the tables have only registered definitions");
                    let parts = field.split('.').filter(|part| !part.is_empty());
                    let format_step = |part: &str| match part.parse::<u32>() {
                        Ok(number) => format!("[{number}]"),
                        Err(_) => part.to_owned(),
                    };
                    let path: Vec<String> = parts.map(format_step).collect();
                    let message = match field.is_empty() {
                        true => format!("{kind} \"{id}\": {text}"),
                        false => format!("{kind} \"{id}\", {field}: {text}"),
                    };
                    // If another mod changed the field last, the report is at that change.
                    let touches_field = |change: &&ProvenanceRecord| {
                        let first_step = change.path.split('.').next().unwrap_or_default();
                        let is_same_field = first_step.is_empty()
                            || path.first().is_some_and(|name| name == first_step);
                        is_same_field && change.owner != definition.place.owner
                    };
                    let place = match definition.changes.iter().rev().find(touches_field) {
                        Some(change) => change.place.clone(),
                        None => host.sources.locate_field(&definition.place, &path),
                    };
                    Problem::warning(Code::Lint, message).at(place)
                }
                _ => return Err(not_a_definition_problem("report").into_lua_err()),
            };
            problem.hint = read_detail("hint")?;
            problem.related_locations.push(host.place_of_stored_function(lint));
            shared_reports.borrow_mut().push(problem);
            Ok(())
        },
    )
}

fn not_a_definition_problem(name: &str) -> Problem {
    Problem::error(Code::BadArgument, format!("`{name}` got a value that is not a definition"))
        .expected(match name {
            "report" => "a definition as `registry.all` gives it, or nil",
            _ => "a definition as `registry.all` gives it",
        })
}
