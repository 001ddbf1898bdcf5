//! `api`: what authors look up, made from the one description of the host's functions and from the
//! kinds and exports of the mods that are loaded: a page to read, and types for an editor.

mod page;
mod types;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::lua::{self, Shape};
use super::{Bench, Done, Outcome, told};
use crate::content::Datum;
use crate::kit::{Place, Problem};
use crate::mods::ModSet;
use crate::run::Startup;
use crate::script::Vm;

pub(super) const HELP: &str = "\
The reference has every function of the host, the kinds of content there are with their fields, and
what mods export. The type declarations say the same to an editor (luau-lsp: types.definitionFiles).
The mods that are on take part; others are named with --with.

Examples:
  sub-rosa api                          show the reference
  sub-rosa api --write docs/modding     write reference.md and GAME.d.luau there
  sub-rosa api --with ember_words --json

Exit status: 0 when it is told, 1 when the mods cannot be loaded or a file cannot be written, 2 when
there is no such mod.";

/// What `api` is asked.
#[derive(Clone, Debug, Default)]
pub struct Api {
    /// The folder to write both files to.
    pub write: Option<PathBuf>,
    /// Whether a program reads what is told.
    pub json: bool,
}

/// What the pages are made from.
struct Source<'t> {
    vm: &'t Vm,
    mods: &'t ModSet,
    /// Functions that mods give a name: exports and rules, by mod and name.
    exports: Read,
    rules: Read,
}

/// By mod and name: what a function takes and gives, and what the comment above it says.
type Read = BTreeMap<(String, String), (Option<Shape>, String)>;

/// A function that a mod gives a name.
#[derive(Default)]
struct Shared {
    /// What it takes and gives; none if that cannot be told without running the file.
    shape: Option<Shape>,
    /// What the comment above it says.
    doc: String,
    /// The file that it stands in.
    file: String,
}

impl<'t> Source<'t> {
    fn new(vm: &'t Vm, mods: &'t ModSet) -> Self {
        let (mut exports, mut rules) = (BTreeMap::new(), BTreeMap::new());
        for facts in mods.mods.iter().flat_map(|source| lua::read(source).0) {
            for one in &facts.uses.signatures {
                let read = (one.shape.clone(), facts.above(one.line));
                let list = if one.verb == "rule" { &mut rules } else { &mut exports };
                list.insert((facts.owner.clone(), one.name.clone()), read);
            }
        }
        Self { vm, mods, exports, rules }
    }

    /// What the game is called by its files.
    fn game(&self) -> &str {
        self.mods.game().id()
    }

    /// The functions that are exported, in the order of names.
    fn exported(&self) -> Vec<(String, Shared)> {
        let exports = self.vm.exports().into_iter().map(|one| {
            let Place { owner, file, .. } = one.place;
            let read = self.exports.get(&(owner.clone(), one.name.clone()));
            let file = format!("{owner}/{file}");
            let (shape, doc) = read.cloned().unwrap_or_default();
            (one.name, Shared { shape, doc, file })
        });
        exports.collect()
    }

    /// The rules, by their ids.
    fn ruled(&self) -> Vec<(String, Shared)> {
        let rules = self.vm.registry().all("rule").map(|rule| {
            let key = (rule.id.owner().to_owned(), rule.id.name().to_owned());
            let (shape, doc) = self.rules.get(&key).cloned().unwrap_or_default();
            let said = rule.get("doc").and_then(Datum::as_text).map(str::to_owned);
            let file = format!("{}/{}", rule.place.owner, rule.place.file);
            (rule.id.to_string(), Shared { shape, doc: said.unwrap_or(doc), file })
        });
        let mut rules: Vec<_> = rules.collect();
        rules.sort_by(|a, b| a.0.cmp(&b.0));
        rules
    }
}

/// Tells or writes what authors look up.
pub fn api(bench: &Bench, asked: &Api, out: &mut dyn Write) -> Done {
    let Startup { content, vm, .. } = match bench.start_up() {
        Ok(startup) => startup,
        Err((outcome, problems)) => return told::refuse(out, asked.json, outcome, &problems),
    };
    let source = Source::new(&vm, &content.mods);
    let (page, types) = (page::page(&source), types::types(&source));
    let Some(folder) = &asked.write else {
        match asked.json {
            true => told::json(out, &serde_json::json!({ "reference": page, "types": types }))?,
            false => page.lines().try_for_each(|line| told::line(out, line))?,
        }
        return Ok(Outcome::Sound);
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
    Ok(Outcome::Sound)
}

/// The type declarations of what a VM was loaded from.
pub(super) fn types_of(vm: &Vm, mods: &ModSet) -> String {
    types::types(&Source::new(vm, mods))
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), Problem> {
    let path = folder.join(name);
    fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)).map_err(|why| {
        let path = path.display().to_string();
        Problem::error("not-written", format!("{path} cannot be written: {why}"))
            .at(Place::new("", path, 0))
            .hint("name a folder that can be written to")
    })
}
