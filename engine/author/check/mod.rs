//! `check`: finds problems in mods without playing them. Loading reports problems of manifests,
//! types and references; each further check is a file in this folder.

mod access_paths;
mod added_choices;
mod call_graph;
mod callback_arguments;
mod calls;
mod case_values;
mod comparisons;
mod declaration_lookup;
mod declared_values;
mod definition_callbacks;
mod definition_fields;
mod endless_loops;
mod events;
mod function_results;
mod host_arguments;
mod key_conflicts;
mod late_declarations;
mod line_widths;
mod list_items;
mod method_calls;
mod missing_mod_hints;
mod missing_needs;
mod missing_schemas;
mod profile_reads;
mod prompts_and_views;
mod read_only_values;
mod read_only_violations;
mod required_files;
mod script_lints;
pub mod selection;
mod shadowing;
mod state_parts;
pub(super) mod suppressions;
mod test_scripts;
mod text_overrides;
mod type_check;
mod unknown_names;
mod unread_options;
mod unread_settings;
mod unset_state;
mod unused;
mod value_types;
mod widgets;
mod wrappers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};

use super::analysis::{self, FileSummary};
use super::parallel::map_in_parallel;
use super::{CommandContext, CommandOutcome, CommandResult, output};
use crate::CommandOutput;
use crate::editor_files::refresh_selected_mods;
use crate::texts::check_translations;
use base::{Code, Digest, Problem, Value};
use content::check_options;
use declaration_lookup::DeclarationLookup;
use mods::{ModSet, ModSource, sort_into_load_order, unread_file_warnings};
use script::Vm;
use selection::CheckGroup;

/// The end of `sub-rosa check --help`.
pub const HELP: &str = "\
Checks manifests, types of fields, references between definitions, calls, changes
in functions that may not change anything, texts that are too long for their
line, mutable locals that a script keeps outside `state`, loops without a fixed
order, unused definitions, tests/, and the game's own lints. Without MOD, checks
each mod that is found, one at a time. Several MODs are checked together.

Suppress a warning on its line, with a reason:
  -- allow(unused-definition): kept for old saves
or in mod.toml: under [allow.'words.luau'], long-line = 'a quotation'.

Examples:
  sub-rosa check                     check every mod that is found
  sub-rosa check ember_words         check one mod, with the mods it needs
  sub-rosa check ./my_mod --json     check a folder and print JSON

Exit status: 0 no problems, 1 problems found, 2 no such mod.";

/// The arguments of `check`.
#[derive(Clone, Debug, Default)]
pub struct CheckRequest {
    /// Ids or folders of mods, which are checked together. Without any, each mod that is found is
    /// checked alone.
    pub mods: Vec<String>,
    /// Whether to print JSON.
    pub json: bool,
    /// Whether the editor files of the author's own mods are brought up to date.
    pub refreshes_editor_files: bool,
}

/// Checks mods and reports the problems.
pub fn check(
    context: &CommandContext,
    request: &CheckRequest,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let which = match selection::select_mods(context, &request.mods) {
        Ok(which) => which,
        Err((outcome, problems)) => {
            return output::report_failure(out, request.json, outcome, &problems);
        }
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
    let known = SummaryCache::default();
    let check_one_group = |at: usize| check_group(&groups[at], &which.found_mods, &known);
    for problem in map_in_parallel(groups.len(), &check_one_group).into_iter().flatten() {
        let problem = missing_mod_hints::add_missing_mod_hint(problem, &which.found_mods);
        // A mod that several groups need reports the same problems in each.
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    if request.json {
        let page = serde_json::json!({ "checked": checked, "problems": problems });
        output::write_json(out, &page)?;
    } else {
        output::write_problems(out, &problems)?;
        let what = match problems.is_empty() {
            true => "no problems".to_owned(),
            false => output::problem_count_text(&problems),
        };
        output::write_line(out, &format!("checked {}: {what}", checked.join(", ")))?;
    }
    if request.refreshes_editor_files {
        refresh_selected_mods(&groups, &context.search_paths, out)?;
    }
    Ok(if problems.is_empty() { CommandOutcome::Ok } else { CommandOutcome::Problems })
}

/// File summaries of each mod by its digest. A game is in many groups and is analyzed once.
#[derive(Default)]
struct SummaryCache(Mutex<BTreeMap<Digest, Arc<OnceLock<AnalyzedScripts>>>>);

/// The file summaries of a mod, and problems of files that cannot be read.
type AnalyzedScripts = (Vec<Arc<FileSummary>>, Vec<Problem>);

impl SummaryCache {
    /// The cache entry of a mod.
    fn scripts_of_mod(&self, source: &ModSource) -> Arc<OnceLock<AnalyzedScripts>> {
        let mut known = self.0.lock().expect("no thread ended while it held this");
        known.entry(source.digest).or_default().clone()
    }
}

/// Checks some mods, together with the mods they need.
fn check_group(group: &CheckGroup, found_mods: &[ModSource], known: &SummaryCache) -> Vec<Problem> {
    let ids = &group.ids;
    let mods = match sort_into_load_order(group.mods.clone()) {
        Ok(mods) => mods,
        Err(problems) => return problems,
    };
    let checked_mods = mods.mods.iter().filter(|source| ids.contains(source.id()));
    let checked_mods: Vec<&ModSource> = checked_mods.collect();
    // A translation has no scripts.
    if checked_mods.iter().all(|source| source.manifest.is_translation()) {
        let loaded = Vm::load(&mods, &Value::map());
        let problems = loaded.map(|vm| check_translations(&mods, &vm, ids));
        let problems = problems.unwrap_or_else(|problems| problems);
        return suppressions::apply_suppressions(&[], &checked_mods, problems, true);
    }
    let mut summaries = Vec::new();
    let mut problems = Vec::new();
    for source in &mods.mods {
        let known = known.scripts_of_mod(source);
        let (read, unread) = known.get_or_init(|| {
            let (read, unread) = analysis::analyze_mod(source);
            (read.into_iter().map(Arc::new).collect(), unread)
        });
        summaries.extend(read.iter().cloned());
        problems.extend(unread.iter().cloned());
    }
    problems.extend(checked_mods.iter().flat_map(|source| unread_file_warnings(source)));
    let loaded = load_and_check(&mods, &summaries, ids).map(|mut problems| {
        problems.extend(unread_settings::check_unread_settings(&checked_mods, &summaries));
        for source in &checked_mods {
            problems
                .extend(test_scripts::check_test_scripts(&mods, source, &summaries, found_mods));
        }
        problems
    });
    problems.extend(script_lints::lint_scripts(&summaries));
    let is_complete = loaded.is_ok();
    let further = loaded.unwrap_or_else(|problems| problems);
    // Syntax errors are dropped here: loading reports them with more detail.
    let at = |problem: &Problem| {
        problem.place.as_ref().map(|place| (place.owner.clone(), place.file.clone(), place.line))
    };
    let is_reported_by_loading = |problem: &Problem| {
        further.iter().any(|other| other.code == Code::Syntax && at(other) == at(problem))
    };
    problems.retain(|problem| problem.code != Code::Syntax || !is_reported_by_loading(problem));
    problems.extend(further);
    let concerns = |problem: &Problem| match &problem.place {
        Some(place) if problem.severity == base::Severity::Warning => {
            place.owner.is_empty() || ids.contains(&place.owner)
        }
        _ => true,
    };
    problems.retain(concerns);
    summaries.retain(|facts| ids.contains(&facts.owner));
    let mut problems =
        suppressions::apply_suppressions(&summaries, &checked_mods, problems, is_complete);
    let sort_key = |problem: &Problem| {
        let place = problem.place.clone().unwrap_or_default();
        let load_position = mods.mods.iter().position(|source| source.id() == place.owner);
        (load_position, place.file, place.line)
    };
    problems.sort_by_key(sort_key);
    problems
}

/// Loads the mods and runs the checks that need a VM. Warnings are reported only for the mods in
/// `ids`.
fn load_and_check(
    mods: &ModSet,
    summaries: &[Arc<FileSummary>],
    ids: &BTreeSet<String>,
) -> Result<Vec<Problem>, Vec<Problem>> {
    let vm = Vm::load(mods, &Value::map())?;
    let mut problems = vm.load_warnings().to_vec();
    problems.extend(line_widths::check_line_widths(vm.registry(), vm.sources(), summaries, ids));
    let of_options = check_options(vm.registry(), vm.sources()).into_iter();
    problems.extend(
        of_options.filter(|one| one.place.as_ref().is_some_and(|at| ids.contains(&at.owner))),
    );
    problems.extend(check_scripts(&vm, mods, summaries, summaries));
    problems.extend(text_overrides::check_text_overrides(&vm, summaries, ids));
    problems.extend(check_translations(mods, &vm, ids));
    problems.extend(key_conflicts::check_choice_keys(vm.registry(), summaries));
    problems.extend(added_choices::check_added_choices(&vm, summaries));
    problems.extend(unused::check_unused_definitions(vm.registry(), summaries, ids));
    let unread = unread_options::check_unread_options(vm.registry(), summaries, ids, &problems);
    problems.extend(unread);
    problems.extend(missing_needs::check_missing_needs(&vm, summaries, ids));
    problems.extend(vm.run_lints(ids));
    let game = mods.game();
    let cannot_start = vm.check_start_declared().filter(|_| ids.contains(game.id()));
    problems.extend(cannot_start.map(|problem| problem.at(game.manifest_location("game", "game"))));
    Ok(problems)
}

/// Checks the functions in some files, and what they use. `summaries` are those of all files; some
/// checks report Problems of every file.
fn check_scripts(
    vm: &Vm,
    mods: &ModSet,
    summaries: &[Arc<FileSummary>],
    checked: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    problems.extend(unknown_names::check_unknown_names(vm, mods, checked));
    let (events, schemas) = (vm.declared_events(), vm.state_schemas());
    let lookup = DeclarationLookup::new(vm, (&events, &schemas), summaries, checked);
    problems.extend(calls::check_calls(&lookup, checked));
    problems.extend(required_files::check_required_file_members(&lookup, checked));
    problems.extend(declared_values::check_declared_values(&lookup, checked));
    let shadowing_problems = shadowing::check_shadowing(&lookup, checked);
    let mut unknown = self::events::check_events(mods, &lookup, &events, summaries);
    let graph = call_graph::CallGraph::new(&lookup, summaries);
    problems.extend(comparisons::check_comparisons(mods, &lookup, &graph));
    problems.extend(list_items::check_list_items(&lookup, &graph));
    problems.extend(definition_fields::check_definition_fields(&lookup, &graph, checked));
    problems.extend(method_calls::check_method_calls(&lookup, &graph));
    problems.extend(function_results::check_function_results(&lookup, &graph));
    unknown.extend(state_parts::check_state_parts(vm, &schemas, &graph));
    problems.extend(unset_state::check_unset_state(&schemas, &graph, checked));
    // If a local shadows a name, other problems of that line are not reported.
    unknown.retain(|one| !shadowing_problems.iter().any(|other| other.place == one.place));
    problems.extend(unknown);
    problems.extend(shadowing_problems);
    let ui_problems = prompts_and_views::check_prompts_and_views(vm, checked);
    problems.extend(callback_arguments::check_callback_arguments(vm, checked));
    problems.extend(host_arguments::check_host_arguments(vm, checked));
    problems.extend(widgets::check_widgets(&lookup, &graph, &ui_problems));
    problems.extend(ui_problems);
    problems.extend(read_only_violations::check_read_only_code(&graph));
    problems.extend(read_only_values::check_read_only_values(&lookup, checked));
    problems.extend(profile_reads::check_profile_reads(mods, summaries, checked));
    problems.extend(endless_loops::check_endless_loops(checked));
    problems.extend(late_declarations::check_late_declarations(&lookup, &graph));
    problems.extend(wrappers::check_wrappers(&lookup, &graph, checked));
    problems
}
