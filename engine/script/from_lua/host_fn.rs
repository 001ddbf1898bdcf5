//! Host functions: each `host_fn!` describes one name for scripts: when it is available, its
//! parameters, its result and its doc. The function, its checks, the reference and the editor types
//! all come from it.

use mlua::ExternalError as _;
use std::rc::Rc;

use mlua::{FromLua, Function, Lua, Table, Value};

use crate::diagnostics::error;
use crate::host::Host;
use crate::host::phase::Availability;
use crate::source_text::describe_value::describe_lua_value;
use crate::source_text::operator_hints;
use base::{Code, Problem};
use luau::{CallError, LuaType, Stack, StackIndex};

/// A name that the host provides.
#[derive(Clone, Copy, Debug)]
pub struct HostFn {
    /// The name.
    pub name: &'static str,
    /// When it may be used.
    pub availability: Availability,
    /// Its parameters: names with their Luau types. `None` if it is not a function.
    pub params: Option<&'static [(&'static str, &'static str)]>,
    /// The type of its result, or of the value.
    pub returns: &'static str,
    /// Its doc.
    pub doc: &'static str,
}

impl HostFn {
    /// The Luau signature; for a value, `: ` and its type.
    pub fn signature(&self) -> String {
        let Some(params) = self.params else { return format!(": {}", self.returns) };
        let param_texts: Vec<String> =
            params.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let mentions_t =
            |ty: &str| ty.split(|c: char| !c.is_alphanumeric()).any(|word| word == "T");
        let generic = if params.iter().any(|(_, ty)| mentions_t(ty)) { "<T>" } else { "" };
        format!("{generic}({}): {}", param_texts.join(", "), self.returns)
    }
}

/// Registers host functions while a VM is created.
pub(crate) struct HostFnRegistry<'a> {
    pub(crate) lua: &'a Lua,
    pub(crate) host: &'a Rc<Host>,
    /// The table that every mod will see.
    pub(crate) base_table: &'a Table,
    /// All names so far, in order.
    functions: Vec<HostFn>,
    upvalues: (Table, Table, Function, Table),
}

impl<'a> HostFnRegistry<'a> {
    /// An empty registration.
    pub(crate) fn new(lua: &'a Lua, host: &'a Rc<Host>, base: &'a Table) -> mlua::Result<Self> {
        let error_wrapper =
            luau::create_typed_function(lua, |lua, error| Ok(error::attach_traceback(lua, error)))?;
        let index_function =
            host.create_typed_function(lua, |host, _, (_, key): (Value, Value)| {
                if key.as_string().is_some_and(|key| key.as_bytes() == b"dice") {
                    host.call_scope.judge_needs_dice.set(true);
                    return Err(Problem::error(
                        Code::BadRoll,
                        "the judge gets the dice in the next call",
                    )
                    .into_lua_err());
                }
                Ok(Value::Nil)
            })?;
        let hidden_metatable = lua.create_table()?;
        hidden_metatable.raw_set("__index", index_function)?;
        hidden_metatable.raw_set("__metatable", false)?;
        let tables =
            (host.call_scope.proxies(lua)?.clone(), host.hook_table.lua_table(lua)?.clone());
        let shared_upvalues = (tables.0, tables.1, error_wrapper, hidden_metatable);
        Ok(Self { lua, host, base_table: base, functions: Vec::new(), upvalues: shared_upvalues })
    }

    /// Documents a name that is provided elsewhere.
    pub(crate) fn add_documentation(&mut self, description: HostFn) {
        self.functions.push(description);
    }

    /// All names, in order.
    pub(crate) fn into_functions(self) -> Vec<HostFn> {
        self.functions
    }

    /// Registers a function. Use `host_fn!`, which keeps description and body in agreement.
    pub(crate) fn register_function<F>(&mut self, description: HostFn, body: F) -> mlua::Result<()>
    where
        F: Fn(&HostCall<'_>) -> Result<StackIndex, CallError> + 'static,
    {
        let HostFn { name, availability: allowed_when, .. } = description;
        let host = self.host.clone();
        let function =
            luau::create_stack_function(self.lua, None, self.upvalues.clone(), move |stack| {
                let call = HostCall { stack, host: &host, name };
                let result = host
                    .check_function_allowed(allowed_when, name)
                    .map_err(CallError::from)
                    .and_then(|()| body(&call));
                let check_paid = || host.check_fuel_budget().map_err(CallError::from);
                result
                    .and_then(|count| check_paid().map(|()| count))
                    .map_err(|call_error| host.add_caller_location(call_error))
            })?;
        self.base_table.raw_set(name, function)?;
        self.functions.push(description);
        Ok(())
    }

    /// Registers a value that is not a function.
    pub(crate) fn register_value(
        &mut self,
        (name, allowed_when): (&'static str, Availability),
        luau_type: &'static str,
        doc: &'static str,
        value: impl mlua::IntoLua,
    ) -> mlua::Result<()> {
        self.functions.push(HostFn {
            name,
            availability: allowed_when,
            params: None,
            returns: luau_type,
            doc,
        });
        self.base_table.raw_set(name, value)
    }
}

/// A call of a host function.
pub(crate) struct HostCall<'c> {
    /// Its arguments, and room to work.
    pub(crate) stack: Stack<'c>,
    pub(crate) host: &'c Rc<Host>,
    pub(crate) name: &'static str,
}

impl<'c> HostCall<'c> {
    pub(crate) fn lua(&self) -> Lua {
        self.host.lua()
    }

    /// An argument.
    pub(crate) fn read_argument<P: HostFnParam>(
        &self,
        index: StackIndex,
    ) -> mlua::Result<P::Value<'c>> {
        P::read_argument(self, index)
    }

    /// The Problem of an argument with a wrong type.
    pub(crate) fn wrong_argument_error(&self, index: StackIndex, expected: &str) -> mlua::Error {
        let value: mlua::Result<Value> = self.stack.read_value(&self.lua(), index);
        let is_nil = matches!(value, Ok(Value::Nil)) && index <= self.stack.top();
        let value_text =
            value.map_or_else(|_| "something".to_owned(), |given| describe_lua_value(&given));
        let problem = Problem::error(Code::WrongType, format!("{} got {value_text}", self.name));
        let problem = problem.expected(expected);
        if !is_nil {
            return problem.into_lua_err();
        }
        let name = self.name;
        let explain_argument = move |problem: Problem| {
            let line = problem.place.as_ref().and_then(|place| place.excerpt.as_deref());
            let hint =
                line.and_then(|line| operator_hints::argument_hint(name, index as usize, line));
            problem.with_optional_hint(hint)
        };
        problem.explain_later(move |problem, _| explain_argument(problem)).into_lua_err()
    }
}

/// A type of parameter, and its Luau type.
pub(crate) trait HostFnParam {
    /// What the body receives.
    type Value<'c>;
    /// The Luau type.
    const LUAU_TYPE: &'static str;

    /// Reads the argument at an index, or reports what is wrong with it.
    fn read_argument<'c>(call: &HostCall<'c>, index: StackIndex) -> mlua::Result<Self::Value<'c>>;
}

macro_rules! mlua_params {
    ($($of:ty: $luau:literal),* $(,)?) => {
        $(impl HostFnParam for $of {
            type Value<'c> = Self;
            const LUAU_TYPE: &'static str = $luau;

            fn read_argument<'c>(call: &HostCall<'c>, index: StackIndex) -> mlua::Result<Self> {
                read_mlua_argument(call, index)
            }
        })*
    };
}

mlua_params! {
    Value: "any", String: "string", Function: "(...any) -> ...any", Table: "{ [any]: any }",
}

fn read_mlua_argument<V: FromLua>(call: &HostCall<'_>, index: StackIndex) -> mlua::Result<V> {
    call.stack.read_value(&call.lua(), index).map_err(|error| mlua::Error::BadArgument {
        to: Some(call.name.to_owned()),
        pos: index as usize,
        name: None,
        cause: error.into(),
    })
}

/// Text parameters, each with what its message expects.
macro_rules! text_params {
    ($($(#[$doc:meta])* $name:ident: $expected:literal,)*) => {
        $($(#[$doc])*
        pub(crate) struct $name;

        impl HostFnParam for $name {
            type Value<'c> = &'c str;
            const LUAU_TYPE: &'static str = "string";

            fn read_argument<'c>(call: &HostCall<'c>, index: StackIndex) -> mlua::Result<&'c str> {
                call.stack.text(index).ok_or_else(|| call.wrong_argument_error(index, $expected))
            }
        })*
    };
}

text_params! {
    SceneId: "the id of a scene",
    StageId: "the id of a stage",
    /// A stream of dice.
    StreamName: "the name of a stream, such as \"loot\"",
    /// Dice notation.
    NotationText: "a roll, such as \"d20+3\"",
    EventName: "the name of an event",
}

/// A text to show.
pub(crate) struct Utf8Text;

impl HostFnParam for Utf8Text {
    type Value<'c> = &'c str;
    const LUAU_TYPE: &'static str = "string";

    fn read_argument<'c>(call: &HostCall<'c>, index: StackIndex) -> mlua::Result<&'c str> {
        match call.stack.text_bytes(index) {
            None => Err(call.wrong_argument_error(index, "a text")),
            Some(bytes) => std::str::from_utf8(bytes).map_err(|_| {
                let message = format!("{} got an invalid text", call.name);
                Problem::error(Code::BadText, message)
                    .expected("a text in UTF-8")
                    .hint("string.sub can cut a character in two: find positions with utf8.offset")
                    .into_lua_err()
            }),
        }
    }
}

/// The values for the marks of a text: the index of a table, of userdata, or of nil.
pub(crate) struct PlaceholderValues;

impl HostFnParam for PlaceholderValues {
    type Value<'c> = StackIndex;
    const LUAU_TYPE: &'static str = "Values?";

    fn read_argument<'c>(call: &HostCall<'c>, index: StackIndex) -> mlua::Result<StackIndex> {
        if matches!(call.stack.lua_type(index), LuaType::Nil | LuaType::Table | LuaType::Userdata) {
            return Ok(index);
        }
        let value: Value = call.stack.read_value(&call.lua(), index)?;
        let message = format!(
            "{} got {} as the values for the marks of its text",
            call.name,
            describe_lua_value(&value)
        );
        Err(Problem::error(Code::WrongType, message)
            .expected("a table with a value for each mark, such as { name = \"Ada\" }")
            .into_lua_err())
    }
}

/// The index of an argument that is read in place.
pub(crate) struct AnyArgumentIndex;

impl HostFnParam for AnyArgumentIndex {
    type Value<'c> = StackIndex;
    const LUAU_TYPE: &'static str = "any";

    fn read_argument<'c>(_: &HostCall<'c>, index: StackIndex) -> mlua::Result<StackIndex> {
        Ok(index)
    }
}

/// The result of a function.
pub(crate) trait PushResult {
    /// Pushes it; returns the number of values.
    fn push_result(self, call: &HostCall<'_>) -> mlua::Result<StackIndex>;
}

/// The number of values that the body has pushed itself.
pub(crate) struct PushedValueCount(pub(crate) StackIndex);

impl PushResult for PushedValueCount {
    fn push_result(self, _: &HostCall<'_>) -> mlua::Result<StackIndex> {
        Ok(self.0)
    }
}

impl PushResult for () {
    fn push_result(self, _: &HostCall<'_>) -> mlua::Result<StackIndex> {
        Ok(0)
    }
}

impl PushResult for bool {
    fn push_result(self, call: &HostCall<'_>) -> mlua::Result<StackIndex> {
        call.stack.push_bool(self);
        Ok(1)
    }
}

macro_rules! push_mlua_results {
    ($($of:ty),*) => {
        $(impl PushResult for $of {
            fn push_result(self, call: &HostCall<'_>) -> mlua::Result<StackIndex> {
                call.stack.push_values(&call.lua(), self)
            }
        })*
    };
}

push_mlua_results!(Value, String, Table, Function, mlua::AnyUserData);

/// Registers a host function:
/// `host_fn!(api, Writing "go"(scene: SceneId) -> "()", "Its doc.", |call| body)`. The body returns
/// a result of what the script receives.
macro_rules! host_fn {
    (
        $api:expr, $when:ident $name:literal (
            $($arg:ident: $of:ty $(as $luau:literal)?),* $(,)?
        ) -> $gives:literal, $doc:literal, |$call:ident| $body:expr
    ) => {{
        const ROW: $crate::from_lua::host_fn::HostFn = $crate::from_lua::host_fn::HostFn {
            name: $name,
            availability: $crate::host::phase::Availability::$when,
            params: Some(&[$((stringify!($arg), $crate::from_lua::host_fn::host_fn!(@luau $of $(, $luau)?))),*]),
            returns: $gives,
            doc: $doc,
        };
        $api.register_function(ROW, move |$call| {
            #[allow(unused_mut, unused_variables)]
            let mut argument_index = 0;
            $(argument_index += 1; let $arg = $call.read_argument::<$of>(argument_index)?;)*
            // Charges for the arguments before anything is done with them.
            $call.host.check_fuel_budget()?;
            let result = $body?;
            Ok($crate::from_lua::host_fn::PushResult::push_result(result, $call)?)
        })
    }};
    (@luau $of:ty) => { <$of as $crate::from_lua::host_fn::HostFnParam>::LUAU_TYPE };
    (@luau $of:ty, $luau:literal) => { $luau };
}

pub(crate) use host_fn;
