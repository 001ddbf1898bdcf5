//! The choices for an option of a run, where the game computes them.

use mlua::Value as LuaValue;

use super::call_support::{create_error_at, read_plain_result};
use super::read_prompt;
use super::read_prompt::PromptContext;
use crate::host::phase::Permit;
use crate::values::data_path::DataPath;
use crate::values::plain_data;
use crate::values::value_ref::ValueRef;
use crate::vm::Vm;
use base::{Code, Problem, Value};
use protocol::{Choice, WorldState};

impl Vm {
    /// Why an option cannot have that text, according to the game. `None` if it can, or if the game
    /// does not check it.
    pub fn option_refusal_reason(
        &self,
        id: &str,
        value: &Value,
    ) -> Result<Option<String>, Problem> {
        let permit = Permit::ReadOnly("an option");
        self.call_with_world(&mut WorldState::default(), &Value::map(), permit, |lua, host| {
            let refusal_function = host.load_function_and_charge_mod("option", id, "refuses")?;
            let Some((refusal_function, place, _account_guard)) = refusal_function else {
                return Ok(None);
            };
            let refusal: LuaValue = refusal_function.call(value.as_text().unwrap_or_default())?;
            match read_plain_result(lua, host, "refuses", &refusal)? {
                None | Some(Value::Bool(false)) => Ok(None),
                Some(Value::Text(reason)) => Ok(Some(reason.to_string())),
                Some(_) => {
                    let problem = Problem::error(
                        Code::WrongType,
                        format!("`refuses` of {id} returned a value that is not a text"),
                    );
                    Err(create_error_at(
                        problem.expected("why the value is not allowed, or nil"),
                        place,
                    ))
                }
            }
        })
    }

    /// The choices for an option, by full id, given the earlier options; `None` if the option has
    /// no such function. The list is read like the choices of a prompt.
    pub fn compute_option_choices(
        &self,
        id: &str,
        profile: &Value,
        earlier_options: &Value,
    ) -> Result<Option<Vec<Choice>>, Problem> {
        self.call_with_world(
            &mut WorldState::default(),
            profile,
            Permit::ReadOnly("an option"),
            |lua, host| {
                let choices_function =
                    host.load_function_and_charge_mod("option", id, "choices")?;
                let Some((choices_function, place, _account_guard)) = choices_function else {
                    return Ok(None);
                };
                let profile = host.profile_of_definition(lua, id)?;
                let returned_choices: LuaValue = choices_function
                    .call((profile, plain_data::plain_value_to_lua(lua, earlier_options, true)?))?;
                let choices_value = read_plain_result(lua, host, "choices", &returned_choices)?;
                let list = choices_value.as_ref().and_then(Value::as_list).ok_or_else(|| {
                    let problem = Problem::error(
                        Code::WrongType,
                        format!("the choices of {id} are not a list"),
                    )
                    .expected("return { { id = …, label = … }, … }");
                    create_error_at(problem, place.clone())
                })?;
                let root = DataPath::root("choices", host.active_text_overrides());
                let entries =
                    list.iter().enumerate().filter(|(_, item)| **item != Value::Bool(false));
                let parsed_choices = entries.map(|(index, item)| {
                    read_prompt::read_choice(
                        &ValueRef::from_value(item),
                        &root.index(index + 1),
                        PromptContext::default(),
                    )
                });
                let parsed_choices: Result<Vec<Choice>, Problem> = parsed_choices.collect();
                parsed_choices.map(Some).map_err(|problem| create_error_at(problem, place))
            },
        )
    }
}
