//! `before`, `after`, `start`, `lint`, `migrate`, `migrate_profile`: functions that the host calls
//! later.

use std::rc::Rc;
use std::sync::Arc;

use mlua::Function;
use semver::Version;

use super::host_fn::{HostCall, HostFnRegistry, host_fn};
use crate::host::Host;
use crate::host::declaration_cache::Declaration;
use crate::host::hook_table::HookIds;
use base::{Code, Problem, limits};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Loading "before"(name: String, hook: Function as "(event: any) -> ()") -> "()",
        "Registers a hook before an event: it may change the event, and nothing else.",
        |call| declare_hook(call, &name, true, hook)
    )?;
    host_fn!(
        api, Loading "after"(name: String, hook: Function as "(event: any) -> ()") -> "()",
        "Registers a hook after an event: the event is final and frozen, and the hook may act.",
        |call| declare_hook(call, &name, false, hook)
    )?;
    host_fn!(
        api, Loading "start"(work: Function as "(options: any) -> ()") -> "()",
        "Declares how a run begins. A game has exactly one.",
        |call| call.host.record_declaration(Declaration::Start(call.host.store_function(work).id))
    )?;
    host_fn!(
        api, Loading "lint"(look: Function as "(registry: { all: (kind: string) -> { any }, get: (kind: string, id: string) -> any, was_requested: (definition: any) -> boolean }, report: (definition: any, text: string, more: { field: string?, hint: string? }?) -> ()) -> ()") -> "()",
        "Adds a lint of the game to `sub-rosa check`.",
        |call| call.host.record_declaration(Declaration::Lint(call.host.store_function(look).id))
    )?;
    host_fn!(
        api, Loading "migrate"(version: String, work: Function as "(state: any) -> ()") -> "()",
        "Updates the state of a run from an older version of the mod to this version.",
        |call| declare_migration(call, &version, work, false)
    )?;
    host_fn!(
        api, Loading "migrate_profile"(version: String, work: Function as "(profile: any) -> any") -> "()",
        "Updates the profile from an older version of the mod to this version. It changes the profile in place, or returns a new one.",
        |call| declare_migration(call, &version, work, true)
    )
}

fn declare_hook(
    call: &HostCall<'_>,
    event_name: &str,
    is_before: bool,
    hook: Function,
) -> Result<(), Problem> {
    let host = call.host;
    let stored_id = host.store_function(hook).id;
    host.record_declaration(Declaration::Hook {
        event: Arc::from(event_name),
        is_before,
        function_id: stored_id,
    })
}

fn declare_migration(
    call: &HostCall<'_>,
    version: &str,
    function: Function,
    changes_profile: bool,
) -> Result<(), Problem> {
    let version = Version::parse(version).map_err(|_| {
        Problem::error(Code::BadArgument, format!("\"{version}\" is not a version"))
            .expected("the version of the mod that this migration updates to, such as \"0.2.0\"")
    })?;
    let owner = call.host.calling_mod(&call.lua());
    let stored_id = call.host.store_function(function).id;
    call.host.record_declaration(Declaration::Migration {
        owner,
        version,
        function_id: stored_id,
        is_of_profile: changes_profile,
    })
}

/// The Problem of a `start` in a mod that is not the game.
fn start_outside_game_problem(owner: &str, game: &str) -> Problem {
    Problem::error(
        Code::NotAGame,
        format!("`{owner}` calls `start` but is not the game: {game} is"),
    )
    .expected("`start` only in the game, whose mod.toml has `game = true`")
    .hint(format!(
        "write `game = true` in the mod.toml of {owner} if it is a game; otherwise remove `start`"
    ))
}

impl Host {
    /// Applies a declaration and records it.
    pub(super) fn record_declaration(&self, declaration: Declaration) -> Result<(), Problem> {
        self.apply_declaration(&declaration)?;
        self.load_state.other_declarations.borrow_mut().push(declaration);
        Ok(())
    }

    /// Applies a declaration, new or from the cache.
    pub(crate) fn apply_declaration(&self, declaration: &Declaration) -> Result<(), Problem> {
        match declaration {
            Declaration::Hook { event: event_name, is_before, function_id: stored_id } => {
                self.register_hook(event_name, *is_before, *stored_id)
            }
            Declaration::Start(stored_id) => {
                let (place, game) =
                    (self.place_of_stored_function(*stored_id), self.load_state.game_id.borrow());
                if place.owner != *game {
                    return Err(start_outside_game_problem(&place.owner, &game));
                }
                let first_id = self
                    .load_state
                    .all_declarations
                    .borrow_mut()
                    .start_function_id
                    .replace(*stored_id);
                first_id.map_or(Ok(()), |first_id| {
                    Err(Problem::error(Code::Duplicate, "a second `start`")
                        .expected("exactly one `start` in a game")
                        .add_related_location(self.place_of_stored_function(first_id)))
                })
            }
            Declaration::Schema(_) | Declaration::TextOverride(_)
                if self.load_state.is_function_rerun.get() =>
            {
                Ok(())
            }
            Declaration::TextOverride(text_override) => {
                self.load_state
                    .all_declarations
                    .borrow_mut()
                    .text_overrides
                    .push(text_override.clone());
                Ok(())
            }
            Declaration::Schema(schema) => {
                self.load_state.all_declarations.borrow_mut().schemas.add_schema(schema)
            }
            Declaration::Lint(stored_id) => {
                self.load_state.all_declarations.borrow_mut().lint_function_ids.push(*stored_id);
                Ok(())
            }
            Declaration::Migration {
                owner,
                version,
                function_id: stored_id,
                is_of_profile: changes_profile,
            } => {
                let mut declarations = self.load_state.all_declarations.borrow_mut();
                let list = match changes_profile {
                    true => &mut declarations.profile_migrations,
                    false => &mut declarations.migrations,
                };
                list.push((owner.clone(), version.clone(), *stored_id));
                Ok(())
            }
        }
    }

    fn register_hook(
        &self,
        event_name: &Arc<str>,
        is_before: bool,
        function_id: u64,
    ) -> Result<(), Problem> {
        if self.disabled_set.is_hook_disabled(&self.place_of_stored_function(function_id)) {
            return Ok(());
        }
        let mut declarations = self.load_state.all_declarations.borrow_mut();
        let hooks: &mut HookIds =
            Rc::make_mut(declarations.hooks.entry(event_name.clone()).or_default());
        let list = if is_before { &mut hooks.before } else { &mut hooks.after };
        if list.len() >= limits::MAX_HOOKS_PER_EVENT {
            let message = format!("too many hooks on \"{event_name}\"");
            let expected = format!("at most {}", limits::MAX_HOOKS_PER_EVENT);
            return Err(Problem::error(Code::TooMany, message).expected(expected));
        }
        list.push(function_id);
        Ok(())
    }
}
