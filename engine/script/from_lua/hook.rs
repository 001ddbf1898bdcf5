//! `before`, `after`, `start`, `lint`, `migrate`, `migrate_profile`: functions that the host calls
//! at its own time.

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Function, Lua, Table};
use semver::Version;

use crate::kit::{Problem, limits};
use crate::script::host::{Hooks, Host};
use crate::script::known::Said;

/// Puts the names of this topic into the base.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    for (name, is_before) in [("before", true), ("after", false)] {
        let owner = host.clone();
        let hook = lua.create_function(move |lua, (moment, function): (String, Function)| {
            owner.loading(lua, name)?;
            let work = owner.keep(function).id;
            owner.say(lua, Said::Hook { moment: Arc::from(moment), before: is_before, work })
        })?;
        base.set(name, hook)?;
    }
    let owner = host.clone();
    let start = lua.create_function(move |lua, function: Function| {
        owner.loading(lua, "start")?;
        let work = owner.keep(function).id;
        owner.say(lua, Said::Start(work))
    })?;
    base.set("start", start)?;
    let owner = host.clone();
    let lint = lua.create_function(move |lua, function: Function| {
        owner.loading(lua, "lint")?;
        let kept = owner.keep(function).id;
        owner.say(lua, Said::Lint(kept))
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
    let work = host.keep(function).id;
    host.say(lua, Said::Migration { owner: host.calling_mod(lua), version, work, of_profile })
}

impl Host {
    /// A file says something, and it is noted that it did.
    fn say(&self, lua: &Lua, said: Said) -> mlua::Result<()> {
        self.hear(&said).map_err(|problem| self.fail(lua, problem))?;
        self.said.borrow_mut().push(said);
        Ok(())
    }

    /// Takes in what a file says, now or when it ran last.
    pub(crate) fn hear(&self, said: &Said) -> Result<(), Problem> {
        match said {
            Said::Hook { moment, before, work } => self.add_hook(moment, *before, *work),
            Said::Start(work) => {
                let first = self.declared.borrow_mut().start.replace(*work);
                first.map_or(Ok(()), |first| {
                    Err(Problem::error("duplicate", "a second `start`")
                        .expected("one: a game says once how a run begins")
                        .by_way_of(self.place_of(first)))
                })
            }
            Said::Lint(work) => {
                self.declared.borrow_mut().lints.push(*work);
                Ok(())
            }
            Said::Migration { owner, version, work, of_profile } => {
                let mut declared = self.declared.borrow_mut();
                let list = match of_profile {
                    true => &mut declared.profile_migrations,
                    false => &mut declared.migrations,
                };
                list.push((owner.clone(), version.clone(), *work));
                Ok(())
            }
        }
    }

    fn add_hook(&self, moment: &Arc<str>, before: bool, work: u64) -> Result<(), Problem> {
        if self.aside.has_hook(&self.place_of(work)) {
            return Ok(());
        }
        let mut declared = self.declared.borrow_mut();
        let hooks: &mut Hooks = Rc::make_mut(declared.hooks.entry(moment.clone()).or_default());
        let list = if before { &mut hooks.before } else { &mut hooks.after };
        if list.len() >= limits::HOOKS_PER_MOMENT {
            let found = format!("too many hooks on \"{moment}\"");
            let most = format!("at most {}", limits::HOOKS_PER_MOMENT);
            return Err(Problem::error("too-many", found).expected(most));
        }
        list.push(work);
        Ok(())
    }
}
