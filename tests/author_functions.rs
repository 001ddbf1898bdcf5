//! `check` sees every function, however it comes to its place: added by a patch, given to a builder,
//! held in a local, called through an export, or in `tests/`.

use crate::author_check::AuthorWorkspace;
use crate::support::manifest_needing;

/// A mod whose module changes the state, and one that needs it.
fn workspace_with_tug(script: &str) -> AuthorWorkspace {
    let workspace = AuthorWorkspace::new();
    let tug = r#"
schema "tug" { pulled = field.int { default = 0 }, boats = field.map { field.record { rope = field.int } } }
local function add(amount: number)
  state.tug.pulled += amount
end
export("tug.pull", function(amount: number): ()
  add(amount)
end)
export("tug.of", function(id: string)
  return state.tug.boats[id]
end)
export("tug.pulled", function(): number
  return state.tug.pulled
end)
export_builder("crewed", function(id: string): (body: { [string]: any }) -> { [string]: any }
  return function(body)
    body.name = id
    return body
  end
end)
kind "jetty" {
  berths = field.list { field.record {
    name = field.text,
    on = field.fn { params = { boat = field.text }, optional = true },
  } },
}
after("leave", function()
  tug.pull(#all(jetty))
end)
"#;
    workspace.write_mod("tug", &manifest_needing("tug", &["harbour"]), &[("tug.luau", tug)]);
    let manifest = manifest_needing("ebb", &["harbour", "tug"]);
    workspace.write_mod("ebb", &manifest, &[("ebb.luau", script)]);
    workspace
}

/// Asserts that `check` reports each of these texts, and nothing else than these Problems.
fn assert_reports(workspace: &AuthorWorkspace, expected: &[&str]) {
    let output = workspace.check_output();
    for text in expected {
        assert!(output.contains(text), "no {text}:\n{output}");
    }
    let count = output.matches("error[").count() + output.matches("warning[").count();
    assert_eq!(count, expected.len(), "{output}");
}

fn assert_clean(workspace: &AuthorWorkspace) {
    let output = workspace.check_output();
    assert!(output.ends_with("no problems\n"), "{output}");
}

#[test]
fn widgets_that_a_patch_adds_are_checked() {
    let script = |widget: &str| {
        format!("patch.view \"harbour:quay\" {{\n  widgets = add {{\n    {widget}\n  }},\n}}\n")
    };
    for (widget, expected) in [
        (
            "function() return { widget = \"gague\", label = \"x\", value = 1, max = 2 } end",
            "did you mean \"gauge\"?",
        ),
        (
            "function() return { widget = \"stat\", label = \"x\", value = \"much\" } end",
            "the widget.value is the text",
        ),
        (
            "function() return { widget = \"stat\", label = \"x\", valeu = 1 } end",
            "has a field \"valeu\"",
        ),
        (
            "function() return { { widget = \"text\", text = \"x\" }, { widget = \"text\", text = 3 } } end",
            "the widget.text is the number 3",
        ),
        ("function() return state.purse > 2 and { widget = \"txt\", text = \"x\" } end", "txt"),
        (
            "function() local w = { widget = \"stat\", label = \"x\", value = true } return w end",
            "the widget.value is true",
        ),
        (
            "function() state.purse = 2 return { widget = \"text\", text = \"x\" } end",
            "`state.purse` was written in a view",
        ),
        (
            "function() say \"x\" return { widget = \"text\", text = \"x\" } end",
            "`say` was used in a view",
        ),
    ] {
        let output =
            AuthorWorkspace::with_mod_files(&[("ebb.luau", &script(widget))]).check_output();
        assert!(output.contains(expected), "{widget}: {output}");
        assert!(output.contains("ebb/ebb.luau:3"), "{widget}: {output}");
    }
    for widget in [
        "function() return nil end",
        "function() return {} end",
        "function() return state.purse > 2 and { widget = \"text\", text = \"x\" } end",
        "function() return { { widget = \"text\", text = \"x\" } } end",
    ] {
        assert_clean(&AuthorWorkspace::with_mod_files(&[("ebb.luau", &script(widget))]));
    }
}

#[test]
fn a_widget_that_a_helper_of_a_view_makes_is_checked() {
    let script = r#"
local function line(label: string)
  return { widget = "stat", label = label, value = "none" }
end
patch.view "harbour:quay"(wrap(function(original)
  local shown = original()
  table.insert(shown.widgets, line("boats"))
  return shown
end))
"#;
    assert_reports(
        &AuthorWorkspace::with_mod_files(&[("ebb.luau", script)]),
        &["the widget.value is the text \"none\""],
    );
}

#[test]
fn changes_behind_a_call_are_reported_where_nothing_may_change() {
    let script = r#"
patch.view "harbour:quay" {
  widgets = add {
    function()
      tug.pull(2)
      return { widget = "stat", label = "pulled", value = tug.pulled() }
    end,
  },
}
before("leave", function(leave)
  leave.fare += 1
  tug.pull(1)
end)
rule "towed"(function()
  local boat = tug.of("gull")
  boat.rope = 3
  return boat.rope
end)
local function count()
  tug.pull(rules.towed())
  return 1
end
scene "pier" {
  prompt = function()
    local kept = tug.of("gull").rope
    return { text = `{count()} {kept}`, choices = { { id = "go", label = "Go" } } }
  end,
  on = {
    go = function()
      tug.pull(count())
    end,
  },
}
after("leave", function()
  go "pier"
end)
"#;
    let expected = [
        "`tug.pull` was used in a view; it writes `state.tug.pulled`",
        "`tug.pull` was used in a before-hook; it writes `state.tug.pulled`",
        "`state.tug.boats[…].rope` was written in a rule",
        "`count` was used in a prompt; it writes `state.tug.pulled`",
    ];
    assert_reports(&workspace_with_tug(script), &expected);
    let output = workspace_with_tug(script).check_output();
    assert!(output.contains("tug/tug.luau:4"), "the write is named: {output}");
}

#[test]
fn a_part_of_the_state_is_known_through_locals_and_functions() {
    let script = r#"
schema "ebb" { foes = field.map { field.record { stage = field.int, name = field.text } } }
local function here()
  return state.ebb.foes.gull
end
rule "look"(function()
  local foe = here()
  foe.stage = 3
  here().name = "x"
  for _, other in state.ebb.foes do
    other.stage = 1
  end
  table.insert(state.ebb.foes, foe)
  return 1
end)
after("leave", function()
  state.ebb = state.ebb or { foes = {} }
  local kept = state.ebb.foes.gull
  kept.stage = rules.look()
end)
"#;
    let expected = [
        "`state.ebb.foes.gull.stage` was written in a rule",
        "`state.ebb.foes.gull.name` was written in a rule",
        "`state.ebb.foes[…].stage` was written in a rule",
        "`state.ebb.foes` was written in a rule",
    ];
    assert_reports(&AuthorWorkspace::with_mod_files(&[("ebb.luau", script)]), &expected);
}

#[test]
fn a_misspelt_field_behind_a_function_of_the_file_is_reported() {
    let script = r#"
schema "ebb" { foes = field.map { field.record { stage = field.int } } }
local function here()
  return state.ebb.foes.gull
end
after("leave", function()
  state.ebb = state.ebb or { foes = {} }
  local foe = here()
  foe.stgae = 3
  foe.stage = "far"
  note(`{here().staeg}`)
end)
"#;
    let expected = [
        "no mod declares `state.ebb.foes.gull.stgae`",
        "`state.ebb.foes.gull.stage` is given the text \"far\"",
        "no mod declares `state.ebb.foes.gull.staeg`",
    ];
    assert_reports(&AuthorWorkspace::with_mod_files(&[("ebb.luau", script)]), &expected);
}

#[test]
fn the_judge_of_a_roll_may_change_nothing() {
    let script = r#"
after("leave", function()
  local total = roll("2d6", "ebb", {
    outcome = function(sum)
      state.purse = sum
      return if sum > 7 then "far" else "near"
    end,
  })
  local chances = odds("2d6", function(sum)
    say "counting"
    return if sum > 7 then "far" else "near"
  end)
  note(`{total} {chances.of}`)
end)
"#;
    let expected = [
        "`state.purse` was written in the judge of a roll",
        "`say` was used in the judge of a roll",
    ];
    assert_reports(&AuthorWorkspace::with_mod_files(&[("ebb.luau", script)]), &expected);
}

#[test]
fn code_that_changes_nothing_of_the_run_is_not_reported() {
    let script = r#"
schema "ebb" { tide = field.int { default = 0 }, list = field.list { field.int } }
local function fresh()
  return { tide = state.ebb.tide }
end
local function each(list: { number }, visit: (item: number) -> ())
  for _, item in list do
    visit(item)
  end
end
rule "look"(function()
  local made, sum = fresh(), 0
  made.tide = 3
  local list = copy(state.ebb.list)
  table.insert(list, made.tide)
  each(list, function(item)
    sum += item
  end)
  return sum
end)
after("leave", function()
  state.ebb = state.ebb or { tide = 0, list = {} }
  state.ebb.tide = rules.look()
end)
"#;
    assert_clean(&AuthorWorkspace::with_mod_files(&[("ebb.luau", script)]));
}

#[test]
fn functions_given_to_a_builder_know_their_argument() {
    let script = |read: &str| {
        format!(
            "jetty \"north\" {{ berths = {{\n  crewed \"first\" {{\n    on = function(visit)\n      say({read})\n    end,\n  }},\n}} }}\n"
        )
    };
    assert_clean(&workspace_with_tug(&script("visit.boat")));
    assert_reports(
        &workspace_with_tug(&script("visit.baot")),
        &["the argument of `on` of a jetty has no field `baot`"],
    );
}

#[test]
fn a_wrapper_returns_a_result_on_every_path() {
    let wrap = |body: &str| {
        format!("patch.rule \"harbour:fare\"(wrap(function(original, one)\n{body}\nend))\n")
    };
    let expected =
        "this wrapper of the rule harbour:fare returns nothing on the path that ends here";
    for body in ["original(one)", "local fare = original(one)\nfare += 1"] {
        assert_reports(&AuthorWorkspace::with_mod_files(&[("ebb.luau", &wrap(body))]), &[expected]);
    }
    for body in
        ["return original(one)", "if one.length > 3 then return 1 end\nreturn original(one)"]
    {
        assert_clean(&AuthorWorkspace::with_mod_files(&[("ebb.luau", &wrap(body))]));
    }
    // With a declared result, each path is checked.
    let export = |body: &str| {
        workspace_with_tug(&format!(
            "patch.export \"tug:tug.pulled\"(wrap(function(original)\n{body}\nend))\n"
        ))
    };
    for body in [
        "if state.purse > 2 then return original() end",
        "if state.purse > 2 then return end\nreturn original()",
        "for _, one in all(boat) do return original() + one.length end",
        "while state.purse > 2 do return original() end",
    ] {
        assert_reports(
            &export(body),
            &["of the export tug:tug.pulled returns nothing on the path"],
        );
    }
    for body in [
        "if state.purse > 2 then return original() else return 2 end",
        "if state.purse > 2 then return original() end\nerror(\"never\")",
        "while true do if state.purse > 2 then return original() end end",
        "repeat if state.purse > 2 then return original() end return 2 until true",
        "repeat if state.purse > 2 then return original() end until false",
        "do return original() end",
    ] {
        assert_clean(&export(body));
    }
}

#[test]
fn declarations_in_functions_of_play_are_reported() {
    let script = r#"
local function make(id: string)
  boat(id) { name = id }
end
make "early"
after("leave", function(leave)
  boat "late" { name = "Late" }
  patch.boat "harbour:gull" { length = 3 }
  go "pier"
end)
scene "pier" {
  prompt = function()
    return { text = "?", choices = { { id = "go", label = "Go" } } }
  end,
  on = {
    go = function()
      before("leave", function() end)
      go "pier"
    end,
  },
}
"#;
    let expected =
        ["`boat` was used in play", "`patch.boat` was used in play", "`before` was used in play"];
    assert_reports(&AuthorWorkspace::with_mod_files(&[("ebb.luau", script)]), &expected);
}

#[test]
fn arguments_that_a_host_function_refuses_are_reported() {
    let script = r#"
after("leave", function(leave)
  local total = roll("2d", "ebb") + roll("2d6+1", "ebb")
  local chances = odds("d0", { high = 3 })
  local one = pick({}, "ebb")
  note(`{total} {one} {chances.of} {#all("bota")} {#all("boat")}`)
end)
"#;
    let expected = [
        "roll cannot read this roll",
        "odds cannot read this roll",
        "`pick` is given an empty list",
        "did you mean \"boat\"?",
    ];
    assert_reports(&AuthorWorkspace::with_mod_files(&[("ebb.luau", script)]), &expected);
}

#[test]
fn the_tests_folder_is_checked() {
    let files = |case: &str, toml: &str| {
        AuthorWorkspace::with_mod_files(&[
            (
                "ebb.luau",
                "export(\"tides.high\", function(): number\n  return 3\nend)\nafter(\"leave\", function()\n  note(`{tides.high()}`)\nend)\n",
            ),
            ("tests/ebb.luau", case),
            ("tests/day.toml", toml),
        ])
    };
    let case = |body: &str| format!("case \"the tide\"(function()\n  {body}\nend)\n");
    let toml = |setup: &str| {
        format!(
            "about = \"a day\"\nseed = 1\nsetup = [\"{setup}\"]\nanswers = [\"close\"]\noutcome = \"closed\"\n"
        )
    };
    let (correct, day) = (case("equals(tides.high(), 3)"), toml("state.purse = 2"));
    assert_clean(&files(&correct, &day));
    for (case, toml, expected) in [
        (case("equals(tides.hihg(), 3)"), day.clone(), "ebb/tests/ebb.luau:2"),
        (case("equls(tides.high(), 3)"), day.clone(), "did you mean `equals`?"),
        (case("equals(tides.high(3), 3)"), day.clone(), "called with one argument"),
        (
            correct
                .replace("(function()", " { optoins = {}, run = function()")
                .replace("end)", "end }"),
            day.clone(),
            "optoins",
        ),
        (
            "case \"a\" { options = { sky = 1 }, answers = { \"close\" } }\n".to_owned(),
            day.clone(),
            "there is no option \"sky\"",
        ),
        (correct.clone(), toml("state.pruse = 2"), "ebb/tests/day.toml:3"),
        (correct.clone(), toml("tides.hgih()"), "did you mean"),
        (correct.clone(), day.replace("seed", "sede"), "sede"),
        (correct.clone(), format!("options = {{ sky = 1 }}\n{day}"), "ebb/tests/day.toml:1"),
    ] {
        let output = files(&case, &toml).check_output();
        assert!(output.contains(expected), "{case}{toml}: {output}");
    }
}

#[test]
fn a_missing_schema_is_told_once() {
    let script = r#"
after("leave", function()
  state.ebb.tide = 3
  state.ebb.name = "low"
  note(`{state.ebb.tide} {state.ebb.boats}`)
end)
"#;
    let workspace = AuthorWorkspace::with_mod_files(&[("ebb.luau", script)]);
    assert_reports(&workspace, &["no mod declares `state.ebb` (4 uses)"]);
    let output = workspace.check_output();
    assert!(
        output
            .contains("schema \"ebb\" { boats = field.any, name = field.text, tide = field.int }"),
        "{output}"
    );
}

#[test]
fn an_option_that_nothing_reads_is_reported() {
    let declared =
        "option \"sky\" { type = \"bool\", default = false, ask = true, label = \"Sky\" }\n";
    let read = |line: &str| {
        let script = format!("{declared}after(\"leave\", function()\n  {line}\nend)\n");
        AuthorWorkspace::with_mod_files(&[("ebb.luau", &script)])
    };
    for line in [
        "note(\"sky\" .. \"!\")\n  note(`{#all(boat)}`)",
        "local given: any = nil note(`{given.sky}`)",
    ] {
        let output = read(line).check_output();
        assert!(!output.contains("no script reads the option"), "{line}: {output}");
    }
    for line in ["note \"skye\"", "-- given.sky"] {
        let output = read(line).check_output();
        assert!(output.contains("no script reads the option \"sky\""), "{line}: {output}");
        assert!(output.contains("ebb/ebb.luau:1"), "{output}");
    }
}
