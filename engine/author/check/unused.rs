//! Checks for unused definitions: no field, no id in a script and no `all` of their kind refers to
//! them. Kinds that the host reads count as used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::author::analysis::{FieldRead, FileSummary, StringLiteral};
use crate::base::{Code, Problem};
use crate::content::{Datum, DatumMap, Definition, Field, FieldType, Kind, Registry};

/// Kinds whose definitions the host reads.
const HOST_KINDS: [&str; 8] =
    ["fact", "option", "bot", "sample", "case", "achievement", "page", "title"];
/// Calls that change a definition without using it.
const CHANGES: [&str; 4] = ["patch", "settle_conflict", "replace", "retire"];

/// Finds unused definitions of some mods.
pub(super) fn check_unused(
    registry: &Registry,
    facts: &[Arc<FileSummary>],
    ids: &BTreeSet<String>,
) -> Vec<Problem> {
    let uses = References::of(registry, facts);
    let mut problems = Vec::new();
    for kind in registry.kinds() {
        if uses.whole_kinds.contains(&*kind.name) || HOST_KINDS.contains(&&*kind.name) {
            continue;
        }
        // The first view of the game is shown where no scene names one.
        let shown = usize::from(&*kind.name == "view");
        let own = registry
            .active_definitions(&kind.name)
            .skip(shown)
            .filter(|one| ids.contains(&one.place.owner));
        let unused = own.filter(|one| !uses.is_referenced(kind, one));
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
struct References<'t> {
    /// String literals and field reads of all scripts, each with its file.
    string_literals: BTreeMap<&'t str, Vec<(&'t FileSummary, &'t StringLiteral)>>,
    field_reads: BTreeMap<&'t str, Vec<(&'t FileSummary, &'t FieldRead)>>,
    /// Kinds that are used as a whole.
    whole_kinds: BTreeSet<String>,
    /// Ids in fields by kind, with the definition that the field is in.
    ids_in_fields: BTreeMap<String, BTreeSet<(String, String)>>,
    /// The names of kinds.
    kinds: BTreeSet<Arc<str>>,
}

impl<'t> References<'t> {
    fn of(registry: &Registry, facts: &'t [Arc<FileSummary>]) -> Self {
        let kinds = registry.kinds().map(|kind| kind.name.clone()).collect();
        let (words, reads) = (BTreeMap::new(), BTreeMap::new());
        let (whole, fields) = (BTreeSet::new(), BTreeMap::new());
        let mut uses = Self {
            string_literals: words,
            field_reads: reads,
            whole_kinds: whole,
            ids_in_fields: fields,
            kinds,
        };
        for facts in facts {
            for word in &facts.string_literals {
                uses.string_literals.entry(&word.text).or_default().push((facts, word));
            }
            for read in &facts.reads {
                uses.field_reads.entry(&read.name).or_default().push((facts, read));
            }
            uses.whole_kinds.extend(facts.whole_names.iter().cloned());
            let all = facts.string_literals.iter().filter(|word| word.callee == "all");
            uses.whole_kinds.extend(all.map(|word| word.text.clone()));
        }
        if uses.whole_kinds.contains("rules") {
            uses.whole_kinds.insert("rule".to_owned());
        }
        let offered = registry.active_definitions("option").filter_map(|option| option.get("kind"));
        uses.whole_kinds.extend(offered.filter_map(Datum::as_text).map(str::to_owned));
        for kind in registry.kinds() {
            for definition in registry.all_definitions(&kind.name) {
                uses.add_record(definition, &kind.fields, &definition.fields);
            }
        }
        uses
    }

    fn add_record(&mut self, from: &Definition, fields: &[Field], values: &DatumMap) {
        for field in fields {
            if let Some(value) = values.get(&field.name) {
                self.add_value(from, &field.ty, value);
            }
        }
    }

    fn add_value(&mut self, from: &Definition, ty: &FieldType, value: &Datum) {
        match (ty, value) {
            (FieldType::Ref(kind), Datum::Text(id)) => {
                let place = (id.to_string(), qualified_name(&from.kind, from.id.as_str()));
                self.ids_in_fields.entry(kind.clone()).or_default().insert(place);
            }
            (FieldType::List(inner), Datum::List(items)) => {
                items.iter().for_each(|item| self.add_value(from, inner, item));
            }
            (FieldType::Map(inner), Datum::Map(entries)) => {
                entries.values().for_each(|item| self.add_value(from, inner, item));
            }
            (FieldType::Record(fields), Datum::Map(values)) => {
                self.add_record(from, fields, values)
            }
            (FieldType::Either(types), value) => {
                if let Some(ty) = types.iter().find(|ty| ty.shape_fits(value)) {
                    self.add_value(from, ty, value);
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
        let is_own = |facts: &FileSummary| facts.owner == definition.id.owner();
        [id, name].into_iter().any(|written| {
            let meant = |facts: &FileSummary| written == id || is_own(facts);
            let mut reads = self.field_reads.get(written).into_iter().flatten();
            let mut words = self.string_literals.get(written).into_iter().flatten();
            reads.any(|(facts, read)| read.table == table && (table == "rules" || meant(facts)))
                || words.any(|(facts, word)| {
                    meant(facts)
                        && !self.is_change_call(word)
                        && !self.is_within(word, kind, definition, is_own(facts))
                })
        })
    }

    /// Whether a string literal names the definition that a call declares or changes.
    fn is_change_call(&self, word: &StringLiteral) -> bool {
        let callee = word.callee.split_once('.');
        let changed = callee.is_some_and(|(verb, _)| CHANGES.contains(&verb));
        changed || self.kinds.contains(word.callee.as_str())
    }

    /// Whether a string literal is inside the definition itself.
    fn is_within(
        &self,
        word: &StringLiteral,
        kind: &Kind,
        definition: &Definition,
        own: bool,
    ) -> bool {
        let Some((callee, id)) = &word.inside else { return false };
        own && **callee == *kind.name && id == definition.id.name()
    }
}

fn qualified_name(kind: &str, id: &str) -> String {
    format!("{kind} {id}")
}
