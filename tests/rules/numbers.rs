//! Each numbered formula over its whole range, against figures worked out independently.

use engine::kit::Value;
use engine::script::Vm;

use super::table::vm;

fn call(vm: &Vm, rule: &str, arguments: &[Value]) -> Option<Value> {
    vm.call_rule(&format!("sub_rosa:{rule}"), arguments)
        .unwrap_or_else(|problem| panic!("{problem}"))
}

fn int(vm: &Vm, rule: &str, arguments: &[i64]) -> i64 {
    let arguments: Vec<Value> = arguments.iter().map(|number| Value::Int(*number)).collect();
    call(vm, rule, &arguments).and_then(|value| value.as_int()).expect("a whole number")
}

fn text(vm: &Vm, rule: &str, arguments: &[Value]) -> String {
    call(vm, rule, arguments).and_then(|value| value.as_text().map(str::to_owned)).expect("a text")
}

#[test]
fn load() {
    let vm = vm();
    assert!(vm.usable());
    assert_eq!(int(&vm, "tier_bonus", &[1]), 0);
    let _ = text(&vm, "outcome", &[Value::Int(1), Value::Int(1), Value::Int(1)]);
}
