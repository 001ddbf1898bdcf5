//! A mod as a file: packed, installed, replaced and removed by the real program. Hostile and broken
//! archives change nothing and are reported.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mods::{ModOrigin, SearchPaths, discover_mods, read_folder, read_package};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::support::{embedded_search_paths, manifest_needing};

/// A folder with a game, a player's data, and the files of a test.
struct PackageWorkspace {
    workspace_folder: TempDir,
}

const HALL_MANIFEST: &str =
    "id = \"hall\"\nname = \"The Hall\"\nversion = \"1.0.0\"\nengine = \"*\"\ngame = true\n";
const HALL_SCRIPT: &str = "kind \"word\" { name = field.text }\nstart(function() go \"in\" end)\n\
                    scene \"in\" { prompt = function() return { text = tostring(#all(word)), choices = { { id = \"go\", label = \"Go\" }, { id = \"out\", label = \"Out\" } } } end,\n\
                    on = { go = function() say \"on\" end, out = function() finish { outcome = \"out\" } end } }\n";

impl PackageWorkspace {
    fn new() -> Self {
        let workspace = Self { workspace_folder: TempDir::new().unwrap() };
        workspace.write_mod("games/hall", HALL_MANIFEST, &[("play.luau", HALL_SCRIPT)]);
        workspace
    }

    fn path_of(&self, path: &str) -> PathBuf {
        self.workspace_folder.path().join(path)
    }

    fn write_mod(&self, folder: &str, manifest: &str, files: &[(&str, &str)]) {
        for (path, text) in [("mod.toml", manifest)].iter().chain(files) {
            let file = self.path_of(folder).join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
    }

    /// A mod of that version in `folder`.
    fn write_ember_mod(&self, folder: &str, version: &str) {
        let manifest = manifest_needing("ember", &["hall"]).replace("0.1.0", version);
        let script = format!("word \"spark\" {{ name = \"spark of {version}\" }}\n");
        self.write_mod(
            folder,
            &manifest,
            &[("words/spark.luau", &script), ("README.md", "A word.\n")],
        );
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command
            .args(words)
            .arg("--mods")
            .arg(self.path_of("games"))
            .arg("--data")
            .arg(self.path_of("data"));
        command.current_dir(self.workspace_folder.path()).stdin(Stdio::null());
        command
    }

    /// The output and status of a `mods` command.
    fn run_mods_command(&self, words: &[&str]) -> (i32, String) {
        let output = self.command(&[&["mods"], words].concat()).output().unwrap();
        // Diagnostics go to standard error, results do not.
        assert!(output.status.code() != Some(0) || output.stderr.is_empty());
        let output_text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let output_text =
            output_text.replace(&self.workspace_folder.path().display().to_string(), "HOME");
        (output.status.code().unwrap(), output_text)
    }

    fn expect_success(&self, words: &[&str]) -> String {
        let (status, output) = self.run_mods_command(words);
        assert_eq!(status, 0, "{output}");
        output
    }

    /// Every file of the folder except the player's profiles and runs, with hidden ones.
    fn all_files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut pending_folders = vec![self.workspace_folder.path().to_owned()];
        while let Some(folder) = pending_folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name =
                    path.strip_prefix(self.workspace_folder.path()).unwrap().display().to_string();
                match path.is_dir() && !path.is_symlink() {
                    true => pending_folders.push(path),
                    false => drop(files.insert(name, fs::read(&path).unwrap_or_default())),
                }
            }
        }
        files
    }

    /// The output of a refused command; nothing may change.
    fn expect_refusal(&self, words: &[&str]) -> String {
        let files_before = self.all_files();
        let (status, output) = self.run_mods_command(words);
        assert_ne!(status, 0, "{output}");
        assert_eq!(self.all_files(), files_before, "{output}");
        output
    }

    /// Adds an archive.
    fn write_archive(&self, name: &str, entries: &[(&str, &[u8])]) {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in entries {
            writer.start_file(*path, SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        fs::write(self.path_of(name), writer.finish().unwrap().into_inner()).unwrap();
    }
}

fn ember_manifest() -> String {
    manifest_needing("ember", &["hall"])
}

#[test]
fn packing_is_reproducible_and_the_archive_installs() {
    let workspace = PackageWorkspace::new();
    workspace.write_ember_mod("games/ember", "0.1.0");
    workspace.write_mod(
        "games/ember",
        &fs::read_to_string(workspace.path_of("games/ember/mod.toml")).unwrap(),
        &[(".editor/types.luau", "-- for one's own editor"), ("tests/first.luau", "-- a test")],
    );
    let pack_output = workspace.expect_success(&["pack", "ember"]);
    let archive_bytes = fs::read(workspace.path_of("ember-0.1.0.zip")).unwrap();
    assert!(workspace.expect_success(&["pack", "ember"]).contains("with the same bytes"));
    // A copy with newer files in another order is the same mod.
    for path in ["tests/first.luau", "words/spark.luau", "README.md", "mod.toml"] {
        let copy_path = workspace.path_of("copy").join(path);
        fs::create_dir_all(copy_path.parent().unwrap()).unwrap();
        fs::copy(workspace.path_of("games/ember").join(path), copy_path).unwrap();
    }
    workspace.expect_success(&["pack", "./copy", "--out", "again.zip"]);
    assert_eq!(fs::read(workspace.path_of("again.zip")).unwrap(), archive_bytes);

    let original = read_folder(&workspace.path_of("games/ember")).unwrap();
    fs::remove_dir_all(workspace.path_of("games/ember")).unwrap();
    let install_output = workspace.expect_success(&["install", "ember-0.1.0.zip"]);
    let installed_mod = read_folder(&workspace.path_of("data/mods/ember")).unwrap();
    assert_eq!(installed_mod.digest, original.digest);
    assert!(workspace.path_of("data/mods/ember/README.md").is_file());
    assert!(workspace.path_of("data/mods/ember/tests/first.luau").is_file());
    assert!(
        !workspace.path_of("data/mods/ember/.editor").exists(),
        "personal files are not packed"
    );
    let reinstall_output = workspace.expect_success(&["install", "ember-0.1.0.zip"]);
    let list_output = workspace.expect_success(&[]);
    assert!(list_output.contains("off  ember 0.1.0  ember, for hall"), "{list_output}");
    let remove_output = workspace.expect_success(&["remove", "ember", "--yes"]);
    assert!(!workspace.path_of("data/mods/ember").exists());
    insta::assert_snapshot!(
        "sharing_packed",
        [pack_output, install_output, reinstall_output, remove_output].join("\n")
    );
}

#[test]
fn install_replaces_only_on_request_and_reports_versions() {
    let workspace = PackageWorkspace::new();
    for version in ["0.1.0", "0.2.0"] {
        workspace.write_ember_mod(&format!("v{version}"), version);
        workspace.expect_success(&["pack", &format!("./v{version}")]);
    }
    workspace.write_ember_mod("other", "0.2.0");
    fs::write(
        workspace.path_of("other/words/spark.luau"),
        "word \"spark\" { name = \"another\" }\n",
    )
    .unwrap();
    workspace.expect_success(&["install", "ember-0.1.0.zip"]);
    let mut outputs = vec![workspace.expect_refusal(&["install", "ember-0.2.0.zip"])];
    outputs.push(workspace.expect_success(&["install", "ember-0.2.0.zip", "--replace"]));
    outputs.push(workspace.expect_refusal(&["install", "./other"]));
    outputs.push(workspace.expect_refusal(&["install", "ember-0.1.0.zip"]));
    outputs.push(workspace.expect_refusal(&["remove", "ember"]));
    let text = fs::read_to_string(workspace.path_of("data/mods/ember/words/spark.luau")).unwrap();
    assert!(text.contains("0.2.0"));
    outputs.push(workspace.expect_success(&["install", "./other", "--replace"]));
    // One that needs the older version, and one that does not load.
    let strict_manifest = manifest_needing("strict", &["hall"])
        .replace("needs = { ", "needs = { ember = \"=0.2.0\", ");
    workspace.write_mod("games/strict", &strict_manifest, &[]);
    outputs.push(workspace.expect_refusal(&["install", "ember-0.1.0.zip"]));
    workspace.write_ember_mod("broken", "0.3.0");
    fs::write(
        workspace.path_of("broken/words/spark.luau"),
        "word \"spark\" { nmae = \"spark\" }\n",
    )
    .unwrap();
    outputs.push(workspace.expect_refusal(&["install", "./broken", "--replace"]));
    outputs.push(workspace.expect_refusal(&["pack", "./broken"]));
    insta::assert_snapshot!("sharing_versions", outputs.join("\n----\n"));
}

#[test]
fn an_active_run_is_reported_and_keeps_its_mod_version() {
    let workspace = PackageWorkspace::new();
    workspace.write_ember_mod("v1", "0.1.0");
    workspace.write_ember_mod("v2", "0.2.0");
    workspace.expect_success(&["install", "./v1"]);
    workspace.expect_success(&["on", "ember", "--game", "hall"]);
    fs::write(workspace.path_of("script.txt"), "new\ngo\n").unwrap();
    let play_lines = |lines: &str| {
        fs::write(workspace.path_of("script.txt"), lines).unwrap();
        let mut command = workspace.command(&["--game", "hall", "--script", "script.txt"]);
        let output = command.output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    play_lines("new\ngo\n");
    let runs = fs::read_dir(workspace.path_of("data/runs")).unwrap().count();
    assert_eq!(runs, 1);
    let output_text = workspace.expect_refusal(&["install", "./v2"]);
    assert!(output_text.contains("uses ember 0.1.0: it continues with its copy"), "{output_text}");
    let output_text = workspace.expect_refusal(&["remove", "ember"]);
    assert!(output_text.contains("uses ember 0.1.0"), "{output_text}");
    workspace.expect_success(&["install", "./v2", "--replace"]);
    assert!(workspace.expect_success(&[]).contains("on   ember 0.2.0"), "on as before");
    let output_text = workspace.expect_success(&["remove", "ember", "--yes"]);
    assert!(output_text.contains("it is off for Player"), "{output_text}");
    let output_text = play_lines("resume\ntoday\ngo\nout\n");
    assert!(output_text.contains("on\n"), "{output_text}");
}

#[test]
fn an_archive_in_the_mods_folder_is_loaded() {
    let workspace = PackageWorkspace::new();
    workspace.write_ember_mod("ember", "0.1.0");
    workspace.expect_success(&["pack", "./ember", "--out", "games/ember.zip"]);
    let discover_games = |workspace: &PackageWorkspace| {
        discover_mods(&SearchPaths {
            named_folders: vec![workspace.path_of("games")],
            ..embedded_search_paths()
        })
    };
    let (mods, problems) = discover_games(&workspace);
    assert_eq!(problems, []);
    let archived_mod = mods.iter().find(|source| source.id() == "ember").unwrap();
    assert_eq!(archived_mod.digest, read_folder(&workspace.path_of("ember")).unwrap().digest);
    assert_eq!(archived_mod.origin, ModOrigin::Archive(workspace.path_of("games/ember.zip")));
    let check_result = workspace.command(&["check", "ember"]).output().unwrap();
    assert!(check_result.status.success(), "{}", String::from_utf8_lossy(&check_result.stdout));
    // Beside a folder of the same mod, neither is loaded.
    workspace.write_ember_mod("games/ember", "0.1.0");
    let (mods, problems) = discover_games(&workspace);
    assert!(mods.iter().all(|source| source.id() != "ember"));
    assert_eq!(problems[0].code, "two-of-one-id");
    // It is replaced like a folder, and removed.
    fs::remove_dir_all(workspace.path_of("games/ember")).unwrap();
    fs::create_dir_all(workspace.path_of("data/mods")).unwrap();
    fs::rename(workspace.path_of("games/ember.zip"), workspace.path_of("data/mods/mine.zip"))
        .unwrap();
    assert!(
        workspace
            .expect_refusal(&["install", "data/mods/mine.zip"])
            .contains("is already in a folder that is searched for mods")
    );
    workspace.write_ember_mod("ember", "0.2.0");
    workspace.expect_success(&["install", "./ember", "--replace"]);
    assert!(!workspace.path_of("data/mods/mine.zip").exists());
    assert!(workspace.expect_success(&[]).contains("ember 0.2.0"));
}

#[test]
fn hostile_and_broken_archives_change_nothing() {
    let workspace = PackageWorkspace::new();
    let (manifest_bytes, script) = (ember_manifest(), b"-- fine\n".as_slice());
    let manifest_bytes = manifest_bytes.as_bytes();
    workspace.write_archive(
        "up.zip",
        &[("ember/mod.toml", manifest_bytes), ("ember/../../evil.luau", script)],
    );
    workspace.write_archive(
        "above.zip",
        &[("ember/mod.toml", manifest_bytes), ("../evil.luau", script)],
    );
    workspace.write_archive(
        "absolute.zip",
        &[("ember/mod.toml", manifest_bytes), ("/tmp/evil.luau", script)],
    );
    workspace.write_archive(
        "drive.zip",
        &[("ember/mod.toml", manifest_bytes), ("c:\\evil.luau", script)],
    );
    workspace.write_archive(
        "device.zip",
        &[("ember/mod.toml", manifest_bytes), ("ember/aux.txt", script)],
    );
    workspace.write_archive(
        "control.zip",
        &[("ember/mod.toml", manifest_bytes), ("ember/a\u{1b}[2J.luau", script)],
    );
    workspace.write_archive(
        "case.zip",
        &[("ember/mod.toml", manifest_bytes), ("ember/a.md", script), ("ember/A.md", script)],
    );
    workspace.write_archive(
        "both.zip",
        &[("ember/mod.toml", manifest_bytes), ("ember/a", script), ("ember/a/b.md", script)],
    );
    workspace.write_archive(
        "two.zip",
        &[("ember/mod.toml", manifest_bytes), ("ash/mod.toml", manifest_bytes)],
    );
    workspace.write_archive("deep.zip", &[("down/ember/mod.toml", manifest_bytes)]);
    workspace.write_archive("nothing.zip", &[("readme.txt", script)]);
    workspace
        .write_archive("large.zip", &[("mod.toml", manifest_bytes), ("a.bin", &vec![0; 9 << 20])]);
    let named_entries: Vec<(String, &[u8])> =
        (0..5_000).map(|number| (format!("f{number}"), &b""[..])).collect();
    let entries: Vec<(&str, &[u8])> =
        named_entries.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    workspace.write_archive("many.zip", &entries);
    let deep_path = format!("ember/{}a.md", "d/".repeat(12));
    workspace
        .write_archive("folders.zip", &[("ember/mod.toml", manifest_bytes), (&deep_path, script)]);
    // A link, and one to the parent folder.
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("ember/mod.toml", SimpleFileOptions::default()).unwrap();
    writer.write_all(manifest_bytes).unwrap();
    writer.add_symlink("ember/out", "../..", SimpleFileOptions::default()).unwrap();
    fs::write(workspace.path_of("link.zip"), writer.finish().unwrap().into_inner()).unwrap();
    // Ten gibibytes: a thousand names for the same eight mebibytes.
    fs::write(workspace.path_of("bomb.zip"), archive_bomb(manifest_bytes)).unwrap();
    // Truncated, corrupted, and no archive at all.
    workspace.write_ember_mod("whole", "0.1.0");
    workspace.expect_success(&["pack", "./whole", "--out", "whole.zip"]);
    let archive_bytes = fs::read(workspace.path_of("whole.zip")).unwrap();
    fs::write(workspace.path_of("cut.zip"), &archive_bytes[..archive_bytes.len() / 2]).unwrap();
    let mut corrupted = archive_bytes.clone();
    corrupted[48] ^= 0x55;
    fs::write(workspace.path_of("changed.zip"), corrupted).unwrap();
    fs::write(workspace.path_of("text.zip"), "not a zip").unwrap();
    let names = [
        "up", "above", "absolute", "drive", "device", "control", "case", "both", "two", "deep",
        "nothing", "large", "many", "folders", "link", "bomb", "cut", "changed", "text",
    ];
    let mut all_output = String::new();
    for name in names {
        all_output += &format!(
            "== {name}\n{}",
            workspace.expect_refusal(&["install", &format!("{name}.zip")])
        );
    }
    for path in ["nowhere.zip", "games/hall/play.luau", "games/hall/mod.toml", "games"] {
        all_output += &format!("== {path}\n{}", workspace.expect_refusal(&["install", path]));
    }
    insta::assert_snapshot!("sharing_harm", all_output);
    assert!(!Path::new("/tmp/evil.luau").exists());

    // Archives among the mods are read with the same care, and hide no other mod.
    for name in names {
        fs::copy(
            workspace.path_of(&format!("{name}.zip")),
            workspace.path_of(&format!("games/{name}.zip")),
        )
        .unwrap();
    }
    let (mods, problems) = discover_mods(&SearchPaths {
        named_folders: vec![workspace.path_of("games")],
        ..embedded_search_paths()
    });
    assert!(mods.iter().any(|source| source.id() == "hall"));
    assert!(mods.iter().all(|source| source.id() != "ember"));
    assert!(problems.len() >= names.len(), "{}", crate::support::problem_texts(&problems));
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
    let archive_bytes = writer.finish().unwrap().into_inner();
    let (entry_mark, end_mark) = (b"PK\x01\x02", b"PK\x05\x06");
    let find_from = |mark: &[u8], start: usize| {
        (start..archive_bytes.len())
            .find(|position| archive_bytes[*position..].starts_with(mark))
            .unwrap()
    };
    let first_entry = find_from(entry_mark, 0);
    let second_entry = find_from(entry_mark, first_entry + 4);
    let directory_end = find_from(end_mark, second_entry);
    let entry_bytes = &archive_bytes[second_entry..directory_end];
    let mut bomb = archive_bytes[..directory_end].to_vec();
    for number in 1..1_280_u32 {
        let name = format!("a{number:04}.md");
        let mut renamed_entry = entry_bytes.to_vec();
        renamed_entry[46..46 + name.len()].copy_from_slice(name.as_bytes());
        bomb.extend(renamed_entry);
    }
    let directory_length = (bomb.len() - first_entry) as u32;
    let mut end_record = archive_bytes[directory_end..].to_vec();
    end_record[8..10].copy_from_slice(&1_281_u16.to_le_bytes());
    end_record[10..12].copy_from_slice(&1_281_u16.to_le_bytes());
    end_record[12..16].copy_from_slice(&directory_length.to_le_bytes());
    bomb.extend(end_record);
    bomb
}

#[test]
fn a_package_contains_the_folder_files_and_refuses_links() {
    let workspace = PackageWorkspace::new();
    workspace.write_ember_mod("ember", "0.1.0");
    let package = read_package(&workspace.path_of("ember")).unwrap();
    let paths: Vec<&String> = package.files().keys().collect();
    assert_eq!(paths, ["README.md", "mod.toml", "words/spark.luau"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/passwd", workspace.path_of("ember/notes.md")).unwrap();
        assert_eq!(read_package(&workspace.path_of("ember")).unwrap_err()[0].code, "link");
        assert!(
            workspace.expect_refusal(&["install", "./ember"]).contains("links are not followed")
        );
        assert!(workspace.expect_refusal(&["pack", "./ember"]).contains("links are not followed"));
        fs::remove_file(workspace.path_of("ember/notes.md")).unwrap();
    }
    fs::write(workspace.path_of("taken.zip"), "something else").unwrap();
    assert!(
        workspace
            .expect_refusal(&["pack", "./ember", "--out", "taken.zip"])
            .contains("is not a zip file of ember")
    );
    assert!(
        workspace
            .expect_refusal(&["pack", "./ember", "--out", "ember/e.zip"])
            .contains("the folder of the mod")
    );
    assert!(workspace.expect_refusal(&["pack", "sub_rosa"]).contains("part of the program"));
    assert!(workspace.expect_refusal(&["remove", "sub_rosa"]).contains("the program"));
    assert!(workspace.expect_refusal(&["remove", "hall"]).contains("games"));
    assert!(workspace.expect_refusal(&["remove", "../games"]).contains("no mod \"../games\""));
    assert!(workspace.expect_refusal(&["remove", "nothing"]).contains("no mod \"nothing\""));
}

/// A file size limit in blocks of 512 bytes acts like a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_all_files_unchanged() {
    let workspace = PackageWorkspace::new();
    workspace.write_ember_mod("old", "0.1.0");
    workspace.expect_success(&["install", "./old"]);
    workspace.write_ember_mod("new", "0.2.0");
    fs::write(workspace.path_of("new/pages.md"), vec![b'x'; 100_000]).unwrap();
    let files_before = workspace.all_files();
    let mut command = Command::new("sh");
    let shell_line = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"";
    command.args(["-c", shell_line, env!("CARGO_BIN_EXE_sub-rosa")]);
    command
        .args(["mods", "install", "./new", "--replace", "--mods"])
        .arg(workspace.path_of("games"));
    command
        .arg("--data")
        .arg(workspace.path_of("data"))
        .current_dir(workspace.workspace_folder.path());
    let output = command.output().unwrap();
    let output_text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{output_text}");
    assert!(
        output_text.contains("cannot be written") && output_text.contains("nothing was changed"),
        "{output_text}"
    );
    assert_eq!(workspace.all_files(), files_before);
    assert!(
        workspace.expect_success(&["install", "./new", "--replace"]).contains("replaces 0.1.0")
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_install_leaves_all_files_unchanged() {
    let workspace = PackageWorkspace::new();
    workspace.write_ember_mod("old", "0.1.0");
    workspace.expect_success(&["install", "./old"]);
    workspace.write_ember_mod("new", "0.2.0");
    // So many files that a signal after the first arrives before the last.
    for number in 0..2_000 {
        fs::write(workspace.path_of(&format!("new/words/{number}.md")), "A note.\n").unwrap();
    }
    let files_before = workspace.all_files();
    let start_install = |workspace: &PackageWorkspace| {
        let mut command = workspace.command(&["mods", "install", "./new", "--replace"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        while !workspace.path_of("data/mods/.new-ember/README.md").exists()
            && child.try_wait().unwrap().is_none()
        {
            std::thread::yield_now();
        }
        child
    };
    // The key that interrupts it. If the install was faster, it is repeated.
    let interrupted_output = || {
        let child = start_install(&workspace);
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        if output.status.success() {
            workspace.expect_success(&["install", "./old", "--replace"]);
            return None;
        }
        Some(output)
    };
    let output = (0..20).find_map(|_| interrupted_output()).expect("one of them is interrupted");
    let output_text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{output_text}");
    assert!(
        output_text.contains("stopped before ember was installed; nothing was changed"),
        "{output_text}"
    );
    assert_eq!(workspace.all_files(), files_before);
    // After a kill, unused files are left, and the next attempt removes them.
    let was_killed = || {
        let mut child = start_install(&workspace);
        child.kill().unwrap();
        let is_killed = !child.wait().unwrap().success();
        if !is_killed {
            workspace.expect_success(&["install", "./old", "--replace"]);
        }
        is_killed
    };
    assert!((0..20).any(|_| was_killed()), "one of them is killed");
    assert!(workspace.expect_success(&[]).contains("ember 0.1.0"));
    workspace.expect_success(&["install", "./new", "--replace"]);
    let names = fs::read_dir(workspace.path_of("data/mods"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["ember"]);
    // Killed between two renames: the backup is restored.
    fs::rename(workspace.path_of("data/mods/ember"), workspace.path_of("data/mods/.old-ember"))
        .unwrap();
    workspace.write_ember_mod("third", "0.3.0");
    let output_text = workspace.run_mods_command(&["install", "./third"]).1;
    assert!(output_text.contains("0.2.0"), "{output_text}");
}
