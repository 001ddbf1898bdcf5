//! The pending items of a run: questions asked from an event handler, and stages that are queued
//! until those are answered. They are a list in the host's table of the state, so they are saved,
//! digested and rolled back like everything else. They are plain data, because no script value
//! outlives a step.
//!
//! An item that is added while another one runs comes before the items that were pending, in the
//! order of addition: a follow-up question is asked before the next question.

use std::sync::Arc;

use super::world::WorldState;
use base::value::ValueMap;
use base::{Value, limits};

/// The name of the list in the host's table.
const AGENDA_KEY: &str = "waiting";
const SCENE_KEY: &str = "scene";
const STAGE_KEY: &str = "stage";
const DATA_KEY: &str = "with";
const QUEUED_BY_KEY: &str = "by";

/// The kind of a pending item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingItemKind {
    /// A scene that asks the player.
    Question,
    /// A stage that runs without an answer.
    Stage,
}

/// A pending item.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingItem {
    /// Whether it is a question or a stage.
    pub item_kind: PendingItemKind,
    /// The whole id of the scene or the stage.
    pub id: Arc<str>,
    /// The plain data that it was queued with, if any.
    pub data: Option<Value>,
    /// The mod that queued it.
    pub queued_by_mod: Arc<str>,
}

impl PendingItem {
    fn from_value(value: &Value) -> Option<Self> {
        let text_field = |name| value.get(name).and_then(Value::as_text).map(Arc::from);
        let (kind, id) = match text_field(SCENE_KEY) {
            Some(id) => (PendingItemKind::Question, id),
            None => (PendingItemKind::Stage, text_field(STAGE_KEY)?),
        };
        let with = value.get(DATA_KEY).cloned();
        Some(Self {
            item_kind: kind,
            id,
            data: with,
            queued_by_mod: text_field(QUEUED_BY_KEY).unwrap_or_default(),
        })
    }

    fn to_value(&self) -> Value {
        let mut map = ValueMap::new();
        map.insert(Arc::from(self.definition_kind()), Value::Text(self.id.clone()));
        map.insert(Arc::from(QUEUED_BY_KEY), Value::Text(self.queued_by_mod.clone()));
        if let Some(with) = &self.data {
            map.insert(Arc::from(DATA_KEY), with.clone());
        }
        Value::Map(map)
    }

    /// The content kind of the definition that it names.
    pub fn definition_kind(&self) -> &'static str {
        match self.item_kind {
            PendingItemKind::Question => SCENE_KEY,
            PendingItemKind::Stage => STAGE_KEY,
        }
    }
}

impl WorldState {
    /// All pending items, the next first.
    pub fn agenda_items(&self) -> Vec<PendingItem> {
        let Some(Value::List(list)) = self.host_value(AGENDA_KEY) else { return Vec::new() };
        list.iter().filter_map(PendingItem::from_value).collect()
    }

    /// Whether any item is pending.
    pub fn has_pending_items(&self) -> bool {
        self.has_host_value(AGENDA_KEY)
    }

    /// The next pending item.
    pub fn next_agenda_item(&self) -> Option<PendingItem> {
        if !self.has_pending_items() {
            return None;
        }
        self.agenda_items().into_iter().next()
    }

    /// Adds an item, before those that were pending when the current one began.
    pub fn add_agenda_item(&mut self, item: PendingItem) -> Result<(), String> {
        let mut all = self.agenda_items();
        if all.len() >= limits::MAX_AGENDA_ITEMS {
            return Err(format!(
                "more than {} questions and stages are pending",
                limits::MAX_AGENDA_ITEMS
            ));
        }
        let at = all.len().saturating_sub(self.agenda_length_at_item_start);
        all.insert(at, item);
        self.set_agenda(&all)
    }

    /// Removes and returns the next item, to run it now.
    pub fn take_next_agenda_item(&mut self) -> Option<PendingItem> {
        let mut all = self.agenda_items();
        if all.is_empty() {
            return None;
        }
        let first = all.remove(0);
        self.agenda_length_at_item_start = all.len();
        self.set_agenda(&all).expect("a list that became shorter has room");
        Some(first)
    }

    /// Removes all pending items.
    pub fn clear_agenda(&mut self) {
        if self.has_pending_items() {
            self.set_agenda(&[]).expect("what is taken away needs no room");
        }
    }

    /// An empty list is removed, so a run that never queued anything keeps its digest.
    fn set_agenda(&mut self, all: &[PendingItem]) -> Result<(), String> {
        let list =
            (!all.is_empty()).then(|| Value::List(all.iter().map(PendingItem::to_value).collect()));
        self.set_host_value(AGENDA_KEY, list)
    }
}
