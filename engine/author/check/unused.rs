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
    let references = DefinitionReferences::collect(registry, summaries, ids);
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

/// All references to the checked definitions, with their places.
struct DefinitionReferences<'t> {
    /// The ids and names of the checked definitions.
    sought: BTreeSet<&'t str>,
    /// String literals and field reads of all scripts, each with its file.
    string_literals: BTreeMap<&'t str, Vec<(&'t FileSummary, &'t StringLiteral)>>,
    field_reads: BTreeMap<&'t str, Vec<(&'t FileSummary, &'t FieldRead)>>,
    /// Kinds that are used as a whole.
    kinds_used_as_values: BTreeSet<String>,
    /// The kinds and ids in fields, with the kind and id of the definition that the field is in.
    ids_in_fields: BTreeSet<[&'t str; 4]>,
    /// The names of kinds.
    kinds: BTreeSet<Arc<str>>,
}

impl<'t> DefinitionReferences<'t> {
    fn collect(
        registry: &'t Registry,
        summaries: &'t [Arc<FileSummary>],
        ids: &BTreeSet<String>,
    ) -> Self {
        let kinds = registry.kinds().map(|kind| kind.name.clone()).collect();
        let definitions = || registry.kinds().flat_map(|kind| registry.all_definitions(&kind.name));
        let own = definitions().filter(|one| ids.contains(&one.place.owner));
        let (words, reads) = (BTreeMap::new(), BTreeMap::new());
        let (kinds_used_as_values, fields) = (BTreeSet::new(), BTreeSet::new());
        let mut references = Self {
            sought: own.flat_map(|one| [one.id.as_str(), one.id.name()]).collect(),
            string_literals: words,
            field_reads: reads,
            kinds_used_as_values,
            ids_in_fields: fields,
            kinds,
        };
        for summary in summaries {
            let sought = &references.sought;
            let words = summary.string_literals.iter();
            for word in words.filter(|word| sought.contains(&*word.text)) {
                references.string_literals.entry(&word.text).or_default().push((summary, word));
            }
            for read in summary.field_reads.iter().filter(|read| sought.contains(&*read.name)) {
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

    fn add_record(
        &mut self,
        definition: &'t Definition,
        fields: &'t [Field],
        values: &'t DatumMap,
    ) {
        for field in fields {
            if let Some(value) = values.get(&field.name) {
                self.add_value(definition, &field.ty, value);
            }
        }
    }

    fn add_value(&mut self, definition: &'t Definition, ty: &'t FieldType, value: &'t Datum) {
        match (ty, value) {
            (FieldType::Ref(kind), Datum::Text(id)) if self.sought.contains(&**id) => {
                let place = [kind, &**id, &*definition.kind, definition.id.as_str()];
                self.ids_in_fields.insert(place);
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
        let itself = [&*kind.name, id];
        let mut in_fields = self
            .ids_in_fields
            .range([&*kind.name, id, "", ""]..)
            .take_while(|place| place[..2] == itself);
        if in_fields.any(|place| place[2..] != itself) {
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
