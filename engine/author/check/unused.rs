//! Checks for unused definitions: no field, no id in a script and no `all` of their kind refers to
//! them. Kinds that the host reads count as used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::analysis::{FieldRead, FileSummary, StringLiteral, changed_kind};
use base::{Code, Problem};
use content::{Datum, DatumMap, Definition, Field, FieldType, Kind, Registry};

/// Kinds whose definitions the host reads.
const HOST_KINDS: [&str; 8] =
    ["fact", "option", "bot", "sample", "case", "achievement", "page", "title"];

/// Finds unused definitions of some mods.
pub(super) fn check_unused_definitions(
    registry: &Registry,
    summaries: &[Arc<FileSummary>],
    ids: &BTreeSet<String>,
) -> Vec<Problem> {
    let references = DefinitionReferences::collect(registry, summaries);
    let mut problems = Vec::new();
    for kind in registry.kinds() {
        if references.kinds_used_as_values.contains(&*kind.name)
            || HOST_KINDS.contains(&&*kind.name)
        {
            continue;
        }
        // The first view of the game is shown where no scene names one.
        let default_view_count = usize::from(&*kind.name == "view");
        let own = registry
            .active_definitions(&kind.name)
            .skip(default_view_count)
            .filter(|one| ids.contains(&one.place.owner));
        let unused = own.filter(|one| !references.is_referenced(kind, one));
        problems.extend(unused.map(|definition| {
            let message = format!("nothing refers to {} \"{}\"", kind.name, definition.id);
            Problem::warning(Code::UnusedDefinition, message)
                .at(definition.place.clone())
                .expected(format!("a field, a script or `all({})` that refers to it", kind.name))
                .hint("use it, or remove it")
        }));
    }
    problems
}

/// All references, with their places.
struct DefinitionReferences<'t> {
    /// String literals and field reads of all scripts, each with its file.
    string_literals: BTreeMap<&'t str, Vec<(&'t FileSummary, &'t StringLiteral)>>,
    field_reads: BTreeMap<&'t str, Vec<(&'t FileSummary, &'t FieldRead)>>,
    /// Kinds that are used as a whole.
    kinds_used_as_values: BTreeSet<String>,
    /// Ids in fields by kind, with the definition that the field is in.
    ids_in_fields: BTreeMap<String, BTreeSet<(String, String)>>,
    /// The names of kinds.
    kinds: BTreeSet<Arc<str>>,
}

impl<'t> DefinitionReferences<'t> {
    fn collect(registry: &Registry, summaries: &'t [Arc<FileSummary>]) -> Self {
        let kinds = registry.kinds().map(|kind| kind.name.clone()).collect();
        let (words, reads) = (BTreeMap::new(), BTreeMap::new());
        let (kinds_used_as_values, fields) = (BTreeSet::new(), BTreeMap::new());
        let mut references = Self {
            string_literals: words,
            field_reads: reads,
            kinds_used_as_values,
            ids_in_fields: fields,
            kinds,
        };
        for summary in summaries {
            for word in &summary.string_literals {
                references.string_literals.entry(&word.text).or_default().push((summary, word));
            }
            for read in &summary.field_reads {
                references.field_reads.entry(&read.name).or_default().push((summary, read));
            }
            references.kinds_used_as_values.extend(summary.globals_used_as_values.iter().cloned());
            let all = summary.string_literals.iter().filter(|word| word.callee == "all");
            references.kinds_used_as_values.extend(all.map(|word| word.text.clone()));
        }
        if references.kinds_used_as_values.contains("rules") {
            references.kinds_used_as_values.insert("rule".to_owned());
        }
        let offered = registry.active_definitions("option").filter_map(|option| option.get("kind"));
        references
            .kinds_used_as_values
            .extend(offered.filter_map(Datum::as_text).map(str::to_owned));
        for kind in registry.kinds() {
            for definition in registry.all_definitions(&kind.name) {
                references.add_record(definition, &kind.fields, &definition.fields);
            }
        }
        references
    }

    fn add_record(&mut self, definition: &Definition, fields: &[Field], values: &DatumMap) {
        for field in fields {
            if let Some(value) = values.get(&field.name) {
                self.add_value(definition, &field.ty, value);
            }
        }
    }

    fn add_value(&mut self, definition: &Definition, ty: &FieldType, value: &Datum) {
        match (ty, value) {
            (FieldType::Ref(kind), Datum::Text(id)) => {
                let place =
                    (id.to_string(), qualified_name(&definition.kind, definition.id.as_str()));
                self.ids_in_fields.entry(kind.clone()).or_default().insert(place);
            }
            (FieldType::List(inner), Datum::List(items)) => {
                items.iter().for_each(|item| self.add_value(definition, inner, item));
            }
            (FieldType::Map(inner), Datum::Map(entries)) => {
                entries.values().for_each(|item| self.add_value(definition, inner, item));
            }
            (FieldType::Record(fields), Datum::Map(values)) => {
                self.add_record(definition, fields, values)
            }
            (FieldType::Either(types), value) => {
                if let Some(ty) = types.iter().find(|ty| ty.accepts_basic_type(value)) {
                    self.add_value(definition, ty, value);
                }
            }
            _ => {}
        }
    }

    /// Whether anything else refers to a definition.
    fn is_referenced(&self, kind: &Kind, definition: &Definition) -> bool {
        let (id, name) = (definition.id.as_str(), definition.id.name());
        let itself = qualified_name(&kind.name, id);
        let from_another = |places: &BTreeSet<(String, String)>| {
            let mut from = places.range((id.to_owned(), String::new())..);
            from.by_ref().take_while(|(used, _)| used == id).any(|(_, from)| *from != itself)
        };
        if self.ids_in_fields.get(&*kind.name).is_some_and(from_another) {
            return true;
        }
        let table = if &*kind.name == "rule" { "rules" } else { &*kind.name };
        let is_own = |facts: &FileSummary| facts.owner == definition.id.mod_id();
        [id, name].into_iter().any(|written| {
            let can_mean_definition = |facts: &FileSummary| written == id || is_own(facts);
            let mut reads = self.field_reads.get(written).into_iter().flatten();
            let mut words = self.string_literals.get(written).into_iter().flatten();
            reads.any(|(facts, read)| {
                read.table == table && (table == "rules" || can_mean_definition(facts))
            }) || words.any(|(facts, word)| {
                can_mean_definition(facts)
                    && !self.names_changed_definition(word)
                    && !self.is_inside_definition(word, kind, definition, is_own(facts))
            })
        })
    }

    /// Whether a string literal names the definition that a call declares or changes.
    fn names_changed_definition(&self, word: &StringLiteral) -> bool {
        changed_kind(&word.callee).is_some() || self.kinds.contains(word.callee.as_str())
    }

    /// Whether a string literal is inside the definition itself.
    fn is_inside_definition(
        &self,
        word: &StringLiteral,
        kind: &Kind,
        definition: &Definition,
        own: bool,
    ) -> bool {
        let Some((callee, id)) = &word.outermost_call else { return false };
        own && **callee == *kind.name && id == definition.id.name()
    }
}

fn qualified_name(kind: &str, id: &str) -> String {
    format!("{kind} {id}")
}
