//! `check`: what it finds without playing, what it ignores, how it is suppressed, and its messages.

use std::fs;
use std::path::Path;

use author::{CheckRequest, CommandContext, CommandOutcome, check};
use mods::SearchPaths;
use save::DataDir;
use tempfile::TempDir;

use crate::support::{embedded_search_paths, manifest_needing};

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The outcome and output of `check` for these mods.
pub fn run_check(
    context: &CommandContext,
    mods: &[impl ToString],
    json: bool,
) -> (CommandOutcome, String) {
    let mods = mods.iter().map(ToString::to_string).collect();
    let request = CheckRequest { mods, json, refreshes_editor_files: false };
    let mut output_bytes = Vec::new();
    let outcome = check(context, &request, &mut output_bytes).unwrap();
    (outcome, String::from_utf8(output_bytes).unwrap())
}

/// A folder of mods for the harbour game.
pub struct AuthorWorkspace {
    pub folder: TempDir,
}

impl AuthorWorkspace {
    pub fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub fn write_mod(&self, id: &str, manifest: &str, files: &[(&str, &str)]) {
        let folder = self.folder.path().join(id);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("mod.toml"), manifest).unwrap();
        for (path, text) in files {
            let file = folder.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
    }

    /// A mod that needs the harbour.
    pub fn with_mod_files(files: &[(&str, &str)]) -> Self {
        let workspace = Self::new();
        workspace.write_mod("ebb", &manifest_needing("ebb", &["harbour"]), files);
        workspace
    }

    /// The command context; the cache is beside the mods.
    pub fn command_context(&self) -> CommandContext {
        let harbour = Path::new(PROJECT_ROOT).join("tests/games/harbour");
        CommandContext {
            search_paths: SearchPaths {
                named_folders: vec![harbour, self.folder.path().to_owned()],
                ..embedded_search_paths()
            },
            game: None,
            extra_mods: Vec::new(),
            data_dir: DataDir::new(self.folder.path().join(".data")),
            profile_name: "Player".to_owned(),
            folder_flags: String::new(),
        }
    }

    /// The command context with the mods of this repository, and none of the workspace.
    fn context_of_project_mods(&self) -> CommandContext {
        let mut context = self.command_context();
        context.search_paths.named_folders =
            ["base_game", "mods"].map(|name| Path::new(PROJECT_ROOT).join(name)).to_vec();
        context
    }

    fn check(&self, mods: &[&str], json: bool) -> (CommandOutcome, String) {
        self.run_check_for_game(None, mods, json)
    }

    fn run_check_for_game(
        &self,
        game: Option<&str>,
        mods: &[&str],
        json: bool,
    ) -> (CommandOutcome, String) {
        let context = CommandContext { game: game.map(str::to_owned), ..self.command_context() };
        let (outcome, output) = run_check(&context, mods, json);
        let folder = self.folder.path().display().to_string();
        (outcome, output.replace(&folder, "DIR").replace(PROJECT_ROOT, "ROOT"))
    }

    /// The output of `check ebb`.
    pub fn check_output(&self) -> String {
        let (outcome, output) = self.check(&["ebb"], false);
        let is_correct = output.ends_with("no problems\n");
        assert_eq!(
            outcome,
            if is_correct { CommandOutcome::Ok } else { CommandOutcome::Problems },
            "{output}"
        );
        output
    }
}

const NO_PROBLEMS_OUTPUT: &str = "checked ebb 0.1.0: no problems\n";

#[test]
fn a_correct_mod_passes_check() {
    let workspace = AuthorWorkspace::with_mod_files(&[(
        "boats.luau",
        r#"
boat "petrel" { name = "Petrel", towed_by = "harbour:gull" }
after("leave", function(leave)
  local seen = {}
  for _, one in all(boat) do
    seen[one.id] = true
  end
  for id in seen do
    note(id)
  end
end)
"#,
    )]);
    assert_eq!(workspace.check_output(), NO_PROBLEMS_OUTPUT);
}

#[test]
fn changing_a_file_local_in_play_is_reported() {
    let workspace = AuthorWorkspace::with_mod_files(&[(
        "counts.luau",
        r#"
local count, seen = 0, {}
local never

local function once(id)
  never = id
end

after("leave", function(leave)
  count += 1
  seen[leave.boat] = true
  table.insert(seen, leave.boat)
  once(leave.boat)
  local count = 0
  count += 1
  local list = {}
  list[1] = count
  local function add()
    count += 1
  end
  add()
end)
"#,
    )]);
    insta::assert_snapshot!("check_kept", workspace.check_output());
}

#[test]
fn only_loops_over_unordered_keys_are_reported() {
    let workspace = AuthorWorkspace::with_mod_files(&[(
        "orders.luau",
        r#"
after("leave", function(leave)
  local by_boat, by_table, by_name, made = {}, {}, {}, { [{}] = 1 }
  for _, one in all(boat) do
    by_boat[one] = one.name
    by_name[one.id] = one.name
    by_name[one] = nil
  end
  local keys = { {}, {} }
  for _, key in keys do
    by_table[key] = key.weight
  end
  for one, name in by_boat do
    note(name)
  end
  for key in pairs(by_table) do
    note("x")
  end
  for key in made do
    note("y")
  end
  local plain = {}
  for index, one in ipairs(keys) do
    plain[index] = one
    plain[`{index}`] = one
  end
  for key in plain do
    note("z")
  end
  for key, value in leave do
    note(key)
  end
end)
"#,
    )]);
    insta::assert_snapshot!("check_loops", workspace.check_output());
}

#[test]
fn texts_too_long_for_a_line_are_reported_at_their_line() {
    let long_text = "a name that goes on and on and on until it leaves the screen behind it";
    let workspace = AuthorWorkspace::with_mod_files(&[
        (
            "kinds/lamp.luau",
            r#"
kind "lamp" {
  names = field.list { field.text { columns = 12 } },
  label = field.record { words = field.text { columns = 20 }, free = field.text { default = "" } },
  light = field.int { default = 3 },
}
"#,
        ),
        (
            "lamps.luau",
            &format!(
                r#"
boat "petrel" {{ name = "{long_text}" }}
boat "skerry" {{ name = "Two\nlines", towed_by = "petrel" }}
lamp "one" {{
  names = {{
    "short", "*emphasis*",
    "fourteen wide.",
  }},
  label = {{
    free = "{long_text}",
    words = "light {{light}} of *all* stars",
  }},
}}
lamp "two" {{ names = {{}}, label = {{ words = "warm {{light}} \\{{sic\\}}" }} }}
scene "ashore" {{
  prompt = function()
    return {{ text = "{long_text}", choices = {{ {{ id = "go", label = "{long_text}" }}, {{ id = "no", label = "No" }} }} }}
  end,
}}
after("leave", function()
  push "ashore"
  note(all(lamp)[1].id .. boat.petrel.name .. boat.skerry.name)
end)
"#
            ),
        ),
    ]);
    insta::assert_snapshot!("check_lines", workspace.check_output());
}

#[test]
fn a_long_label_in_a_patch_is_reported_in_the_patching_mod() {
    let long_text = "Listen to everything that this wall may have to say about you tonight";
    let script_with_label = |label: &str| {
        format!(
            "patch.scene \"harbour:quay\" {{\n  choices = add {{\n    {{ id = \"x\", label = \"Wait\", on = function() end }},\n    \
             {{ id = \"listen\", label = \"{label}\", on = function() end }},\n  }},\n}}\n"
        )
    };
    let output = AuthorWorkspace::with_mod_files(&[("more.luau", &script_with_label(long_text))])
        .check_output();
    assert!(
        output.contains("is 69 columns wide") && output.contains("ebb/more.luau:4"),
        "{output}"
    );
    let output = AuthorWorkspace::with_mod_files(&[("more.luau", &script_with_label("Listen"))])
        .check_output();
    assert!(output.contains("no problems"), "{output}");
}

#[test]
fn unused_definitions_are_reported() {
    let workspace = AuthorWorkspace::with_mod_files(&[
        (
            "kinds/knot.luau",
            "kind \"knot\" { name = field.text, after = field.ref { \"knot\", optional = true } }\n\
             kind \"flag\" { name = field.text }\n",
        ),
        (
            "knots.luau",
            r#"
knot "bowline" { name = "bowline" }
knot "sheet_bend" { name = "Sheet bend", after = "bowline" }
knot "ring" { name = "Ring", after = "ring" }
knot "old" { name = "Old" }
retire.knot "old"
knot "named" { name = "Named" }
knot "whole" { name = "Whole" }
flag "any" { name = "Any" }
flag "other" { name = "Other" }
rule "called"(function() return 1 end)
rule "forgotten"(function() return 2 end)
scene "reached" { prompt = function() return { text = "?" } end }
scene "unreached" { prompt = function() return { text = "?" } end }
view "unseen"(function() return { widgets = {} } end)
page "always" { title = "Always", text = "." }
patch.knot "sheet_bend" { name = "Bend" }
after("leave", function(leave)
  note(knot.named.name .. knot["ebb:whole"].name .. rules.called())
  note(flag[`a{"ny"}`].name)
  push "reached"
end)
lint(function(registry, report)
  local mentioned = "sheet_bend"
end)
"#,
        ),
    ]);
    insta::assert_snapshot!("check_unused", workspace.check_output());
}

#[test]
fn lints_of_a_game_report_definitions_and_fields() {
    let workspace = AuthorWorkspace::with_mod_files(&[(
        "lints.luau",
        r#"
boat "petrel" {
  name = "Petrel",
  length = 2,
  towed_by = "harbour:tern",
}
boat "prion" { name = "Prion", towed_by = "petrel" }
lint(function(registry, report)
  for _, one in registry.all("boat") do
    if one.length < 5 then
      report(one, "too short for these waters", { field = "length", hint = "five paces will do" })
    end
  end
  if not registry.get("boat", "ebb:puffin") then
    report(nil, "there is no puffin")
  end
  report(registry.get("boat", "ebb:prion"), "is a boat")
end)
lint(function(registry, report)
  registry.all("bout")
end)
lint(function()
  roll("1d6", "x")
end)
lint(function(registry, report)
  report("ebb:petrel", "by its id")
end)
"#,
    )]);
    insta::assert_snapshot!("check_lints", workspace.check_output());
}

#[test]
fn lints_can_ask_which_definitions_were_requested() {
    let workspace = AuthorWorkspace::with_mod_files(&[
        (
            "boats.luau",
            "boat \"petrel\" { name = \"Petrel\" }\npatch.boat \"harbour:tern\" { length = 11 }\n",
        ),
        (
            "lints.luau",
            r#"
lint(function(registry, report)
  local asked = {}
  for _, one in registry.all("boat") do
    if registry.was_requested(one) then
      table.insert(asked, one.id)
    end
  end
  report(nil, table.concat(asked, " "))
end)
lint(function(registry, report)
  registry.was_requested("ebb:petrel")
end)
"#,
        ),
    ]);
    let output = workspace.check_output();
    assert!(output.contains("[lint]: harbour:tern ebb:petrel\n"), "{output}");
    assert!(
        output.contains("`registry.was_requested` got a value that is not a definition"),
        "{output}"
    );
}

#[test]
fn a_warning_is_suppressed_at_its_line_with_a_reason() {
    let workspace = AuthorWorkspace::with_mod_files(&[(
        "quiet.luau",
        r#"
local count = 0
-- allow(unused-definition): called by the next version
rule "later"(function() end)
rule "sooner"(function() end) -- allow(unused-definition): the same
rule "never"(function() end)
after("leave", function()
  -- allow(kept-in-a-local): counts only what is loaded
  -- allow(long-line): nothing here is long
  count += 1
  count += 1 -- allow(kept-in-a-local)
  count += 1 -- allow(kept-in-a-locl): misspelt
end)
-- allow(unknown-field, kept-in-a-local): neither is here
"#,
    )]);
    insta::assert_snapshot!("check_silences", workspace.check_output());
}

#[test]
fn a_warning_without_a_line_is_suppressed_in_the_manifest() {
    let rules = "rule \"later\"(function() end)\n";
    let workspace = AuthorWorkspace::with_mod_files(&[("quiet.luau", rules)]);
    assert!(workspace.check_output().contains("[unused-definition]"));
    let check_with_allow = |allow: &str| {
        let manifest = workspace.folder.path().join("ebb/mod.toml");
        let manifest_text = std::fs::read_to_string(&manifest).unwrap();
        std::fs::write(&manifest, format!("{manifest_text}\n{allow}")).unwrap();
        let output = workspace.check_output();
        std::fs::write(&manifest, manifest_text).unwrap();
        output
    };
    let suppressed_output = check_with_allow(
        "[allow.\"quiet.luau\"]\nunused-definition = \"called by the next version\"\n",
    );
    assert!(suppressed_output.contains("no problems"), "{suppressed_output}");
    let unused_output = check_with_allow("[allow.\"other.luau\"]\nlong-line = \"a quotation\"\n");
    assert!(
        unused_output.contains("[unused-suppression]")
            && unused_output.contains("[unused-definition]"),
        "{unused_output}"
    );
    let output_without_reason =
        check_with_allow("[allow.\"quiet.luau\"]\nunused-definition = \"\"\n");
    assert!(
        output_without_reason.contains("[suppression-without-reason]")
            && output_without_reason.contains("mod.toml"),
        "{output_without_reason}"
    );
}

#[test]
fn the_first_view_of_a_game_counts_as_used() {
    let workspace = AuthorWorkspace::new();
    let view_script = "view \"all\"(function() return { widgets = {} } end)\n";
    let text = format!("{view_script}{}", crate::support::MINIMAL_GAME);
    workspace.write_mod("game", crate::support::GAME_MANIFEST, &[("main.luau", &text)]);
    let folder = workspace.folder.path().join("game").display().to_string();
    assert_eq!(workspace.check(&[&folder], false).1, "checked game 0.1.0: no problems\n");
}

#[test]
fn load_errors_are_reported_together_with_other_findings() {
    let workspace = AuthorWorkspace::with_mod_files(&[
        ("boats.luau", "boat \"petrel\" { name = 3, lenth = 2, towed_by = \"harbour:gul\" }\n"),
        (
            "keeps.luau",
            "local n = 0\nafter(\"leave\", function()\n  n += 1\nend)\n-- allow(lint): not looked at\n",
        ),
        ("lib/never_required.luau", "return {\n  a = ,\n}\n"),
    ]);
    insta::assert_snapshot!("check_broken", workspace.check_output());
}

#[test]
fn texts_with_control_characters_are_refused() {
    let workspace = AuthorWorkspace::with_mod_files(&[(
        "boats.luau",
        "boat \"petrel\" { name = \"a\\27[2Jb\" }\n",
    )]);
    insta::assert_snapshot!("check_control", workspace.check_output());
}

#[test]
fn named_mods_are_checked_together_and_others_one_by_one() {
    let workspace = AuthorWorkspace::new();
    let set_length = |length: u32| format!("patch.boat \"harbour:skua\" {{ length = {length} }}\n");
    workspace.write_mod(
        "ebb",
        &manifest_needing("ebb", &["harbour"]),
        &[("a.luau", &set_length(6))],
    );
    workspace.write_mod(
        "flood",
        &manifest_needing("flood", &["harbour"]),
        &[("a.luau", &set_length(5))],
    );
    workspace.write_mod(
        "slack",
        &manifest_needing("slack", &["ebb"]),
        &[("a.luau", &set_length(4))],
    );
    workspace.write_mod("lost", &manifest_needing("lost", &["harbor", "elsewhere"]), &[]);
    workspace.write_mod("also_lost", &manifest_needing("also_lost", &["elsewhere"]), &[]);
    workspace.write_mod("spoilt", "id = \"spoilt\"\n", &[]);
    let mut all_output = String::new();
    for mods in [
        &["ebb", "slack"][..],
        &["ebb", "flood"],
        &["lost", "also_lost"],
        &["spoilt"],
        &["flod"],
        &["harbour", "sub_rosa"],
        &[],
    ] {
        // Without a name, all mods of the given game.
        let game = mods.is_empty().then_some("harbour");
        let (outcome, output) = workspace.run_check_for_game(game, mods, false);
        all_output += &format!("check {}\n{output}{outcome:?}\n---\n", mods.join(" "));
    }
    insta::assert_snapshot!("check_which", all_output);
}

#[test]
fn check_accepts_a_folder_and_writes_json() {
    let workspace =
        AuthorWorkspace::with_mod_files(&[("a.luau", "rule \"idle\"(function() end)\n")]);
    let folder = workspace.folder.path().join("ebb").display().to_string();
    let (outcome, output) = workspace.check(&[&folder], true);
    assert_eq!(outcome, CommandOutcome::Problems);
    let output_json: serde_json::Value = serde_json::from_str(&output).unwrap();
    assert_eq!(output_json["checked"][0], "ebb 0.1.0");
    assert_eq!(output_json["problems"][0]["code"], "unused-definition");
    assert_eq!(output_json["problems"][0]["place"]["line"], 1);
    let (outcome, output) = workspace.check(&["./nowhere"], false);
    assert_eq!(outcome, CommandOutcome::UsageError);
    assert!(output.contains("error[no-folder]: there is no folder ./nowhere"), "{output}");
    let parent_folder = workspace.folder.path().display().to_string();
    let (_, output) = workspace.check(&[&parent_folder], false);
    assert!(output.contains("the mod is one folder deeper: DIR/ebb"), "{output}");
}

#[test]
fn deeply_nested_scripts_are_checked() {
    for (open, close) in [("(", ")"), ("{", "}"), ("not (", ")")] {
        for depth in [50, 150, 900, 5_000] {
            let text =
                format!("-- deep\nlocal x = {}1{}\n", open.repeat(depth), close.repeat(depth));
            let workspace =
                AuthorWorkspace::with_mod_files(&[("deep.luau", &text), ("lib/deep.luau", &text)]);
            let output = workspace.check_output();
            assert!(
                output == NO_PROBLEMS_OUTPUT || output.contains("error[syntax]"),
                "{depth}: {output}"
            );
        }
    }
    let blocks = format!("{}{}", "do ".repeat(180), "end ".repeat(180));
    assert_eq!(
        AuthorWorkspace::with_mod_files(&[("deep.luau", &blocks)]).check_output(),
        NO_PROBLEMS_OUTPUT
    );
}

/// Test games with mistakes on purpose: one for `explore`, and one whose short texts repeat.
const GAMES_WITH_WARNINGS: [&str; 2] = ["cellar", "medium"];

/// All games and mods of this repository, with their tests.
#[test]
fn the_bundled_mods_and_the_test_games_pass_check() {
    let subfolders = |name: &str| {
        let entries = Path::new(PROJECT_ROOT).join(name).read_dir().unwrap();
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.join("mod.toml").exists())
    };
    let mut folders = vec![Path::new(PROJECT_ROOT).join("base_game")];
    folders.extend(subfolders("mods").chain(subfolders("tests/games")));
    folders.retain(|path| !GAMES_WITH_WARNINGS.iter().any(|name| path.ends_with(name)));
    folders.sort();
    assert!(folders.len() > 15, "{folders:?}");
    for folder in folders {
        let workspace = AuthorWorkspace::new();
        let (outcome, output) =
            run_check(&workspace.context_of_project_mods(), &[folder.display()], false);
        assert_eq!(outcome, CommandOutcome::Ok, "{output}");
    }
}

#[test]
fn key_conflicts_and_unknown_groups_are_reported() {
    let workspace = AuthorWorkspace::with_mod_files(&[(
        "choices.luau",
        r#"
group "tides" { name = "With the tide", key = "w" }
group "winds" { name = "With the wind", submenu = true, key = "w" }

scene "shore" {
  prompt = function()
    return {
      text = "?",
      choices = {
        { id = "ebb", label = "Go out", group = "tides", key = "e" },
        { id = "eat", label = "Eat", group = "tides", key = "e" },
        { id = "east", label = "Go east", group = "winds", key = "e" },
        { id = "look", label = "Look closely", group = "winds", key = "x" },
        { id = "stay", label = "Stay", group = "tydes" },
        { id = "ebb", label = "Go out after all", group = "tides", key = "e" },
      },
    }
  end,
}
after("leave", function(leave)
  go "shore"
end)
"#,
    )]);
    insta::assert_snapshot!(workspace.check_output());
}

#[test]
fn honest_mods_get_no_warnings() {
    let mut folders: Vec<_> =
        Path::new(PROJECT_ROOT).join("tests/honest_mods").read_dir().unwrap().collect();
    folders.sort_by_key(|entry| entry.as_ref().unwrap().path());
    assert!(folders.len() >= 10);
    for folder in folders {
        let workspace = AuthorWorkspace::new();
        let folder = folder.unwrap().path().display().to_string();
        let (outcome, output) = run_check(&workspace.context_of_project_mods(), &[&folder], false);
        assert_eq!(outcome, CommandOutcome::Ok, "{folder}: {output}");
    }
}

/// The search for suggestions is bounded: each name is compared with all others of its file.
#[test]
fn the_number_of_checked_unknown_names_is_limited() {
    let calls: String = (0..7000).map(|index| format!("  foe_name_misspelt{index}(1)\n")).collect();
    let workspace = AuthorWorkspace::with_mod_files(&[(
        "names.luau",
        &format!("after(\"leave\", function()\n{calls}end)\n"),
    )]);
    let output = workspace.check_output();
    assert!(output.contains("warning[names-not-checked]"), "{}", &output[output.len() - 600..]);
    let reported_count = output.matches("error[unknown-name]").count();
    assert!((10..1000).contains(&reported_count), "{reported_count}");
}

/// A word of a comment or a text, or another unknown name, is nothing to write instead.
#[test]
fn only_names_that_exist_are_suggested() {
    let check_line = |declarations: &str, unknown_names: &str| {
        let script = format!(
            "-- wander_comment\nafter(\"leave\", function()\n{declarations}\n{unknown_names}\nend)\n"
        );
        AuthorWorkspace::with_mod_files(&[("names.luau", &script)]).check_output()
    };
    for declarations in [
        "local wander_name = 1 note(`{wander_name}`)",
        "local a, wander_name: { number } = 1, {} note(`{a}{#wander_name}`)",
        "local function wander_name() end wander_name()",
        "local f = function(a: { x: number, y: number }, wander_name) note(`{a.x}{wander_name}`) end f({ x = 1, y = 2 }, 2)",
        "for _, wander_name in { 1 } do note(`{wander_name}`) end",
    ] {
        let output = check_line(declarations, "note(`{wander_nane}`)");
        assert!(output.contains("did you mean `wander_name`?"), "{declarations}: {output}");
    }
    for (declarations, unknown_names) in [
        ("", "wander_a(1) wander_b(2)"),
        ("", "wander_commend(1)"),
        ("note(\"the wander_word\")", "wander_wort(1)"),
        ("local far = { wander_field = 1 } note(`{far.wander_field}`)", "wander_fielt(1)"),
        ("local far: wander_type = 1 note(`{far}`)", "wander_tybe(1)"),
    ] {
        let output = check_line(declarations, unknown_names);
        assert!(output.contains("error[unknown-name]"), "{output}");
        assert!(!output.contains("did you mean"), "{declarations} {unknown_names}: {output}");
    }
}
