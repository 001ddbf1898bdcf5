//! What a run still has to do before the game goes on where it stands: questions that were asked from a
//! moment, and stages that were put off until they are answered. A list in the host's own table, so that
//! it is saved, digested and taken back like everything else, and plain data, since no value of a script
//! outlives a step.
//!
//! What is added while one of them is being done comes before those that wait, in the order in which it
//! is added: a question about an answer is asked before the next question.

use std::sync::Arc;

use super::world::World;
use crate::kit::value::Map;
use crate::kit::{Value, limits};

/// The list in the host's table.
const WAITING: &str = "waiting";
const SCENE: &str = "scene";
const STAGE: &str = "stage";
const WITH: &str = "with";
const BY: &str = "by";

/// What waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A scene that asks the player.
    Question,
    /// A stage that is done by itself.
    Stage,
}

/// Something that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it is.
    pub sort: Sort,
    /// The whole id of the scene or the stage.
    pub id: Arc<str>,
    /// What it is about: plain data, or nothing.
    pub with: Option<Value>,
    /// The mod that wanted it.
    pub by: Arc<str>,
}

impl Item {
    fn read(value: &Value) -> Option<Self> {
        let text = |name| value.get(name).and_then(Value::as_text).map(Arc::from);
        let (sort, id) = match text(SCENE) {
            Some(id) => (Sort::Question, id),
            None => (Sort::Stage, text(STAGE)?),
        };
        let with = value.get(WITH).cloned();
        Some(Self { sort, id, with, by: text(BY).unwrap_or_default() })
    }

    fn write(&self) -> Value {
        let mut map = Map::new();
        map.insert(Arc::from(self.kind()), Value::Text(self.id.clone()));
        map.insert(Arc::from(BY), Value::Text(self.by.clone()));
        if let Some(with) = &self.with {
            map.insert(Arc::from(WITH), with.clone());
        }
        Value::Map(map)
    }

    /// The kind of what it names.
    pub fn kind(&self) -> &'static str {
        match self.sort {
            Sort::Question => SCENE,
            Sort::Stage => STAGE,
        }
    }
}

impl World {
    /// Everything that waits, the next first.
    pub fn agenda(&self) -> Vec<Item> {
        let Some(Value::List(list)) = self.host_value(WAITING) else { return Vec::new() };
        list.iter().filter_map(Item::read).collect()
    }

    /// Whether anything waits.
    pub fn is_waiting(&self) -> bool {
        self.has_host_value(WAITING)
    }

    /// What waits next.
    pub fn next_item(&self) -> Option<Item> {
        if !self.is_waiting() {
            return None;
        }
        self.agenda().into_iter().next()
    }

    /// Adds something, before what waited when the present item was begun.
    pub fn add_item(&mut self, item: Item) -> Result<(), String> {
        let mut all = self.agenda();
        if all.len() >= limits::WAITING {
            return Err(format!("more than {} questions and stages wait", limits::WAITING));
        }
        let at = all.len().saturating_sub(self.waited);
        all.insert(at, item);
        self.set_agenda(&all)
    }

    /// Takes what is next, to be done now.
    pub fn take_item(&mut self) -> Option<Item> {
        let mut all = self.agenda();
        if all.is_empty() {
            return None;
        }
        let first = all.remove(0);
        self.waited = all.len();
        self.set_agenda(&all).expect("a list that became shorter has room");
        Some(first)
    }

    /// Drops all that waits.
    pub fn drop_items(&mut self) {
        if self.is_waiting() {
            self.set_agenda(&[]).expect("what is taken away needs no room");
        }
    }

    /// An empty list is not kept: a run that never asked anything so is as it was.
    fn set_agenda(&mut self, all: &[Item]) -> Result<(), String> {
        let list = (!all.is_empty()).then(|| Value::List(all.iter().map(Item::write).collect()));
        self.set_host_value(WAITING, list)
    }
}
