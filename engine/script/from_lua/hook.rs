//! `before`, `after`, `start`, `lint`, `migrate`, `migrate_profile`: functions that the host calls
//! at its own time.

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Function, Lua, Table};
use semver::Version;

use crate::kit::{Problem, limits};
use crate::script::host::{Hooks, Host};

/// Puts the names of this topic into the base.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    for (name, is_before) in [("before", true), ("after", false)] {
        let owner = host.clone();
        let hook = lua.create_function(move |lua, (moment, function): (String, Function)| {
            owner.loading(lua, name)?;
            add_hook(lua, &owner, &moment, function, is_before)
        })?;
        base.set(name, hook)?;
    }
    let owner = host.clone();
    let start = lua.create_function(move |lua, function: Function| {
        owner.loading(lua, "start")?;
        set_start(lua, &owner, function)
    })?;
    base.set("start", start)?;
    let owner = host.clone();
    let lint = lua.create_function(move |lua, function: Function| {
        owner.loading(lua, "lint")?;
        let kept = owner.keep(function).id;
        owner.declared.borrow_mut().lints.push(kept);
        Ok(())
    })?;
    base.set("lint", lint)?;
    for (name, of_profile) in [("migrate", false), ("migrate_profile", true)] {
        let owner = host.clone();
        let migrate = lua.create_function(move |lua, (version, work): (String, Function)| {
            owner.loading(lua, name)?;
            add_migration(lua, &owner, &version, work, of_profile)
        })?;
        base.set(name, migrate)?;
    }
    Ok(())
}

fn add_hook(
    lua: &Lua,
    host: &Host,
    moment: &str,
    function: Function,
    is_before: bool,
) -> mlua::Result<()> {
    let kept = host.keep(function);
    if host.aside.has_hook(&kept.place) {
        return Ok(());
    }
    let kept = kept.id;
    let mut declared = host.declared.borrow_mut();
    let hooks: &mut Hooks = Rc::make_mut(declared.hooks.entry(Arc::from(moment)).or_default());
    let list = if is_before { &mut hooks.before } else { &mut hooks.after };
    if list.len() >= limits::HOOKS_PER_MOMENT {
        let problem = Problem::error("too-many", format!("too many hooks on \"{moment}\""))
            .expected(format!("at most {}", limits::HOOKS_PER_MOMENT));
        return Err(host.fail(lua, problem));
    }
    list.push(kept);
    Ok(())
}

fn set_start(lua: &Lua, host: &Host, function: Function) -> mlua::Result<()> {
    let kept = host.keep(function);
    let mut declared = host.declared.borrow_mut();
    if let Some(first) = declared.start.replace(kept.id) {
        let place = (*host.functions.borrow()[first as usize].place).clone();
        let problem = Problem::error("duplicate", "a second `start`")
            .expected("one: a game says once how a run begins")
            .by_way_of(place);
        return Err(host.fail(lua, problem));
    }
    Ok(())
}

fn add_migration(
    lua: &Lua,
    host: &Host,
    version: &str,
    function: Function,
    of_profile: bool,
) -> mlua::Result<()> {
    let version = Version::parse(version).map_err(|_| {
        let problem = Problem::error("bad-argument", format!("\"{version}\" is no version"))
            .expected("the version that this brings a state to, such as \"0.2.0\"");
        host.fail(lua, problem)
    })?;
    let kept = host.keep(function).id;
    let mut declared = host.declared.borrow_mut();
    let owner = host.calling_mod(lua);
    let list = if of_profile { &mut declared.profile_migrations } else { &mut declared.migrations };
    list.push((owner, version, kept));
    Ok(())
}
