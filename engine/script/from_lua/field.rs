//! `field.…`: the type of a field of a kind. Each is a value that can be called with options:
//! `field.int`, `field.int { min = 0, default = 3, doc = "…" }`.

use mlua::ExternalError as _;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, MetaMethod, Table, UserData, UserDataMethods, Value};

use super::datum;
use super::host_fn::HostFnRegistry;
use crate::diagnostics::missing_names::missing_key_metatable;
use crate::host::Host;
use crate::host::phase::Availability;
use crate::source_text::describe_value::describe_lua_value;
use base::problem::{nearest_name, searched_part};
use base::{Code, Problem};
use content::{Field, FieldList, FieldType, FirstParameter, FunctionSchema};

/// The type of a field, as a script handles it.
pub(super) struct FieldSpec {
    /// Its word: `int`, `one_of`.
    type_word: &'static str,
    /// The field, without a name yet.
    field: Field,
    /// The values that it still needs, for a message.
    missing_argument: Option<&'static str>,
    host: Rc<Host>,
}

impl UserData for FieldSpec {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Call, |lua, spec, options: Value| {
            spec.host
                .check_function_allowed(Availability::Loading, "field")
                .map_err(mlua::Error::external)
                .and_then(|()| match &options {
                    Value::Table(options) => spec.with_options(lua, options),
                    _ => Err(spec.not_a_table_problem(&options).into_lua_err()),
                })
                .map_err(luau::into_counted_error)
        });
        methods.add_meta_method(MetaMethod::ToString, |_, spec, ()| {
            Ok(format!("field.{}", spec.type_word))
        });
    }
}

/// Registers `field`.
pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    let (lua, host) = (api.lua, api.host);
    let table = lua.create_table()?;
    let field_types: [(&'static str, FieldType, Option<&'static str>); 12] = [
        ("text", FieldType::Text, None),
        ("int", FieldType::INT, None),
        ("number", FieldType::Number, None),
        ("bool", FieldType::Bool, None),
        ("fn", FieldType::Fn, None),
        ("any", FieldType::Any, None),
        (
            "one_of",
            FieldType::OneOf(Arc::default()),
            Some("texts: `field.one_of { \"a\", \"b\" }`"),
        ),
        ("ref", FieldType::Any, Some("a kind: `field.ref { \"kind\" }`")),
        ("list", FieldType::Any, Some("a field: `field.list { field.text }`")),
        ("map", FieldType::Any, Some("a field: `field.map { field.int }`")),
        ("either", FieldType::Any, Some("fields: `field.either { field.text, field.bool }`")),
        ("record", FieldType::Any, Some("fields: `field.record { name = field.text }`")),
    ];
    let names = field_types.each_ref().map(|(word, _, _)| *word);
    for (word, ty, missing_text) in field_types {
        let spec = FieldSpec {
            type_word: word,
            field: Field::new("", ty),
            missing_argument: missing_text,
            host: host.clone(),
        };
        table.set(word, spec)?;
    }
    let report_unknown = move |_: &Rc<Host>, _: &Lua, name: &str| {
        let problem = Problem::error(Code::UnknownName, format!("there is no `field.{name}`"))
            .expected(format!("one of {}", names.join(", ")));
        let name = searched_part(name);
        problem.explain_later(move |problem, _| {
            problem.suggest_field("field", nearest_name(&name, names))
        })
    };
    table.set_metatable(Some(missing_key_metatable(lua, host, report_unknown)?))?;
    api.register_value(
        ("field", Availability::Loading),
        "{ text: Field, int: Field, number: Field, bool: Field, fn: Field, any: Field, one_of: Field, ref: Field, list: Field, map: Field, either: Field, record: Field }",
        "The type of a field: `field.int { min = 0, default = 3, doc = \"…\" }`. All take `optional`, `default`, `doc`; `int` takes `min` and `max`, `text` takes `columns`, `one_of` takes `open`. `fn` takes `params` (its parameter: the name of an event, or a table of fields) and `returns` (its result).",
        table,
    )
}

/// The fields of a body, and the `doc` beside them.
pub(super) fn read_fields_and_doc(
    lua: &Lua,
    host: &Host,
    body: &Table,
) -> mlua::Result<(FieldList, String)> {
    let mut options = NamedOptions::new(&["doc"]);
    let fields = read_fields(lua, host, body, &mut options)?;
    Ok((fields, options.text("doc")?))
}

/// The fields among the values of a table, by name, and the options beside them.
fn read_fields(
    lua: &Lua,
    host: &Host,
    table: &Table,
    options: &mut NamedOptions,
) -> mlua::Result<FieldList> {
    let mut fields = Vec::new();
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair?;
        let name = key.as_string().and_then(|key| key.to_str().ok());
        match read_field(lua, host, &value, name.as_deref())? {
            Some(mut field) => {
                let Some(name) = name else {
                    let problem = Problem::error(Code::BadField, "a field has no name")
                        .expected("fields with names: `name = field.text`");
                    return Err(problem.into_lua_err());
                };
                field.name = Arc::from(&*name);
                fields.push(field);
            }
            None => options.insert(&key, &value)?,
        }
    }
    // Tables have no order; names give one.
    fields.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(fields.into())
}

/// The field of a value, if it is a complete one.
pub(super) fn read_field(
    lua: &Lua,
    host: &Host,
    value: &Value,
    name: Option<&str>,
) -> mlua::Result<Option<Field>> {
    let Value::UserData(data) = value else { return Ok(None) };
    let Ok(spec) = data.borrow::<FieldSpec>() else { return Ok(None) };
    if let Some(missing_text) = spec.missing_argument {
        let path: Vec<String> = name.map(str::to_owned).into_iter().collect();
        let problem =
            Problem::error(Code::BadField, format!("`field.{}` is incomplete", spec.type_word))
                .expected(missing_text)
                .at(host.sources.locate_field(&host.place_of_caller(lua), &path));
        return Err(problem.into_lua_err());
    }
    if let Err((message, expected)) = spec.field.ty.check_type_size() {
        let problem = Problem::error(Code::BadField, message).expected(expected);
        return Err(problem.at(host.place_of_caller(lua)).into_lua_err());
    }
    Ok(Some(spec.field.clone()))
}

/// Options beside the values of a table: the known names and the given values.
pub(super) struct NamedOptions {
    known_names: &'static [&'static str],
    values: Vec<(String, Value)>,
}

impl NamedOptions {
    /// Options with these names.
    pub(super) fn new(option_names: &'static [&'static str]) -> Self {
        Self { known_names: option_names, values: Vec::new() }
    }

    /// Stores an option, or reports that there is no such option.
    fn insert(&mut self, key: &Value, value: &Value) -> mlua::Result<()> {
        let name = key.as_string().map(|key| key.to_string_lossy()).unwrap_or_default();
        if self.known_names.contains(&name.as_str()) {
            self.values.push((name, value.clone()));
            return Ok(());
        }
        let key_text =
            if name.is_empty() { "a value without a name".to_owned() } else { format!("`{name}`") };
        let problem = Problem::error(
            Code::BadField,
            format!("{key_text} is neither a field nor a known key"),
        )
        .expected(match self.known_names {
            [] => "`field.…`".to_owned(),
            names => format!("`field.…`, or one of {}", names.join(", ")),
        });
        let (name, known_names) = (searched_part(&name), self.known_names);
        let suggest_option = move |problem: Problem| {
            let near = nearest_name(&name, known_names.iter().copied());
            problem.with_optional_hint(near.map(|near| format!("did you mean `{near}`?")))
        };
        Err(problem.explain_later(move |problem, _| suggest_option(problem)).into_lua_err())
    }

    /// The option of that name.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|(option_name, _)| option_name == name).map(|(_, value)| value)
    }

    /// The text of an option; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> mlua::Result<String> {
        match self.get(name) {
            None => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.to_string_lossy()),
            Some(_) => Err(wrong_option_error(name, "a text")),
        }
    }

    fn read_bool(&self, name: &str) -> mlua::Result<Option<bool>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Boolean(truth)) => Ok(Some(*truth)),
            Some(_) => Err(wrong_option_error(name, "true or false")),
        }
    }

    fn read_int(&self, name: &str) -> mlua::Result<Option<i64>> {
        match self.get(name).map(|value| (value, datum::number_of_value(value))) {
            None => Ok(None),
            Some((_, Some(number))) if number == number.trunc() => Ok(Some(number as i64)),
            Some(_) => Err(wrong_option_error(name, "a whole number")),
        }
    }
}

/// The parameters of a function: an event, or a table of fields.
fn read_params(
    lua: &Lua,
    host: &Host,
    options: &NamedOptions,
) -> mlua::Result<Option<FirstParameter>> {
    Ok(Some(match options.get("params") {
        None => return Ok(None),
        Some(Value::String(event_name)) => {
            FirstParameter::Event(Arc::from(event_name.to_string_lossy()))
        }
        Some(Value::Table(fields)) => {
            FirstParameter::Fields(read_fields(lua, host, fields, &mut NamedOptions::new(&[]))?)
        }
        Some(_) => {
            let expected = "the name of an event, or a table of fields";
            return Err(wrong_option_error("params", expected));
        }
    }))
}

/// The result of a function.
fn read_returns(lua: &Lua, host: &Host, options: &NamedOptions) -> mlua::Result<Option<Field>> {
    let Some(value) = options.get("returns") else { return Ok(None) };
    let field = read_field(lua, host, value, Some("returns"))?;
    field
        .map(Some)
        .ok_or_else(|| wrong_option_error("returns", "a field: `field.text { optional = true }`"))
}

fn wrong_option_error(name: &str, expected: &str) -> mlua::Error {
    Problem::error(Code::BadField, format!("`{name}` has a value of the wrong type"))
        .expected(expected)
        .into_lua_err()
}

impl FieldSpec {
    fn not_a_table_problem(&self, value: &Value) -> Problem {
        let word = self.type_word;
        let value_text = match value {
            Value::UserData(_) => "a field".to_owned(),
            other => describe_lua_value(other),
        };
        let expected = self.missing_argument.map_or_else(
            || format!("a table: `field.{word} {{ doc = \"…\" }}`"),
            |missing_text| format!("a table, with {missing_text}"),
        );
        Problem::error(Code::BadField, format!("`field.{word}` got {value_text}"))
            .expected(expected)
            .hint("use braces, with all options of the field inside")
    }

    fn with_options(&self, lua: &Lua, table: &Table) -> mlua::Result<Self> {
        let host = &*self.host;
        let mut field = self.field.clone();
        let mut missing_text = None;
        let option_names: &'static [&'static str] = match self.type_word {
            "int" => &["optional", "default", "doc", "min", "max"],
            "text" => &["optional", "default", "doc", "columns"],
            "one_of" => &["optional", "default", "doc", "open"],
            "fn" => &["optional", "default", "doc", "params", "returns"],
            _ => &["optional", "default", "doc"],
        };
        let mut options = NamedOptions::new(option_names);
        if self.type_word == "record" {
            field.ty = FieldType::Record(read_fields(lua, host, table, &mut options)?);
        } else {
            let mut positional_values = Vec::new();
            for pair in table.pairs::<Value, Value>() {
                match pair? {
                    (key, value) if datum::number_of_value(&key).is_some() => {
                        positional_values.push(value)
                    }
                    (key, value) => options.insert(&key, &value)?,
                }
            }
            missing_text = self.read_positional_values(lua, &positional_values, &mut field)?;
        }
        if self.type_word == "int" && (options.get("min").is_some() || options.get("max").is_some())
        {
            let (min, max) = (options.read_int("min")?, options.read_int("max")?);
            field.ty = FieldType::Int { min, max };
        }
        if let Some(columns) = options.read_int("columns")? {
            let valid_columns = u32::try_from(columns).ok().filter(|columns| *columns > 0);
            let columns_error = || wrong_option_error("columns", "a whole number of 1 or more");
            field.ty = FieldType::SingleLineText(valid_columns.ok_or_else(columns_error)?);
        }
        if let Some(optional) = options.read_bool("optional")? {
            field.is_optional = optional;
        }
        if let (FieldType::OneOf(allowed_texts), Some(is_open)) =
            (&mut field.ty, options.read_bool("open")?)
        {
            Arc::make_mut(allowed_texts).is_open = is_open;
        }
        if let Some(default) = options.get("default") {
            field.default = Some(datum::read_datum(lua, host, default, "default")?);
        }
        let function_schema = FunctionSchema {
            parameter: read_params(lua, host, &options)?,
            result: read_returns(lua, host, &options)?,
        };
        field.function_schema =
            (function_schema != FunctionSchema::default()).then(|| Box::new(function_schema));
        if options.get("doc").is_some() {
            field.doc = options.text("doc")?;
        }
        Ok(Self {
            type_word: self.type_word,
            field,
            missing_argument: missing_text,
            host: self.host.clone(),
        })
    }

    /// Reads the values without names: a kind, texts, or nested fields. Returns what is still
    /// missing.
    fn read_positional_values(
        &self,
        lua: &Lua,
        values: &[Value],
        field: &mut Field,
    ) -> mlua::Result<Option<&'static str>> {
        let host = &*self.host;
        if values.is_empty() {
            return Ok(self.missing_argument);
        }
        let expected = self.positional_hint();
        let wrong_values = || {
            let message = format!("`field.{}` does not take these values", self.type_word);
            Problem::error(Code::BadField, message).expected(expected).into_lua_err()
        };
        let read_text = |value: &Value| value.as_string().map(|text| text.to_string_lossy());
        let read_inner_type = |value: &Value| {
            read_field(lua, host, value, None)?
                .map(|inner_field| inner_field.ty)
                .ok_or_else(wrong_values)
        };
        field.ty = match (self.type_word, values) {
            ("one_of", _) => {
                let words = values.iter().map(read_text).collect::<Option<Vec<_>>>();
                FieldType::one_of(words.ok_or_else(wrong_values)?)
            }
            ("ref", [kind]) => FieldType::Ref(read_text(kind).ok_or_else(wrong_values)?),
            ("list", [inner_value]) => FieldType::list(read_inner_type(inner_value)?),
            ("map", [inner_value]) => FieldType::map(read_inner_type(inner_value)?),
            ("either", _) => {
                let types = values.iter().map(read_inner_type).collect::<mlua::Result<Vec<_>>>()?;
                FieldType::Either(types.into())
            }
            _ => return Err(wrong_values()),
        };
        Ok(None)
    }

    fn positional_hint(&self) -> &'static str {
        match self.type_word {
            "one_of" => "texts: `field.one_of { \"a\", \"b\" }`",
            "ref" => "one kind: `field.ref { \"kind\" }`",
            "list" => "one field: `field.list { field.text }`",
            "map" => "one field: `field.map { field.int }`",
            "either" => "fields: `field.either { field.text, field.bool }`",
            _ => "only named options: `doc = \"…\"`",
        }
    }
}
