//! Kinds as scripts use them: while loading they declare (`spell "x" { … }`), in play they read
//! (`spell["m:x"]`, `spell.x`, `all(spell)`).

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{AnyUserData, Function, Lua, Table, Value};

use super::datum;
use super::host_fn::{HostFnRegistry, host_fn};
use crate::diagnostics::host_explanation::HostExplanation as _;
use crate::host::Host;
use crate::host::lazy_tables::KindHandle;
use crate::host::phase::Availability;
use crate::host::phase::Phase;
use crate::source_text::describe_value::{describe_lua_value, shortened_name};
use base::problem::{nearest_name, searched_part};
use base::{Code, Problem, limits, meter, quote};
use content::{ChangeKind, ContentBuilder, DefinitionChange};

/// Creates the handle of a kind. Definitions by full id are in a table that is filled after loading
/// (`definition_tables`); other keys are looked up here.
pub(super) fn create_kind_handle(
    lua: &Lua,
    host: &Rc<Host>,
    kind: &str,
) -> mlua::Result<AnyUserData> {
    let kind: Arc<str> = Arc::from(kind);
    let definitions_by_id = lua.create_table()?;
    let fallback_metatable = lua.create_table()?;
    let kind_name = kind.clone();
    let index_function =
        host.create_uncharged_lookup(lua, move |host, lua, (_, id): (Value, Value)| {
            // Luau resolves names ahead of time; nil here means: ask again at run time.
            if host.is_compiling.get() {
                return Ok(Value::Nil);
            }
            check_playing_phase(host, &kind_name)?;
            match id.as_string().and_then(|id| id.to_str().ok()) {
                Some(id) => host.find_definition_table(lua, &kind_name, &id).map(Value::Table),
                None => {
                    let message =
                        format!("a {kind_name} is read with the key {}", describe_lua_value(&id));
                    let problem = Problem::error(Code::BadArgument, message)
                        .expected("an id, which is a text");
                    Err(problem.into_lua_err())
                }
            }
        })?;
    fallback_metatable.raw_set("__index", index_function)?;
    definitions_by_id.set_metatable(Some(fallback_metatable))?;
    let metatable = lua.create_table()?;
    metatable.raw_set("__index", &definitions_by_id)?;
    let kind_name = kind.clone();
    let call_function =
        host.create_typed_function(lua, move |host, lua, (_, id): (Value, Value)| {
            host.check_function_allowed(Availability::Loading, &kind_name).into_lua_err()?;
            begin_definition(lua, host, &kind_name, &id)
        })?;
    metatable.raw_set("__call", call_function)?;
    let kind_name = kind.clone();
    metatable.raw_set(
        "__tostring",
        host.create_typed_function(lua, move |_, _, ()| Ok(kind_name.to_string()))?,
    )?;
    metatable.raw_set("__metatable", false)?;
    metatable.set_readonly(true);
    let handle = luau::create_empty_userdata(lua, &metatable)?;
    host.lazy_tables.kind_handles.borrow_mut().push(KindHandle {
        kind,
        handle: handle.clone(),
        definitions_by_id,
    });
    Ok(handle)
}

/// Refuses reads while loading: other mods may still change the definitions.
fn check_playing_phase(host: &Host, kind: &str) -> mlua::Result<()> {
    if host.execution_mode.phase.get() == Phase::Playing {
        return Ok(());
    }
    let problem = Problem::error(Code::NotPlaying, format!("a {kind} was read while loading"))
        .expected("declarations only: definitions are not complete yet")
        .hint("read it inside a function that runs in play, such as a handler");
    Err(problem.into_lua_err())
}

/// Registers the host's own kinds and `all`.
pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    for kind in ContentBuilder::new().kinds() {
        api.base_table.set(&*kind.name, create_kind_handle(api.lua, api.host, &kind.name)?)?;
    }
    host_fn!(
        api, Reading "all"(kind: Value) -> "{ any }",
        "All definitions of a kind in the order of declaration, without retired ones.",
        |call| list_definitions_of_kind(call.host, &kind)
    )
}

fn list_definitions_of_kind(host: &Host, kind: &Value) -> mlua::Result<Table> {
    let name = match kind {
        Value::UserData(data) => {
            let kind_handles = host.lazy_tables.kind_handles.borrow();
            let kind_handle =
                kind_handles.iter().find(|entry| entry.handle.to_pointer() == data.to_pointer());
            kind_handle.map(|entry| entry.kind.clone())
        }
        Value::String(name) => Some(Arc::from(shortened_name(name))),
        _ => None,
    };
    let list = name.map_or(Ok(None), |name| host.list_definition_tables(&name))?;
    list.ok_or_else(|| {
        let message = match kind {
            Value::String(name) => {
                format!("`all` got {}, which is not a kind", quote(&shortened_name(name)))
            }
            _ => "`all` did not get a kind".to_owned(),
        };
        let problem = Problem::error(Code::BadArgument, message);
        let problem = problem.expected("the name of a kind, such as `scene` in `all(scene)`");
        let Value::String(name) = kind else { return problem.into_lua_err() };
        let name = searched_part(&shortened_name(name));
        let suggest_kind = move |host: &Host, problem: Problem| {
            let kinds = host.registry().kinds().map(|kind| &*kind.name);
            problem.suggest_name(nearest_name(&name, kinds))
        };
        problem.explain_in_host(suggest_kind).into_lua_err()
    })
}

/// Begins a definition. The returned function takes its body.
fn begin_definition(lua: &Lua, host: &Rc<Host>, kind: &str, id: &Value) -> mlua::Result<Function> {
    let id = read_definition_id(kind, id)?;
    let place = host.place_of_caller(lua);
    let change_ref =
        record_change(host, DefinitionChange::new(kind, &id, place, ChangeKind::Declare(None)));
    let declaration_text = format!("{kind} \"{id}\"");
    host.create_typed_function(lua, move |host, lua, value: Value| {
        host.check_function_allowed(Availability::Loading, &declaration_text).into_lua_err()?;
        let datum = datum::read_datum(lua, host, &value, &declaration_text)?;
        host.complete_change(change_ref, |change| {
            change.change_kind = ChangeKind::Declare(Some(datum))
        });
        Ok(())
    })
}

/// Records a change of a definition and returns its index, so that a body can follow.
pub(super) fn record_change(host: &Host, change: DefinitionChange) -> ChangeRef {
    meter::count_host_bytes(limits::DECLARATION_HOST_BYTES);
    let mut changes = host.load_state.definition_changes.borrow_mut();
    changes.push(change);
    ChangeRef {
        file_run: host.function_store.borrow().current_file_run(),
        index: changes.len() - 1,
    }
}

/// A reference to a recorded change: the run of the file and the index.
#[derive(Clone, Copy)]
pub(super) struct ChangeRef {
    file_run: u32,
    index: usize,
}

impl Host {
    /// Completes a recorded change. A file that completes a change of another file has side
    /// effects.
    pub(super) fn complete_change(
        &self,
        change_ref: ChangeRef,
        amend: impl FnOnce(&mut DefinitionChange),
    ) {
        if change_ref.file_run == self.function_store.borrow().current_file_run() {
            return amend(&mut self.load_state.definition_changes.borrow_mut()[change_ref.index]);
        }
        self.load_state.has_side_effects.set(true);
        if let Some(changes) =
            self.load_state.completable_changes.borrow_mut().get_mut(&change_ref.file_run)
        {
            amend(&mut changes[change_ref.index]);
        }
    }
}

/// Reads the id that a script wrote.
pub(super) fn read_definition_id(kind: &str, id: &Value) -> mlua::Result<String> {
    if let Some(id) = id.as_string() {
        return Ok(id.to_string_lossy());
    }
    let problem =
        Problem::error(Code::BadArgument, format!("`{kind}` got {}", describe_lua_value(id)))
            .expected(format!("an id first: `{kind} \"name\" …`"));
    Err(problem.into_lua_err())
}
