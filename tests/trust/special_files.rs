//! Special files: a pipe, a socket, a device, a folder or a link in place of any file that is read
//! or written. The program follows none and waits for none, and the rest works as if they were
//! absent.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use mods::{SearchPaths, discover_mods, open_regular_file, read_folder};
use save::{DataDir, ReadExtent, RunStatus};

use super::fixture_data;
use crate::cli;
use crate::support::{copy_folder, embedded_search_paths};

/// The timeout on a busy machine: a hang never ends.
const HANG_TIMEOUT: Duration = Duration::from_secs(60);

/// What replaces a file.
const SPECIAL_FILE_KINDS: [&str; 7] = [
    "a pipe",
    "a socket",
    "a folder",
    "a device",
    "a link",
    "a link to nothing",
    "a link to itself",
];

fn create_special_file(kind: &str, path: &Path) {
    let _ = fs::remove_file(path);
    let link_target = path.with_file_name("elsewhere");
    match kind {
        "a pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "a socket" => drop(UnixListener::bind(path).unwrap()),
        "a folder" => fs::create_dir(path).unwrap(),
        // Stands for a device, which only root can create.
        "a device" => symlink("/dev/zero", path).unwrap(),
        "a link" => {
            fs::write(&link_target, "what another owns").unwrap();
            symlink(&link_target, path).unwrap();
        }
        "a link to nothing" => symlink(path.with_file_name("nothing"), path).unwrap(),
        _ => symlink(path, path).unwrap(),
    }
}

/// Runs work that must end.
fn assert_finishes<T: Send + 'static>(kind: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (result, receiver) = mpsc::channel();
    let worker_thread = std::thread::spawn(move || drop(result.send(work())));
    match receiver.recv_timeout(HANG_TIMEOUT) {
        Ok(result) => {
            worker_thread.join().unwrap();
            result
        }
        Err(_) => panic!("{kind}: it hangs, or it failed"),
    }
}

#[test]
fn only_regular_files_are_opened() {
    for kind in SPECIAL_FILE_KINDS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        create_special_file(kind, &path);
        let expected = match path.is_symlink() {
            true => "it is a link, and links to files are not followed",
            false => "it is not a plain file",
        };
        let error = assert_finishes(kind, move || open_regular_file(&path).map(drop).unwrap_err());
        assert_eq!(error.to_string(), expected, "{kind}");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "plain").unwrap();
    assert!(open_regular_file(&folder.path().join("file")).is_ok());
    assert!(open_regular_file(Path::new("/dev/null")).is_err());
}

/// Replaces each file of one run: the start works, the other run is listed and playable.
#[test]
fn special_files_in_one_run_do_not_block_another_run() {
    for kind in SPECIAL_FILE_KINDS {
        for file in ["journal.jsonl", "checkpoint.json", "lock", "lock.holder"] {
            let data = fixture_data();
            let run = data.path().join("runs/ada-0003");
            copy_folder(&data.path().join("runs/ada-0001"), &run);
            create_special_file(kind, &run.join(file));
            let root = data.path().to_owned();
            let context = format!("{kind} as {file}");
            assert_finishes(&context.clone(), move || {
                let data_dir = DataDir::new(&root);
                let (locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
                assert_eq!(
                    locked_profile.newest_unfinished_original_run("ferry").unwrap().as_deref(),
                    Some("ada-0002"),
                    "{context}"
                );
                let lines = data_dir.list_runs().unwrap();
                let other_run = lines.iter().find(|line| line.run_id == "ada-0002").unwrap();
                assert!(matches!(other_run.status, RunStatus::Unfinished { .. }), "{context}");
                assert!(session::resume_run(&data_dir, "ada-0002", None).is_ok(), "{context}");
                // The target of the link belongs to somebody else.
                let link_target = root.join("runs/ada-0003/elsewhere");
                let target_text = fs::read_to_string(link_target).unwrap_or_default();
                assert!(
                    target_text.is_empty() || target_text == "what another owns",
                    "{context}: {target_text}"
                );
            });
        }
    }
}

/// The same for the folder of a run, an unreadable folder, and a file in its place.
#[test]
fn a_run_folder_that_is_no_folder_does_not_block_new_runs() {
    use std::os::unix::fs::PermissionsExt;
    for kind in SPECIAL_FILE_KINDS.into_iter().chain([
        "a file",
        "a closed folder",
        "the last number there is",
    ]) {
        let data = fixture_data();
        let number = if kind == "the last number there is" { u64::MAX } else { 3 };
        let run_folder = data.path().join(format!("runs/ada-{number:04}"));
        match kind {
            "a file" => fs::write(&run_folder, "no folder").unwrap(),
            "a closed folder" => {
                fs::create_dir(&run_folder).unwrap();
                fs::set_permissions(&run_folder, fs::Permissions::from_mode(0o000)).unwrap();
            }
            "the last number there is" => {
                fs::create_dir(&run_folder).unwrap();
                let journal_path = data.path().join("runs/ada-0001/journal.jsonl");
                let text = fs::read_to_string(journal_path).unwrap();
                let (head, _) = text.split_once('\n').unwrap();
                let (_, body) = head.split_once("\"entry\":").unwrap();
                let body = body.strip_suffix('}').unwrap();
                let body = body.replace("ada-0001", &format!("ada-{number:04}"));
                let mut hasher = base::digest::Hasher::new("journal");
                hasher.feed_bytes(&base::Digest::default().0).feed_count(body.len());
                let chain = hasher.feed_bytes(body.as_bytes()).finish();
                let line = format!("{{\"chain\":\"{chain}\",\"entry\":{body}}}\n");
                fs::write(run_folder.join("journal.jsonl"), line).unwrap();
            }
            _ => create_special_file(kind, &run_folder),
        }
        let root = data.path().to_string_lossy().into_owned();
        assert_finishes(kind, move || {
            let flags = ["--data", &root, "--profile", "Ada", "--set", "boat=barge", "--practice"];
            let output = cli::run_with_input(cli::ferry_command(&flags), "new\n1\nAnn\nquit\n");
            let text = cli::utf8_text(&output.stdout) + &cli::utf8_text(&output.stderr);
            assert!(output.status.success() && !text.contains("too-many-runs"), "{text}");
            let journal_count = fs::read_dir(Path::new(&root).join("runs")).unwrap().flatten();
            let journal_count =
                journal_count.filter(|entry| entry.path().join("journal.jsonl").is_file()).count();
            assert!(journal_count >= 3, "a third run lies there: {text}");
        });
    }
}

#[test]
fn a_special_file_as_profile_is_reported_or_replaced() {
    for kind in SPECIAL_FILE_KINDS {
        for file in ["ada.toml", "ada.lock", "ada.toml.previous", "ada.toml.new"] {
            let data = fixture_data();
            create_special_file(kind, &data.path().join("profiles").join(file));
            let root = data.path().to_owned();
            let context = format!("{kind} as {file}");
            assert_finishes(&context.clone(), move || {
                match DataDir::new(&root).lock_profile("Ada") {
                    Ok((mut locked_profile, _)) => {
                        let update = locked_profile
                            .update_profile(|profile| profile.name = "Ada".to_owned());
                        assert!(update.is_ok() || file != "ada.toml.new", "{context}: {update:?}");
                    }
                    Err(problem) => assert!(!problem.message.is_empty(), "{context}"),
                }
            });
        }
    }
}

#[test]
fn special_files_as_stored_content_are_stored_again() {
    for kind in SPECIAL_FILE_KINDS {
        let data = fixture_data();
        let content_paths: Vec<PathBuf> = fs::read_dir(data.path().join("content"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        content_paths.iter().for_each(|path| create_special_file(kind, path));
        let root = data.path().to_owned();
        assert_finishes(kind, move || {
            let search_paths = SearchPaths {
                named_folders: vec![cli::FERRY_FOLDER.into()],
                ..embedded_search_paths()
            };
            let data_dir = DataDir::new(&root);
            assert!(data_dir.open_run("ada-0002", ReadExtent::AfterCheckpoint).is_ok());
            let _ =
                session::resume_run(&data_dir.with_fallback_paths(search_paths), "ada-0002", None);
        });
    }
}

#[test]
fn a_mod_with_a_special_file_is_reported() {
    for kind in SPECIAL_FILE_KINDS {
        for file in ["mod.toml", "main.luau", "lib/words.luau", "extra.lua"] {
            let folder = tempfile::tempdir().unwrap();
            let game = folder.path().join("game");
            fs::create_dir_all(game.join("lib")).unwrap();
            fs::write(game.join("mod.toml"), crate::support::GAME_MANIFEST).unwrap();
            fs::write(game.join("main.luau"), crate::support::MINIMAL_GAME).unwrap();
            create_special_file(kind, &game.join(file));
            let context = format!("{kind} as {file}");
            assert_finishes(&context.clone(), move || {
                // A folder with a script's name is a folder.
                if kind != "a folder" || file == "mod.toml" {
                    assert!(!read_folder(&game).unwrap_err().is_empty(), "{context}");
                }
                let search_paths = SearchPaths {
                    named_folders: vec![folder.path().to_owned()],
                    ..embedded_search_paths()
                };
                let _ = discover_mods(&search_paths);
            });
        }
    }
}

/// A name that is a plain file when it is checked and something else when it is opened.
#[test]
fn a_file_replaced_between_check_and_open_is_never_followed() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let folder = tempfile::tempdir().unwrap();
    let (path, secret) = (folder.path().join("main.luau"), folder.path().join("secret"));
    fs::write(&secret, "return 'secret'").unwrap();
    let stop = std::sync::Arc::new(AtomicBool::new(false));
    let swapper = {
        let (path, secret, stop) = (path.clone(), secret.clone(), stop.clone());
        std::thread::spawn(move || {
            let (plain_path, link_path) =
                (path.with_extension("plain"), path.with_extension("link"));
            while !stop.load(Ordering::Relaxed) {
                fs::write(&plain_path, "return 'plain'").unwrap();
                fs::rename(&plain_path, &path).unwrap();
                symlink(&secret, &link_path).unwrap();
                fs::rename(&link_path, &path).unwrap();
            }
        })
    };
    let mut read_count = 0;
    // Until it was a plain file often enough: the other thread may run late.
    for _ in 0..4_000_000 {
        if read_count > 2_000 {
            break;
        }
        let Ok(mut file) = open_regular_file(&path) else { continue };
        let mut text = String::new();
        std::io::Read::read_to_string(&mut file, &mut text).unwrap();
        assert_ne!(text, "return 'secret'", "a link was followed");
        read_count += 1;
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert!(read_count > 0, "it was a plain file now and then");
}
