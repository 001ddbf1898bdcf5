//! Single writes: lists, maps, handles, paths, and refusals.

use base::{Value, limits};
use state::{Key, StateError, StateTree, StoredValue, TableHandle, display_state_path};

use super::{json_of_table, state_from_json, table_at, table_entries};

#[test]
fn list_writes_append_insert_and_remove() {
    let (mut state, list) = state_from_json("[10, 20]");
    state.set(list, Key::Index(3), Some(Value::Int(30))).unwrap();
    state.insert_into_list(list, 1, Value::Int(5)).unwrap();
    state.insert_into_list(list, 5, Value::Int(40)).unwrap();
    assert_eq!(json_of_table(&state, list), "[5,10,20,30,40]");
    assert_eq!(state.remove_from_list(list, 2).unwrap(), Some(Value::Int(10)));
    assert_eq!(state.remove_from_list(list, 9).unwrap(), None);
    state.set(list, Key::Index(4), None).unwrap();
    state.set(list, Key::Index(9), None).unwrap();
    assert_eq!(json_of_table(&state, list), "[5,20,30]");
    assert_eq!(state.list_length(list).unwrap(), 3);
    assert_eq!(state.get_by_index(list, 4).unwrap(), StoredValue::Nil);
    assert_eq!(state.get_by_index(list, 0).unwrap(), StoredValue::Nil);
    assert_eq!(state.get_by_text_key(list, "x").unwrap(), StoredValue::Nil);
}

#[test]
fn an_empty_table_becomes_a_list_or_map_at_first_write() {
    let (mut state, table) = state_from_json("{}");
    state.set_by_text_key(table, "a", Some(Value::Int(1))).unwrap();
    assert!(!state.is_list(table).unwrap());
    assert_eq!((state.list_length(table).unwrap(), state.entry_count(table).unwrap()), (0, 1));
    state.set_by_text_key(table, "a", None).unwrap();
    state.set_by_index(table, 1, Some(Value::Int(1))).unwrap();
    assert!(state.is_list(table).unwrap());
    state.remove_from_list(table, 1).unwrap();
    let empty_list_digest = state_from_json("[]").0.digest();
    assert_eq!(state.digest(), empty_list_digest, "an emptied table is an empty table");
}

#[test]
fn entries_are_iterated_in_order_during_removal() {
    let (mut state, table) = state_from_json(r#"{"b":1,"a":2,"Z":3,"é":4,"aa":5}"#);
    let keys: Vec<String> = table_entries(&state, table)
        .iter()
        .map(|(key, _)| display_state_path(std::slice::from_ref(key)))
        .collect();
    assert_eq!(keys, ["Z", "a", "aa", "b", "[\"é\"]"]);
    let mut entry_count = 0;
    let mut previous_key = None;
    while let Some((key, _)) = state.next_entry(table, previous_key.as_ref()).unwrap() {
        state.set(table, key.clone(), None).unwrap();
        entry_count += 1;
        previous_key = Some(key);
    }
    assert_eq!((entry_count, state.entry_count(table).unwrap()), (5, 0));
}

#[test]
fn whole_floats_are_stored_as_integers() {
    let (mut state, table) = state_from_json("{}");
    for number in [2.0, -0.0, 9_007_199_254_740_992.0, 1e300, 0.1] {
        state.set_by_text_key(table, "n", Some(Value::Num(number))).unwrap();
        let stored_value = state.table_to_value(table).unwrap();
        let parsed_from_text: Value = serde_json::from_str(&stored_value.to_json()).unwrap();
        assert_eq!(stored_value, parsed_from_text, "{number}");
    }
    state.set_by_text_key(table, "n", Some(Value::Num(2.0))).unwrap();
    assert_eq!(state.get_by_text_key(table, "n").unwrap(), StoredValue::Int(2));
}

#[test]
fn a_handle_is_stale_after_removal_and_live_after_rollback() {
    let (mut state, items_table) =
        state_from_json(r#"[{"name":"first","in":{"deep":[1]}},{"name":"second"}]"#);
    let first_table = table_at(&state, &[Key::from("t"), Key::Index(1)]);
    let deep_table =
        table_at(&state, &[Key::from("t"), Key::Index(1), Key::from("in"), Key::from("deep")]);
    let second_table = table_at(&state, &[Key::from("t"), Key::Index(2)]);
    let mark = state.open_savepoint();
    state.remove_from_list(items_table, 1).unwrap();
    assert_eq!(state.get_by_text_key(first_table, "name"), Err(StateError::StaleHandle));
    assert_eq!(state.set_by_index(deep_table, 1, None), Err(StateError::StaleHandle));
    assert_eq!(
        display_state_path(&state.path_to_table(second_table)),
        "t[1]",
        "the other moved up and kept its handle"
    );
    // A cell must not be reused while a rollback may restore it.
    for _ in 0..20 {
        state
            .insert_into_list(items_table, 1, Value::map_of([("name", Value::text("moss"))]))
            .unwrap();
    }
    state.rollback_to(mark);
    assert_eq!(
        state.get_by_text_key(first_table, "name").unwrap(),
        StoredValue::Text("first".into())
    );
    assert_eq!(display_state_path(&state.path_to_table(deep_table)), "t[1].in.deep");
    assert_eq!(display_state_path(&state.path_to_table(second_table)), "t[2]");
    let mark = state.open_savepoint();
    state.remove_from_list(items_table, 1).unwrap();
    state.commit_savepoint(mark);
    for _ in 0..20 {
        state.insert_into_list(items_table, 1, Value::map()).unwrap();
        assert!(
            !state.is_live_handle(first_table) && !state.is_live_handle(deep_table),
            "a cell used again is another table"
        );
    }
}

#[test]
fn written_paths_name_each_changed_value() {
    let (mut state, parent_table) =
        state_from_json(r#"{"all":[{"n":1},{"n":2}],"two words":1,"gone":{"x":1}}"#);
    let second_item = table_at(&state, &[Key::from("t"), Key::from("all"), Key::Index(2)]);
    let removed_table = table_at(&state, &[Key::from("t"), Key::from("gone")]);
    let mark = state.open_savepoint();
    state.set_by_text_key(second_item, "n", Some(Value::Int(3))).unwrap();
    state.set_by_text_key(second_item, "n", Some(Value::Int(4))).unwrap();
    state.set_by_text_key(parent_table, "two words", None).unwrap();
    state.set_by_text_key(removed_table, "x", None).unwrap();
    state.set_by_text_key(parent_table, "gone", None).unwrap();
    let written_paths: Vec<String> =
        state.written_paths(&mark).iter().map(|path| display_state_path(path)).collect();
    assert_eq!(written_paths, ["t.all[2].n", "t.gone", "t[\"two words\"]"]);
    state.rollback_to(mark);
}

#[test]
fn refused_writes_explain_why_and_change_nothing() {
    let (mut state, table) = state_from_json(r#"{"list":[1,2,3],"map":{"a":1},"text":"x"}"#);
    let list = table_at(&state, &[Key::from("t"), Key::from("list")]);
    let map = table_at(&state, &[Key::from("t"), Key::from("map")]);
    let root = state.root();
    let deep_value =
        (0..limits::MAX_NESTING_DEPTH).fold(Value::Int(1), |inner, _| Value::List(vec![inner]));
    let wide_value = Value::List(vec![Value::Int(0); limits::MAX_TABLE_ENTRIES + 1]);
    let long_text = Value::text("x".repeat(limits::MAX_TEXT_BYTES + 1));
    let nested_value =
        |value: Value| Value::map_of([("a", Value::Int(1)), ("b", Value::List(vec![value]))]);
    let one_value = || Some(Value::Int(1));
    let refused_writes: Vec<(&str, TableHandle, Key, Option<Value>)> = vec![
        ("a hole", list, Key::Index(5), one_value()),
        ("place 0", list, Key::Index(0), one_value()),
        ("nil inside a list", list, Key::Index(2), None),
        ("text in a list", list, Key::from("x"), one_value()),
        ("place in a map", map, Key::Index(1), one_value()),
        ("place in the root", root, Key::Index(1), one_value()),
        ("too deep", map, Key::from("x"), Some(nested_value(deep_value))),
        ("too wide", map, Key::from("x"), Some(wide_value)),
        ("too long", map, Key::from("x"), Some(nested_value(long_text))),
        ("key too long", map, Key::from(&*"x".repeat(limits::MAX_TEXT_BYTES + 1)), one_value()),
        ("0/0", map, Key::from("x"), Some(nested_value(Value::Num(f64::NAN)))),
        ("1/0", map, Key::from("x"), Some(Value::Num(f64::INFINITY))),
        ("2^53 + 1", map, Key::from("x"), Some(nested_value(Value::Int((1 << 53) + 1)))),
    ];
    let state_before = (json_of_table(&state, table), state.value_count(), state.digest());
    let mut report = String::new();
    for (case_name, node, key, value) in refused_writes {
        let error = state.set(node, key, value).expect_err(case_name);
        report += &format!("{case_name}: {error}\n  {}\n", error.hint());
    }
    let error = state.insert_into_list(list, 9, Value::Int(1)).unwrap_err();
    report += &format!("insert past the end: {error}\n  {}\n", error.hint());
    let error = StateTree::from_value(Value::Int(1)).err().unwrap();
    report += &format!("a root that is no table: {error}\n  {}", error.hint());
    assert_eq!((json_of_table(&state, table), state.value_count(), state.digest()), state_before);
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!(report);
    });
}

#[test]
fn tree_size_and_writes_per_step_are_limited() {
    let (mut state, table) = state_from_json("{}");
    let block_list = Value::List(vec![Value::Int(0); 9_000]);
    let block_nodes = 9_001 + limits::TABLE_COST_ENTRIES;
    let mut earliest_refusal = None;
    for number in 0..20 {
        if let Err(error) =
            state.set_by_text_key(table, &format!("b{number}"), Some(block_list.clone()))
        {
            earliest_refusal = Some((number, error));
            break;
        }
    }
    assert_eq!(
        earliest_refusal,
        Some((limits::MAX_STATE_ENTRIES / block_nodes, StateError::StateTooLarge))
    );
    let nodes_before = state.value_count();
    let mark = state.open_savepoint();
    let write_count = (0..20)
        .map(|_| state.set_by_text_key(table, "b0", Some(block_list.clone())))
        .take_while(|result| *result != Err(StateError::WriteBudgetExceeded))
        .inspect(|result| assert_eq!(*result, Ok(()), "what replaces as much always fits"))
        .count();
    assert_eq!(write_count, limits::MAX_WRITES_PER_STEP / block_nodes);
    state.rollback_to(mark);
    assert_eq!(state.value_count(), nodes_before);
    state.set_by_text_key(table, "b1", None).unwrap();
    state.set_by_text_key(table, "more", Some(block_list)).unwrap();
}

#[test]
fn total_text_of_a_tree_is_limited() {
    let (mut state, table) = state_from_json("{}");
    let long_text = Value::text("x".repeat(limits::MAX_TEXT_BYTES));
    let stored_count = (1..)
        .map(|index| state.set_by_index(table, index, Some(long_text.clone())))
        .take_while(|result| result.is_ok())
        .count();
    assert_eq!(
        stored_count,
        limits::MAX_STATE_TEXT_BYTES / limits::MAX_TEXT_BYTES - 1,
        "the key \"t\" takes a byte"
    );
    state.set_by_index(table, 1, Some(Value::text("short"))).unwrap();
    state.set_by_index(table, 1, Some(long_text)).unwrap();
}

#[test]
fn removed_values_free_their_cells() {
    let (mut state, table) = state_from_json("{}");
    let block_list = Value::List(vec![Value::map_of([("a", Value::map())]); 10]);
    state.set_by_text_key(table, "block", Some(block_list.clone())).unwrap();
    let mut max_cells = 0;
    for round in 0..100 {
        let mark = state.open_savepoint();
        state.set_by_text_key(table, "block", Some(block_list.clone())).unwrap();
        state.set_by_text_key(table, "block", None).unwrap();
        state.set_by_text_key(table, "block", Some(block_list.clone())).unwrap();
        if round % 3 == 0 {
            state.rollback_to(mark)
        } else {
            state.commit_savepoint(mark)
        }
        max_cells = if round < 3 { state.cell_count() } else { max_cells };
    }
    assert_eq!(state.cell_count(), max_cells, "no more cells than a few steps need");
    // A rollback restores the budget of a step's writes.
    let outer_mark = state.open_savepoint();
    for _ in 0..limits::MAX_WRITES_PER_STEP / 90_000 + 5 {
        let inner_mark = state.open_savepoint();
        state
            .set_by_text_key(table, "wide", Some(Value::List(vec![Value::Int(0); 90_000])))
            .unwrap();
        state.rollback_to(inner_mark);
    }
    state.rollback_to(outer_mark);
}
