//! `rules.difficulty(…)`: rules called by name. A rule is read-only.
//!
//! A name without a mod is the calling mod's own rule, then the game's, then that of any other mod
//! in load order; `rules["mod:name"]` names one exactly.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::Value as LuaValue;
use mlua::{Function, Lua};

use super::host_fn::HostFnRegistry;
use crate::diagnostics::host_explanation::HostExplanation as _;
use crate::functions::function_call_checker::FunctionCallChecker;
use crate::functions::function_wrappers::forward_call;
use crate::host::Host;
use crate::host::phase::{Availability, Permit};
use crate::source_text::describe_value::describe_lua_value;
use base::problem::{nearest_name, searched_part};
use base::{Code, Problem, quote, truncate_quoted_text};
use content::Registry;

/// Registers `rules`. A rule whose name means the same for all mods is cached in a table on first
/// use; other names are looked up each time.
pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    let (lua, host) = (api.lua, api.host);
    let cached_rules = lua.create_table()?;
    let fallback_metatable = lua.create_table()?;
    let rule_cache = RuleCache::default();
    let lookup_function =
        host.create_uncharged_lookup(lua, move |host, lua, (_, name): (LuaValue, LuaValue)| {
            // Luau resolves names ahead of time; nil here means: ask again at run time.
            if host.is_compiling.get() {
                return Ok(None);
            }
            host.check_function_allowed(Availability::Reading, "rules").into_lua_err()?;
            let Some(name) = name.as_string().and_then(|name| name.to_str().ok()) else {
                let message = format!("rules got {}", describe_lua_value(&name));
                let problem =
                    Problem::error(Code::WrongType, message).expected("the name of a rule");
                return Err(problem.into_lua_err());
            };
            host.run_without_accounting(lua, || rule_cache.find_rule(lua, host, &name)).map(Some)
        })?;
    fallback_metatable.raw_set("__index", lookup_function)?;
    cached_rules.set_metatable(Some(fallback_metatable))?;
    // With capacity for all entries, so that the first one is found in one lookup.
    let metatable = lua.create_table_with_capacity(0, 4)?;
    metatable.raw_set("__index", &cached_rules)?;
    metatable.raw_set("__type", "rules")?;
    metatable.raw_set("__metatable", false)?;
    metatable.set_readonly(true);
    assert!(host.lazy_tables.rule_table.set(cached_rules).is_ok(), "the rules are registered once");
    api.register_value(
        ("rules", Availability::Reading),
        "{ [string]: (...any) -> ...any }",
        "Rules by name: `rules.name(…)`, or `rules[\"mod:name\"](…)`. A rule is read-only.",
        luau::create_empty_userdata(lua, &metatable)?,
    )
}

/// A function that calls another one with the read-only permit.
fn wrap_as_read_only_function(
    lua: &Lua,
    host: &Rc<Host>,
    function: &Function,
    checked_function: FunctionCallChecker,
) -> mlua::Result<Function> {
    let host = host.clone();
    luau::create_stack_function(lua, Some(c"rule"), function, move |stack| {
        let _permit = host.execution_mode.restrict_permit(Permit::ReadOnly("a rule"));
        checked_function.check_arguments(&host, stack)?;
        forward_call(stack);
        checked_function.check_result(&host, stack)?;
        Ok(stack.top())
    })
}

/// The full id of the rule that a name means in a mod.
pub(crate) fn resolve_rule_id(
    registry: &Registry,
    caller: &str,
    name: &str,
) -> Result<String, Problem> {
    if name.contains(':') && registry.get("rule", name).is_some() {
        return Ok(name.to_owned());
    }
    let rules_with_name = registry.all_definitions("rule").filter(|rule| rule.id.name() == name);
    let matching_rules: Vec<&str> = rules_with_name.map(|rule| rule.id.as_str()).collect();
    let own_id = format!("{caller}:{name}");
    if let Some(rule_id) =
        matching_rules.iter().find(|id| **id == own_id).or(matching_rules.first())
    {
        return Ok((*rule_id).to_owned());
    }
    let is_full_id = name.contains(':');
    let expression = match is_full_id {
        true => format!("rules[{}]", quote(name)),
        false => format!("rules.{}", truncate_quoted_text(name)),
    };
    let name = searched_part(name);
    Err(Problem::error(Code::UnknownRule, format!("{expression}: no such rule"))
        .expected("the name of a rule")
        .explain_in_host(move |host, problem| {
            let names = host.registry().all_definitions("rule").map(|rule| match is_full_id {
                true => rule.id.as_str(),
                false => rule.id.name(),
            });
            problem.suggest_name(nearest_name(&name, names))
        }))
}

/// The name of a rule without its mod.
fn rule_name(id: &str) -> &str {
    id.split_once(':').map_or(id, |(_, name)| name)
}

/// The rules that were looked up so far.
#[derive(Default)]
struct RuleCache {
    functions: RefCell<BTreeMap<String, Function>>,
}

impl RuleCache {
    fn find_rule(&self, lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<Function> {
        let id = resolve_rule_id(host.registry(), &host.calling_mod(lua), name).into_lua_err()?;
        let rule = self.prepare_rule(lua, host, &id)?;
        let mut rules_with_name =
            host.registry().all_definitions("rule").filter(|rule| rule.id.name() == name);
        if id == name || (rules_with_name.next().is_some() && rules_with_name.next().is_none()) {
            let cached_rules =
                host.lazy_tables.rule_table.get().expect("the rules were registered");
            cached_rules.raw_set(name, &rule)?;
        }
        Ok(rule)
    }

    fn prepare_rule(&self, lua: &Lua, host: &Rc<Host>, id: &str) -> mlua::Result<Function> {
        if let Some(cached_function) = self.functions.borrow().get(id) {
            return Ok(cached_function.clone());
        }
        let definition = host.registry().get("rule", id);
        let run_and_place =
            definition.and_then(|rule| Some((rule.get("run")?.as_fn()?.clone(), &rule.place)));
        let Some((run_function, declaration_place)) = run_and_place else {
            let problem = Problem::error(Code::UnknownRule, format!("{id} has no function to run"));
            return Err(problem.into_lua_err());
        };
        let checked_function = FunctionCallChecker::new(
            &["rules.", rule_name(id)].concat(),
            run_function.place.clone(),
        );
        let function = host.build_checked_callable(
            lua,
            &run_function,
            (checked_function.name(), declaration_place),
        )?;
        let rule = wrap_as_read_only_function(lua, host, &function, checked_function)?;
        self.functions.borrow_mut().insert(id.to_owned(), rule.clone());
        Ok(rule)
    }
}
