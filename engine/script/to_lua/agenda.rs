//! Runs what follows a handler: queued stages up to the next question.

use mlua::ExternalError as _;
use mlua::{Function, Lua};

use super::call_support::{create_error_at, locate_definition_function};
use crate::host::Host;
use base::{Code, Problem, limits};
use luau::Stack;
use protocol::agenda::{PendingItem, PendingItemKind};
use protocol::{AnswerType, Choice, Prompt};

/// The scene and the only choice of the prompt for a question that can no longer be asked.
const UNAVAILABLE_QUESTION_SCENE: &str = "host:gone";
const CONTINUE_CHOICE_ID: &str = "go_on";

/// The next item, and whether it can be asked now.
pub(super) fn find_next_pending_item(host: &Host) -> Option<(PendingItem, bool)> {
    let item = host.call_context.world.borrow().next_agenda_item()?;
    let is_question = item.item_kind == PendingItemKind::Question && is_available(host, &item);
    Some((item, is_question))
}

/// Whether the item's definition exists and its mods are not disabled.
fn is_available(host: &Host, item: &PendingItem) -> bool {
    let owner = item.id.split(':').next().unwrap_or_default();
    let is_disabled = host.disabled_set.is_mod_disabled(owner)
        || host.disabled_set.is_mod_disabled(&item.queued_by_mod);
    !is_disabled && host.registry().get(item.definition_kind(), &item.id).is_some()
}

/// The prompt for a question whose mod was removed or disabled meanwhile. The player is told and
/// confirms, because nothing may happen before an answer.
pub(super) fn create_unavailable_question_prompt() -> Prompt {
    let continue_choice = Choice {
        id: CONTINUE_CHOICE_ID.to_owned(),
        label: "Go on".to_owned(),
        ..Choice::default()
    };
    Prompt {
        scene: UNAVAILABLE_QUESTION_SCENE.to_owned(),
        text: "The mod that asked this question is no longer active.".to_owned(),
        answer_type: AnswerType::SingleChoice,
        choices: vec![continue_choice],
        repeats: false,
    }
}

/// Runs queued stages up to the next question.
pub(super) fn run_agenda(lua: &Lua, host: &Host) -> mlua::Result<()> {
    run_stages(lua, host)?;
    let emit_result = host.call_context.world.borrow_mut().emit_unshown_rolls();
    emit_result.map_err(|reason| Problem::error(Code::TooMuchOutput, reason).into_lua_err())
}

fn run_stages(lua: &Lua, host: &Host) -> mlua::Result<()> {
    let mut stage_count = 0;
    while let Some((item, is_question)) = find_next_pending_item(host) {
        if host.call_context.world.borrow().run_outcome().is_some() {
            host.call_context.world.borrow_mut().clear_agenda();
            return Ok(());
        }
        if is_question {
            return Ok(());
        }
        let can_run = is_available(host, &item);
        host.call_context.world.borrow_mut().take_next_agenda_item();
        if can_run {
            stage_count += 1;
            if stage_count > limits::MAX_STAGES_PER_STEP {
                let max_stages = limits::MAX_STAGES_PER_STEP;
                let message =
                    format!("more than {max_stages} stages in one step; the last was {}", item.id);
                let problem = Problem::error(Code::TooMany, message)
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
    let definition = host.definition_table("stage", &item.id)?.expect("its existence was checked");
    let stage_function: Function = host.read_field(&definition, "run")?;
    let _account_guard =
        host.fuel.charge_to_account(host.account_of_field_author("stage", &item.id, "run"));
    host.protected_caller.call_protected(lua, &stage_function, |stack| {
        push_item_data(stack, item.data.as_ref());
        stack.call(1, 0);
    })
}

/// Pushes the subject of an item as frozen data, or nil.
pub(super) fn push_item_data(stack: Stack<'_>, data: Option<&base::Value>) {
    match data {
        Some(data) => stack.push_plain_data(data, true),
        None => stack.push_nil(),
    }
}
