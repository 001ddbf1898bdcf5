//! Properties that hold for any writes: digests, rollback, handles. Seeds and trees are arbitrary.

use engine::base::Value;
use engine::state::{Key, NodeId, Slot, State, StateError, TableChange, display_state_path};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{entries, root_value};

/// A source of arbitrary values for the properties below.
struct ArbitraryValues(ChaCha8Rng);

impl ArbitraryValues {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.0.next_u32() % bound
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 => Value::Bool(self.below(2) == 1),
            1 => Value::Int(i64::from(self.below(7)) - 3),
            2 => Value::Num(f64::from(self.below(9)) + 0.25),
            3 => Value::Num(f64::from(self.below(3))),
            4 => Value::text(["", "a", "candle", "*"][self.below(4) as usize]),
            5 => Value::List((0..self.below(4)).map(|_| self.value(depth - 1)).collect()),
            _ => {
                let count = self.below(4);
                Value::Map(
                    (0..count)
                        .map(|_| (self.name().as_str().into(), self.value(depth - 1)))
                        .collect(),
                )
            }
        }
    }

    fn name(&mut self) -> String {
        ["a", "b", "c", "bag", "old coat", "x1"][self.below(6) as usize].to_owned()
    }

    fn key(&mut self) -> Key {
        if self.below(2) == 0 { Key::Index(self.below(6)) } else { Key::from(&*self.name()) }
    }

    /// Some table of the tree, at any depth.
    fn table(&mut self, state: &State) -> NodeId {
        let mut node = state.root();
        loop {
            let inner: Vec<NodeId> = entries(state, node)
                .into_iter()
                .filter_map(|(_, slot)| if let Slot::Node(id) = slot { Some(id) } else { None })
                .collect();
            if inner.is_empty() || self.below(4) == 0 {
                return node;
            }
            node = inner[self.below(inner.len() as u32) as usize];
        }
    }

    /// One write, which may be refused.
    fn write(&mut self, state: &mut State) -> Result<(), StateError> {
        let node = self.table(state);
        match self.below(6) {
            0 => state.insert(node, self.below(5) as usize, self.value(3)),
            1 => state.remove(node, self.below(5) as usize).map(|_| ()),
            2 => state.set(node, self.key(), None),
            _ => state.set(node, self.key(), Some(self.value(3))),
        }
    }
}

/// All live handles of the tree, with the paths they report.
fn handles(state: &State) -> Vec<(NodeId, String)> {
    let mut found = vec![(state.root(), String::new())];
    let mut at = 0;
    while at < found.len() {
        for (key, slot) in entries(state, found[at].0) {
            if let Slot::Node(id) = slot {
                let mut path = state.path(found[at].0);
                path.push(key);
                assert_eq!(path, state.path(id), "a table knows where it lies");
                found.push((id, display_state_path(&path)));
            }
        }
        at += 1;
    }
    found
}

#[test]
fn whatever_is_written_the_digest_is_that_of_a_tree_built_anew() {
    for seed in 0..300 {
        let mut whim = ArbitraryValues::new(seed);
        let mut state = State::new();
        for _ in 0..60 {
            let _ = whim.write(&mut state);
            if whim.below(5) == 0 {
                let mut anew = State::from_value(root_value(&state)).unwrap();
                assert_eq!(state.digest(), anew.digest(), "seed {seed}: {:?}", root_value(&state));
                assert_eq!(state.nodes(), anew.nodes(), "seed {seed}");
            }
        }
    }
}

#[test]
fn rolling_back_leaves_values_digest_handles_and_size_as_they_were() {
    for seed in 0..300 {
        let mut whim = ArbitraryValues::new(seed);
        let mut state = State::new();
        for _ in 0..30 {
            let _ = whim.write(&mut state);
        }
        let before = (root_value(&state), handles(&state), state.nodes());
        // The digest is read before, during or only after the writes, because it is computed
        // lazily.
        let digest = State::from_value(before.0.clone()).unwrap().digest();
        if whim.below(2) == 0 {
            assert_eq!(state.digest(), digest);
        }
        let mark = state.mark();
        for _ in 0..40 {
            let _ = whim.write(&mut state);
            if whim.below(8) == 0 {
                state.digest();
            }
            if whim.below(8) == 0 {
                let inner = state.mark();
                let here = root_value(&state);
                for _ in 0..whim.below(10) {
                    let _ = whim.write(&mut state);
                }
                if whim.below(2) == 0 {
                    state.rollback(inner);
                    assert_eq!(root_value(&state), here, "seed {seed}");
                } else {
                    state.commit(inner);
                }
            }
        }
        state.rollback(mark);
        assert_eq!((root_value(&state), handles(&state), state.nodes()), before, "seed {seed}");
        assert_eq!(state.digest(), digest, "seed {seed}");
    }
}

#[test]
fn what_was_committed_stays_as_if_it_had_been_written_without_a_mark() {
    for seed in 0..300 {
        let (mut whim, mut twin) = (ArbitraryValues::new(seed), ArbitraryValues::new(seed));
        let (mut state, mut plain) = (State::new(), State::new());
        for _ in 0..12 {
            let mark = state.mark();
            let inner = state.mark();
            for _ in 0..6 {
                assert_eq!(whim.write(&mut state), twin.write(&mut plain), "seed {seed}");
            }
            state.commit(inner);
            state.commit(mark);
            if seed % 2 == 0 {
                state.digest();
            }
        }
        handles(&state);
        assert_eq!(root_value(&state), root_value(&plain), "seed {seed}");
        assert_eq!(state.nodes(), plain.nodes(), "seed {seed}");
        assert_eq!(state.digest(), plain.digest(), "seed {seed}");
    }
}

#[test]
fn the_digest_holds_through_more_writes_than_are_noted_one_by_one() {
    let mut state = State::new();
    let root = state.root();
    state.set_text(root, "wide", Some(Value::List(vec![Value::Int(0); 3_000]))).unwrap();
    let Slot::Node(wide) = state.get_text(root, "wide").unwrap() else { unreachable!() };
    let mut whim = ArbitraryValues::new(11);
    state.digest();
    for round in 0..6 {
        for _ in 0..[10, 9_000, 30_000][round % 3] {
            let place = 1 + whim.below(3_000);
            let value = Some(Value::Int(i64::from(whim.below(100))));
            state.set_index(wide, place, value).unwrap();
            // Names come and go, so that more is pending than the tree holds.
            let name = format!("n{}", whim.below(40));
            let value = if whim.below(2) == 0 { None } else { Some(whim.value(1)) };
            state.set_text(root, &name, value).unwrap();
        }
        let mut anew = State::from_value(root_value(&state)).unwrap();
        assert_eq!(state.digest(), anew.digest(), "round {round}");
    }
}

#[test]
fn two_trees_that_differ_in_one_leaf_have_two_digests() {
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..2_000 {
        let value = Value::map_of([("t", ArbitraryValues::new(seed).value(2))]);
        let mut state = State::from_value(value).unwrap();
        let text = root_value(&state).to_json();
        if let Some(other) = seen.insert(state.digest(), text.clone()) {
            assert_eq!(other, text);
        }
    }
    assert!(seen.len() > 500, "only {} different trees", seen.len());
}

/// A tree of the same data that knows nothing of how it was written.
fn copy_of(state: &State) -> State {
    State::from_value(root_value(state)).expect("the value of a tree is a tree")
}

#[test]
fn changes_applied_to_the_tree_before_a_step_give_the_tree_after_it() {
    for seed in 0..400 {
        let mut arbitrary = ArbitraryValues::new(seed);
        let mut played = State::new();
        let mut applied = State::new();
        for _ in 0..12 {
            let mark = played.mark();
            for _ in 0..arbitrary.below(12) {
                let inner = played.mark();
                let _ = arbitrary.write(&mut played);
                match arbitrary.below(5) {
                    0 => played.rollback(inner),
                    _ => played.commit(inner),
                }
            }
            let changes = played.changes(&mark);
            let text = serde_json::to_string(&changes).expect("changes have a JSON text");
            let read: Vec<TableChange> = serde_json::from_str(&text).expect("it is read again");
            assert_eq!(read, changes);
            played.commit(mark);
            applied.apply_changes(&read).expect("changes fit the tree before them");
            assert_eq!(root_value(&applied), root_value(&played), "seed {seed}: {text}");
            assert_eq!(applied.digest(), copy_of(&played).digest(), "seed {seed}");
            assert_eq!(applied.nodes(), played.nodes(), "seed {seed}");
            for (node, path) in handles(&applied) {
                assert_eq!(display_state_path(&applied.path(node)), path);
            }
        }
    }
}

#[test]
fn a_list_that_grew_is_written_as_the_new_items() {
    let mut state = State::new();
    let items = (0..1_000).map(Value::Int).collect();
    state.set_text(state.root(), "log", Some(Value::List(items))).expect("a list");
    let Ok(Slot::Node(log)) = state.get_text(state.root(), "log") else { panic!("a list") };
    let mark = state.mark();
    state.remove(log, 1).expect("the first item leaves");
    state.set_index(log, 500, Some(Value::Int(-1))).expect("an item in the middle");
    state.insert(log, 1_000, Value::Int(7)).expect("an item at the end");
    let changes = state.changes(&mark);
    state.commit(mark);
    let text = serde_json::to_string(&changes).expect("changes have a JSON text");
    assert_eq!(
        text,
        r#"[{"path":["log"],"items":[{"at":1,"removed":1},{"at":500,"removed":1,"inserted":[-1]},{"at":1000,"inserted":[7]}]}]"#
    );
}

#[test]
fn changes_that_do_not_fit_are_refused() {
    let fits = |text: &str| {
        let mut state = State::from_value(Value::map_of([("list", Value::List(vec![1.into()]))]))
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
