//! Reads the folder of a mod: its manifest and its scripts. Opens nothing outside the folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::file_names::suggest_manifest_rename;
use super::file_set::{FileMap, FileSet};
use super::manifest::{MANIFEST_FILE_NAME, Manifest};
use super::mod_source::{ModOrigin, ModSource, reuse_embedded_text};
use super::regular_file::read_file_within_limit;
use base::id::check_id_part;
use base::{Code, Problem, SourceLocation, limits, text};

/// The start of the paths of a mod's tests.
pub const TESTS_FOLDER: &str = "tests/";

/// Reads the mod in a folder. Reports all mistakes at once.
pub fn read_folder(folder: &Path) -> Result<ModSource, Vec<Problem>> {
    ModReadResult::from_folder(folder).source
}

/// Reads the scripts in `tests/` of a mod.
pub(super) fn read_test_scripts(id: &str, folder: &Path) -> Result<FileMap, Vec<Problem>> {
    read_subfolder(id, folder, "tests", false)
}

/// Reads the files, or only the scripts, in a subfolder of a mod. A missing subfolder has none.
pub(super) fn read_subfolder(
    id: &str,
    folder: &Path,
    name: &str,
    all: bool,
) -> Result<FileMap, Vec<Problem>> {
    let (mut file_set, subfolder) = (FileSet::new(id), folder.join(name));
    if subfolder.is_dir() {
        file_set.collect_folder(&subfolder, &format!("{name}/"), all);
    }
    file_set.into_checked_files()
}

/// A mod that was read, or its Problems.
pub(super) struct ModReadResult {
    /// Its id, if the manifest states one.
    pub(super) id: Option<String>,
    /// The mod, or its Problems.
    pub(super) source: Result<ModSource, Vec<Problem>>,
}

impl ModReadResult {
    /// Reads the mod in a folder.
    pub(super) fn from_folder(folder: &Path) -> Self {
        Self::read_from_folder(folder, true)
    }

    /// Reads only the manifest of the mod in a folder.
    pub(super) fn from_folder_manifest(folder: &Path) -> Self {
        Self::read_from_folder(folder, false)
    }

    fn read_from_folder(folder: &Path, with_scripts: bool) -> Self {
        let name = folder_name(folder);
        let manifest = match read_script_bytes(&folder.join(MANIFEST_FILE_NAME)) {
            Ok(bytes) => bytes,
            Err(why) => {
                let problem = Problem::error(
                    Code::NoManifest,
                    format!("{MANIFEST_FILE_NAME} cannot be read: {why}"),
                )
                .at(SourceLocation::new(
                    "",
                    folder.join(MANIFEST_FILE_NAME).display().to_string(),
                    0,
                ))
                .expected(format!("a file {MANIFEST_FILE_NAME} in the folder of each mod"));
                let deeper = find_nested_mod(folder)
                    .map(|inner| format!("the mod is one folder deeper: {inner}"));
                let hint = suggest_manifest_rename(folder).or(deeper);
                return Self { id: None, source: Err(vec![problem.with_optional_hint(hint)]) };
            }
        };
        let mut file_set = FileSet::new(&name);
        if with_scripts {
            file_set.collect_folder(folder, "", false);
        }
        let (scripts, mut scan_problems) = (file_set.files, file_set.problems);
        let mut result =
            Self::from_bytes(&name, &manifest, scripts, ModOrigin::Folder(folder.to_owned()));
        if !scan_problems.is_empty() {
            scan_problems.extend(result.source.err().unwrap_or_default());
            result.source = Err(scan_problems);
        }
        if let (Some(id), Err(problems)) = (&result.id, &mut result.source) {
            let places = problems.iter_mut().filter_map(|problem| problem.place.as_mut());
            places.filter(|place| place.owner == name).for_each(|place| place.owner = id.clone());
        }
        result
    }

    /// Builds a mod from bytes that were read before.
    pub(super) fn from_bytes(
        name: &str,
        manifest: &[u8],
        scripts: FileMap,
        origin: ModOrigin,
    ) -> Self {
        let mut problems = Vec::new();
        let mut decode = |path: &str, bytes: Vec<u8>| match decode_script(bytes) {
            Ok(text) => Some((path.to_owned(), text)),
            Err((line, why)) => {
                let problem = Problem::error(Code::BadText, format!("the file {path} {why}"));
                problems.push(
                    problem
                        .at(SourceLocation::new(name, path, line))
                        .expected("UTF-8 text without control or invisible characters")
                        .hint("save the file as UTF-8 without such characters"),
                );
                None
            }
        };
        let manifest = decode(MANIFEST_FILE_NAME, manifest.to_vec());
        let files = scripts.into_iter().filter_map(|(path, bytes)| decode(&path, bytes));
        let files = files.map(|(path, text)| (path, reuse_embedded_text(text))).collect();
        let Some((_, manifest)) = manifest else {
            return Self { id: None, source: Err(problems) };
        };
        let id = guess_mod_id(&manifest);
        let source = match Manifest::parse(name, &manifest) {
            Ok(parsed) if problems.is_empty() => {
                Ok(ModSource::new(parsed, manifest.into(), files, origin))
            }
            Ok(_) => Err(problems),
            Err(manifest_problems) => Err(manifest_problems.into_iter().chain(problems).collect()),
        };
        Self { id, source }
    }
}

/// The name of a mod until its id is known.
pub(super) fn folder_name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    text::strip_unprintable(&name.to_string_lossy())
}

/// The bytes of a plain script within the size limit.
pub(super) fn read_script_bytes(path: &Path) -> Result<Vec<u8>, String> {
    read_file_within_limit(path, limits::MAX_SCRIPT_FILE_BYTES)
}

/// The text of a file with LF line ends, or the line of the mistake and the mistake.
pub(super) fn decode_script(bytes: Vec<u8>) -> Result<String, (u32, String)> {
    let line_at = |bytes: &[u8]| {
        u32::try_from(bytes.iter().filter(|byte| **byte == b'\n').count() + 1).unwrap_or(u32::MAX)
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        (line_at(&error.as_bytes()[..valid]), "is not UTF-8".to_owned())
    })?;
    let bare_length = text::strip_byte_order_mark(&text).len();
    let text =
        if bare_length < text.len() { text[text.len() - bare_length..].to_owned() } else { text };
    let text = match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n"),
        false => text,
    };
    let mut from = 0;
    while let Some((at, invalid_char)) = text::first_unprintable(&text[from..]) {
        if invalid_char != '\t' {
            return Err((
                line_at(&text.as_bytes()[..from + at]),
                format!("contains {invalid_char:?}"),
            ));
        }
        from += at + 1;
    }
    Ok(text)
}

/// The id that a manifest states, even if the manifest has other mistakes.
pub(super) fn guess_mod_id(manifest: &str) -> Option<String> {
    let values = manifest.lines().filter_map(|line| line.split_once('='));
    let (_, value) = values.into_iter().find(|(key, _)| key.trim() == "id")?;
    let id = value.split('"').nth(1)?;
    check_id_part(id).is_ok().then(|| id.to_owned())
}

/// A mod in a subfolder of the folder where the mod was expected.
pub(super) fn find_nested_mod(folder: &Path) -> Option<String> {
    let inside = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut mods: Vec<PathBuf> =
        inside.filter(|path| path.join(MANIFEST_FILE_NAME).is_file()).collect();
    mods.sort();
    mods.first().map(|path| text::strip_unprintable(&path.display().to_string()))
}
