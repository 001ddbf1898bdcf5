//! What changed between two trees, path by path.

use std::collections::BTreeSet;

use super::key::{push_index, push_name};
use crate::kit::Value;

/// One place where two trees differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where, as a script would write it: `hero.bag[3].name`; empty for the whole.
    pub path: String,
    /// What stood there, if anything did.
    pub before: Option<Value>,
    /// What stands there now, if anything does.
    pub after: Option<Value>,
}

/// All places where two trees differ, in the order of their paths. Tables on both sides are
/// compared inside; an empty list and an empty map are the same.
pub fn difference(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(&mut String::new(), Some(before), Some(after), &mut found);
    found
}

fn compare(
    path: &mut String,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    let length = path.len();
    match (before, after) {
        (Some(Value::Map(before)), Some(Value::Map(after))) => {
            let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
            for key in keys {
                push_name(path, key);
                compare(path, before.get(key), after.get(key), found);
                path.truncate(length);
            }
        }
        (Some(Value::List(before)), Some(Value::List(after))) => {
            for index in 0..before.len().max(after.len()) {
                push_index(path, index + 1);
                compare(path, before.get(index), after.get(index), found);
                path.truncate(length);
            }
        }
        (Some(before), Some(after)) if before == after || (empty(before) && empty(after)) => {}
        (None, None) => {}
        (before, after) => found.push(Difference {
            path: path.clone(),
            before: before.cloned(),
            after: after.cloned(),
        }),
    }
}

fn empty(value: &Value) -> bool {
    match value {
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
        _ => false,
    }
}
