//! Types of fields as Luau writes them.

use std::collections::{BTreeMap, BTreeSet};

use super::event_types::event_type_name;
use base::text::{self, is_luau_name};
use content::{EXPORT_KIND, Field, FieldType, FirstParameter, Registry, pascal_case};

/// The type of a function of which nothing is known.
pub(super) const ANY_FUNCTION_TYPE: &str = "(...any) -> ...any";

/// The ids of all definitions, by kind.
pub(super) struct DefinitionIds(BTreeMap<String, Vec<(String, String)>>);

impl DefinitionIds {
    pub(super) fn from_registry(registry: &Registry) -> Self {
        let names = registry.kinds().map(|kind| &*kind.name).chain([EXPORT_KIND]);
        let kinds = names.map(|kind| {
            let all = registry.all_definitions(kind);
            let ids = all.map(|one| (one.id.to_string(), one.id.name().to_owned()));
            (kind.to_owned(), ids.collect())
        });
        Self(kinds.filter(|(_, ids): &(_, Vec<_>)| !ids.is_empty()).collect())
    }

    /// The id types: whole ids, as scripts read them, and names, as they are written; a mod's own
    /// definitions have short names.
    pub(super) fn write_id_types(&self, page: &mut String) {
        page.push_str(
            "\n-- Ids of definitions: whole ids, as they are read, and names, as they are written.\n\n",
        );
        for (kind, ids) in &self.0 {
            let whole_ids: BTreeSet<&str> = ids.iter().map(|(id, _)| &**id).collect();
            let short: BTreeSet<&str> = ids.iter().map(|(_, name)| &**name).collect();
            let (title, whole_ids) = (pascal_case(kind), union_of_strings(whole_ids.iter()));
            let short = union_of_strings(short.iter());
            page.push_str(&format!("export type {title}Id = {whole_ids}\n"));
            page.push_str(&format!("export type {title}Name = {title}Id | {short}\n"));
        }
    }

    /// Whether a kind has definitions.
    pub(super) fn has_ids(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    /// The type of ids of a kind, as written or as read.
    pub(super) fn id_type_name(&self, kind: &str, written: bool) -> String {
        match self.has_ids(kind) {
            true => format!("{}{}", pascal_case(kind), if written { "Name" } else { "Id" }),
            false => "string".to_owned(),
        }
    }
}

/// A doc on one line, for a comment.
pub(super) fn single_line_doc(doc: &str) -> String {
    text::strip_unprintable(doc).replace('\n', " ")
}

/// Where fields are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldForm {
    /// Written in a body: fields with a default may be absent.
    Body,
    /// Written in a patch: every field may be absent.
    Patch,
    /// Read afterwards.
    Definition,
}

/// Writes fields as entries of a table type.
pub(super) fn write_fields(
    page: &mut String,
    fields: &[Field],
    depth: usize,
    form: FieldForm,
    ids: &DefinitionIds,
) {
    let indent = "  ".repeat(depth);
    for field in fields {
        if !field.doc.is_empty() {
            page.push_str(&format!("{indent}-- {}\n", single_line_doc(&field.doc)));
        }
        let ty = match field.first_parameter() {
            Some(given) => declared_function_type(given, depth, ids),
            None => luau_type(&field.ty, depth, form, ids),
        };
        let absent = match form {
            FieldForm::Body => field.is_optional || field.default.is_some(),
            FieldForm::Patch => true,
            FieldForm::Definition => field.is_optional,
        };
        let ty = if absent { format!("({ty})?") } else { ty };
        page.push_str(&format!("{indent}{}: {ty},\n", field_key(&field.name)));
    }
}

/// The type of a function with declared parameters.
fn declared_function_type(
    first_parameter: &FirstParameter,
    depth: usize,
    ids: &DefinitionIds,
) -> String {
    match first_parameter {
        FirstParameter::Event(event_kind) => {
            format!("((event: {}) -> ...any)", event_type_name(event_kind))
        }
        FirstParameter::Fields(inner) => {
            let mut page = "((params: {\n".to_owned();
            write_fields(&mut page, inner, depth + 1, FieldForm::Definition, ids);
            page.push_str(&format!("{}}}) -> ...any)", "  ".repeat(depth)));
            page
        }
    }
}

/// The type of a string that is one of these.
pub(super) fn union_of_strings(strings: impl Iterator<Item = impl AsRef<str>>) -> String {
    strings.map(|one| format!("{:?}", one.as_ref())).collect::<Vec<_>>().join(" | ")
}

/// The name of a field as a key of a Luau table type.
pub(super) fn field_key(name: &str) -> String {
    const LUAU_KEYWORDS: [&str; 21] = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in",
        "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
    ];
    match is_luau_name(name) && !LUAU_KEYWORDS.contains(&name) {
        true => name.to_owned(),
        false => format!("[{name:?}]"),
    }
}

/// The type of a field.
pub(super) fn luau_type(
    ty: &FieldType,
    depth: usize,
    form: FieldForm,
    ids: &DefinitionIds,
) -> String {
    match ty {
        FieldType::Text | FieldType::SingleLineText(_) => "string".to_owned(),
        FieldType::Ref(kind) => ids.id_type_name(kind, form != FieldForm::Definition),
        FieldType::Int { .. } | FieldType::Number => "number".to_owned(),
        FieldType::Bool => "boolean".to_owned(),
        FieldType::OneOf(words) => union_of_strings(words.iter()),
        // A patch gives whole items of a list, and merges tables.
        FieldType::List(one) => {
            let form = if form == FieldForm::Patch { FieldForm::Body } else { form };
            format!("{{ {} }}", luau_type(one, depth, form, ids))
        }
        FieldType::Map(one) => format!("{{ [string]: {} }}", luau_type(one, depth, form, ids)),
        FieldType::Record(inner) => {
            let mut page = "{\n".to_owned();
            write_fields(&mut page, inner, depth + 1, form, ids);
            page.push_str(&format!("{}}}", "  ".repeat(depth)));
            page
        }
        FieldType::Fn => format!("({ANY_FUNCTION_TYPE})"),
        FieldType::Any => "any".to_owned(),
        FieldType::Either(types) => {
            let types = types.iter().map(|one| format!("({})", luau_type(one, depth, form, ids)));
            types.collect::<Vec<_>>().join(" | ")
        }
    }
}
