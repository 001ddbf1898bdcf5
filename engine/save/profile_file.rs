//! Reads and replaces the file of a profile, with a fallback to the previous version. The previous
//! version is always kept, and a damaged one is never overwritten. The last line is a digest of all
//! lines before it, so that disk errors are detected. To edit a profile by hand, remove that line
//! and write `format = 1`, the format without a digest.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::data_dir::DataDir;
use super::disk::{add_file_suffix, replace_file, replace_file_unsynced};
use super::io_error::{IoContext, display_path, file_location};
use super::profile::{PROFILE_FORMAT, Profile};
use base::digest::Hasher;
use base::{Code, Problem, Severity, text};
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// The most names of one key; the game writes at most four.
const MAX_KEY_NAMES: usize = 100;
/// The maximum size of a profile. It leaves room beside the quotas of all games (`profile_quota`).
const MAX_PROFILE_BYTES: usize = 64 * 1024 * 1024;
/// The maximum number of lines and list values of a profile: they cost more time to read than bytes
/// do.
const MAX_PROFILE_VALUES: usize = 400_000;
/// The maximum number of games in a profile: the time to write it grows with their square.
const MAX_GAMES: usize = 10_000;
/// The first lines of a profile's file.
const PROFILE_FILE_HEADER: &str = "# What persists between runs. The game rewrites this file and keeps the previous version beside it.\n\n";
/// The text before the digest.
const DIGEST_LINE_START: &str = "\n# digest ";
/// The first format that has a digest.
const FIRST_FORMAT_WITH_DIGEST: u32 = 2;

fn previous_version_path(path: &Path) -> PathBuf {
    add_file_suffix(path, ".previous")
}

/// Reads the file of a profile.
pub(super) fn read_profile_file(data_dir: &DataDir, path: &Path) -> Result<Profile, Problem> {
    let read = data_dir.disk().read_file(path, MAX_PROFILE_BYTES as u64);
    if read.as_ref().is_err_and(|error| error.kind() == ErrorKind::FileTooLarge) {
        let what = format!("it has more than {} MiB", MAX_PROFILE_BYTES / (1024 * 1024));
        return Err(damaged_profile_problem(&what).at(file_location(path, 0)));
    }
    let bytes = read.with_context("read the profile", path)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| damaged_profile_problem("it is not valid UTF-8").at(file_location(path, 0)))?;
    let (body, has_digest) = split_digest(&text).map_err(|why| {
        let last = text.lines().count();
        damaged_profile_problem(&why).at(file_location(path, last as u64)).hint(HAND_EDIT_HINT)
    })?;
    let count = |byte_value: u8| body.bytes().filter(|byte| *byte == byte_value).count();
    let values = count(b'\n').max(count(b','));
    if values > MAX_PROFILE_VALUES {
        let what = format!(
            "it has {values} lines and values; the game writes at most {MAX_PROFILE_VALUES}"
        );
        return Err(damaged_profile_problem(&what).at(file_location(path, 0)));
    }
    if let Some(line) = find_deep_key(body) {
        let what = format!("a key has more than {MAX_KEY_NAMES} names with dots between them");
        return Err(damaged_profile_problem(&what).at(file_location(path, line)));
    }
    let profile: Profile = toml::from_str(body).map_err(|error| {
        let line = error.span().map_or(0, |span| {
            text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count() + 1
        });
        damaged_profile_problem(error.message()).at(file_location(path, line as u64))
    })?;
    if profile.games.len() > MAX_GAMES {
        let what =
            format!("it has {} games; at most {MAX_GAMES} are possible", profile.games.len());
        return Err(damaged_profile_problem(&what).at(file_location(path, 0)));
    }
    if profile.format > PROFILE_FORMAT {
        let why = format!(
            "it has format {}, and this program reads up to {PROFILE_FORMAT}",
            profile.format
        );
        return Err(Problem::error(
            Code::ProfileNewer,
            format!("the profile cannot be read: {why}"),
        )
        .at(file_location(path, 0))
        .hint("open it with the newer program; this program does not change it"));
    }
    if profile.format >= FIRST_FORMAT_WITH_DIGEST && !has_digest {
        return Err(damaged_profile_problem("the line with its digest is missing")
            .at(file_location(path, 0))
            .hint(HAND_EDIT_HINT));
    }
    Ok(profile)
}

const HAND_EDIT_HINT: &str =
    "if you edited it by hand: remove the line with the digest and write `format = 1`";

fn digest_line(body: &str) -> String {
    let mut hasher = Hasher::new("profile");
    hasher.feed_count(body.len()).feed_bytes(body.as_bytes());
    format!("{DIGEST_LINE_START}{}\n", hasher.finish())
}

/// The text before the digest, and whether there is a digest; an error if it does not match.
fn split_digest(text: &str) -> Result<(&str, bool), String> {
    let Some(at) = text.rfind(DIGEST_LINE_START) else { return Ok((text, false)) };
    let (body, stated_digest_line) = text.split_at(at);
    let found = digest_line(body);
    if found == stated_digest_line {
        return Ok((body, true));
    }
    Err(format!(
        "its content has the digest {}, but it states {}",
        found[DIGEST_LINE_START.len()..].trim_end(),
        stated_digest_line[DIGEST_LINE_START.len()..].trim_end()
    ))
}

fn damaged_profile_problem(what: &str) -> Problem {
    let what = text::strip_unprintable(what);
    Problem::error(Code::ProfileDamaged, format!("the profile cannot be read: {what}"))
        .expected("a profile that the game wrote")
}

/// Reads a profile. Falls back to the previous version if it is damaged or missing; creates a new
/// one if there is none.
pub(super) fn read_profile_or_previous(
    data_dir: &DataDir,
    path: &Path,
    name: &str,
    notes: &mut Vec<Problem>,
) -> Result<Profile, Problem> {
    let exists =
        |path: &Path| data_dir.disk().exists(path).with_context("look for the profile", path);
    let problem = if exists(path)? {
        match read_profile_file(data_dir, path) {
            Err(problem) if problem.code == Code::ProfileDamaged => problem,
            done => return done,
        }
    } else if exists(&previous_version_path(path))? {
        damaged_profile_problem("it is missing, but its previous version exists")
            .at(file_location(path, 0))
    } else {
        return Ok(Profile::new(name));
    };
    let Ok(profile) = read_profile_file(data_dir, &previous_version_path(path)) else {
        let hint = "fix the file by hand, or move it away to start a new profile; awards of finished runs are then added again";
        return Err(problem.hint(hint));
    };
    let mut hint =
        "the previous version is used; awards of runs that ended since then are added again"
            .to_owned();
    if exists(path)? {
        let backup_path = data_dir.backup_file(path)?;
        hint = format!("{hint}; the damaged file is kept as {}", display_path(&backup_path));
    }
    if problem.hint.as_deref() == Some(HAND_EDIT_HINT) {
        hint = format!("{hint}; {HAND_EDIT_HINT}");
    }
    notes.push(Problem { severity: Severity::Warning, ..problem }.hint(hint));
    Ok(profile)
}

/// Whether a profile's file is readable. A digest is enough to decide that: the cost of a change
/// must not grow with the profile.
fn is_readable_profile(data_dir: &DataDir, path: &Path, bytes: &[u8]) -> bool {
    let has_digest =
        std::str::from_utf8(bytes).is_ok_and(|page| matches!(split_digest(page), Ok((_, true))));
    has_digest || read_profile_file(data_dir, path).is_ok()
}

/// Writes a profile and keeps the previous version.
pub(super) fn write_profile_file(
    data_dir: &DataDir,
    path: &Path,
    profile: &Profile,
) -> Result<(), Problem> {
    let doing = "write the profile";
    let profile = Profile { format: PROFILE_FORMAT, ..profile.clone() };
    let text = toml::to_string_pretty(&profile)
        .map_err(|error| damaged_profile_problem(&error.to_string()).at(file_location(path, 0)))?;
    let body = format!("{PROFILE_FILE_HEADER}{text}");
    let text = format!("{body}{}", digest_line(&body));
    if text.len() > MAX_PROFILE_BYTES {
        let found = format!("it would take {} bytes", text.len());
        return Err(Problem::error(Code::ProfileTooLarge, found)
            .at(file_location(path, 0))
            .expected(format!("at most {MAX_PROFILE_BYTES}")));
    }
    if data_dir.disk().exists(path).with_context(doing, path)? {
        let old = match data_dir.disk().read_file(path, MAX_PROFILE_BYTES as u64) {
            // The file is not a profile; its reader has saved a copy.
            Err(error) if error.kind() == ErrorKind::FileTooLarge => Vec::new(),
            read => read.with_context(doing, path)?,
        };
        if is_readable_profile(data_dir, path, &old) {
            let previous = previous_version_path(path);
            // The copy is only a backup of the main file, which is synced.
            replace_file_unsynced(data_dir.disk(), &previous, &old)
                .with_context(doing, &previous)?;
        }
    }
    replace_file(data_dir.disk(), path, text.as_bytes()).with_context(doing, path)
}

/// The line of a key with too many dotted names. The parser would keep a table for each.
fn find_deep_key(toml: &str) -> Option<u64> {
    let (mut line, mut name_count) = (1, 1);
    for token in Source::new(toml).lex() {
        match token.kind() {
            TokenKind::Dot => name_count += 1,
            TokenKind::Atom
            | TokenKind::Whitespace
            | TokenKind::LiteralString
            | TokenKind::BasicString => {}
            _ => name_count = 1,
        }
        if name_count > MAX_KEY_NAMES {
            return Some(line);
        }
        let span = token.span();
        line += toml[span.start()..span.end()].matches('\n').count() as u64;
    }
    None
}
