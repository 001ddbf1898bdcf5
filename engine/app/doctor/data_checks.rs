//! The data folder: rights, free space, keys, players and runs.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use base::Problem;
use save::{DataDir, RunStatus};
use ui::menu::parse_key_file;

use super::Finding;
use crate::environment::data_folder_reason;
use crate::paths::FolderArguments;

/// Less free space than this needs care: a long run with its content takes a few MiB.
const MIN_FREE_MIB: u64 = 16;

/// Checks the data folder and what it has besides saves.
pub(super) fn check_folders(arguments: &FolderArguments, folder: Option<&Path>) -> Vec<Finding> {
    let Some(folder) = folder else {
        let message = "this system has no data folder for the user: nothing can be saved";
        return vec![Finding::care(message, "set HOME, or name a folder with --data DIR")];
    };
    let shown = format!("{} ({})", folder.display(), data_folder_reason(arguments.data.as_deref()));
    let mut findings = Vec::new();
    if folder.exists() {
        findings.push(Finding::ok(shown));
    } else {
        findings.push(Finding::ok(format!("{shown}; not there yet, the first save creates it")));
    }
    let below = ["profiles", "runs", "content"].map(|name| folder.join(name));
    let mut existing: Vec<&Path> =
        below.iter().map(|path| &**path).filter(|path| path.exists()).collect();
    existing.extend(folder.ancestors().find(|path| path.exists()));
    let unwritable = existing.iter().filter_map(|path| {
        let error = try_to_write(path).err()?;
        Some(Finding::care(
            format!("{} cannot be written: {error}", path.display()),
            "give yourself the right to write there, free space, or name another folder with --data",
        ))
    });
    let unwritable: Vec<Finding> = unwritable.collect();
    if unwritable.is_empty() {
        findings.push(Finding::ok("it can be written"));
    }
    findings.extend(unwritable);
    findings.extend(folder.ancestors().find(|path| path.exists()).and_then(check_free_space));
    findings.extend(check_keys(&folder.join("keys.toml")));
    findings
}

/// Writes and removes a file. Rights alone do not tell: a disk may be read-only or full.
fn try_to_write(folder: &Path) -> io::Result<()> {
    let path = folder.join(format!(".doctor-{}", std::process::id()));
    let written = File::create_new(&path).and_then(|mut file| {
        io::Write::write_all(&mut file, &[b'.'; 4096])?;
        file.sync_all()
    });
    let removed = fs::remove_file(&path);
    written.and(removed)
}

#[cfg(unix)]
fn check_free_space(folder: &Path) -> Option<Finding> {
    let about = rustix::fs::statvfs(folder).ok()?;
    let free_mib = about.f_bavail.saturating_mul(about.f_frsize) / (1024 * 1024);
    let message = format!("free space: {free_mib} MiB");
    Some(match free_mib < MIN_FREE_MIB {
        true => {
            Finding::care(message, "free some space: an answer that cannot be saved is refused")
        }
        false => Finding::ok(message),
    })
}

#[cfg(not(unix))]
fn check_free_space(_: &Path) -> Option<Finding> {
    Some(Finding::ok(format!("free space: not measured here; {MIN_FREE_MIB} MiB are enough")))
}

fn check_keys(path: &Path) -> Vec<Finding> {
    let problems = match parse_key_file(path) {
        Ok(None) => return Vec::new(),
        Ok(Some((_, problems))) => problems,
        Err(error) => {
            let advice = "make keys.toml a text file that you can read, or remove it";
            return vec![Finding::care(format!("keys.toml cannot be read: {error}"), advice)];
        }
    };
    if problems.is_empty() {
        return vec![Finding::ok("keys.toml: no mistakes")];
    }
    let to_finding = |problem: &Problem| {
        let line = problem.place.as_ref().map_or(0, |place| place.line);
        let message = format!("keys.toml, line {line}: {}", problem.message);
        Finding::care(message, "correct the line, or bind keys in Settings")
    };
    problems.iter().map(to_finding).collect()
}

/// Checks the saves. Names of players, which are also in the ids of runs, are left out.
pub(super) fn check_saves(data: &DataDir) -> Vec<Finding> {
    let mut findings = Vec::new();
    match data.list_profiles() {
        Err(problem) => findings.push(unlisted(&problem)),
        Ok(profiles) => {
            findings.push(Finding::ok(format!("players: {}", profiles.len())));
            let damaged = profiles.iter().filter_map(|saved| saved.profile.as_ref().err());
            findings.extend(damaged.map(|problem| {
                Finding::care(
                    format!("a file in profiles/ cannot be read [{}]", problem.code),
                    "start the program as that player: it says what is wrong and what it can repair",
                )
            }));
        }
    }
    match data.list_runs() {
        Err(problem) => findings.push(unlisted(&problem)),
        Ok(runs) => {
            let is_unfinished = |status: &RunStatus| matches!(status, RunStatus::Unfinished { .. });
            let unfinished = runs.iter().filter(|run| is_unfinished(&run.status)).count();
            findings.push(Finding::ok(format!("runs: {}, unfinished: {unfinished}", runs.len())));
            for run in &runs {
                let RunStatus::Damaged(problem) = &run.status else { continue };
                let number = run.run_id.rsplit('-').next().unwrap_or_default();
                findings.push(Finding::care(
                    format!("the run ...-{number} is damaged [{}]", problem.code),
                    "continue it: the program goes on after the damage, or from the step before it",
                ));
            }
        }
    }
    findings
}

fn unlisted(problem: &Problem) -> Finding {
    let message = format!("the folder cannot be listed [{}]", problem.code);
    Finding::care(message, "give yourself the right to read it")
}
