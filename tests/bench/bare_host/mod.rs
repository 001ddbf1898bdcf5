//! The bare host runs the same Lua files on plain Lua tables with the same dice and nothing else.
//! It is the baseline of the engine's benchmarks. It must not be slow itself: `steps` compares its
//! tables with bare mlua, and checks that a descent ends on it as on the engine.

use std::cell::RefCell;
use std::rc::Rc;

use base::Value;
use content::{Datum, Registry};
use dice::{RandomStreams, count_roll_outcomes, parse_roll, roll, shuffled_indices};
use mlua::chunk::Compiler;
use mlua::{Function, Lua, Table, Value as LuaValue};
use protocol::Input;
use session::RunContent;

/// A VM with a game loaded on the bare host.
pub struct BareHost {
    /// The VM.
    pub lua: Lua,
    state: Table,
    streams: Rc<RefCell<RandomStreams>>,
    run_fn: Function,
    answer_fn: Function,
}

impl BareHost {
    /// Loads the files of a game. The registry supplies the checked definitions: fields with
    /// defaults and whole ids. Loading is not measured.
    pub fn load(content: &RunContent, registry: &Registry) -> Self {
        let lua = Lua::new();
        let streams = Rc::new(RefCell::new(RandomStreams::new(0)));
        let game = content.mods.game().id().to_owned();
        let chunk = lua.load(include_str!("host.luau")).set_compiler(compiler());
        // The names are in the globals themselves, where Luau finds them when it loads a file.
        let globals = lua.globals();
        let host: Table = chunk.call((native_functions(&lua, &streams), game, &globals)).unwrap();
        let bodies_by_kind: Table = host.get("bodies").unwrap();
        let declare_kind: Function = host.get("declare_kind").unwrap();
        registry.kinds().for_each(|kind| declare_kind.call::<()>(&*kind.name).unwrap());
        globals.set_safeenv(true);
        for source in &content.mods.mods {
            define_require(&lua, &globals, source);
            for (path, text) in source.scripts_in_load_order() {
                let file =
                    lua.load(&text[..]).set_name(format!("={path}")).set_compiler(compiler());
                file.exec().unwrap();
            }
        }
        let fill_definition: Function = host.get("fill").unwrap();
        for kind in registry.kinds() {
            let kind_bodies: Table = bodies_by_kind.get(&*kind.name).unwrap();
            for definition in registry.all_definitions(&kind.name) {
                let body: LuaValue = kind_bodies.get(definition.id.name()).unwrap();
                let definition_table = lua.create_table().unwrap();
                for (name, datum) in &definition.fields {
                    let script_value = match &body {
                        LuaValue::Table(body) => body.get(&**name).unwrap(),
                        other => other.clone(),
                    };
                    definition_table
                        .set(&**name, datum_to_lua(&lua, datum, &script_value))
                        .unwrap();
                }
                definition_table.set("id", definition.id.as_str()).unwrap();
                definition_table.set_readonly(true);
                fill_definition
                    .call::<()>((&*kind.name, definition.id.as_str(), definition_table))
                    .unwrap();
            }
        }
        let get_function = |name| host.get::<Function>(name).unwrap();
        let state = globals.get("state").unwrap();
        Self { lua, state, streams, run_fn: get_function("run"), answer_fn: get_function("take") }
    }

    /// The table that is the state here.
    pub fn state(&self) -> Table {
        self.state.clone()
    }

    /// Begins a run.
    pub fn begin_run(&self, seed: u64, options: &Value, with_view: bool) {
        *self.streams.borrow_mut() = RandomStreams::new(seed);
        self.run_fn.call((plain_data_to_lua(&self.lua, options), with_view)).unwrap()
    }

    /// Takes an answer to its end: the handler, the next prompt, and the view if someone observes
    /// it. Returns how the run ended, if it did.
    pub fn submit_answer(&self, input: &Input, with_view: bool) -> Option<Table> {
        let (input_kind, answer) = match input {
            Input::Choice(id) => ("choice", Value::text(id)),
            Input::Choices(ids) => ("ids", Value::List(ids.iter().map(Value::text).collect())),
            Input::Number(number) => ("number", Value::Int(*number)),
            Input::Text(text) => ("text", Value::text(text)),
        };
        self.answer_fn.call((input_kind, plain_data_to_lua(&self.lua, &answer), with_view)).unwrap()
    }
}

/// Compiles like the engine, but with all of Luau's fast paths.
pub fn compiler() -> Compiler {
    Compiler::new().set_optimization_level(1).set_debug_level(1)
}

fn define_require(lua: &Lua, globals: &Table, source: &mods::ModSource) {
    let files = source.files.clone();
    let loaded_files = lua.create_table().unwrap();
    let load_module = move |lua: &Lua, name: String| -> mlua::Result<LuaValue> {
        if let Some(value) = loaded_files.get::<Option<LuaValue>>(&*name)? {
            return Ok(value);
        }
        let (path, text) = files
            .iter()
            .find(|(path, _)| path.trim_end_matches(".luau") == name)
            .ok_or_else(|| mlua::Error::runtime("no such file"))?;
        let file = lua.load(&text[..]).set_name(format!("={path}")).set_compiler(compiler());
        let value: LuaValue = file.call(())?;
        loaded_files.set(&*name, &value)?;
        Ok(value)
    };
    globals.raw_set("require", lua.create_function(load_module).unwrap()).unwrap();
}

/// The dice of the engine, so that both hosts play the same run.
fn native_functions(lua: &Lua, streams: &Rc<RefCell<RandomStreams>>) -> Table {
    let definition_table = lua.create_table().unwrap();
    let dice = Rc::clone(streams);
    let draw =
        move |_: &Lua, (stream, sides): (String, u32)| Ok(dice.borrow_mut().draw(&stream, sides));
    definition_table.set("draw", lua.create_function(draw).unwrap()).unwrap();
    let dice = Rc::clone(streams);
    let shuffle = move |_: &Lua, (stream, count): (String, usize)| {
        let indices = shuffled_indices(count, &mut |sides| dice.borrow_mut().draw(&stream, sides));
        Ok(indices.into_iter().map(|index| index + 1).collect::<Vec<_>>())
    };
    definition_table.set("shuffled", lua.create_function(shuffle).unwrap()).unwrap();
    let dice = Rc::clone(streams);
    let parsed_rolls = RefCell::new(std::collections::BTreeMap::new());
    let roll_fn = move |_: &Lua, (notation, stream): (String, String)| {
        let mut parsed_rolls = parsed_rolls.borrow_mut();
        let expr =
            parsed_rolls.entry(notation.clone()).or_insert_with(|| parse_roll(&notation).unwrap());
        let roll_result = roll(expr, &mut |sides| dice.borrow_mut().draw(&stream, sides));
        let faces: Vec<u32> = roll_result.dice.iter().map(|die| die.face).collect();
        Ok((roll_result.total, roll_result.natural, faces))
    };
    definition_table.set("roll", lua.create_function(roll_fn).unwrap()).unwrap();
    let outcomes = move |lua: &Lua, notation: String| {
        let list = lua.create_table()?;
        for outcome in count_roll_outcomes(&parse_roll(&notation).unwrap()).unwrap() {
            let outcome_table = lua.create_table()?;
            outcome_table.set("total", outcome.total)?;
            outcome_table.set("natural", outcome.natural)?;
            outcome_table.set("cases", outcome.case_count)?;
            list.push(outcome_table)?;
        }
        Ok(list)
    };
    definition_table.set("outcomes", lua.create_function(outcomes).unwrap()).unwrap();
    definition_table
}

/// A datum as a Lua value; its functions are those of the file at the same position.
fn datum_to_lua(lua: &Lua, datum: &Datum, script_value: &LuaValue) -> LuaValue {
    let child_value = |key: LuaValue| match script_value {
        LuaValue::Table(definition_table) => definition_table.get(key).unwrap(),
        _ => LuaValue::Nil,
    };
    match datum {
        Datum::Fn(_) => script_value.clone(),
        Datum::List(list) => {
            let definition_table = lua.create_table().unwrap();
            for (index, item) in list.iter().enumerate() {
                definition_table
                    .push(datum_to_lua(
                        lua,
                        item,
                        &child_value(LuaValue::Integer(index as i64 + 1)),
                    ))
                    .unwrap();
            }
            definition_table.set_readonly(true);
            LuaValue::Table(definition_table)
        }
        Datum::Map(map) => {
            let definition_table = lua.create_table().unwrap();
            for (name, item) in map {
                let key = LuaValue::String(lua.create_string(name.as_bytes()).unwrap());
                definition_table.set(&**name, datum_to_lua(lua, item, &child_value(key))).unwrap();
            }
            definition_table.set_readonly(true);
            LuaValue::Table(definition_table)
        }
        scalar => plain_data_to_lua(lua, &scalar.to_value().unwrap()),
    }
}

/// Plain data as Lua.
fn plain_data_to_lua(lua: &Lua, value: &Value) -> LuaValue {
    match value {
        Value::Bool(value_bool) => LuaValue::Boolean(*value_bool),
        Value::Int(int) => LuaValue::Integer(*int),
        Value::Num(number) => LuaValue::Number(*number),
        Value::Text(text) => LuaValue::String(lua.create_string(text.as_bytes()).unwrap()),
        Value::List(list) => {
            let items = list.iter().map(|item| plain_data_to_lua(lua, item));
            LuaValue::Table(lua.create_sequence_from(items).unwrap())
        }
        Value::Map(map) => {
            let pairs = map.iter().map(|(name, item)| (&**name, plain_data_to_lua(lua, item)));
            LuaValue::Table(lua.create_table_from(pairs).unwrap())
        }
    }
}
