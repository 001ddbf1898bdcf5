//! Properties that hold for any writes: digests, rollback, handles. Seeds and trees are arbitrary.

use base::Value;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use state::{
    Key, StateError, StateTree, StoredValue, TableChange, TableHandle, display_state_path,
};

use super::{root_value, table_entries};

/// A source of arbitrary values for the properties below.
struct ArbitraryValues(ChaCha8Rng);

impl ArbitraryValues {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.0.next_u32() % bound
    }

    fn random_value(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 => Value::Bool(self.below(2) == 1),
            1 => Value::Int(i64::from(self.below(7)) - 3),
            2 => Value::Num(f64::from(self.below(9)) + 0.25),
            3 => Value::Num(f64::from(self.below(3))),
            4 => Value::text(["", "a", "text", "*"][self.below(4) as usize]),
            5 => Value::List((0..self.below(4)).map(|_| self.random_value(depth - 1)).collect()),
            _ => {
                let count = self.below(4);
                Value::Map(
                    (0..count)
                        .map(|_| (self.random_name().as_str().into(), self.random_value(depth - 1)))
                        .collect(),
                )
            }
        }
    }

    fn random_name(&mut self) -> String {
        ["a", "b", "c", "key", "two words", "x1"][self.below(6) as usize].to_owned()
    }

    fn random_key(&mut self) -> Key {
        if self.below(2) == 0 { Key::Index(self.below(6)) } else { Key::from(&*self.random_name()) }
    }

    /// Some table of the tree, at any depth.
    fn random_table(&mut self, state: &StateTree) -> TableHandle {
        let mut node = state.root();
        loop {
            let inner_tables: Vec<TableHandle> = table_entries(state, node)
                .into_iter()
                .filter_map(
                    |(_, slot)| if let StoredValue::Table(id) = slot { Some(id) } else { None },
                )
                .collect();
            if inner_tables.is_empty() || self.below(4) == 0 {
                return node;
            }
            node = inner_tables[self.below(inner_tables.len() as u32) as usize];
        }
    }

    /// One write, which may be refused.
    fn random_write(&mut self, state: &mut StateTree) -> Result<(), StateError> {
        let node = self.random_table(state);
        match self.below(6) {
            0 => state.insert_into_list(node, self.below(5) as usize, self.random_value(3)),
            1 => state.remove_from_list(node, self.below(5) as usize).map(|_| ()),
            2 => state.set(node, self.random_key(), None),
            _ => state.set(node, self.random_key(), Some(self.random_value(3))),
        }
    }
}

/// All live handles of the tree, with the paths they report.
fn live_handles(state: &StateTree) -> Vec<(TableHandle, String)> {
    let mut handle_paths = vec![(state.root(), String::new())];
    let mut index = 0;
    while index < handle_paths.len() {
        for (key, slot) in table_entries(state, handle_paths[index].0) {
            if let StoredValue::Table(id) = slot {
                let mut path = state.path_to_table(handle_paths[index].0);
                path.push(key);
                assert_eq!(path, state.path_to_table(id), "a table knows where it lies");
                handle_paths.push((id, display_state_path(&path)));
            }
        }
        index += 1;
    }
    handle_paths
}

#[test]
fn the_digest_equals_that_of_a_rebuilt_tree_after_any_writes() {
    for seed in 0..300 {
        let mut values = ArbitraryValues::new(seed);
        let mut state = StateTree::new();
        for _ in 0..60 {
            let _ = values.random_write(&mut state);
            if values.below(5) == 0 {
                let rebuilt_state = StateTree::from_value(root_value(&state)).unwrap();
                assert_eq!(
                    state.digest(),
                    rebuilt_state.digest(),
                    "seed {seed}: {:?}",
                    root_value(&state)
                );
                assert_eq!(state.value_count(), rebuilt_state.value_count(), "seed {seed}");
            }
        }
    }
}

#[test]
fn rollback_restores_values_digest_handles_and_size() {
    for seed in 0..300 {
        let mut values = ArbitraryValues::new(seed);
        let mut state = StateTree::new();
        for _ in 0..30 {
            let _ = values.random_write(&mut state);
        }
        let state_before = (root_value(&state), live_handles(&state), state.value_count());
        // The digest is read before, during or only after the writes, because it is computed
        // lazily.
        let digest = StateTree::from_value(state_before.0.clone()).unwrap().digest();
        if values.below(2) == 0 {
            assert_eq!(state.digest(), digest);
        }
        let mark = state.open_savepoint();
        for _ in 0..40 {
            let _ = values.random_write(&mut state);
            if values.below(8) == 0 {
                state.digest();
            }
            if values.below(8) == 0 {
                let inner_mark = state.open_savepoint();
                let value_at_mark = root_value(&state);
                for _ in 0..values.below(10) {
                    let _ = values.random_write(&mut state);
                }
                if values.below(2) == 0 {
                    state.rollback_to(inner_mark);
                    assert_eq!(root_value(&state), value_at_mark, "seed {seed}");
                } else {
                    state.commit_savepoint(inner_mark);
                }
            }
        }
        state.rollback_to(mark);
        assert_eq!(
            (root_value(&state), live_handles(&state), state.value_count()),
            state_before,
            "seed {seed}"
        );
        assert_eq!(state.digest(), digest, "seed {seed}");
    }
}

#[test]
fn committed_writes_equal_writes_without_a_mark() {
    for seed in 0..300 {
        let (mut values, mut values_without_marks) =
            (ArbitraryValues::new(seed), ArbitraryValues::new(seed));
        let (mut state, mut state_without_marks) = (StateTree::new(), StateTree::new());
        for _ in 0..12 {
            let mark = state.open_savepoint();
            let inner_mark = state.open_savepoint();
            for _ in 0..6 {
                assert_eq!(
                    values.random_write(&mut state),
                    values_without_marks.random_write(&mut state_without_marks),
                    "seed {seed}"
                );
            }
            state.commit_savepoint(inner_mark);
            state.commit_savepoint(mark);
            if seed % 2 == 0 {
                state.digest();
            }
        }
        live_handles(&state);
        assert_eq!(root_value(&state), root_value(&state_without_marks), "seed {seed}");
        assert_eq!(state.value_count(), state_without_marks.value_count(), "seed {seed}");
        assert_eq!(state.digest(), state_without_marks.digest(), "seed {seed}");
    }
}

#[test]
fn the_digest_is_correct_after_more_writes_than_are_tracked() {
    let mut state = StateTree::new();
    let root = state.root();
    state.set_by_text_key(root, "wide", Some(Value::List(vec![Value::Int(0); 3_000]))).unwrap();
    let StoredValue::Table(wide_list) = state.get_by_text_key(root, "wide").unwrap() else {
        unreachable!()
    };
    let mut values = ArbitraryValues::new(11);
    state.digest();
    for round in 0..6 {
        for _ in 0..[10, 9_000, 30_000][round % 3] {
            let index = 1 + values.below(3_000);
            let value = Some(Value::Int(i64::from(values.below(100))));
            state.set_by_index(wide_list, index, value).unwrap();
            // Names come and go, so that more is pending than the tree holds.
            let name = format!("n{}", values.below(40));
            let value = if values.below(2) == 0 { None } else { Some(values.random_value(1)) };
            state.set_by_text_key(root, &name, value).unwrap();
        }
        let rebuilt_state = StateTree::from_value(root_value(&state)).unwrap();
        assert_eq!(state.digest(), rebuilt_state.digest(), "round {round}");
    }
}

#[test]
fn different_trees_have_different_digests() {
    let mut texts_by_digest = std::collections::BTreeMap::new();
    for seed in 0..2_000 {
        let value = Value::map_of([("t", ArbitraryValues::new(seed).random_value(2))]);
        let state = StateTree::from_value(value).unwrap();
        let text = root_value(&state).to_json();
        if let Some(other_text) = texts_by_digest.insert(state.digest(), text.clone()) {
            assert_eq!(other_text, text);
        }
    }
    assert!(texts_by_digest.len() > 500, "only {} different trees", texts_by_digest.len());
}

/// A tree of the same data that knows nothing of how it was written.
fn copy_of(state: &StateTree) -> StateTree {
    StateTree::from_value(root_value(state)).expect("the value of a tree is a tree")
}

#[test]
fn changes_applied_to_the_tree_before_a_step_give_the_tree_after_it() {
    for seed in 0..400 {
        let mut arbitrary = ArbitraryValues::new(seed);
        let mut played = StateTree::new();
        let mut applied = StateTree::new();
        for _ in 0..12 {
            let mark = played.open_savepoint();
            for _ in 0..arbitrary.below(12) {
                let inner = played.open_savepoint();
                let _ = arbitrary.random_write(&mut played);
                match arbitrary.below(5) {
                    0 => played.rollback_to(inner),
                    _ => played.commit_savepoint(inner),
                }
            }
            let changes = played.changes_since(&mark);
            let text = serde_json::to_string(&changes).expect("changes have a JSON text");
            let read: Vec<TableChange> = serde_json::from_str(&text).expect("it is read again");
            assert_eq!(read, changes);
            played.commit_savepoint(mark);
            applied.apply_changes(&read).expect("changes fit the tree before them");
            assert_eq!(root_value(&applied), root_value(&played), "seed {seed}: {text}");
            assert_eq!(applied.digest(), copy_of(&played).digest(), "seed {seed}");
            assert_eq!(applied.value_count(), played.value_count(), "seed {seed}");
            for (node, path) in live_handles(&applied) {
                assert_eq!(display_state_path(&applied.path_to_table(node)), path);
            }
        }
    }
}

#[test]
fn a_list_that_grew_is_written_as_the_new_items() {
    let mut state = StateTree::new();
    let items = (0..1_000).map(Value::Int).collect();
    state.set_by_text_key(state.root(), "log", Some(Value::List(items))).expect("a list");
    let Ok(StoredValue::Table(log)) = state.get_by_text_key(state.root(), "log") else {
        panic!("a list")
    };
    let mark = state.open_savepoint();
    state.remove_from_list(log, 1).expect("the first item leaves");
    state.set_by_index(log, 500, Some(Value::Int(-1))).expect("an item in the middle");
    state.insert_into_list(log, 1_000, Value::Int(7)).expect("an item at the end");
    let changes = state.changes_since(&mark);
    state.commit_savepoint(mark);
    let text = serde_json::to_string(&changes).expect("changes have a JSON text");
    assert_eq!(
        text,
        r#"[{"path":["log"],"items":[{"at":1,"removed":1},{"at":500,"removed":1,"inserted":[-1]},{"at":1000,"inserted":[7]}]}]"#
    );
}

#[test]
fn a_table_that_was_built_anew_is_written_as_what_differs() {
    let text = |state: &StateTree, mark: &state::StateSavepoint| {
        serde_json::to_string(&state.changes_since(mark)).expect("changes have a JSON text")
    };
    let list = |items: &[i64]| Value::List(items.iter().copied().map(Value::Int).collect());
    let parent = |count: i64, items: &[i64]| {
        Value::map_of([("count", count.into()), ("items", list(items)), ("name", "Ann".into())])
    };
    let mut state =
        StateTree::from_value(Value::map_of([("parent", parent(3, &[1, 2, 3]))])).unwrap();
    let mark = state.open_savepoint();
    state.set_by_text_key(state.root(), "parent", Some(parent(4, &[1, 2, 9, 3]))).unwrap();
    assert_eq!(
        text(&state, &mark),
        r#"[{"path":["parent"],"set":{"count":4}},{"path":["parent","items"],"items":[{"at":3,"inserted":[9]}]}]"#
    );
    state.commit_savepoint(mark);
    let mark = state.open_savepoint();
    state.set_by_text_key(state.root(), "parent", Some(parent(4, &[1, 2, 9, 3]))).unwrap();
    assert_eq!(text(&state, &mark), "[]", "nothing differs");
    state.rollback_to(mark);
    // A table that was written before it was replaced is written whole.
    let mark = state.open_savepoint();
    let Ok(StoredValue::Table(node)) = state.get_by_text_key(state.root(), "parent") else {
        panic!("a table")
    };
    state.set_by_text_key(node, "count", Some(Value::Int(0))).unwrap();
    state.set_by_text_key(state.root(), "parent", Some(parent(4, &[]))).unwrap();
    assert!(text(&state, &mark).contains(r#""set":{"parent":{"#), "{}", text(&state, &mark));
    state.rollback_to(mark);
}

#[test]
fn changes_that_do_not_fit_are_refused() {
    let fits = |text: &str| {
        let mut state =
            StateTree::from_value(Value::map_of([("list", Value::List(vec![1.into()]))]))
                .expect("plain data");
        let changes: Vec<TableChange> = serde_json::from_str(text).expect("changes");
        state.apply_changes(&changes).is_ok()
    };
    assert!(fits(r#"[{"path":["list"],"items":[{"at":2,"inserted":[2]}]}]"#));
    assert!(!fits(r#"[{"path":["list"],"items":[{"at":3,"inserted":[2]}]}]"#));
    assert!(!fits(r#"[{"path":["list"],"items":[{"at":0,"removed":1}]}]"#));
    assert!(!fits(r#"[{"path":["list"],"items":[{"at":1,"removed":2}]}]"#));
    assert!(!fits(r#"[{"path":["list"],"items":[{"at":4294967295,"removed":4294967295}]}]"#));
    assert!(fits(
        r#"[{"path":["list"],"items":[{"at":1,"removed":1,"inserted":[5]},{"at":2,"inserted":[6]}]}]"#
    ));
    assert!(!fits(r#"[{"path":["list"],"items":[{"at":2,"inserted":[5]},{"at":1,"removed":1}]}]"#));
    assert!(!fits(r#"[{"path":["list"],"set":{"name":1}}]"#));
    assert!(!fits(r#"[{"path":["list",1],"set":{"name":1}}]"#));
    assert!(!fits(r#"[{"path":["gone"],"set":{"name":1}}]"#));
    assert!(!fits(r#"[{"path":[],"items":[{"at":1,"inserted":[2]}]}]"#));
    assert!(!fits(r#"[{"path":[],"set":{"n":9007199254740993}}]"#));
}
