//! `ask`, `proceed`, `waiting`: questions and stages that come before the game goes on.
//!
//! A question from an event is asked after the handler has ended, whatever scene is current then. A
//! queued stage runs when everything before it is answered (`protocol::agenda`).

use super::super::plain::Mixed;
use super::super::row::{Anything, Api, Call, SceneId, StageId, row};
use super::scenes::known;
use crate::kit::Problem;
use crate::luau::{At, Fault};
use crate::play::agenda::{Item, Sort};

pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Acting "ask"(scene: SceneId, with: Anything as "any?") -> "()",
        "Asks the player a question before the game goes on, in a scene that the answer closes. Several questions are asked one after another.",
        |call| add(call, Sort::Question, scene, with)
    )?;
    row!(
        api, Acting "queue_stage"(stage: StageId, with: Anything as "any?") -> "()",
        "Queues a stage: it runs when this handler has ended and all earlier questions are answered.",
        |call| add(call, Sort::Stage, stage, with)
    )?;
    row!(
        api, Looking "has_pending"() -> "boolean",
        "Whether any question or stage is still queued.",
        |call| Ok::<_, Fault>(call.host.lent.world.borrow().is_waiting())
    )
}

fn add(call: &Call<'_>, sort: Sort, written: &str, with: At) -> Result<(), Fault> {
    let (host, name) = (call.host, call.name);
    let kind = match sort {
        Sort::Question => "scene",
        Sort::Stage => "stage",
    };
    let by = host.calling_mod(&call.lua());
    let id = known(host.registry(), name, kind, &by, written)?;
    if host.lent.world.borrow().finished().is_some() {
        let found = format!("{name} {written:?} after the run has ended");
        return Err(Problem::error("finished", found)
            .expected("a run that has not ended")
            .hint("call `finish` last; ask before it, or not at all")
            .into());
    }
    let with = host.plain_at(call.stack, with, &name, Mixed::Refused)?;
    let item = Item { sort, id: id.into(), with, by: by.into() };
    let added = host.lent.world.borrow_mut().add_item(item);
    added.map_err(|why| {
        Problem::error("too-many", why)
            .hint("look for an event whose hook asks each time it is emitted")
            .into()
    })
}
