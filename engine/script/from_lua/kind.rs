//! `kind "name" { … }`: a kind of content and its fields. `extend "name.field" { … }`: texts added
//! to an open list of a kind, an event or the state.

use std::rc::Rc;

use mlua::{Function, Lua, Table, Value};

use super::definition;
use super::field;
use crate::base::problem::{describe_alternatives, nearest_name};
use crate::base::{Code, Problem, SourceLocation, UndeclaredName, id::check_id_part};
use crate::content::Kind;
use crate::script::host::Host;
use crate::script::host_fn::{HostApi, host_fn};
use crate::script::missing_names::hint_make_visible;
use crate::script::phase::Availability;

pub(super) fn register(api: &mut HostApi<'_>) -> mlua::Result<()> {
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
    let pending_declaration = host.load_state.pending.add("extend", &list, &place);
    host.typed_function(lua, move |host, _, body: Value| {
        host.check_allowed(Availability::Loading, "extend")?;
        host.load_state.pending.complete(pending_declaration);
        host.load_state.has_side_effects.set(true);
        let Some(more) = read_texts(&body)? else {
            let found = format!("extend \"{list}\" did not get texts");
            let expected = format!("texts: `extend \"{list}\" {{ \"word\" }}`");
            return Err(Problem::error(Code::BadField, found).expected(expected).into());
        };
        let (name, path) = list.split_once('.').unwrap_or((&list, ""));
        let sees =
            |owner: &str| owner == place.owner || host.environments.can_see(&place.owner, owner);
        if name == "state" {
            let shapes = &mut host.load_state.all_declarations.borrow_mut().schemas;
            return Ok(shapes.extend_open_list(path, &more, &place)?);
        }
        // An event may have the name of a kind; the kind then explains what is wrong.
        let mut wrong = None;
        for lists in [&host.load_state.kinds, &host.load_state.events] {
            let mut lists = lists.borrow_mut();
            if let Some(one) = lists.iter_mut().find(|one| *one.name == *name && sees(&one.owner)) {
                match one.extend_open_list(path, &more, &place) {
                    Ok(()) => return Ok(()),
                    Err(problem) => wrong = wrong.or(Some(problem)),
                }
            }
        }
        Err(wrong.unwrap_or_else(|| unknown_list_owner_problem(host, name, &place, &sees)).into())
    })
}

/// The Problem of a list whose kind or event the mod does not see.
fn unknown_list_owner_problem(
    host: &Host,
    name: &str,
    place: &SourceLocation,
    sees: &dyn Fn(&str) -> bool,
) -> Problem {
    let (kinds, moments) = (host.load_state.kinds.borrow(), host.load_state.events.borrow());
    let all = || kinds.iter().chain(&*moments);
    let found = format!("there is no kind or event \"{name}\" here");
    let problem = Problem::error(Code::UnknownKind, found);
    if let Some(one) = all().find(|one| *one.name == *name) {
        return problem
            .expected("a kind or event of this mod, or of one that it needs")
            .hint(hint_make_visible(host, place, &one.owner, "one"));
    }
    let names = || all().filter(|one| sees(&one.owner)).map(|one| &*one.name);
    let problem = problem.expected(describe_alternatives(name, names()));
    match nearest_name(name, names()) {
        None => problem.undeclared(UndeclaredName::OpenListOwner(name.to_owned())),
        near => problem.did_you_mean(near),
    }
}

/// The texts of a list; `None` if it is empty or has other values.
fn read_texts(body: &Value) -> mlua::Result<Option<Vec<String>>> {
    let Value::Table(body) = body else { return Ok(None) };
    let mut all = Vec::new();
    for pair in body.pairs::<Value, Value>() {
        let (key, value) = pair?;
        let Some(text) = value.as_string().filter(|_| key.as_string().is_none()) else {
            return Ok(None);
        };
        all.push(text.to_string_lossy());
    }
    Ok((!all.is_empty()).then_some(all))
}

/// Declares the kind without fields, so that its name exists; the body adds them.
fn declare_kind(lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<Function> {
    if let Err(why) = check_id_part(name) {
        return Err(Problem::error(Code::BadName, format!("kind \"{name}\": {why}")).into());
    }
    host.load_state.has_side_effects.set(true);
    let place = host.place_of_caller(lua);
    let handle = definition::create_kind_handle(lua, host, name)?;
    let handle = Value::UserData(handle);
    let no_module = |_: &str| unreachable!("the name of a kind cannot have a dot");
    if let Some(problem) = host.environments.share_name(place.clone(), name, handle, no_module)? {
        return Err(problem.into());
    }
    let mut kinds = host.load_state.kinds.borrow_mut();
    let index = kinds.len();
    let pending_declaration = host.load_state.pending.add("kind", name, &place);
    kinds.push(Kind::new(name, Vec::new(), place));
    host.typed_function(lua, move |host, lua, body: Table| {
        host.check_allowed(Availability::Loading, "kind")?;
        host.load_state.pending.complete(pending_declaration);
        host.load_state.has_side_effects.set(true);
        let described = field::read_fields_and_doc(lua, host, &body)?;
        let kind = &mut host.load_state.kinds.borrow_mut()[index];
        (kind.fields, kind.doc) = described;
        Ok(())
    })
}
