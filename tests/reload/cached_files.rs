//! Cached file summaries against a full load: the same registry, hooks, Problems and play after any
//! edit.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use engine::base::{Problem, Value};
use engine::mods::{ModSet, load_order, read_folder};
use engine::script::Vm;
use engine::session::{Bot, Content, RANDOM_BOT_ID, Session, read_changed_mods};

use crate::support::{RandomSource, copy};
use crate::{bundled, support};

/// The full result of loading as text, without function numbers, which differ between VMs.
fn describe_load(loaded: &Result<Vm, Vec<Problem>>) -> String {
    let vm = match loaded {
        Ok(vm) => vm,
        Err(problems) => return format!("{problems:#?}"),
    };
    let registry = vm.registry();
    let kinds: Vec<_> = registry.kinds().collect();
    let all: Vec<_> = kinds.iter().flat_map(|kind| registry.all_definitions(&kind.name)).collect();
    let (hooks, warnings) = (vm.hooks(), vm.warnings());
    let text = format!("{}\n{hooks:?}\n{warnings:?}\n{kinds:?}\n{all:?}", registry.digest());
    let mut parts = text.split("FunctionRef { id: ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// Loads with and without the cache, and compares.
fn assert_cached_load_matches(mods: &ModSet, what: &str) -> Result<Vm, Vec<Problem>> {
    let known = Vm::load(mods, &Value::map());
    let (ours, plain) =
        (describe_load(&known), describe_load(&Vm::load_uncached(mods, &Value::map())));
    if ours != plain {
        let at = ours.bytes().zip(plain.bytes()).take_while(|(a, b)| a == b).count();
        let near =
            |text: &str| text.chars().skip(at.saturating_sub(200)).take(500).collect::<String>();
        panic!("{what}: it differs\n--- known\n{}\n--- plain\n{}", near(&ours), near(&plain));
    }
    known
}

fn scripts(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.file_name().is_some_and(|name| name != "tests") => {
                all.extend(scripts(&path))
            }
            true => {}
            false if path.extension().is_some_and(|ending| ending == "luau") => all.push(path),
            false => {}
        }
    }
    all.sort();
    all
}

/// One edit as authors make them: a comment, a number, a stray letter, a removed or new file.
fn edit(files: &mut Vec<PathBuf>, chance: &mut RandomSource) -> PathBuf {
    let at = chance.index(files.len());
    let path = files[at].clone();
    let text = fs::read_to_string(&path).unwrap();
    match chance.index(6) {
        0 => fs::write(&path, format!("-- one line more\n{text}")).unwrap(),
        1 => fs::write(&path, text + "\nlocal function unused() end\n").unwrap(),
        2 => {
            let numbers: Vec<usize> = text
                .match_indices(" = 1")
                .map(|(at, _)| at)
                .filter(|at| !text[at + 4..].starts_with(char::is_alphanumeric))
                .collect();
            let mut text = text;
            if !numbers.is_empty() {
                let at = numbers[chance.index(numbers.len())];
                text.replace_range(at..at + 4, " = 2");
            }
            fs::write(&path, text).unwrap();
        }
        3 => fs::write(&path, text + "\n)").unwrap(),
        4 => {
            fs::remove_file(&path).unwrap();
            files.remove(at);
        }
        _ => {
            let new = path.with_file_name(format!("new_{}.luau", chance.index(1_000_000)));
            fs::write(
                &new,
                format!(
                    "page \"p{}\" {{ title = \"New\", show = function() return {{}} end }}\n",
                    chance.index(1_000_000)
                ),
            )
            .unwrap();
            files.push(new.clone());
            return new;
        }
    }
    path
}

#[test]
fn after_any_edit_a_cached_load_equals_a_full_load() {
    let kept = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let from = [
        "base_game",
        "mods/ember_words",
        "mods/low_light",
        "mods/second_thoughts",
        "mods/signal_house",
        "mods/_template",
        "mods/parts",
    ];
    let folders: Vec<PathBuf> = from
        .iter()
        .map(|from| {
            let to = kept.path().join(Path::new(from).file_name().unwrap());
            copy(&root.join(from), &to);
            to
        })
        .collect();
    let sources = folders.iter().map(|folder| read_folder(folder).unwrap());
    let mut content =
        Content { mods: load_order(sources.collect()).unwrap(), settings: Value::map() };
    assert_cached_load_matches(&content.mods, "as it is").unwrap();
    let mut files = scripts(kept.path());
    let (mut chance, mut behind, mut good) = (RandomSource::of(7), BTreeSet::new(), 0);
    for round in 0..14 {
        let path = edit(&mut files, &mut chance);
        behind.insert(path.clone());
        let some = read_changed_mods(&content, Some(&behind));
        let all = read_changed_mods(&content, None);
        let what = format!("round {round}, {}", path.display());
        match (some, all) {
            (Ok(some), Ok(all)) => {
                assert_eq!(some.mods.digest(), all.mods.digest(), "{what}");
                if assert_cached_load_matches(&some.mods, &what).is_ok() {
                    (content, good) = (some, good + 1);
                    behind.clear();
                    continue;
                }
            }
            (some, all) => assert_eq!(some.err(), all.err(), "{what}"),
        }
        // A broken save is repaired before the next one.
        let source = content.mods.mods.iter().find_map(|source| {
            let folder = folders.iter().find(|folder| path.starts_with(folder))?;
            let inside = path.strip_prefix(folder).ok()?.to_str()?;
            (read_folder(folder).is_err() || source.files.contains_key(inside)).then_some(())?;
            source.files.get(inside)
        });
        match source {
            Some(text) => fs::write(&path, &**text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        if !files.contains(&path) && path.exists() {
            files.push(path);
        }
    }
    assert!(good >= 5, "most edits are good ones: {good}");
}

/// Games whose files have side effects: each text beside its edited form.
const IMPURE_FILES: [(&str, &str, &str); 6] = [
    (
        "a builder that counts",
        "local n = 0\nexport_builder(\"next\", function() n += 1 return n end)\n",
        "word \"b\" { bonus = next() + next() }\n",
    ),
    (
        "a builder that gathers",
        "local all = {}\nexport_builder(\"next\", function() all[#all + 1] = 1 return #all end)\n",
        "word \"b\" { bonus = next() + next() }\n",
    ),
    (
        "a body that comes from another file",
        "local open = word \"late\"\nexport_builder(\"next\", function() return 1 end)\nexport_builder(\"finish_it\", function(n) open { bonus = n } end)\n",
        "word \"b\" { bonus = next() }\nfinish_it(7)\n",
    ),
    (
        "a builder that reads a library",
        "local lib = require \"lib/n\"\nexport_builder(\"next\", function() return lib.n end)\n",
        "word \"b\" { bonus = next() + 1 }\n",
    ),
    (
        "a patch, a wrap and a hook",
        "export_builder(\"next\", function() return 1 end)\n",
        "patch.word \"c\" { bonus = 9, on = wrap(function(inner) return inner() + 1 end) }\nafter(\"x\", function() state.n = 1 end)\n",
    ),
    (
        "a name that others use",
        "export_builder(\"next\", function() return 1 end)\nexport(\"worth\", function() return 5 end)\n",
        "word \"b\" { bonus = next(), on = function() return worth() end }\n",
    ),
];

#[test]
fn files_with_side_effects_are_not_cached() {
    let head =
        "kind \"word\" { bonus = field.int { default = 0 }, on = field.fn { optional = true } }\n";
    let own = "word \"b\" { bonus = next() }\n";
    let after = "word \"c\" { bonus = next(), on = function() return 3 end }\nstart(function() go \"rim\" end)\nscene \"rim\" { prompt = function() return { text = \"{n}\", values = { n = word.c.bonus + word.c.on() }, choices = { { id = \"stop\", label = \"Stop\" } } } end, on = { stop = function() finish {} end } }\n";
    for (what, giver, other) in IMPURE_FILES {
        for round in 0..3 {
            for text in [own, other] {
                let lib = format!("return {{ n = {} }}\n", 1 + round % 2);
                let game = support::game(&[
                    ("kinds/word.luau", head),
                    ("lib/n.luau", &lib),
                    ("a.luau", giver),
                    ("b.luau", text),
                    ("c.luau", after),
                ]);
                let Ok(vm) = assert_cached_load_matches(&game, &format!("{what}, round {round}"))
                else {
                    continue;
                };
                let content = Content { mods: game, settings: Value::map() };
                let ask = |vm| {
                    let terms = engine::session::RunParameters {
                        seed: 1,
                        options: Value::map(),
                        profile: Value::map(),
                    };
                    let recorder = engine::session::Recorder::null();
                    Session::start(content.clone(), vm, &terms, recorder)
                        .unwrap()
                        .0
                        .prompt()
                        .clone()
                };
                let anew = Vm::load_uncached(&content.mods, &Value::map()).unwrap();
                assert_eq!(ask(vm), ask(anew), "{what}");
            }
        }
    }
}

#[test]
fn a_run_on_cached_files_equals_a_run_on_executed_files() {
    let content = bundled::content(
        "sub_rosa",
        &[
            "mods/low_light".to_owned(),
            "mods/ember_words".to_owned(),
            "mods/second_thoughts".to_owned(),
        ],
    );
    bundled::load(&content);
    let played = |again: bool| {
        let (mut session, told) = bundled::begin(&content, 11, &[], Value::map());
        if !again {
            // Without the cache: every file runs in the VM of the run.
            let terms = engine::session::RunParameters {
                seed: 11,
                options: engine::session::complete_options(
                    &engine::session::option_specs(session.vm().registry()),
                    &Default::default(),
                )
                .unwrap(),
                profile: Value::map(),
            };
            let vm = Vm::load_uncached(&content.mods, &Value::map()).unwrap();
            session =
                Session::start(content.clone(), vm, &terms, engine::session::Recorder::null())
                    .unwrap()
                    .0;
        }
        let mut bot = Bot::new(RANDOM_BOT_ID, 11);
        let mut steps = vec![(session.digest(), told.events)];
        while session.run_outcome().is_none() && steps.len() < 400 {
            if again && steps.len() % 9 == 0 {
                session.reload(content.clone()).unwrap();
            }
            let input = bot.choose(&mut session, &steps.last().unwrap().1).unwrap();
            let told = session.answer(&input).unwrap();
            steps.push((session.digest(), told.events));
        }
        steps
    };
    assert_eq!(played(true), played(false));
}
