//! Indices, pushes and the number of values.

use luau::{LuaType, Stack, StackIndex};
use mlua::{Lua, Value};

use super::{call_host_function, indices_without_value, raised_error, result_in_call};

#[test]
fn an_index_without_a_value_reads_as_nil() {
    for index in indices_without_value() {
        result_in_call((7, "text"), move |stack| {
            assert_eq!(stack.lua_type(index), LuaType::Nil, "{index}");
            assert_eq!(stack.number(index), 0.0, "{index}");
            assert!(!stack.is_truthy(index), "{index}");
            assert_eq!(stack.text(index), None, "{index}");
            assert_eq!(stack.value_address(index), 0, "{index}");
            assert!(!stack.raw_equal(index, 1) && !stack.raw_equal(1, index), "{index}");
            assert!(!stack.push_metatable(index) && !stack.has_metatable(index), "{index}");
            assert_eq!(stack.push_metafield(index, "__index"), LuaType::Nil, "{index}");
            assert_eq!(stack.top(), 2, "{index}");
            stack.push_copy(index);
            assert_eq!((stack.top(), stack.lua_type(3)), (3, LuaType::Nil), "{index}");
        });
    }
    let lua = Lua::new();
    let value: Value = luau::call_with_stack(&lua, 7, |_| {}).unwrap();
    assert_eq!(value, Value::Integer(7));
    let upvalue = result_in_call((), |stack| stack.text(luau::upvalue_index(1)).map(str::to_owned));
    assert_eq!(upvalue.as_deref(), Some("up"));
}

#[test]
fn a_write_to_an_index_without_a_value_raises() {
    let mut indices = indices_without_value();
    indices.push(luau::upvalue_index(1));
    for index in indices {
        let replaced = raised_error((7, "text"), move |stack| stack.replace(index));
        assert!(replaced.contains("engine: no such index"), "{index}: {replaced}");
        let inserted = raised_error((7, "text"), move |stack| stack.insert(index));
        assert!(inserted.contains("engine: no such index"), "{index}: {inserted}");
    }
    raised_error((), |stack| stack.replace(1));
    raised_error((), |stack| stack.insert(1));
}

#[test]
fn luau_makes_room_for_whatever_is_pushed() {
    const COUNT: StackIndex = 10_000;
    fn push_many(kind: LuaType, slots: StackIndex, push: impl Fn(Stack<'_>) + 'static) {
        result_in_call([1, 2], move |stack| {
            (0..COUNT).for_each(|_| push(stack));
            assert_eq!(stack.top(), 1 + slots * COUNT);
            assert_eq!(stack.lua_type(1), LuaType::Table);
            for index in [2, COUNT / 2, COUNT].map(|number| 1 + slots * (number - 1) + 1) {
                assert_eq!(stack.lua_type(index), kind, "{index}");
            }
        });
    }
    push_many(LuaType::Nil, 1, |stack| stack.push_nil());
    push_many(LuaType::Bool, 1, |stack| stack.push_bool(true));
    push_many(LuaType::Number, 1, |stack| stack.push_number(1.5));
    push_many(LuaType::Text, 1, |stack| stack.push_text("a text"));
    push_many(LuaType::Table, 1, |stack| stack.push_copy(1));
    push_many(LuaType::Table, 1, |stack| stack.push_table(0, 0));
    push_many(LuaType::Table, 1, |stack| stack.push_shallow_table_copy(1));
    push_many(LuaType::Number, 1, |stack| _ = stack.raw_get_at(1, 2));
    push_many(LuaType::Number, 2, |stack| _ = stack.push_next_entry(1, 0));
    push_many(LuaType::Nil, 1, |stack| stack.set_top(stack.top() + 1));
    push_many(LuaType::Text, 1, |stack| stack.push_plain_data(&base::Value::from("text"), true));
}

#[test]
fn a_full_stack_raises() {
    let pushed = raised_error((), |stack| (0..2_000_000).for_each(|_| stack.push_number(1.0)));
    assert!(pushed.contains("stack overflow"), "{pushed}");
    let read = raised_error([1], |stack| (0..2_000_000).for_each(|_| _ = stack.raw_get_at(1, 1)));
    assert!(read.contains("stack overflow"), "{read}");
    let filled = raised_error((), |stack| stack.set_top(StackIndex::MAX));
    assert!(filled.contains("stack overflow"), "{filled}");
    for count in [-1, StackIndex::MIN] {
        result_in_call((1, 2), move |stack| {
            stack.set_top(count);
            assert_eq!(stack.top(), 0);
        });
    }
}

#[test]
fn a_stack_of_another_vm_or_coroutine_is_refused() {
    let other = Lua::new();
    let read = raised_error((), {
        let other = other.clone();
        move |stack| {
            stack.push_number(1.0);
            drop(stack.read_value::<Value>(&other, 1));
        }
    });
    assert!(read.contains("engine: another VM"), "{read}");
    let pushed = raised_error((), move |stack| drop(stack.push_value(&other, 1)));
    assert!(pushed.contains("engine: another VM"), "{pushed}");

    let lua = Lua::new();
    let weak_lua = lua.weak();
    let body = move |stack: Stack<'_>| Ok(stack.push_values(&weak_lua.upgrade(), 1)?);
    let function = luau::create_stack_function(&lua, None, (), body).unwrap();
    lua.globals().set("host", function).unwrap();
    lua.load("assert(host() == 1)").exec().unwrap();
    let outcome = lua.load("assert(coroutine.wrap(host)() == 1)").exec();
    assert!(outcome.unwrap_err().to_string().contains("engine: another VM"));
}

#[test]
fn texts_outlive_their_place_on_the_stack() {
    let lua = Lua::new();
    let weak_lua = lua.weak();
    call_host_function(&lua, (), move |stack| {
        stack.push_text("a text that only the stack holds, and soon nothing");
        let text = stack.text(1).unwrap();
        stack.set_top(0);
        let lua = weak_lua.upgrade();
        let refusal = luau::collect_garbage(&lua).unwrap_err().to_string();
        assert!(refusal.contains("between calls only"), "{refusal}");
        (0..20_000).for_each(|number| {
            stack.push_text(format!("other texts {number} of about the same length, not kept"));
            stack.set_top(0);
        });
        assert_eq!(text, "a text that only the stack holds, and soon nothing");
        Ok(0)
    })
    .unwrap();
    let used_bytes = lua.used_memory();
    luau::collect_garbage(&lua).unwrap();
    assert!(lua.used_memory() + 1_000_000 < used_bytes);
    assert!(!lua.gc_is_running());
}
