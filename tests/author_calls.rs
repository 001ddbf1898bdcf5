//! `check`: calls are found wherever they stand in an expression.

use author::{WhyRequest, explain_origin};

use crate::author_check::AuthorWorkspace;

const DECLARED: &str =
    "event \"swell\" { height = field.int, crests = field.list { field.text } }\n";

/// Statements that emit an event: `EMIT` is a call, `TABLE` the event.
const FORMS: [&str; 27] = [
    "EMIT",
    "note(tostring(EMIT))",
    "note(tostring(EMIT == nil))",
    "local t = { EMIT, at = EMIT } note(tostring(#t))",
    "local function swell() return EMIT end note(tostring(swell()))",
    "EMIT:rise()",
    "local h = EMIT.height say(tostring(h))",
    "local h = EMIT[\"height\"] say(tostring(h))",
    "local h = (EMIT).height say(tostring(h))",
    "local h = (EMIT :: any).height say(tostring(h))",
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
    "local h = emit((\"swell\"), TABLE).height say(tostring(h))",
    "local e = emit e(\"swell\", TABLE)",
    "local e = emit say(tostring(e(\"swell\", TABLE).height))",
    "local e = emit local f = e f(\"swell\", TABLE)",
    "pcall(emit, \"swell\", TABLE)",
    "say(tostring(emit(\"swell\", TABLE, function(swell) swell.height += 1 end).height))",
];

/// A mod whose hook emits an event in one of these forms.
fn workspace(form: &str, table: &str, kinds: &str, more: &str) -> AuthorWorkspace {
    let statement = form.replace("EMIT", "emit(\"swell\", TABLE)").replace("TABLE", table);
    let script = format!("after(\"leave\", function() {statement} end)\n{more}");
    AuthorWorkspace::with_mod_files(&[("ebb.luau", &script), ("kinds/swell.luau", kinds)])
}

/// The output of `check` for that mod.
fn check_form(form: &str, table: &str, kinds: &str, more: &str) -> String {
    workspace(form, table, kinds, more).check_output()
}

#[test]
fn an_event_is_emitted_wherever_the_call_stands() {
    let (table, hook) = ("{ height = 2, crests = {} }", "before(\"swell\", function() end)\n");
    for form in FORMS {
        let output = check_form(form, table, "", hook);
        assert!(output.contains("[undeclared-event]"), "{form}: {output}");
        assert!(!output.contains("no mod emits"), "{form}: {output}");
        let output = check_form(form, table, DECLARED, hook);
        assert!(output.ends_with("no problems\n"), "{form}: {output}");
    }
}

#[test]
fn why_lists_an_emit_wherever_it_stands() {
    for form in FORMS {
        let author_workspace = workspace(form, "{ height = 2, crests = {} }", DECLARED, "");
        let mut context = author_workspace.command_context();
        (context.game, context.extra_mods) = (Some("harbour".to_owned()), vec!["ebb".to_owned()]);
        let request = WhyRequest { kind: None, name: "swell".to_owned(), json: false };
        let mut out = Vec::new();
        explain_origin(&context, &request, &mut out).unwrap();
        let output = String::from_utf8(out).unwrap();
        assert!(output.contains("emitted at ebb/ebb.luau:1"), "{form}: {output}");
    }
}

#[test]
fn the_fields_of_an_event_are_checked_wherever_it_is_emitted() {
    for form in FORMS {
        let output = check_form(form, "{ hieght = 2, crests = {} }", DECLARED, "");
        assert!(output.contains("\"swell\" has no field `hieght`"), "{form}: {output}");
    }
    for (form, field) in [
        ("say(EMIT.hieght)", "hieght"),
        ("local swell = EMIT say(swell.hieght)", "hieght"),
        ("local e = preview say(e(\"swell\", TABLE).hieght)", "hieght"),
        ("say(emit(\"swell\", TABLE, function(s) s.crest = 1 end).height)", "crest"),
    ] {
        let output = check_form(form, "{ height = 2, crests = {} }", DECLARED, "");
        assert!(output.contains(&format!("\"swell\" has no field `{field}`")), "{form}: {output}");
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
        let output = check_form(form, "", "", hook);
        assert!(!output.contains("no mod emits"), "{form}: {output}");
    }
    for form in ["note(\"emit\")", "local emit = note emit(\"swell\")"] {
        let output = check_form(form, "", "", hook);
        assert!(output.contains("no mod emits"), "{form}: {output}");
    }
}

/// A call that is followed by an index is checked like any other call.
#[test]
fn calls_with_an_index_behind_them_are_checked() {
    for (statement, wanted) in [
        ("say(roll().total)", "[too-few-arguments]"),
        ("local r = roll say(r().total)", "[too-few-arguments]"),
    ] {
        let output = check_form(statement, "", "", "");
        assert!(output.contains(wanted), "{statement}: {output}");
    }
    let output = check_form("", "", "", "rule \"deep\"(function() return roll(\"d6\").x end)\n");
    assert!(output.contains("[side-effect]"), "{output}");
}
