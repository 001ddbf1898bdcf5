//! `explore --texts` on a small game with each fault planted, and on one without.

use std::process::{Command, Output};

const FAULTY_LINES: &str = r#"
  say "The path leads to sub_rosa:gate, and it is open."
  say("It is a \\{door\\} of *oak* and \\*iron.")
  say(gates.north.warning)
  say "There is nil behind the hedge."
  say "Two steps  lie between you and the wall."
  say "Nobody answers.."
  say "the bell rings twice."
  say "It rings again. nobody comes."
  say "You lay a ear to the door."
  say "You have 1 turns; the next have 2 turns."
  say "It takes 1 night, or 2 nights to the sea."
  say "The coast is 3 night away."
  say "You see the guard(s) of the bridge."
"#;

const REPEATED_SENTENCE: &str =
    "  say \"The ferryman says that the river has been wider than this, and may be again.\"\n";

fn explore_texts(lines: &str, gone: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let manifest = crate::support::GAME_MANIFEST.replace("\"game\"", "\"gate\"");
    std::fs::write(folder.path().join("mod.toml"), manifest).unwrap();
    let script = format!(
        r#"kind "gates" {{ warning = field.text, needs = field.text, about = field.text }}
gates "north" {{
  warning = "Old Tam shakes his head at the gate.",
  needs = "met_tam",
  about = "tam",
}}
schema "gone"(field.list {{ field.text }})
schema "done"(field.bool)
schema "met"(field.list {{ field.text }})
fact "gone" {{ doc = "who is gone", tell = function() return state.gone end }}
fact "holds" {{ doc = "what holds", tell = function() return state.met end }}
bot "walker" {{ facts = {{ "gone", "holds" }}, choose = function() return "on" end }}
start(function() state.done = false state.gone = {{ {gone} }} state.met = {{ "met_tam" }} go "gate" end)
local function tell()
{lines}end
scene "gate" {{
  prompt = function()
    return {{ text = "What now?", choices = {{ {{ id = "on", label = "Go on" }} }} }}
  end,
  on = {{ on = function()
    if state.done then
      finish {{ outcome = "home" }}
    else
      state.done = true
      tell()
      tell()
    end
  end }},
}}
"#
    );
    std::fs::write(folder.path().join("gate.luau"), script).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["explore", "--texts", "--game", "gate", "--runs", "4", "--mods"]);
    command.arg(folder.path()).args(arguments).current_dir(std::env::temp_dir());
    command.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap()
}

#[test]
fn each_planted_fault_is_found_with_its_place() {
    let lines = format!("{}{REPEATED_SENTENCE}", FAULTY_LINES.trim_start_matches('\n'));
    let output = explore_texts(&lines, "\"tam\"", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

#[test]
fn a_reason_stands_where_the_text_is_written() {
    let lines = format!("  -- texts(repeated): it is his refrain\n{REPEATED_SENTENCE}");
    let output = explore_texts(&lines, "", &["--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let row = &report["texts"][0];
    assert_eq!((&row["fault"], &row["line"]), (&"repeated".into(), &16.into()), "{report}");
    assert_eq!(row["reason"], "it is his refrain");
    assert_eq!((&row["run"], &row["step"], &row["times"]), (&1.into(), &1.into(), &4.into()));
}

#[test]
fn a_reason_can_be_for_a_field_of_a_kind() {
    let lines =
        "  -- texts(contradiction) gates.warning: his ghost says it\n  say(gates.north.warning)\n";
    let output = explore_texts(lines, "\"tam\"", &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_clean_text_is_not_reported() {
    let output = explore_texts(
        r#"  say "An hour later you have a use for one *ewe*... 'Who is there?' she says. 1 of 3 is gone."
  say "It costs 1 turn; the next costs 2 turns at 12:30. Mr. and Mrs. Pym agree, St. Bride too."
  say(gates.north.warning)
  note "closed: 1 coin, not 1.5"
"#,
        "",
        &[],
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
