//! The view beside the story.

use mlua::ExternalError as _;
use std::rc::Rc;

use mlua::{Function, Lua, Table, Value as LuaValue};

use super::call_support::{
    add_change_locations, call_and_convert_result, create_error_at, locate_definition_function,
    move_problem_to_function, read_plain_result,
};
use super::read_view;
use crate::host::Host;
use crate::host::phase::Permit;
use crate::values::data_path::DataPath;
use crate::values::value_ref::ValueRef;
use crate::vm::Vm;
use base::{Code, Problem, Value};
use protocol::agenda::PendingItemKind;
use protocol::view::PlacedWidget;
use protocol::{View, WorldState};

impl Vm {
    /// The view of the current scene: the one that it names, or that of the nearest scene below
    /// that names one, or the game's first. Writes and dice are refused while it is computed.
    pub fn compute_view(&self, world: &mut WorldState, profile: &Value) -> Result<View, Problem> {
        self.call_with_world(world, profile, Permit::ReadOnly("a view"), |lua, host| {
            match find_view_id(host)? {
                Some(id) => compute_view_by_id(lua, host, &id),
                None => Ok(View::default()),
            }
        })
    }
}

/// The id of the view to show.
fn find_view_id(host: &Host) -> mlua::Result<Option<String>> {
    let find_scene_with_view =
        |id: &str| host.has_field("scene", id, "view").then(|| id.to_owned());
    let scenes_with_view: Vec<String> = {
        let world = host.call_context.world.borrow();
        let question =
            world.next_agenda_item().filter(|item| item.item_kind == PendingItemKind::Question);
        let question = question.and_then(|item| find_scene_with_view(&item.id));
        question
            .into_iter()
            .chain(world.open_scenes_from_top().filter_map(find_scene_with_view))
            .collect()
    };
    for id in &scenes_with_view {
        let Some(definition) = host.definition_table("scene", id)? else { continue };
        if let Some(view) = host.read_field::<Option<String>>(&definition, "view")? {
            return Ok(Some(view));
        }
    }
    Ok(host.first_view_id().map(str::to_owned))
}

fn compute_view_by_id(lua: &Lua, host: &Rc<Host>, id: &str) -> mlua::Result<View> {
    let Some(loaded_view) = host.load_view(id)? else {
        let problem = Problem::error(Code::UnknownView, format!("there is no view {id:?}"));
        return Err(problem.into_lua_err());
    };
    let _account_guard = host.fuel.charge_to_account(loaded_view.show_function.fuel_account);
    let read_result_value =
        |value: &ValueRef<'_>| read_view::read_view(value, host.active_text_overrides());
    let view_result = call_and_convert_result(
        lua,
        host,
        "view",
        &loaded_view.show_function.function,
        None,
        read_result_value,
    )?;
    let place = || locate_definition_function(host, "view", id, "show");
    let add_locations = |problem| add_change_locations(host, "view", id, problem);
    let view_result =
        view_result.map_err(|error| move_problem_to_function(error, place(), add_locations))?;
    let view = match view_result {
        Some(view) => view,
        None => Err(Problem::error(Code::WrongType, format!("the view {id} returned nothing"))
            .expected("return { title = …, widgets = { … } }")),
    };
    let mut view = view.map_err(|problem| create_error_at(add_locations(problem), place()))?;
    if loaded_view.has_added_widgets
        && let LuaValue::Table(added_functions) =
            host.read_field(&loaded_view.definition, "widgets")?
    {
        add_widgets(lua, host, &added_functions, &mut view.widgets)?;
    }
    Ok(view)
}

/// Adds the results of the functions that other mods added to the view: a widget, a list of
/// widgets, or nothing.
fn add_widgets(
    lua: &Lua,
    host: &Rc<Host>,
    added_functions: &Table,
    widgets: &mut Vec<PlacedWidget>,
) -> mlua::Result<()> {
    for index in 1..=added_functions.raw_len() {
        let widget_function: Function = added_functions.raw_get(index)?;
        let place = host.place_of_function(&widget_function);
        if place.as_ref().is_some_and(|place| host.disabled_set.is_mod_disabled(&place.owner)) {
            continue;
        }
        let returned_value: LuaValue = widget_function.call(())?;
        let root = DataPath::root("widgets", host.active_text_overrides());
        let path = root.index(index);
        let widget_value = read_plain_result(lua, host, &path.to_string(), &returned_value)
            .map_err(|error| move_problem_to_function(error, place.clone(), |problem| problem))?;
        let widgets_result = match widget_value {
            None | Some(Value::Bool(false)) => Ok(Vec::new()),
            Some(Value::List(list)) => {
                let entries = list.iter().enumerate();
                let read_results = entries.map(|(list_index, widget)| {
                    read_view::read_placed_widget(
                        &ValueRef::from_value(widget),
                        &path.index(list_index + 1),
                    )
                });
                read_results.collect()
            }
            Some(widget) => read_view::read_placed_widget(&ValueRef::from_value(&widget), &path)
                .map(|widget| vec![widget]),
        };
        widgets.extend(widgets_result.map_err(|problem| create_error_at(problem, place))?);
    }
    Ok(())
}
