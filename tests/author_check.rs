//! `check`: what it finds without playing, what it ignores, how it is suppressed, and its messages.

use std::fs;
use std::path::Path;

use engine::author::{CheckRequest, CommandContext, CommandOutcome, check};
use engine::mods::SearchPaths;
use engine::save::DataDir;
use tempfile::TempDir;

use crate::support::{embedded_search_paths, manifest_needing};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A folder of mods for the harbour game.
pub struct AuthorWorkspace {
    pub folder: TempDir,
}

impl AuthorWorkspace {
    pub fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub fn write(&self, id: &str, manifest: &str, files: &[(&str, &str)]) {
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
    pub fn with(files: &[(&str, &str)]) -> Self {
        let desk = Self::new();
        desk.write("ebb", &manifest_needing("ebb", &["harbour"]), files);
        desk
    }

    /// The command context; the cache is beside the mods.
    pub fn bench(&self) -> CommandContext {
        let harbour = Path::new(ROOT).join("tests/games/harbour");
        CommandContext {
            search_paths: SearchPaths {
                named_folders: vec![harbour, self.folder.path().to_owned()],
                ..embedded_search_paths()
            },
            game: None,
            extra_mods: Vec::new(),
            data_dir: DataDir::new(self.folder.path().join(".data")),
            profile_name: "Player".to_owned(),
        }
    }

    fn run_check(&self, mods: &[&str], json: bool) -> (CommandOutcome, String) {
        self.run_check_of(None, mods, json)
    }

    fn run_check_of(
        &self,
        game: Option<&str>,
        mods: &[&str],
        json: bool,
    ) -> (CommandOutcome, String) {
        let mods = mods.iter().map(|id| (*id).to_owned()).collect();
        let bench = CommandContext { game: game.map(str::to_owned), ..self.bench() };
        let mut out = Vec::new();
        let outcome = check(&bench, &CheckRequest { mods, json }, &mut out).unwrap();
        let folder = self.folder.path().display().to_string();
        let told = String::from_utf8(out).unwrap().replace(&folder, "DIR");
        (outcome, told.replace(ROOT, "ROOT"))
    }

    /// The output of `check ebb`.
    fn check_output(&self) -> String {
        let (outcome, told) = self.run_check(&["ebb"], false);
        let sound = told.ends_with("no problems\n");
        assert_eq!(
            outcome,
            if sound { CommandOutcome::Ok } else { CommandOutcome::Problems },
            "{told}"
        );
        told
    }
}

const SOUND: &str = "checked ebb 0.1.0: no problems\n";

#[test]
fn a_correct_mod_passes_check() {
    let desk = AuthorWorkspace::with(&[(
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
    assert_eq!(desk.check_output(), SOUND);
}

#[test]
fn what_a_file_keeps_does_not_change_while_playing() {
    let desk = AuthorWorkspace::with(&[(
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
    insta::assert_snapshot!("check_kept", desk.check_output());
}

#[test]
fn loops_whose_keys_may_have_no_order_are_told_and_others_are_not() {
    let desk = AuthorWorkspace::with(&[(
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
    insta::assert_snapshot!("check_loops", desk.check_output());
}

#[test]
fn texts_that_do_not_fit_on_their_line_are_told_at_their_line() {
    let long = "a name that goes on and on and on until it leaves the screen behind it";
    let desk = AuthorWorkspace::with(&[
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
boat "petrel" {{ name = "{long}" }}
boat "skerry" {{ name = "Two\nlines", towed_by = "petrel" }}
lamp "one" {{
  names = {{
    "short", "*emphasis*",
    "fourteen wide.",
  }},
  label = {{
    free = "{long}",
    words = "light {{light}} of *all* stars",
  }},
}}
lamp "two" {{ names = {{}}, label = {{ words = "warm {{light}} \\{{sic\\}}" }} }}
scene "ashore" {{
  prompt = function()
    return {{ text = "{long}", choices = {{ {{ id = "go", label = "{long}" }}, {{ id = "no", label = "No" }} }} }}
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
    insta::assert_snapshot!("check_lines", desk.check_output());
}

#[test]
fn a_label_that_is_added_to_another_mod_s_scene_is_told_to_whoever_adds_it() {
    let long = "Listen to everything that this wall may have to say about you tonight";
    let line = |label: &str| {
        format!(
            "patch.scene \"harbour:quay\" {{\n  choices = add {{\n    {{ id = \"x\", label = \"Wait\", on = function() end }},\n    \
             {{ id = \"listen\", label = \"{label}\", on = function() end }},\n  }},\n}}\n"
        )
    };
    let told = AuthorWorkspace::with(&[("more.luau", &line(long))]).check_output();
    assert!(told.contains("is 69 columns wide") && told.contains("ebb/more.luau:4"), "{told}");
    let told = AuthorWorkspace::with(&[("more.luau", &line("Listen"))]).check_output();
    assert!(told.contains("no problems"), "{told}");
}

#[test]
fn definitions_that_nothing_refers_to_are_told() {
    let desk = AuthorWorkspace::with(&[
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
    insta::assert_snapshot!("check_unused", desk.check_output());
}

#[test]
fn lints_of_a_game_report_definitions_and_fields() {
    let desk = AuthorWorkspace::with(&[(
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
    insta::assert_snapshot!("check_lints", desk.check_output());
}

#[test]
fn lints_of_a_game_know_what_was_requested() {
    let desk = AuthorWorkspace::with(&[
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
    let told = desk.check_output();
    assert!(told.contains("[lint]: harbour:tern ebb:petrel\n"), "{told}");
    assert!(
        told.contains("`registry.was_requested` got a value that is not a definition"),
        "{told}"
    );
}

#[test]
fn a_warning_is_suppressed_at_its_line_with_a_reason() {
    let desk = AuthorWorkspace::with(&[(
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
    insta::assert_snapshot!("check_silences", desk.check_output());
}

#[test]
fn a_warning_without_a_line_is_suppressed_in_the_manifest() {
    let rules = "rule \"later\"(function() end)\n";
    let desk = AuthorWorkspace::with(&[("quiet.luau", rules)]);
    assert!(desk.check_output().contains("[unused-definition]"));
    let told = |allow: &str| {
        let manifest = desk.folder.path().join("ebb/mod.toml");
        let before = std::fs::read_to_string(&manifest).unwrap();
        std::fs::write(&manifest, format!("{before}\n{allow}")).unwrap();
        let told = desk.check_output();
        std::fs::write(&manifest, before).unwrap();
        told
    };
    let quiet =
        told("[allow.\"quiet.luau\"]\nunused-definition = \"called by the next version\"\n");
    assert!(quiet.contains("no problems"), "{quiet}");
    let idle = told("[allow.\"other.luau\"]\nlong-line = \"a quotation\"\n");
    assert!(
        idle.contains("[unused-suppression]") && idle.contains("[unused-definition]"),
        "{idle}"
    );
    let unsaid = told("[allow.\"quiet.luau\"]\nunused-definition = \"\"\n");
    assert!(
        unsaid.contains("[suppression-without-reason]") && unsaid.contains("mod.toml"),
        "{unsaid}"
    );
}

#[test]
fn the_first_view_of_a_game_is_in_use_without_being_named() {
    let desk = AuthorWorkspace::new();
    let quiet = "view \"all\"(function() return { widgets = {} } end)\n";
    let text = format!("{quiet}{}", crate::support::MINIMAL_GAME);
    desk.write("game", crate::support::GAME, &[("main.luau", &text)]);
    let folder = desk.folder.path().join("game").display().to_string();
    assert_eq!(desk.run_check(&[&folder], false).1, "checked game 0.1.0: no problems\n");
}

#[test]
fn what_cannot_be_loaded_is_told_with_what_can_be_seen_all_the_same() {
    let desk = AuthorWorkspace::with(&[
        ("boats.luau", "boat \"petrel\" { name = 3, lenth = 2, towed_by = \"harbour:gul\" }\n"),
        (
            "keeps.luau",
            "local n = 0\nafter(\"leave\", function()\n  n += 1\nend)\n-- allow(lint): not looked at\n",
        ),
        ("lib/never_required.luau", "return {\n  a = ,\n}\n"),
    ]);
    insta::assert_snapshot!("check_broken", desk.check_output());
}

#[test]
fn texts_with_control_characters_are_refused() {
    let desk =
        AuthorWorkspace::with(&[("boats.luau", "boat \"petrel\" { name = \"a\\27[2Jb\" }\n")]);
    insta::assert_snapshot!("check_control", desk.check_output());
}

#[test]
fn mods_that_are_named_are_looked_at_together_and_otherwise_each_by_itself() {
    let desk = AuthorWorkspace::new();
    let set = |length: u32| format!("patch.boat \"harbour:skua\" {{ length = {length} }}\n");
    desk.write("ebb", &manifest_needing("ebb", &["harbour"]), &[("a.luau", &set(6))]);
    desk.write("flood", &manifest_needing("flood", &["harbour"]), &[("a.luau", &set(5))]);
    desk.write("slack", &manifest_needing("slack", &["ebb"]), &[("a.luau", &set(4))]);
    desk.write("lost", &manifest_needing("lost", &["harbor", "elsewhere"]), &[]);
    desk.write("also_lost", &manifest_needing("also_lost", &["elsewhere"]), &[]);
    desk.write("spoilt", "id = \"spoilt\"\n", &[]);
    let mut all = String::new();
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
        let (outcome, told) = desk.run_check_of(game, mods, false);
        all += &format!("check {}\n{told}{outcome:?}\n---\n", mods.join(" "));
    }
    insta::assert_snapshot!("check_which", all);
}

#[test]
fn a_folder_is_as_good_as_an_id_and_a_program_may_read_the_answer() {
    let desk = AuthorWorkspace::with(&[("a.luau", "rule \"idle\"(function() end)\n")]);
    let folder = desk.folder.path().join("ebb").display().to_string();
    let (outcome, told) = desk.run_check(&[&folder], true);
    assert_eq!(outcome, CommandOutcome::Problems);
    let page: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(page["checked"][0], "ebb 0.1.0");
    assert_eq!(page["problems"][0]["code"], "unused-definition");
    assert_eq!(page["problems"][0]["place"]["line"], 1);
    let (outcome, told) = desk.run_check(&["./nowhere"], false);
    assert_eq!(outcome, CommandOutcome::Problems);
    assert!(told.contains("no-manifest"), "{told}");
    let above = desk.folder.path().display().to_string();
    let (_, told) = desk.run_check(&[&above], false);
    assert!(told.contains("the mod is one folder deeper: DIR/ebb"), "{told}");
}

#[test]
fn a_script_nested_as_deep_as_the_compiler_allows_is_read() {
    for (open, close) in [("(", ")"), ("{", "}"), ("not (", ")")] {
        for depth in [50, 150, 900, 5_000] {
            let text =
                format!("-- deep\nlocal x = {}1{}\n", open.repeat(depth), close.repeat(depth));
            let desk = AuthorWorkspace::with(&[("deep.luau", &text), ("lib/deep.luau", &text)]);
            let told = desk.check_output();
            assert!(told == SOUND || told.contains("error[syntax]"), "{depth}: {told}");
        }
    }
    let blocks = format!("{}{}", "do ".repeat(180), "end ".repeat(180));
    assert_eq!(AuthorWorkspace::with(&[("deep.luau", &blocks)]).check_output(), SOUND);
}

#[test]
fn the_bundled_games_pass_check() {
    let bundled = ["base_game", "mods/sovereign", "mods/hollow_way", "mods/fivey", "mods/leeward"];
    let of_tests = ["tests/games/harbour", "tests/games/duel", "tests/games/ferry"];
    for game in bundled.into_iter().chain(of_tests) {
        let desk = AuthorWorkspace::new();
        let folder = Path::new(ROOT).join(game).display().to_string();
        let (outcome, told) = desk.run_check(&[&folder], false);
        assert_eq!(outcome, CommandOutcome::Ok, "{told}");
    }
}

#[test]
fn key_conflicts_and_unknown_groups_are_reported() {
    let desk = AuthorWorkspace::with(&[(
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
    insta::assert_snapshot!(desk.check_output());
}

#[test]
fn honest_mods_get_no_warnings() {
    let mut folders: Vec<_> =
        Path::new(ROOT).join("tests/honest_mods").read_dir().unwrap().collect();
    folders.sort_by_key(|one| one.as_ref().unwrap().path());
    assert!(folders.len() >= 10);
    for folder in folders {
        let desk = AuthorWorkspace::new();
        let folder = folder.unwrap().path().display().to_string();
        let game = Path::new(ROOT).join("base_game");
        let mut bench = desk.bench();
        bench.search_paths.named_folders = vec![game, Path::new(ROOT).join("mods")];
        let mut out = Vec::new();
        let asked = CheckRequest { mods: vec![folder.clone()], json: false };
        let outcome = check(&bench, &asked, &mut out).unwrap();
        assert_eq!(outcome, CommandOutcome::Ok, "{folder}: {}", String::from_utf8_lossy(&out));
    }
}

/// The search for suggestions is bounded: each name is compared with all others of its file.
#[test]
fn thousands_of_misspelt_names_are_looked_at_up_to_a_count() {
    let calls: String = (0..7000).map(|at| format!("  foe_name_misspelt{at}(1)\n")).collect();
    let desk = AuthorWorkspace::with(&[(
        "names.luau",
        &format!("after(\"leave\", function()\n{calls}end)\n"),
    )]);
    let told = desk.check_output();
    assert!(told.contains("warning[names-not-checked]"), "{}", &told[told.len() - 600..]);
    let looked_at = told.matches("error[unknown-name]").count();
    assert!((10..1000).contains(&looked_at), "{looked_at}");
}
