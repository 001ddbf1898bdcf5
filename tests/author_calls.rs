//! `check`: calls are found wherever they stand in an expression.

use engine::author::{WhyRequest, explain};

use crate::author_check::AuthorWorkspace;

const DECLARED: &str =
    "event \"swell\" { height = field.int, crests = field.list { field.text } }\n";

/// Statements that emit an event: `EMIT` is a call, `TABLE` the event.
const FORMS: [&str; 22] = [
    "EMIT",
    "local h = EMIT.height say(h)",
    "local h = EMIT[\"height\"] say(h)",
    "local h = (EMIT).height say(h)",
    "local h = (EMIT :: any).height say(h)",
    "say(`{EMIT.height}`)",
    "say(tostring(EMIT.height))",
    "local h = 1 + EMIT.height note(tostring(h))",
    "local h = #EMIT.crests note(tostring(h))",
    "local h = if #all(boat) > 2 then EMIT.height else 1 note(tostring(h))",
    "local t = { EMIT.height, at = EMIT.height } note(tostring(#t))",
    "local function height() return EMIT.height end note(tostring(height()))",
    "if EMIT.height > 2 then note(\"high\") end",
    "for _, crest in EMIT.crests do note(crest) end",
    "EMIT.crests[1] = \"white\"",
    "(emit)(\"swell\", TABLE)",
    "local h = emit((\"swell\"), TABLE).height say(h)",
    "local e = emit e(\"swell\", TABLE)",
    "local e = emit say(e(\"swell\", TABLE).height)",
    "local e = emit local f = e f(\"swell\", TABLE)",
    "pcall(emit, \"swell\", TABLE)",
    "say(emit(\"swell\", TABLE, function(swell) swell.height += 1 end).height)",
];

/// A mod whose hook emits an event in one of these forms.
fn workspace(form: &str, table: &str, kinds: &str, more: &str) -> AuthorWorkspace {
    let statement = form.replace("EMIT", "emit(\"swell\", TABLE)").replace("TABLE", table);
    let script = format!("after(\"leave\", function() {statement} end)\n{more}");
    AuthorWorkspace::with(&[("ebb.luau", &script), ("kinds/swell.luau", kinds)])
}

/// The output of `check` for that mod.
fn check_form(form: &str, table: &str, kinds: &str, more: &str) -> String {
    workspace(form, table, kinds, more).check_output()
}

#[test]
fn an_event_is_emitted_wherever_the_call_stands() {
    let (table, hook) = ("{ height = 2, crests = {} }", "before(\"swell\", function() end)\n");
    for form in FORMS {
        let told = check_form(form, table, "", hook);
        assert!(told.contains("[undeclared-event]"), "{form}: {told}");
        assert!(!told.contains("no mod emits"), "{form}: {told}");
        let told = check_form(form, table, DECLARED, hook);
        assert!(told.ends_with("no problems\n"), "{form}: {told}");
    }
}

#[test]
fn why_lists_an_emit_wherever_it_stands() {
    for form in FORMS {
        let desk = workspace(form, "{ height = 2, crests = {} }", DECLARED, "");
        let mut bench = desk.bench();
        (bench.game, bench.extra_mods) = (Some("harbour".to_owned()), vec!["ebb".to_owned()]);
        let request = WhyRequest { kind: None, name: "swell".to_owned(), json: false };
        let mut out = Vec::new();
        explain(&bench, &request, &mut out).unwrap();
        let told = String::from_utf8(out).unwrap();
        assert!(told.contains("emitted at ebb/ebb.luau:1"), "{form}: {told}");
    }
}

#[test]
fn the_fields_of_an_event_are_checked_wherever_it_is_emitted() {
    for form in FORMS {
        let told = check_form(form, "{ hieght = 2, crests = {} }", DECLARED, "");
        assert!(told.contains("\"swell\" has no field `hieght`"), "{form}: {told}");
    }
    for (form, field) in [
        ("say(EMIT.hieght)", "hieght"),
        ("local swell = EMIT say(swell.hieght)", "hieght"),
        ("local e = preview say(e(\"swell\", TABLE).hieght)", "hieght"),
        ("say(emit(\"swell\", TABLE, function(s) s.crest = 1 end).height)", "crest"),
    ] {
        let told = check_form(form, "{ height = 2, crests = {} }", DECLARED, "");
        assert!(told.contains(&format!("\"swell\" has no field `{field}`")), "{form}: {told}");
    }
}

/// If `emit` is passed on, any event may be emitted.
#[test]
fn a_hook_is_not_refused_where_emit_is_used_as_a_value() {
    let hook = "before(\"swell\", function() end)\n";
    for form in [
        "local tools = { send = emit } tools.send(\"swell\", {})",
        "local function send(with) with(\"swell\", {}) end send(emit)",
        "local e = emit local tools = { e } tools[1](\"swell\", {})",
        "local e = emit e = state.other e(\"swell\", {})",
        "local function send() return emit end send()(\"swell\", {})",
    ] {
        let told = check_form(form, "", "", hook);
        assert!(!told.contains("no mod emits"), "{form}: {told}");
    }
    for form in ["note(\"emit\")", "local emit = note emit(\"swell\")"] {
        let told = check_form(form, "", "", hook);
        assert!(told.contains("no mod emits"), "{form}: {told}");
    }
}

/// What is known of a call alone is known of one with an index behind it.
#[test]
fn calls_with_an_index_behind_them_are_checked() {
    for (statement, wanted) in [
        ("say(roll().total)", "[too-few-arguments]"),
        ("local r = roll say(r().total)", "[too-few-arguments]"),
    ] {
        let told = check_form(statement, "", "", "");
        assert!(told.contains(wanted), "{statement}: {told}");
    }
    let told = check_form("", "", "", "rule \"deep\"(function() return roll(\"d6\").x end)\n");
    assert!(told.contains("[side-effect]"), "{told}");
}
