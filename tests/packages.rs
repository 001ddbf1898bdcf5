//! A mod as a file: packed, installed, replaced and removed by the real program. Hostile and broken
//! archives change nothing and are reported.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use engine::mods::{ModOrigin, SearchPaths, discover, read_folder, read_package};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::support::{embedded_search_paths, manifest_needing};

/// A folder with a game, a player's data, and the files of a test.
struct PackageWorkspace {
    place: TempDir,
}

const GAME: &str =
    "id = \"hall\"\nname = \"The Hall\"\nversion = \"1.0.0\"\nengine = \"*\"\ngame = true\n";
const HALL: &str = "kind \"word\" { name = field.text }\nstart(function() go \"in\" end)\n\
                    scene \"in\" { prompt = function() return { text = tostring(#all(word)), choices = { { id = \"go\", label = \"Go\" }, { id = \"out\", label = \"Out\" } } } end,\n\
                    on = { go = function() say \"on\" end, out = function() finish { outcome = \"out\" } end } }\n";

impl PackageWorkspace {
    fn new() -> Self {
        let home = Self { place: TempDir::new().unwrap() };
        home.write("games/hall", GAME, &[("play.luau", HALL)]);
        home
    }

    fn at(&self, path: &str) -> PathBuf {
        self.place.path().join(path)
    }

    fn write(&self, folder: &str, manifest: &str, files: &[(&str, &str)]) {
        for (path, text) in [("mod.toml", manifest)].iter().chain(files) {
            let file = self.at(folder).join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
    }

    /// A mod of that version in `folder`.
    fn ember(&self, folder: &str, version: &str) {
        let manifest = manifest_needing("ember", &["hall"]).replace("0.1.0", version);
        let word = format!("word \"spark\" {{ name = \"spark of {version}\" }}\n");
        self.write(folder, &manifest, &[("words/spark.luau", &word), ("README.md", "A word.\n")]);
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(words).arg("--mods").arg(self.at("games")).arg("--data").arg(self.at("data"));
        command.current_dir(self.place.path()).stdin(Stdio::null());
        command
    }

    /// The output and status of a `mods` command.
    fn mods(&self, words: &[&str]) -> (i32, String) {
        let output = self.command(&[&["mods"], words].concat()).output().unwrap();
        // Diagnostics go to standard error, results do not.
        assert!(output.status.code() != Some(0) || output.stderr.is_empty());
        let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let told = told.replace(&self.place.path().display().to_string(), "HOME");
        (output.status.code().unwrap(), told)
    }

    fn expect_success(&self, words: &[&str]) -> String {
        let (status, told) = self.mods(words);
        assert_eq!(status, 0, "{told}");
        told
    }

    /// Every file of the folder except the player's profiles and runs, with hidden ones.
    fn all_files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut all = BTreeMap::new();
        let mut open = vec![self.place.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.place.path()).unwrap().display().to_string();
                match path.is_dir() && !path.is_symlink() {
                    true => open.push(path),
                    false => drop(all.insert(name, fs::read(&path).unwrap_or_default())),
                }
            }
        }
        all
    }

    /// The output of a refused command; nothing may change.
    fn expect_refusal(&self, words: &[&str]) -> String {
        let before = self.all_files();
        let (status, told) = self.mods(words);
        assert_ne!(status, 0, "{told}");
        assert_eq!(self.all_files(), before, "{told}");
        told
    }

    /// Adds an archive.
    fn archive(&self, name: &str, entries: &[(&str, &[u8])]) {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in entries {
            writer.start_file(*path, SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        fs::write(self.at(name), writer.finish().unwrap().into_inner()).unwrap();
    }
}

fn manifest() -> String {
    manifest_needing("ember", &["hall"])
}

#[test]
fn a_mod_is_packed_the_same_each_time_and_installed_from_that_file() {
    let home = PackageWorkspace::new();
    home.ember("games/ember", "0.1.0");
    home.write(
        "games/ember",
        &fs::read_to_string(home.at("games/ember/mod.toml")).unwrap(),
        &[(".editor/types.luau", "-- for one's own editor"), ("tests/first.luau", "-- a test")],
    );
    let packed = home.expect_success(&["pack", "ember"]);
    let file = fs::read(home.at("ember-0.1.0.zip")).unwrap();
    assert!(home.expect_success(&["pack", "ember"]).contains("with the same bytes"));
    // A copy with newer files in another order is the same mod.
    for path in ["tests/first.luau", "words/spark.luau", "README.md", "mod.toml"] {
        let to = home.at("copy").join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(home.at("games/ember").join(path), to).unwrap();
    }
    home.expect_success(&["pack", "./copy", "--out", "again.zip"]);
    assert_eq!(fs::read(home.at("again.zip")).unwrap(), file);

    let from = read_folder(&home.at("games/ember")).unwrap();
    fs::remove_dir_all(home.at("games/ember")).unwrap();
    let installed = home.expect_success(&["install", "ember-0.1.0.zip"]);
    let there = read_folder(&home.at("data/mods/ember")).unwrap();
    assert_eq!(there.digest, from.digest);
    assert!(home.at("data/mods/ember/README.md").is_file());
    assert!(home.at("data/mods/ember/tests/first.luau").is_file());
    assert!(!home.at("data/mods/ember/.editor").exists(), "personal files are not packed");
    let again = home.expect_success(&["install", "ember-0.1.0.zip"]);
    let listed = home.expect_success(&[]);
    assert!(listed.contains("off  ember 0.1.0  ember, for hall"), "{listed}");
    let removed = home.expect_success(&["remove", "ember", "--yes"]);
    assert!(!home.at("data/mods/ember").exists());
    insta::assert_snapshot!("sharing_packed", [packed, installed, again, removed].join("\n"));
}

#[test]
fn what_is_there_is_replaced_only_by_a_yes_and_versions_are_told() {
    let home = PackageWorkspace::new();
    for version in ["0.1.0", "0.2.0"] {
        home.ember(&format!("v{version}"), version);
        home.expect_success(&["pack", &format!("./v{version}")]);
    }
    home.ember("other", "0.2.0");
    fs::write(home.at("other/words/spark.luau"), "word \"spark\" { name = \"another\" }\n")
        .unwrap();
    home.expect_success(&["install", "ember-0.1.0.zip"]);
    let mut told = vec![home.expect_refusal(&["install", "ember-0.2.0.zip"])];
    told.push(home.expect_success(&["install", "ember-0.2.0.zip", "--replace"]));
    told.push(home.expect_refusal(&["install", "./other"]));
    told.push(home.expect_refusal(&["install", "ember-0.1.0.zip"]));
    told.push(home.expect_refusal(&["remove", "ember"]));
    let text = fs::read_to_string(home.at("data/mods/ember/words/spark.luau")).unwrap();
    assert!(text.contains("0.2.0"));
    told.push(home.expect_success(&["install", "./other", "--replace"]));
    // One that needs the older version, and one that does not load.
    let strict = manifest_needing("strict", &["hall"])
        .replace("needs = { ", "needs = { ember = \"=0.2.0\", ");
    home.write("games/strict", &strict, &[]);
    told.push(home.expect_refusal(&["install", "ember-0.1.0.zip"]));
    home.ember("broken", "0.3.0");
    fs::write(home.at("broken/words/spark.luau"), "word \"spark\" { nmae = \"spark\" }\n").unwrap();
    told.push(home.expect_refusal(&["install", "./broken", "--replace"]));
    told.push(home.expect_refusal(&["pack", "./broken"]));
    insta::assert_snapshot!("sharing_versions", told.join("\n----\n"));
}

#[test]
fn a_run_that_is_under_way_is_told_and_goes_on() {
    let home = PackageWorkspace::new();
    home.ember("v1", "0.1.0");
    home.ember("v2", "0.2.0");
    home.expect_success(&["install", "./v1"]);
    home.expect_success(&["on", "ember", "--game", "hall"]);
    fs::write(home.at("script.txt"), "new\ngo\n").unwrap();
    let play = |lines: &str| {
        fs::write(home.at("script.txt"), lines).unwrap();
        let mut command = home.command(&["--game", "hall", "--script", "script.txt"]);
        let output = command.output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    play("new\ngo\n");
    let runs = fs::read_dir(home.at("data/runs")).unwrap().count();
    assert_eq!(runs, 1);
    let told = home.expect_refusal(&["install", "./v2"]);
    assert!(told.contains("uses ember 0.1.0: it continues with its copy"), "{told}");
    let told = home.expect_refusal(&["remove", "ember"]);
    assert!(told.contains("uses ember 0.1.0"), "{told}");
    home.expect_success(&["install", "./v2", "--replace"]);
    assert!(home.expect_success(&[]).contains("on   ember 0.2.0"), "on as before");
    let told = home.expect_success(&["remove", "ember", "--yes"]);
    assert!(told.contains("it is off for Player"), "{told}");
    let told = play("resume\ntoday\ngo\nout\n");
    assert!(told.contains("on\n"), "{told}");
}

#[test]
fn a_zip_among_the_mods_is_read_as_it_is() {
    let home = PackageWorkspace::new();
    home.ember("ember", "0.1.0");
    home.expect_success(&["pack", "./ember", "--out", "games/ember.zip"]);
    let found = |home: &PackageWorkspace| {
        discover(&SearchPaths { named_folders: vec![home.at("games")], ..embedded_search_paths() })
    };
    let (mods, problems) = found(&home);
    assert_eq!(problems, []);
    let read = mods.iter().find(|source| source.id() == "ember").unwrap();
    assert_eq!(read.digest, read_folder(&home.at("ember")).unwrap().digest);
    assert_eq!(read.origin, ModOrigin::Archive(home.at("games/ember.zip")));
    let told = home.command(&["check", "ember"]).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stdout));
    // Beside a folder of the same mod, neither is loaded.
    home.ember("games/ember", "0.1.0");
    let (mods, problems) = found(&home);
    assert!(mods.iter().all(|source| source.id() != "ember"));
    assert_eq!(problems[0].code, "two-of-one-id");
    // It is replaced like a folder, and removed.
    fs::remove_dir_all(home.at("games/ember")).unwrap();
    fs::create_dir_all(home.at("data/mods")).unwrap();
    fs::rename(home.at("games/ember.zip"), home.at("data/mods/mine.zip")).unwrap();
    assert!(
        home.expect_refusal(&["install", "data/mods/mine.zip"])
            .contains("is already in a folder that is searched for mods")
    );
    home.ember("ember", "0.2.0");
    home.expect_success(&["install", "./ember", "--replace"]);
    assert!(!home.at("data/mods/mine.zip").exists());
    assert!(home.expect_success(&[]).contains("ember 0.2.0"));
}

#[test]
fn archives_that_mean_harm_or_are_broken_change_nothing() {
    let home = PackageWorkspace::new();
    let (toml, script) = (manifest(), b"-- fine\n".as_slice());
    let toml = toml.as_bytes();
    home.archive("up.zip", &[("ember/mod.toml", toml), ("ember/../../evil.luau", script)]);
    home.archive("above.zip", &[("ember/mod.toml", toml), ("../evil.luau", script)]);
    home.archive("absolute.zip", &[("ember/mod.toml", toml), ("/tmp/evil.luau", script)]);
    home.archive("drive.zip", &[("ember/mod.toml", toml), ("c:\\evil.luau", script)]);
    home.archive("device.zip", &[("ember/mod.toml", toml), ("ember/aux.txt", script)]);
    home.archive("control.zip", &[("ember/mod.toml", toml), ("ember/a\u{1b}[2J.luau", script)]);
    home.archive(
        "case.zip",
        &[("ember/mod.toml", toml), ("ember/a.md", script), ("ember/A.md", script)],
    );
    home.archive(
        "both.zip",
        &[("ember/mod.toml", toml), ("ember/a", script), ("ember/a/b.md", script)],
    );
    home.archive("two.zip", &[("ember/mod.toml", toml), ("ash/mod.toml", toml)]);
    home.archive("deep.zip", &[("down/ember/mod.toml", toml)]);
    home.archive("nothing.zip", &[("readme.txt", script)]);
    home.archive("large.zip", &[("mod.toml", toml), ("a.bin", &vec![0; 9 << 20])]);
    let many: Vec<(String, &[u8])> = (0..5_000).map(|n| (format!("f{n}"), &b""[..])).collect();
    let many: Vec<(&str, &[u8])> =
        many.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    home.archive("many.zip", &many);
    let deep = format!("ember/{}a.md", "d/".repeat(12));
    home.archive("folders.zip", &[("ember/mod.toml", toml), (&deep, script)]);
    // A link, and one to the parent folder.
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("ember/mod.toml", SimpleFileOptions::default()).unwrap();
    writer.write_all(toml).unwrap();
    writer.add_symlink("ember/out", "../..", SimpleFileOptions::default()).unwrap();
    fs::write(home.at("link.zip"), writer.finish().unwrap().into_inner()).unwrap();
    // Ten gibibytes: a thousand names for the same eight mebibytes.
    fs::write(home.at("bomb.zip"), archive_bomb(toml)).unwrap();
    // Truncated, corrupted, and no archive at all.
    home.ember("whole", "0.1.0");
    home.expect_success(&["pack", "./whole", "--out", "whole.zip"]);
    let whole = fs::read(home.at("whole.zip")).unwrap();
    fs::write(home.at("cut.zip"), &whole[..whole.len() / 2]).unwrap();
    let mut changed = whole.clone();
    changed[48] ^= 0x55;
    fs::write(home.at("changed.zip"), changed).unwrap();
    fs::write(home.at("text.zip"), "not a zip").unwrap();
    let names = [
        "up", "above", "absolute", "drive", "device", "control", "case", "both", "two", "deep",
        "nothing", "large", "many", "folders", "link", "bomb", "cut", "changed", "text",
    ];
    let mut told = String::new();
    for name in names {
        told +=
            &format!("== {name}\n{}", home.expect_refusal(&["install", &format!("{name}.zip")]));
    }
    for other in ["nowhere.zip", "games/hall/play.luau", "games/hall/mod.toml", "games"] {
        told += &format!("== {other}\n{}", home.expect_refusal(&["install", other]));
    }
    insta::assert_snapshot!("sharing_harm", told);
    assert!(!Path::new("/tmp/evil.luau").exists());

    // Archives among the mods are read with the same care, and hide no other mod.
    for name in names {
        fs::copy(home.at(&format!("{name}.zip")), home.at(&format!("games/{name}.zip"))).unwrap();
    }
    let (mods, problems) =
        discover(&SearchPaths { named_folders: vec![home.at("games")], ..embedded_search_paths() });
    assert!(mods.iter().any(|source| source.id() == "hall"));
    assert!(mods.iter().all(|source| source.id() != "ember"));
    assert!(problems.len() >= names.len(), "{}", crate::support::problems_text(&problems));
}

/// An archive of a few kilobytes that declares ten gibibytes: all names but the first refer to the
/// same data.
fn archive_bomb(manifest: &[u8]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    writer.start_file("mod.toml", options).unwrap();
    writer.write_all(manifest).unwrap();
    writer.start_file("a0000.md", options).unwrap();
    writer.write_all(&vec![0; 8 << 20]).unwrap();
    let whole = writer.finish().unwrap().into_inner();
    let (head, end) = (b"PK\x01\x02", b"PK\x05\x06");
    let find = |what: &[u8], from: usize| {
        (from..whole.len()).find(|at| whole[*at..].starts_with(what)).unwrap()
    };
    let first = find(head, 0);
    let second = find(head, first + 4);
    let tail = find(end, second);
    let entry = &whole[second..tail];
    let mut out = whole[..tail].to_vec();
    for number in 1..1_280_u32 {
        let name = format!("a{number:04}.md");
        let mut one = entry.to_vec();
        one[46..46 + name.len()].copy_from_slice(name.as_bytes());
        out.extend(one);
    }
    let length = (out.len() - first) as u32;
    let mut close = whole[tail..].to_vec();
    close[8..10].copy_from_slice(&1_281_u16.to_le_bytes());
    close[10..12].copy_from_slice(&1_281_u16.to_le_bytes());
    close[12..16].copy_from_slice(&length.to_le_bytes());
    out.extend(close);
    out
}

#[test]
fn a_package_takes_what_a_folder_holds_and_nothing_odd() {
    let home = PackageWorkspace::new();
    home.ember("ember", "0.1.0");
    let package = read_package(&home.at("ember")).unwrap();
    let paths: Vec<&String> = package.files().keys().collect();
    assert_eq!(paths, ["README.md", "mod.toml", "words/spark.luau"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/passwd", home.at("ember/notes.md")).unwrap();
        assert_eq!(read_package(&home.at("ember")).unwrap_err()[0].code, "link");
        assert!(home.expect_refusal(&["install", "./ember"]).contains("links are not followed"));
        assert!(home.expect_refusal(&["pack", "./ember"]).contains("links are not followed"));
        fs::remove_file(home.at("ember/notes.md")).unwrap();
    }
    fs::write(home.at("taken.zip"), "something else").unwrap();
    assert!(
        home.expect_refusal(&["pack", "./ember", "--out", "taken.zip"])
            .contains("is not a zip file of ember")
    );
    assert!(
        home.expect_refusal(&["pack", "./ember", "--out", "ember/e.zip"])
            .contains("the folder of the mod")
    );
    assert!(home.expect_refusal(&["pack", "sub_rosa"]).contains("part of the program"));
    assert!(home.expect_refusal(&["remove", "sub_rosa"]).contains("the program"));
    assert!(home.expect_refusal(&["remove", "hall"]).contains("games"));
    assert!(home.expect_refusal(&["remove", "../games"]).contains("no mod \"../games\""));
    assert!(home.expect_refusal(&["remove", "nothing"]).contains("no mod \"nothing\""));
}

/// A file size limit in blocks of 512 bytes acts like a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    let home = PackageWorkspace::new();
    home.ember("old", "0.1.0");
    home.expect_success(&["install", "./old"]);
    home.ember("new", "0.2.0");
    fs::write(home.at("new/pages.md"), vec![b'x'; 100_000]).unwrap();
    let before = home.all_files();
    let mut command = Command::new("sh");
    let line = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"";
    command.args(["-c", line, env!("CARGO_BIN_EXE_sub-rosa")]);
    command.args(["mods", "install", "./new", "--replace", "--mods"]).arg(home.at("games"));
    command.arg("--data").arg(home.at("data")).current_dir(home.place.path());
    let output = command.output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("cannot be written") && told.contains("nothing was changed"), "{told}");
    assert_eq!(home.all_files(), before);
    assert!(home.expect_success(&["install", "./new", "--replace"]).contains("replaces 0.1.0"));
}

#[cfg(unix)]
#[test]
fn stopped_half_way_it_leaves_everything_as_it_was() {
    let home = PackageWorkspace::new();
    home.ember("old", "0.1.0");
    home.expect_success(&["install", "./old"]);
    home.ember("new", "0.2.0");
    let before = home.all_files();
    let install = |home: &PackageWorkspace| {
        let mut command = home.command(&["mods", "install", "./new", "--replace"]);
        command
            .env("SUB_ROSA_FAULT", "busy_installing")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        while !home.at("data/mods/.new-ember/README.md").exists() {
            std::thread::yield_now();
        }
        child
    };
    // The key that interrupts it.
    let child = install(&home);
    let stop = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stop.success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("stopped before ember was installed; nothing was changed"), "{told}");
    assert_eq!(home.all_files(), before);
    // After a kill, unused files are left, and the next attempt removes them.
    let mut child = install(&home);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(home.expect_success(&[]).contains("ember 0.1.0"));
    home.expect_success(&["install", "./new", "--replace"]);
    let names = fs::read_dir(home.at("data/mods")).unwrap().map(|one| one.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["ember"]);
    // Killed between two renames: the backup is restored.
    fs::rename(home.at("data/mods/ember"), home.at("data/mods/.old-ember")).unwrap();
    home.ember("third", "0.3.0");
    let told = home.mods(&["install", "./third"]).1;
    assert!(told.contains("0.2.0"), "{told}");
}
