//! Mods: what `mod.toml` may contain, how folders are read, where mods are found, and their load
//! order.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use base::{Problem, Value};
use mods::{
    Manifest, ModOrigin, ModSet, ModSource, SearchPaths, SettingType, choose_enabled_mods,
    discover_mods, engine_version, find_bytecode, ids_with_dependencies, read_embedded_mods,
    read_folder, read_templates, sort_into_load_order,
};
use tempfile::TempDir;

use crate::support::{embedded_base_game, embedded_search_paths};

/// A manifest with further lines.
fn manifest_text(id: &str, extra_lines: &str) -> String {
    format!(
        "id = \"{id}\"\nname = \"{id}\"\nversion = \"1.2.0\"\nengine = \"0.1\"\n{extra_lines}\n"
    )
}

fn game_manifest(id: &str) -> String {
    manifest_text(id, "game = true")
}

/// Writes a mod and returns its folder.
fn write_mod(parent: &Path, name: &str, manifest: &str, scripts: &[(&str, &str)]) -> PathBuf {
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
fn sources_from_manifests(manifests: &[String]) -> Vec<ModSource> {
    let folder = TempDir::new().unwrap();
    let folders = manifests
        .iter()
        .enumerate()
        .map(|(index, text)| write_mod(folder.path(), &format!("mod_{index}"), text, &[]));
    folders.map(|folder| read_folder(&folder).unwrap()).collect()
}

fn ordered_mods(manifests: &[String]) -> ModSet {
    sort_into_load_order(sources_from_manifests(manifests))
        .unwrap_or_else(|problems| panic!("{}", problem_text(&problems)))
}

fn order_problems(manifests: &[String]) -> String {
    problem_text(&sort_into_load_order(sources_from_manifests(manifests)).unwrap_err())
}

#[test]
fn a_complete_manifest_is_parsed() {
    let manifest_source = manifest_text(
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
    let manifest = Manifest::parse("ember_words", &manifest_source).unwrap();
    assert_eq!(manifest.id, "ember_words");
    assert_eq!(manifest.version.to_string(), "1.2.0");
    assert_eq!(manifest.needed_mods["sub_rosa"].to_string(), "^0.1");
    assert_eq!(
        (manifest.loads_after, manifest.conflicting_mods),
        (vec!["salt_archive".to_owned()], vec!["old_words".to_owned()])
    );
    assert!(!manifest.is_game);
    let heat_setting = &manifest.settings["heat"];
    assert_eq!(heat_setting.ty, SettingType::Integer { min: 0, max: 3 });
    assert_eq!(heat_setting.default, Value::Int(1));
    assert!(heat_setting.check_value(&Value::Int(3)).is_ok());
    assert!(heat_setting.check_value(&Value::Int(4)).is_err());
    assert!(manifest.settings["tone"].check_value(&Value::text("dry")).is_ok());
    assert!(manifest.settings["tone"].check_value(&Value::text("arch")).is_err());
}

#[test]
fn all_mistakes_of_a_manifest_are_reported_at_once() {
    let cases = [
        "id = \"x\"\nname = \"X\nversion = \"0.1.0\"\n".to_owned(),
        String::new(),
        manifest_text("ember", "neds = { a = \"1\" }\nauthor = 3\nafter = \"a\"\ngame = \"yes\""),
        manifest_text("Ember Words", "needs = { a = \"one\" }\nclashes = [\"B\", 2]"),
        "id = \"host\"\nname = \"a\\u001bb\"\nversion = \"1\"\nengine = 1".to_owned(),
        manifest_text(
            "ember",
            "[settings.heat]\ntype = \"integer\"\ndefault = 9\nmax = 3\n[settings.a]\n\
             type = \"whole\"\ndefualt = 1\n[settings.b]\ntype = \"one_of\"\ndefault = \"x\"",
        ),
    ];
    let messages: Vec<String> = cases
        .iter()
        .map(|text| problem_text(&Manifest::parse("ember", text).unwrap_err()))
        .collect();
    insta::assert_snapshot!("mods_bad_manifests", messages.join("\n\n---\n\n"));
}

#[test]
fn a_folder_gives_its_scripts_in_loading_order_without_tests() {
    let folder = TempDir::new().unwrap();
    let path = write_mod(
        folder.path(),
        "ember",
        &game_manifest("ember"),
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
    assert_eq!(source.origin, ModOrigin::Folder(path));
}

#[test]
fn the_digest_ignores_line_ends_and_tests() {
    let folder = TempDir::new().unwrap();
    let digest = |name: &str, manifest: &str, scripts: &[(&str, &str)]| {
        read_folder(&write_mod(folder.path(), name, manifest, scripts)).unwrap().digest
    };
    let first_order = digest("a", &game_manifest("x"), &[("r.luau", "a\nb\n")]);
    assert_eq!(
        first_order,
        digest("b", &game_manifest("x").replace('\n', "\r\n"), &[("r.luau", "a\r\nb\r\n")])
    );
    assert_eq!(
        first_order,
        digest("c", &game_manifest("x"), &[("r.luau", "a\nb\n"), ("tests/t.luau", "t")])
    );
    assert_ne!(first_order, digest("d", &game_manifest("x"), &[("r.luau", "a\nb")]));
    assert_ne!(first_order, digest("e", &game_manifest("x"), &[("s.luau", "a\nb\n")]));
    assert_ne!(
        first_order,
        digest("f", &manifest_text("x", "game = false"), &[("r.luau", "a\nb\n")])
    );
}

#[test]
fn a_mod_from_the_content_store_is_unchanged() {
    let folder = TempDir::new().unwrap();
    let path =
        write_mod(folder.path(), "ember", &game_manifest("ember"), &[("a.luau", "-- \"ä\"\n")]);
    let source = read_folder(&path).unwrap();
    let stored_copy = ModSource::deserialize_from_store(&source.serialize_for_store()).unwrap();
    assert_eq!(stored_copy.digest, source.digest);
    assert_eq!((stored_copy.manifest, stored_copy.files), (source.manifest, source.files));
    assert_eq!(stored_copy.origin, ModOrigin::ContentStore);
    insta::assert_snapshot!(
        "mods_bad_store",
        problem_text(&ModSource::deserialize_from_store("{\"manifest\": 1}").unwrap_err())
    );
}

#[test]
fn unreadable_files_in_a_mod_folder_are_reported() {
    let folder = TempDir::new().unwrap();
    let path = write_mod(
        folder.path(),
        "ember_folder",
        &game_manifest("ember"),
        &[
            ("esc.luau", "a\nb \u{1b}[2J\n"),
            ("odd:name.luau", "-- fine"),
            ("d1/d2/d3/d4/d5/d6/d7/d8/d9/deep.luau", "-- deep"),
        ],
    );
    fs::write(path.join("latin.luau"), b"-- caf\n-- caf\xe9\n").unwrap();
    fs::write(path.join("large.luau"), vec![b'-'; 1024 * 1024 + 1]).unwrap();
    let problems = read_folder(&path).unwrap_err();
    let missing_folder_problems = read_folder(&folder.path().join("nowhere")).unwrap_err();
    let messages = format!(
        "{}\n\n{}",
        problem_text_in(&folder, &problems),
        problem_text_in(&folder, &missing_folder_problems)
    );
    insta::assert_snapshot!("mods_bad_folder", messages);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("secret.luau"), "-- outside").unwrap();
    let path = write_mod(folder.path(), "ember", &game_manifest("ember"), &[("a.luau", "-- a")]);
    std::os::unix::fs::symlink("../secret.luau", path.join("in.luau")).unwrap();
    std::os::unix::fs::symlink("..", path.join("up")).unwrap();
    std::os::unix::fs::symlink("../secret.luau", path.join("README.md")).unwrap();
    let problems = read_folder(&path).unwrap_err();
    fs::create_dir(folder.path().join("mods")).unwrap();
    std::os::unix::fs::symlink("../ember", folder.path().join("mods/ember")).unwrap();
    let places =
        SearchPaths { named_folders: vec![folder.path().join("mods")], ..embedded_search_paths() };
    let (_, problems_found) = discover_mods(&places);
    let messages = format!(
        "{}\n\n{}",
        problem_text_in(&folder, &problems),
        problem_text_in(&folder, &problems_found)
    );
    insta::assert_snapshot!("mods_links", messages);
}

#[test]
fn the_first_search_path_wins_for_mods_with_the_same_id() {
    let folder = TempDir::new().unwrap();
    let (named_folder, project, user) =
        (folder.path().join("hand"), folder.path().join("project"), folder.path().join("user"));
    let write_named_mod =
        |parent: &Path, id: &str| write_mod(parent, id, &manifest_text(id, ""), &[]);
    let first_path = write_named_mod(&named_folder, "a");
    write_named_mod(&project.join("mods"), "a");
    let project_path = write_named_mod(&project.join("mods"), "b");
    let base_path = write_mod(&project, "base_game", &game_manifest("g"), &[]);
    write_named_mod(&user.join("mods"), "b");
    let user_path = write_named_mod(&user.join("mods"), "c");
    let places = SearchPaths { user_folder: Some(user), ..embedded_search_paths() };
    let places =
        SearchPaths { named_folders: vec![named_folder], project_folder: Some(project), ..places };
    let (discovered, problems) = discover_mods(&places);
    assert_eq!(problem_text(&problems), "");
    let origin_of =
        |id: &str| discovered.iter().find(|source| source.id() == id).unwrap().origin.clone();
    assert_eq!(origin_of("a"), ModOrigin::Folder(first_path));
    assert_eq!(origin_of("b"), ModOrigin::Folder(project_path));
    assert_eq!(origin_of("c"), ModOrigin::Folder(user_path));
    assert_eq!(origin_of("g"), ModOrigin::Folder(base_path));
}

#[test]
fn an_unreadable_mod_is_reported_and_hides_other_copies() {
    let folder = TempDir::new().unwrap();
    let project = folder.path().join("project");
    write_mod(&project.join("mods"), "a", &manifest_text("a", "odd = 1"), &[]);
    write_mod(&project.join("mods"), "b_one", &manifest_text("b", ""), &[]);
    write_mod(&project.join("mods"), "b_two", &manifest_text("b", ""), &[]);
    fs::create_dir_all(project.join("mods/empty")).unwrap();
    fs::write(project.join("mods/README.md"), "mods live here").unwrap();
    let user = folder.path().join("user");
    write_mod(&user.join("mods"), "a", &manifest_text("a", ""), &[]);
    write_mod(&user.join("mods"), "b", &manifest_text("b", ""), &[]);
    let named_folders = vec![folder.path().join("nowhere"), user.clone()];
    let places = SearchPaths { user_folder: Some(user), ..embedded_search_paths() };
    let places = SearchPaths { named_folders, project_folder: Some(project), ..places };
    let (discovered, problems) = discover_mods(&places);
    let ids: Vec<&str> = discovered.iter().map(ModSource::id).collect();
    assert!(!ids.contains(&"a") && !ids.contains(&"b"), "{ids:?}");
    insta::assert_snapshot!("mods_bad_discovery", problem_text_in(&folder, &problems));
}

#[test]
fn the_load_order_is_dependencies_first_then_by_id() {
    let mods = [
        manifest_text("a", "needs = { z = \"1\" }"),
        manifest_text("b", "after = [\"y\", \"not_there\"]"),
        manifest_text("c", ""),
        game_manifest("m"),
        manifest_text("y", "needs = { m = \"1\", z = \"1.2\" }"),
        manifest_text("z", "after = [\"m\"]"),
    ];
    let first_order = ordered_mods(&mods);
    assert_eq!(first_order.ids(), ["c", "m", "z", "a", "y", "b"]);
    assert_eq!(first_order.game().id(), "m");
    let dependencies = first_order.dependencies_by_mod();
    let dependencies_of =
        |id: &str| dependencies[id].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(dependencies_of("b"), ["m", "y", "z"]);
    assert_eq!(dependencies_of("c"), Vec::<&str>::new());
    for rotation in 1..mods.len() {
        let mut shuffled = mods.clone();
        shuffled.rotate_left(rotation);
        shuffled.swap(0, 3);
        let shuffled_order = ordered_mods(&shuffled);
        assert_eq!(
            (shuffled_order.ids(), shuffled_order.digest()),
            (first_order.ids(), first_order.digest())
        );
    }
}

#[test]
fn needs_and_engine_accept_version_ranges() {
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
    for (range, is_accepted) in cases {
        let mods =
            [game_manifest("g"), manifest_text("a", &format!("needs = {{ g = \"{range}\" }}"))];
        let load_result = sort_into_load_order(sources_from_manifests(&mods));
        assert_eq!(load_result.is_ok(), is_accepted, "{range}");
        let load_problems = load_result.err().unwrap_or_default();
        assert!(load_problems.iter().all(|problem| problem.code == "wrong-version"), "{range}");
    }
    let engine = engine_version();
    for (range, is_accepted) in [(format!("={engine}"), true), (format!("<{engine}"), false)] {
        let game_for_engine = game_manifest("g").replace("\"0.1\"", &format!("\"{range}\""));
        let load_result = sort_into_load_order(sources_from_manifests(&[game_for_engine]));
        assert_eq!(load_result.is_ok(), is_accepted, "{range}");
        let load_problems = load_result.err().unwrap_or_default();
        assert!(load_problems.iter().all(|problem| problem.code == "wrong-engine"), "{range}");
    }
}

#[test]
fn load_order_errors_are_reported() {
    let game_for_other_engine = game_manifest("g").replace("engine = \"0.1\"", "engine = \"9\"");
    let cases = [
        vec![manifest_text("a", "")],
        vec![game_manifest("g"), game_manifest("h")],
        vec![game_for_other_engine],
        vec![game_manifest("ground"), manifest_text("a", "needs = { groud = \"1\" }")],
        vec![game_manifest("g"), manifest_text("a", "[needs]\ng = \"1\"\nsomething_else = \"2\"")],
        vec![
            game_manifest("g"),
            manifest_text("a", "needs = { x = \"1\" }"),
            manifest_text("b", "needs = { x = \"2\", y = \"1\" }"),
        ],
        vec![game_manifest("g"), manifest_text("a", "needs = { g = \"2\" }")],
        vec![
            game_manifest("g"),
            manifest_text("a", "clashes = [\"b\", \"c\"]"),
            manifest_text("b", ""),
        ],
        vec![
            game_manifest("g"),
            manifest_text("a", "needs = { c = \"1\" }"),
            manifest_text("b", "needs = { a = \"1\" }"),
            manifest_text("c", "after = [\"b\"]"),
            manifest_text("d", "needs = { a = \"1\" }"),
        ],
        vec![game_manifest("g"), manifest_text("a", "after = [\"a\"]")],
    ];
    let messages: Vec<String> = cases.iter().map(|mods| order_problems(mods)).collect();
    let version = engine_version().to_string();
    insta::assert_snapshot!(
        "mods_disorder",
        messages.join("\n\n---\n\n").replace(&version, "ENGINE")
    );
}

#[test]
fn a_game_and_its_enabled_mods_are_chosen() {
    let make_sources = || {
        sources_from_manifests(&[
            game_manifest("g"),
            game_manifest("h"),
            manifest_text("a", "needs = { g = \"1\" }"),
            manifest_text("b", "needs = { h = \"1\" }"),
            manifest_text("c", "needs = { b = \"1\" }"),
            manifest_text("d", "needs = { a = \"1\" }"),
            manifest_text("e", ""),
        ])
    };
    let choose = |game: Option<&str>, enabled_ids: &[&str]| {
        let enabled_ids: Vec<String> = enabled_ids.iter().map(|id| (*id).to_owned()).collect();
        let (chosen_mods, problems) =
            choose_enabled_mods(make_sources(), &embedded_search_paths(), game, &enabled_ids);
        let ids: Vec<String> = chosen_mods.iter().map(|source| source.id().to_owned()).collect();
        (ids, problems)
    };
    assert_eq!(choose(Some("g"), &[]).0, ["g"]);
    assert_eq!(choose(Some("g"), &["e", "a"]).0, ["g", "a", "e"]);
    let (chosen_ids, warnings) = choose(Some("g"), &["a", "b", "c", "h"]);
    assert_eq!(chosen_ids, ["g", "a"]);
    let cases = [
        warnings,
        choose(Some("g"), &["d"]).1,
        choose(Some("g"), &["ee"]).1,
        choose(Some("a"), &[]).1,
        choose(Some("k"), &[]).1,
        choose(None, &[]).1,
    ];
    let messages: Vec<String> = cases.iter().map(|problems| problem_text(problems)).collect();
    insta::assert_snapshot!("mods_choice", messages.join("\n\n---\n\n"));
}

#[test]
fn libraries_of_a_game_are_enabled_with_it() {
    let make_sources = || {
        sources_from_manifests(&[
            manifest_text("g", "game = true\nneeds = { low = \"1\" }"),
            game_manifest("h"),
            manifest_text("low", "needs = { lower = \"1\" }"),
            manifest_text("lower", ""),
            manifest_text("a", "needs = { g = \"1\", lower = \"1\" }"),
        ])
    };
    let choose_for = |found_sources: Vec<ModSource>, game: &str, enabled_ids: &[&str]| {
        let enabled_ids: Vec<String> = enabled_ids.iter().map(|id| (*id).to_owned()).collect();
        let search_paths =
            SearchPaths { user_folder: Some(PathBuf::from("HERE")), ..embedded_search_paths() };
        choose_enabled_mods(found_sources, &search_paths, Some(game), &enabled_ids)
    };
    let load_enabled = |game: &str, enabled_ids: &[&str]| {
        let (chosen, problems) = choose_for(make_sources(), game, enabled_ids);
        assert_eq!(problem_text(&problems), "");
        sort_into_load_order(chosen).unwrap()
    };
    let mod_set = load_enabled("g", &[]);
    assert_eq!(mod_set.ids(), ["lower", "low", "g"]);
    assert!(["g", "low", "lower"].iter().all(|id| mod_set.is_game_or_dependency(id)));
    let mod_set = load_enabled("g", &["a"]);
    assert_eq!(mod_set.ids(), ["lower", "low", "g", "a"]);
    assert!(!mod_set.is_game_or_dependency("a"));
    assert_eq!(
        load_enabled("g", &["lower"]).ids(),
        ["lower", "low", "g"],
        "one that is on besides"
    );
    assert_eq!(load_enabled("h", &[]).ids(), ["h"], "another game has nothing of it");
    assert_eq!(load_enabled("h", &["lower"]).ids(), ["h", "lower"]);

    let sources_without =
        |id: &str| make_sources().into_iter().filter(|source| source.id() != id).collect();
    let outdated_sources = sources_from_manifests(&[
        manifest_text("g", "game = true\nneeds = { low = \"2\" }"),
        manifest_text("low", ""),
    ]);
    let sources_with_cycle = sources_from_manifests(&[
        manifest_text("g", "game = true\nneeds = { h = \"1\" }"),
        manifest_text("h", "game = true\nneeds = { low = \"1\" }"),
        manifest_text("low", "needs = { g = \"1\" }"),
    ]);
    let messages = [
        problem_text(&choose_for(sources_without("low"), "g", &[]).1),
        problem_text(&choose_for(sources_without("lower"), "g", &["a"]).1),
        problem_text(&sort_into_load_order(choose_for(outdated_sources, "g", &[]).0).unwrap_err()),
        problem_text(&choose_for(sources_with_cycle.clone(), "g", &[]).1),
        problem_text(&choose_for(sources_with_cycle, "h", &[]).1),
    ];
    insta::assert_snapshot!("mods_libraries", messages.join("\n\n---\n\n"));
}

/// The mods beside the program's source, and the ids of the games among them with all they need.
fn mods_on_disk_and_bundled_ids() -> (Vec<ModSource>, Vec<String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root.join("mods")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.push(root.join("base_game"));
    folders.retain(|folder| folder.join("mod.toml").is_file());
    let sources: Vec<ModSource> =
        folders.iter().map(|folder| read_folder(folder).unwrap()).collect();
    let games = sources.iter().filter(|source| source.manifest.is_game);
    let games: Vec<String> = games.map(|source| source.id().to_owned()).collect();
    let bundled_ids = ids_with_dependencies(&sources, &games);
    for source in sources.iter().filter(|source| bundled_ids.iter().any(|id| id == source.id())) {
        for need in source.manifest.needed_mods.keys() {
            assert!(
                bundled_ids.contains(need),
                "{} needs {need}, which is not bundled",
                source.id()
            );
        }
    }
    (sources, bundled_ids)
}

#[test]
fn embedded_scripts_are_compiled_at_build_time() {
    embedded_base_game();
    let embedded = read_embedded_mods();
    assert!(embedded.iter().flat_map(ModSource::scripts_in_load_order).count() > 150);
    for (path, text) in embedded.iter().flat_map(ModSource::scripts_in_load_order) {
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
fn embedded_games_and_dependencies_equal_those_on_disk() {
    let default_game = embedded_base_game();
    let marks = |sources: &[ModSource]| {
        let marks = sources.iter().map(|source| (source.id().to_owned(), source.digest));
        marks.collect::<BTreeMap<_, _>>()
    };
    let (embedded, (on_disk, bundled_ids)) = (read_embedded_mods(), mods_on_disk_and_bundled_ids());
    assert!(bundled_ids.len() > 1);
    let is_inside = |id: &&String| embedded.iter().any(|source| source.id() == id.as_str());
    let left_out: Vec<&String> = bundled_ids.iter().filter(|id| !is_inside(id)).collect();
    assert!(left_out.is_empty(), "FOLDERS in engine/app/build.rs lists them: {left_out:?}");
    let on_disk = marks(&on_disk);
    for (id, digest) in marks(&embedded) {
        assert_eq!(on_disk.get(&id), Some(&digest), "{id} is inside as it is on disk");
    }
    assert!(embedded.iter().all(|source| source.origin == ModOrigin::Embedded));
    let (discovered, problems) = discover_mods(&embedded_search_paths());
    assert_eq!(problem_text(&problems), "");
    assert_eq!(marks(&discovered), marks(&embedded));
    for game in embedded.iter().filter(|source| source.manifest.is_game) {
        let (chosen_mods, problems) =
            choose_enabled_mods(discovered.clone(), &embedded_search_paths(), Some(game.id()), &[]);
        assert_eq!(problem_text(&problems), "");
        assert_eq!(sort_into_load_order(chosen_mods).unwrap().game().digest, game.digest);
        assert!(!read_templates(game).unwrap().is_empty(), "{} offers its templates", game.id());
    }
    let (chosen_mods, problems) =
        choose_enabled_mods(discovered, &embedded_search_paths(), None, &[]);
    assert_eq!(problem_text(&problems), "");
    assert_eq!(
        sort_into_load_order(chosen_mods).unwrap().game().digest,
        default_game.digest,
        "the first unasked"
    );
}

#[test]
fn mistakes_that_are_not_shown_are_counted_once() {
    let folder = TempDir::new().unwrap();
    let wrong_lines: String = (0..60).map(|number| format!("wrong{number} = 1\n")).collect();
    for id in ["ash", "elm", "fir"] {
        write_mod(folder.path(), id, &manifest_text(id, &wrong_lines), &[]);
    }
    let search_paths =
        SearchPaths { named_folders: vec![folder.path().to_owned()], ..SearchPaths::default() };
    let problems = discover_mods(&search_paths).1;
    let of_ash: Vec<&Problem> = problems
        .iter()
        .filter(|one| one.place.as_ref().is_some_and(|at| at.owner == "ash"))
        .collect();
    assert_eq!(of_ash.len(), 21, "{}", problem_text(&problems));
    assert!(of_ash[20].message.ends_with("more problems were found: 40"), "{}", of_ash[20]);
    // A further limit adds what it leaves out.
    let problems = base::problem::limit_problems(problems, 50);
    let counts = problems.iter().filter(|one| one.code == base::Code::MoreMistakes);
    let messages: Vec<&str> = counts.map(|one| one.message.as_str()).collect();
    assert_eq!((problems.len(), &messages[..]), (51, &["more problems were found: 130"][..]));
}
