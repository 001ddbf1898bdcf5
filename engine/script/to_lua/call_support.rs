//! Shared parts of calls to scripts: current scene and view, results of functions, and attribution
//! of errors.

use mlua::ExternalError as _;
use std::cell::RefCell;
use std::rc::Rc;

use mlua::{Function, Lua, Table, Value as LuaValue};

use super::agenda::push_item_data;
use crate::host::Host;
use crate::host::handler_cache::{CachedBot, CachedScene, CachedView, HandlerFunction};
use crate::limits::fuel::AccountGuard;
use crate::values::plain_data::{BorrowingVisitor, MixedTablePolicy, not_plain_error};
use crate::values::value_ref::ValueRef;
use base::problem::nearest_name;
use base::{Code, Problem, SourceLocation, Value};
use content::{Datum, Registry};
use luau::{LuaType, TableReader};

/// The current scene.
pub(super) fn load_current_scene(host: &Host) -> mlua::Result<Rc<CachedScene>> {
    let id = host.call_context.world.borrow().scene();
    let Some(id) = id else {
        let problem = Problem::error(Code::NoScene, "the run is in no scene")
            .hint("the function given to `start` must go to a scene");
        return Err(problem.into_lua_err());
    };
    host.load_scene(&id)?.ok_or_else(|| {
        Problem::error(
            Code::UnknownScene,
            format!("the run is in the scene {id:?}, which does not exist"),
        )
        .expected("an existing scene; the mod of this one may have changed or be disabled")
        .into_lua_err()
    })
}

/// The texts in a list field of a definition.
pub(super) fn list_texts_in_field<'r>(
    registry: &'r Registry,
    kind: &str,
    id: &str,
    field: &str,
) -> impl Iterator<Item = &'r str> {
    let list = registry.get(kind, id).and_then(|definition| definition.get(field)?.as_list());
    list.unwrap_or_default().iter().filter_map(Datum::as_text)
}

/// The place of a function of a definition.
pub(super) fn locate_definition_function(
    host: &Host,
    kind: &str,
    id: &str,
    field: &str,
) -> Option<SourceLocation> {
    let definition = host.registry().get(kind, id)?;
    match definition.get(field) {
        Some(Datum::Fn(function)) => Some(function.place.clone()),
        _ => Some(definition.place.clone()),
    }
}

/// Maximum number of mods named in a Problem that changed a definition.
const MAX_CHANGE_LOCATIONS: usize = 4;

/// Adds the places where other mods changed the definition: the mistake may be theirs. The latest
/// comes first.
pub(super) fn add_change_locations(host: &Host, kind: &str, id: &str, problem: Problem) -> Problem {
    let changes =
        host.registry().get(kind, id).map_or(&[][..], |definition| &definition.changes[..]);
    let places = changes.iter().rev().map(|change| change.place.clone()).take(MAX_CHANGE_LOCATIONS);
    problem.add_related_locations(places)
}

/// The result of a function of a definition, as plain data.
pub(super) fn read_plain_result(
    lua: &Lua,
    host: &Host,
    name: &str,
    value: &LuaValue,
) -> mlua::Result<Option<Value>> {
    host.read_plain_value(lua, &name, value, MixedTablePolicy::Split)
}

/// Calls a function of a definition, with the subject of a question if it has one, and reads the
/// result in place. An error of the call is raised; a wrong result is returned.
pub(super) fn call_and_convert_result<R>(
    lua: &Lua,
    host: &Host,
    name: &str,
    function: &Function,
    data: Option<&Value>,
    convert: impl FnOnce(&ValueRef<'_>) -> R,
) -> mlua::Result<mlua::Result<Option<R>>> {
    let mut outcome = Ok(None);
    let outcome_mut = &mut outcome;
    host.protected_caller.call_protected::<()>(lua, function, |stack| {
        push_item_data(stack, data);
        stack.call(1, 1);
        let mut visitor = BorrowingVisitor(host);
        let mut reader = TableReader::new(&mut visitor);
        if stack.lua_type(1) != LuaType::Nil {
            *outcome_mut = match reader.read_value(stack, 1) {
                Ok(value_ref) => match host.check_fuel_budget() {
                    Ok(()) => Ok(Some(convert(&value_ref))),
                    Err(problem) => Err(problem.into_lua_err()),
                },
                Err(convert_error) => {
                    Err(not_plain_error(&name, *convert_error, MixedTablePolicy::Split))
                }
            };
        }
        stack.set_top(0);
    })?;
    Ok(outcome)
}

/// Moves a Problem without a script line to the function that returned the value, because the line
/// that created it has finished. `add_locations` adds other mods that may be responsible.
pub(super) fn move_problem_to_function(
    error: mlua::Error,
    place: Option<SourceLocation>,
    add_locations: impl Fn(Problem) -> Problem,
) -> mlua::Error {
    match error.downcast_ref::<Problem>() {
        Some(problem) if problem.place.as_ref().is_none_or(|place| place.line == 0) => {
            let problem = Problem { place: None, ..problem.clone() };
            create_error_at(add_locations(problem), place)
        }
        _ => error,
    }
}

/// Adds a place to a Problem without one, and makes it a Lua error.
pub(super) fn create_error_at(problem: Problem, place: Option<SourceLocation>) -> mlua::Error {
    match place {
        Some(place) if problem.place.is_none() => problem.at(place).into_lua_err(),
        _ => problem.into_lua_err(),
    }
}

impl Host {
    /// A scene; `None` if there is none with that id.
    pub(crate) fn load_scene(&self, id: &str) -> mlua::Result<Option<Rc<CachedScene>>> {
        if let Some(cached_scene) = self.lazy_tables.handlers.scenes.borrow().get(id) {
            return Ok(Some(cached_scene.clone()));
        }
        let Some(definition) = self.definition_table("scene", id)? else { return Ok(None) };
        let scene = Rc::new(CachedScene {
            id: Box::from(id),
            prompt_function: self.read_function_field(&definition, "scene", id, "prompt")?,
            definition,
            has_added_choices: self.has_nonempty_list("scene", id, "choices"),
            handlers: RefCell::default(),
        });
        self.lazy_tables.handlers.scenes.borrow_mut().insert(Box::from(id), scene.clone());
        Ok(Some(scene))
    }

    /// A view; `None` if there is none with that id.
    pub(crate) fn load_view(&self, id: &str) -> mlua::Result<Option<Rc<CachedView>>> {
        if let Some(cached_view) = self.lazy_tables.handlers.views.borrow().get(id) {
            return Ok(Some(cached_view.clone()));
        }
        let Some(definition) = self.definition_table("view", id)? else { return Ok(None) };
        let view = Rc::new(CachedView {
            show_function: self.read_function_field(&definition, "view", id, "show")?,
            definition,
            has_added_widgets: self.has_nonempty_list("view", id, "widgets"),
        });
        self.lazy_tables.handlers.views.borrow_mut().insert(Box::from(id), view.clone());
        Ok(Some(view))
    }

    /// A bot, with its facts.
    pub(crate) fn load_bot(&self, id: &str) -> mlua::Result<Rc<CachedBot>> {
        if let Some(cached_bot) = self.lazy_tables.handlers.bots.borrow().get(id) {
            return Ok(cached_bot.clone());
        }
        let Some(definition) = self.definition_table("bot", id)? else {
            let bots = self.registry().active_definitions("bot").map(|bot| bot.id.as_str());
            let suggestion = nearest_name(id, bots);
            let problem = Problem::error(Code::UnknownBot, format!("there is no bot {id:?}"))
                .expected("the id of a bot, or `random`");
            return Err(problem.suggest_name(suggestion).into_lua_err());
        };
        let mut facts = Vec::new();
        for fact in list_texts_in_field(self.registry(), "bot", id, "facts") {
            let Some(table) = self.definition_table("fact", fact)? else { continue };
            facts.push((Box::from(fact), self.read_function_field(&table, "fact", fact, "tell")?));
        }
        let bot = Rc::new(CachedBot {
            choose_function: self.read_function_field(&definition, "bot", id, "choose")?,
            fact_functions: facts,
        });
        self.lazy_tables.handlers.bots.borrow_mut().insert(Box::from(id), bot.clone());
        Ok(bot)
    }

    /// A function of a definition, with its place, if there is one. Its mod is charged until the
    /// guard is dropped.
    pub(super) fn load_function_and_charge_mod(
        &self,
        kind: &str,
        id: &str,
        field: &str,
    ) -> mlua::Result<Option<(Function, Option<SourceLocation>, AccountGuard<'_>)>> {
        let definition = self.definition_table(kind, id)?;
        let function = definition.map(|table| table.get::<Option<Function>>(field)).transpose()?;
        let place = locate_definition_function(self, kind, id, field);
        let charge_author =
            || self.fuel.charge_to_account(self.account_of_field_author(kind, id, field));
        Ok(function.flatten().map(|function| (function, place, charge_author())))
    }

    /// The id of the game's first view, if it has one.
    pub(crate) fn first_view_id(&self) -> Option<&str> {
        let find_first = || {
            self.registry().active_definitions("view").next().map(|view| view.id.as_str().into())
        };
        self.lazy_tables.handlers.first_view_id.get_or_init(find_first).as_deref()
    }

    /// Whether a definition has a field.
    pub(crate) fn has_field(&self, kind: &str, id: &str, field: &str) -> bool {
        self.registry().get(kind, id).is_some_and(|definition| definition.get(field).is_some())
    }

    /// Whether a definition has a list that is not empty in a field.
    fn has_nonempty_list(&self, kind: &str, id: &str, field: &str) -> bool {
        let definition = self.registry().get(kind, id);
        let field_value = definition.and_then(|definition| definition.get(field));
        matches!(field_value, Some(Datum::List(list)) if !list.is_empty())
    }

    /// A function of a definition.
    fn read_function_field(
        &self,
        table: &Table,
        kind: &str,
        id: &str,
        field: &'static str,
    ) -> mlua::Result<HandlerFunction> {
        Ok(HandlerFunction {
            function: self.read_field(table, field)?,
            fuel_account: self.account_of_field_author(kind, id, field),
        })
    }

    /// The account of the mod that wrote a function of a definition.
    pub(crate) fn account_of_field_author(&self, kind: &str, id: &str, field: &str) -> usize {
        let definition = self.registry().get(kind, id);
        let owner = definition.map(|definition| match definition.get(field) {
            Some(Datum::Fn(function)) => &*function.place.owner,
            _ => &definition.place.owner,
        });
        self.fuel.account_of_mod(owner.unwrap_or_default())
    }
}
