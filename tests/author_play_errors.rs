//! `check` finds what would fail, or be for nothing, only while somebody plays: writes to values
//! that never change, comparisons that never hold, loops that nothing ends.

use crate::author_check::AuthorWorkspace;

const DECLARATIONS: &str = r#"
option "sky" { type = "one_of", values = { "clear", "storm" }, default = "clear", label = "Sky" }
option "night" { type = "bool", default = false, label = "By night" }
boat "own" { name = "Own" }
event "count" { by = field.record { boats = field.int, names = field.list { field.text } } }
"#;

/// The output of `check` for a mod with a hook, and the line of the hook's first statement.
fn check_hook(event: &str, statements: &str) -> String {
    let script = format!(
        "{DECLARATIONS}{event}, function(event)\n{statements}\nend)\n\
         after(\"leave\", function()\n  if options.sky == \"storm\" and options.night then \
         award {{ motes = 1 }} end\n  \
         emit(\"count\", {{ by = {{ boats = 1, names = {{ \"a\" }} }} }})\nend)\n"
    );
    AuthorWorkspace::with_mod_files(&[("ebb.luau", &script)]).check_output()
}

fn assert_reported_at_first_statement(event: &str, statements: &str, message: &str) {
    let output = check_hook(event, statements);
    assert!(output.contains(message), "{statements}: {output}");
    assert!(output.contains("ebb/ebb.luau:7\n"), "{statements}: {output}");
    assert!(output.contains("1 error\n") || output.contains("1 warning\n"), "{output}");
}

fn assert_no_problems(event: &str, statements: &str) {
    let output = check_hook(event, statements);
    assert!(output.ends_with("no problems\n"), "{statements}: {output}");
}

const AFTER_COUNT: &str = "after(\"count\"";

#[test]
fn writes_to_values_that_never_change_are_reported() {
    for (statement, message) in [
        ("profile.motes = 3", "error[read-only]: `profile.motes` was written to"),
        ("local kept = profile kept.motes = 3", "`profile.motes` was written to"),
        ("game_profile.runs += 1", "`game_profile.runs` was written to"),
        ("table.insert(profile.motes, 1)", "`profile.motes` was written to"),
        ("options.sky = \"storm\"", "error[read-only]: `options.sky` was written to"),
        ("boat.own.length = 9", "error[frozen-table]: `boat.own.length` is written"),
        (
            "local one = boat[\"harbour:gull\"] one.crew.oars = 9",
            "`boat[\"harbour:gull\"].crew.oars` is",
        ),
        ("for _, one in all(boat) do one.length = 9 end", "`boat[…].length` is written"),
        ("table.insert(boat.own.tags, \"wet\")", "`boat.own.tags` is written"),
        ("event.by.boats = 2", "error[frozen-table]: `by.boats` of the event of \"count\""),
    ] {
        assert_reported_at_first_statement(AFTER_COUNT, statement, message);
    }
    for statement in [
        "local own = table.clone(boat.own.tags) table.insert(own, \"wet\")",
        "local boat = { own = {} } boat.own.length = 9",
        "local options = {} options.sky = \"storm\"",
        "state.purse = boat.own.length",
    ] {
        assert_no_problems(AFTER_COUNT, statement);
    }
    assert_no_problems("before(\"count\"", "event.by.boats = 2");
}

#[test]
fn an_option_compared_with_a_value_that_it_never_has_is_reported() {
    for (condition, message) in [
        ("options.sky == \"strom\"", "`options.sky` is compared with \"strom\", a value that it"),
        ("options.night ~= \"true\"", "`options.night` is compared with \"true\", a value that it"),
    ] {
        let statement = format!("if {condition} then note \"!\" end");
        assert_reported_at_first_statement(AFTER_COUNT, &statement, message);
    }
    assert_no_problems(AFTER_COUNT, "if options.sky ~= \"clear\" then note \"!\" end");
}

#[test]
fn a_misspelt_read_of_the_profile_is_reported() {
    assert_reported_at_first_statement(
        AFTER_COUNT,
        "note(tostring(profile.mots))",
        "error[unknown-name]: nothing awards `mots`, so that `profile.mots` is nil",
    );
    for statement in ["note(tostring(profile.motes))", "note(tostring(profile.bygone))"] {
        assert_no_problems(AFTER_COUNT, statement);
    }
    // An award that is worked out may have any name.
    assert_no_problems(
        AFTER_COUNT,
        "note(tostring(profile.mots)) award { [event.by.names[1]] = 1 }",
    );
}

#[test]
fn a_loop_that_nothing_ends_is_reported() {
    for statement in ["while true do state.purse += 1 end", "repeat state.purse += 1 until false"] {
        let message = "error[out-of-fuel]: nothing ends this loop";
        assert_reported_at_first_statement(AFTER_COUNT, statement, message);
    }
    for statement in [
        "repeat state.purse += 1 if state.purse > 3 then break end until false",
        "while true do state.purse += 1 if state.purse > 3 then break end end",
        "while true do for _ = 1, 2 do if state.purse > 3 then return end end end",
        "while true do state.purse -= 1 assert(state.purse > 0) end",
        "while state.purse < 3 do state.purse += 1 end",
    ] {
        assert_no_problems(AFTER_COUNT, statement);
    }
}

#[test]
fn a_wrapper_that_never_uses_the_original_is_reported() {
    let check_wrapper = |wrapper: &str, comment: &str| {
        let script = format!("patch.rule \"harbour:fare\"(wrap({wrapper})){comment}\n");
        AuthorWorkspace::with_mod_files(&[("ebb.luau", &script)]).check_output()
    };
    let ignoring = "function(original, one) return 3 end";
    for wrapper in [ignoring, "function() return 3 end"] {
        let output = check_wrapper(wrapper, "");
        assert!(output.contains("warning[undone-change]: this wrapper never uses"), "{output}");
    }
    for (wrapper, comment) in [
        (ignoring, " -- allow(undone-change): fares are free today"),
        ("function(original, one) return original(one) + 1 end", ""),
        ("function(...) return 3 end", ""),
    ] {
        let output = check_wrapper(wrapper, comment);
        assert!(output.ends_with("no problems\n"), "{output}");
    }
}
