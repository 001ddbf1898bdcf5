//! `ask`, `queue_stage`, `has_pending`: questions and stages that come before the game continues. A
//! question from an event is asked after the handler has ended, whatever scene is current then. A
//! queued stage runs when everything before it is answered (`protocol::agenda`).

use super::host_fn::{AnyArgumentIndex, HostCall, HostFnRegistry, SceneId, StageId, host_fn};
use super::scenes::resolve_definition_id;
use crate::values::plain_data::MixedTablePolicy;
use base::{Code, Problem, quote};
use luau::{CallError, StackIndex};
use protocol::agenda::{PendingItem, PendingItemKind};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Writing "ask"(scene: SceneId, with: AnyArgumentIndex as "any?") -> "()",
        "Asks the player a question before the game goes on, in a scene that the answer closes. Several questions are asked one after another.",
        |call| queue_pending_item(call, PendingItemKind::Question, scene, with)
    )?;
    host_fn!(
        api, Writing "queue_stage"(stage: StageId, with: AnyArgumentIndex as "any?") -> "()",
        "Queues a stage: it runs when this handler has ended and all earlier questions are answered.",
        |call| queue_pending_item(call, PendingItemKind::Stage, stage, with)
    )?;
    host_fn!(
        api, Reading "has_pending"() -> "boolean",
        "Whether any question or stage is still queued.",
        |call| Ok::<_, CallError>(call.host.call_context.world.borrow().has_pending_items())
    )
}

fn queue_pending_item(
    call: &HostCall<'_>,
    item_kind: PendingItemKind,
    written_id: &str,
    data_index: StackIndex,
) -> Result<(), CallError> {
    let (host, name) = (call.host, call.name);
    let kind = match item_kind {
        PendingItemKind::Question => "scene",
        PendingItemKind::Stage => "stage",
    };
    let caller = host.calling_mod(&call.lua());
    let id = resolve_definition_id(host.registry(), name, kind, &caller, written_id)?;
    if host.call_context.world.borrow().run_outcome().is_some() {
        let message = format!("{name} {} after the run has ended", quote(written_id));
        return Err(Problem::error(Code::Finished, message)
            .expected("a run that has not ended")
            .hint("call `finish` last; ask before it, or not at all")
            .into());
    }
    let item_data =
        host.read_plain_value_at(call.stack, data_index, &name, MixedTablePolicy::Reject)?;
    let item =
        PendingItem { item_kind, id: id.into(), data: item_data, queued_by_mod: caller.into() };
    let add_result = host.call_context.world.borrow_mut().add_agenda_item(item);
    add_result.map_err(|reason| {
        Problem::error(Code::TooMany, reason)
            .hint("look for an event whose hook asks each time it is emitted")
            .into()
    })
}
