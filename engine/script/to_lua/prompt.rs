//! The prompt of the current scene.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table, Value as LuaValue};

use super::agenda;
use super::call_support::{
    add_change_locations, call_and_convert_result, create_error_at, load_current_scene,
    locate_definition_function, move_problem_to_function, read_plain_result,
};
use super::read_prompt;
use super::read_prompt::PromptContext;
use crate::host::Host;
use crate::host::phase::Permit;
use crate::values::data_path::DataPath;
use crate::values::plain_data;
use crate::values::value_ref::ValueRef;
use crate::vm::Vm;
use base::value::ValueMap;
use base::{Code, Problem, SourceLocation, Value};
use protocol::{Choice, Prompt, WorldState};

/// Prefix of the handler name of a choice that was added to a scene; see `answer`.
pub(super) const ADDED_HANDLER_PREFIX: &str = "choices.";

impl Vm {
    /// The current prompt. Writes and dice are refused while it is computed.
    pub fn compute_prompt(
        &self,
        world: &mut WorldState,
        profile: &Value,
    ) -> Result<Prompt, Problem> {
        self.call_with_world(world, profile, Permit::ReadOnly("a prompt"), compute_scene_prompt)
    }

    /// The same as the mods write it, whatever the language of the player: what a journal keeps.
    pub fn compute_source_prompt(
        &self,
        world: &mut WorldState,
        profile: &Value,
    ) -> Result<Prompt, Problem> {
        self.host().shows_source_texts.set(true);
        let prompt = self.compute_prompt(world, profile);
        self.host().shows_source_texts.set(false);
        prompt
    }
}

fn compute_scene_prompt(lua: &Lua, host: &Rc<Host>) -> mlua::Result<Prompt> {
    if host.call_context.world.borrow().run_outcome().is_some() {
        let problem = Problem::error(Code::Finished, "the run has ended and asks nothing more");
        return Err(problem.into_lua_err());
    }
    let next_item = agenda::find_next_pending_item(host);
    if next_item.as_ref().is_some_and(|(_, is_question)| !is_question) {
        return Ok(agenda::create_unavailable_question_prompt());
    }
    let question_data = next_item.and_then(|(item, _)| item.data);
    let scene = load_current_scene(host)?;
    let id = &*scene.id;
    let place = || locate_definition_function(host, "scene", id, "prompt");
    let _account_guard = host.fuel.charge_to_account(scene.prompt_function.fuel_account);
    let prompt_function = &scene.prompt_function.function;
    let prompt_result = call_and_convert_result(
        lua,
        host,
        "prompt",
        prompt_function,
        question_data.as_ref(),
        |value| {
            let rankings = &*host.call_scope.odds_rankings.borrow();
            read_prompt::read_prompt(
                id,
                value,
                PromptContext {
                    odds_rankings: rankings,
                    groups: host.groups_for_scene(id),
                    text_overrides: host.active_text_overrides(),
                },
            )
        },
    )?;
    let add_locations = |problem| add_change_locations(host, "scene", id, problem);
    let prompt = match prompt_result {
        Ok(Some(prompt)) => prompt,
        Ok(None) => {
            Err(Problem::error(Code::WrongType, format!("the prompt of {id} returned nothing"))
                .expected("return { text = …, choices = { … } }"))
        }
        Err(error) => return Err(move_problem_to_function(error, place(), add_locations)),
    };
    let mut prompt = prompt.map_err(|problem| create_error_at(add_locations(problem), place()))?;
    if scene.has_added_choices {
        let added_choices =
            read_added_choices(lua, host, &scene.definition, question_data.as_ref());
        let choices_result = added_choices
            .map_err(|error| move_problem_to_function(error, place(), |problem| problem));
        let mut added_places: BTreeMap<String, Option<SourceLocation>> = BTreeMap::new();
        for (choice, place) in choices_result? {
            if prompt.choices.iter().any(|earlier_choice| earlier_choice.id == choice.id) {
                let earlier_place = match added_places.get(&choice.id) {
                    Some(earlier_place) => earlier_place.clone(),
                    None => self::locate_definition_function(host, "scene", id, "prompt"),
                };
                let problem = duplicate_choice_problem(id, &choice, &place, earlier_place);
                return Err(create_error_at(problem, place));
            }
            added_places.insert(choice.id.clone(), place);
            prompt.choices.push(choice);
        }
    }
    read_prompt::check_prompt(&prompt)
        .map_err(|problem| create_error_at(add_locations(problem), place()))?;
    Ok(prompt)
}

/// An added choice with the id of another choice.
fn duplicate_choice_problem(
    scene: &str,
    choice: &Choice,
    place: &Option<SourceLocation>,
    earlier_place: Option<SourceLocation>,
) -> Problem {
    let owner = |place: &Option<SourceLocation>| place.as_ref().map(|place| place.owner.clone());
    let hint = match owner(place) == owner(&earlier_place) {
        true => "give one of the two another id",
        false => "begin it with the name of the mod",
    };
    let message = format!("{scene} already has a choice with the id {:?}", choice.id);
    Problem::error(Code::DuplicateId, message)
        .expected("an id that no other choice of the prompt has")
        .hint(hint)
        .add_related_location(earlier_place.unwrap_or_default())
}

/// Whether the mod that wrote a choice is disabled; its functions tell which mod that is.
fn is_mod_of_choice_disabled(host: &Host, choice: &Table) -> mlua::Result<bool> {
    let mut is_disabled = false;
    choice.for_each(|_: LuaValue, value: LuaValue| {
        if let LuaValue::Function(function) = &value {
            let place = host.place_of_function(function);
            is_disabled |=
                place.is_some_and(|place| host.disabled_set.is_mod_disabled(&place.owner));
        }
        Ok(())
    })?;
    Ok(is_disabled)
}

/// The choices that other mods added to the scene's definition.
fn read_added_choices(
    lua: &Lua,
    host: &Rc<Host>,
    definition: &Table,
    question_data: Option<&Value>,
) -> mlua::Result<Vec<(Choice, Option<SourceLocation>)>> {
    let question_value =
        question_data.map(|about| plain_data::plain_value_to_lua(lua, about, true)).transpose()?;
    let mut choices = Vec::new();
    let LuaValue::Table(choice_tables) = host.read_field(definition, "choices")? else {
        return Ok(choices);
    };
    for index in 1..=choice_tables.raw_len() {
        let table: Table = choice_tables.raw_get(index)?;
        if is_mod_of_choice_disabled(host, &table)? {
            continue;
        }
        if let LuaValue::Function(condition) = table.raw_get("when")?
            && !condition.call::<bool>(question_value.clone())?
        {
            continue;
        }
        let choice_result = read_added_choice(lua, host, &table, index, question_value.as_ref());
        let choice = choice_result.map_err(|error| {
            let message = error.downcast_ref::<Problem>().map(|problem| problem.message.clone());
            let place = locate_mistake_in_choice(host, &table, &message.unwrap_or_default());
            move_problem_to_function(error, place, |problem| problem)
        })?;
        choices.push((choice, locate_mistake_in_choice(host, &table, "")));
    }
    Ok(choices)
}

/// The place of the function of an added choice that gave the wrong value, by the field in the
/// message; or else that of its handler.
fn locate_mistake_in_choice(host: &Host, choice: &Table, message: &str) -> Option<SourceLocation> {
    let mut functions = Vec::new();
    let pairs = choice.pairs::<String, LuaValue>().filter_map(Result::ok);
    for (name, value) in pairs {
        if let LuaValue::Function(function) = value {
            let is_in_message = message.contains(&format!("].{name}"));
            functions.push((!is_in_message, name != "on", host.place_of_function(&function)));
        }
    }
    functions.sort_by_key(|(is_unmentioned, is_value_function, _)| {
        (*is_unmentioned, *is_value_function)
    });
    functions.into_iter().find_map(|(_, _, place)| place)
}

/// One added choice.
fn read_added_choice(
    lua: &Lua,
    host: &Host,
    table: &Table,
    index: usize,
    question_value: Option<&LuaValue>,
) -> mlua::Result<Choice> {
    let mut fields = ValueMap::new();
    let mut has_own_handler = false;
    for pair in table.pairs::<String, LuaValue>() {
        let (name, mut value) = pair?;
        if name == "when" {
            continue;
        }
        if name == "on" && value.is_function() {
            has_own_handler = true;
            continue;
        }
        if let LuaValue::Function(value_function) = &value {
            value = value_function.call(question_value.cloned())?;
        }
        let path = format!("choices[{index}].{name}");
        if let Some(value) = read_plain_result(lua, host, &path, &value)? {
            fields.insert(Arc::from(name), value);
        }
    }
    let root = DataPath::root("choices", host.active_text_overrides());
    let fields = Value::Map(fields);
    let rankings = &host.call_scope.odds_rankings.borrow();
    let context = PromptContext {
        odds_rankings: rankings,
        groups: host.groups_for_scene(""),
        text_overrides: host.active_text_overrides(),
    };
    let mut choice =
        read_prompt::read_choice(&ValueRef::from_value(&fields), &root.index(index), context)
            .into_lua_err()?;
    if has_own_handler {
        choice.handler_name = Some(format!("{ADDED_HANDLER_PREFIX}{}", choice.id));
    }
    Ok(choice)
}
