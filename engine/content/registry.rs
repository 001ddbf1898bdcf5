//! The registry: all definitions after all changes, frozen and in a deterministic order.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::builtin_kinds::EXPORT_KIND;
use super::datum::Datum;
use super::datum_map::DatumMap;
use super::schema::Kind;
use base::digest::Hasher;
use base::problem::nearest_name;
use base::{Digest, Id, SourceLocation, TextOverrides};

/// All definitions after all changes.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    pub(super) kinds: BTreeMap<Arc<str>, Kind>,
    pub(super) definitions_by_kind: BTreeMap<Arc<str>, DefinitionsOfKind>,
    pub(super) text_overrides: Arc<TextOverrides>,
    pub(super) displayed_texts: Arc<TextOverrides>,
}

/// The definitions of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct DefinitionsOfKind {
    /// In the order of declaration.
    pub(super) definitions: Vec<Arc<Definition>>,
    /// The index of each id in the list.
    pub(super) index_by_id: BTreeMap<Arc<str>, usize>,
}

/// One definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its id.
    pub id: Id,
    /// The name of its kind.
    pub kind: Arc<str>,
    /// Its fields, checked, with defaults and full references.
    pub fields: DatumMap,
    /// Whether it is retired: excluded from listings and draws.
    pub is_retired: bool,
    /// Where it was declared.
    pub place: SourceLocation,
    /// Paths of fields whose value came from the schema's default (`crew.oars`).
    pub defaulted_paths: Vec<String>,
    /// The changes since its declaration, oldest first.
    pub changes: Vec<ProvenanceRecord>,
}

/// One record of provenance: who set a value, where, and the previous value.
#[derive(Clone, Debug, PartialEq)]
pub struct ProvenanceRecord {
    /// The path of the value (`crew.oars`); empty for the whole definition.
    pub path: String,
    /// The mod.
    pub owner: String,
    /// The source location.
    pub place: SourceLocation,
    /// The kind of change.
    pub action: ChangeAction,
    /// The previous value; `None` where there was none.
    pub previous_value: Option<Datum>,
    /// Whether the definition may be absent (`optional = true`).
    pub is_optional: bool,
}

/// How a field or a definition was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeAction {
    /// It was written in the declaration.
    Declared,
    /// It was omitted, and the schema's default applies.
    Default,
    /// A patch set it.
    Set,
    /// A patch added to it.
    Added,
    /// A patch removed something from it.
    Dropped,
    /// A patch wrapped a function around it.
    Wrapped,
    /// A mod that comes after others settled a conflict.
    SettledConflict,
    /// The whole definition was replaced.
    Replaced,
    /// The definition was retired.
    Retired,
}

impl Registry {
    /// The id of a definition of a kind that was probably meant.
    pub fn suggest_id(&self, kind: &str, id: &str) -> Option<&str> {
        let ids: Vec<&str> = self.all_definitions(kind).map(|one| one.id.as_str()).collect();
        suggest_id(id, ids.iter().copied())
    }

    /// The kind of that name.
    pub fn kind(&self, name: &str) -> Option<&Kind> {
        self.kinds.get(name)
    }

    /// All kinds by name, without the kind of exports.
    pub fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.values().filter(|kind| &*kind.name != EXPORT_KIND)
    }

    /// The definition of that whole id (`mod:name`), retired or not.
    pub fn get(&self, kind: &str, id: &str) -> Option<&Definition> {
        let table = self.definitions_by_kind.get(kind)?;
        table.index_by_id.get(id).map(|index| &*table.definitions[*index])
    }

    /// The definitions of a kind that are not retired, in the order of declaration: mods in load
    /// order, then files by path, then lines.
    pub fn active_definitions(&self, kind: &str) -> impl Iterator<Item = &Definition> {
        self.all_definitions(kind).filter(|definition| !definition.is_retired)
    }

    /// The definitions of a kind, retired ones too, in the order of declaration.
    pub fn all_definitions(&self, kind: &str) -> impl Iterator<Item = &Definition> {
        self.definitions_by_kind
            .get(kind)
            .into_iter()
            .flat_map(|table| table.definitions.iter().map(|definition| &**definition))
    }

    /// The provenance of a field, oldest first: its declaration (or the kind whose default
    /// applies), then every change of it, of what contains it, and of what it contains. The empty
    /// path stands for the whole definition. `None` if there is no such definition.
    pub fn provenance(&self, kind: &str, id: &str, path: &str) -> Option<Vec<ProvenanceRecord>> {
        let definition = self.get(kind, id)?;
        let kind_schema = self.kind(kind)?;
        let default = definition
            .defaulted_paths
            .iter()
            .any(|one| !path.is_empty() && is_path_within(path, one));
        let (place, what) = match default {
            true => (&kind_schema.place, ChangeAction::Default),
            false => (&definition.place, ChangeAction::Declared),
        };
        let (path, place) = (path.to_owned(), place.clone());
        let first = ProvenanceRecord {
            path,
            owner: place.owner.clone(),
            place,
            action: what,
            previous_value: None,
            is_optional: false,
        };
        let changes =
            definition.changes.iter().filter(|change| paths_overlap(&change.path, &first.path));
        let changes: Vec<ProvenanceRecord> = changes.cloned().collect();
        Some(std::iter::once(first).chain(changes).collect())
    }

    /// Digest of all definitions, by kind and in order.
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::new("registry");
        for (kind, table) in &self.definitions_by_kind {
            hasher.feed_text(kind).feed_count(table.definitions.len());
            for definition in &table.definitions {
                hasher.feed_text(definition.id.as_str()).feed_tag(u8::from(definition.is_retired));
                hasher.feed_count(definition.fields.len());
                for (name, datum) in &definition.fields {
                    hasher.feed_text(name);
                    datum.feed_digest(&mut hasher);
                }
            }
        }
        hasher.finish()
    }
}

impl Definition {
    /// The field of that name.
    pub fn get(&self, field: &str) -> Option<&Datum> {
        self.fields.get(field)
    }
}

/// Whether the path equals `outer` or lies inside it.
pub(super) fn is_path_within(path: &str, outer: &str) -> bool {
    let rest = path.strip_prefix(outer);
    outer.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Whether one of two paths contains the other.
pub(super) fn paths_overlap(a: &str, b: &str) -> bool {
    is_path_within(a, b) || is_path_within(b, a)
}

impl ChangeAction {
    /// Its name for display (`set`).
    pub fn display_name(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Default => "default",
            Self::Set => "set",
            Self::Added => "added to",
            Self::Dropped => "dropped from",
            Self::Wrapped => "wrapped",
            Self::SettledConflict => "settled",
            Self::Replaced => "replaced",
            Self::Retired => "retired",
        }
    }
}

/// Suggests an id: the same name in another mod, or one with a similar spelling.
pub(super) fn suggest_id<'t>(
    id: &str,
    mut known: impl Iterator<Item = &'t str> + Clone,
) -> Option<&'t str> {
    fn split_id(id: &str) -> (&str, &str) {
        id.split_once(':').unwrap_or(("", id))
    }
    let (owner, name) = split_id(id);
    let same_name = known.clone().find(|known| split_id(known).1 == name);
    same_name
        .or_else(|| nearest_name(id, known.clone().filter(|known| split_id(known).0 == owner)))
        .or_else(|| {
            let meant = nearest_name(name, known.clone().map(|known| split_id(known).1))?;
            known.find(|known| split_id(known).1 == meant)
        })
}
