//! Single writes: lists, maps, handles, paths, and refusals.

use engine::base::{Value, limits};
use engine::state::{Key, NodeId, Slot, State, StateError, display_state_path};

use super::{entries, json, table_at, tree};

#[test]
fn lists_grow_and_shrink_at_their_end_and_move_in_their_middle() {
    let (mut state, list) = tree("[10, 20]");
    state.set(list, Key::Index(3), Some(Value::Int(30))).unwrap();
    state.insert(list, 1, Value::Int(5)).unwrap();
    state.insert(list, 5, Value::Int(40)).unwrap();
    assert_eq!(json(&state, list), "[5,10,20,30,40]");
    assert_eq!(state.remove(list, 2).unwrap(), Some(Value::Int(10)));
    assert_eq!(state.remove(list, 9).unwrap(), None);
    state.set(list, Key::Index(4), None).unwrap();
    state.set(list, Key::Index(9), None).unwrap();
    assert_eq!(json(&state, list), "[5,20,30]");
    assert_eq!(state.len(list).unwrap(), 3);
    assert_eq!(state.get_index(list, 4).unwrap(), Slot::Nil);
    assert_eq!(state.get_index(list, 0).unwrap(), Slot::Nil);
    assert_eq!(state.get_text(list, "x").unwrap(), Slot::Nil);
}

#[test]
fn an_empty_table_becomes_whichever_it_is_first_written_as() {
    let (mut state, table) = tree("{}");
    state.set_text(table, "a", Some(Value::Int(1))).unwrap();
    assert!(!state.is_list(table).unwrap());
    assert_eq!((state.len(table).unwrap(), state.count(table).unwrap()), (0, 1));
    state.set_text(table, "a", None).unwrap();
    state.set_index(table, 1, Some(Value::Int(1))).unwrap();
    assert!(state.is_list(table).unwrap());
    state.remove(table, 1).unwrap();
    let same = tree("[]").0.digest();
    assert_eq!(state.digest(), same, "an emptied table is an empty table");
}

#[test]
fn entries_come_in_order_even_while_they_are_taken_away() {
    let (mut state, table) = tree(r#"{"b":1,"a":2,"Z":3,"é":4,"aa":5}"#);
    let keys: Vec<String> = entries(&state, table)
        .iter()
        .map(|(key, _)| display_state_path(std::slice::from_ref(key)))
        .collect();
    assert_eq!(keys, ["Z", "a", "aa", "b", "[\"é\"]"]);
    let mut seen = 0;
    let mut after = None;
    while let Some((key, _)) = state.next(table, after.as_ref()).unwrap() {
        state.set(table, key.clone(), None).unwrap();
        seen += 1;
        after = Some(key);
    }
    assert_eq!((seen, state.count(table).unwrap()), (5, 0));
}

#[test]
fn whole_numbers_stay_whole_and_numbers_that_are_whole_become_so() {
    let (mut state, table) = tree("{}");
    for number in [2.0, -0.0, 9_007_199_254_740_992.0, 1e300, 0.1] {
        state.set_text(table, "n", Some(Value::Num(number))).unwrap();
        let kept = state.value(table).unwrap();
        let through_text: Value = serde_json::from_str(&kept.to_json()).unwrap();
        assert_eq!(kept, through_text, "{number}");
    }
    state.set_text(table, "n", Some(Value::Num(2.0))).unwrap();
    assert_eq!(state.get_text(table, "n").unwrap(), Slot::Int(2));
}

#[test]
fn a_handle_goes_stale_with_its_table_and_comes_back_with_it() {
    let (mut state, bag) = tree(r#"[{"name":"rope","in":{"deep":[1]}},{"name":"salt"}]"#);
    let rope = table_at(&state, &[Key::from("t"), Key::Index(1)]);
    let deep =
        table_at(&state, &[Key::from("t"), Key::Index(1), Key::from("in"), Key::from("deep")]);
    let salt = table_at(&state, &[Key::from("t"), Key::Index(2)]);
    let mark = state.mark();
    state.remove(bag, 1).unwrap();
    assert_eq!(state.get_text(rope, "name"), Err(StateError::StaleHandle));
    assert_eq!(state.set_index(deep, 1, None), Err(StateError::StaleHandle));
    assert_eq!(
        display_state_path(&state.path(salt)),
        "t[1]",
        "the other moved up and kept its handle"
    );
    // A cell must not be reused while a rollback may restore it.
    for _ in 0..20 {
        state.insert(bag, 1, Value::map_of([("name", Value::text("moss"))])).unwrap();
    }
    state.rollback(mark);
    assert_eq!(state.get_text(rope, "name").unwrap(), Slot::Text("rope".into()));
    assert_eq!(display_state_path(&state.path(deep)), "t[1].in.deep");
    assert_eq!(display_state_path(&state.path(salt)), "t[2]");
    let mark = state.mark();
    state.remove(bag, 1).unwrap();
    state.commit(mark);
    for _ in 0..20 {
        state.insert(bag, 1, Value::map()).unwrap();
        assert!(!state.is_live(rope) && !state.is_live(deep), "a cell used again is another table");
    }
}

#[test]
fn what_was_written_is_named_by_its_path() {
    let (mut state, hero) = tree(r#"{"bag":[{"n":1},{"n":2}],"old coat":1,"gone":{"x":1}}"#);
    let second = table_at(&state, &[Key::from("t"), Key::from("bag"), Key::Index(2)]);
    let gone = table_at(&state, &[Key::from("t"), Key::from("gone")]);
    let mark = state.mark();
    state.set_text(second, "n", Some(Value::Int(3))).unwrap();
    state.set_text(second, "n", Some(Value::Int(4))).unwrap();
    state.set_text(hero, "old coat", None).unwrap();
    state.set_text(gone, "x", None).unwrap();
    state.set_text(hero, "gone", None).unwrap();
    let written: Vec<String> =
        state.written_paths(&mark).iter().map(|path| display_state_path(path)).collect();
    assert_eq!(written, ["t.bag[2].n", "t.gone", "t[\"old coat\"]"]);
    state.rollback(mark);
}

#[test]
fn refused_writes_say_why_and_change_nothing() {
    let (mut state, table) = tree(r#"{"list":[1,2,3],"map":{"a":1},"text":"x"}"#);
    let list = table_at(&state, &[Key::from("t"), Key::from("list")]);
    let map = table_at(&state, &[Key::from("t"), Key::from("map")]);
    let root = state.root();
    let deep =
        (0..limits::MAX_NESTING_DEPTH).fold(Value::Int(1), |inner, _| Value::List(vec![inner]));
    let wide = Value::List(vec![Value::Int(0); limits::TABLE_ENTRIES + 1]);
    let long = Value::text("x".repeat(limits::TEXT_BYTES + 1));
    let inside =
        |value: Value| Value::map_of([("a", Value::Int(1)), ("b", Value::List(vec![value]))]);
    let one = || Some(Value::Int(1));
    let tries: Vec<(&str, NodeId, Key, Option<Value>)> = vec![
        ("a hole", list, Key::Index(5), one()),
        ("place 0", list, Key::Index(0), one()),
        ("nil inside a list", list, Key::Index(2), None),
        ("text in a list", list, Key::from("x"), one()),
        ("place in a map", map, Key::Index(1), one()),
        ("place in the root", root, Key::Index(1), one()),
        ("too deep", map, Key::from("x"), Some(inside(deep))),
        ("too wide", map, Key::from("x"), Some(wide)),
        ("too long", map, Key::from("x"), Some(inside(long))),
        ("key too long", map, Key::from(&*"x".repeat(limits::TEXT_BYTES + 1)), one()),
        ("0/0", map, Key::from("x"), Some(inside(Value::Num(f64::NAN)))),
        ("1/0", map, Key::from("x"), Some(Value::Num(f64::INFINITY))),
        ("2^53 + 1", map, Key::from("x"), Some(inside(Value::Int((1 << 53) + 1)))),
    ];
    let before = (json(&state, table), state.nodes(), state.digest());
    let mut told = String::new();
    for (what, node, key, value) in tries {
        let error = state.set(node, key, value).expect_err(what);
        told += &format!("{what}: {error}\n  {}\n", error.hint());
    }
    let error = state.insert(list, 9, Value::Int(1)).unwrap_err();
    told += &format!("insert past the end: {error}\n  {}\n", error.hint());
    let error = State::from_value(Value::Int(1)).err().unwrap();
    told += &format!("a root that is no table: {error}\n  {}", error.hint());
    assert_eq!((json(&state, table), state.nodes(), state.digest()), before);
    insta::with_settings!({ snapshot_path => "../snapshots", omit_expression => true }, {
        insta::assert_snapshot!(told);
    });
}

#[test]
fn the_whole_tree_and_what_a_step_writes_are_bounded() {
    let (mut state, table) = tree("{}");
    let block = Value::List(vec![Value::Int(0); 9_000]);
    let weight = 9_001 + limits::NODES_PER_TABLE;
    let mut full = None;
    for number in 0..20 {
        if let Err(error) = state.set_text(table, &format!("b{number}"), Some(block.clone())) {
            full = Some((number, error));
            break;
        }
    }
    assert_eq!(full, Some((limits::STATE_NODES / weight, StateError::StateTooLarge)));
    let before = state.nodes();
    let mark = state.mark();
    let spent = (0..20)
        .map(|_| state.set_text(table, "b0", Some(block.clone())))
        .take_while(|written| *written != Err(StateError::WriteBudgetExceeded))
        .inspect(|written| assert_eq!(*written, Ok(()), "what replaces as much always fits"))
        .count();
    assert_eq!(spent, limits::WRITES_PER_STEP / weight);
    state.rollback(mark);
    assert_eq!(state.nodes(), before);
    state.set_text(table, "b1", None).unwrap();
    state.set_text(table, "more", Some(block)).unwrap();
}

#[test]
fn text_in_the_whole_tree_is_bounded() {
    let (mut state, table) = tree("{}");
    let line = Value::text("x".repeat(limits::TEXT_BYTES));
    let kept = (1..)
        .map(|place| state.set_index(table, place, Some(line.clone())))
        .take_while(|written| written.is_ok())
        .count();
    assert_eq!(kept, limits::STATE_BYTES / limits::TEXT_BYTES - 1, "the key \"t\" takes a byte");
    state.set_index(table, 1, Some(Value::text("short"))).unwrap();
    state.set_index(table, 1, Some(line)).unwrap();
}

#[test]
fn what_is_let_go_makes_room_again() {
    let (mut state, table) = tree("{}");
    let block = Value::List(vec![Value::map_of([("a", Value::map())]); 10]);
    state.set_text(table, "block", Some(block.clone())).unwrap();
    let mut most = 0;
    for round in 0..100 {
        let mark = state.mark();
        state.set_text(table, "block", Some(block.clone())).unwrap();
        state.set_text(table, "block", None).unwrap();
        state.set_text(table, "block", Some(block.clone())).unwrap();
        if round % 3 == 0 {
            state.rollback(mark)
        } else {
            state.commit(mark)
        }
        most = if round < 3 { state.cells() } else { most };
    }
    assert_eq!(state.cells(), most, "no more cells than a few steps need");
    // A rollback restores the budget of a step's writes.
    let outer = state.mark();
    for _ in 0..limits::WRITES_PER_STEP / 90_000 + 5 {
        let inner = state.mark();
        state.set_text(table, "wide", Some(Value::List(vec![Value::Int(0); 90_000]))).unwrap();
        state.rollback(inner);
    }
    state.rollback(outer);
}
