//! Templates: what a game offers to begin a mod from. They lie in the game's folder under
//! `templates/NAME/`, each file with `.in` behind its name, so that none of them is a script of the
//! game's own; they are no part of the mod's digest.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::embedded;
use super::folder::{TEMPLATE, is_template, read_file, reason, script_text};
use super::package::read_package;
use super::source::{ModSource, Origin};
use crate::kit::{FileText, Place, Problem, limits};

/// The folder within a game's.
const FOLDER: &str = "templates";

/// The files of a template by their path in the mod that is made of it.
pub type Template = BTreeMap<String, FileText>;

/// The templates that a mod offers, by name. Mods out of the content store offer none.
pub fn templates(source: &ModSource) -> Result<BTreeMap<String, Template>, Vec<Problem>> {
    let mut walk = Walk { owner: source.id(), found: BTreeMap::new(), problems: Vec::new() };
    match &source.origin {
        Origin::Disk(folder) => walk.enter(&folder.join(FOLDER), FOLDER, 0),
        Origin::Archive(path) => {
            for (path, bytes) in read_package(path)?.files() {
                match script_text(bytes.clone()) {
                    Ok(text) if is_template(path) => walk.keep(path, text.into()),
                    _ => {}
                }
            }
        }
        Origin::Embedded => {
            for (path, text) in embedded::templates(source.id()) {
                walk.keep(path, FileText::built(text));
            }
        }
        Origin::Stored => {}
    }
    if walk.problems.is_empty() { Ok(walk.found) } else { Err(walk.problems) }
}

struct Walk<'t> {
    owner: &'t str,
    found: BTreeMap<String, Template>,
    problems: Vec<Problem>,
}

impl Walk<'_> {
    /// Keeps the file at a path such as `templates/NAME/kinds/boat.luau.in`.
    fn keep(&mut self, path: &str, text: FileText) {
        let inside = path.strip_prefix(FOLDER).and_then(|path| path.strip_prefix('/'));
        let parts = inside.and_then(|path| path.strip_suffix(TEMPLATE)?.split_once('/'));
        if let Some((name, file)) = parts {
            self.found.entry(name.to_owned()).or_default().insert(file.to_owned(), text);
        }
    }

    fn refuse(&mut self, path: &str, line: u32, why: &str) {
        let place = Place::new(self.owner, path, line);
        let problem = Problem::error("unreadable", format!("{path} {why}"));
        self.problems.push(problem.at(place).expected("a file of a template that may be read"));
    }

    /// Reads a folder; one that is not there holds nothing. Links are not followed.
    fn enter(&mut self, folder: &Path, inside: &str, depth: usize) {
        let entries = match fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries,
            Err(why) if depth == 0 && why.kind() == std::io::ErrorKind::NotFound => return,
            Err(why) => return self.refuse(inside, 0, &reason(&why)),
        };
        for entry in entries {
            let name = entry.file_name();
            let path = format!("{inside}/{}", name.to_string_lossy());
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth < limits::MOD_FOLDER_DEPTH {
                self.enter(&folder.join(&name), &path, depth + 1);
            } else if kind.is_file() && is_template(&path) {
                match read_file(&folder.join(&name)).map(script_text) {
                    Ok(Ok(text)) => self.keep(&path, text.into()),
                    Ok(Err((line, why))) => self.refuse(&path, line, &why),
                    Err(why) => self.refuse(&path, 0, &format!("cannot be read: {why}")),
                }
            }
        }
    }
}
