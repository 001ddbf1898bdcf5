//! `why`: the provenance of a definition, and the hooks of an event.

use engine::author::{CommandOutcome, WhyRequest, explain};

use crate::author_check::AuthorWorkspace;
use crate::support::manifest_needing;

/// Two mods that change the same things in a declared order.
fn layered_workspace() -> AuthorWorkspace {
    let desk = AuthorWorkspace::new();
    desk.write(
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
    desk.write(
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
    desk
}

fn run_why(what: &[&str], json: bool) -> (CommandOutcome, String) {
    let desk = layered_workspace();
    let mut bench = desk.bench();
    bench.game = Some("harbour".to_owned());
    bench.extra_mods = vec!["ebb".to_owned(), "flood".to_owned()];
    let (kind, name) = match what {
        [kind, name] => (Some((*kind).to_owned()), (*name).to_owned()),
        _ => (None, what.concat()),
    };
    let mut out = Vec::new();
    let outcome = explain(&bench, &WhyRequest { kind, name, json }, &mut out).unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

#[test]
fn every_field_says_who_set_it_where_and_what_it_was_before() {
    let mut all = String::new();
    for id in ["harbour:gull", "skua", "tern", "ebb:petrel"] {
        let (outcome, told) = run_why(&[id], false);
        assert_eq!(outcome, CommandOutcome::Ok, "{told}");
        all += &format!("why {id}\n{told}\n---\n");
    }
    insta::assert_snapshot!("why_fields", all);
}

#[test]
fn the_hosts_own_kinds_are_explained_like_any_other() {
    let mut all = String::new();
    for what in [&["fare"][..], &["view", "quay"], &["scene", "harbour:quay"]] {
        let (outcome, told) = run_why(what, false);
        assert_eq!(outcome, CommandOutcome::Ok, "{told}");
        all += &format!("why {}\n{told}\n---\n", what.join(" "));
    }
    insta::assert_snapshot!("why_host", all);
}

#[test]
fn an_event_lists_its_hooks_in_call_order() {
    let (_, leave) = run_why(&["leave"], false);
    let (_, gone) = run_why(&["gone"], false);
    let (_, boat) = run_why(&["boat"], false);
    insta::assert_snapshot!("why_moments", format!("{leave}---\n{gone}---\n{boat}"));
}

#[test]
fn what_is_not_there_is_told_with_what_was_meant() {
    let mut all = String::new();
    for what in [
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
        let (outcome, told) = run_why(what, false);
        assert_eq!(outcome, CommandOutcome::UsageError);
        all += &format!("{told}---\n");
    }
    insta::assert_snapshot!("why_unknown", all);
}

#[test]
fn a_program_may_read_it() {
    let (_, told) = run_why(&["harbour:gull"], true);
    let page: serde_json::Value = serde_json::from_str(&told).unwrap();
    let fields = page["definitions"][0]["fields"].as_array().unwrap();
    let name = fields.iter().find(|field| field["name"] == "name").unwrap();
    assert_eq!(name["value"], "Black-backed Gull");
    let origins = name["origins"].as_array().unwrap();
    let mods: Vec<&str> = origins.iter().map(|one| one["mod"].as_str().unwrap()).collect();
    assert_eq!(mods, ["flood", "ebb", "harbour"]);
    assert_eq!(origins[0]["before"], "Herring Gull");
    assert_eq!(origins[2]["place"]["line"], 4);
    let leave = fields.iter().find(|field| field["name"] == "on_leave").unwrap();
    assert_eq!(leave["value"]["function"]["wrappers"][0]["owner"], "ebb");
    let (_, moment) = run_why(&["leave"], true);
    let page: serde_json::Value = serde_json::from_str(&moment).unwrap();
    assert_eq!(page["event"]["before"][1]["owner"], "flood");
    assert_eq!(page["event"]["emitted_at"][0]["file"], "play.luau");
    let (_, unknown) = run_why(&["galleon"], true);
    let page: serde_json::Value = serde_json::from_str(&unknown).unwrap();
    assert_eq!(page["problems"][0]["code"], "no-such-definition");
}
