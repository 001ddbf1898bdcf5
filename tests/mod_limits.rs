//! A folder of mods never delays a start: manifests have a size limit, only the first mistakes are
//! listed, and scripts of disabled mods are not read.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use engine::base::Problem;
use engine::mods::{
    Manifest, REPLACED_MOD_PREFIX, SearchPaths, discover, discover_manifests, read_scripts,
};
use engine::save::Profile;
use engine::session::{StartError, StartRequest, plan_start};

use crate::support::{embedded_search_paths, manifest_needing};

const HEAD: &str = "id = \"bad\"\nname = \"Bad\"\nversion = \"0.1.0\"\nengine = \"*\"\n";
const GAME: &str = "game = true\n";

fn manifest(further: &str) -> Result<Manifest, Vec<Problem>> {
    Manifest::parse("bad", &format!("{HEAD}{further}"))
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn mistakes_of_a_manifest_are_told_up_to_a_number_and_counted_beyond_it() {
    let pages = [
        ("unknown-key", lines(5_000, |at| format!("k{at} = 1\n"))),
        ("missing-key", format!("[settings]\n{}", lines(400, |at| format!("s{at} = {{}}\n")))),
        ("bad-id", format!("after = [{}]", lines(400, |_| "\"Ä\", ".to_owned()))),
        ("bad-version", format!("[needs]\n{}", lines(400, |at| format!("m{at} = \"one\"\n")))),
    ];
    for (code, page) in pages {
        let problems = manifest(&page).unwrap_err();
        assert_eq!(problems.len(), 21, "{code}");
        assert!(problems[..20].iter().any(|problem| problem.code == code), "{}", problems[0]);
        assert_eq!(problems[20].code, "more-mistakes");
        let told: usize = problems.iter().map(|problem| problem.to_string().len()).sum();
        assert!(told < 32 * 1024, "{code}: {told} bytes");
    }
    let few = manifest(&lines(3, |at| format!("k{at} = 1\n"))).unwrap_err();
    assert_eq!(few.len(), 3);
}

#[test]
fn a_manifest_and_each_list_in_it_has_an_end() {
    let pages = [
        lines(15_000, |at| format!("k{at} = 1\n")),
        format!("[needs]\n{}", lines(15_000, |at| format!("m{at} = \"*\"\n"))),
        lines(8_000, |at| format!("[settings.s{at}]\ntype = \"int\"\n")),
        format!("[needs]\n{}", lines(501, |at| format!("m{at} = \"0.1\"\n"))),
        format!("after = [{}]", lines(501, |at| format!("\"m{at}\", "))),
        format!("clashes = [{}]", lines(501, |at| format!("\"m{at}\", "))),
        lines(501, |at| format!("[settings.s{at}]\ntype = \"boolean\"\ndefault = true\n")),
    ];
    for page in pages {
        let problems = manifest(&page).unwrap_err();
        assert_eq!(problems.len(), 1, "{}", problems[0]);
        assert_eq!(problems[0].code, "too-large", "{}", problems[0]);
    }
    let most = format!("[needs]\n{}", lines(500, |at| format!("m{at} = \"0.1\"\n")));
    assert_eq!(manifest(&most).unwrap().needs.len(), 500);
}

/// A very long line is not repeated for each mistake in it.
#[test]
fn mistakes_in_one_long_line_are_told_in_few_words() {
    let page = format!("allow = {{ {} }}", lines(400, |at| format!("f{at} = {{ code = 1 }}, ")));
    let page = page.replace(", }", " }");
    let problems = manifest(&page).unwrap_err();
    let told: usize = problems.iter().map(|problem| problem.to_string().len()).sum();
    assert!(problems.len() == 21 && told < 16 * 1024, "{} problems, {told} bytes", problems.len());
}

fn write_mod(folder: &Path, name: &str, manifest: &str, script: &[u8]) {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mod.toml"), manifest).unwrap();
    fs::write(folder.join("main.luau"), script).unwrap();
}

fn archive(folder: &Path, name: &str, manifest: &str, script: &[u8]) {
    let file = fs::File::create(folder.join(format!("{name}.zip"))).unwrap();
    let mut writer = zip::ZipWriter::new(file);
    let options = zip::write::SimpleFileOptions::default();
    for (path, bytes) in [("mod.toml", manifest.as_bytes()), ("main.luau", script)] {
        writer.start_file(path, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
}

fn in_folder(folder: &Path) -> SearchPaths {
    SearchPaths { named_folders: vec![folder.to_owned()], ..embedded_search_paths() }
}

fn start_outcome(places: &SearchPaths, with: &[&str]) -> Result<Vec<String>, Vec<Problem>> {
    let with: Vec<String> = with.iter().map(|id| (*id).to_owned()).collect();
    let request = StartRequest { places, game: Some("bad"), extra_mods: &with };
    match plan_start(request, &Profile::new("Anna")) {
        Ok(plan) => {
            assert!(plan.warnings.is_empty(), "{}", plan.warnings[0]);
            Ok(plan.content.mods.ids())
        }
        Err(StartError::Usage(problems) | StartError::ModProblems(problems)) => Err(problems),
    }
}

#[test]
fn of_what_is_switched_off_no_script_is_read() {
    let folder = tempfile::tempdir().unwrap();
    write_mod(
        folder.path(),
        "bad",
        &format!("{HEAD}{GAME}"),
        crate::support::MINIMAL_GAME.as_bytes(),
    );
    // Unreadable scripts matter only when they are needed.
    write_mod(folder.path(), "odd", &manifest_needing("odd", &["bad"]), b"\xff\xfe");
    archive(folder.path(), "packed", &manifest_needing("packed", &["bad"]), b"\xff\xfe");
    write_mod(
        folder.path(),
        "large",
        &manifest_needing("large", &["bad"]),
        &vec![b' '; 300 * 1024],
    );
    let places = in_folder(folder.path());
    assert_eq!(start_outcome(&places, &[]).unwrap(), ["bad"]);
    for id in ["odd", "packed", "large"] {
        let problems = start_outcome(&places, &[id]).unwrap_err();
        let mut places = problems.iter().filter_map(|problem| problem.place.as_ref());
        assert!(places.any(|place| place.owner == id), "{}", problems[0]);
    }
    let (found, problems) = discover_manifests(&places);
    let sizes: BTreeMap<&str, usize> =
        found.iter().map(|source| (source.id(), source.files.len())).collect();
    assert!(problems.is_empty());
    for id in ["bad", "odd", "packed", "large"] {
        assert_eq!(sizes[id], 0, "{id}");
    }
    // A full read finds them complete.
    let game = found.into_iter().filter(|source| source.id() == "bad").collect();
    let whole = read_scripts(game).unwrap();
    assert!(discover(&places).0.contains(&whole[0]) && whole[0].files.len() == 1);
}

#[test]
fn a_mod_that_waited_for_a_missing_mod_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let game = format!("{HEAD}{GAME}");
    let places = in_folder(folder.path());
    write_mod(folder.path(), "bad", &game, crate::support::MINIMAL_GAME.as_bytes());
    write_mod(
        folder.path(),
        &format!("{REPLACED_MOD_PREFIX}other"),
        &manifest_needing("other", &["bad"]),
        b"",
    );
    assert_eq!(start_outcome(&places, &["other"]).unwrap(), ["bad", "other"]);
    // Once another is present, under either name, it is ignored.
    archive(folder.path(), "other", &manifest_needing("other", &["bad"]), b"");
    assert_eq!(start_outcome(&places, &["other"]).unwrap(), ["bad", "other"]);
    fs::remove_file(folder.path().join("other.zip")).unwrap();
    write_mod(folder.path(), "other", &manifest_needing("other", &["bad"]), b"-- new");
    assert_eq!(discover(&places).1, []);
    let found = discover(&places).0;
    let other = found.iter().find(|source| source.id() == "other").unwrap();
    assert_eq!(&*other.files["main.luau"], "-- new");
}
