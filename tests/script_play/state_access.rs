//! The state as scripts read and write it.

use base::Value;

use super::{play_handler, refusal_problem, refusal_texts, state_value};

#[test]
fn a_table_of_the_state_reads_and_writes_like_a_table() {
    let (run, _) = play_handler(
        r#"
state.hero = { name = "Ada", bag = { "rope", "lamp" }, hurt = 0.5 }
local hero = state.hero
assert(hero == state.hero, "the same table is the same")
assert(hero.name == "Ada" and hero.bag[2] == "lamp" and #hero.bag == 2)
assert(hero.none == nil and hero.bag[9] == nil and hero.bag.x == nil)
hero.bag[#hero.bag + 1] = "salt"
hero.age = 30
hero.age += 1
state.hero.bag[1] ..= "s"
hero.hurt = nil
hero.deep = { a = { b = { c = 1 } } }
hero.deep.a.b.c -= 3
"#,
    )
    .unwrap();
    let expected = r#"{"hero":{"age":31,"bag":["ropes","lamp","salt"],"deep":{"a":{"b":{"c":-2}}},"name":"Ada"}}"#;
    assert_eq!(state_value(&run).to_json(), expected);
}

#[test]
fn tables_are_copied_when_stored_in_the_state() {
    let (run, _) = play_handler(
        r#"
local mine = { 1, 2 }
state.a = mine
mine[1] = 9
state.b = state.a
state.b[2] = 7
state.both = { state.a, inner = nil }
"#,
    )
    .unwrap();
    assert_eq!(state_value(&run).to_json(), r#"{"a":[1,2],"b":[1,7],"both":[[1,2]]}"#);
}

#[test]
fn iteration_over_state_tables_is_ordered() {
    let (run, _) = play_handler(
        r#"
state.t = { zebra = 1, apple = 2, mid = 3 }
state.l = { "x", "y" }
local order = ""
for key, value in state.t do order ..= key .. value .. " " end
for key, value in pairs(state.t) do order ..= key .. value .. " " end
for index, value in state.l do order ..= index .. value .. " " end
for index, value in ipairs(state.l) do order ..= index .. value .. " " end
for index, value in pairs(state.l) do order ..= index .. value .. " " end
assert(next(state.t) == "apple" and next(state.t, "zebra") == nil)
state.order = order
for key in state.t do state.t[key] = nil end
assert(next(state.t) == nil)
"#,
    )
    .unwrap();
    let table_order = "apple2 mid3 zebra1 ";
    let list_order = "1x 2y ";
    let order = format!("{table_order}{table_order}{list_order}{list_order}{list_order}");
    assert_eq!(state_value(&run).get("order").and_then(Value::as_text), Some(order.as_str()));
}

#[test]
fn table_functions_accept_state_tables() {
    let (run, _) = play_handler(
        r#"
state.l = { 3, 1, 2 }
table.insert(state.l, 5)
table.insert(state.l, 1, 4)
assert(table.remove(state.l, 2) == 3 and table.remove(state.l) == 5)
assert(table.concat(state.l, ",") == "4,1,2", table.concat(state.l, ","))
assert(table.find(state.l, 2) == 3 and table.find(state.l, 8) == nil)
assert(#{ table.unpack(state.l) } == 3)
table.sort(state.l, function(a, b) return a > b end)
local own = table.clone(state.l)
own[1] = 100
state.tables = { { n = 2 }, { n = 1 } }
table.sort(state.tables, function(a, b) return a.n < b.n end)
assert(table.find(state.tables, state.tables[2]) == 2)
local removed = table.remove(state.tables, 1)
assert(removed.n == 1)
removed.n = 50
state.gone = { 1, 2 }
table.clear(state.gone)
local all = copy(state)
all.l[1] = 77
"#,
    )
    .unwrap();
    assert_eq!(state_value(&run).to_json(), r#"{"gone":{},"l":[4,2,1],"tables":[{"n":2}]}"#);
}

#[test]
fn integers_stay_integers_in_the_state() {
    let (run, _) = play_handler(
        "state.a = 6 / 2 state.b = 7 // 2 state.c = 9007199254740992 state.d = -0 state.e = 1 / 4",
    )
    .unwrap();
    let expected = r#"{"a":3,"b":3,"c":9007199254740992,"d":0,"e":0.25}"#;
    assert_eq!(state_value(&run).to_json(), expected);
}

#[test]
fn values_that_the_state_cannot_hold_are_refused() {
    insta::assert_snapshot!(refusal_texts(&[
        "state.hero = { bag = { 1, 2, function() end } }",
        "local t = {} t.self = t state.hero = { bag = t }",
        "state.x = 0 / 0",
        "state.x = { y = 1 / 0 }",
        "state.x = { 1, 2, nil, 4 }",
        "state.x = { 1, 2, name = 3 }",
        "state.x = { [1.5] = true }",
        "state.x = { [true] = true }",
        "state.x = string.char(255)",
        "state.x = rules",
        "local t = {} for i = 1, 30 do t = { t } end state.x = t",
        "state.l = { 1 } state.l[3] = 1",
        "state.l = { 1 } state.l.name = 1",
        "state.l = { a = 1 } state.l[1] = 1",
        "state.l = { 1, 2, 3 } state.l[2] = nil",
        "state[0] = 1",
        "state.x = {} state.x[{}] = 1",
        "state.x = coroutine",
    ]));
}

#[test]
fn access_to_a_removed_state_table_is_refused() {
    insta::assert_snapshot!(refusal_texts(&[
        "state.a = { b = 1 } local a = state.a state.a = nil return a.b",
        "state.a = { b = 1 } local a = state.a state.a = { b = 2 } a.b = 3",
        "state.l = { {}, {} } local first = state.l[1] table.remove(state.l, 1) for _ in first do end",
    ]));
}

#[test]
fn a_state_table_may_not_be_stored_in_a_local() {
    let body = "state.t = { n = 1 } kept = state.t";
    let main = format!("local kept\n{}", super::one_scene_game(body, ""));
    let result = super::start_run(&main).and_then(|mut run| run.choose("go"));
    insta::assert_snapshot!(result.unwrap_err());
}

#[test]
fn the_profile_is_read_only() {
    let (run, _) = play_handler(
        r#"
assert(profile.standing == nil and #profile == 0)
for key in profile do error(key) end
state.copy = copy(profile)
state.same = profile
"#,
    )
    .unwrap();
    assert_eq!(state_value(&run).to_json(), r#"{"copy":{},"same":{}}"#);
    insta::assert_snapshot!(refusal_problem("profile.standing = 3"));
}

#[test]
fn play_functions_are_refused_while_loading() {
    let errors: Vec<String> =
        ["state.x = 1", "local x = state.x", "say 'x'", "local r = roll('d6', 'x')"]
            .iter()
            .map(|line| match super::start_run(&super::one_scene_game("", line)) {
                Ok(_) => panic!("this was not refused: {line}"),
                Err(problem) => problem.to_string(),
            })
            .collect();
    insta::assert_snapshot!(errors.join("\n\n"));
}
