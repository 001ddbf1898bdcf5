//! `why`: the provenance of a definition, and the hooks of an event.

use author::{CommandOutcome, WhyRequest, explain_origin};

use crate::author_check::AuthorWorkspace;
use crate::support::manifest_needing;

/// Two mods that change the same things in a declared order.
fn layered_workspace() -> AuthorWorkspace {
    let workspace = AuthorWorkspace::new();
    workspace.write_mod(
        "ebb",
        &manifest_needing("ebb", &["harbour"]),
        &[(
            "changes.luau",
            r#"
patch.boat "harbour:gull" {
  name = "Herring Gull",
  tags = add { "painted" },
  crew = { oars = 6 },
  on_leave = wrap(function(original, leave)
    original(leave)
  end),
}
patch.rule "harbour:fare"(wrap(function(original, one)
  return original(one) + 1
end))
replace.boat "harbour:skua" {
  name = "Great Skua",
}
boat "petrel" { name = "Petrel", fees = { ["by night"] = 3 } }
before("leave", function(leave) end)
after("leave", function(leave)
  emit("gone", { boat = leave.boat })
end)
"#,
        )],
    );
    workspace.write_mod(
        "flood",
        &manifest_needing("flood", &["harbour", "ebb"]),
        &[(
            "changes.luau",
            r#"
patch.boat "harbour:gull" { name = "Black-backed Gull", tags = drop { "old" } }
patch.boat "harbour:skua" { length = 20, towed_by = "harbour:gull" }
retire.boat "harbour:tern"
patch.view "harbour:quay" {
  widgets = add {
    function() end,
  },
}
before("leave", function(leave) end)
"#,
        )],
    );
    workspace
}

fn run_why(query: &[&str], json: bool) -> (CommandOutcome, String) {
    let workspace = layered_workspace();
    let mut context = workspace.command_context();
    context.game = Some("harbour".to_owned());
    context.extra_mods = vec!["ebb".to_owned(), "flood".to_owned()];
    let (kind, name) = match query {
        [kind, name] => (Some((*kind).to_owned()), (*name).to_owned()),
        _ => (None, query.concat()),
    };
    let mut output_bytes = Vec::new();
    let outcome =
        explain_origin(&context, &WhyRequest { kind, name, json }, &mut output_bytes).unwrap();
    (outcome, String::from_utf8(output_bytes).unwrap())
}

#[test]
fn why_lists_the_origins_of_every_field() {
    let mut all_output = String::new();
    for id in ["harbour:gull", "skua", "tern", "ebb:petrel"] {
        let (outcome, output) = run_why(&[id], false);
        assert_eq!(outcome, CommandOutcome::Ok, "{output}");
        all_output += &format!("why {id}\n{output}\n---\n");
    }
    insta::assert_snapshot!("why_fields", all_output);
}

#[test]
fn why_explains_built_in_kinds() {
    let mut all_output = String::new();
    for query in [&["fare"][..], &["view", "quay"], &["scene", "harbour:quay"]] {
        let (outcome, output) = run_why(query, false);
        assert_eq!(outcome, CommandOutcome::Ok, "{output}");
        all_output += &format!("why {}\n{output}\n---\n", query.join(" "));
    }
    insta::assert_snapshot!("why_host", all_output);
}

#[test]
fn an_event_lists_its_hooks_in_call_order() {
    let (_, leave_output) = run_why(&["leave"], false);
    let (_, gone_output) = run_why(&["gone"], false);
    let (_, boat_output) = run_why(&["boat"], false);
    insta::assert_snapshot!(
        "why_moments",
        format!("{leave_output}---\n{gone_output}---\n{boat_output}")
    );
}

#[test]
fn unknown_names_are_reported_with_suggestions() {
    let mut all_output = String::new();
    for query in [
        &["harbour:gul"][..],
        &["ebb:gull"],
        &["galleon"],
        &["leav"],
        &["bout"],
        &["boat", "harbour:quay"],
        &["bot", "gull"],
        &["bote", "gull"],
        &["\u{1b}[2J"],
    ] {
        let (outcome, output) = run_why(query, false);
        assert_eq!(outcome, CommandOutcome::UsageError);
        all_output += &format!("{output}---\n");
    }
    insta::assert_snapshot!("why_unknown", all_output);
}

#[test]
fn why_output_is_available_as_json() {
    let (_, output) = run_why(&["harbour:gull"], true);
    let output_json: serde_json::Value = serde_json::from_str(&output).unwrap();
    let fields = output_json["definitions"][0]["fields"].as_array().unwrap();
    let name = fields.iter().find(|field| field["name"] == "name").unwrap();
    assert_eq!(name["value"], "Black-backed Gull");
    let origins = name["origins"].as_array().unwrap();
    let mods: Vec<&str> = origins.iter().map(|origin| origin["mod"].as_str().unwrap()).collect();
    assert_eq!(mods, ["flood", "ebb", "harbour"]);
    assert_eq!(origins[0]["before"], "Herring Gull");
    assert_eq!(origins[2]["place"]["line"], 4);
    let leave_field = fields.iter().find(|field| field["name"] == "on_leave").unwrap();
    assert_eq!(leave_field["value"]["function"]["wrappers"][0]["owner"], "ebb");
    let (_, event_output) = run_why(&["leave"], true);
    let output_json: serde_json::Value = serde_json::from_str(&event_output).unwrap();
    assert_eq!(output_json["event"]["before"][1]["owner"], "flood");
    assert_eq!(output_json["event"]["emitted_at"][0]["file"], "play.luau");
    let (_, unknown_output) = run_why(&["galleon"], true);
    let output_json: serde_json::Value = serde_json::from_str(&unknown_output).unwrap();
    assert_eq!(output_json["problems"][0]["code"], "no-such-definition");
}
