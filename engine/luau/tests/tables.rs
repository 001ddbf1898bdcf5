//! Functions that need a table, and values on top.

use luau::{LuaType, Stack, StackIndex};
use mlua::{Lua, Table};

use super::{indices_without_value, raised_error, result_in_call};

#[test]
fn a_value_that_is_no_table_is_refused() {
    type TableUse = fn(Stack<'_>, StackIndex);
    let uses: [TableUse; 12] = [
        |stack, index| _ = stack.raw_get(index),
        |stack, index| _ = stack.raw_get_at(index, 1),
        |stack, index| stack.raw_set(index),
        |stack, index| stack.raw_set_at(index, 1),
        |stack, index| stack.set_field(index, "name"),
        |stack, index| _ = stack.push_next_entry(index, 0),
        |stack, index| _ = stack.list_length(index),
        |stack, index| _ = stack.is_frozen(index),
        |stack, index| stack.set_frozen(index, true),
        |stack, index| stack.push_shallow_table_copy(index),
        |stack, index| stack.charge_table_walk(index),
        |stack, index| {
            stack.push_nil();
            stack.set_metatable(index);
        },
    ];
    for (number, use_table) in uses.into_iter().enumerate() {
        // A number and a text, too.
        for index in [1, 2, luau::upvalue_index(1)].into_iter().chain(indices_without_value()) {
            let error = raised_error((7, "text"), move |stack| use_table(stack, index));
            assert!(error.contains("engine: not a table"), "use {number} at {index}: {error}");
        }
    }
}

#[test]
fn too_few_values_on_top_are_refused() {
    type TableUse = fn(Stack<'_>);
    let uses: [TableUse; 5] = [
        |stack| _ = stack.raw_get(luau::upvalue_index(1)),
        |stack| stack.raw_set_at(luau::upvalue_index(1), 1),
        |stack| stack.get_with_metamethods(luau::upvalue_index(1)),
        |stack| {
            stack.push_text("only a key");
            stack.raw_set(luau::upvalue_index(1));
        },
        |stack| stack.set_field(luau::upvalue_index(1), "name"),
    ];
    for (number, use_table) in uses.into_iter().enumerate() {
        let lua = Lua::new();
        let table = lua.create_table().unwrap();
        let function = luau::create_stack_function(&lua, None, &table, move |stack| {
            use_table(stack);
            Ok(0)
        });
        let error = function.unwrap().call::<()>(()).unwrap_err().to_string();
        let is_refused = error.contains("too few values") || error.contains("no such index");
        assert!(is_refused, "use {number}: {error}");
        assert!(table.is_empty(), "use {number}");
    }
}

#[test]
fn a_walk_may_begin_anywhere() {
    result_in_call([10, 20], |stack| {
        for position in [-1, StackIndex::MIN, 0] {
            assert_eq!(stack.push_next_entry(1, position), 1);
            assert_eq!((stack.number(2), stack.number(3)), (1.0, 10.0));
            stack.set_top(1);
        }
        for position in [4, 1000, StackIndex::MAX] {
            assert!(stack.push_next_entry(1, position) < 0);
            assert_eq!(stack.top(), 1);
        }
    });
}

#[test]
fn a_table_that_changes_during_a_walk_stays_in_bounds() {
    result_in_call([1, 2, 3], |stack| {
        let (mut position, mut entry_count) = (stack.push_next_entry(1, 0), 0);
        while position >= 0 && entry_count < 1000 {
            entry_count += 1;
            stack.set_top(1);
            stack.push_text(format!("name {entry_count}"));
            stack.push_number(1.0);
            stack.raw_set(1);
            position = stack.push_next_entry(1, position);
        }
        stack.set_top(1);
        assert_eq!(stack.list_length(1), 3);
    });
}

#[test]
fn a_frozen_table_a_bad_key_and_a_huge_table_raise() {
    let frozen = raised_error([1], |stack| {
        stack.set_frozen(1, true);
        stack.push_number(1.0);
        stack.raw_set_at(1, 1);
    });
    assert!(frozen.contains("readonly"), "{frozen}");
    for key in [None, Some(f64::NAN)] {
        let bad_key = raised_error([1], move |stack| {
            key.map_or_else(|| stack.push_nil(), |key| stack.push_number(key));
            stack.push_number(1.0);
            stack.raw_set(1);
        });
        assert!(bad_key.contains("table index is"), "{bad_key}");
    }
    let huge = raised_error((), |stack| stack.push_table(0, usize::MAX));
    assert!(huge.contains("table overflow") || huge.contains("memory"), "{huge}");
    let indexed = raised_error(7, |stack| {
        stack.push_text("key");
        stack.get_with_metamethods(1);
    });
    assert!(indexed.contains("attempt to index"), "{indexed}");
}

#[test]
fn only_tables_and_nil_are_metatables() {
    let number = raised_error([1], |stack| {
        stack.push_number(7.0);
        stack.set_metatable(1);
    });
    assert!(number.contains("engine: not a table"), "{number}");
    result_in_call([1], |stack| {
        stack.push_copy(1);
        stack.set_metatable(1);
        assert!(stack.has_metatable(1));
        stack.push_nil();
        stack.set_metatable(1);
        assert!(!stack.has_metatable(1));
    });
}

#[test]
fn upvalues_of_anything_are_read() {
    let lua = Lua::new();
    let functions: Table = lua
        .load("local a, b = 1, {}; a = 2; return { function() return a, b end, 7, 'text', {}, false, print }")
        .eval()
        .unwrap();
    let before = luau::upvalue_fingerprint(&lua, &functions).unwrap();
    assert_eq!(luau::upvalue_fingerprint(&lua, &functions).unwrap(), before);
    let function = functions.get(1).unwrap();
    assert_eq!(luau::read_upvalues(&lua, &function).unwrap().len(), 2);
    let kind = result_in_call((), |stack| stack.lua_type(luau::upvalue_index(2)));
    assert_eq!(kind, LuaType::Nil);
}
