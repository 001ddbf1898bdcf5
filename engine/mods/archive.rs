//! Reads and writes a mod as one zip archive. The same mod always gives the same bytes. An archive
//! is untrusted input: it is unpacked into memory only, within size limits, and checked like a
//! folder.

use std::io::{Cursor, Read, Seek, Write};
use std::path::Path;

use zip::read::ZipFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipArchive, ZipWriter};

use super::file_names::{is_backup, is_misnamed_manifest};
use super::file_set::FileSet;
use super::manifest::MANIFEST_FILE_NAME;
use super::mod_package::ModPackage;
use super::regular_file::describe_io_error;
use super::regular_file::open_regular_file;
use base::panic_guard::catch_panics;
use base::{Code, Problem, SourceLocation, limits, text};

/// The file extension of an archive.
const ARCHIVE_EXTENSION: &str = ".zip";
/// The folder in which macOS stores its own metadata in an archive.
const MACOS_METADATA_FOLDER: &str = "__MACOSX";
/// The file type bits of a Unix mode, and the two types that are allowed.
const FILE_TYPE_BITS: u32 = 0o170_000;
const ALLOWED_FILE_TYPES: [u32; 3] = [0, 0o100_000, 0o040_000];

/// Whether a file among the mods is an archive.
pub(super) fn is_archive(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(ARCHIVE_EXTENSION)
}

/// Reads all files of the mod in an archive.
pub(super) fn read_archive(path: &Path) -> Result<ModPackage, Vec<Problem>> {
    read_archive_files(path, |_| true)
}

/// Reads only the manifest of the mod in an archive.
pub(super) fn read_archive_manifest(path: &Path) -> Result<ModPackage, Vec<Problem>> {
    read_archive_files(path, |file| file == MANIFEST_FILE_NAME)
}

fn read_archive_files(
    path: &Path,
    is_wanted: fn(&str) -> bool,
) -> Result<ModPackage, Vec<Problem>> {
    let name = text::strip_unprintable(&path.file_name().unwrap_or_default().to_string_lossy());
    let file_set = catch_panics("opened an archive", || read_zip(path, &name, is_wanted))
        .map_err(|one| vec![one])?;
    ModPackage::from_file_set(file_set)
}

/// Packs a mod into an archive. All files are in one folder named after the mod, so that unpacking
/// creates that folder.
pub fn pack_archive(package: &ModPackage, id: &str) -> Vec<u8> {
    // File times and the operating system are left out: they are not part of a mod.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default())
        .system(System::Unix)
        .unix_permissions(0o644);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in package.files() {
        writer.start_file(format!("{id}/{path}"), options).expect("paths were checked");
        writer.write_all(bytes).expect("memory can be written to");
    }
    writer.finish().expect("memory can be written to").into_inner()
}

fn read_zip(path: &Path, name: &str, is_wanted: fn(&str) -> bool) -> Result<FileSet, Problem> {
    let place = || SourceLocation::new("", path.display().to_string(), 0);
    let archive_problem = |code: Code, message: String| Problem::error(code, message).at(place());
    let unreadable_problem = |why: String| {
        archive_problem(Code::Unreadable, format!("{name} cannot be read: {why}"))
            .expected("an archive as `sub-rosa mods pack` makes it, or any plain zip")
    };
    let file =
        open_regular_file(path).map_err(|why| unreadable_problem(describe_io_error(&why)))?;
    let file_bytes =
        file.metadata().map_err(|why| unreadable_problem(describe_io_error(&why)))?.len();
    if file_bytes > limits::MAX_MOD_ARCHIVE_BYTES {
        let found = format!("{name} is larger than {} bytes", limits::MAX_MOD_ARCHIVE_BYTES);
        return Err(archive_problem(Code::TooLarge, found).expected("a smaller mod"));
    }
    let mut archive = ZipArchive::new(file)
        .map_err(|why| unreadable_problem(text::strip_unprintable(&why.to_string())))?;
    if archive.len() > limits::MAX_MOD_FILES {
        let found = format!("{name} has more than {} files", limits::MAX_MOD_FILES);
        return Err(archive_problem(Code::TooLarge, found).expected("a smaller mod"));
    }
    // Some unzip programs merge entries with equal names. Overlapping entries are a zip bomb.
    let overlap_result = archive.has_overlapping_entries();
    if overlap_result
        .map_err(|why| unreadable_problem(text::strip_unprintable(&why.to_string())))?
    {
        return Err(unreadable_problem("its files overlap".to_owned()));
    }
    if archive.has_duplicate_names() {
        return Err(unreadable_problem("two of its files have the same name".to_owned()));
    }
    let mut entries = Vec::new();
    for at in 0..archive.len() {
        let one = archive.by_index_raw(at);
        let one =
            one.map_err(|why| unreadable_problem(text::strip_unprintable(&why.to_string())))?;
        entries.extend(
            entry_path(&one)
                .map_err(|(code, what)| archive_problem(code, what))?
                .map(|path| (at, path)),
        );
    }
    let root = find_mod_root(entries.iter().map(|(_, path)| path.as_str())).map_err(
        |(code, what, hint)| {
            archive_problem(code, format!("{name} {what}"))
                .expected(format!("one mod: a {MANIFEST_FILE_NAME}, by itself or in one folder"))
                .hint(hint)
        },
    )?;
    let folder = root.trim_end_matches('/');
    let mut file_set = FileSet::new(if folder.is_empty() { name } else { folder });
    for (at, path) in &entries {
        let Some(path_in_mod) = strip_mod_root(path, &root) else {
            file_set.excluded_files.push(text::strip_unprintable(path));
            continue;
        };
        if !is_wanted(path_in_mod) {
            continue;
        }
        if is_backup(path_in_mod.rsplit('/').next().unwrap_or(path_in_mod)) {
            file_set.excluded_files.push(text::strip_unprintable(path));
            continue;
        }
        let mut one = archive
            .by_index(*at)
            .map_err(|why| unreadable_problem(text::strip_unprintable(&why.to_string())))?;
        let left = file_set.remaining_bytes();
        let mut bytes = Vec::new();
        let read = one.by_ref().take(left + 1).read_to_end(&mut bytes);
        read.map_err(|why| {
            unreadable_problem(format!("{path} is damaged ({})", describe_io_error(&why)))
        })?;
        if bytes.len() as u64 > left {
            let found = format!("{name} unpacks to more than {} bytes", limits::MAX_MOD_BYTES);
            return Err(archive_problem(Code::TooLarge, found).expected("a smaller mod"));
        }
        file_set.add_file_bytes(path_in_mod, bytes);
    }
    Ok(file_set)
}

/// The path of an entry. `None` for folders and for metadata that operating systems add.
fn entry_path(one: &ZipFile<'_, impl Read + Seek>) -> Result<Option<String>, (Code, String)> {
    let name = String::from_utf8_lossy(one.name_raw()).into_owned();
    let shown = text::strip_unprintable(&name);
    if !ALLOWED_FILE_TYPES.contains(&(one.unix_mode().unwrap_or(0) & FILE_TYPE_BITS)) {
        return Err((
            Code::Link,
            format!("{shown} is a link or not a plain file; only plain files are unpacked"),
        ));
    }
    let Some(path) = normalize_entry_path(&name) else {
        let found = format!("{shown} points outside the folder that it is unpacked to");
        return Err((Code::BadName, found));
    };
    if one.encrypted() {
        return Err((Code::Unreadable, format!("{shown} is encrypted with a password")));
    }
    let is_metadata =
        path.starts_with(MACOS_METADATA_FOLDER) || path.split('/').any(|one| one.starts_with('.'));
    let is_folder = name.ends_with(['/', '\\']);
    Ok((!is_folder && !is_metadata).then_some(path))
}

/// Normalizes a path in an archive: some programs write `\\` between folders, or a leading `./`.
/// Returns `None` if the path points outside the folder that it is unpacked to.
fn normalize_entry_path(name: &str) -> Option<String> {
    if name.starts_with(['/', '\\']) || name.contains(':') {
        return None;
    }
    let parts = name.split(['/', '\\']).filter(|one| !["", "."].contains(one));
    let parts: Vec<&str> = parts.collect();
    (!parts.contains(&"..") && !parts.is_empty()).then(|| parts.join("/"))
}

/// The path of a file below the folder of the mod. The comparison ignores case, because many file
/// systems do.
fn strip_mod_root<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    let (root_part, path_in_mod) = path.split_at_checked(root.len())?;
    root_part.eq_ignore_ascii_case(root).then_some(path_in_mod)
}

/// The folder of the mod within an archive. It ends in `/`, or is empty.
fn find_mod_root<'t>(
    paths: impl Iterator<Item = &'t str>,
) -> Result<String, (Code, String, String)> {
    let paths: Vec<&str> = paths.collect();
    let manifests = paths.iter().filter_map(|path| path.strip_suffix(MANIFEST_FILE_NAME));
    let mut roots: Vec<&str> =
        manifests.filter(|root| root.is_empty() || root.ends_with('/')).collect();
    let depth = |root: &&str| root.matches('/').count();
    let least_depth = roots.iter().map(depth).min().unwrap_or(0);
    roots.retain(|root| depth(root) == least_depth);
    let repack = "unpack it, and pack the folder of the mod itself: `sub-rosa mods pack FOLDER`";
    match roots.as_slice() {
        [] => {
            let last = |path: &&&str| is_misnamed_manifest(path.rsplit('/').next().unwrap_or(path));
            let near = paths.iter().find(last).map(|near| text::strip_unprintable(near));
            let hint = near.map(|near| format!("rename {near} in it to {MANIFEST_FILE_NAME}"));
            Err((
                Code::NoManifest,
                format!("has no {MANIFEST_FILE_NAME}"),
                hint.unwrap_or(repack.to_owned()),
            ))
        }
        [root] if least_depth < 2 => Ok((*root).to_owned()),
        [root] => {
            let found =
                format!("has its {MANIFEST_FILE_NAME} too deep, in {}", root.trim_end_matches('/'));
            Err((Code::TooDeep, found, repack.to_owned()))
        }
        roots => {
            let names: Vec<&str> = roots.iter().map(|root| root.trim_end_matches('/')).collect();
            let found = format!("contains {} mods: {}", roots.len(), names.join(", "));
            Err((Code::SeveralMods, found, "unpack it, and install each mod separately".to_owned()))
        }
    }
}
