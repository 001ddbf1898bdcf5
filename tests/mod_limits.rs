//! A folder of mods never delays a start: manifests have a size limit, only the first mistakes are
//! listed, and scripts of disabled mods are not read.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use base::Problem;
use mods::{
    Manifest, REPLACED_MOD_PREFIX, SearchPaths, discover_manifests, discover_mods, read_scripts,
};
use save::Profile;
use session::{StartError, StartRequest, plan_start};

use crate::support::{embedded_search_paths, manifest_needing};

const MANIFEST_START: &str = "id = \"bad\"\nname = \"Bad\"\nversion = \"0.1.0\"\nengine = \"*\"\n";
const GAME_LINE: &str = "game = true\n";

fn parse_manifest(extra_lines: &str) -> Result<Manifest, Vec<Problem>> {
    Manifest::parse("bad", &format!("{MANIFEST_START}{extra_lines}"))
}

fn repeat_line(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn manifest_errors_are_listed_up_to_a_limit_and_then_counted() {
    let manifests = [
        ("unknown-key", repeat_line(5_000, |index| format!("k{index} = 1\n"))),
        (
            "missing-key",
            format!("[settings]\n{}", repeat_line(400, |index| format!("s{index} = {{}}\n"))),
        ),
        ("bad-id", format!("after = [{}]", repeat_line(400, |_| "\"Ä\", ".to_owned()))),
        (
            "bad-version",
            format!("[needs]\n{}", repeat_line(400, |index| format!("m{index} = \"one\"\n"))),
        ),
    ];
    for (code, manifest_text) in manifests {
        let problems = parse_manifest(&manifest_text).unwrap_err();
        assert_eq!(problems.len(), 21, "{code}");
        assert!(problems[..20].iter().any(|problem| problem.code == code), "{}", problems[0]);
        assert_eq!(problems[20].code, "more-mistakes");
        let message_bytes: usize = problems.iter().map(|problem| problem.to_string().len()).sum();
        assert!(message_bytes < 32 * 1024, "{code}: {message_bytes} bytes");
    }
    let three_problems =
        parse_manifest(&repeat_line(3, |index| format!("k{index} = 1\n"))).unwrap_err();
    assert_eq!(three_problems.len(), 3);
}

#[test]
fn manifests_and_their_lists_have_a_size_limit() {
    let manifests = [
        repeat_line(15_000, |index| format!("k{index} = 1\n")),
        format!("[needs]\n{}", repeat_line(15_000, |index| format!("m{index} = \"*\"\n"))),
        repeat_line(8_000, |index| format!("[settings.s{index}]\ntype = \"int\"\n")),
        format!("[needs]\n{}", repeat_line(501, |index| format!("m{index} = \"0.1\"\n"))),
        format!("after = [{}]", repeat_line(501, |index| format!("\"m{index}\", "))),
        format!("clashes = [{}]", repeat_line(501, |index| format!("\"m{index}\", "))),
        repeat_line(501, |index| {
            format!("[settings.s{index}]\ntype = \"boolean\"\ndefault = true\n")
        }),
    ];
    for manifest_text in manifests {
        let problems = parse_manifest(&manifest_text).unwrap_err();
        assert_eq!(problems.len(), 1, "{}", problems[0]);
        assert_eq!(problems[0].code, "too-large", "{}", problems[0]);
    }
    let largest_manifest =
        format!("[needs]\n{}", repeat_line(500, |index| format!("m{index} = \"0.1\"\n")));
    assert_eq!(parse_manifest(&largest_manifest).unwrap().needed_mods.len(), 500);
}

/// A very long line is not repeated for each mistake in it.
#[test]
fn errors_in_one_long_line_are_reported_briefly() {
    let manifest_text = format!(
        "allow = {{ {} }}",
        repeat_line(400, |index| format!("f{index} = {{ code = 1 }}, "))
    );
    let manifest_text = manifest_text.replace(", }", " }");
    let problems = parse_manifest(&manifest_text).unwrap_err();
    let message_bytes: usize = problems.iter().map(|problem| problem.to_string().len()).sum();
    assert!(
        problems.len() == 21 && message_bytes < 16 * 1024,
        "{} problems, {message_bytes} bytes",
        problems.len()
    );
}

fn write_mod(folder: &Path, name: &str, manifest: &str, script: &[u8]) {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mod.toml"), manifest).unwrap();
    fs::write(folder.join("main.luau"), script).unwrap();
}

fn write_archive(folder: &Path, name: &str, manifest: &str, script: &[u8]) {
    let file = fs::File::create(folder.join(format!("{name}.zip"))).unwrap();
    let mut writer = zip::ZipWriter::new(file);
    let options = zip::write::SimpleFileOptions::default();
    for (path, bytes) in [("mod.toml", manifest.as_bytes()), ("main.luau", script)] {
        writer.start_file(path, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
}

fn search_paths_for(folder: &Path) -> SearchPaths {
    SearchPaths { named_folders: vec![folder.to_owned()], ..embedded_search_paths() }
}

fn started_mod_ids(places: &SearchPaths, extra_mods: &[&str]) -> Result<Vec<String>, Vec<Problem>> {
    let extra_mods: Vec<String> = extra_mods.iter().map(|id| (*id).to_owned()).collect();
    let request = StartRequest {
        search_paths: places,
        game: Some("bad"),
        extra_mods: &extra_mods,
        language: None,
        command_flags: "",
    };
    match plan_start(request, &Profile::new("Anna")) {
        Ok(plan) => {
            assert!(plan.warnings.is_empty(), "{}", plan.warnings[0]);
            Ok(plan.content.mods.ids())
        }
        Err(StartError::Usage(problems) | StartError::ModProblems(problems)) => Err(problems),
    }
}

#[test]
fn scripts_of_disabled_mods_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    write_mod(
        folder.path(),
        "bad",
        &format!("{MANIFEST_START}{GAME_LINE}"),
        crate::support::MINIMAL_GAME.as_bytes(),
    );
    // Unreadable scripts matter only when they are needed.
    write_mod(folder.path(), "odd", &manifest_needing("odd", &["bad"]), b"\xff\xfe");
    write_archive(folder.path(), "packed", &manifest_needing("packed", &["bad"]), b"\xff\xfe");
    write_mod(
        folder.path(),
        "large",
        &manifest_needing("large", &["bad"]),
        &vec![b' '; 300 * 1024],
    );
    let places = search_paths_for(folder.path());
    assert_eq!(started_mod_ids(&places, &[]).unwrap(), ["bad"]);
    for id in ["odd", "packed", "large"] {
        let problems = started_mod_ids(&places, &[id]).unwrap_err();
        let mut places = problems.iter().filter_map(|problem| problem.place.as_ref());
        assert!(places.any(|location| location.owner == id), "{}", problems[0]);
    }
    let (discovered, problems) = discover_manifests(&places);
    let file_counts: BTreeMap<&str, usize> =
        discovered.iter().map(|source| (source.id(), source.files.len())).collect();
    assert!(problems.is_empty());
    for id in ["bad", "odd", "packed", "large"] {
        assert_eq!(file_counts[id], 0, "{id}");
    }
    // A full read finds them complete.
    let game = discovered.into_iter().filter(|source| source.id() == "bad").collect();
    let game_source = read_scripts(game).unwrap();
    assert!(discover_mods(&places).0.contains(&game_source[0]) && game_source[0].files.len() == 1);
}

#[test]
fn a_replaced_mod_is_loaded_while_its_replacement_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let game = format!("{MANIFEST_START}{GAME_LINE}");
    let places = search_paths_for(folder.path());
    write_mod(folder.path(), "bad", &game, crate::support::MINIMAL_GAME.as_bytes());
    write_mod(
        folder.path(),
        &format!("{REPLACED_MOD_PREFIX}other"),
        &manifest_needing("other", &["bad"]),
        b"",
    );
    assert_eq!(started_mod_ids(&places, &["other"]).unwrap(), ["bad", "other"]);
    // Once another is present, under either name, it is ignored.
    write_archive(folder.path(), "other", &manifest_needing("other", &["bad"]), b"");
    assert_eq!(started_mod_ids(&places, &["other"]).unwrap(), ["bad", "other"]);
    fs::remove_file(folder.path().join("other.zip")).unwrap();
    write_mod(folder.path(), "other", &manifest_needing("other", &["bad"]), b"-- new");
    assert_eq!(discover_mods(&places).1, []);
    let discovered = discover_mods(&places).0;
    let other = discovered.iter().find(|source| source.id() == "other").unwrap();
    assert_eq!(&*other.files["main.luau"], "-- new");
}
