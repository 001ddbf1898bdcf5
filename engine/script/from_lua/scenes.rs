//! `go`, `push`, `pop`, `finish`, `award`: where a run goes next, how it ends, and what it pays.

use super::super::call_scope::Hooked;
use super::super::plain::Mixed;
use super::super::row::{Anything, Api, Call, SceneId, row};
use crate::content::Registry;
use crate::kit::problem::nearest;
use crate::kit::value::Map;
use crate::kit::{Id, Problem, Value};
use crate::luau::{At, Fault};
use crate::play::award::unlike;

pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Acting "go"(scene: SceneId) -> "()", "Leaves this scene for another one, or opens the first.",
        |call| known_scene(call, scene).and_then(|scene| {
            leave(call)?;
            let gone = call.host.lent.world.borrow_mut().go(&scene);
            gone.map_err(|why| Problem::error("too-many-scenes", why))?;
            opened(call, "go", &scene);
            Ok::<_, Fault>(())
        })
    )?;
    row!(
        api, Acting "push"(scene: SceneId) -> "()", "Opens a scene on top of the current one.",
        |call| known_scene(call, scene).and_then(|scene| {
            let pushed = call.host.lent.world.borrow_mut().push(&scene);
            pushed.map_err(|why| Problem::error("too-many-scenes", why))?;
            opened(call, "push", &scene);
            Ok::<_, Fault>(())
        })
    )?;
    row!(
        api, Acting "pop"() -> "()", "Returns to the scene below.",
        |call| leave(call).and_then(|()| {
            let popped = call.host.lent.world.borrow_mut().pop();
            popped.map_err(|why| {
                Problem::error("no-scene-below", why)
                    .hint("use `go` to change to another scene; a scene opened by `ask` ends when it is answered")
                    .into()
            })
        })
    )?;
    row!(
        api, Acting "award"(award: Anything as "{ [string]: any }") -> "()",
        "Pays into the profile when the run ends: whole numbers are added, lists are appended, tables are merged.",
        |call| named_values(call, award).and_then(|award| {
            let lent = &call.host.lent;
            let kept = lent.profile.borrow();
            let unlike = kept.as_map().and_then(|profile| unlike(profile, &award));
            let awarded = unlike.map_or_else(|| lent.world.borrow_mut().award(&award), Err);
            awarded.map_err(|why| {
                Problem::error("bad-award", why)
                    .hint("pay a value of the same type, or use a name of your own")
                    .into()
            })
        })
    )?;
    row!(
        api, Acting "finish"(outcome: Anything as "{ outcome: string, [string]: any }") -> "()",
        "Ends the run.",
        |call| finish(call, outcome)
    )
}

/// Records that an `after` hook opened a scene: in this step only its own mod may leave it.
fn opened(call: &Call<'_>, verb: &'static str, scene: &str) {
    let scope = &call.host.scope;
    if scope.in_after.get() == 0 || !call.host.edition.keeps_hooked_scenes() {
        return;
    }
    let place = call.host.place_of_caller(&call.lua());
    let depth = call.host.lent.world.borrow().scenes_down().count();
    scope.hooked.borrow_mut().push(Hooked {
        depth,
        verb,
        scene: scene.to_owned(),
        place,
        hook: None,
    });
}

/// Checks that the current scene may be left: a Problem if the hook of another mod opened it in
/// this step.
fn leave(call: &Call<'_>) -> Result<(), Fault> {
    let mut hooked = call.host.scope.hooked.borrow_mut();
    if hooked.is_empty() {
        return Ok(());
    }
    let depth = call.host.lent.world.borrow().scenes_down().count();
    let Some(at) = hooked.iter().position(|one| one.depth == depth) else { return Ok(()) };
    let one = hooked.remove(at);
    if call.host.calling_mod(&call.lua()) == one.place.owner {
        return Ok(());
    }
    let found = format!(
        "{} {:?} in a hook is lost: the step continues with {}",
        one.verb, one.scene, call.name
    );
    if let Some((hook, moment)) = &one.hook {
        call.host.blame_hook(hook, moment);
    }
    let leaver = call.host.place_of_caller(&call.lua());
    Err(Problem::error("lost-scene", found)
        .expected("a scene that is asked before it is left")
        .hint(format!(
            "write `ask {:?}`: it is asked after the step, wherever the step leads",
            one.scene
        ))
        .at(one.place)
        .by_way_of(leaver)
        .into())
}

fn finish(call: &Call<'_>, outcome: At) -> Result<(), Fault> {
    if call.host.lent.world.borrow().finished().is_some() {
        return Err(Problem::error("finished-twice", "finish was called after the run had ended")
            .expected("one finish in a run")
            .hint("return from the handler after finish")
            .into());
    }
    let outcome = named_values(call, outcome)?;
    if outcome.get("outcome").and_then(Value::as_text).is_none() {
        return Err(Problem::error("missing-field", "finish got no outcome")
            .expected("finish { outcome = \"…\", … }: a word that tells how the run ended")
            .into());
    }
    let finished = call.host.lent.world.borrow_mut().finish(Value::Map(outcome));
    finished.map_err(|error| {
        Problem::error("too-large", format!("finish: {error}")).hint(error.hint()).into()
    })
}

/// A table of named values from a script, as plain data.
fn named_values(call: &Call<'_>, at: At) -> Result<Map, Fault> {
    match call.host.plain_at(call.stack, at, &call.name, Mixed::Refused)? {
        Some(Value::Map(map)) => Ok(map),
        _ => Err(call.wrong(at, "a table of named values").into()),
    }
}

fn known_scene(call: &Call<'_>, written: &str) -> Result<String, Fault> {
    let caller = call.host.calling_mod(&call.lua());
    Ok(known(call.host.registry(), call.name, "scene", &caller, written)?)
}

/// The full id of a scene or a stage that a mod names; a name without a mod is that mod's own.
pub(in crate::script) fn known(
    registry: &Registry,
    name: &str,
    kind: &str,
    caller: &str,
    written: &str,
) -> Result<String, Problem> {
    let id = Id::parse(written, caller)
        .map_err(|why| Problem::error("bad-id", format!("{name}: {why}")))?;
    if registry.get(kind, id.as_str()).is_some() {
        return Ok(id.as_str().to_owned());
    }
    let known: Vec<&str> = registry.every(kind).map(|one| one.id.as_str()).collect();
    let code = if kind == "stage" { "unknown-stage" } else { "unknown-scene" };
    let problem = Problem::error(code, format!("{name} {written:?}: no such {kind}"))
        .expected(format!("the id of a {kind}"));
    // The same name in another mod is a more likely mistake than a wrong letter.
    let same_name = known.iter().find(|known| known.ends_with(&format!(":{}", id.name())));
    let near = same_name.copied().or_else(|| nearest(id.as_str(), known.iter().copied()));
    Err(problem.did_you_mean(near))
}
