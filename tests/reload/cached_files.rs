//! Cached file summaries against a full load: the same registry, hooks, Problems and play after any
//! edit.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use base::{Problem, Value};
use mods::{ModSet, read_folder, sort_into_load_order};
use script::Vm;
use session::{Bot, RANDOM_BOT_ID, RunContent, Session, reread_mods};

use crate::support::{RandomSource, copy_folder};
use crate::{bundled, support};

/// The full result of loading as text, without function numbers, which differ between VMs.
fn describe_load(load_result: &Result<Vm, Vec<Problem>>) -> String {
    let vm = match load_result {
        Ok(vm) => vm,
        Err(problems) => return format!("{problems:#?}"),
    };
    let registry = vm.registry();
    let kinds: Vec<_> = registry.kinds().collect();
    let definitions: Vec<_> =
        kinds.iter().flat_map(|kind| registry.all_definitions(&kind.name)).collect();
    let (hooks, warnings) = (vm.registered_hooks(), vm.load_warnings());
    let text =
        format!("{}\n{hooks:?}\n{warnings:?}\n{kinds:?}\n{definitions:?}", registry.digest());
    let mut parts = text.split("FunctionRef { id: ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |joined, part| joined + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// Loads with and without the cache, and compares.
fn assert_cached_load_matches(mods: &ModSet, case_name: &str) -> Result<Vm, Vec<Problem>> {
    let cached_vm = Vm::load(mods, &Value::map());
    let (cached_text, uncached_text) =
        (describe_load(&cached_vm), describe_load(&Vm::load_uncached(mods, &Value::map())));
    if cached_text != uncached_text {
        let difference =
            cached_text.bytes().zip(uncached_text.bytes()).take_while(|(a, b)| a == b).count();
        let surrounding_text = |text: &str| {
            text.chars().skip(difference.saturating_sub(200)).take(500).collect::<String>()
        };
        panic!(
            "{case_name}: it differs\n--- known\n{}\n--- plain\n{}",
            surrounding_text(&cached_text),
            surrounding_text(&uncached_text)
        );
    }
    cached_vm
}

fn script_paths(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.file_name().is_some_and(|name| name != "tests") => {
                paths.extend(script_paths(&path))
            }
            true => {}
            false if path.extension().is_some_and(|ending| ending == "luau") => paths.push(path),
            false => {}
        }
    }
    paths.sort();
    paths
}

/// One edit as authors make them: a comment, a number, a stray letter, a removed or new file.
fn apply_random_edit(files: &mut Vec<PathBuf>, random: &mut RandomSource) -> PathBuf {
    let file_index = random.next_index(files.len());
    let path = files[file_index].clone();
    let text = fs::read_to_string(&path).unwrap();
    match random.next_index(6) {
        0 => fs::write(&path, format!("-- one line more\n{text}")).unwrap(),
        1 => fs::write(&path, text + "\nlocal function unused() end\n").unwrap(),
        2 => {
            let numbers: Vec<usize> = text
                .match_indices(" = 1")
                .map(|(position, _)| position)
                .filter(|position| !text[position + 4..].starts_with(char::is_alphanumeric))
                .collect();
            let mut text = text;
            if !numbers.is_empty() {
                let position = numbers[random.next_index(numbers.len())];
                text.replace_range(position..position + 4, " = 2");
            }
            fs::write(&path, text).unwrap();
        }
        3 => fs::write(&path, text + "\n)").unwrap(),
        4 => {
            fs::remove_file(&path).unwrap();
            files.remove(file_index);
        }
        _ => {
            let new_path =
                path.with_file_name(format!("new_{}.luau", random.next_index(1_000_000)));
            fs::write(
                &new_path,
                format!(
                    "page \"p{}\" {{ title = \"New\", show = function() return {{}} end }}\n",
                    random.next_index(1_000_000)
                ),
            )
            .unwrap();
            files.push(new_path.clone());
            return new_path;
        }
    }
    path
}

#[test]
fn after_any_edit_a_cached_load_equals_a_full_load() {
    let base_folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mod_paths = [
        "base_game",
        "mods/ember_words",
        "mods/low_light",
        "mods/second_thoughts",
        "mods/signal_house",
        "mods/_template",
        "mods/parts",
    ];
    let folders: Vec<PathBuf> = mod_paths
        .iter()
        .map(|mod_path| {
            let target = base_folder.path().join(Path::new(mod_path).file_name().unwrap());
            copy_folder(&root.join(mod_path), &target);
            target
        })
        .collect();
    let sources = folders.iter().map(|folder| read_folder(folder).unwrap());
    let mut content = RunContent {
        mods: sort_into_load_order(sources.collect()).unwrap(),
        settings: Value::map(),
    };
    assert_cached_load_matches(&content.mods, "as it is").unwrap();
    let mut files = script_paths(base_folder.path());
    let (mut random, mut changed_paths, mut good_edits) =
        (RandomSource::from_seed(7), BTreeSet::new(), 0);
    for round in 0..14 {
        let path = apply_random_edit(&mut files, &mut random);
        changed_paths.insert(path.clone());
        let partial_content = reread_mods(&content, Some(&changed_paths));
        let full_content = reread_mods(&content, None);
        let case_name = format!("round {round}, {}", path.display());
        match (partial_content, full_content) {
            (Ok(partial_content), Ok(full_content)) => {
                assert_eq!(
                    partial_content.mods.digest(),
                    full_content.mods.digest(),
                    "{case_name}"
                );
                if assert_cached_load_matches(&partial_content.mods, &case_name).is_ok() {
                    (content, good_edits) = (partial_content, good_edits + 1);
                    changed_paths.clear();
                    continue;
                }
            }
            (partial_content, full_content) => {
                assert_eq!(partial_content.err(), full_content.err(), "{case_name}")
            }
        }
        // A broken save is repaired before the next one.
        let source = content.mods.mods.iter().find_map(|source| {
            let folder = folders.iter().find(|folder| path.starts_with(folder))?;
            let relative_path = path.strip_prefix(folder).ok()?.to_str()?;
            (read_folder(folder).is_err() || source.files.contains_key(relative_path))
                .then_some(())?;
            source.files.get(relative_path)
        });
        match source {
            Some(text) => fs::write(&path, &**text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        if !files.contains(&path) && path.exists() {
            files.push(path);
        }
    }
    assert!(good_edits >= 5, "most edits are good ones: {good_edits}");
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
    let kind_script =
        "kind \"word\" { bonus = field.int { default = 0 }, on = field.fn { optional = true } }\n";
    let original_script = "word \"b\" { bonus = next() }\n";
    let last_script = "word \"c\" { bonus = next(), on = function() return 3 end }\nstart(function() go \"rim\" end)\nscene \"rim\" { prompt = function() return { text = \"{n}\", values = { n = word.c.bonus + word.c.on() }, choices = { { id = \"stop\", label = \"Stop\" } } } end, on = { stop = function() finish {} end } }\n";
    for (case_name, builder_script, edited_script) in IMPURE_FILES {
        for round in 0..3 {
            for text in [original_script, edited_script] {
                let lib = format!("return {{ n = {} }}\n", 1 + round % 2);
                let mods = support::game_from_files(&[
                    ("kinds/word.luau", kind_script),
                    ("lib/n.luau", &lib),
                    ("a.luau", builder_script),
                    ("b.luau", text),
                    ("c.luau", last_script),
                ]);
                let Ok(vm) =
                    assert_cached_load_matches(&mods, &format!("{case_name}, round {round}"))
                else {
                    continue;
                };
                let content = RunContent { mods, settings: Value::map() };
                let first_prompt = |vm| {
                    let run_parameters = session::RunParameters {
                        seed: 1,
                        options: Value::map(),
                        profile: Value::map(),
                    };
                    let recorder = session::StepRecorder::without_journal();
                    Session::start(content.clone(), vm, &run_parameters, recorder)
                        .unwrap()
                        .0
                        .prompt()
                        .clone()
                };
                let uncached_vm = Vm::load_uncached(&content.mods, &Value::map()).unwrap();
                assert_eq!(first_prompt(vm), first_prompt(uncached_vm), "{case_name}");
            }
        }
    }
}

/// What a file declares does not depend on mods that are loaded after its own, and its check only
/// on the definitions that it names.
#[test]
fn a_game_is_cached_for_whatever_mods_are_added() {
    let game = || {
        let kind = "kind \"boat\" { tow = field.ref { \"boat\", optional = true } }\n";
        let boats = "boat \"skua\" { tow = \"tern\" }\nboat \"tern\" {}\n";
        let files = [
            ("kinds/boat.luau", kind),
            ("boats.luau", boats),
            ("main.luau", support::MINIMAL_GAME),
        ];
        support::mod_from_text(support::GAME_MANIFEST, &files)
    };
    let ebb = |text: &str| {
        support::mod_from_text(&support::manifest_needing("ebb", &["game"]), &[("m.luau", text)])
    };
    let load = |sources| {
        let mods = sort_into_load_order(sources).unwrap();
        assert_cached_load_matches(&mods, "a game with a mod").unwrap()
    };
    let alone = load(vec![game()]);
    let with_another_boat = load(vec![game(), ebb("boat \"gull\" { tow = \"game:tern\" }")]);
    let with_a_changed_boat =
        load(vec![game(), ebb("patch.boat \"game:tern\" { tow = \"game:skua\" }")]);
    let boat = |vm: &Vm, name: &str| -> *const content::Definition {
        std::ptr::from_ref(vm.registry().get("boat", &format!("game:{name}")).unwrap())
    };
    for name in ["skua", "tern"] {
        assert_eq!(boat(&alone, name), boat(&with_another_boat, name), "{name} is shared");
    }
    assert_eq!(boat(&alone, "skua"), boat(&with_a_changed_boat, "skua"));
    assert_ne!(boat(&alone, "tern"), boat(&with_a_changed_boat, "tern"));
    for id in ["ember_words", "low_light", "signal_house"] {
        let content = bundled::game_content("sub_rosa", &[format!("mods/{id}")]);
        assert_cached_load_matches(&content.mods, id).unwrap();
    }
}

#[test]
fn a_run_on_cached_files_equals_a_run_on_executed_files() {
    let content = bundled::game_content(
        "sub_rosa",
        &[
            "mods/low_light".to_owned(),
            "mods/ember_words".to_owned(),
            "mods/second_thoughts".to_owned(),
        ],
    );
    bundled::load_vm(&content);
    let play_steps = |with_reloads: bool| {
        let (mut session, step_outcome) = bundled::start_session(&content, 11, &[], Value::map());
        if !with_reloads {
            // Without the cache: every file runs in the VM of the run.
            let run_parameters = session::RunParameters {
                seed: 11,
                options: session::complete_options(
                    &session::option_specs(session.vm().registry()),
                    &Default::default(),
                )
                .unwrap(),
                profile: Value::map(),
            };
            let vm = Vm::load_uncached(&content.mods, &Value::map()).unwrap();
            session = Session::start(
                content.clone(),
                vm,
                &run_parameters,
                session::StepRecorder::without_journal(),
            )
            .unwrap()
            .0;
        }
        let mut bot = Bot::new(RANDOM_BOT_ID, 11);
        let mut steps = vec![(session.digest(), step_outcome.events)];
        while session.run_outcome().is_none() && steps.len() < 400 {
            if with_reloads && steps.len() % 9 == 0 {
                session.reload(content.clone()).unwrap();
            }
            let input = bot.choose_input(&mut session, &steps.last().unwrap().1).unwrap();
            let step_outcome = session.answer_prompt(&input).unwrap();
            steps.push((session.digest(), step_outcome.events));
        }
        steps
    };
    assert_eq!(play_steps(true), play_steps(false));
}
