//! The registry: all definitions after all changes, frozen, in one order everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::datum::Datum;
use super::schema::Kind;
use crate::kit::digest::Hasher;
use crate::kit::{Digest, Id, Place};

/// All definitions after all changes.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    pub(super) kinds: BTreeMap<Arc<str>, Kind>,
    pub(super) tables: BTreeMap<Arc<str>, Table>,
}

/// The definitions of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// In the order of declaration.
    pub(super) list: Vec<Definition>,
    /// Where each id stands in the list.
    pub(super) by_id: BTreeMap<Arc<str>, usize>,
}

/// One definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its id.
    pub id: Id,
    /// The name of its kind.
    pub kind: Arc<str>,
    /// Its fields, checked, with defaults filled in and references whole.
    pub fields: BTreeMap<Arc<str>, Datum>,
    /// Whether it is no longer drawn.
    pub retired: bool,
    /// Where it was declared.
    pub place: Place,
    /// Paths of fields whose value came from the schema's default (`full.harm`).
    pub defaults: BTreeSet<String>,
    /// What changed it since it was declared, by path (`full.harm`), oldest first. The path of the
    /// whole definition is empty.
    pub changes: BTreeMap<String, Vec<Origin>>,
}

/// Who set something, where, and what it was before.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The mod.
    pub owner: String,
    /// Where.
    pub place: Place,
    /// What was done.
    pub what: What,
    /// What stood there before; `None` where nothing did.
    pub before: Option<Datum>,
}

/// What was done to a field or a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It was written in the declaration.
    Declared,
    /// It was left out, and the schema's default stands there.
    Default,
    /// A patch set it.
    Set,
    /// A patch added to it.
    Added,
    /// A patch took something out of it.
    Dropped,
    /// A patch put a function around it.
    Wrapped,
    /// The whole definition was written anew.
    Replaced,
    /// The definition was retired.
    Retired,
}

impl Registry {
    /// The kind of that name.
    pub fn kind(&self, name: &str) -> Option<&Kind> {
        self.kinds.get(name)
    }

    /// All kinds by name.
    pub fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.values()
    }

    /// The definition of that whole id (`mod:name`), retired or not.
    pub fn get(&self, kind: &str, id: &str) -> Option<&Definition> {
        let table = self.tables.get(kind)?;
        table.by_id.get(id).map(|index| &table.list[*index])
    }

    /// The definitions of a kind that are not retired, in the order of declaration: mods in load
    /// order, then files by path, then lines.
    pub fn all(&self, kind: &str) -> impl Iterator<Item = &Definition> {
        self.every(kind).filter(|definition| !definition.retired)
    }

    /// The definitions of a kind, retired ones too, in the order of declaration.
    pub fn every(&self, kind: &str) -> impl Iterator<Item = &Definition> {
        self.tables.get(kind).into_iter().flat_map(|table| table.list.iter())
    }

    /// Digest of all definitions, by kind and in order.
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::new("registry");
        for (kind, table) in &self.tables {
            hasher.text(kind).count(table.list.len());
            for definition in &table.list {
                hasher.text(definition.id.as_str()).tag(u8::from(definition.retired));
                hasher.count(definition.fields.len());
                for (name, datum) in &definition.fields {
                    hasher.text(name);
                    datum.feed(&mut hasher);
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
