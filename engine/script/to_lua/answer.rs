//! Passes the player's answer to the handler of the scene.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::rc::Rc;

use mlua::{Function, Lua, Table, Value as LuaValue};

use super::agenda;
use super::call_support::{load_current_scene, locate_definition_function};
use super::prompt::ADDED_HANDLER_PREFIX;
use super::step_ended;
use crate::host::Host;
use crate::host::handler_cache::HandlerFunction;
use crate::host::phase::Permit;
use crate::vm::Vm;
use base::problem::nearest_name;
use base::{Code, Problem, Value};
use luau::Stack;
use protocol::{AcceptedInput, Input, Prompt, WorldState};

impl Vm {
    /// Passes an answer to its handler. An answer to a different prompt is refused.
    pub fn handle_answer(
        &self,
        world: &mut WorldState,
        profile: &Value,
        prompt: &Prompt,
        input: &AcceptedInput,
    ) -> Result<(), Problem> {
        self.host().mirrors.expect_play_call();
        self.call_with_world(world, profile, Permit::ReadWrite, |lua, host| {
            call_handler(lua, host, prompt, input)
        })
    }
}

fn call_handler(
    lua: &Lua,
    host: &Rc<Host>,
    prompt: &Prompt,
    input: &AcceptedInput,
) -> mlua::Result<()> {
    let next_item = agenda::find_next_pending_item(host);
    if next_item.as_ref().is_some_and(|(_, is_question)| !is_question) {
        let scene = agenda::create_unavailable_question_prompt().scene;
        check_prompt_is_for_scene(prompt, &scene).into_lua_err()?;
        return step_ended::end_step(lua, host, &prompt.scene);
    }
    let scene = load_current_scene(host)?;
    check_prompt_is_for_scene(prompt, &scene.id).into_lua_err()?;
    let handler_name = match &**input {
        Input::Choice(id) => {
            let handler = prompt.choice(id).and_then(|choice| choice.handler_name.as_deref());
            handler.unwrap_or(id)
        }
        _ => "answer",
    };
    let handler = scene.find_handler(handler_name, || {
        let function = find_handler(host, &scene.id, &scene.definition, handler_name)?;
        let account_number = host.account_of_function(&function);
        Ok(HandlerFunction { function, fuel_account: account_number })
    })?;
    let answered_question = next_item
        .is_some()
        .then(|| host.call_context.world.borrow_mut().take_next_agenda_item())
        .flatten();
    {
        let _account_guard = host.fuel.charge_to_account(handler.fuel_account);
        host.protected_caller.call_protected::<()>(lua, &handler.function, |stack| {
            push_handler_arguments(
                stack,
                prompt,
                input,
                answered_question.as_ref().and_then(|item| item.data.as_ref()),
            );
            stack.call(1, 0);
        })?;
    }
    step_ended::end_step(lua, host, &prompt.scene)
}

/// Refuses a prompt of a different scene.
fn check_prompt_is_for_scene(prompt: &Prompt, scene: &str) -> Result<(), Problem> {
    if *scene == *prompt.scene {
        return Ok(());
    }
    let message = format!("the answer is for {:?}, but the run is in {scene:?}", prompt.scene);
    Err(Problem::error(Code::StalePrompt, message))
}

/// Pushes the handler's arguments as a frozen table, with the subject of a question.
fn push_handler_arguments(
    stack: Stack<'_>,
    prompt: &Prompt,
    input: &Input,
    question_data: Option<&Value>,
) {
    let push_argument = |name, push_value: &dyn Fn()| {
        push_value();
        stack.set_field(2, name);
    };
    stack.push_table(0, 2);
    match input {
        Input::Choice(id) => {
            push_argument("id", &|| stack.push_text(id));
            if let Some(choice_data) =
                prompt.choice(id).and_then(|choice| choice.handler_data.as_ref())
            {
                push_argument("with", &|| stack.push_plain_data(choice_data, true));
            }
        }
        Input::Choices(ids) => {
            push_argument("ids", &|| stack.push_list(ids, true, |id| stack.push_text(id)))
        }
        Input::Number(number) => push_argument("number", &|| stack.push_number(*number as f64)),
        Input::Text(text) => push_argument("text", &|| stack.push_text(text)),
    }
    if let Some(question_data) = question_data {
        push_argument("asked", &|| stack.push_plain_data(question_data, true));
    }
    stack.set_frozen(2, true);
}

fn find_handler(
    host: &Host,
    scene: &str,
    definition: &Table,
    name: &str,
) -> mlua::Result<Function> {
    if let Some(choice_id) = name.strip_prefix(ADDED_HANDLER_PREFIX)
        && let LuaValue::Table(choices) = host.read_field(definition, "choices")?
    {
        for index in 1..=choices.raw_len() {
            let choice: Table = choices.raw_get(index)?;
            if choice.raw_get::<LuaValue>("id")?.as_string().is_some_and(|id| id == choice_id)
                && let LuaValue::Function(handler) = choice.raw_get("on")?
            {
                return Ok(handler);
            }
        }
    }
    let handlers: LuaValue = host.read_field(definition, "on")?;
    let mut names = Vec::new();
    if let LuaValue::Table(handlers) = &handlers {
        if let LuaValue::Function(handler) = handlers.raw_get(name)? {
            return Ok(handler);
        }
        for pair in handlers.pairs::<String, LuaValue>() {
            names.push(pair?.0);
        }
        names.sort();
    }
    let message = format!("the scene {scene} has no handler {name:?}");
    let problem = Problem::error(Code::MissingHandler, message)
        .expected(format!("on = {{ {name} = function(input) … end }}"));
    let problem =
        Problem { place: locate_definition_function(host, "scene", scene, "prompt"), ..problem };
    Err(problem.suggest_name(nearest_name(name, names.iter().map(String::as_str))).into_lua_err())
}
