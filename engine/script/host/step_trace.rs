//! What a step did, for an author who plays in strict mode: its events, the hooks on them and its
//! writes, in order. Off by default; scripts cannot see it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use serde::Serialize;

use crate::host::Host;
use base::SourceLocation;
use state::{Key, TableHandle};

/// The maximum number of recorded entries of a step.
const MAX_TRACE_ENTRIES: usize = 1_000;

/// One thing that a step did. Those inside an event or an `after` hook are deeper than it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceEntry {
    /// How deep it is, from 0.
    pub depth: usize,
    /// Where it was done: mod, file and line; of a hook, where it is declared.
    pub place: String,
    /// What was done.
    #[serde(flatten)]
    pub action: TracedAction,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TracedAction {
    /// A write to the state; the path of what was written. Of a list that was shortened, sorted or
    /// emptied, the path is that of the list.
    Write {
        /// The keys below `state`.
        path: Vec<Key>,
    },
    /// An event was emitted.
    Event {
        /// Its name.
        name: String,
    },
    /// A `before` hook ran.
    Before {
        /// The fields of the event that it changed.
        changes: Vec<FieldChange>,
    },
    /// An `after` hook began.
    After,
}

/// A field of an event that a hook changed, as texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// Its name.
    pub field: String,
    /// Its value before; empty if it is new.
    pub before: String,
    /// Its value now; empty if it is gone.
    pub now: String,
}

/// The fields of an event, as texts.
pub(crate) type EventFields = BTreeMap<String, String>;

/// Records a step.
#[derive(Default)]
pub(crate) struct StepTrace {
    is_on: Cell<bool>,
    entries: RefCell<Vec<TraceEntry>>,
    /// The event whose `before` hooks run, as the last one left it. Such a hook emits nothing, so
    /// there is one at a time.
    event_fields: RefCell<EventFields>,
}

impl StepTrace {
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.get()
    }

    /// Begins to record, with nothing so far.
    pub(crate) fn begin(&self) {
        self.is_on.set(true);
        self.entries.borrow_mut().clear();
    }

    /// Ends it.
    pub(crate) fn take_entries(&self) -> Vec<TraceEntry> {
        self.is_on.set(false);
        self.entries.take()
    }

    pub(crate) fn add(&self, depth: usize, place: &SourceLocation, action: TracedAction) {
        let mut entries = self.entries.borrow_mut();
        if entries.len() < MAX_TRACE_ENTRIES {
            entries.push(TraceEntry { depth, place: place.to_string(), action });
        }
    }

    /// Remembers the fields of an event; returns how they differ from the ones before.
    pub(crate) fn replace_event_fields(&self, now: EventFields) -> Vec<FieldChange> {
        let before = self.event_fields.replace(now.clone());
        let names = before.keys().chain(now.keys().filter(|name| !before.contains_key(*name)));
        let value = |fields: &EventFields, name: &String| fields.get(name).cloned();
        names
            .filter(|name| before.get(*name) != now.get(*name))
            .map(|name| FieldChange {
                field: name.clone(),
                before: value(&before, name).unwrap_or_default(),
                now: value(&now, name).unwrap_or_default(),
            })
            .collect()
    }
}

impl Host {
    /// How deep in events and `after` hooks the running code is.
    pub(crate) fn trace_depth(&self) -> usize {
        self.call_scope.emit_depth.get() + self.call_scope.after_hook_depth.get()
    }

    /// Records a write, if the step is recorded.
    #[cold]
    pub(crate) fn trace_write(&self, table: TableHandle, key: Option<&Key>) {
        if !self.step_trace.is_on() || self.is_bot_running.get() {
            return;
        }
        let path = self.path_keys_to_node(table).into_iter().chain(key.cloned()).collect();
        let place = self.place_of_caller(&self.lua());
        self.step_trace.add(self.trace_depth(), &place, TracedAction::Write { path });
    }
}
