//! The state: allowed writes, rollback, the digest, and diffs.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod properties;
mod writes;

use base::Value;
use state::{Key, StateTree, StoredValue, TableHandle};

fn table_entries(state: &StateTree, node: TableHandle) -> Vec<(Key, StoredValue)> {
    let mut entries_found = Vec::new();
    let mut after = None;
    while let Some((key, slot)) = state.next_entry(node, after.as_ref()).unwrap() {
        entries_found.push((key.clone(), slot));
        after = Some(key);
    }
    entries_found
}

fn root_value(state: &StateTree) -> Value {
    state.table_to_value(state.root()).unwrap()
}

/// The table at a path of keys and indices.
fn table_at(state: &StateTree, path: &[Key]) -> TableHandle {
    path.iter().fold(state.root(), |node, key| match state.get(node, key).unwrap() {
        StoredValue::Table(id) => id,
        other => panic!("{other:?} is no table"),
    })
}

/// A tree from JSON, and the table `t` in it.
fn state_from_json(json: &str) -> (StateTree, TableHandle) {
    let value = serde_json::from_str(&format!("{{\"t\":{json}}}")).unwrap();
    let state = StateTree::from_value(value).unwrap();
    let table = table_at(&state, &[Key::from("t")]);
    (state, table)
}

fn json_of_table(state: &StateTree, node: TableHandle) -> String {
    state.table_to_value(node).unwrap().to_json()
}
