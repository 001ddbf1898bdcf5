//! `api`: the reference for authors, built from the descriptions of the host functions and from the
//! kinds and exports of the loaded mods: a page to read, the page of all Problems, and types for an
//! editor.

mod event_types;
mod examples;
mod field_types;
mod module_graph;
mod option_types;
mod patch_types;
mod problems_page;
mod reference_contents;
mod reference_page;
mod settings_and_profile;
mod shared_tables;
mod symbol_docs;
mod type_declarations;
mod widget_section;

use std::fs;
use std::path::{Path, PathBuf};

use super::{CommandContext, CommandOutcome, CommandResult, output};
use crate::CommandOutput;
use base::{Code, Problem, SourceLocation};
use content::{Definition, EXPORT_KIND};
use mods::ModSet;
use script::{FunctionDoc, Vm};
use session::LoadedStart;

/// The end of `sub-rosa api --help`.
pub const HELP: &str = "\
The reference lists every host function, every kind of content with its fields,
and the functions that mods export. The type declarations give the same facts to
an editor; `check`, `test` and `play --dev` write them into your own mods. Only mods that are turned on are
included; add others with --with.

Examples:
  sub-rosa api                       print the reference
  sub-rosa api --write docs/modding  write reference.md, problems.md and
                                     GAME.d.luau there
  sub-rosa api --with ember_words --json

Exit status: 0 ok, 1 the mods do not load or a file cannot be written, 2 no such
mod.";

/// The arguments of `api`.
#[derive(Clone, Debug, Default)]
pub struct ApiRequest {
    /// The folder to write the files to.
    pub output_folder: Option<PathBuf>,
    /// Whether to print JSON.
    pub json: bool,
}

/// What the pages are built from.
struct ApiSource<'t> {
    vm: &'t Vm,
    mods: &'t ModSet,
    /// The mod whose settings are described; without one, those of all mods.
    for_mod: Option<&'t str>,
}

/// A function of a mod that has a name.
struct NamedFunction {
    doc: FunctionDoc,
    /// The file that it is in.
    file: String,
}

impl<'t> ApiSource<'t> {
    /// The id of the game, for file names.
    fn game_id(&self) -> &str {
        self.mods.game().id()
    }

    /// The exported functions, by name.
    fn exported_functions(&self) -> Vec<(String, NamedFunction)> {
        self.named_functions(EXPORT_KIND, |one| one.id.name())
    }

    /// The rules, by id.
    fn rules(&self) -> Vec<(String, NamedFunction)> {
        self.named_functions("rule", |one| one.id.as_str())
    }

    fn named_functions(
        &self,
        kind: &str,
        name: impl Fn(&Definition) -> &str,
    ) -> Vec<(String, NamedFunction)> {
        let shared = self.vm.registry().all_definitions(kind).map(|one| {
            let file = format!("{}/{}", one.place.owner, one.place.file);
            (name(one).to_owned(), NamedFunction { doc: self.vm.function_doc(one), file })
        });
        let mut shared: Vec<_> = shared.collect();
        shared.sort_by(|a, b| a.0.cmp(&b.0));
        shared
    }
}

/// Prints or writes the reference.
pub fn write_api(
    context: &CommandContext,
    request: &ApiRequest,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let LoadedStart { content, vm, .. } = match context.load_game() {
        Ok(startup) => startup,
        Err((outcome, problems)) => {
            return output::report_failure(out, request.json, outcome, &problems);
        }
    };
    let source = ApiSource { vm: &vm, mods: &content.mods, for_mod: None };
    let page = match reference_page::render_reference_page(&source) {
        Ok(page) => page,
        Err(problems) => {
            return output::report_failure(out, request.json, CommandOutcome::Problems, &problems);
        }
    };
    let types = type_declarations::render_type_declarations(&source);
    let Some(folder) = &request.output_folder else {
        match request.json {
            true => {
                output::write_json(out, &serde_json::json!({ "reference": page, "types": types }))?
            }
            false => page.lines().try_for_each(|line| output::write_line(out, line))?,
        }
        return Ok(CommandOutcome::Ok);
    };
    let files = [
        ("reference.md".to_owned(), page),
        ("problems.md".to_owned(), problems_page::render_problems_page()),
        (format!("{}.d.luau", source.game_id()), types),
    ];
    for (name, text) in &files {
        if let Err(problem) = write_file(folder, name, text) {
            return output::report_failure(out, request.json, CommandOutcome::Problems, &[problem]);
        }
    }
    let written = files.map(|(name, _)| folder.join(name).display().to_string());
    match request.json {
        true => output::write_json(out, &serde_json::json!({ "written": written }))?,
        false => {
            written
                .iter()
                .try_for_each(|path| output::write_line(out, &format!("wrote {path}")))?;
        }
    }
    Ok(CommandOutcome::Ok)
}

/// What an editor is told for the scripts of a mod.
pub(super) struct EditorTypes {
    /// The type declarations.
    pub(super) declarations: String,
    /// The docs of what they declare, as JSON for luau-lsp.
    pub(super) documentation: String,
}

impl EditorTypes {
    pub(super) fn for_mod(id: &str, vm: &Vm, mods: &ModSet) -> Self {
        let source = ApiSource { vm, mods, for_mod: Some(id) };
        Self {
            declarations: type_declarations::render_type_declarations(&source),
            documentation: symbol_docs::render_symbol_docs(&source),
        }
    }
}

fn write_file(folder: &Path, name: &str, text: &str) -> Result<(), Problem> {
    let path = folder.join(name);
    fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)).map_err(|why| {
        let path = path.display().to_string();
        Problem::error(Code::NotWritten, format!("{path} cannot be written: {why}"))
            .at(SourceLocation::new("", path, 0))
            .hint("choose a folder that can be written to")
    })
}
