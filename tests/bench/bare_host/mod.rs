//! The bare host runs the same Lua files on plain Lua tables with the same dice and nothing else.
//! It is the baseline of the engine's benchmarks. It must not be slow itself: `steps` compares its
//! tables with bare mlua, and checks that a descent ends on it as on the engine.

use std::cell::RefCell;
use std::rc::Rc;

use engine::base::Value;
use engine::content::{Datum, Registry};
use engine::dice::{Streams, count_roll_outcomes, parse_roll, roll, shuffled_indices};
use engine::protocol::Input;
use engine::session::Content;
use mlua::chunk::Compiler;
use mlua::{Function, Lua, Table, Value as LuaValue};

/// A VM with a game loaded on the bare host.
pub struct BareHost {
    /// The VM.
    pub lua: Lua,
    state: Table,
    streams: Rc<RefCell<Streams>>,
    run: Function,
    take: Function,
}

impl BareHost {
    /// Loads the files of a game. The registry supplies the checked definitions: fields with
    /// defaults and whole ids. Loading is not measured.
    pub fn load(content: &Content, registry: &Registry) -> Self {
        let lua = Lua::new();
        let streams = Rc::new(RefCell::new(Streams::new(0)));
        let game = content.mods.game().id().to_owned();
        let chunk = lua.load(include_str!("host.luau")).set_compiler(compiler());
        // The names are in the globals themselves, where Luau finds them when it loads a file.
        let names = lua.globals();
        let host: Table = chunk.call((native(&lua, &streams), game, &names)).unwrap();
        let bodies: Table = host.get("bodies").unwrap();
        let declare: Function = host.get("declare_kind").unwrap();
        registry.kinds().for_each(|kind| declare.call::<()>(&*kind.name).unwrap());
        names.set_safeenv(true);
        for source in &content.mods.mods {
            require(&lua, &names, source);
            for (path, text) in source.scripts_in_load_order() {
                let file =
                    lua.load(&text[..]).set_name(format!("={path}")).set_compiler(compiler());
                file.exec().unwrap();
            }
        }
        let fill: Function = host.get("fill").unwrap();
        for kind in registry.kinds() {
            let bodies: Table = bodies.get(&*kind.name).unwrap();
            for definition in registry.all_definitions(&kind.name) {
                let body: LuaValue = bodies.get(definition.id.name()).unwrap();
                let table = lua.create_table().unwrap();
                for (name, datum) in &definition.fields {
                    let given = match &body {
                        LuaValue::Table(body) => body.get(&**name).unwrap(),
                        other => other.clone(),
                    };
                    table.set(&**name, value_of(&lua, datum, &given)).unwrap();
                }
                table.set("id", definition.id.as_str()).unwrap();
                table.set_readonly(true);
                fill.call::<()>((&*kind.name, definition.id.as_str(), table)).unwrap();
            }
        }
        let get = |name| host.get::<Function>(name).unwrap();
        let state = names.get("state").unwrap();
        Self { lua, state, streams, run: get("run"), take: get("take") }
    }

    /// The table that is the state here.
    pub fn state(&self) -> Table {
        self.state.clone()
    }

    /// Begins a run.
    pub fn begin(&self, seed: u64, options: &Value, looking: bool) {
        *self.streams.borrow_mut() = Streams::new(seed);
        self.run.call((made(&self.lua, options), looking)).unwrap()
    }

    /// Takes an answer to its end: the handler, the next prompt, and the view if someone observes
    /// it. Returns how the run ended, if it did.
    pub fn submit(&self, input: &Input, looking: bool) -> Option<Table> {
        let (sort, answer) = match input {
            Input::Choice(id) => ("choice", Value::text(id)),
            Input::Many(ids) => ("ids", Value::List(ids.iter().map(Value::text).collect())),
            Input::Number(number) => ("number", Value::Int(*number)),
            Input::Text(text) => ("text", Value::text(text)),
        };
        self.take.call((sort, made(&self.lua, &answer), looking)).unwrap()
    }
}

/// Compiles like the engine, but with all of Luau's fast paths.
pub fn compiler() -> Compiler {
    Compiler::new().set_optimization_level(1).set_debug_level(1)
}

fn require(lua: &Lua, names: &Table, source: &engine::mods::ModSource) {
    let files = source.files.clone();
    let known = lua.create_table().unwrap();
    let load = move |lua: &Lua, name: String| -> mlua::Result<LuaValue> {
        if let Some(value) = known.get::<Option<LuaValue>>(&*name)? {
            return Ok(value);
        }
        let (path, text) = files
            .iter()
            .find(|(path, _)| path.trim_end_matches(".luau") == name)
            .ok_or_else(|| mlua::Error::runtime("no such file"))?;
        let file = lua.load(&text[..]).set_name(format!("={path}")).set_compiler(compiler());
        let value: LuaValue = file.call(())?;
        known.set(&*name, &value)?;
        Ok(value)
    };
    names.raw_set("require", lua.create_function(load).unwrap()).unwrap();
}

/// The dice of the engine, so that both hosts play the same run.
fn native(lua: &Lua, streams: &Rc<RefCell<Streams>>) -> Table {
    let table = lua.create_table().unwrap();
    let dice = Rc::clone(streams);
    let draw =
        move |_: &Lua, (stream, sides): (String, u32)| Ok(dice.borrow_mut().draw(&stream, sides));
    table.set("draw", lua.create_function(draw).unwrap()).unwrap();
    let dice = Rc::clone(streams);
    let order = move |_: &Lua, (stream, count): (String, usize)| {
        let order = shuffled_indices(count, &mut |sides| dice.borrow_mut().draw(&stream, sides));
        Ok(order.into_iter().map(|at| at + 1).collect::<Vec<_>>())
    };
    table.set("shuffled", lua.create_function(order).unwrap()).unwrap();
    let dice = Rc::clone(streams);
    let read = RefCell::new(std::collections::BTreeMap::new());
    let rolled = move |_: &Lua, (notation, stream): (String, String)| {
        let mut read = read.borrow_mut();
        let expr = read.entry(notation.clone()).or_insert_with(|| parse_roll(&notation).unwrap());
        let rolled = roll(expr, &mut |sides| dice.borrow_mut().draw(&stream, sides));
        let faces: Vec<u32> = rolled.dice.iter().map(|die| die.face).collect();
        Ok((rolled.total, rolled.natural, faces))
    };
    table.set("roll", lua.create_function(rolled).unwrap()).unwrap();
    let all = move |lua: &Lua, notation: String| {
        let list = lua.create_table()?;
        for outcome in count_roll_outcomes(&parse_roll(&notation).unwrap()).unwrap() {
            let one = lua.create_table()?;
            one.set("total", outcome.total)?;
            one.set("natural", outcome.natural)?;
            one.set("cases", outcome.cases)?;
            list.push(one)?;
        }
        Ok(list)
    };
    table.set("outcomes", lua.create_function(all).unwrap()).unwrap();
    table
}

/// A datum as a Lua value; its functions are those of the file at the same position.
fn value_of(lua: &Lua, datum: &Datum, given: &LuaValue) -> LuaValue {
    let below = |key: LuaValue| match given {
        LuaValue::Table(table) => table.get(key).unwrap(),
        _ => LuaValue::Nil,
    };
    match datum {
        Datum::Fn(_) => given.clone(),
        Datum::List(list) => {
            let table = lua.create_table().unwrap();
            for (at, item) in list.iter().enumerate() {
                table.push(value_of(lua, item, &below(LuaValue::Integer(at as i64 + 1)))).unwrap();
            }
            table.set_readonly(true);
            LuaValue::Table(table)
        }
        Datum::Map(map) => {
            let table = lua.create_table().unwrap();
            for (name, item) in map {
                let key = LuaValue::String(lua.create_string(name.as_bytes()).unwrap());
                table.set(&**name, value_of(lua, item, &below(key))).unwrap();
            }
            table.set_readonly(true);
            LuaValue::Table(table)
        }
        leaf => made(lua, &leaf.to_value().unwrap()),
    }
}

/// Plain data as Lua.
fn made(lua: &Lua, value: &Value) -> LuaValue {
    match value {
        Value::Bool(truth) => LuaValue::Boolean(*truth),
        Value::Int(int) => LuaValue::Integer(*int),
        Value::Num(number) => LuaValue::Number(*number),
        Value::Text(text) => LuaValue::String(lua.create_string(text.as_bytes()).unwrap()),
        Value::List(list) => {
            let items = list.iter().map(|item| made(lua, item));
            LuaValue::Table(lua.create_sequence_from(items).unwrap())
        }
        Value::Map(map) => {
            let pairs = map.iter().map(|(name, item)| (&**name, made(lua, item)));
            LuaValue::Table(lua.create_table_from(pairs).unwrap())
        }
    }
}
