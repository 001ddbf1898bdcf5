//! `mods pack`: packs a mod's folder into one file.

use std::fs;
use std::path::{Path, PathBuf};

use super::{check_mod_loads, usage_error, write_error_failure};
use crate::CommandOutput;
use crate::command_context::{check_folder_exists, is_folder_path};
use crate::switch_mods::{CommandFailure, FoundMods};
use crate::{CommandContext, CommandOutcome, CommandResult, output};
use base::{Code, Problem, SourceLocation};
use mods::{ModOrigin, ModPackage, ModSource, pack_archive, read_package, unread_file_warnings};

/// The arguments of `mods pack`.
#[derive(Clone, Debug)]
pub struct PackRequest {
    /// The id of a mod, or its folder.
    pub mod_or_folder: String,
    /// The file to write, or the folder for it; without it, the current folder.
    pub output_path: Option<PathBuf>,
    /// Whether to print JSON.
    pub json: bool,
}

struct PackedMod {
    source: ModSource,
    file_count: usize,
    byte_count: usize,
    path: PathBuf,
    /// Whether the same file existed already.
    is_unchanged: bool,
    /// Files in the folder that are not part of the mod.
    excluded_files: Vec<String>,
}

/// Packs a mod.
pub fn pack_mod(
    context: &CommandContext,
    request: &PackRequest,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let packed = match write_package(context, request) {
        Ok(packed) => packed,
        Err((outcome, problems)) => {
            return output::report_failure(out, request.json, outcome, &problems);
        }
    };
    let PackedMod {
        source,
        file_count: files,
        byte_count: bytes,
        path,
        is_unchanged: same,
        excluded_files: left_out,
    } = packed;
    let (id, version) = (source.id(), &source.manifest.version);
    let path = path.display().to_string();
    if request.json {
        let page = serde_json::json!({
            "id": id, "version": version.to_string(), "file": path, "files": files, "bytes": bytes,
            "digest": source.digest.to_string(), "left_out": left_out,
        });
        output::write_json(out, &page)?;
        return Ok(CommandOutcome::Ok);
    }
    let verb = if same { "is already packed, with the same bytes" } else { "is packed" };
    output::write_line(
        out,
        &format!("{id} {version} {verb}: {files} files, {bytes} bytes, in {path}"),
    )?;
    if !left_out.is_empty() {
        output::write_line(out, &format!("Not packed (backup files): {}", left_out.join(", ")))?;
    }
    for problem in unread_file_warnings(&source) {
        output::write_line(out, &problem.to_string())?;
    }
    output::write_line(out, &format!("To install it: sub-rosa mods install {path}"))?;
    Ok(CommandOutcome::Ok)
}

fn write_package(
    context: &CommandContext,
    request: &PackRequest,
) -> Result<PackedMod, CommandFailure> {
    let (context, wanted) = (
        context.with_search_folders(std::slice::from_ref(&request.mod_or_folder)),
        &request.mod_or_folder,
    );
    let found = FoundMods::discover(&context);
    let folder = match is_folder_path(wanted) {
        true => {
            check_folder_exists(Path::new(wanted))
                .map_err(|problem| (CommandOutcome::UsageError, vec![problem]))?;
            PathBuf::from(wanted)
        }
        false => mod_folder(found.find_or_fail(wanted)?)?.to_owned(),
    };
    let package = read_package(&folder).map_err(|problems| (CommandOutcome::Problems, problems))?;
    let source = package.read_with_origin(ModOrigin::Folder(folder.clone()));
    let source = source.map_err(|problems| (CommandOutcome::Problems, problems))?;
    check_mod_loads(&context, &found, &source).map_err(|mut problems| {
        let not_packed = Problem::error(
            Code::NotPacked,
            format!("{} does not load, so it was not packed", source.id()),
        );
        problems.push(not_packed.hint("fix it first; `sub-rosa check` lists the problems"));
        (CommandOutcome::Problems, problems)
    })?;
    let name = format!("{}-{}.zip", source.id(), source.manifest.version);
    let path = match &request.output_path {
        Some(out) if out.is_dir() => out.join(name),
        Some(out) => out.clone(),
        None => PathBuf::from(name),
    };
    let bytes = pack_archive(&package, source.id());
    let same = save_archive(&context, &path, &folder, source.id(), &bytes)?;
    let (files, left_out) = (package.files().len(), package.excluded_files().to_vec());
    Ok(PackedMod {
        file_count: files,
        byte_count: bytes.len(),
        source,
        path,
        is_unchanged: same,
        excluded_files: left_out,
    })
}

fn mod_folder(source: &ModSource) -> Result<&Path, CommandFailure> {
    match &source.origin {
        ModOrigin::Folder(folder) => Ok(folder),
        ModOrigin::Archive(path) => {
            let found = format!("{} is already a zip file: {}", source.id(), path.display());
            Err(usage_error(
                Problem::error(Code::PackedAlready, found).hint("share that file as it is"),
            ))
        }
        ModOrigin::Embedded | ModOrigin::ContentStore => {
            let found = format!("{} is part of the program", source.id());
            Err(usage_error(
                Problem::error(Code::NotAFolder, found).expected("a mod with a folder"),
            ))
        }
    }
}

/// Writes the archive atomically, and returns whether the same file existed. Only an archive of the
/// same mod is replaced.
fn save_archive(
    context: &CommandContext,
    path: &Path,
    folder: &Path,
    id: &str,
    bytes: &[u8],
) -> Result<bool, CommandFailure> {
    let path_text = path.display().to_string();
    let parent_folder =
        path.parent().filter(|near| *near != Path::new("")).unwrap_or(Path::new("."));
    let inside = match (parent_folder.canonicalize(), folder.canonicalize()) {
        (Ok(near), Ok(folder)) => near.starts_with(folder),
        _ => false,
    };
    if inside {
        let found = format!(
            "{path_text} is in the folder of the mod and would be packed with it the next time"
        );
        return Err(usage_error(
            Problem::error(Code::InsideItself, found).hint("choose another file with --out"),
        ));
    }
    let is_beside_mod = match (parent_folder.canonicalize(), folder.canonicalize()) {
        (Ok(near), Ok(folder)) => folder.parent() == Some(&*near),
        _ => false,
    };
    if is_beside_mod && context.search_paths.searches_folder(parent_folder) {
        let found = format!(
            "{path_text} would be beside the folder of {id}, in a folder that is searched for mods: neither would load"
        );
        return Err(usage_error(
            Problem::error(Code::AmongMods, found).hint("choose another place with --out"),
        ));
    }
    if fs::symlink_metadata(path).is_ok() {
        let other = read_package(path).ok().filter(|_| path.is_file());
        let other: Option<ModPackage> = other.filter(|one| {
            one.read_with_origin(ModOrigin::ContentStore).is_ok_and(|one| one.id() == id)
        });
        if other.is_none() {
            let problem = Problem::error(
                Code::FileExists,
                format!("{path_text} exists and is not a zip file of {id}"),
            );
            let problem = problem.at(SourceLocation::new("", path_text, 0));
            return Err(usage_error(
                problem.hint("move it away, or choose another file with --out"),
            ));
        }
        if fs::read(path).is_ok_and(|there| there == bytes) {
            return Ok(true);
        }
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary_file = parent_folder.join(format!(".{name}.new"));
    let done = fs::write(&temporary_file, bytes).and_then(|()| fs::rename(&temporary_file, path));
    done.map(|()| false).map_err(|why| {
        let _ = fs::remove_file(&temporary_file);
        write_error_failure(path, &why)
    })
}
