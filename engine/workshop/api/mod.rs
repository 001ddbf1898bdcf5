//! `api`: the reference for authors, built from the descriptions of the host functions and from the
//! kinds and exports of the loaded mods: a page to read, and types for an editor.

mod modules;
mod page;
mod types;

use std::fs;
use std::path::{Path, PathBuf};

use super::{Bench, Done, Outcome, told};
use crate::content::{Definition, EXPORT};
use crate::kit::{Place, Problem};
use crate::mods::ModSet;
use crate::run::Startup;
use crate::script::{Described, Vm};
use crate::workshop::Out;

pub(super) const HELP: &str = "\
The reference lists every host function, every kind of content with its fields,
and the functions that mods export. The type declarations give the same facts to
an editor (luau-lsp: types.definitionFiles). Only mods that are turned on are
included; add others with --with.

Examples:
  sub-rosa api                       print the reference
  sub-rosa api --write docs/modding  write reference.md and GAME.d.luau there
  sub-rosa api --with ember_words --json

Exit status: 0 ok, 1 the mods do not load or a file cannot be written, 2 no such
mod.";

/// The arguments of `api`.
#[derive(Clone, Debug, Default)]
pub struct Api {
    /// The folder to write both files to.
    pub write: Option<PathBuf>,
    /// Whether to print JSON.
    pub json: bool,
}

/// What the pages are built from.
struct Source<'t> {
    vm: &'t Vm,
    mods: &'t ModSet,
}

/// A function of a mod that has a name.
struct Shared {
    described: Described,
    /// The file that it is in.
    file: String,
}

impl<'t> Source<'t> {
    /// The id of the game, for file names.
    fn game(&self) -> &str {
        self.mods.game().id()
    }

    /// The exported functions, by name.
    fn exported(&self) -> Vec<(String, Shared)> {
        self.shared(EXPORT, |one| one.id.name())
    }

    /// The rules, by id.
    fn ruled(&self) -> Vec<(String, Shared)> {
        self.shared("rule", |one| one.id.as_str())
    }

    fn shared(&self, kind: &str, name: impl Fn(&Definition) -> &str) -> Vec<(String, Shared)> {
        let shared = self.vm.registry().every(kind).map(|one| {
            let file = format!("{}/{}", one.place.owner, one.place.file);
            (name(one).to_owned(), Shared { described: self.vm.described(one), file })
        });
        let mut shared: Vec<_> = shared.collect();
        shared.sort_by(|a, b| a.0.cmp(&b.0));
        shared
    }
}

/// Prints or writes the reference.
pub fn api(bench: &Bench, asked: &Api, out: &mut dyn Out) -> Done {
    let Startup { content, vm, .. } = match bench.start_up() {
        Ok(startup) => startup,
        Err((outcome, problems)) => return told::refuse(out, asked.json, outcome, &problems),
    };
    let source = Source { vm: &vm, mods: &content.mods };
    let (page, types) = (page::page(&source), types::types(&source));
    let Some(folder) = &asked.write else {
        match asked.json {
            true => told::json(out, &serde_json::json!({ "reference": page, "types": types }))?,
            false => page.lines().try_for_each(|line| told::line(out, line))?,
        }
        return Ok(Outcome::Ok);
    };
    let files = [("reference.md".to_owned(), page), (format!("{}.d.luau", source.game()), types)];
    for (name, text) in &files {
        if let Err(problem) = write(folder, name, text) {
            return told::refuse(out, asked.json, Outcome::Problems, &[problem]);
        }
    }
    let written = files.map(|(name, _)| folder.join(name).display().to_string());
    match asked.json {
        true => told::json(out, &serde_json::json!({ "written": written }))?,
        false => {
            written.iter().try_for_each(|path| told::line(out, &format!("wrote {path}")))?;
        }
    }
    Ok(Outcome::Ok)
}

/// The type declarations for the content of a VM.
pub(super) fn types_of(vm: &Vm, mods: &ModSet) -> String {
    types::types(&Source { vm, mods })
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), Problem> {
    let path = folder.join(name);
    fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)).map_err(|why| {
        let path = path.display().to_string();
        Problem::error("not-written", format!("{path} cannot be written: {why}"))
            .at(Place::new("", path, 0))
            .hint("choose a folder that can be written to")
    })
}
