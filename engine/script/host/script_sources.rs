//! The texts of all scripts, and the places that chunk names stand for.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Deref;

use base::line_index::LineIndexedText;
use base::text::{is_luau_name_character, strip_unprintable};
use base::{FileText, SourceLocation};

/// The file name of lines from the console.
pub const CONSOLE_FILE: &str = "console";
/// Maximum number of characters of a source line in a Problem.
const MAX_LINE_CHARS: usize = 160;

/// The texts of all scripts; and the exported types by name, with the mod and the first file that
/// exports each. The types are found on first use.
#[derive(Debug, Default)]
pub(crate) struct ScriptSources(
    pub(crate) content::SourceFiles,
    OnceCell<BTreeMap<String, (String, String)>>,
);

impl Deref for ScriptSources {
    type Target = content::SourceFiles;

    fn deref(&self) -> &content::SourceFiles {
        &self.0
    }
}

impl ScriptSources {
    pub(crate) fn file_text(&self, owner: &str, file: &str) -> Option<&FileText> {
        self.indexed_text(owner, file).map(LineIndexedText::text)
    }

    /// The names of the files in the `lib/` of a mod, without their extension.
    pub(crate) fn library_names<'s>(&'s self, owner: &'s str) -> impl Iterator<Item = &'s str> {
        let files = self.iter().filter(move |(file_owner, ..)| *file_owner == owner);
        files.filter_map(|(_, file, _)| {
            let name = file.strip_suffix(".luau").or_else(|| file.strip_suffix(".lua"))?;
            name.starts_with("lib/").then_some(name)
        })
    }

    /// The mod and the file that declare a shared name, as far as the text shows at the start of a
    /// line.
    pub(crate) fn find_declaring_file(&self, name: &str) -> Option<(&str, &str)> {
        let declares =
            |lines: &LineIndexedText| declares_name(lines.text(), &DECLARING_FUNCTIONS, name);
        let file = self.iter().find(|(_, _, lines)| declares(lines));
        file.map(|(owner, file, _)| (owner, file))
    }

    /// The text of the file that exports a type.
    pub(crate) fn text_exporting_type(&self, name: &str) -> Option<&str> {
        let (owner, file) = self.exported_types().get(name)?;
        self.file_text(owner, file).map(|text| &**text)
    }

    /// The mod and the file that export each type (`export type Round = …`), by name.
    pub(crate) fn exported_types(&self) -> &BTreeMap<String, (String, String)> {
        self.1.get_or_init(|| {
            let mut file_by_type = BTreeMap::new();
            for (owner, file, lines) in self.iter() {
                for (index, prefix) in lines.text().match_indices("export type ") {
                    let rest = &lines.text()[index + prefix.len()..];
                    let name =
                        rest.split(|c| !is_luau_name_character(c)).next().unwrap_or_default();
                    if index == 0 || lines.text()[..index].ends_with('\n') {
                        let owner_and_file = || (owner.to_owned(), file.to_owned());
                        file_by_type.entry(name.to_owned()).or_insert_with(owner_and_file);
                    }
                }
            }
            file_by_type
        })
    }

    /// The mod of a chunk, if it is a file of a mod.
    pub(crate) fn owner_of_chunk<'c>(&self, chunk: &'c str) -> Option<&'c str> {
        let chunk = chunk.strip_prefix('=').unwrap_or(chunk);
        let (owner, file) = chunk.split_once('/')?;
        (file == CONSOLE_FILE || self.indexed_text(owner, file).is_some()).then_some(owner)
    }

    /// The place of a line of a chunk, if it is a file of a mod (the prelude is not).
    pub(crate) fn source_location(&self, chunk: &str, line: u32) -> Option<SourceLocation> {
        let chunk = chunk.strip_prefix('=').unwrap_or(chunk);
        let (owner, file) = chunk.split_once('/')?;
        let mut place = SourceLocation::new(owner, file, line);
        if file != CONSOLE_FILE {
            place.excerpt = excerpt(self.indexed_text(owner, file)?, line);
        }
        Some(place)
    }
}

/// One line of a text, from 1, safe to show. There is no line after the last line break.
fn excerpt(file: &LineIndexedText, line: u32) -> Option<String> {
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    let line = file.line_text(index)?;
    if line.is_empty() && file.line_start(index + 1).is_none() {
        return None;
    }
    let is_short = line.len() <= MAX_LINE_CHARS;
    let end = if is_short { None } else { line.char_indices().nth(MAX_LINE_CHARS) };
    Some(strip_unprintable(&line[..end.map_or(line.len(), |(cut_index, _)| cut_index)]))
}

/// The functions that declare a shared name.
const DECLARING_FUNCTIONS: [&str; 3] = ["kind", "export", "export_builder"];

/// Whether a script declares a shared name, or one in a module of that name, with one of these
/// functions.
pub fn declares_name(text: &str, verbs: &[&str], name: &str) -> bool {
    verbs.iter().any(|verb| {
        text.match_indices(name).any(|(index, _)| {
            let line = text[..index].rsplit('\n').next().unwrap_or_default();
            let before_quote = line.strip_prefix(*verb).map(str::trim_start);
            let opens_declaration = before_quote
                .is_some_and(|call_start| ["\"", "(\"", "'", "('"].contains(&call_start));
            opens_declaration && text[index + name.len()..].starts_with(['"', '\'', '.'])
        })
    })
}

/// The mod and the name without extension of a path.
pub(crate) fn split_require_path<'p>(caller: &'p str, path: &'p str) -> (&'p str, &'p str) {
    path.strip_prefix('@').and_then(|path| path.split_once('/')).unwrap_or((caller, path))
}

/// The mod and the file that a path leads to, seen from a mod; `file_exists` tells which files
/// exist.
pub fn resolve_require_path(
    caller: &str,
    path: &str,
    file_exists: impl Fn(&str, &str) -> bool,
) -> Option<(String, String)> {
    let (owner, name) = split_require_path(caller, path);
    let mut files = ["", ".luau", ".lua"].iter().map(|ending| format!("{name}{ending}"));
    let file = files.find(|file| file_exists(owner, file))?;
    Some((owner.to_owned(), file))
}
