//! Templates: starting points for new mods that a game offers. They are in the game's folder under
//! `templates/NAME/`. Each file has the extension `.in`, so that it is not a script of the game,
//! and is not part of the mod's digest.

use std::collections::BTreeMap;

use super::embedded;
use super::file_names::{TEMPLATE_EXTENSION, is_template};
use super::file_set::FileMap;
use super::mod_folder::{decode_script, read_subfolder};
use super::mod_package::read_package;
use super::mod_source::{ModOrigin, ModSource};
use base::{Code, FileText, Problem, SourceLocation};

/// The folder of the templates within a game.
const TEMPLATES_FOLDER: &str = "templates";

/// The files of a template, by their path in the new mod.
pub type TemplateFiles = BTreeMap<String, FileText>;

/// The templates that a mod offers, by name. Mods from the content store offer none.
pub fn read_templates(source: &ModSource) -> Result<BTreeMap<String, TemplateFiles>, Vec<Problem>> {
    let (mut found, mut problems) = (BTreeMap::new(), Vec::new());
    let files = match &source.origin {
        ModOrigin::Folder(folder) => read_subfolder(source.id(), folder, TEMPLATES_FOLDER, true)?,
        ModOrigin::Archive(path) => read_package(path)?.files().clone(),
        ModOrigin::Embedded => {
            let files = embedded::embedded_template_files(source.id());
            files.for_each(|(path, text)| {
                add_template_file(&mut found, path, FileText::from_static(text))
            });
            FileMap::new()
        }
        ModOrigin::ContentStore => FileMap::new(),
    };
    for (path, bytes) in files.into_iter().filter(|(path, _)| is_template(path)) {
        match decode_script(bytes) {
            Ok(text) => add_template_file(&mut found, &path, text.into()),
            Err((line, why)) => problems.push(
                Problem::error(Code::Unreadable, format!("{path} {why}"))
                    .at(SourceLocation::new(source.id(), &path, line))
                    .expected("a readable template file"),
            ),
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// Adds the file at a path such as `templates/NAME/kinds/boat.luau.in`.
fn add_template_file(found: &mut BTreeMap<String, TemplateFiles>, path: &str, text: FileText) {
    let template_path = path.strip_prefix(TEMPLATES_FOLDER).and_then(|path| path.strip_prefix('/'));
    let parts =
        template_path.and_then(|path| path.strip_suffix(TEMPLATE_EXTENSION)?.split_once('/'));
    if let Some((name, file)) = parts {
        found.entry(name.to_owned()).or_default().insert(file.to_owned(), text);
    }
}
