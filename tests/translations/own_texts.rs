//! Which texts belong to a mod: those that it shows itself, and not those of the game that it needs.

use std::fs;

use translation::parse_po;

use super::{run_program, write_file};
use crate::support::{GAME_MANIFEST, manifest_needing};

const CAST_GAME: &str = r#"
start(function() go "only" end)
scene "only" {
  prompt = function()
    return { text = "What now?", choices = { { id = "cast", label = "Cast" } } }
  end,
  on = {
    cast = function()
      local total, parts = roll("1d6", "casts", { outcome = { full = 4 } })
      emit("cast", { outcome = parts.outcome })
      say(if parts.outcome == "failure" then "Nothing." else "It burns.")
    end,
  },
}
event "cast" { outcome = field.text }
page "terms" {
  title = "Terms",
  show = function()
    local lines = {}
    for _, term in { { "cast", "what a caster does" }, { "outcome", fill("one of {n}", { n = 2 }) } } do
      table.insert(lines, term[1])
    end
    return { { widget = "text", text = table.concat(lines, "; ") } }
  end,
}
"#;

const EMBERS_MOD: &str = r#"
local notes = { spark = "A spark flies." }
local function rate(event) return event end
local function parse(line: string)
  return string.match(line, "(%w+)=(%d+)"), line:match("A (%w+) .+"), rate({ line }, "id")
end
local asked = rate "Whose ember is this?"
after("cast", function(event)
  if event.outcome == "full" and "spent" ~= event.outcome then
    say(notes["spark"])
  elseif chance(1, 2, "embers") then
    rate { outcome = "dim", glow = 1 }
    rate({ outcome = "dim" })
    rate("glow_seen")
    note(if event.outcome == "failure" then "cold" else "It burns.")
  end
end)
override_text("Nothing.", "Not even smoke.")
"#;

/// The folder of a game and of a mod that translates itself.
fn write_embers(german_texts: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_file(&folder.path().join("mods/game/mod.toml"), GAME_MANIFEST);
    write_file(&folder.path().join("mods/game/main.luau"), CAST_GAME);
    write_file(&folder.path().join("mods/embers/mod.toml"), &manifest_needing("embers", &["game"]));
    write_file(&folder.path().join("mods/embers/main.luau"), EMBERS_MOD);
    write_file(&folder.path().join("mods/embers/locale/de.po"), german_texts);
    folder
}

#[test]
fn the_texts_of_a_mod_are_those_that_it_shows_itself() {
    let folder = write_embers("");
    let path = folder.path().join("mods/embers/locale/de.po");
    let path_text = path.to_string_lossy().into_owned();
    let ids = |id: &str| {
        let output = run_program(folder.path(), &["texts", id, "--to", &path_text]);
        assert!(output.starts_with("wrote "), "{output}");
        let file = parse_po(&fs::read_to_string(&path).unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        let ids = file.entries.into_iter().map(|entry| entry.id);
        ids.collect::<Vec<String>>()
    };
    // Neither names that are compared, keys, streams and outcomes, nor texts of the game.
    assert_eq!(
        ids("embers"),
        ["A spark flies.", "Whose ember is this?", "cold", "Not even smoke.", "embers"]
    );
    let texts_of_game = ids("game");
    // A term is shown beside its meaning, even if it is also the name of an event or a field.
    for text in ["full", "failure", "Nothing.", "It burns.", "Cast", "Settings", "cast", "outcome"]
    {
        assert!(texts_of_game.iter().any(|id| id == text), "{text}");
    }
    for name in ["casts", "only"] {
        assert!(!texts_of_game.iter().any(|id| id == name), "{name}");
    }
}

#[test]
fn check_reports_translations_of_texts_that_belong_to_a_needed_mod() {
    let german_texts = "msgid \"cold\"\nmsgstr \"kalt\"\n\n\
        msgid \"full\"\nmsgstr \"voll\"\n\n\
        msgid \"Settings\"\nmsgstr \"Optionen\"\n";
    let folder = write_embers(german_texts);
    let output = run_program(folder.path(), &["check", "embers"]);
    insta::assert_snapshot!(output);
}

#[test]
fn a_translation_is_not_asked_for_the_files_that_it_leaves_out() {
    let folder = write_embers("");
    let second_file =
        "export(\"ring\", function() say \"Far off, a bell.\" say \"The bell again.\" end)\n";
    write_file(&folder.path().join("mods/game/far/bells.luau"), second_file);
    let manifest = manifest_needing("german", &["game"]);
    let manifest = format!("language = \"de\"\nleaves_out = [\"game/far/\"]\n{manifest}");
    write_file(&folder.path().join("mods/german/mod.toml"), &manifest);
    let path = folder.path().join("mods/german/locale/de.po");
    write_file(&path, "msgid \"The bell again.\"\nmsgstr \"Wieder die Glocke.\"\n");
    run_program(folder.path(), &["texts", "german", "--to", &path.to_string_lossy()]);
    let file = parse_po(&fs::read_to_string(&path).unwrap()).unwrap();
    let entry = |id: &str| file.entries.iter().find(|entry| entry.id == id);
    assert!(entry("What now?").is_some_and(|entry| !entry.is_translated()));
    assert!(entry("Far off, a bell.").is_none());
    // What it has translated nevertheless stays.
    assert!(entry("The bell again.").is_some_and(|entry| entry.is_active()));
}
