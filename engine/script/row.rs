//! Rows: each names one thing that scripts see of the host, once: its name, when it may be used, what
//! it takes and gives, what it is for. The call, its checks, the reference and an editor's types all
//! come from the row.

use std::rc::Rc;

use mlua::{FromLua, Function, Lua, Table, Value};

use super::error;
use super::host::Host;
use super::operands;
use super::phase::When;
use super::words::found;
use crate::kit::Problem;
use crate::luau::{self, At, Fault, Kind, Stack};

/// A name of the host's.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name.
    pub name: &'static str,
    /// When it may be used.
    pub when: When,
    /// What it takes: names with their types as Luau writes them. Nothing for what is no function.
    pub takes: Option<&'static [(&'static str, &'static str)]>,
    /// The type of what it gives, or of what it is.
    pub gives: &'static str,
    /// What it is for.
    pub doc: &'static str,
}

impl Row {
    /// What it takes and gives, as Luau declares it; for what is no function, `: ` and its type.
    pub fn signature(&self) -> String {
        let Some(takes) = self.takes else { return format!(": {}", self.gives) };
        let named: Vec<String> = takes.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let is_t = |ty: &str| ty.split(|c: char| !c.is_alphanumeric()).any(|word| word == "T");
        let generic = if takes.iter().any(|(_, ty)| is_t(ty)) { "<T>" } else { "" };
        format!("{generic}({}): {}", named.join(", "), self.gives)
    }
}

/// What every function of the host finds beside its arguments: the proxies there are, the hooks by their
/// moments, and what makes an error one that may go up.
pub(crate) const PROXIES: At = luau::with(1);
pub(crate) const MOMENTS: At = luau::with(2);
pub(crate) const CARRY_UP: At = luau::with(3);
/// The rules of the parts of a roll whose dice are not looked at one by one.
pub(crate) const UNSEEN: At = luau::with(4);

/// Where rows are put while a VM is made.
pub(crate) struct Api<'a> {
    pub(crate) lua: &'a Lua,
    pub(crate) host: &'a Rc<Host>,
    /// What every mod will see.
    pub(crate) base: &'a Table,
    /// All rows so far, in order.
    rows: Vec<Row>,
    beside: (Table, Table, Function, Table),
}

impl<'a> Api<'a> {
    /// Nothing is there yet.
    pub(crate) fn new(lua: &'a Lua, host: &'a Rc<Host>, base: &'a Table) -> mlua::Result<Self> {
        let carry = luau::function(lua, |lua, error| Ok(error::carried(lua, error)))?;
        let index = host.function(lua, |host, _, (_, key): (Value, Value)| {
            if key.as_string().is_some_and(|key| key.as_bytes() == b"dice") {
                host.scope.wants_dice.set(true);
                return Err(Problem::error("bad-roll", "the judge is shown the dice next").into());
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

    /// Tells of a name that is put there by others.
    pub(crate) fn tell(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// All rows, in order.
    pub(crate) fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    /// Puts a function there. Use it through `row!`, which makes row and body agree.
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

    /// Puts something there that is no function.
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

/// A function of the host that is being called.
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

    /// The Problem of an argument that is something else.
    pub(crate) fn wrong(&self, at: At, expected: &str) -> mlua::Error {
        let given: mlua::Result<Value> = self.stack.take(&self.lua(), at);
        let nothing = matches!(given, Ok(Value::Nil)) && at <= self.stack.top();
        let given = given.map_or_else(|_| "something".to_owned(), |given| found(&given));
        let problem = Problem::error("wrong-type", format!("{} was given {given}", self.name));
        let place = self.host.place_of_caller(&self.lua());
        let line = place.excerpt.as_deref().filter(|_| nothing);
        let nil = line.and_then(|line| operands::given(self.name, at as usize, line));
        problem.expected(expected).maybe_hint(nil).into()
    }
}

/// What a function may take, and how Luau writes it.
pub(crate) trait Param {
    /// What the body is handed.
    type Of<'c>;
    /// The type.
    const LUAU: &'static str;

    /// Reads the argument at a place, or says what is wrong with it.
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

/// Texts, each with what a script is told that gave something else.
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
    /// Dice in writing.
    Notation: "a roll, such as \"d20+3\"",
    MomentName: "the name of a moment",
}

/// A text that is told.
pub(crate) struct Text;

impl Param for Text {
    type Of<'c> = &'c str;
    const LUAU: &'static str = "string";

    fn take<'c>(call: &Call<'c>, at: At) -> mlua::Result<&'c str> {
        match call.stack.bytes(at) {
            None => Err(call.wrong(at, "a text")),
            Some(bytes) => std::str::from_utf8(bytes).map_err(|_| {
                let found = format!("{} was given a broken text", call.name);
                Problem::error("bad-text", found).expected("a text in UTF-8").into()
            }),
        }
    }
}

/// What fills the marks of a text: the place of a table of whatever sort, or of nothing.
pub(crate) struct Values;

impl Param for Values {
    type Of<'c> = At;
    const LUAU: &'static str = "Values?";

    fn take<'c>(call: &Call<'c>, at: At) -> mlua::Result<At> {
        if matches!(call.stack.kind(at), Kind::Nil | Kind::Table | Kind::Host) {
            return Ok(at);
        }
        let given: Value = call.stack.take(&call.lua(), at)?;
        let found = format!("{} was given {} beside its text", call.name, found(&given));
        Err(Problem::error("wrong-type", found).expected("a table of named values").into())
    }
}

/// The place of an argument that is looked at where it lies.
pub(crate) struct Anything;

impl Param for Anything {
    type Of<'c> = At;
    const LUAU: &'static str = "any";

    fn take<'c>(_: &Call<'c>, at: At) -> mlua::Result<At> {
        Ok(at)
    }
}

/// What a function gives back.
pub(crate) trait Give {
    /// Pushes it; says how many values that were.
    fn give(self, call: &Call<'_>) -> mlua::Result<At>;
}

/// So many values that the body has pushed itself.
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

/// Puts a function of the host into the base: `row!(api, Acting "go"(scene: SceneId) -> "()", "What it
/// is for.", |call| body)`. The body gives a result of what the script is given.
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
            // What it was given is paid for before anything is done with it.
            $call.host.paid()?;
            let given = $body?;
            Ok($crate::script::row::Give::give(given, $call)?)
        })
    }};
    (@luau $of:ty) => { <$of as $crate::script::row::Param>::LUAU };
    (@luau $of:ty, $luau:literal) => { $luau };
}

pub(crate) use row;
