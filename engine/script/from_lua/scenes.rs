//! `go`, `push`, `pop`, `finish`, `award`: where a run goes next, how it ends, and what it pays.

use super::super::call_scope::HookScene;
use super::super::host_fn::{AnyArgument, HostApi, HostCall, SceneId, host_fn};
use super::super::plain::MixedTablePolicy;
use crate::base::problem::nearest_name;
use crate::base::value::Map;
use crate::base::{Code, Id, Problem, Value};
use crate::content::Registry;
use crate::luau::{CallError, StackIndex};
use crate::protocol::award::{AwardError, check_profile_size, find_type_conflict};

pub(super) fn register(api: &mut HostApi<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Writing "go"(scene: SceneId) -> "()", "Leaves this scene for another one, or opens the first.",
        |call| resolve_scene(call, scene).and_then(|scene| {
            check_may_leave_scene(call)?;
            let gone = call.host.context.world.borrow_mut().replace_top_scene(&scene);
            gone.map_err(|why| Problem::error(Code::TooManyScenes, why))?;
            record_scene_opened_by_hook(call, "go", &scene);
            Ok::<_, CallError>(())
        })
    )?;
    host_fn!(
        api, Writing "push"(scene: SceneId) -> "()", "Opens a scene on top of the current one.",
        |call| resolve_scene(call, scene).and_then(|scene| {
            let pushed = call.host.context.world.borrow_mut().push_scene(&scene);
            pushed.map_err(|why| Problem::error(Code::TooManyScenes, why))?;
            record_scene_opened_by_hook(call, "push", &scene);
            Ok::<_, CallError>(())
        })
    )?;
    host_fn!(
        api, Writing "pop"() -> "()", "Returns to the scene below.",
        |call| check_may_leave_scene(call).and_then(|()| {
            let popped = call.host.context.world.borrow_mut().pop_scene();
            popped.map_err(|why| {
                Problem::error(Code::NoSceneBelow, why)
                    .hint("use `go` to change to another scene; a scene opened by `ask` ends when it is answered")
                    .into()
            })
        })
    )?;
    host_fn!(
        api, Writing "award"(award: AnyArgument as "{ [string]: any }") -> "()",
        "Pays into the profile when the run ends: whole numbers are added, lists are appended, tables are merged.",
        |call| read_named_values(call, award).and_then(|award| {
            let lent = &call.host.context;
            let kept = lent.profile.borrow();
            let unlike = kept.as_map().and_then(|profile| find_type_conflict(profile, &award));
            let refused = match unlike {
                Some(why) => Err(AwardError::wrong_type(why)),
                None => lent.world.borrow_mut().add_award(&award),
            };
            refused.map_err(|error| Problem::error(Code::BadAward, error.reason).hint(error.hint).into())
        })
    )?;
    host_fn!(
        api, Writing "finish"(outcome: AnyArgument as "{ outcome: string, [string]: any }") -> "()",
        "Ends the run.",
        |call| finish_run(call, outcome)
    )
}

/// Records that an `after` hook opened a scene: in this step only its own mod may leave it.
fn record_scene_opened_by_hook(call: &HostCall<'_>, verb: &'static str, scene: &str) {
    let scope = &call.host.scope;
    if scope.after_depth.get() == 0 || !call.host.edition.keeps_hooked_scenes() {
        return;
    }
    let place = call.host.place_of_caller(&call.lua());
    let depth = call.host.context.world.borrow().scenes_from_top().count();
    scope.hook_scenes.borrow_mut().push(HookScene {
        depth,
        opening_function: verb,
        scene: scene.to_owned(),
        place,
        hook: None,
    });
}

/// Checks that the current scene may be left: a Problem if the hook of another mod opened it in
/// this step.
fn check_may_leave_scene(call: &HostCall<'_>) -> Result<(), CallError> {
    let mut hook_scenes = call.host.scope.hook_scenes.borrow_mut();
    if hook_scenes.is_empty() {
        return Ok(());
    }
    let depth = call.host.context.world.borrow().scenes_from_top().count();
    let Some(at) = hook_scenes.iter().position(|one| one.depth == depth) else { return Ok(()) };
    let one = hook_scenes.remove(at);
    if call.host.calling_mod(&call.lua()) == one.place.owner {
        return Ok(());
    }
    let found = format!(
        "{} {:?} in a hook is lost: the step continues with {}",
        one.opening_function, one.scene, call.name
    );
    if let Some((hook, event_name)) = &one.hook {
        call.host.record_failed_hook(hook, event_name);
    }
    let leaver = call.host.place_of_caller(&call.lua());
    Err(Problem::error(Code::HookSceneReplaced, found)
        .expected("a scene that is asked before it is left")
        .hint(format!(
            "write `ask {:?}`: it is asked after the step, wherever the step leads",
            one.scene
        ))
        .at(one.place)
        .add_related_location(leaver)
        .into())
}

fn finish_run(call: &HostCall<'_>, outcome: StackIndex) -> Result<(), CallError> {
    if call.host.context.world.borrow().run_outcome().is_some() {
        return Err(Problem::error(
            Code::FinishedTwice,
            "finish was called after the run had ended",
        )
        .expected("one finish in a run")
        .hint("return from the handler after finish")
        .into());
    }
    let outcome = read_named_values(call, outcome)?;
    if outcome.get("outcome").and_then(Value::as_text).is_none() {
        return Err(Problem::error(Code::MissingField, "finish got no outcome")
            .expected("finish { outcome = \"…\", … }: a word that tells how the run ended")
            .into());
    }
    check_profile_size(&outcome).map_err(|found| {
        Problem::error(Code::TooLarge, format!("the outcome {found}"))
            .expected("the few facts that the end page and the history show")
            .hint("keep long lists and tables in the state")
    })?;
    let finished = call.host.context.world.borrow_mut().record_outcome(Value::Map(outcome));
    finished.map_err(|error| {
        Problem::error(Code::TooLarge, format!("finish cannot store the outcome: {error}"))
            .hint(error.hint())
            .into()
    })
}

/// A table of named values from a script, as plain data.
fn read_named_values(call: &HostCall<'_>, at: StackIndex) -> Result<Map, CallError> {
    match call.host.read_plain_at(call.stack, at, &call.name, MixedTablePolicy::Reject)? {
        Some(Value::Map(map)) => Ok(map),
        _ => Err(call.wrong_argument(at, "a table of named values").into()),
    }
}

fn resolve_scene(call: &HostCall<'_>, written: &str) -> Result<String, CallError> {
    let caller = call.host.calling_mod(&call.lua());
    Ok(resolve_definition_id(call.host.registry(), call.name, "scene", &caller, written)?)
}

/// The full id of a scene or a stage that a mod names; a name without a mod is that mod's own.
pub(in crate::script) fn resolve_definition_id(
    registry: &Registry,
    name: &str,
    kind: &str,
    caller: &str,
    written: &str,
) -> Result<String, Problem> {
    let id = Id::parse(written, caller)
        .map_err(|why| Problem::error(Code::BadId, format!("{name}: {why}")))?;
    if registry.get(kind, id.as_str()).is_some() {
        return Ok(id.as_str().to_owned());
    }
    let known: Vec<&str> = registry.all_definitions(kind).map(|one| one.id.as_str()).collect();
    let code = if kind == "stage" { Code::UnknownStage } else { Code::UnknownScene };
    let problem = Problem::error(code, format!("{name} {written:?}: no such {kind}"))
        .expected(format!("the id of a {kind}"));
    // The same name in another mod is a more likely mistake than a wrong letter.
    let same_name = known.iter().find(|known| known.ends_with(&format!(":{}", id.name())));
    let near = same_name.copied().or_else(|| nearest_name(id.as_str(), known.iter().copied()));
    Err(problem.did_you_mean(near))
}
