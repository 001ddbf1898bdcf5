//! Signatures and docs of named functions, read from their source and from the types that mods
//! declare.

use crate::host::Host;
use crate::vm::{LUAU_TYPES, Vm};
use base::{SourceLocation, text};
use content::{
    Definition, EXPORT_KIND, Field, FieldType, PathLookupResult, Signature, StatePathStep,
    declared_type_text, is_pascal_case_of, parse_declared_type,
};

/// Maximum depth of type names that refer to each other.
const MAX_TYPE_NAME_DEPTH: usize = 8;

/// Signature and doc of a named function of a mod.
#[derive(Clone, Debug, Default)]
pub struct FunctionDoc {
    /// Parameters and result; `None` if the source does not tell.
    pub signature: Option<Signature>,
    /// The doc, or the comment above the declaration.
    pub doc: String,
}

/// A type that a mod exports.
#[derive(Clone, Debug)]
pub struct ExportedType<'v> {
    /// Its name.
    pub name: &'v str,
    /// Its text after the `=`.
    pub written: &'v str,
    /// Its meaning.
    pub ty: FieldType,
}

impl Vm {
    /// Signature and doc of a rule or an export.
    pub fn function_doc(&self, definition: &Definition) -> FunctionDoc {
        let host = self.host();
        let run_function = definition.get("run").and_then(|run| run.as_fn());
        let signature = run_function.and_then(|function| host.signature_at(&function.place));
        let doc_text = definition.get("doc").and_then(|doc| doc.as_text()).map(str::to_owned);
        let doc = doc_text.unwrap_or_else(|| host.comment_above(&definition.place));
        FunctionDoc { signature, doc }
    }

    /// The signature of the function that begins at a place.
    pub fn signature_at(&self, place: &SourceLocation) -> Option<Signature> {
        self.host().signature_at(place)
    }

    /// Resolves a type name in a file.
    pub fn resolve_type(&self, owner: &str, file: &str, name: &str) -> Option<FieldType> {
        let text = self.host().sources.file_text(owner, file).map_or("", |text| text);
        self.host().resolve_type(text, name, MAX_TYPE_NAME_DEPTH)
    }

    /// The types that mods export (`export type Round = …`), by name: as written and resolved.
    pub fn exported_types(&self) -> Vec<ExportedType<'_>> {
        let host = self.host();
        let resolve_exported = |name| {
            let text = host.sources.text_exporting_type(name)?;
            Some(ExportedType {
                name,
                written: declared_type_text(text, name).unwrap_or_default(),
                ty: host.resolve_type(text, name, MAX_TYPE_NAME_DEPTH)?,
            })
        };
        let names = host.sources.exported_types().keys().map(String::as_str);
        names.filter_map(resolve_exported).collect()
    }

    /// The rule or export that a name in a mod's file refers to, such as `rules.damage` or
    /// `fight.harm`.
    pub fn find_function(&self, caller: &str, name: &str) -> Option<&Definition> {
        let registry = self.registry();
        if let Some(rule) = name.strip_prefix("rules.") {
            let id = crate::from_lua::rules::resolve_rule_id(registry, caller, rule).ok()?;
            return registry.get("rule", &id);
        }
        let mut exports =
            registry.all_definitions(EXPORT_KIND).filter(|export| export.id.name() == name);
        exports.find(|export| self.host().environments.can_see(caller, export.id.mod_id()))
    }
}

impl Host {
    /// The signature of the function at a place.
    pub(crate) fn signature_at(&self, place: &SourceLocation) -> Option<Signature> {
        let lines = self.sources.indexed_text(&place.owner, &place.file)?;
        let start = lines.line_start((place.line as usize).checked_sub(1)?)?;
        let text: &str = lines.text();
        Signature::parse_function(&text[start..], &|name| {
            self.resolve_type(text, name, MAX_TYPE_NAME_DEPTH)
        })
    }

    fn comment_above(&self, place: &SourceLocation) -> String {
        let Some(lines) = self.sources.indexed_text(&place.owner, &place.file) else {
            return String::new();
        };
        let line_indices = (0..(place.line as usize).saturating_sub(1)).rev();
        let comment_lines =
            line_indices.map_while(|index| lines.line_text(index)?.trim_start().strip_prefix("--"));
        let mut comment_lines: Vec<&str> = comment_lines.map(str::trim).collect();
        // A coverage ignore (`-- seldom: …`) is not documentation.
        comment_lines.retain(|line| !line.starts_with("seldom:"));
        comment_lines.reverse();
        text::strip_unprintable(&comment_lines.join(" "))
    }

    /// Resolves a type name: the names that the reference gives to kinds, events and the state,
    /// then types of the file itself, then those of the host.
    fn resolve_type(&self, text: &str, name: &str, depth: usize) -> Option<FieldType> {
        let depth = depth.checked_sub(1)?;
        let is_type_of = |end: &str, kind: &str| {
            name.strip_suffix(end).is_some_and(|title| is_pascal_case_of(title, kind))
        };
        let events = self.load_state.declared_events.borrow();
        if name.ends_with("Event")
            && let Some(event_kind) = events.iter().find(|event| is_type_of("Event", &event.name))
        {
            return Some(FieldType::Record(event_kind.fields.clone()));
        }
        let schemas = &self.load_state.all_declarations.borrow().schemas;
        let mut fields = schemas.fields().iter();
        if let Some(field) = fields.find(|field| is_type_of("State", &field.name)) {
            return Some(field.ty.clone());
        }
        if let Some(state_path) = name.strip_prefix("state.") {
            return match schemas.lookup_in_state(&parse_state_path(state_path)) {
                PathLookupResult::Found(ty) => Some(ty.clone()),
                _ => None,
            };
        }
        for kind in self.registry.get().iter().flat_map(|registry| registry.kinds()) {
            if is_type_of("Id", &kind.name) {
                return Some(FieldType::Ref(kind.name.to_string()));
            }
            if is_type_of("Name", &kind.name) {
                return Some(FieldType::Text);
            }
            if is_type_of("Definition", &kind.name) {
                let id = Field::new("id", FieldType::Ref(kind.name.to_string()));
                let fields: Vec<Field> = kind.fields.iter().cloned().chain([id]).collect();
                return Some(FieldType::Record(fields.into()));
            }
            // A body may be written in short form: a function instead of a table.
            if is_type_of("Body", &kind.name) {
                return Some(FieldType::map(FieldType::Any));
            }
        }
        let parse_in = |text: &str| {
            parse_declared_type(text, name, &|name| self.resolve_type(text, name, depth))
        };
        parse_in(text)
            .or_else(|| parse_in(LUAU_TYPES))
            .or_else(|| self.sources.text_exporting_type(name).and_then(parse_in))
    }
}

/// Parses a path through the state, such as `run.rooms[""]`.
fn parse_state_path(path: &str) -> Vec<StatePathStep> {
    let steps = path.split(['.', '[']);
    let to_step = |step: &str| match step.ends_with(']') {
        true => StatePathStep::AnyEntry,
        false => StatePathStep::Name(step.trim().to_owned()),
    };
    steps.map(to_step).collect()
}
