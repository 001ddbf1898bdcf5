//! `check`: finds problems in mods without playing them. Loading reports problems of manifests,
//! types and references; each further check is a file in this folder.

mod calls;
mod compared;
mod elsewhere;
mod given;
mod hidden;
mod known;
mod lines;
mod looking;
mod moments;
mod parts;
mod required;
mod resolve;
mod reworded;
mod scripts;
mod shown;
mod silence;
mod suits;
mod unused;
pub(super) mod which;
mod wishes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};

use super::crowd::each;
use super::lua::{self, Facts};
use super::{Bench, Done, Outcome, told};
use crate::content::look_at_options;
use crate::kit::{Digest, Problem, Value};
use crate::mods::{ModSet, ModSource, load_order, overlooked};
use crate::script::Vm;
use crate::workshop::Out;

/// The arguments of `check`.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// Ids or folders of mods, which are checked together. Without any, each mod that is found is
    /// checked alone.
    pub mods: Vec<String>,
    /// Whether to print JSON.
    pub json: bool,
}

/// Checks mods and reports the problems.
pub fn check(bench: &Bench, asked: &Check, out: &mut dyn Out) -> Done {
    let which = match which::which(bench, &asked.mods) {
        Ok(which) => which,
        Err((outcome, problems)) => return told::refuse(out, asked.json, outcome, &problems),
    };
    let mut problems = which.problems;
    let (groups, mut checked) = (which.groups, Vec::new());
    for group in &groups {
        let names = group.ids.iter().filter_map(|id| {
            let found = group.mods.iter().find(|source| source.id() == id)?;
            Some(format!("{id} {}", found.manifest.version))
        });
        checked.extend(names);
    }
    let known = Known::default();
    let look = |at: usize| look_at(groups[at].mods.clone(), &groups[at].ids, &known);
    for problem in each(groups.len(), &look).into_iter().flatten() {
        let problem = elsewhere::told(problem, &which.found);
        // A mod that several groups need reports the same problems in each.
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    if asked.json {
        let page = serde_json::json!({ "checked": checked, "problems": problems });
        told::json(out, &page)?;
    } else {
        told::problems(out, &problems)?;
        let what = match problems.is_empty() {
            true => "no problems".to_owned(),
            false => told::counted(&problems),
        };
        told::line(out, &format!("checked {}: {what}", checked.join(", ")))?;
    }
    Ok(if problems.is_empty() { Outcome::Ok } else { Outcome::Problems })
}

/// File summaries of each mod by its digest. A game is in many groups and is analyzed once.
#[derive(Default)]
struct Known(Mutex<BTreeMap<Digest, Arc<OnceLock<Read>>>>);

/// The file summaries of a mod, and problems of files that cannot be read.
type Read = (Vec<Arc<Facts>>, Vec<Problem>);

impl Known {
    /// The cache entry of a mod.
    fn of(&self, source: &ModSource) -> Arc<OnceLock<Read>> {
        let mut known = self.0.lock().expect("no thread ended while it held this");
        known.entry(source.digest).or_default().clone()
    }
}

/// Checks some mods, together with the mods they need.
fn look_at(mods: Vec<ModSource>, ids: &BTreeSet<String>, known: &Known) -> Vec<Problem> {
    let mods = match load_order(mods) {
        Ok(mods) => mods,
        Err(problems) => return problems,
    };
    let mut facts = Vec::new();
    let mut problems = Vec::new();
    for source in &mods.mods {
        let known = known.of(source);
        let (read, unread) = known.get_or_init(|| {
            let (read, unread) = lua::read(source);
            (read.into_iter().map(Arc::new).collect(), unread)
        });
        facts.extend(read.iter().cloned());
        problems.extend(unread.iter().cloned());
    }
    let asked = mods.mods.iter().filter(|source| ids.contains(source.id()));
    problems.extend(asked.flat_map(overlooked));
    let loaded = load(&mods, &facts, ids);
    problems.extend(scripts::look(&facts));
    let whole = loaded.is_ok();
    let further = loaded.unwrap_or_else(|problems| problems);
    // Syntax errors are dropped here: loading reports them with more detail.
    let at = |problem: &Problem| {
        problem.place.as_ref().map(|place| (place.owner.clone(), place.file.clone(), place.line))
    };
    let told = |problem: &Problem| {
        further.iter().any(|other| other.code == "syntax" && at(other) == at(problem))
    };
    problems.retain(|problem| problem.code != "syntax" || !told(problem));
    problems.extend(further);
    let concerns = |problem: &Problem| match &problem.place {
        Some(place) if problem.severity == crate::kit::Severity::Warning => {
            place.owner.is_empty() || ids.contains(&place.owner)
        }
        _ => true,
    };
    problems.retain(concerns);
    facts.retain(|facts| ids.contains(&facts.owner));
    let own = mods.mods.iter().filter(|source| ids.contains(source.id()));
    let own: Vec<&ModSource> = own.collect();
    let mut problems = silence::apply(&facts, &own, problems, whole);
    let turn = |problem: &Problem| {
        let place = problem.place.clone().unwrap_or_default();
        let turn = mods.mods.iter().position(|source| source.id() == place.owner);
        (turn, place.file, place.line)
    };
    problems.sort_by_key(turn);
    problems
}

/// Loads the mods and runs the checks that need a VM. Warnings are reported only for the mods in
/// `ids`.
fn load(
    mods: &ModSet,
    facts: &[Arc<Facts>],
    ids: &BTreeSet<String>,
) -> Result<Vec<Problem>, Vec<Problem>> {
    let vm = Vm::load(mods, &Value::map())?;
    let mut warnings = vm.warnings().to_vec();
    warnings.extend(lines::look(vm.registry(), vm.sources(), facts, ids));
    let of_options = look_at_options(vm.registry(), vm.sources()).into_iter();
    warnings.extend(
        of_options.filter(|one| one.place.as_ref().is_some_and(|at| ids.contains(&at.owner))),
    );
    warnings.extend(resolve::look(&vm, mods, facts));
    let (moments, shapes) = (vm.moments(), vm.shapes());
    let calls = calls::Look::new(&vm, (&moments, &shapes), facts);
    warnings.extend(calls::look(&calls, facts));
    warnings.extend(required::look(&calls, facts));
    warnings.extend(compared::look(&calls, facts));
    warnings.extend(known::look(&calls, facts));
    let hidden = hidden::look(&calls, facts);
    let mut unknown = self::moments::look(mods, &vm, &moments, facts);
    unknown.extend(parts::look(&vm, &shapes, facts));
    // If a local shadows a name, other problems of that line are not reported.
    unknown.retain(|one| !hidden.iter().any(|other| other.place == one.place));
    warnings.extend(unknown);
    warnings.extend(hidden);
    warnings.extend(reworded::look(&vm, facts, ids));
    warnings.extend(shown::look(&vm, facts));
    warnings.extend(given::look(&vm, facts));
    warnings.extend(looking::look(facts));
    warnings.extend(wishes::look(vm.registry(), facts));
    warnings.extend(unused::look(vm.registry(), facts, ids));
    warnings.extend(vm.lint(ids));
    let game = mods.game();
    let cannot_start = vm.cannot_start().filter(|_| ids.contains(game.id()));
    warnings.extend(cannot_start.map(|problem| problem.at(game.manifest_place("game", "game"))));
    Ok(warnings)
}
