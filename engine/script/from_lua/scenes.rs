//! `go`, `push`, `pop`, `finish`: where a run goes next, and how it ends.

use super::host_fn::{HostCall, HostFnParam, HostFnRegistry, SceneId, host_fn};
use crate::diagnostics::host_explanation::HostExplanation as _;
use crate::host::call_scope::SceneOpenedByHook;
use crate::values::plain_data::MixedTablePolicy;
use base::value::ValueMap;
use base::{Code, Id, Problem, Value, quote};
use content::Registry;
use luau::{CallError, StackIndex};
use protocol::award::check_profile_size;

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Writing "go"(scene: SceneId) -> "()", "Leaves this scene for another one, or opens the first.",
        |call| resolve_scene(call, scene).and_then(|scene| {
            check_may_leave_scene(call)?;
            let replace_result = call.host.call_context.world.borrow_mut().replace_top_scene(&scene);
            replace_result.map_err(|reason| Problem::error(Code::TooManyScenes, reason))?;
            record_scene_opened_by_hook(call, "go", &scene);
            Ok::<_, CallError>(())
        })
    )?;
    host_fn!(
        api, Writing "push"(scene: SceneId) -> "()", "Opens a scene on top of the current one.",
        |call| resolve_scene(call, scene).and_then(|scene| {
            let push_result = call.host.call_context.world.borrow_mut().push_scene(&scene);
            push_result.map_err(|reason| Problem::error(Code::TooManyScenes, reason))?;
            record_scene_opened_by_hook(call, "push", &scene);
            Ok::<_, CallError>(())
        })
    )?;
    host_fn!(
        api, Writing "pop"() -> "()", "Returns to the scene below.",
        |call| check_may_leave_scene(call).and_then(|()| {
            let pop_result = call.host.call_context.world.borrow_mut().pop_scene();
            pop_result.map_err(|reason| {
                Problem::error(Code::NoSceneBelow, reason)
                    .hint("`pop` only leaves a scene that `push` opened: use `go` to change to another; a scene opened by `ask` ends when it is answered")
                    .into()
            })
        })
    )?;
    host_fn!(
        api, Writing "finish"(outcome: NamedValues as "{ outcome: string, [string]: any }") -> "()",
        "Ends the run.",
        |call| finish_run(call, outcome)
    )
}

/// Records that an `after` hook opened a scene: in this step only its own mod may leave it.
fn record_scene_opened_by_hook(call: &HostCall<'_>, function_name: &'static str, scene: &str) {
    let scope = &call.host.call_scope;
    if scope.after_hook_depth.get() == 0 {
        return;
    }
    let place = call.host.place_of_caller(&call.lua());
    let depth = call.host.call_context.world.borrow().open_scenes_from_top().count();
    scope.scenes_opened_by_hooks.borrow_mut().push(SceneOpenedByHook {
        scene_depth: depth,
        opening_function: function_name,
        scene: scene.to_owned(),
        place,
        hook: None,
    });
}

/// Checks that the current scene may be left: a Problem if the hook of another mod opened it in
/// this step.
fn check_may_leave_scene(call: &HostCall<'_>) -> Result<(), CallError> {
    let mut hook_scenes = call.host.call_scope.scenes_opened_by_hooks.borrow_mut();
    if hook_scenes.is_empty() {
        return Ok(());
    }
    let depth = call.host.call_context.world.borrow().open_scenes_from_top().count();
    let Some(index) = hook_scenes.iter().position(|hook_scene| hook_scene.scene_depth == depth)
    else {
        return Ok(());
    };
    let hook_scene = hook_scenes.remove(index);
    if call.host.calling_mod(&call.lua()) == hook_scene.place.owner {
        return Ok(());
    }
    let message = format!(
        "{} {:?} in a hook is lost: the step continues with {}",
        hook_scene.opening_function, hook_scene.scene, call.name
    );
    if let Some((hook, event_name)) = &hook_scene.hook {
        call.host.record_failed_hook(hook, event_name);
    }
    let leaving_place = call.host.place_of_caller(&call.lua());
    Err(Problem::error(Code::HookSceneReplaced, message)
        .expected("`ask` in a hook, not `push` or `go`")
        .hint(format!(
            "write `ask {:?}` instead: its question follows the step, whichever scene comes next",
            hook_scene.scene
        ))
        .at(hook_scene.place)
        .add_related_location(leaving_place)
        .into())
}

fn finish_run(call: &HostCall<'_>, outcome: ValueMap) -> Result<(), Problem> {
    if call.host.call_context.world.borrow().run_outcome().is_some() {
        return Err(Problem::error(
            Code::FinishedTwice,
            "finish was called after the run had ended",
        )
        .expected("one `finish` in a run")
        .hint("return from the handler after `finish`"));
    }
    if outcome.get("outcome").and_then(Value::as_text).is_none() {
        return Err(Problem::error(Code::MissingField, "finish got no outcome")
            .expected("finish { outcome = \"…\", … }: a word that tells how the run ended"));
    }
    check_profile_size(&outcome).map_err(|message| {
        Problem::error(Code::TooLarge, format!("the outcome {message}"))
            .expected("the few facts that the end page and the history show")
            .hint("keep long lists and tables in the state")
    })?;
    let record_result =
        call.host.call_context.world.borrow_mut().record_outcome(Value::Map(outcome));
    record_result.map_err(|error| {
        Problem::error(Code::TooLarge, format!("finish cannot store the outcome: {error}"))
            .hint(error.hint())
    })
}

/// A table of named values, as plain data.
pub(super) struct NamedValues;

impl HostFnParam for NamedValues {
    type Value<'c> = ValueMap;
    const LUAU_TYPE: &'static str = "{ [string]: any }";

    fn read_argument<'c>(call: &HostCall<'c>, index: StackIndex) -> mlua::Result<ValueMap> {
        let policy = MixedTablePolicy::Reject;
        match call.host.read_plain_value_at(call.stack, index, &call.name, policy)? {
            Some(Value::Map(map)) => Ok(map),
            _ => Err(call.wrong_argument_error(index, "a table of named values")),
        }
    }
}

fn resolve_scene(call: &HostCall<'_>, written_id: &str) -> Result<String, CallError> {
    let caller = call.host.calling_mod(&call.lua());
    Ok(resolve_definition_id(call.host.registry(), call.name, "scene", &caller, written_id)?)
}

/// The full id of a scene or a stage that a mod names; a name without a mod is that mod's own.
pub(crate) fn resolve_definition_id(
    registry: &Registry,
    name: &str,
    kind: &str,
    caller: &str,
    written_id: &str,
) -> Result<String, Problem> {
    let id = Id::parse(written_id, caller)
        .map_err(|reason| Problem::error(Code::BadId, format!("{name}: {reason}")))?;
    if registry.get(kind, id.as_str()).is_some() {
        return Ok(id.as_str().to_owned());
    }
    let code = if kind == "stage" { Code::UnknownStage } else { Code::UnknownScene };
    Err(Problem::error(code, format!("{name} {}: no such {kind}", quote(written_id)))
        .expected(format!("the id of a {kind}"))
        .suggest_definition(kind, id.as_str()))
}
