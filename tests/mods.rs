//! Mods: what `mod.toml` may contain, how folders are read, where mods are found, and their load
//! order.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use engine::base::{Problem, Value};
use engine::mods::{
    Manifest, ModOrigin, ModSet, ModSource, SearchPaths, SettingType, choose_enabled_mods,
    discover, engine_version, find_bytecode, ids_with_dependencies, load_order, read_embedded_mods,
    read_folder, read_templates,
};
use tempfile::TempDir;

use crate::support::{embedded_base_game, embedded_search_paths};

/// A manifest with further lines.
fn manifest(id: &str, further: &str) -> String {
    format!("id = \"{id}\"\nname = \"{id}\"\nversion = \"1.2.0\"\nengine = \"0.1\"\n{further}\n")
}

fn game(id: &str) -> String {
    manifest(id, "game = true")
}

/// Writes a mod and returns its folder.
fn write(parent: &Path, name: &str, manifest: &str, scripts: &[(&str, &str)]) -> PathBuf {
    let folder = parent.join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mod.toml"), manifest).unwrap();
    for (path, text) in scripts {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder
}

fn problem_text(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n\n")
}

/// The Problems, with the folder of the test written as DIR.
fn problem_text_in(folder: &TempDir, problems: &[Problem]) -> String {
    problem_text(problems).replace(&folder.path().display().to_string(), "DIR")
}

/// Mods made of manifests alone.
fn sources(manifests: &[String]) -> Vec<ModSource> {
    let folder = TempDir::new().unwrap();
    let folders = manifests
        .iter()
        .enumerate()
        .map(|(index, text)| write(folder.path(), &format!("mod_{index}"), text, &[]));
    folders.map(|folder| read_folder(&folder).unwrap()).collect()
}

fn ordered(manifests: &[String]) -> ModSet {
    load_order(sources(manifests)).unwrap_or_else(|problems| panic!("{}", problem_text(&problems)))
}

fn order_problems(manifests: &[String]) -> String {
    problem_text(&load_order(sources(manifests)).unwrap_err())
}

#[test]
fn a_manifest_says_everything_once() {
    let text = manifest(
        "ember_words",
        r#"
needs = { sub_rosa = "0.1" }
after = ["salt_archive"]
clashes = ["old_words"]
author = "A. Reader"
[settings.heat]
type = "integer"
default = 1
min = 0
max = 3
doc = "how warm"
[settings.tone]
type = "one_of"
values = ["dry", "wry"]
default = "wry"
"#,
    );
    let manifest = Manifest::parse("ember_words", &text).unwrap();
    assert_eq!(manifest.id, "ember_words");
    assert_eq!(manifest.version.to_string(), "1.2.0");
    assert_eq!(manifest.needs["sub_rosa"].to_string(), "^0.1");
    assert_eq!(
        (manifest.loads_after, manifest.conflicts),
        (vec!["salt_archive".to_owned()], vec!["old_words".to_owned()])
    );
    assert!(!manifest.game);
    let heat = &manifest.settings["heat"];
    assert_eq!(heat.ty, SettingType::Integer { min: 0, max: 3 });
    assert_eq!(heat.default, Value::Int(1));
    assert!(heat.accepts(&Value::Int(3)).is_ok());
    assert!(heat.accepts(&Value::Int(4)).is_err());
    assert!(manifest.settings["tone"].accepts(&Value::text("dry")).is_ok());
    assert!(manifest.settings["tone"].accepts(&Value::text("arch")).is_err());
}

#[test]
fn all_mistakes_of_a_manifest_are_reported_at_once() {
    let cases = [
        "id = \"x\"\nname = \"X\nversion = \"0.1.0\"\n".to_owned(),
        String::new(),
        manifest("ember", "neds = { a = \"1\" }\nauthor = 3\nafter = \"a\"\ngame = \"yes\""),
        manifest("Ember Words", "needs = { a = \"one\" }\nclashes = [\"B\", 2]"),
        "id = \"host\"\nname = \"a\\u001bb\"\nversion = \"1\"\nengine = 1".to_owned(),
        manifest(
            "ember",
            "[settings.heat]\ntype = \"integer\"\ndefault = 9\nmax = 3\n[settings.a]\n\
             type = \"whole\"\ndefualt = 1\n[settings.b]\ntype = \"one_of\"\ndefault = \"x\"",
        ),
    ];
    let all: Vec<String> = cases
        .iter()
        .map(|text| problem_text(&Manifest::parse("ember", text).unwrap_err()))
        .collect();
    insta::assert_snapshot!("mods_bad_manifests", all.join("\n\n---\n\n"));
}

#[test]
fn a_folder_gives_its_scripts_in_loading_order_without_tests() {
    let folder = TempDir::new().unwrap();
    let path = write(
        folder.path(),
        "ember",
        &game("ember"),
        &[
            ("b.luau", "-- b"),
            ("a/deep.lua", "-- deep\r\nline\r"),
            ("kinds/k.luau", "-- k"),
            ("lib/odds.luau", "return {}"),
            ("tests/t.luau", "-- t"),
            (".hidden/h.luau", "-- h"),
            ("notes.txt", "not a script"),
        ],
    );
    let source = read_folder(&path).unwrap();
    let files: Vec<&String> = source.files.keys().collect();
    assert_eq!(files, ["a/deep.lua", "b.luau", "kinds/k.luau", "lib/odds.luau"]);
    let order: Vec<&str> = source.scripts_in_load_order().map(|(path, _)| path).collect();
    assert_eq!(order, ["kinds/k.luau", "a/deep.lua", "b.luau"]);
    assert_eq!(&*source.files["a/deep.lua"], "-- deep\nline\n");
    assert_eq!(source.origin, ModOrigin::Disk(path));
}

#[test]
fn the_digest_is_that_of_manifest_and_scripts_whatever_the_line_ends() {
    let folder = TempDir::new().unwrap();
    let digest = |name: &str, manifest: &str, scripts: &[(&str, &str)]| {
        read_folder(&write(folder.path(), name, manifest, scripts)).unwrap().digest
    };
    let first = digest("a", &game("x"), &[("r.luau", "a\nb\n")]);
    assert_eq!(first, digest("b", &game("x").replace('\n', "\r\n"), &[("r.luau", "a\r\nb\r\n")]));
    assert_eq!(first, digest("c", &game("x"), &[("r.luau", "a\nb\n"), ("tests/t.luau", "t")]));
    assert_ne!(first, digest("d", &game("x"), &[("r.luau", "a\nb")]));
    assert_ne!(first, digest("e", &game("x"), &[("s.luau", "a\nb\n")]));
    assert_ne!(first, digest("f", &manifest("x", "game = false"), &[("r.luau", "a\nb\n")]));
}

#[test]
fn what_the_content_store_keeps_is_the_same_mod() {
    let folder = TempDir::new().unwrap();
    let path = write(folder.path(), "ember", &game("ember"), &[("a.luau", "-- \"ä\"\n")]);
    let source = read_folder(&path).unwrap();
    let kept = ModSource::deserialize_from_store(&source.serialize_for_store()).unwrap();
    assert_eq!(kept.digest, source.digest);
    assert_eq!((kept.manifest, kept.files), (source.manifest, source.files));
    assert_eq!(kept.origin, ModOrigin::Stored);
    insta::assert_snapshot!(
        "mods_bad_store",
        problem_text(&ModSource::deserialize_from_store("{\"manifest\": 1}").unwrap_err())
    );
}

#[test]
fn what_cannot_be_read_in_a_folder_is_told() {
    let folder = TempDir::new().unwrap();
    let path = write(
        folder.path(),
        "ember_folder",
        &game("ember"),
        &[
            ("esc.luau", "a\nb \u{1b}[2J\n"),
            ("odd:name.luau", "-- fine"),
            ("d1/d2/d3/d4/d5/d6/d7/d8/d9/deep.luau", "-- deep"),
        ],
    );
    fs::write(path.join("latin.luau"), b"-- caf\n-- caf\xe9\n").unwrap();
    fs::write(path.join("large.luau"), vec![b'-'; 1024 * 1024 + 1]).unwrap();
    let problems = read_folder(&path).unwrap_err();
    let absent = read_folder(&folder.path().join("nowhere")).unwrap_err();
    let all =
        format!("{}\n\n{}", problem_text_in(&folder, &problems), problem_text_in(&folder, &absent));
    insta::assert_snapshot!("mods_bad_folder", all);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("secret.luau"), "-- outside").unwrap();
    let path = write(folder.path(), "ember", &game("ember"), &[("a.luau", "-- a")]);
    std::os::unix::fs::symlink("../secret.luau", path.join("in.luau")).unwrap();
    std::os::unix::fs::symlink("..", path.join("up")).unwrap();
    std::os::unix::fs::symlink("../secret.luau", path.join("README.md")).unwrap();
    let problems = read_folder(&path).unwrap_err();
    fs::create_dir(folder.path().join("mods")).unwrap();
    std::os::unix::fs::symlink("../ember", folder.path().join("mods/ember")).unwrap();
    let places =
        SearchPaths { named_folders: vec![folder.path().join("mods")], ..embedded_search_paths() };
    let (_, found) = discover(&places);
    let all =
        format!("{}\n\n{}", problem_text_in(&folder, &problems), problem_text_in(&folder, &found));
    insta::assert_snapshot!("mods_links", all);
}

#[test]
fn of_two_mods_with_one_id_the_place_that_comes_first_wins() {
    let folder = TempDir::new().unwrap();
    let (by_hand, project, user) =
        (folder.path().join("hand"), folder.path().join("project"), folder.path().join("user"));
    let one = |parent: &Path, id: &str| write(parent, id, &manifest(id, ""), &[]);
    let hand = one(&by_hand, "a");
    one(&project.join("mods"), "a");
    let second = one(&project.join("mods"), "b");
    let base = write(&project, "base_game", &game("g"), &[]);
    one(&user.join("mods"), "b");
    let third = one(&user.join("mods"), "c");
    let places = SearchPaths { user: Some(user), ..embedded_search_paths() };
    let places = SearchPaths { named_folders: vec![by_hand], project: Some(project), ..places };
    let (found, problems) = discover(&places);
    assert_eq!(problem_text(&problems), "");
    let from = |id: &str| found.iter().find(|one| one.id() == id).unwrap().origin.clone();
    assert_eq!(from("a"), ModOrigin::Disk(hand));
    assert_eq!(from("b"), ModOrigin::Disk(second));
    assert_eq!(from("c"), ModOrigin::Disk(third));
    assert_eq!(from("g"), ModOrigin::Disk(base));
}

#[test]
fn a_mod_that_cannot_be_read_is_told_and_hides_older_copies() {
    let folder = TempDir::new().unwrap();
    let project = folder.path().join("project");
    write(&project.join("mods"), "a", &manifest("a", "odd = 1"), &[]);
    write(&project.join("mods"), "b_one", &manifest("b", ""), &[]);
    write(&project.join("mods"), "b_two", &manifest("b", ""), &[]);
    fs::create_dir_all(project.join("mods/empty")).unwrap();
    fs::write(project.join("mods/README.md"), "mods live here").unwrap();
    let user = folder.path().join("user");
    write(&user.join("mods"), "a", &manifest("a", ""), &[]);
    write(&user.join("mods"), "b", &manifest("b", ""), &[]);
    let extra = vec![folder.path().join("nowhere"), user.clone()];
    let places = SearchPaths { user: Some(user), ..embedded_search_paths() };
    let places = SearchPaths { named_folders: extra, project: Some(project), ..places };
    let (found, problems) = discover(&places);
    let ids: Vec<&str> = found.iter().map(ModSource::id).collect();
    assert!(!ids.contains(&"a") && !ids.contains(&"b"), "{ids:?}");
    insta::assert_snapshot!("mods_bad_discovery", problem_text_in(&folder, &problems));
}

#[test]
fn mods_are_loaded_after_what_they_need_and_otherwise_by_id() {
    let mods = [
        manifest("a", "needs = { z = \"1\" }"),
        manifest("b", "after = [\"y\", \"not_there\"]"),
        manifest("c", ""),
        game("m"),
        manifest("y", "needs = { m = \"1\", z = \"1.2\" }"),
        manifest("z", "after = [\"m\"]"),
    ];
    let first = ordered(&mods);
    assert_eq!(first.ids(), ["c", "m", "z", "a", "y", "b"]);
    assert_eq!(first.game().id(), "m");
    let behind = first.dependencies();
    let of = |id: &str| behind[id].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(of("b"), ["m", "y", "z"]);
    assert_eq!(of("c"), Vec::<&str>::new());
    for turn in 1..mods.len() {
        let mut shuffled = mods.clone();
        shuffled.rotate_left(turn);
        shuffled.swap(0, 3);
        let next = ordered(&shuffled);
        assert_eq!((next.ids(), next.digest()), (first.ids(), first.digest()));
    }
}

#[test]
fn needs_and_engine_are_ranges_of_versions() {
    // The game of these tests is 1.2.0.
    let cases = [
        ("*", true),
        ("1", true),
        ("1.2", true),
        ("^1.1", true),
        ("~1.2.0", true),
        (">=1.0, <2.0", true),
        ("=1.2.0", true),
        ("1.3", false),
        ("<1.2", false),
        ("~1.1", false),
        ("0.9", false),
        ("=1.2.0-rc.1", false),
    ];
    for (range, fits) in cases {
        let mods = [game("g"), manifest("a", &format!("needs = {{ g = \"{range}\" }}"))];
        let loaded = load_order(sources(&mods));
        assert_eq!(loaded.is_ok(), fits, "{range}");
        let codes = loaded.err().unwrap_or_default();
        assert!(codes.iter().all(|problem| problem.code == "wrong-version"), "{range}");
    }
    let engine = engine_version();
    for (range, fits) in [(format!("={engine}"), true), (format!("<{engine}"), false)] {
        let made_for = game("g").replace("\"0.1\"", &format!("\"{range}\""));
        let loaded = load_order(sources(&[made_for]));
        assert_eq!(loaded.is_ok(), fits, "{range}");
        let codes = loaded.err().unwrap_or_default();
        assert!(codes.iter().all(|problem| problem.code == "wrong-engine"), "{range}");
    }
}

#[test]
fn why_mods_cannot_be_loaded_together_is_told() {
    let wrong_engine = game("g").replace("engine = \"0.1\"", "engine = \"9\"");
    let cases = [
        vec![manifest("a", "")],
        vec![game("g"), game("h")],
        vec![wrong_engine],
        vec![game("ground"), manifest("a", "needs = { groud = \"1\" }")],
        vec![game("g"), manifest("a", "[needs]\ng = \"1\"\nsomething_else = \"2\"")],
        vec![
            game("g"),
            manifest("a", "needs = { x = \"1\" }"),
            manifest("b", "needs = { x = \"2\", y = \"1\" }"),
        ],
        vec![game("g"), manifest("a", "needs = { g = \"2\" }")],
        vec![game("g"), manifest("a", "clashes = [\"b\", \"c\"]"), manifest("b", "")],
        vec![
            game("g"),
            manifest("a", "needs = { c = \"1\" }"),
            manifest("b", "needs = { a = \"1\" }"),
            manifest("c", "after = [\"b\"]"),
            manifest("d", "needs = { a = \"1\" }"),
        ],
        vec![game("g"), manifest("a", "after = [\"a\"]")],
    ];
    let all: Vec<String> = cases.iter().map(|mods| order_problems(mods)).collect();
    let version = engine_version().to_string();
    insta::assert_snapshot!("mods_disorder", all.join("\n\n---\n\n").replace(&version, "ENGINE"));
}

#[test]
fn a_game_and_the_mods_switched_on_for_it_are_chosen() {
    let found = || {
        sources(&[
            game("g"),
            game("h"),
            manifest("a", "needs = { g = \"1\" }"),
            manifest("b", "needs = { h = \"1\" }"),
            manifest("c", "needs = { b = \"1\" }"),
            manifest("d", "needs = { a = \"1\" }"),
            manifest("e", ""),
        ])
    };
    let choose = |game: Option<&str>, on: &[&str]| {
        let on: Vec<String> = on.iter().map(|id| (*id).to_owned()).collect();
        let (chosen, problems) = choose_enabled_mods(found(), &embedded_search_paths(), game, &on);
        let ids: Vec<String> = chosen.iter().map(|one| one.id().to_owned()).collect();
        (ids, problems)
    };
    assert_eq!(choose(Some("g"), &[]).0, ["g"]);
    assert_eq!(choose(Some("g"), &["e", "a"]).0, ["g", "a", "e"]);
    let (set_aside, warnings) = choose(Some("g"), &["a", "b", "c", "h"]);
    assert_eq!(set_aside, ["g", "a"]);
    let cases = [
        warnings,
        choose(Some("g"), &["d"]).1,
        choose(Some("g"), &["ee"]).1,
        choose(Some("a"), &[]).1,
        choose(Some("k"), &[]).1,
        choose(None, &[]).1,
    ];
    let all: Vec<String> = cases.iter().map(|problems| problem_text(problems)).collect();
    insta::assert_snapshot!("mods_choice", all.join("\n\n---\n\n"));
}

#[test]
fn libraries_of_a_game_are_enabled_with_it() {
    let found = || {
        sources(&[
            manifest("g", "game = true\nneeds = { low = \"1\" }"),
            game("h"),
            manifest("low", "needs = { lower = \"1\" }"),
            manifest("lower", ""),
            manifest("a", "needs = { g = \"1\", lower = \"1\" }"),
        ])
    };
    let chosen_of = |found: Vec<ModSource>, game: &str, on: &[&str]| {
        let on: Vec<String> = on.iter().map(|id| (*id).to_owned()).collect();
        let nowhere = SearchPaths { user: Some(PathBuf::from("HERE")), ..embedded_search_paths() };
        choose_enabled_mods(found, &nowhere, Some(game), &on)
    };
    let loaded = |game: &str, on: &[&str]| {
        let (chosen, problems) = chosen_of(found(), game, on);
        assert_eq!(problem_text(&problems), "");
        load_order(chosen).unwrap()
    };
    let set = loaded("g", &[]);
    assert_eq!(set.ids(), ["lower", "low", "g"]);
    assert!(["g", "low", "lower"].iter().all(|id| set.is_game_or_dependency(id)));
    let set = loaded("g", &["a"]);
    assert_eq!(set.ids(), ["lower", "low", "g", "a"]);
    assert!(!set.is_game_or_dependency("a"));
    assert_eq!(loaded("g", &["lower"]).ids(), ["lower", "low", "g"], "one that is on besides");
    assert_eq!(loaded("h", &[]).ids(), ["h"], "another game has nothing of it");
    assert_eq!(loaded("h", &["lower"]).ids(), ["h", "lower"]);

    let without = |id: &str| found().into_iter().filter(|one| one.id() != id).collect();
    let older =
        sources(&[manifest("g", "game = true\nneeds = { low = \"2\" }"), manifest("low", "")]);
    let of_games = sources(&[
        manifest("g", "game = true\nneeds = { h = \"1\" }"),
        manifest("h", "game = true\nneeds = { low = \"1\" }"),
        manifest("low", "needs = { g = \"1\" }"),
    ]);
    let all = [
        problem_text(&chosen_of(without("low"), "g", &[]).1),
        problem_text(&chosen_of(without("lower"), "g", &["a"]).1),
        problem_text(&load_order(chosen_of(older, "g", &[]).0).unwrap_err()),
        problem_text(&chosen_of(of_games.clone(), "g", &[]).1),
        problem_text(&chosen_of(of_games, "h", &[]).1),
    ];
    insta::assert_snapshot!("mods_libraries", all.join("\n\n---\n\n"));
}

/// The mods beside the program's source, and the ids of the games among them with all they need.
fn mods_on_disk_and_bundled_ids() -> (Vec<ModSource>, Vec<String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root.join("mods")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.push(root.join("base_game"));
    folders.retain(|folder| folder.join("mod.toml").is_file());
    let all: Vec<ModSource> = folders.iter().map(|folder| read_folder(folder).unwrap()).collect();
    let games = all.iter().filter(|source| source.manifest.game);
    let games: Vec<String> = games.map(|source| source.id().to_owned()).collect();
    let wanted = ids_with_dependencies(&all, &games);
    for source in all.iter().filter(|source| wanted.iter().any(|id| id == source.id())) {
        for need in source.manifest.needs.keys() {
            assert!(wanted.contains(need), "{} needs {need}, which is not bundled", source.id());
        }
    }
    (all, wanted)
}

#[test]
fn scripts_that_the_program_carries_were_compiled_when_it_was_built() {
    embedded_base_game();
    let inside = read_embedded_mods();
    assert!(inside.iter().flat_map(ModSource::scripts_in_load_order).count() > 150);
    for (path, text) in inside.iter().flat_map(ModSource::scripts_in_load_order) {
        let code =
            find_bytecode(text).unwrap_or_else(|| panic!("{path} would be compiled at each start"));
        assert!(code.len() > 16, "{path}: {} bytes", code.len());
        assert_eq!(
            find_bytecode(&format!("{} ", &**text)),
            None,
            "{path}: one that was edited is another"
        );
    }
}

#[test]
fn every_bundled_game_is_inside_the_program_with_all_it_needs_as_it_is_on_disk() {
    let own = embedded_base_game();
    let marks = |sources: &[ModSource]| {
        let marks = sources.iter().map(|source| (source.id().to_owned(), source.digest));
        marks.collect::<BTreeMap<_, _>>()
    };
    let (inside, (on_disk, wanted)) = (read_embedded_mods(), mods_on_disk_and_bundled_ids());
    assert!(wanted.len() > 1);
    let is_inside = |id: &&String| inside.iter().any(|source| source.id() == id.as_str());
    let left_out: Vec<&String> = wanted.iter().filter(|id| !is_inside(id)).collect();
    assert!(left_out.is_empty(), "FOLDERS in engine/build.rs lists them: {left_out:?}");
    let on_disk = marks(&on_disk);
    for (id, digest) in marks(&inside) {
        assert_eq!(on_disk.get(&id), Some(&digest), "{id} is inside as it is on disk");
    }
    assert!(inside.iter().all(|source| source.origin == ModOrigin::Embedded));
    let (found, problems) = discover(&embedded_search_paths());
    assert_eq!(problem_text(&problems), "");
    assert_eq!(marks(&found), marks(&inside));
    for game in inside.iter().filter(|source| source.manifest.game) {
        let (chosen, problems) =
            choose_enabled_mods(found.clone(), &embedded_search_paths(), Some(game.id()), &[]);
        assert_eq!(problem_text(&problems), "");
        assert_eq!(load_order(chosen).unwrap().game().digest, game.digest);
        assert!(!read_templates(game).unwrap().is_empty(), "{} offers its templates", game.id());
    }
    let (chosen, problems) = choose_enabled_mods(found, &embedded_search_paths(), None, &[]);
    assert_eq!(problem_text(&problems), "");
    assert_eq!(load_order(chosen).unwrap().game().digest, own.digest, "the first unasked");
}
