//! `new`: creates the folder of a mod from a template, with editor settings. Templates of a game
//! are in its folder; the template for a whole game is built in.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::switch_mods::CommandFailure;
use super::{CommandContext, CommandOutcome, CommandResult, editor_files, output};
use crate::CommandOutput;
use base::id::check_mod_id;
use base::{Code, FileText, Problem, SourceLocation, text};
use mods::{
    ModSource, TemplateFiles, choose_enabled_mods, discover_mods, engine_version, read_templates,
};

/// The end of `sub-rosa new --help`.
pub const HELP: &str = "\
Creates a folder with a manifest, scripts that load, and editor settings: inside
a clone of the repository of Sub Rosa in the clone's mods/, else in mods/ of the
data folder. Templates come with the game (--game names another); the template
\"game\" creates a whole game.

Examples:
  sub-rosa new                       list the templates
  sub-rosa new three_cups --template game
  sub-rosa new three_cups --template game --into ~/mods

Exit status: 0 created, 1 the files cannot be written, 2 the name is taken or
not a valid id, or there is no such template.";

/// The name of the built-in template for a whole game.
const GAME_TEMPLATE: &str = "game";
/// The built-in template for a whole game.
const GAME_FILES: [(&str, &str); 5] = [
    ("mod.toml", include_str!("templates/game/mod.toml.in")),
    ("kinds/coin.luau", include_str!("templates/game/kinds/coin.luau.in")),
    ("coins.luau", include_str!("templates/game/coins.luau.in")),
    ("play.luau", include_str!("templates/game/play.luau.in")),
    ("tests/first.luau", include_str!("templates/game/tests/first.luau.in")),
];

/// The arguments of `new`.
#[derive(Clone, Debug)]
pub struct NewRequest {
    /// The id of the new mod.
    pub name: String,
    /// The name of the template.
    pub template: String,
    /// The folder that will contain the mod's folder.
    pub parent_folder: Option<PathBuf>,
    /// Whether to print JSON.
    pub json: bool,
}

/// Creates a mod.
pub fn create_mod(
    context: &CommandContext,
    request: &NewRequest,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    match create_mod_folder(context, request) {
        Ok(made) if request.json => {
            let folder = made.folder.display().to_string();
            let page = serde_json::json!({ "folder": folder, "files": made.files });
            output::write_json(out, &page)?;
            Ok(CommandOutcome::Ok)
        }
        Ok(made) => {
            made.message_lines().iter().try_for_each(|line| output::write_line(out, line))?;
            Ok(CommandOutcome::Ok)
        }
        Err((outcome, problems)) => output::report_failure(out, request.json, outcome, &problems),
    }
}

/// Lists the templates.
pub fn list_templates(
    context: &CommandContext,
    json: bool,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let offered = match available_templates(context, &discover_mods(&context.search_paths).0) {
        Ok(offered) => offered,
        Err((outcome, problems)) => return output::report_failure(out, json, outcome, &problems),
    };
    let about: BTreeMap<&str, &str> = offered
        .iter()
        .map(|(name, template)| (name.as_str(), template_purpose(template)))
        .collect();
    if json {
        output::write_json(out, &serde_json::json!({ "templates": about }))?;
        return Ok(CommandOutcome::Ok);
    }
    for (name, purpose) in about {
        output::write_line(out, &format!("{name:<14} {purpose}"))?;
    }
    output::write_line(out, "\nCreate a mod: sub-rosa new NAME --template T")?;
    Ok(CommandOutcome::Ok)
}

/// The purpose of a template: the first line of its manifest.
fn template_purpose(template: &TemplateFiles) -> &str {
    let manifest = template.get("mod.toml").map_or("", |text| text);
    manifest.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or("")
}

/// The templates of the current game, and the built-in one.
fn available_templates(
    context: &CommandContext,
    found: &[ModSource],
) -> Result<BTreeMap<String, TemplateFiles>, CommandFailure> {
    let (chosen, problems) =
        choose_enabled_mods(found.to_vec(), &context.search_paths, context.game.as_deref(), &[]);
    let mut offered = BTreeMap::new();
    match chosen.iter().find(|source| source.manifest.is_game) {
        Some(game) => {
            offered =
                read_templates(game).map_err(|problems| (CommandOutcome::Problems, problems))?;
        }
        // Without any game, the built-in template still works.
        None if context.game.is_some() => return Err((CommandOutcome::UsageError, problems)),
        None => {}
    }
    let files = GAME_FILES.map(|(path, text)| (path.to_owned(), FileText::from_static(text)));
    offered.insert(GAME_TEMPLATE.to_owned(), BTreeMap::from(files));
    Ok(offered)
}

/// A mod that was created.
struct CreatedMod {
    id: String,
    folder: PathBuf,
    files: Vec<String>,
    /// Whether the new mod is a game.
    is_game: bool,
    /// The game it is for, if one was named.
    for_game: Option<String>,
    /// Whether it is found without `--mods`.
    is_discoverable: bool,
    /// The flags by which it was found, each with a space before it.
    folder_flags: String,
}

impl CreatedMod {
    fn message_lines(&self) -> Vec<String> {
        let folder = self.folder.display();
        let mut lines = vec![format!("created {folder}")];
        lines.extend(self.files.iter().map(|file| format!("  {file}")));
        let mods_flag = match (self.is_discoverable, self.folder.parent()) {
            (false, Some(parent)) if parent != Path::new("") => {
                format!("--mods {} ", parent.display())
            }
            (false, _) => "--mods . ".to_owned(),
            (true, _) if self.folder_flags.is_empty() => String::new(),
            (true, _) => format!("{} ", self.folder_flags.trim_start()),
        };
        let flag = match (self.is_game, &self.for_game) {
            (true, _) => "--game".to_owned(),
            (false, Some(of)) => format!("--game {of} --with"),
            (false, None) => "--with".to_owned(),
        };
        lines.push("Next:".to_owned());
        lines.push(format!("  sub-rosa check {mods_flag}{}", self.id));
        lines.push(format!("  sub-rosa {mods_flag}{flag} {} --dev", self.id));
        lines
    }
}

fn create_mod_folder(
    context: &CommandContext,
    request: &NewRequest,
) -> Result<CreatedMod, CommandFailure> {
    let usage = |problem: Problem| (CommandOutcome::UsageError, vec![problem]);
    let id = &request.name;
    let found = discover_mods(&context.search_paths).0;
    let offered = available_templates(context, &found)?;
    let Some(template) = offered.get(&request.template) else {
        let names: Vec<&str> = offered.keys().map(String::as_str).collect();
        let template_name = text::strip_unprintable(&request.template);
        let problem =
            Problem::error(Code::NoTemplate, format!("there is no template \"{template_name}\""));
        return Err(usage(problem.expected(format!("one of {}", names.join(", ")))));
    };
    check_new_mod_id(id, &found).map_err(usage)?;
    let into = match (
        &request.parent_folder,
        &context.search_paths.project_folder,
        &context.search_paths.user_folder,
    ) {
        (Some(into), _, _) => into.clone(),
        (None, Some(near), _) | (None, None, Some(near)) => near.join("mods"),
        (None, None, None) => PathBuf::new(),
    };
    let folder = into.join(id);
    if fs::symlink_metadata(&folder).is_ok() {
        let path = folder.display().to_string();
        let problem = Problem::error(Code::FolderExists, format!("{path} already exists"));
        let problem = problem.at(SourceLocation::new("", path, 0)).expected("a name that is free");
        return Err(usage(problem.hint("choose another name, or another folder with --into")));
    }
    let mut files = fill_template(template, id);
    let unwritten = |why: std::io::Error| {
        let path = folder.display().to_string();
        let problem = Problem::error(Code::NotWritten, format!("{path} cannot be written: {why}"));
        let problem = problem.at(SourceLocation::new("", path, 0));
        (
            CommandOutcome::Problems,
            vec![problem.hint("choose a folder that can be written to with --into")],
        )
    };
    write_new_folder(&into, &folder, &files).map_err(unwritten)?;
    // The types in them need a mod that loads.
    let known = editor_files::editor_files(context, &folder);
    write_files(&folder, &known).map_err(unwritten)?;
    files.extend(known);
    let search_roots = [&context.search_paths.project_folder, &context.search_paths.user_folder];
    let is_in_search_root =
        search_roots.into_iter().flatten().any(|near| near.join("mods") == into);
    Ok(CreatedMod {
        id: id.clone(),
        files: files.into_keys().collect(),
        is_game: request.template == GAME_TEMPLATE,
        for_game: context.game.clone(),
        is_discoverable: is_in_search_root || context.search_paths.named_folders.contains(&into),
        folder,
        folder_flags: context.folder_flags.clone(),
    })
}

/// Checks that the id is valid and not taken.
fn check_new_mod_id(id: &str, found: &[ModSource]) -> Result<(), Problem> {
    let bad = |why: String| {
        let problem = Problem::error(
            Code::BadId,
            format!("\"{}\" is not an id: {why}", text::strip_unprintable(id)),
        );
        problem.hint("write it like `salt_clerk`; the displayed name is set in mod.toml")
    };
    check_mod_id(id).map_err(bad)?;
    if id == content::HOST_MOD_ID {
        return Err(bad("the name is reserved for the host".to_owned()));
    }
    match found.iter().find(|source| source.id() == id) {
        Some(other) => Err(Problem::error(Code::IdTaken, format!("a mod \"{id}\" already exists"))
            .at(other.manifest_location("id", id))
            .hint("choose another name: of two mods with the same id only one is loaded")),
        None => Ok(()),
    }
}

/// The files of a mod, with the gaps of the template filled in.
fn fill_template(template: &TemplateFiles, id: &str) -> BTreeMap<String, String> {
    let spaced = id.replace('_', " ");
    let spaced = spaced.trim();
    let name = match spaced.chars().next() {
        Some(first) => format!("{}{}", first.to_ascii_uppercase(), &spaced[first.len_utf8()..]),
        None => id.to_owned(),
    };
    let version = engine_version();
    let engine = format!("{}.{}", version.major, version.minor);
    let filled =
        |text: &str| text.replace("{id}", id).replace("{name}", &name).replace("{engine}", &engine);
    template.iter().map(|(path, text)| (path.clone(), filled(text))).collect()
}

/// Writes files and the folders they are in.
fn write_files(folder: &Path, files: &BTreeMap<String, String>) -> std::io::Result<()> {
    files.iter().try_for_each(|(path, text)| {
        let file = folder.join(path);
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(file, text)
    })
}

/// Writes all files into a new folder, or leaves nothing behind.
fn write_new_folder(
    into: &Path,
    folder: &Path,
    files: &BTreeMap<String, String>,
) -> std::io::Result<()> {
    if into != Path::new("") {
        fs::create_dir_all(into)?;
    }
    fs::create_dir(folder)?;
    let written = write_files(folder, files);
    if written.is_err() {
        // The write error is reported. The folder is new, so it can be removed.
        let _ = fs::remove_dir_all(folder);
    }
    written
}
