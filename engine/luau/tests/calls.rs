//! Calls from and to the host, and errors that pass through it.

use std::cell::Cell;
use std::rc::Rc;

use luau::{ALL_RESULTS, CallError, LuaType, ProtectedCaller, Stack, StackIndex};
use mlua::{Function, Lua, MultiValue};

use super::{call_host_function, fail_with, raised_error, result_in_call};

fn identity_function(lua: &Lua) -> Function {
    lua.load("function(...) return ... end").eval().unwrap()
}

#[test]
fn a_call_with_wrong_counts_is_refused() {
    for (argument_count, result_count) in
        [(0, 0), (1, 0), (-1, 0), (StackIndex::MAX, 0), (StackIndex::MIN, 0)]
    {
        let called = raised_error((), move |stack| stack.call(argument_count, result_count));
        assert!(called.contains("engine: nothing to call"), "{argument_count}: {called}");
    }
    let wants_less_than_all = raised_error(7, |stack| stack.call(0, -2));
    assert!(wants_less_than_all.contains("engine: nothing to call"), "{wants_less_than_all}");
    let no_function = raised_error(7, |stack| stack.call(0, 0));
    assert!(no_function.contains("attempt to call"), "{no_function}");
    let lua = Lua::new();
    let too_many = call_host_function(&lua, identity_function(&lua), |stack| {
        stack.call(0, StackIndex::MAX);
        Ok(0)
    });
    assert!(too_many.unwrap_err().to_string().contains("stack overflow"));
}

#[test]
fn a_handler_must_be_below_the_call() {
    for handler in [0, -1, 2, 3, 4, StackIndex::MAX, luau::upvalue_index(1)] {
        let lua = Lua::new();
        let arguments = (identity_function(&lua), identity_function(&lua), 7);
        let outcome = call_host_function(&lua, arguments, move |stack| {
            stack.protected_call(1, 1, handler);
            Ok(0)
        });
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("the handler of a call"), "{handler}: {error}");
    }
    // A handler that is no function only loses the error.
    result_in_call((7, 8), |stack| {
        assert!(!stack.protected_call(0, 1, 1));
        assert_eq!(stack.top(), 2);
    });
}

#[test]
fn all_results_of_a_call_have_room() {
    let lua = Lua::new();
    let function: Function =
        lua.load("function() return unpack(table.create(5000, 1)) end").eval().unwrap();
    call_host_function(&lua, function, |stack| {
        stack.call(0, ALL_RESULTS);
        assert_eq!((stack.top(), stack.lua_type(5000)), (5000, LuaType::Number));
        (0..5000).for_each(|_| stack.push_bool(true));
        assert_eq!(stack.lua_type(10_000), LuaType::Bool);
        Ok(0)
    })
    .unwrap();
}

#[test]
fn a_body_returns_no_more_than_it_has() {
    for (result_count, expected) in [(0, 0), (1, 1), (2, 2), (3, 2), (StackIndex::MAX, 2), (-1, 0)]
    {
        let results = call_host_function(&Lua::new(), (1, 2), move |_| Ok(result_count));
        assert_eq!(results.unwrap().len(), expected, "{result_count}");
    }
    let nothing_caught =
        call_host_function(&Lua::new(), (), |_| Err(CallError::ErrorOnStack)).unwrap_err();
    assert!(nothing_caught.to_string().contains("engine: too few values"));
}

#[test]
fn too_many_upvalues_are_refused() {
    let lua = Lua::new();
    let upvalues = |count: usize| MultiValue::from_iter((0..count).map(|_| mlua::Value::Nil));
    let create = |count| luau::create_stack_function(&lua, None, upvalues(count), |_| Ok(0));
    create(254).unwrap().call::<()>(()).unwrap();
    assert!(create(255).unwrap_err().to_string().contains("too many upvalues"));
}

/// Counts the values that are dropped.
#[derive(Clone, Default)]
struct DropCounter(Rc<Cell<usize>>);

impl Drop for DropCounter {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn an_error_of_luau_drops_what_the_body_holds() {
    type RaisingBody = fn(Stack<'_>) -> Result<StackIndex, CallError>;
    let bodies: [RaisingBody; 4] = [
        |stack| {
            stack.call(0, 0);
            Ok(0)
        },
        |stack| {
            stack.raw_get(1);
            Ok(0)
        },
        |stack| {
            stack.set_top(StackIndex::MAX);
            Ok(0)
        },
        |_| fail_with("an error of the body"),
    ];
    for (number, body) in bodies.into_iter().enumerate() {
        let lua = Lua::new();
        let raising: Function = lua.load("function() error('raised') end").eval().unwrap();
        let drop_counter = DropCounter::default();
        let count = drop_counter.0.clone();
        let function = luau::create_stack_function(&lua, None, (), move |stack| {
            let _held_by_the_body = drop_counter.clone();
            body(stack)
        });
        let function = function.unwrap();
        (1..=3).for_each(|calls| {
            function.call::<()>(&raising).unwrap_err();
            assert_eq!(count.get(), calls, "body {number}");
        });
        // The counter that the function holds.
        drop((function, lua));
        assert_eq!(count.get(), 4, "body {number}");
    }
}

#[test]
fn protected_work_runs_once_and_may_raise() {
    let (lua, caller) = (Lua::new(), ProtectedCaller::default());
    for _ in 0..3 {
        let error = caller.call_protected::<()>(&lua, 7, |stack| _ = stack.raw_get(1));
        assert!(error.unwrap_err().to_string().contains("engine: not a table"));
        let nested: i64 = caller
            .call_protected(&lua, 7, |stack| {
                let inner: i64 = caller.call_protected(&lua, 8, |_| {}).unwrap();
                stack.push_number(inner as f64 + stack.number(1));
                stack.replace(1);
            })
            .unwrap();
        assert_eq!(nested, 15);
    }
}
