//! The file of a profile: read, fallen back from, replaced. The one before is always kept, and a
//! damaged one is never written over. Its last line is a digest of all lines before it, so that a
//! number that a bad disk changed is noticed too. Who changes a profile by hand takes that line
//! away and writes `format = 1`, the format that had none.

use std::path::{Path, PathBuf};

use super::data_dir::DataDir;
use super::disk::{beside, replace, replace_unsynced};
use super::profile::{PROFILE_FORMAT, Profile};
use super::trouble::{Telling, place, shown};
use crate::kit::digest::Hasher;
use crate::kit::fault::planted;
use crate::kit::{Problem, Severity, text};

/// Most bytes of a profile. The shares of all games fit into it (`share`), with room for the rest.
const PROFILE_BYTES: usize = 64 * 1024 * 1024;
/// Most lines of a profile, or values in its lists: reading costs more by these than by bytes.
const PROFILE_VALUES: usize = 400_000;
/// What a profile's file begins with.
const HEAD: &str =
    "# What lasts between your runs. The game writes it anew; the one before lies beside it.\n\n";
/// What stands before the digest.
const SEAL: &str = "\n# digest ";
/// The first format that has a digest.
const SEALED_FORMAT: u32 = 2;

fn previous(path: &Path) -> PathBuf {
    beside(path, ".previous")
}

/// Reads a profile's file.
pub(super) fn read(data_dir: &DataDir, path: &Path) -> Result<Profile, Problem> {
    let bytes =
        data_dir.disk().read(path, PROFILE_BYTES as u64).telling("read the profile", path)?;
    let page = String::from_utf8(bytes)
        .map_err(|_| damaged("it is not valid UTF-8").at(place(path, 0)))?;
    let (body, sealed) = open(&page).map_err(|why| {
        let last = page.lines().count();
        damaged(&why).at(place(path, last as u64)).hint(BY_HAND)
    })?;
    let count = |sign: u8| body.bytes().filter(|byte| *byte == sign).count();
    let values = count(b'\n').max(count(b','));
    if values > PROFILE_VALUES {
        let what = format!(
            "it has {values} lines and values; none that the game writes has more than {PROFILE_VALUES}"
        );
        return Err(damaged(&what).at(place(path, 0)));
    }
    let profile: Profile = toml::from_str(body).map_err(|error| {
        let line = error.span().map_or(0, |span| {
            page.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count() + 1
        });
        damaged(error.message()).at(place(path, line as u64))
    })?;
    if profile.format > PROFILE_FORMAT {
        let why = format!(
            "it has format {}, and this program reads up to {PROFILE_FORMAT}",
            profile.format
        );
        return Err(Problem::error("profile-newer", format!("the profile cannot be read: {why}"))
            .at(place(path, 0))
            .hint("open it with the newer program; it is left as it is"));
    }
    if profile.format >= SEALED_FORMAT && !sealed {
        return Err(damaged("the line with its digest is gone").at(place(path, 0)).hint(BY_HAND));
    }
    Ok(profile)
}

const BY_HAND: &str =
    "if it was changed by hand: take the line with the digest away and write `format = 1`";

fn seal(body: &str) -> String {
    let mut hasher = Hasher::new("profile");
    hasher.count(body.len()).bytes(body.as_bytes());
    format!("{SEAL}{}\n", hasher.finish())
}

/// What stands before the digest, and whether there is one; an error if it is another's.
fn open(page: &str) -> Result<(&str, bool), String> {
    let Some(at) = page.rfind(SEAL) else { return Ok((page, false)) };
    let (body, stated) = page.split_at(at);
    let found = seal(body);
    if found == stated || planted("profile_digest_not_compared") {
        return Ok((body, true));
    }
    Err(format!(
        "its content has the digest {}, but it states {}",
        found[SEAL.len()..].trim_end(),
        stated[SEAL.len()..].trim_end()
    ))
}

fn damaged(what: &str) -> Problem {
    let what = text::clean(what);
    Problem::error("profile-damaged", format!("the profile cannot be read: {what}"))
        .expected("a profile as the game writes it")
}

/// Reads a profile; the one before it if it is damaged or gone, a new one if there was none.
pub(super) fn read_or_previous(
    data_dir: &DataDir,
    path: &Path,
    name: &str,
    told: &mut Vec<Problem>,
) -> Result<Profile, Problem> {
    let exists = |path: &Path| data_dir.disk().exists(path).telling("look for the profile", path);
    let problem = if exists(path)? {
        match read(data_dir, path) {
            Err(problem) if problem.code == "profile-damaged" => problem,
            done => return done,
        }
    } else if exists(&previous(path))? {
        damaged("it is not there, though the one before it is").at(place(path, 0))
    } else {
        return Ok(Profile::new(name));
    };
    let Ok(profile) = read(data_dir, &previous(path)) else {
        let hint = "mend the file by hand, or move it away to begin anew; runs that are over are paid again";
        return Err(problem.hint(hint));
    };
    let mut hint = "the one before it is used; runs that ended since are paid again".to_owned();
    if exists(path)? {
        let aside = data_dir.keep_aside(path)?;
        hint = format!("{hint}; the damaged one is kept as {}", shown(&aside));
    }
    if problem.hint.as_deref() == Some(BY_HAND) {
        hint = format!("{hint}; {BY_HAND}");
    }
    told.push(Problem { severity: Severity::Warning, ..problem }.hint(hint));
    Ok(profile)
}

/// Whether a profile's file can be read. One that has its digest is not read for that: what a profile costs
/// at each change must not grow with all that it holds.
fn is_whole(data_dir: &DataDir, path: &Path, bytes: &[u8]) -> bool {
    let sealed = std::str::from_utf8(bytes).is_ok_and(|page| matches!(open(page), Ok((_, true))));
    sealed || read(data_dir, path).is_ok()
}

/// Writes a profile, and keeps the one that was there.
pub(super) fn write(data_dir: &DataDir, path: &Path, profile: &Profile) -> Result<(), Problem> {
    let doing = "write the profile";
    let profile = Profile { format: PROFILE_FORMAT, ..profile.clone() };
    let page = toml::to_string_pretty(&profile)
        .map_err(|error| damaged(&error.to_string()).at(place(path, 0)))?;
    let body = format!("{HEAD}{page}");
    let page = format!("{body}{}", seal(&body));
    if page.len() > PROFILE_BYTES {
        let found = format!("it would take {} bytes", page.len());
        return Err(Problem::error("profile-too-large", found)
            .at(place(path, 0))
            .expected(format!("at most {PROFILE_BYTES}")));
    }
    if data_dir.disk().exists(path).telling(doing, path)? {
        let old = data_dir.disk().read(path, PROFILE_BYTES as u64).telling(doing, path)?;
        if is_whole(data_dir, path, &old) {
            let previous = previous(path);
            // It is for what is wrong with the other one, which is synced.
            replace_unsynced(data_dir.disk(), &previous, &old).telling(doing, &previous)?;
        }
    }
    replace(data_dir.disk(), path, page.as_bytes()).telling(doing, path)
}
