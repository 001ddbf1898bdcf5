//! `kind "name" { … }`: a kind of content and its fields. `extend "name.field" { … }`: texts added
//! to an open list of a kind, an event or the state.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::rc::Rc;

use mlua::{Function, Lua, Table, Value};

use super::definition;
use super::field;
use super::host_fn::{HostFnRegistry, host_fn};
use crate::diagnostics::host_explanation::HostExplanation as _;
use crate::diagnostics::missing_names::hint_make_visible;
use crate::host::Host;
use crate::host::phase::Availability;
use base::problem::{describe_alternatives, nearest_name, searched_part};
use base::{Code, Problem, SourceLocation, UndeclaredName, id::check_id_part};
use content::{HOST_MOD_ID, Kind};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Loading "kind"(name: String) -> "(fields: { [any]: any }) -> ()",
        "Declares a kind of content: its fields by name, each a `field.…`, and `doc`.",
        |call| declare_kind(&call.lua(), call.host, &name)
    )?;
    host_fn!(
        api, Loading "extend"(list: String) -> "(words: { string }) -> ()",
        "Adds texts to an open list (`field.one_of { …, open = true }`) of a kind, an event or the state: `extend \"KIND.FIELD\" { \"word\" }`, `\"EVENT.FIELD\"`, `\"state.FIELD\"`.",
        |call| begin_list_extension(&call.lua(), call.host, &list)
    )
}

/// Adds texts to an open list of a kind, an event or a field of the state.
fn begin_list_extension(lua: &Lua, host: &Rc<Host>, list: &str) -> mlua::Result<Function> {
    host.load_state.has_side_effects.set(true);
    let (place, list) = (host.place_of_caller(lua), list.to_owned());
    let pending_declaration =
        host.load_state.pending_declarations.add_declaration("extend", &list, &place);
    host.create_typed_function(lua, move |host, _, body: Value| {
        host.check_function_allowed(Availability::Loading, "extend").into_lua_err()?;
        host.load_state.pending_declarations.mark_complete(pending_declaration);
        host.load_state.has_side_effects.set(true);
        let Some(new_texts) = read_texts(&body)? else {
            let message = format!("extend \"{list}\" did not get texts");
            let expected = format!("texts: `extend \"{list}\" {{ \"word\" }}`");
            return Err(Problem::error(Code::BadField, message).expected(expected).into_lua_err());
        };
        let (name, path) = list.split_once('.').unwrap_or((&list, ""));
        let is_visible =
            |owner: &str| owner == place.owner || host.environments.can_see(&place.owner, owner);
        if name == "state" {
            let schemas = &mut host.load_state.all_declarations.borrow_mut().schemas;
            return schemas.extend_open_list(path, &new_texts, &place).into_lua_err();
        }
        // An event may have the name of a kind; the kind then explains what is wrong.
        let mut first_problem = None;
        for kinds_cell in [&host.load_state.declared_kinds, &host.load_state.declared_events] {
            let mut kinds = kinds_cell.borrow_mut();
            if let Some(kind) =
                kinds.iter_mut().find(|kind| *kind.name == *name && is_visible(&kind.owner))
            {
                match kind.extend_open_list(path, &new_texts, &place) {
                    Ok(()) => return Ok(()),
                    Err(problem) => first_problem = first_problem.or(Some(problem)),
                }
            }
        }
        Err(first_problem
            .unwrap_or_else(|| unknown_list_owner_problem(host, name, &place))
            .into_lua_err())
    })
}

/// The Problem of a list whose kind or event the mod does not see.
fn unknown_list_owner_problem(host: &Host, name: &str, place: &SourceLocation) -> Problem {
    let (kinds, events) =
        (host.load_state.declared_kinds.borrow(), host.load_state.declared_events.borrow());
    let kinds_and_events = || kinds.iter().chain(&*events);
    let unknown_kind = |message| Problem::error(Code::UnknownKind, message);
    if let Some(kind) = kinds_and_events().find(|kind| *kind.name == *name) {
        let owner = &kind.owner;
        return unknown_kind(format!(
            "\"{name}\" belongs to `{owner}`, which this mod does not see"
        ))
        .expected("a kind or event of this mod, or of one that it needs")
        .hint(hint_make_visible(host, place, &kind.owner, "one"));
    }
    let problem = unknown_kind(format!("there is no kind or event \"{name}\" here"));
    let (name, viewer) = (searched_part(name), place.owner.clone());
    problem.explain_in_host(move |host, problem| {
        let declared = &host.load_state;
        let (kinds, events) = (declared.declared_kinds.borrow(), declared.declared_events.borrow());
        // The host's own events have no lists.
        let is_visible = |one: &&Kind| {
            one.owner != HOST_MOD_ID && host.environments.can_see(&viewer, &one.owner)
        };
        let names = || kinds.iter().chain(&*events).filter(is_visible).map(|one| &*one.name);
        let problem = problem.expected(describe_alternatives(&name, names()));
        match nearest_name(&name, names()) {
            None => problem.with_undeclared_name(UndeclaredName::OpenListOwner(name.clone())),
            suggestion => problem.suggest_name(suggestion),
        }
    })
}

/// The texts of a list; `None` if it is empty or has other values.
fn read_texts(body: &Value) -> mlua::Result<Option<Vec<String>>> {
    let Value::Table(body) = body else { return Ok(None) };
    let mut texts = Vec::new();
    for pair in body.pairs::<Value, Value>() {
        let (key, value) = pair?;
        let Some(text) = value.as_string().filter(|_| key.as_string().is_none()) else {
            return Ok(None);
        };
        texts.push(text.to_string_lossy());
    }
    Ok((!texts.is_empty()).then_some(texts))
}

/// Declares the kind without fields, so that its name exists; the body adds them.
fn declare_kind(lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<Function> {
    if let Err(reason) = check_id_part(name) {
        return Err(Problem::error(
            Code::BadName,
            format!("the kind name \"{name}\" cannot be used: {reason}"),
        )
        .into_lua_err());
    }
    host.load_state.has_side_effects.set(true);
    let place = host.place_of_caller(lua);
    let handle = definition::create_kind_handle(lua, host, name)?;
    let handle = Value::UserData(handle);
    let no_module = |_: &str| unreachable!("the name of a kind cannot have a dot");
    if let Some(problem) = host.environments.share_name(place.clone(), name, handle, no_module)? {
        return Err(problem.into_lua_err());
    }
    let mut kinds = host.load_state.declared_kinds.borrow_mut();
    let index = kinds.len();
    let pending_declaration =
        host.load_state.pending_declarations.add_declaration("kind", name, &place);
    kinds.push(Kind::new(name, Vec::new(), place));
    host.create_typed_function(lua, move |host, lua, body: Table| {
        host.check_function_allowed(Availability::Loading, "kind").into_lua_err()?;
        host.load_state.pending_declarations.mark_complete(pending_declaration);
        host.load_state.has_side_effects.set(true);
        let (mut fields, doc) = field::read_fields_and_doc(lua, host, &body)?;
        let kind = &mut host.load_state.declared_kinds.borrow_mut()[index];
        content::set_list_paths(&mut fields, &kind.name);
        (kind.fields, kind.doc) = (fields, doc);
        Ok(())
    })
}
