//! Garbage collection of the content store: removes content that no run uses, of deleted runs or of
//! runs that never started. If any file is unreadable or too large, nothing is removed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::data_dir::DataDir;
use super::file_lock::FileLock;
use super::io_error::IoContext;
use super::locked_profile::LockedProfile;
use base::{Digest, Problem};

/// The maximum number of bytes of runs that are searched.
const MAX_SEARCHED_BYTES: u64 = 256 * 1024 * 1024;
/// The number of hex digits of a digest.
const DIGEST_HEX_DIGITS: usize = 32;
const COLLECT_GARBAGE_ACTION_TEXT: &str = "look for stored content that no run needs";

impl LockedProfile {
    /// Removes stored content that no run refers to, unless another process is playing. Returns the
    /// number of removed files.
    pub fn collect_garbage(&self) -> Result<usize, Problem> {
        let data_dir = self.data_dir();
        let stored = stored_digests(data_dir)?;
        if stored.is_empty() {
            return Ok(0);
        }
        // Starting a run holds a profile lock, and the journal refers to the content only
        // afterwards.
        let other_profiles = data_dir.list_profiles()?.into_iter().map(|line| line.profile_id);
        let other_profiles = other_profiles.filter(|id| id != self.id());
        let locks: Result<Vec<FileLock>, Problem> = other_profiles
            .map(|id| {
                FileLock::acquire(
                    data_dir.disk(),
                    &data_dir.profile_lock_path(&id)?,
                    "another profile",
                )
            })
            .collect();
        let _locks = locks?;
        let mut needed = referenced_digests(data_dir)?;
        for path in needed.clone().iter().filter_map(|digest| stored.get(digest)) {
            needed.extend(find_digests(&read_content_start(data_dir, path)?));
        }
        let unreferenced = stored.iter().filter(|(digest, _)| !needed.contains(digest));
        let mut removed_count = 0;
        for (_, path) in unreferenced {
            data_dir.disk().remove_file(path).with_context(COLLECT_GARBAGE_ACTION_TEXT, path)?;
            removed_count += 1;
        }
        Ok(removed_count)
    }
}

/// The stored content, by digest. Files with other names stay.
fn stored_digests(data_dir: &DataDir) -> Result<BTreeMap<Digest, PathBuf>, Problem> {
    let folder = data_dir.content_folder();
    let names =
        data_dir.disk().list_folder(&folder).with_context(COLLECT_GARBAGE_ACTION_TEXT, &folder)?;
    let digest = |name: &String| name.strip_suffix(".json")?.parse::<Digest>().ok();
    Ok(names.iter().filter_map(|name| Some((digest(name)?, folder.join(name)))).collect())
}

/// Every digest in a file of a run, including damaged files and copies.
fn referenced_digests(data_dir: &DataDir) -> Result<BTreeSet<Digest>, Problem> {
    let (disk, runs) = (data_dir.disk(), data_dir.runs_folder());
    let (mut referenced, mut left) = (BTreeSet::new(), MAX_SEARCHED_BYTES);
    for run in disk.list_folder(&runs).with_context(COLLECT_GARBAGE_ACTION_TEXT, &runs)? {
        let folder = runs.join(run);
        let files = match disk.list_folder(&folder) {
            Ok(files) => files,
            // It is not a folder.
            Err(why) if why.kind() == std::io::ErrorKind::NotADirectory => continue,
            Err(why) => Err(why).with_context(COLLECT_GARBAGE_ACTION_TEXT, &folder)?,
        };
        let may_name_digests = |name: &&String| name.ends_with(".jsonl") || name.ends_with(".json");
        for path in files.iter().filter(may_name_digests).map(|name| folder.join(name)) {
            let bytes =
                disk.read_file(&path, left).with_context(COLLECT_GARBAGE_ACTION_TEXT, &path)?;
            left -= bytes.len() as u64;
            referenced.extend(find_digests(&bytes));
        }
    }
    Ok(referenced)
}

/// The start of a stored content, which names its base.
fn read_content_start(data_dir: &DataDir, path: &Path) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let read = data_dir.disk().open_reader(path, 0);
    let read =
        read.and_then(|reader| reader.take(2 * DIGEST_HEX_DIGITS as u64).read_to_end(&mut bytes));
    read.with_context(COLLECT_GARBAGE_ACTION_TEXT, path)?;
    Ok(bytes)
}

/// Everything that may be a digest: exactly 32 hex digits.
fn find_digests(bytes: &[u8]) -> impl Iterator<Item = Digest> + '_ {
    let words = bytes.split(|byte| !matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let words = words.filter(|word| word.len() == DIGEST_HEX_DIGITS);
    words.filter_map(|word| std::str::from_utf8(word).ok()?.parse().ok())
}
