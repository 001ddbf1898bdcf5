//! Pages: what a game shows outside a run, from the title menu.

use mlua::ExternalError as _;
use std::sync::Arc;

use mlua::Value as LuaValue;

use super::call_support::{
    create_error_at, locate_definition_function, move_problem_to_function, read_plain_result,
};
use super::read_view;
use crate::host::Host;
use crate::host::phase::Permit;
use crate::values::data_path::DataPath;
use crate::values::read_fields::read_text_with_placeholders;
use crate::values::value_ref::ValueRef;
use crate::vm::Vm;
use base::{Code, Problem, Value};
use protocol::view::{PlacedWidget, Widget, WidgetSlot};
use protocol::{View, WorldState};

impl Vm {
    /// A page, by full id. There is no run: `state` is empty.
    pub fn compute_page(&self, id: &str, profile: &Value) -> Result<View, Problem> {
        self.call_with_world(
            &mut WorldState::default(),
            profile,
            Permit::ReadOnly("a page"),
            |lua, host| {
                let Some(definition) = host.definition_table("page", id)? else {
                    let problem =
                        Problem::error(Code::UnknownPage, format!("there is no page {id:?}"));
                    return Err(problem.into_lua_err());
                };
                let title = definition.get::<Option<String>>("title")?.unwrap_or_default();
                let Some((show_function, place, _account_guard)) =
                    host.load_function_and_charge_mod("page", id, "show")?
                else {
                    let text = definition.get::<Option<String>>("text")?.unwrap_or_default();
                    return text_page(host, &title, &text).map_err(|problem| {
                        create_error_at(
                            problem,
                            locate_definition_function(host, "page", id, "text"),
                        )
                    });
                };
                let returned_value: LuaValue =
                    show_function.call(host.profile_of_definition(lua, id)?)?;
                let page_value =
                    read_plain_result(lua, host, "page", &returned_value).map_err(|error| {
                        move_problem_to_function(error, place.clone(), |problem| problem)
                    })?;
                let Some(Value::Map(mut view)) = page_value else {
                    let problem =
                        Problem::error(Code::WrongType, format!("the page {id} returned no table"))
                            .expected("return { title = …, widgets = { … } }");
                    return Err(create_error_at(problem, place));
                };
                view.entry(Arc::from("title")).or_insert_with(|| Value::text(&title));
                let view = Value::Map(view);
                read_view::read_view(&ValueRef::from_value(&view), host.active_text_overrides())
                    .map_err(|problem| create_error_at(problem, place))
            },
        )
    }
}

fn text_page(host: &Host, title: &str, text: &str) -> Result<View, Problem> {
    // A page without a function has no values for marks.
    let registry = host.registry();
    let (title, text) = (registry.display_text(title), registry.display_text(text));
    let root = DataPath::root("page", None);
    let title = read_text_with_placeholders(&ValueRef::Text(title.into()), &root.field("title"))?;
    let text = read_text_with_placeholders(&ValueRef::Text(text.into()), &root.field("text"))?;
    let widget = Widget::Text { text, tone: String::new() };
    Ok(View { title, widgets: vec![PlacedWidget { slot: WidgetSlot::Sheet, widget }] })
}
