//! What follows after a handler: queued stages run up to the next question.

use mlua::{Function, Lua};

use super::super::host::Host;
use super::call::{blame, place_of};
use crate::kit::{Problem, limits};
use crate::luau::Stack;
use crate::play::agenda::{Item, Sort};
use crate::play::{Ask, Choice, Prompt};

/// The scene and the only choice of the prompt for a question that can no longer be asked.
const GONE: &str = "host:gone";
const GO_ON: &str = "go_on";

/// The next item, and whether it can be asked now.
pub(super) fn next(host: &Host) -> Option<(Item, bool)> {
    let item = host.lent.world.borrow().next_item()?;
    let asks = item.sort == Sort::Question && is_there(host, &item);
    Some((item, asks))
}

/// Whether the item's definition exists and its mods are not disabled.
fn is_there(host: &Host, item: &Item) -> bool {
    let owner = item.id.split(':').next().unwrap_or_default();
    let aside = host.disabled.has_mod(owner) || host.disabled.has_mod(&item.by);
    !aside && host.registry().get(item.kind(), &item.id).is_some()
}

/// The prompt for a question whose mod was removed or disabled meanwhile. The player is told and
/// confirms, because nothing may happen before an answer.
pub(super) fn gone() -> Prompt {
    let go_on = Choice { id: GO_ON.to_owned(), label: "Go on".to_owned(), ..Choice::default() };
    Prompt {
        scene: GONE.to_owned(),
        text: "The mod that asked this question is no longer active.".to_owned(),
        ask: Ask::One,
        choices: vec![go_on],
        rounds: false,
    }
}

/// Runs queued stages up to the next question.
pub(super) fn go_on(lua: &Lua, host: &Host) -> mlua::Result<()> {
    do_stages(lua, host)?;
    let shown = host.lent.world.borrow_mut().show_open_rolls();
    shown.map_err(|why| Problem::error("too-much-told", why).into())
}

fn do_stages(lua: &Lua, host: &Host) -> mlua::Result<()> {
    let mut done = 0;
    while let Some((item, asks)) = next(host) {
        if host.lent.world.borrow().finished().is_some() {
            host.lent.world.borrow_mut().drop_items();
            return Ok(());
        }
        if asks {
            return Ok(());
        }
        let wanted = is_there(host, &item);
        host.lent.world.borrow_mut().take_item();
        if wanted {
            done += 1;
            if done > limits::STAGES_PER_STEP {
                let most = limits::STAGES_PER_STEP;
                let found =
                    format!("more than {most} stages in one step; the last was {}", item.id);
                let problem = Problem::error("too-many", found)
                    .hint("a stage that queues itself must ask a question, or stop");
                return Err(blame(problem, place_of(host, "stage", &item.id, "run")));
            }
            do_stage(lua, host, &item)?;
        }
    }
    Ok(())
}

fn do_stage(lua: &Lua, host: &Host, item: &Item) -> mlua::Result<()> {
    let definition = host.definition("stage", &item.id)?.expect("its existence was checked");
    let work: Function = host.field(&definition, "run")?;
    let _spender = host.fuel.spender_of(host.who_wrote("stage", &item.id, "run"));
    host.protected.run(lua, &work, |stack| {
        push_with(stack, item.with.as_ref());
        stack.call(1, 0);
    })
}

/// Pushes the subject of an item as frozen data, or nil.
pub(super) fn push_with(stack: Stack<'_>, with: Option<&crate::kit::Value>) {
    match with {
        Some(with) => stack.push_plain(with, true),
        None => stack.push_nil(),
    }
}
