//! `before`, `after`, `start`, `lint`, `migrate`, `migrate_profile`: functions that the host calls
//! later.

use std::rc::Rc;
use std::sync::Arc;

use mlua::Function;
use semver::Version;

use crate::kit::{Problem, limits};
use crate::script::declaration_cache::Said;
use crate::script::hook_table::Hooks;
use crate::script::host::Host;
use crate::script::row::{Api, Call, row};

pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Loading "before"(name: String, hook: Function as "(event: any) -> ()") -> "()",
        "Registers a hook before an event: it may change the event, and nothing else.",
        |call| hang(call, &name, true, hook)
    )?;
    row!(
        api, Loading "after"(name: String, hook: Function as "(event: any) -> ()") -> "()",
        "Registers a hook after an event: the event is final and frozen, and the hook may act.",
        |call| hang(call, &name, false, hook)
    )?;
    row!(
        api, Loading "start"(work: Function as "(options: any) -> ()") -> "()",
        "Declares how a run begins. A game has exactly one.",
        |call| call.host.say(Said::Start(call.host.keep(work).id))
    )?;
    row!(
        api, Loading "lint"(look: Function as "(registry: { all: (kind: string) -> { any }, get: (kind: string, id: string) -> any, was_requested: (definition: any) -> boolean }, report: (definition: any, text: string, more: { field: string?, hint: string? }?) -> ()) -> ()") -> "()",
        "Adds a lint of the game to `sub-rosa check`.",
        |call| call.host.say(Said::Lint(call.host.keep(look).id))
    )?;
    row!(
        api, Loading "migrate"(version: String, work: Function as "(state: any) -> ()") -> "()",
        "Updates the state of a run from an older version of the mod to this version.",
        |call| add_migration(call, &version, work, false)
    )?;
    row!(
        api, Loading "migrate_profile"(version: String, work: Function as "(profile: any) -> any") -> "()",
        "Updates the profile from an older version of the mod to this version. It changes the profile in place, or returns a new one.",
        |call| add_migration(call, &version, work, true)
    )
}

fn hang(call: &Call<'_>, moment: &str, before: bool, hook: Function) -> Result<(), Problem> {
    let host = call.host;
    let work = host.keep(hook).id;
    host.say(Said::Hook { moment: Arc::from(moment), before, work })
}

fn add_migration(
    call: &Call<'_>,
    version: &str,
    function: Function,
    of_profile: bool,
) -> Result<(), Problem> {
    let version = Version::parse(version).map_err(|_| {
        Problem::error("bad-argument", format!("\"{version}\" is not a version"))
            .expected("the version of the mod that this migration updates to, such as \"0.2.0\"")
    })?;
    let owner = call.host.calling_mod(&call.lua());
    let work = call.host.keep(function).id;
    call.host.say(Said::Migration { owner, version, work, of_profile })
}

/// The Problem of a `start` in a mod that is not the game.
fn no_game(owner: &str, game: &str) -> Problem {
    Problem::error("not-a-game", format!("`{owner}` calls `start` but is not the game: {game} is"))
        .expected("`start` only in the game, whose mod.toml has `game = true`")
        .hint(format!("write `game = true` in the mod.toml of {owner} if it is a game; otherwise remove `start`"))
}

impl Host {
    /// Applies a declaration and records it.
    pub(super) fn say(&self, said: Said) -> Result<(), Problem> {
        self.hear(&said)?;
        self.heard.said.borrow_mut().push(said);
        Ok(())
    }

    /// Applies a declaration, new or from the cache.
    pub(crate) fn hear(&self, said: &Said) -> Result<(), Problem> {
        match said {
            Said::Hook { moment, before, work } => self.add_hook(moment, *before, *work),
            Said::Start(work) => {
                let (place, game) = (self.place_of(*work), self.heard.game.borrow());
                if place.owner != *game {
                    return Err(no_game(&place.owner, &game));
                }
                let first = self.heard.declared.borrow_mut().start.replace(*work);
                first.map_or(Ok(()), |first| {
                    Err(Problem::error("duplicate", "a second `start`")
                        .expected("exactly one `start` in a game")
                        .by_way_of(self.place_of(first)))
                })
            }
            Said::Shape(_) | Said::Rewording(_) if self.heard.again.get() => Ok(()),
            Said::Rewording(one) => {
                self.heard.declared.borrow_mut().rewordings.push(one.clone());
                Ok(())
            }
            Said::Shape(shape) => self.heard.declared.borrow_mut().shapes.add(shape),
            Said::Lint(work) => {
                self.heard.declared.borrow_mut().lints.push(*work);
                Ok(())
            }
            Said::Migration { owner, version, work, of_profile } => {
                let mut declared = self.heard.declared.borrow_mut();
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
        if self.disabled.has_hook(&self.place_of(work)) {
            return Ok(());
        }
        let mut declared = self.heard.declared.borrow_mut();
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
