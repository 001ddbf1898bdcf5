//! Editor files: written for the author's own mods, where they differ, and nowhere else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use author::{CommandContext, refresh_editor_files, refresh_editor_files_of_run};
use base::Value;
use mods::{SearchPaths, read_folder};
use save::DataDir;
use script::Vm;
use tempfile::TempDir;

use crate::support::{
    MINIMAL_GAME, TestRun, embedded_search_paths, game_from_files, load_order_with_library,
};

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");
const MANIFEST: &str = "id = \"salt_clerk\"\nname = \"Salt Clerk\"\nversion = \"0.1.0\"\n\
    engine = \"0.1\"\n\n[needs]\nsub_rosa = \"0.1\"\nparts = \"0.1\"\n\n\
    [settings.heat]\ntype = \"integer\"\ndefault = 2\nmin = 1\nmax = 5\n";
const SCRIPT: &str = "local text = require \"@parts/lib/text\"\n\
    after(\"rested\", function(event)\n  if settings.heat > 1 then\n\
    note(text.capital(event.room))\n  end\nend)\n";

/// A mod that was made by hand.
struct HandMadeMod {
    folder: TempDir,
}

impl HandMadeMod {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let hand_made = Self { folder };
        fs::create_dir(hand_made.path()).unwrap();
        fs::write(hand_made.file("mod.toml"), MANIFEST).unwrap();
        fs::write(hand_made.file("salt.luau"), SCRIPT).unwrap();
        hand_made
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("salt_clerk")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
    }

    fn context(&self) -> CommandContext {
        let named_folders = vec![self.folder.path().to_owned()];
        let search_paths = SearchPaths { named_folders, ..embedded_search_paths() };
        self.context_with(search_paths)
    }

    fn context_with(&self, search_paths: SearchPaths) -> CommandContext {
        CommandContext {
            search_paths,
            game: None,
            extra_mods: Vec::new(),
            data_dir: DataDir::new(self.folder.path().join(".data")),
            profile_name: "Player".to_owned(),
            folder_flags: String::new(),
        }
    }

    /// Refreshes the files and returns what was printed.
    fn refresh(&self) -> String {
        refresh(&self.context(), &["salt_clerk".to_owned()])
    }
}

fn refresh(context: &CommandContext, names: &[String]) -> String {
    let mut output_bytes = Vec::new();
    refresh_editor_files(context, names, &mut output_bytes).unwrap();
    String::from_utf8(output_bytes).unwrap()
}

#[test]
fn check_and_test_write_editor_files_for_a_hand_made_mod() {
    for command in ["check", "test"] {
        let hand_made = HandMadeMod::new();
        let mut program = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        program.args([command, "--mods"]).arg(hand_made.folder.path()).arg("salt_clerk");
        let output = program.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "it is silent");
        let types = hand_made.read(".editor/sub_rosa.d.luau");
        assert!(types.contains("export type RestedEvent"));
        assert!(types.contains("  read heat: number,"), "its own settings");
        assert!(!types.contains("  read guide: boolean,"), "not those of the game");
        assert!(hand_made.read(".editor/luau_lsp_plugin.luau").contains("\"@salt_clerk/\""));
        let docs: serde_json::Value =
            serde_json::from_str(&hand_made.read(".editor/sub_rosa.docs.json")).unwrap();
        for symbol in ["global/note", "global/vitals.mend", "globaltype/SpellBody.cast"] {
            let doc = &docs[format!("@sub_rosa/{symbol}")]["documentation"];
            assert!(doc.as_str().is_some_and(|doc| doc.len() > 10), "{symbol}: {doc}");
        }
        assert!(hand_made.read(".vscode/settings.json").contains(".editor/sub_rosa.d.luau"));
    }
}

#[test]
fn options_and_the_profile_of_a_mod_have_types() {
    let hand_made = HandMadeMod::new();
    let script = "option \"brine\" { type = \"one_of\", values = { \"weak\", \"strong\" }, default = \"weak\" }\n\
        option \"salted\" { type = \"bool\", label = \"Salted\", default = false }\n\
        after(\"step_ended\", function()\n  local tally = { 1 }\n\
        if options.salted and options.brine == \"weak\" and not profile.first then\n\
        award { steps = 1, kinds = { brine = 1 }, tally = tally }\n\
        award({ last = \"salt\", mixed = 1 }, \"set\")\n  award({ mixed = tally }, \"set\")\n\
        award({ wettest = state.hero.vigour }, \"set\")\n  end\nend)\n";
    fs::write(hand_made.file("salt.luau"), script).unwrap();
    assert_eq!(hand_made.refresh(), "");
    let types = hand_made.read(".editor/sub_rosa.d.luau");
    let section = |start: &str| {
        let (_, after) = types.split_once(start).unwrap_or_else(|| panic!("{start}"));
        after.split_once('}').unwrap().0
    };
    let own = "\n  read first: any,\n  read kinds: { [string]: number }?,\n  read last: string?,\n  read mixed: any,\n  \
        read steps: number?,\n  read tally: any,\n  read wettest: number?,\n  [string]: any,\n";
    let (_, profile) = types.split_once("declare profile: {").unwrap();
    assert!(profile.starts_with(own), "{}", &profile[..own.len()]);
    let (_, game_profile) = types.split_once("declare game_profile: {").unwrap();
    for field in ["experience: number?", "learnt: { [string]: number }?", "relics: { any }?"] {
        assert!(game_profile.contains(&format!("  read {field},\n")), "{field}: {game_profile}");
    }
    let (_, state) = types.split_once("export type State = {").unwrap();
    for field in ["fight: (FightState)?", "puzzle: (string)?", "hero: HeroState"] {
        assert!(state.contains(&format!("  read {field},\n")), "{field}: {state}");
    }
    let options = section("export type RunOptions = {");
    for field in ["brine: \"weak\" | \"strong\"", "salted: boolean", "dungeon: DungeonId"] {
        assert!(options.contains(&format!("  read {field},\n")), "{field}: {options}");
    }
    assert!(types.contains("declare options: RunOptions\n"));
    assert!(types.contains("declare function start(work: (options: RunOptions) -> ()): ()\n"));
}

/// `require "@parts/lib/text"` resolves: the alias leads to a copy, whose own paths have aliases.
#[test]
fn needed_libraries_have_aliases_and_copies() {
    let hand_made = HandMadeMod::new();
    assert_eq!(hand_made.refresh(), "");
    let luaurc: serde_json::Value = serde_json::from_str(&hand_made.read(".luaurc")).unwrap();
    assert_eq!(luaurc["languageMode"], "strict");
    assert_eq!(luaurc["aliases"]["parts"], "./.editor/parts");
    assert_eq!(luaurc["aliases"]["salt_clerk"], "./");
    let original = fs::read_to_string(Path::new(PROJECT_ROOT).join("mods/parts/lib/text.luau"));
    assert_eq!(hand_made.read(".editor/parts/lib/text.luau"), original.unwrap());
    let copy = hand_made.read(".editor/parts/lib/reactions.luau");
    assert!(copy.contains("require \"@parts/lib/ranges\""), "{copy}");
}

#[test]
fn editor_files_change_only_where_they_differ() {
    let hand_made = HandMadeMod::new();
    hand_made.refresh();
    let types = ".editor/sub_rosa.d.luau";
    let written = hand_made.read(types);
    // A text after the stamp shows whether the file is written again.
    fs::write(hand_made.file(types), format!("{written}-- untouched\n")).unwrap();
    hand_made.refresh();
    assert!(hand_made.read(types).ends_with("-- untouched\n"));
    let export = "-- Counts.\nexport(\"salt.count\", function(of: number): number return of end)\n";
    fs::write(hand_made.file("count.luau"), export).unwrap();
    hand_made.refresh();
    assert!(hand_made.read(types).contains("count: (of: number) -> number"));
    // A mod that does not load keeps its types.
    fs::write(hand_made.file("count.luau"), "export(").unwrap();
    assert_eq!(hand_made.refresh(), "", "`check` reports it");
    assert!(hand_made.read(types).contains("count: (of: number) -> number"));
}

#[test]
fn settings_of_the_author_stay() {
    let hand_made = HandMadeMod::new();
    fs::create_dir(hand_made.file(".vscode")).unwrap();
    fs::write(hand_made.file(".vscode/settings.json"), "{}").unwrap();
    fs::write(hand_made.file(".luaurc"), "{\"lint\": {\"*\": true}, \"aliases\": {\"a\": \"b\"}}")
        .unwrap();
    hand_made.refresh();
    assert_eq!(hand_made.read(".vscode/settings.json"), "{}");
    let luaurc: serde_json::Value = serde_json::from_str(&hand_made.read(".luaurc")).unwrap();
    assert_eq!(luaurc["lint"]["*"], true);
    assert_eq!(luaurc["aliases"]["a"], "b");
    assert_eq!(luaurc["aliases"]["parts"], "./.editor/parts");
    assert!(luaurc.get("languageMode").is_none());
    // It cannot be read as JSON, so it is left alone.
    fs::write(hand_made.file(".luaurc"), "{ // mine\n}").unwrap();
    hand_made.refresh();
    assert_eq!(hand_made.read(".luaurc"), "{ // mine\n}");
}

#[test]
fn bundled_and_installed_mods_get_no_editor_files() {
    let hand_made = HandMadeMod::new();
    // The folder of a bundled mod, as in the clone of this project.
    let bundled = hand_made.folder.path().join("parts");
    fs::create_dir(&bundled).unwrap();
    fs::copy(Path::new(PROJECT_ROOT).join("mods/parts/mod.toml"), bundled.join("mod.toml"))
        .unwrap();
    let context = hand_made.context();
    assert_eq!(refresh(&context, &["parts".to_owned()]), "");
    assert!(!bundled.join(".editor").exists());
    // The same mod where `mods install` puts it.
    let user_folder = hand_made.folder.path().join("data");
    let installed = user_folder.join("mods/salt_clerk");
    fs::create_dir_all(&installed).unwrap();
    for file in ["mod.toml", "salt.luau"] {
        fs::copy(hand_made.file(file), installed.join(file)).unwrap();
    }
    let paths = SearchPaths { user_folder: Some(user_folder), ..embedded_search_paths() };
    let context = hand_made.context_with(paths);
    assert_eq!(refresh(&context, &[]), "");
    assert!(!installed.join(".editor").exists() && !installed.join(".luaurc").exists());
    // `new` created it there: it is the author's own.
    fs::create_dir(installed.join(".editor")).unwrap();
    refresh(&context, &[]);
    assert!(installed.join(".editor/sub_rosa.d.luau").exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_a_warning() {
    let hand_made = HandMadeMod::new();
    // A file in the place of the folder: this fails for every user.
    fs::write(hand_made.file(".editor"), "").unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    program.args(["check", "--mods"]).arg(hand_made.folder.path()).arg("salt_clerk");
    let output = program.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "the command does not fail");
    let warning = String::from_utf8_lossy(&output.stderr);
    assert!(warning.starts_with("warning[not-written]: the editor files of"), "{warning}");
    assert!(warning.contains("help: make the folder writable"), "{warning}");
}

/// In dev mode the loaded game may have mods that the author's mod does not see.
#[test]
fn types_of_a_run_know_only_needed_mods() {
    let hand_made = HandMadeMod::new();
    let words = Path::new(PROJECT_ROOT).join("mods/ember_words");
    let base_game = Path::new(PROJECT_ROOT).join("base_game");
    let sources = [base_game, words, hand_made.path()].map(|folder| read_folder(&folder).unwrap());
    let [game, words, own] = sources;
    for sources in [vec![game.clone(), own.clone()], vec![game, words, own]] {
        let mods = load_order_with_library(sources).unwrap();
        // The words' folder is this project's, and must not be written.
        let mut listed_mods = mods.clone();
        listed_mods.mods.iter_mut().filter(|one| one.id() == "ember_words").for_each(|one| {
            one.origin = mods::ModOrigin::ContentStore;
        });
        let vm =
            Vm::load(&mods, &Value::map()).unwrap_or_else(|problems| panic!("{}", problems[0]));
        refresh_editor_files_of_run(&vm, &listed_mods, &embedded_search_paths()).unwrap();
        let types = hand_made.read(".editor/sub_rosa.d.luau");
        assert!(types.contains("sub_rosa:cinder") && !types.contains("ember_words:kindle"));
    }
}

/// The plugin runs in luau-lsp. Here a script of a game calls it with the text of a mod.
#[test]
fn the_plugin_annotates_hooks_and_completes_paths() {
    let hand_made = HandMadeMod::new();
    hand_made.refresh();
    let plugin = hand_made.read(".editor/luau_lsp_plugin.luau");
    let source = "before(\"blow\", function(event)\nlocal a = require \"lib/words\"\n\
        after('two_words', function( e )\nafter(\"rested\", function(r: RestedEvent)\n\
        afterwards(\"x\", function(event)\nlocal b = require(\"@parts/lib/text\")\n";
    let script = format!(
        "start(function()\n\
         for _, edit in ipairs(plugin.transformSource([[{source}]], {{ filePath = \"a.luau\" }})) do\n\
         note(`{{edit.startLine}}:{{edit.startColumn}} {{edit.newText}}`)\n  end\n\
         note(tostring(plugin.transformSource(\"\", {{ filePath = \"m/.editor/parts/lib/a.luau\" }})))\n  go \"only\"\nend)"
    );
    let script = MINIMAL_GAME.replace("start(function() go \"only\" end)", &script);
    let script = format!("local plugin = require \"lib/plugin\"\n{script}");
    let files = [("lib/plugin.luau", &*plugin), ("play.luau", &*script)];
    let mut run = TestRun::start(&game_from_files(&files), 1).unwrap();
    let notes = run.take_events().into_iter().filter_map(|event| match event {
        protocol::StoryEvent::Note { text } => Some(text),
        _ => None,
    });
    let expected = ["1:30 : BlowEvent", "2:20 @salt_clerk/", "3:31 : TwoWordsEvent", "nil"];
    assert_eq!(notes.collect::<Vec<_>>(), expected);
}

/// The folder may be of another person: a link in it must not lead to a file of the author.
#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    for link in [".editor", ".editor/luau_lsp_plugin.luau", ".luaurc"] {
        let hand_made = HandMadeMod::new();
        let outside = hand_made.folder.path().join("outside");
        if link == ".editor" {
            fs::create_dir(&outside).unwrap();
        } else {
            fs::create_dir(hand_made.file(".editor")).unwrap();
            fs::write(&outside, "{}").unwrap();
        }
        std::os::unix::fs::symlink(&outside, hand_made.file(link)).unwrap();
        let output = hand_made.refresh();
        assert!(output.contains(&format!("{link} is no plain file or folder")), "{link}: {output}");
        match link {
            ".editor" => assert_eq!(fs::read_dir(&outside).unwrap().count(), 0),
            _ => assert_eq!(fs::read_to_string(&outside).unwrap(), "{}"),
        }
    }
}

/// A first script with a mistake: the editor helps to find it.
#[test]
fn a_mod_that_never_loaded_gets_the_types_of_what_it_needs() {
    let hand_made = HandMadeMod::new();
    fs::write(hand_made.file("salt.luau"), "after(\"rested\", function(").unwrap();
    assert_eq!(hand_made.refresh(), "");
    assert!(hand_made.read(".editor/sub_rosa.d.luau").contains("export type RestedEvent"));
    fs::write(hand_made.file("salt.luau"), SCRIPT).unwrap();
    hand_made.refresh();
    assert!(hand_made.read(".editor/sub_rosa.d.luau").contains("  read heat: number,"));
}
