//! Schemas: kinds of content, their fields, and the types of those.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::datum::Datum;
use base::{SourceLocation, limits};

/// Fields that copies share, so that an error keeps its part of a schema at no cost.
pub type FieldList = Arc<Vec<Field>>;

/// The mod id that kinds of the host itself carry.
pub const HOST_MOD_ID: &str = "host";

/// The type of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldType {
    /// A text.
    Text,
    /// A text that is shown on one line of at most this many columns. A longer one is cut; `check`
    /// warns about it.
    SingleLineText(u32),
    /// A whole number within inclusive bounds.
    Int {
        /// The smallest value.
        min: Option<i64>,
        /// The largest value.
        max: Option<i64>,
    },
    /// Any finite number.
    Number,
    /// True or false.
    Bool,
    /// One of a list of texts.
    OneOf(Arc<AllowedTexts>),
    /// The id of a definition of this kind. A name without a mod belongs to the writing mod; the
    /// full id is stored.
    Ref(String),
    /// A list of this type.
    List(Box<FieldType>),
    /// A table of this type, with any text as key.
    Map(Box<FieldType>),
    /// A table with exactly these fields.
    Record(FieldList),
    /// A function.
    Fn,
    /// Anything.
    Any,
    /// The first of these that fits.
    Either(Arc<Vec<FieldType>>),
}

/// Most nested types inside one type.
const MAX_NESTED_TYPES: usize = 10_000;

impl FieldType {
    /// Checks the nesting and the size of a type. The error is what was found and what is expected.
    pub fn check_type_size(&self) -> Result<(), (&'static str, String)> {
        let mut left = MAX_NESTED_TYPES;
        if !self.is_within_limits(limits::MAX_NESTING_DEPTH, &mut left) {
            return Err(match left {
                0 => ("a field with too many fields inside", format!("at most {MAX_NESTED_TYPES}")),
                _ => (
                    "a field nested too deep",
                    format!("at most {} levels", limits::MAX_NESTING_DEPTH),
                ),
            });
        }
        Ok(())
    }

    fn is_within_limits(&self, depth: usize, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return false;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self {
            Self::List(one) | Self::Map(one) => one.is_within_limits(depth, left),
            Self::Record(fields) => {
                fields.iter().all(|field| field.ty.is_within_limits(depth, left))
            }
            Self::Either(forms) => forms.iter().all(|form| form.is_within_limits(depth, left)),
            _ => true,
        }
    }
}

/// The allowed texts of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AllowedTexts {
    /// The texts; those added by other mods come last.
    pub texts: Vec<String>,
    /// Whether other mods may add texts.
    pub is_open: bool,
    /// The locations where other mods added texts.
    pub addition_locations: Vec<SourceLocation>,
    /// The path of the list for `extend`; empty if it is in no declaration of a mod.
    pub path: String,
}

impl Deref for AllowedTexts {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.texts
    }
}

/// A named field of a kind or of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: FieldType,
    /// Whether it may be absent. A field with a default may be omitted as well.
    pub is_optional: bool,
    /// The value where it is omitted.
    pub default: Option<Datum>,
    /// Its description.
    pub doc: String,
    /// The parameter and result of a function in this field, if declared.
    pub function_schema: Option<Box<FunctionSchema>>,
}

/// The parameter and result of a function in a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FunctionSchema {
    /// The parameter, if declared.
    pub parameter: Option<FirstParameter>,
    /// The result, if declared.
    pub result: Option<Field>,
}

/// The type of the parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum FirstParameter {
    /// The data of the event with this name.
    Event(Arc<str>),
    /// A table with these fields.
    Fields(FieldList),
}

impl Field {
    /// The parameter of a function in this field, if declared.
    pub fn first_parameter(&self) -> Option<&FirstParameter> {
        self.function_schema.as_ref()?.parameter.as_ref()
    }
}

/// A kind of content, with its schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// Its name, as definitions use it.
    pub name: Arc<str>,
    /// Its fields, in the order of declaration.
    pub fields: FieldList,
    /// The field that a body which is not a table fills (`rule "x" (function … end)`).
    pub body_field: Option<Arc<str>>,
    /// Its description.
    pub doc: String,
    /// The mod that declared it; [`HOST_MOD_ID`] for the host's own.
    pub owner: String,
    /// Where it was declared.
    pub place: SourceLocation,
    /// Whether the host declared it.
    pub is_builtin: bool,
}

impl Field {
    /// Creates a required field.
    pub fn new(name: &str, ty: FieldType) -> Self {
        Self {
            name: Arc::from(name),
            ty,
            is_optional: false,
            default: None,
            doc: String::new(),
            function_schema: None,
        }
    }

    /// The same field, but optional.
    pub fn into_optional(mut self) -> Self {
        self.is_optional = true;
        self
    }

    /// The same field with a default value.
    pub fn with_default(mut self, default: Datum) -> Self {
        self.default = Some(default);
        self
    }

    /// The same field with a description.
    pub fn with_doc(mut self, doc: &str) -> Self {
        self.doc = doc.to_owned();
        self
    }
}

impl Kind {
    /// Creates a kind that a mod declares.
    pub fn new(name: &str, fields: Vec<Field>, place: SourceLocation) -> Self {
        Self {
            name: Arc::from(name),
            fields: fields.into(),
            body_field: None,
            doc: String::new(),
            owner: place.owner.clone(),
            place,
            is_builtin: false,
        }
    }

    /// Creates a kind of the host.
    pub(super) fn new_builtin(name: &str, doc: &str, body: Option<&str>) -> Self {
        let place = SourceLocation::new(HOST_MOD_ID, "engine/content/builtin_kinds.rs", 0);
        let mut kind = Self::new(name, Vec::new(), place);
        kind.doc = doc.to_owned();
        kind.body_field = body.map(Arc::from);
        kind.is_builtin = true;
        kind
    }

    /// The same kind with these fields.
    pub(super) fn with_fields(self, fields: Vec<Field>) -> Self {
        Self { fields: fields.into(), ..self }
    }

    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| &*field.name == name)
    }
}

impl FieldType {
    /// A whole number without bounds.
    pub const INT: Self = Self::Int { min: None, max: None };

    /// A list of this type.
    pub fn list(inner: FieldType) -> Self {
        Self::List(Box::new(inner))
    }

    /// One of these texts.
    pub fn one_of(texts: Vec<String>) -> Self {
        Self::OneOf(Arc::new(AllowedTexts { texts, ..AllowedTexts::default() }))
    }

    /// A table of this type, with any text as key.
    pub fn map(inner: FieldType) -> Self {
        Self::Map(Box::new(inner))
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("a text"),
            Self::SingleLineText(columns) => {
                write!(f, "a text of one line, at most {columns} columns")
            }
            Self::Int { min: None, max: None } => f.write_str("a whole number"),
            Self::Int { min: Some(min), max: None } => write!(f, "a whole number of {min} or more"),
            Self::Int { min: None, max: Some(max) } => write!(f, "a whole number of {max} or less"),
            Self::Int { min: Some(min), max: Some(max) } => {
                write!(f, "a whole number from {min} to {max}")
            }
            Self::Number => f.write_str("a number"),
            Self::Bool => f.write_str("true or false"),
            Self::OneOf(words) => write!(f, "one of \"{}\"", words.join("\", \"")),
            Self::Ref(kind) => write!(f, "the id of a {kind}"),
            Self::List(inner) => write!(f, "a list, each {inner}"),
            Self::Map(inner) => write!(f, "a table of names, each {inner}"),
            Self::Record(fields) => {
                let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
                write!(f, "a table with {}", names.join(", "))
            }
            Self::Fn => f.write_str("a function"),
            Self::Any => f.write_str("anything"),
            Self::Either(types) => {
                let words: Vec<String> = types.iter().map(FieldType::to_string).collect();
                f.write_str(&words.join(", or "))
            }
        }
    }
}
