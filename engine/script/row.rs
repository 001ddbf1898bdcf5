//! Host functions: each `host_fn!` describes one name for scripts: when it is available, its
//! parameters, its result and its doc. The function, its checks, the reference and the editor types
//! all come from it.

use std::rc::Rc;

use mlua::{FromLua, Function, Lua, Table, Value};

use super::error;
use super::host::Host;
use super::operands;
use super::phase::When;
use super::words::found;
use crate::kit::Problem;
use crate::luau::{self, At, Fault, Kind, Stack};

/// A name that the host provides.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name.
    pub name: &'static str,
    /// When it may be used.
    pub when: When,
    /// Its parameters: names with their Luau types. `None` if it is not a function.
    pub takes: Option<&'static [(&'static str, &'static str)]>,
    /// The type of its result, or of the value.
    pub gives: &'static str,
    /// Its doc.
    pub doc: &'static str,
}

impl Row {
    /// The Luau signature; for a value, `: ` and its type.
    pub fn signature(&self) -> String {
        let Some(takes) = self.takes else { return format!(": {}", self.gives) };
        let named: Vec<String> = takes.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let is_t = |ty: &str| ty.split(|c: char| !c.is_alphanumeric()).any(|word| word == "T");
        let generic = if takes.iter().any(|(_, ty)| is_t(ty)) { "<T>" } else { "" };
        format!("{generic}({}): {}", named.join(", "), self.gives)
    }
}

/// Upvalues of every host function: the proxies, the hooks by event, and the handler that converts
/// errors.
pub(crate) const PROXIES: At = luau::with(1);
pub(crate) const MOMENTS: At = luau::with(2);
pub(crate) const CARRY_UP: At = luau::with(3);
/// The metatable of the parts of a roll whose dice are not enumerated.
pub(crate) const UNSEEN: At = luau::with(4);

/// Registers host functions while a VM is created.
pub(crate) struct Api<'a> {
    pub(crate) lua: &'a Lua,
    pub(crate) host: &'a Rc<Host>,
    /// The table that every mod will see.
    pub(crate) base: &'a Table,
    /// All names so far, in order.
    rows: Vec<Row>,
    beside: (Table, Table, Function, Table),
}

impl<'a> Api<'a> {
    /// An empty registration.
    pub(crate) fn new(lua: &'a Lua, host: &'a Rc<Host>, base: &'a Table) -> mlua::Result<Self> {
        let carry = luau::function(lua, |lua, error| Ok(error::carried(lua, error)))?;
        let index = host.function(lua, |host, _, (_, key): (Value, Value)| {
            if key.as_string().is_some_and(|key| key.as_bytes() == b"dice") {
                host.scope.wants_dice.set(true);
                return Err(
                    Problem::error("bad-roll", "the judge gets the dice in the next call").into()
                );
            }
            Ok(Value::Nil)
        })?;
        let unseen = lua.create_table()?;
        unseen.raw_set("__index", index)?;
        unseen.raw_set("__metatable", false)?;
        let tables = (host.scope.proxies(lua)?.clone(), host.hooks.table(lua)?.clone());
        let beside = (tables.0, tables.1, carry, unseen);
        Ok(Self { lua, host, base, rows: Vec::new(), beside })
    }

    /// Documents a name that is provided elsewhere.
    pub(crate) fn tell(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// All names, in order.
    pub(crate) fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    /// Registers a function. Use `host_fn!`, which keeps description and body in agreement.
    pub(crate) fn function<F>(&mut self, row: Row, body: F) -> mlua::Result<()>
    where
        F: Fn(&Call<'_>) -> Result<At, Fault> + 'static,
    {
        let Row { name, when, .. } = row;
        let host = self.host.clone();
        let function = luau::make(self.lua, None, self.beside.clone(), move |stack| {
            let call = Call { stack, host: &host, name };
            let done = host.allows(when, name).map_err(Fault::from).and_then(|()| body(&call));
            let paid = || host.paid().map_err(Fault::from);
            done.and_then(|done| paid().map(|()| done)).map_err(|fault| host.placed(fault))
        })?;
        self.base.raw_set(name, function)?;
        self.rows.push(row);
        Ok(())
    }

    /// Registers a value that is not a function.
    pub(crate) fn value(
        &mut self,
        (name, when): (&'static str, When),
        gives: &'static str,
        doc: &'static str,
        value: impl mlua::IntoLua,
    ) -> mlua::Result<()> {
        self.rows.push(Row { name, when, takes: None, gives, doc });
        self.base.raw_set(name, value)
    }
}

/// A call of a host function.
pub(crate) struct Call<'c> {
    /// Its arguments, and room to work.
    pub(crate) stack: Stack<'c>,
    pub(crate) host: &'c Rc<Host>,
    pub(crate) name: &'static str,
}

impl<'c> Call<'c> {
    pub(crate) fn lua(&self) -> Lua {
        self.host.lua()
    }

    /// An argument.
    pub(crate) fn take<P: Param>(&self, at: At) -> mlua::Result<P::Of<'c>> {
        P::take(self, at)
    }

    /// The Problem of an argument with a wrong type.
    pub(crate) fn wrong(&self, at: At, expected: &str) -> mlua::Error {
        let given: mlua::Result<Value> = self.stack.take(&self.lua(), at);
        let nothing = matches!(given, Ok(Value::Nil)) && at <= self.stack.top();
        let given = given.map_or_else(|_| "something".to_owned(), |given| found(&given));
        let problem = Problem::error("wrong-type", format!("{} got {given}", self.name));
        let place = self.host.place_of_caller(&self.lua());
        let line = place.excerpt.as_deref().filter(|_| nothing);
        let nil = line.and_then(|line| operands::given(self.name, at as usize, line));
        problem.expected(expected).maybe_hint(nil).into()
    }
}

/// A type of parameter, and its Luau type.
pub(crate) trait Param {
    /// What the body receives.
    type Of<'c>;
    /// The Luau type.
    const LUAU: &'static str;

    /// Reads the argument at an index, or reports what is wrong with it.
    fn take<'c>(call: &Call<'c>, at: At) -> mlua::Result<Self::Of<'c>>;
}

macro_rules! of_mlua {
    ($($of:ty: $luau:literal),* $(,)?) => {
        $(impl Param for $of {
            type Of<'c> = Self;
            const LUAU: &'static str = $luau;

            fn take<'c>(call: &Call<'c>, at: At) -> mlua::Result<Self> {
                of_mlua(call, at)
            }
        })*
    };
}

of_mlua! {
    Value: "any", String: "string", Function: "(...any) -> ...any", Table: "{ [any]: any }",
}

fn of_mlua<V: FromLua>(call: &Call<'_>, at: At) -> mlua::Result<V> {
    call.stack.take(&call.lua(), at).map_err(|error| mlua::Error::BadArgument {
        to: Some(call.name.to_owned()),
        pos: at as usize,
        name: None,
        cause: error.into(),
    })
}

/// Text parameters, each with what its message expects.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $expected:literal,)*) => {
        $($(#[$doc])*
        pub(crate) struct $name;

        impl Param for $name {
            type Of<'c> = &'c str;
            const LUAU: &'static str = "string";

            fn take<'c>(call: &Call<'c>, at: At) -> mlua::Result<&'c str> {
                call.stack.text(at).ok_or_else(|| call.wrong(at, $expected))
            }
        })*
    };
}

texts! {
    SceneId: "the id of a scene",
    StageId: "the id of a stage",
    /// A stream of dice.
    StreamName: "the name of a stream, such as \"loot\"",
    /// Dice notation.
    Notation: "a roll, such as \"d20+3\"",
    MomentName: "the name of an event",
}

/// A text to show.
pub(crate) struct Text;

impl Param for Text {
    type Of<'c> = &'c str;
    const LUAU: &'static str = "string";

    fn take<'c>(call: &Call<'c>, at: At) -> mlua::Result<&'c str> {
        match call.stack.bytes(at) {
            None => Err(call.wrong(at, "a text")),
            Some(bytes) => std::str::from_utf8(bytes).map_err(|_| {
                let found = format!("{} got an invalid text", call.name);
                Problem::error("bad-text", found).expected("a text in UTF-8").into()
            }),
        }
    }
}

/// The values for the marks of a text: the index of a table, of userdata, or of nil.
pub(crate) struct Values;

impl Param for Values {
    type Of<'c> = At;
    const LUAU: &'static str = "Values?";

    fn take<'c>(call: &Call<'c>, at: At) -> mlua::Result<At> {
        if matches!(call.stack.kind(at), Kind::Nil | Kind::Table | Kind::Host) {
            return Ok(at);
        }
        let given: Value = call.stack.take(&call.lua(), at)?;
        let found = format!("{} got {} as values of its text", call.name, found(&given));
        Err(Problem::error("wrong-type", found).expected("a table of named values").into())
    }
}

/// The index of an argument that is read in place.
pub(crate) struct Anything;

impl Param for Anything {
    type Of<'c> = At;
    const LUAU: &'static str = "any";

    fn take<'c>(_: &Call<'c>, at: At) -> mlua::Result<At> {
        Ok(at)
    }
}

/// The result of a function.
pub(crate) trait Give {
    /// Pushes it; returns the number of values.
    fn give(self, call: &Call<'_>) -> mlua::Result<At>;
}

/// The number of values that the body has pushed itself.
pub(crate) struct Pushed(pub(crate) At);

impl Give for Pushed {
    fn give(self, _: &Call<'_>) -> mlua::Result<At> {
        Ok(self.0)
    }
}

impl Give for () {
    fn give(self, _: &Call<'_>) -> mlua::Result<At> {
        Ok(0)
    }
}

impl Give for bool {
    fn give(self, call: &Call<'_>) -> mlua::Result<At> {
        call.stack.push_truth(self);
        Ok(1)
    }
}

macro_rules! give_mlua {
    ($($of:ty),*) => {
        $(impl Give for $of {
            fn give(self, call: &Call<'_>) -> mlua::Result<At> {
                call.stack.push_all(&call.lua(), self)
            }
        })*
    };
}

give_mlua!(Value, String, Table, Function, mlua::AnyUserData);

/// Registers a host function: `host_fn!(api, Writing "go"(scene: SceneId) -> "()", "Its doc.", |call|
/// body)`. The body returns a result of what the script receives.
macro_rules! row {
    (
        $api:expr, $when:ident $name:literal (
            $($arg:ident: $of:ty $(as $luau:literal)?),* $(,)?
        ) -> $gives:literal, $doc:literal, |$call:ident| $body:expr
    ) => {{
        const ROW: $crate::script::row::Row = $crate::script::row::Row {
            name: $name,
            when: $crate::script::phase::When::$when,
            takes: Some(&[$((stringify!($arg), $crate::script::row::row!(@luau $of $(, $luau)?))),*]),
            gives: $gives,
            doc: $doc,
        };
        $api.function(ROW, move |$call| {
            #[allow(unused_mut, unused_variables)]
            let mut at = 0;
            $(at += 1; let $arg = $call.take::<$of>(at)?;)*
            // Charges for the arguments before anything is done with them.
            $call.host.paid()?;
            let given = $body?;
            Ok($crate::script::row::Give::give(given, $call)?)
        })
    }};
    (@luau $of:ty) => { <$of as $crate::script::row::Param>::LUAU };
    (@luau $of:ty, $luau:literal) => { $luau };
}

pub(crate) use row;
