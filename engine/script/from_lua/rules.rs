//! `rules.difficulty(…)`: rules called by name. A rule looks and changes nothing.
//!
//! A name without a mod is the calling mod's own rule, then the game's, then that of any other mod
//! in load order; `rules["mod:name"]` names one exactly.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::Value as LuaValue;
use mlua::{
    Function, Lua, MetaMethod, MultiValue, Table, UserDataFields, UserDataMethods, UserDataRegistry,
};

use super::super::host::{Host, Permit};
use super::tell::word;
use crate::kit::Problem;
use crate::kit::problem::nearest;

/// Declares it.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    let shared = host.clone();
    lua.register_userdata_type(move |methods: &mut UserDataRegistry<Rules>| {
        methods.add_meta_field(MetaMethod::Type, "rules");
        methods.add_meta_method(MetaMethod::Index, move |lua, rules, name: LuaValue| {
            shared.playing(lua, "rules")?;
            let name = word(lua, &shared, "rules", &name, "the name of a rule")?;
            rules.find(lua, &shared, &name)
        });
    })?;
    base.raw_set("rules", lua.create_any_userdata(Rules::default())?)
}

/// The rules, with those that were called so far made ready.
#[derive(Default)]
struct Rules {
    ready: RefCell<BTreeMap<String, Function>>,
}

impl Rules {
    fn find(&self, lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<Function> {
        if let Some(ready) = self.ready.borrow().get(name) {
            return Ok(ready.clone());
        }
        let (id, exact) = self.resolve(lua, host, name)?;
        let rule = self.prepare(lua, host, &id)?;
        // A bare name may mean another rule to another mod, unless only one mod has it.
        if exact {
            self.ready.borrow_mut().insert(name.to_owned(), rule.clone());
        }
        Ok(rule)
    }

    /// The whole id that a name means here, and whether it means that to everyone.
    fn resolve(&self, lua: &Lua, host: &Host, name: &str) -> mlua::Result<(String, bool)> {
        let registry = host.registry();
        if name.contains(':') && registry.get("rule", name).is_some() {
            return Ok((name.to_owned(), true));
        }
        let named: Vec<&str> = registry
            .every("rule")
            .filter(|rule| rule.id.name() == name)
            .map(|rule| rule.id.as_str())
            .collect();
        if let [only] = named[..] {
            return Ok((only.to_owned(), true));
        }
        let home = format!("{}:{name}", host.calling_mod(lua));
        if let Some(own) = named.iter().find(|id| **id == home).or(named.first()) {
            return Ok(((*own).to_owned(), false));
        }
        let names: Vec<&str> = registry
            .every("rule")
            .map(|rule| if name.contains(':') { rule.id.as_str() } else { rule.id.name() })
            .collect();
        let problem = Problem::error("unknown-rule", format!("rules.{name}: no such rule"))
            .expected("the name of a rule");
        Err(host.fail(
            lua,
            match nearest(name, names) {
                Some(near) => problem.hint(format!("did you mean {near:?}?")),
                None => problem,
            },
        ))
    }

    fn prepare(&self, lua: &Lua, host: &Rc<Host>, id: &str) -> mlua::Result<Function> {
        let key = format!("{id}()");
        if let Some(ready) = self.ready.borrow().get(&key) {
            return Ok(ready.clone());
        }
        let definition = host.registry().get("rule", id);
        let run = definition.and_then(|rule| rule.get("run")?.as_fn().cloned());
        let Some(run) = run else {
            let problem = Problem::error("unknown-rule", format!("{id} has nothing to run"));
            return Err(host.fail(lua, problem));
        };
        let function = host.callable(lua, &run)?;
        let shared = host.clone();
        let rule = lua.create_function(move |_, arguments: MultiValue| {
            shared.with_permit(Permit::Look("a rule"), || function.call::<MultiValue>(arguments))
        })?;
        self.ready.borrow_mut().insert(key, rule.clone());
        Ok(rule)
    }
}
