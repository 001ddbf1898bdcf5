//! Translations: `.po` files of mods, their plural forms, and the texts that are written for
//! translators.

use std::fs;
use std::path::Path;
use std::process::Command;

use base::{PluralForms, Value};
use mods::{ModSet, read_folder, read_translation, sort_into_load_order};
use session::{ReplayPlayer, RunContent};
use translation::{PoEntry, PoFile, SourceText, merge_source_texts, parse_po};

use crate::cli::{program_command, run_with_input, utf8_text};
use crate::support::memory_runs::{
    begin_run, choose, close_run, events_without_answers, lock_profile_of_ada, memory_data_dir,
    say_and_note_texts,
};
use crate::support::{GAME_MANIFEST, TestRun, manifest_needing, problem_texts};

#[path = "translations/escaped_texts.rs"]
mod escaped_texts;
#[path = "translations/own_texts.rs"]
mod own_texts;
#[path = "translations/watching_frontends.rs"]
mod watching_frontends;

const HEAPS_GAME: &str = r#"
local function counted(count: number, one: string, many: string): string
  return fill("{count} {word}", { count = count, word = if count == 1 then one else many })
end
group "ways" { name = "Ways back", submenu = true, key = "w" }
title "main" { name = "Heaps", text = "Many.", new = "Begin" }
kind "heap" { name = field.text }
heap "wool" { name = "the heap of wool" }
start(function() state.n = 0 go "only" end)
scene "only" {
  view = "hill",
  prompt = function()
    return {
      text = "What now?",
      choices = {
        { id = "go", label = "Wake {heap}", note = fill("after {time}", { time = counted(state.n, "day", "days") }),
          values = { heap = heap.wool.name }, group = "ways" },
        { id = "end", label = "Sleep", cost = "all" },
      },
    }
  end,
  on = {
    go = function()
      state.n += 1
      local time = counted(state.n, "day", "days")
      say("{Heap} wakes after {time}.", { Heap = "The heap of wool", time = time })
      note(fill("In all {time}.", { time = time }))
      roll("1d6", "heaps", { label = "waking" })
    end,
    ["end"] = function() finish { outcome = "asleep" } end,
  },
}
view "hill" (function()
  return { title = "The hill", widgets = { { widget = "text", text = "Wool, {n} of it.", values = { n = state.n } } } }
end)
"#;

const GERMAN_TEXTS: &str = r#"
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"

msgid "Ways back"
msgstr "Rückwege"

msgid "the heap of wool"
msgstr "der Haufen Wolle"

msgid "What now?"
msgstr "Was nun?"

msgid "Wake {heap}"
msgstr "{heap} wecken"

msgid "after {time}"
msgstr "nach {time}"

msgid "day"
msgid_plural "days"
msgstr[0] "Tag"
msgstr[1] "Tagen"

msgid "{Heap} wakes after {time}."
msgstr "Nach {time} erwacht {Heap}."

msgid "In all {time}."
msgstr "Nach insgesamt {time}."

msgid "waking"
msgstr "Aufwachen"

msgid "The hill"
msgstr "Der Hügel"

msgid "Wool, {n} of it."
msgstr "Wolle: {n}."

#, fuzzy
msgid "Sleep"
msgstr "Schlaf"

msgid "costs {cost}"
msgstr ""
"#;

fn write_file(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The folder of the game and of a translation of it.
fn write_mods(german_texts: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest = manifest_needing("german", &["game"]);
    write_file(&folder.path().join("mods/game/mod.toml"), GAME_MANIFEST);
    write_file(&folder.path().join("mods/game/main.luau"), HEAPS_GAME);
    let manifest = format!("language = \"de\"\n{manifest}");
    write_file(&folder.path().join("mods/german/mod.toml"), &manifest);
    write_file(&folder.path().join("mods/german/locale/de.po"), german_texts);
    folder
}

/// The game in German, and the Problems of its translation.
fn german_game(german_texts: &str) -> (ModSet, String) {
    let folder = write_mods(german_texts);
    let game = read_folder(&folder.path().join("mods/game")).unwrap();
    let german = read_folder(&folder.path().join("mods/german")).unwrap();
    let (translation, problems) = read_translation("de", &[&game, &german]);
    let mods = ModSet { translation, ..sort_into_load_order(vec![game]).unwrap() };
    (mods, problem_texts(&problems))
}

fn content(mods: ModSet) -> RunContent {
    RunContent { mods, settings: Value::map() }
}

#[test]
fn prompts_views_and_events_are_shown_in_the_chosen_language() {
    let (mods, problems) = german_game(GERMAN_TEXTS);
    assert_eq!(problems, "");
    let mut run = TestRun::start(&mods, 1).unwrap();
    run.choose("go").unwrap();
    let prompt = run.prompt().unwrap();
    assert_eq!(prompt.text, "Was nun?");
    let choice = &prompt.choices[0];
    assert_eq!((&*choice.label, &*choice.note), ("der Haufen Wolle wecken", "nach 1 Tag"));
    assert_eq!(choice.group.as_ref().map(|group| &*group.name), Some("Rückwege"));
    // An outdated translation is not shown.
    assert_eq!(prompt.choices[1].label, "Sleep");
    let view = format!("{:?}", run.vm.compute_view(&mut run.world, &Value::map()).unwrap());
    assert!(view.contains("Der Hügel") && view.contains("Wolle: 1."), "{view}");
}

#[test]
fn the_journal_of_a_run_is_the_same_in_every_language() {
    let play = |mods: ModSet| {
        let (disk, data_dir) = memory_data_dir();
        let mut active_run = begin_run(&mut lock_profile_of_ada(&data_dir), content(mods), 1);
        let outcomes = ["go", "go"].map(|id| choose(&mut active_run.session, id));
        let texts: Vec<String> =
            outcomes.iter().flat_map(|outcome| say_and_note_texts(&outcome.events)).collect();
        let shown = format!("{:?}", outcomes[0].events);
        let digest = active_run.session.world().digest();
        let run_id = close_run(&data_dir, active_run, "game");
        drop(disk);
        let path = data_dir.root().join("runs").join(&run_id).join("journal.jsonl");
        (texts, shown, digest, data_dir, run_id, path)
    };
    let (german, _) = german_game(GERMAN_TEXTS);
    let english = ModSet { translation: None, ..german.clone() };
    let (english_texts, _, english_digest, english_dir, english_id, path) = play(english);
    let (german_texts, german_events, german_digest, german_dir, german_id, _) =
        play(german.clone());
    assert_eq!(
        english_texts,
        [
            "The heap of wool wakes after 1 day.",
            "In all 1 day.",
            "The heap of wool wakes after 2 days.",
            "In all 2 days."
        ]
    );
    let expected_german = [
        "Nach 1 Tag erwacht Der Haufen Wolle.",
        "Nach insgesamt 1 Tag.",
        "Nach 2 Tagen erwacht Der Haufen Wolle.",
        "Nach insgesamt 2 Tagen.",
    ];
    assert_eq!(german_texts, expected_german);
    assert!(german_events.contains("Aufwachen"), "{german_events}");
    assert_eq!(english_digest, german_digest);
    assert_eq!(english_id, german_id);
    let read = |data_dir: &save::DataDir| data_dir.disk().read_file(&path, u64::MAX).unwrap();
    assert_eq!(utf8_text(&read(&english_dir)), utf8_text(&read(&german_dir)));
    // The story of an English run is told in German, and the other way round.
    let german_view = english_dir.clone().with_translation(german.translation.clone());
    let mut player = ReplayPlayer::open(&german_view, &english_id).unwrap();
    let mut texts = Vec::new();
    while let Some(frame) = player.advance_step().unwrap() {
        texts.extend(say_and_note_texts(&frame.events));
    }
    assert_eq!(texts[..4], expected_german);
    let resumed_run = session::resume_run(&german_dir, &german_id, None).unwrap();
    let story = say_and_note_texts(&events_without_answers(&resumed_run.earlier_story));
    assert_eq!(story[..4], english_texts[..4]);
    session::replay_and_verify(&german_view, &english_id, &mut |_, _| {}).unwrap();
}

#[test]
fn a_text_with_other_marks_is_refused_with_its_line() {
    let german_texts = "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=2; plural=n != 1\\n\"\n\n\
        msgid \"Wake {heap}\"\nmsgstr \"{haep} wecken\"\n\n\
        msgid \"after {time}\"\nmsgstr \"danach\"\n\n\
        msgid \"day\"\nmsgid_plural \"days\"\nmsgstr[0] \"Tag\"\n\n\
        msgid \"What now?\"\nmsgstr \"Was nun?\"\n";
    let (mods, problems) = german_game(german_texts);
    insta::assert_snapshot!(problems);
    let mut run = TestRun::start(&mods, 1).unwrap();
    let prompt = run.prompt().unwrap();
    assert_eq!((&*prompt.text, &*prompt.choices[0].label), ("Was nun?", "Wake the heap of wool"));
    let (_, problems) = german_game("msgid \"What now?\"\n\nmsgstrx \"Was nun?\"\n");
    insta::assert_snapshot!(problems);
}

#[test]
fn the_plural_form_follows_the_rule_of_the_language() {
    let polish =
        "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);";
    let polish = PluralForms::parse(polish).unwrap();
    let forms = [1, 2, 5, 12, 22, 25, 101].map(|count| polish.form_of(count));
    assert_eq!(forms, [0, 1, 2, 2, 1, 2, 2]);
    let arabic = "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);";
    let arabic = PluralForms::parse(arabic).unwrap();
    assert_eq!([0, 1, 2, 3, 11, 100].map(|count| arabic.form_of(count)), [0, 1, 2, 3, 4, 5]);
    assert_eq!(PluralForms::parse("nplurals=1; plural=0;").unwrap().form_of(7), 0);
    let wrong_rules = [
        "",
        "nplurals=2",
        "nplurals=99; plural=n",
        "nplurals=2; plural=n +",
        "nplurals=2; plural=m",
    ];
    for rule in wrong_rules {
        assert!(PluralForms::parse(rule).is_err(), "{rule}");
    }
    let deep = format!("nplurals=2; plural={}n{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(PluralForms::parse(&deep).is_err());
    assert!(PluralForms::parse(&format!("nplurals=2; plural=n{}", "+n".repeat(10_000))).is_err());
}

#[test]
fn a_file_is_written_as_it_was_read() {
    let text = "# By Anna\n#\nmsgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n\
        # a note\n#. for translators\n#: game/main.luau:3 game/main.luau:9\n#, fuzzy, perl-brace-format\n#| msgid \"Sleep {n}\"\n\
        msgid \"Sleep for {n}\"\nmsgstr \"\\\"Schlaf\\\" \\\\ {n}\"\n\n\
        msgid \"day\"\nmsgid_plural \"days\"\nmsgstr[0] \"Tag\"\nmsgstr[1] \"Tage\"\n\n\
        msgid \"\"\n\"One\\n\"\n\"two\"\nmsgstr \"\"\n\n\
        #~ msgid \"gone\"\n#~ msgstr \"weg\"\n";
    let file = parse_po(text).unwrap();
    assert_eq!(file.to_string(), text);
    assert_eq!(file.entries.len(), 4);
    for invalid in [
        "\"a\"\n",
        "msgid \"a\"\n",
        "msgid \"a\"\nmsgid \"b\"\n",
        "msgid \"a\"\nmsgstr[0] \"b\"\n",
        "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[1000000000] \"c\"\n",
        "msgid \"a\nmsgstr \"b\"\n",
        "msgid \"\nmsgstr \"b\"\n",
        "msgid \"a\\\"\nmsgstr \"b\"\n",
        "msgid \"a\\x41\"\nmsgstr \"b\"\n",
        "msgstr \"b\"\n",
        "#| msgid\nmsgid \"a\"\nmsgstr \"b\"\n",
    ] {
        assert!(parse_po(invalid).is_err(), "{invalid}");
    }
}

fn source(id: &str) -> SourceText {
    SourceText { id: id.to_owned(), plural_id: None, references: vec!["game/a.luau:1".to_owned()] }
}

#[test]
fn a_merge_keeps_translations_and_marks_what_has_changed() {
    let mut file = PoFile::default();
    let first = ["It rains on the hill.", "It is {time}.", "Leave"].map(source);
    let summary = merge_source_texts(&mut file, &first, 2);
    assert_eq!((summary.untranslated_count, summary.translated_count), (3, 0));
    for (entry, text) in
        file.entries.iter_mut().zip(["Es regnet auf den Hügel.", "Es ist {time}.", "Weg"])
    {
        entry.texts = vec![text.to_owned()];
        entry.comments = vec!["mine".to_owned()];
    }
    let second = ["It rained on the hill.", "It is {time}.", "Stay where you are"].map(source);
    let summary = merge_source_texts(&mut file, &second, 2);
    assert_eq!(
        (
            summary.translated_count,
            summary.fuzzy_count,
            summary.untranslated_count,
            summary.obsolete_count
        ),
        (1, 1, 1, 1)
    );
    insta::assert_snapshot!(file.to_string());
    // A text that comes back has its translation.
    merge_source_texts(&mut file, &["Leave"].map(source), 2);
    let leave = file.entries.iter().find(|entry| entry.id == "Leave").unwrap();
    assert!(leave.is_active() && leave.comments == ["mine"], "{leave:?}");
    assert!(file.entries.iter().filter(|entry| entry.is_obsolete).count() == 2);
    let _: &PoEntry = leave;
}

fn run_program(folder: &Path, arguments: &[&str]) -> String {
    let mods = folder.join("mods").to_string_lossy().into_owned();
    let data = folder.join("data").to_string_lossy().into_owned();
    let all: Vec<&str> =
        arguments.iter().copied().chain(["--mods", &mods, "--data", &data]).collect();
    let output = run_with_input(program_command(&all), "1\nquit\n");
    utf8_text(&output.stdout) + &utf8_text(&output.stderr)
}

#[test]
fn texts_writes_a_file_that_gettext_accepts_and_keeps_its_translations() {
    let folder = write_mods(GERMAN_TEXTS);
    let path = folder.path().join("mods/german/locale/de.po");
    let path_text = path.to_string_lossy().into_owned();
    let output = run_program(folder.path(), &["texts", "german", "--to", &path_text]);
    assert!(output.starts_with("wrote ") && output.contains(" translated, "), "{output}");
    let text = fs::read_to_string(&path).unwrap();
    let file = parse_po(&text).unwrap();
    let entry = |id: &str| file.entries.iter().find(|entry| entry.id == id).unwrap();
    for id in ["Wake {heap}", "the heap of wool", "Ways back", "What now?", "Many.", "asleep"] {
        assert!(!entry(id).references.is_empty(), "{id}");
    }
    assert_eq!(entry("Wake {heap}").references, ["game/main.luau:16"]);
    assert_eq!(entry("Wake {heap}").flags, ["perl-brace-format"]);
    assert_eq!(entry("day").plural_id.as_deref(), Some("days"));
    assert_eq!(entry("day").texts, ["Tag", "Tagen"]);
    // Texts of the program.
    assert!(entry("Settings").references.contains(&"engine/ui/menu/settings.rs".to_owned()));
    // Names that nobody sees.
    for id in ["only", "hill", "heaps", "1d6", "wool", "w"] {
        assert!(!file.entries.iter().any(|entry| entry.id == id), "{id}");
    }
    run_program(folder.path(), &["texts", "german", "--to", &path_text]);
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "a second run changes nothing");
    let new_path = folder.path().join("de.po").to_string_lossy().into_owned();
    run_program(folder.path(), &["texts", "game", "--to", &new_path]);
    for path in [&path_text, &new_path] {
        // Without gettext, only the shape is checked, above.
        let Ok(output) = Command::new("msgfmt").args(["-c", "-o", "/dev/null", path]).output()
        else {
            return;
        };
        assert_eq!(utf8_text(&output.stderr), "");
        assert!(output.status.success());
    }
}

#[test]
fn check_says_whether_texts_or_their_translations_are_missing() {
    let folder = write_mods(GERMAN_TEXTS);
    let path = folder.path().join("mods/german/locale/de.po").to_string_lossy().into_owned();
    let hint_of = |output: String| {
        let hint =
            output.split("missing-translation").nth(1).and_then(|rest| rest.split_once("help: "));
        hint.map_or(output.clone(), |(_, hint)| hint.lines().next().unwrap_or_default().to_owned())
    };
    let before = hint_of(run_program(folder.path(), &["check", "german"]));
    assert!(before.starts_with("bring the file up to date: `sub-rosa texts german"), "{before}");
    run_program(folder.path(), &["texts", "german", "--to", &path]);
    let after = hint_of(run_program(folder.path(), &["check", "german"]));
    assert_eq!(after, "translate them: fill in each empty `msgstr`");
}

#[test]
fn the_program_shows_a_game_in_the_language_of_the_command_line_or_the_settings() {
    let folder = write_mods(&format!("{GERMAN_TEXTS}\nmsgid \"Settings\"\nmsgstr \"Optionen\"\n"));
    let german = run_program(folder.path(), &["--plain", "--game", "game", "--language", "de"]);
    assert!(german.contains("Optionen") && german.contains("Was nun?"), "{german}");
    let english = run_program(folder.path(), &["--plain", "--game", "game"]);
    assert!(english.contains("Settings") && !english.contains("Was nun?"), "{english}");
    let unknown = run_program(folder.path(), &["--plain", "--game", "game", "--language", "fr"]);
    assert!(unknown.contains("missing-translation") && unknown.contains("one of de"), "{unknown}");
}

#[test]
fn a_start_in_developer_mode_is_in_the_language_too_and_names_no_translation_as_off() {
    let line = "Installed, but off: {mods}. `--with ID` enables one for this start.";
    let po = format!("{GERMAN_TEXTS}\nmsgid \"{line}\"\nmsgstr \"Aus sind: {{mods}}.\"\n");
    let folder = write_mods(&po);
    let arguments = ["--plain", "--dev", "--game", "game", "--language", "de"];
    let output = run_program(folder.path(), &arguments);
    assert!(!output.contains("Installed, but off") && !output.contains("german"), "{output}");
    let fog = folder.path().join("mods/fog");
    fs::create_dir(&fog).unwrap();
    fs::write(fog.join("mod.toml"), manifest_needing("fog", &["game"])).unwrap();
    fs::write(fog.join("fog.luau"), "after('step_ended', function() end)").unwrap();
    let output = run_program(folder.path(), &arguments);
    assert!(output.contains("(Aus sind: fog"), "{output}");
    let list = run_program(folder.path(), &["mods"]);
    assert!(list.contains("lang german") && list.contains("translates into de"), "{list}");
    assert!(list.contains("off  fog"), "{list}");
}
