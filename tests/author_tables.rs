//! `check`: tables that have one key twice.

use crate::author_check::AuthorWorkspace;

fn check_text(text: &str) -> String {
    AuthorWorkspace::with_mod_files(&[("ebb.luau", text)]).check_output()
}

#[test]
fn a_key_that_a_definition_has_twice_is_told_with_both_lines() {
    let output = check_text(
        "boat \"petrel\" {\n  name = \"Petrel\",\n  towed_by = \"harbour:gull\",\n  \
         name = \"Auk\",\n}\nafter(\"leave\", function() note(tostring(#all(boat))) end)\n",
    );
    assert_eq!(
        output,
        "warning[duplicate-key]: `name` occurs twice in one table\n  at ebb/ebb.luau:4\n      4 |   \
         name = \"Auk\",\n  expected: each key once: one of the two values is lost\n  help: remove one \
         of the two, or rename its key\n  note: see ebb/ebb.luau:2\n      2 |   name = \"Petrel\",\n\n\
         checked ebb 0.1.0: 1 warning\n"
    );
}

#[test]
fn a_key_is_the_same_however_it_is_written() {
    let after = |statement: &str| format!("after(\"leave\", function()\n{statement}\nend)\n");
    for (table, key) in [
        ("{ a = 1, [\"a\"] = 2 }", "a"),
        ("{ [\"a b\"] = 1, [(\"a b\")] = 2 }", "a b"),
        ("{ [1] = \"x\", [1] = \"y\" }", "[1]"),
        ("{ \"x\", [1] = \"y\" }", "[1]"),
        ("{ [1] = \"y\", \"x\" }", "[1]"),
        ("{ [-0.5] = 1, [-.5] = 2 }", "[-0.5]"),
        ("{ [true] = 1, [true] = 2 }", "[true]"),
        ("{ deep = { { a = 1, a = 2 } } }", "a"),
        ("{ a = function() return { b = 1, b = 2 } end }", "b"),
    ] {
        let output = check_text(&after(&format!("local t = {table} note(tostring(#t))")));
        assert!(
            output.contains(&format!("`{key}` occurs twice in one table")),
            "{table}: {output}"
        );
        assert!(output.contains(": 1 warning"), "{table}: {output}");
    }
    let three = check_text(&after("local t = {\n  a = 1,\n  a = 2,\n  a = 3 } note(tostring(#t))"));
    assert!(three.contains("ebb.luau:4") && three.contains("ebb.luau:5"), "{three}");
    assert_eq!(three.matches("note: see ebb/ebb.luau:3").count(), 2, "{three}");
    for table in [
        "{ a = 1, b = { a = 2 } }",
        "{ 1, 1, [3] = 1 }",
        "{ [\"1\"] = 1, [1] = 2 }",
        "{ [all] = 1, [all] = 2 }",
        "{ [1] = 1, [true] = 2 }",
    ] {
        let output = check_text(&after(&format!("local t = {table} note(tostring(#t))")));
        assert!(!output.contains("duplicate-key"), "{table}: {output}");
    }
}

#[test]
fn a_key_may_be_kept_twice_with_a_reason() {
    let output = check_text(
        "after(\"leave\", function()\n  local t = { a = 1,\n    -- allow(duplicate-key): to compare\n    \
         a = 2 } note(tostring(#t))\nend)\n",
    );
    assert!(output.ends_with("no problems\n"), "{output}");
}
