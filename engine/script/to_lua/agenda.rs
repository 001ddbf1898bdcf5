//! What follows after a handler: queued stages run up to the next question.

use mlua::{Function, Lua};

use super::super::host::Host;
use super::definition_call::{create_error_at, locate_definition_function};
use crate::base::{Code, Problem, limits};
use crate::luau::Stack;
use crate::protocol::agenda::{PendingItem, PendingKind};
use crate::protocol::{AnswerType, Choice, Prompt};

/// The scene and the only choice of the prompt for a question that can no longer be asked.
const UNAVAILABLE_QUESTION_SCENE: &str = "host:gone";
const CONTINUE_CHOICE_ID: &str = "go_on";

/// The next item, and whether it can be asked now.
pub(super) fn find_next_pending_item(host: &Host) -> Option<(PendingItem, bool)> {
    let item = host.context.world.borrow().next_agenda_item()?;
    let asks = item.item_kind == PendingKind::Question && is_available(host, &item);
    Some((item, asks))
}

/// Whether the item's definition exists and its mods are not disabled.
fn is_available(host: &Host, item: &PendingItem) -> bool {
    let owner = item.id.split(':').next().unwrap_or_default();
    let disabled =
        host.disabled.is_mod_disabled(owner) || host.disabled.is_mod_disabled(&item.queued_by);
    !disabled && host.registry().get(item.content_kind(), &item.id).is_some()
}

/// The prompt for a question whose mod was removed or disabled meanwhile. The player is told and
/// confirms, because nothing may happen before an answer.
pub(super) fn create_unavailable_question_prompt() -> Prompt {
    let go_on = Choice {
        id: CONTINUE_CHOICE_ID.to_owned(),
        label: "Go on".to_owned(),
        ..Choice::default()
    };
    Prompt {
        scene: UNAVAILABLE_QUESTION_SCENE.to_owned(),
        text: "The mod that asked this question is no longer active.".to_owned(),
        ask: AnswerType::One,
        choices: vec![go_on],
        rounds: false,
    }
}

/// Runs queued stages up to the next question.
pub(super) fn run_agenda(lua: &Lua, host: &Host) -> mlua::Result<()> {
    run_stages(lua, host)?;
    let shown = host.context.world.borrow_mut().emit_open_rolls();
    shown.map_err(|why| Problem::error(Code::TooMuchOutput, why).into())
}

fn run_stages(lua: &Lua, host: &Host) -> mlua::Result<()> {
    let mut done = 0;
    while let Some((item, asks)) = find_next_pending_item(host) {
        if host.context.world.borrow().run_outcome().is_some() {
            host.context.world.borrow_mut().clear_agenda();
            return Ok(());
        }
        if asks {
            return Ok(());
        }
        let is_available = is_available(host, &item);
        host.context.world.borrow_mut().take_next_agenda_item();
        if is_available {
            done += 1;
            if done > limits::STAGES_PER_STEP {
                let most = limits::STAGES_PER_STEP;
                let found =
                    format!("more than {most} stages in one step; the last was {}", item.id);
                let problem = Problem::error(Code::TooMany, found)
                    .hint("a stage that queues itself must ask a question, or stop");
                return Err(create_error_at(
                    problem,
                    locate_definition_function(host, "stage", &item.id, "run"),
                ));
            }
            run_stage(lua, host, &item)?;
        }
    }
    Ok(())
}

fn run_stage(lua: &Lua, host: &Host, item: &PendingItem) -> mlua::Result<()> {
    let definition = host.definition("stage", &item.id)?.expect("its existence was checked");
    let work: Function = host.read_field(&definition, "run")?;
    let _spender = host.fuel.charge_to_account(host.account_of_author("stage", &item.id, "run"));
    host.protected_caller.call_protected(lua, &work, |stack| {
        push_item_data(stack, item.data.as_ref());
        stack.call(1, 0);
    })
}

/// Pushes the subject of an item as frozen data, or nil.
pub(super) fn push_item_data(stack: Stack<'_>, with: Option<&crate::base::Value>) {
    match with {
        Some(with) => stack.push_plain(with, true),
        None => stack.push_nil(),
    }
}
