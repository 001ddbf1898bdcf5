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

use engine::mods::{SearchPaths, discover, open_regular, read_folder};
use engine::save::{DataDir, ReadExtent, RunStatus};
use engine::session;

use super::first_format;
use crate::cli;
use crate::support::{copy, embedded_search_paths};

/// The timeout on a busy machine: a hang never ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// What replaces a file.
const ODD: [&str; 7] = [
    "a pipe",
    "a socket",
    "a folder",
    "a device",
    "a link",
    "a link to nothing",
    "a link to itself",
];

fn create_special_file(what: &str, path: &Path) {
    let _ = fs::remove_file(path);
    let elsewhere = path.with_file_name("elsewhere");
    match what {
        "a pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "a socket" => drop(UnixListener::bind(path).unwrap()),
        "a folder" => fs::create_dir(path).unwrap(),
        // Stands for a device, which only root can create.
        "a device" => symlink("/dev/zero", path).unwrap(),
        "a link" => {
            fs::write(&elsewhere, "what another owns").unwrap();
            symlink(&elsewhere, path).unwrap();
        }
        "a link to nothing" => symlink(path.with_file_name("nothing"), path).unwrap(),
        _ => symlink(path, path).unwrap(),
    }
}

/// Runs work that must end.
fn run_with_timeout<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, waiting) = mpsc::channel();
    let worker = std::thread::spawn(move || drop(done.send(work())));
    match waiting.recv_timeout(PATIENCE) {
        Ok(done) => {
            worker.join().unwrap();
            done
        }
        Err(_) => panic!("{what}: it hangs, or it failed"),
    }
}

#[test]
fn only_plain_files_are_opened() {
    for what in ODD {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        create_special_file(what, &path);
        let expected = match path.is_symlink() {
            true => "it is a link, and links to files are not followed",
            false => "it is not a plain file",
        };
        let error = run_with_timeout(what, move || open_regular(&path).map(drop).unwrap_err());
        assert_eq!(error.to_string(), expected, "{what}");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "plain").unwrap();
    assert!(open_regular(&folder.path().join("file")).is_ok());
    assert!(open_regular(Path::new("/dev/null")).is_err());
}

/// Replaces each file of one run: the start works, the other run is listed and playable.
#[test]
fn nothing_in_the_folder_of_one_run_keeps_another_from_being_played() {
    for what in ODD {
        for file in ["journal.jsonl", "checkpoint.json", "lock", "lock.holder"] {
            let data = first_format();
            let run = data.path().join("runs/ada-0003");
            copy(&data.path().join("runs/ada-0001"), &run);
            create_special_file(what, &run.join(file));
            let root = data.path().to_owned();
            let told = format!("{what} as {file}");
            run_with_timeout(&told.clone(), move || {
                let data_dir = DataDir::new(&root);
                let (held, _) = data_dir.lock_profile("Ada").unwrap();
                assert_eq!(
                    held.newest_counted_unfinished_run("ferry").unwrap().as_deref(),
                    Some("ada-0002"),
                    "{told}"
                );
                let lines = data_dir.list_runs().unwrap();
                let other = lines.iter().find(|line| line.run_id == "ada-0002").unwrap();
                assert!(matches!(other.status, RunStatus::Unfinished { .. }), "{told}");
                assert!(session::resume(&data_dir, "ada-0002", None).is_ok(), "{told}");
                // The target of the link belongs to somebody else.
                let elsewhere = root.join("runs/ada-0003/elsewhere");
                let kept = fs::read_to_string(elsewhere).unwrap_or_default();
                assert!(kept.is_empty() || kept == "what another owns", "{told}: {kept}");
            });
        }
    }
}

/// The same for the folder of a run, an unreadable folder, and a file in its place.
#[test]
fn whatever_the_folder_of_a_run_is_a_new_run_can_be_begun() {
    use std::os::unix::fs::PermissionsExt;
    for what in ODD.into_iter().chain(["a file", "a closed folder", "the last number there is"]) {
        let data = first_format();
        let number = if what == "the last number there is" { u64::MAX } else { 3 };
        let next = data.path().join(format!("runs/ada-{number:04}"));
        match what {
            "a file" => fs::write(&next, "no folder").unwrap(),
            "a closed folder" => {
                fs::create_dir(&next).unwrap();
                fs::set_permissions(&next, fs::Permissions::from_mode(0o000)).unwrap();
            }
            "the last number there is" => {
                fs::create_dir(&next).unwrap();
                let from = data.path().join("runs/ada-0001/journal.jsonl");
                let text = fs::read_to_string(from).unwrap();
                let (head, _) = text.split_once('\n').unwrap();
                let (_, body) = head.split_once("\"entry\":").unwrap();
                let body = body.strip_suffix('}').unwrap();
                let body = body.replace("ada-0001", &format!("ada-{number:04}"));
                let mut hasher = engine::base::digest::Hasher::new("journal");
                hasher.feed_bytes(&engine::base::Digest::default().0).feed_count(body.len());
                let chain = hasher.feed_bytes(body.as_bytes()).finish();
                let line = format!("{{\"chain\":\"{chain}\",\"entry\":{body}}}\n");
                fs::write(next.join("journal.jsonl"), line).unwrap();
            }
            _ => create_special_file(what, &next),
        }
        let root = data.path().to_string_lossy().into_owned();
        run_with_timeout(what, move || {
            let flags = ["--data", &root, "--profile", "Ada", "--set", "boat=barge", "--practice"];
            let said = cli::run(cli::ferry(&flags), "new\n1\nAnn\nquit\n");
            let text = cli::text(&said.stdout) + &cli::text(&said.stderr);
            assert!(said.status.success() && !text.contains("too-many-runs"), "{text}");
            let begun = fs::read_dir(Path::new(&root).join("runs")).unwrap().flatten();
            let begun = begun.filter(|one| one.path().join("journal.jsonl").is_file()).count();
            assert!(begun >= 3, "a third run lies there: {text}");
        });
    }
}

#[test]
fn a_profile_that_is_no_file_is_told_and_the_one_before_is_used_or_nothing_is() {
    for what in ODD {
        for file in ["ada.toml", "ada.lock", "ada.toml.previous", "ada.toml.new"] {
            let data = first_format();
            create_special_file(what, &data.path().join("profiles").join(file));
            let root = data.path().to_owned();
            let told = format!("{what} as {file}");
            run_with_timeout(&told.clone(), move || {
                match DataDir::new(&root).lock_profile("Ada") {
                    Ok((mut held, _)) => {
                        let done = held.update_profile(|profile| profile.name = "Ada".to_owned());
                        assert!(done.is_ok() || file != "ada.toml.new", "{told}: {done:?}");
                    }
                    Err(problem) => assert!(!problem.message.is_empty(), "{told}"),
                }
            });
        }
    }
}

#[test]
fn stored_content_that_is_no_file_is_stored_again_where_available() {
    for what in ODD {
        let data = first_format();
        let kept: Vec<PathBuf> = fs::read_dir(data.path().join("content"))
            .unwrap()
            .map(|one| one.unwrap().path())
            .collect();
        kept.iter().for_each(|path| create_special_file(what, path));
        let root = data.path().to_owned();
        run_with_timeout(what, move || {
            let places =
                SearchPaths { named_folders: vec![cli::GAMES.into()], ..embedded_search_paths() };
            let data_dir = DataDir::new(&root);
            assert!(data_dir.open("ada-0002", ReadExtent::AfterCheckpoint).is_ok());
            let _ = session::resume(&data_dir.with_fallback_paths(places), "ada-0002", None);
        });
    }
}

#[test]
fn a_mod_with_a_file_that_is_none_is_told() {
    for what in ODD {
        for file in ["mod.toml", "main.luau", "lib/words.luau", "extra.lua"] {
            let folder = tempfile::tempdir().unwrap();
            let game = folder.path().join("game");
            fs::create_dir_all(game.join("lib")).unwrap();
            fs::write(game.join("mod.toml"), crate::support::GAME).unwrap();
            fs::write(game.join("main.luau"), crate::support::MINIMAL_GAME).unwrap();
            create_special_file(what, &game.join(file));
            let told = format!("{what} as {file}");
            run_with_timeout(&told.clone(), move || {
                // A folder with a script's name is a folder.
                if what != "a folder" || file == "mod.toml" {
                    assert!(!read_folder(&game).unwrap_err().is_empty(), "{told}");
                }
                let places = SearchPaths {
                    named_folders: vec![folder.path().to_owned()],
                    ..embedded_search_paths()
                };
                let _ = discover(&places);
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
    let swapping = {
        let (path, secret, stop) = (path.clone(), secret.clone(), stop.clone());
        std::thread::spawn(move || {
            let (plain, link) = (path.with_extension("plain"), path.with_extension("link"));
            while !stop.load(Ordering::Relaxed) {
                fs::write(&plain, "return 'plain'").unwrap();
                fs::rename(&plain, &path).unwrap();
                symlink(&secret, &link).unwrap();
                fs::rename(&link, &path).unwrap();
            }
        })
    };
    let mut read = 0;
    // Until it was a plain file often enough: the other thread may run late.
    for _ in 0..4_000_000 {
        if read > 2_000 {
            break;
        }
        let Ok(mut file) = open_regular(&path) else { continue };
        let mut text = String::new();
        std::io::Read::read_to_string(&mut file, &mut text).unwrap();
        assert_ne!(text, "return 'secret'", "a link was followed");
        read += 1;
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(read > 0, "it was a plain file now and then");
}
