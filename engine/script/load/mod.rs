//! Loading: runs every file of every mod, in order, in its mod's environment. The declarations are
//! collected, checked together, and frozen.

pub(crate) mod definition_tables;
pub(crate) mod guard_functions;
pub(crate) mod limit_policy;
pub(crate) mod mod_settings;
pub(crate) mod sandbox;
pub(crate) mod tombstone;

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table, Value};

use crate::compile::compile_cache;
use crate::diagnostics::{error, missing_names};
use crate::functions::compile_mod_file::compile_mod_file;
use crate::functions::freeze_values;
use crate::host::Host;
use crate::host::declaration_cache;
use crate::host::declaration_cache::{CachedFileRun, InputsHash};
use crate::host::hook_table::{EventHooks, RegisteredHook};
use crate::host::phase::Phase;
use crate::host::text_overrides;
use crate::limits::allocation_checks;
use crate::limits::fuel;
use crate::limits::fuel::LimitPolicy;
use crate::limits::fuel_accounts::HookBudget;
use base::{FileText, Problem, Severity, SourceLocation, TextOverrides, limits, meter};
use content::{ContentBuilder, FieldType, FileDeclarations};
use luau::StackIndex;
use mod_settings::create_settings;
use mods::{ModSet, ModSource, TESTS_FOLDER};

/// Maximum declared bytes of a file whose declarations are cached.
const MAX_CACHED_DECLARATION_BYTES: usize = 1024 * 1024;

/// The declarations of one file: other files may still complete them, or not.
enum LoadedFile {
    StillCompletable(u32),
    Complete(Arc<FileDeclarations>),
}

/// A load in progress.
struct Loader<'l> {
    lua: &'l Lua,
    host: &'l Rc<Host>,
    /// Memory in use after the last collection, in bytes.
    baseline_memory: usize,
    /// The inputs of files for the cache; `None` if every file must run.
    inputs_hash: Option<InputsHash>,
    /// The functions that shared values can reach, and the fingerprint of their upvalues. A file
    /// that changes it has side effects.
    shared_functions: Table,
    upvalue_fingerprint: u64,
    /// The number of names shared so far.
    shared_name_count: usize,
    files: Vec<LoadedFile>,
}

/// Loads all mods. Returns warnings, or all Problems. With `without_cache` every file runs, without
/// the declaration cache.
pub(crate) fn load_mods(
    lua: &Lua,
    host: &Rc<Host>,
    mods: &ModSet,
    without_cache: bool,
) -> Result<Vec<Problem>, Vec<Problem>> {
    host.fuel.fill_budget(limits::MAX_FUEL_PER_MOD_LOAD, lua.used_memory(), LimitPolicy::NewVm);
    // Declarations have a limit of their own.
    meter::set_host_bytes_limit(usize::MAX);
    let idle_memory = lua.used_memory();
    let inputs = (!without_cache).then(|| InputsHash::of_settings(&host.settings));
    let function_list =
        lua.create_table().map_err(|error| vec![error::lua_error_to_problem(host, &error)])?;
    let (name_count, files) = (host.environments.shared_values().len(), Vec::new());
    let mut loader = Loader {
        lua,
        host,
        baseline_memory: idle_memory,
        inputs_hash: inputs,
        shared_functions: function_list,
        upvalue_fingerprint: 0,
        shared_name_count: name_count,
        files,
    };
    mods.game().id().clone_into(&mut host.load_state.game_id.borrow_mut());
    host.load_state.declared_events.borrow_mut().extend(content::builtin_events());
    let texts = match host.coverage_trace {
        // With coverage, files are compiled differently.
        Some(_) => Vec::new(),
        None => mods
            .mods
            .iter()
            .flat_map(|source| source.scripts_in_load_order())
            .map(|(_, text)| text.clone())
            .collect(),
    };
    let problems = compile_cache::compile_ahead(texts, || {
        let problem_lists = mods.mods.iter().map(|source| loader.load_mod(source));
        problem_lists.into_iter().find(|problems| !problems.is_empty())
    });
    if let Some(problems) = problems {
        return Err(problems);
    }
    let body_problems = host.load_state.pending_declarations.missing_body_problems();
    if !body_problems.is_empty() {
        return Err(body_problems);
    }
    let mut builder = ContentBuilder::new();
    let mut open_changes = host.load_state.completable_changes.take();
    for loaded_file in loader.files {
        builder.add_file_declarations(match loaded_file {
            LoadedFile::Complete(file_declarations) => file_declarations,
            LoadedFile::StillCompletable(file_run) => {
                Arc::new(FileDeclarations::new(open_changes.remove(&file_run).unwrap_or_default()))
            }
        });
    }
    // The starts of their lines may be cached by now.
    builder.set_sources(host.sources.0.clone());
    host.load_state.declared_kinds.take().into_iter().for_each(|kind| builder.add_kind(kind));
    let (registry, problems) = builder.build_registry(&mods.ids(), &mods.dependencies_by_mod());
    let Some(mut registry) = registry.filter(|_| !problems.iter().any(is_error)) else {
        return Err(problems);
    };
    let mut override_problems = host.export_overrides.late_override_problems(&registry);
    let overrides = text_overrides::resolve_overrides(
        &host.declared_text_overrides(),
        &mods.dependencies_by_mod(),
        &mut override_problems,
    );
    if !override_problems.is_empty() {
        return Err(override_problems);
    }
    let translation = mods.translation.as_ref();
    let displayed = translation
        .map(|translation| TextOverrides::with_translation(overrides.clone(), translation));
    registry.set_text_overrides(TextOverrides::new(overrides), displayed);
    assert!(host.registry.set(Rc::new(registry)).is_ok(), "the registry is set once");
    let finish_loading = || -> mlua::Result<()> {
        // From here on memory was counted when it was declared.
        lua.set_memory_limit(0)?;
        host.apply_export_overrides(lua)?;
        let mut roots = host.environments.shared_values();
        let functions = host.function_store.borrow();
        roots.extend(functions.iter().map(|stored| Value::Function(stored.function.clone())));
        drop(functions);
        host.add_frozen_closures(freeze_values::freeze_reachable(host, lua, roots)?);
        host.prelude.set_loading(false)?;
        host.environments.freeze_visible_names(lua)?;
        host.hook_table.set_events(lua, collect_event_hooks(host))?;
        // If most files are deferred, there is little garbage yet.
        if host.load_state.deferred_files.borrow().is_empty() {
            luau::collect_garbage(lua)?;
        }
        Ok(())
    };
    finish_loading().map_err(|error| vec![error::lua_error_to_problem(host, &error)])?;
    host.execution_mode.phase.set(Phase::Idle);
    Ok(problems)
}

fn is_error(problem: &Problem) -> bool {
    problem.severity == Severity::Error
}

/// Gives the next mod the full memory, whatever earlier mods used.
fn reset_memory_limit(lua: &Lua, host: &Host) -> mlua::Result<()> {
    let used_bytes = lua.used_memory();
    host.fuel.reset_memory(used_bytes);
    lua.set_memory_limit(used_bytes + limits::VM_STOP_BYTES)?;
    Ok(())
}

impl Loader<'_> {
    /// Loads the files of a mod. Keeps the first Problem of each file. After a Problem in `kinds/`,
    /// or when fuel or memory is spent, the other files would only repeat it.
    fn load_mod(&mut self, source: &ModSource) -> Vec<Problem> {
        let (lua, host, owner) = (self.lua, self.host, source.id());
        let _account_guard = host.fuel.charge_to(owner);
        host.fuel.refill_budget_for_mod();
        self.inputs_hash.iter_mut().for_each(|inputs| inputs.add_mod(source));
        let begin_result = reset_memory_limit(lua, host)
            .and_then(|()| create_settings(lua, host, source))
            .and_then(|settings| {
                let global_refuser = missing_names::create_global_write_refuser(lua, host)?;
                let own_tables = (settings, host.create_profile_of_mod(lua, owner)?);
                host.environments.create_environment(lua, owner, own_tables, global_refuser)
            });
        if let Err(error) = begin_result {
            return vec![error::lua_error_to_problem(host, &error)];
        }
        let mut problems = Vec::new();
        let full_budget = host.fuel.budget_units();
        // The scripts in a mod's tests have their own budget, so that many tests cannot make the
        // mod fail to load.
        let (mut in_tests, mut other_budget) = (false, full_budget);
        for (path, text) in source.scripts_in_load_order() {
            if path.starts_with(TESTS_FOLDER) != in_tests {
                in_tests = !in_tests;
                let units_left = fuel::remaining_units().max(0);
                host.fuel.set_budget(std::mem::replace(&mut other_budget, units_left));
            }
            let outcome = self.load_file(owner, path, text);
            let outcome = outcome.map_err(|error| error::lua_error_to_problem(host, &error));
            if let Err(mut problem) = outcome.and_then(|()| error::check_fuel(host)) {
                problem.place.get_or_insert_with(|| SourceLocation::new(owner, path, 0));
                problems.push(problem);
                if path.starts_with("kinds/") || host.fuel.is_spent() || host.must_discard_vm.get()
                {
                    break;
                }
            }
            if lua.used_memory() > self.baseline_memory + limits::MAX_GARBAGE_BYTES {
                if luau::collect_garbage(lua).is_err() {
                    host.must_discard_vm.set(true);
                }
                self.baseline_memory = lua.used_memory();
            }
        }
        if in_tests || other_budget != full_budget {
            host.fuel.set_budget(full_budget);
        }
        problems
    }

    /// Loads a file: from the declaration cache, or by running it.
    fn load_file(&mut self, owner: &str, path: &str, text: &FileText) -> mlua::Result<()> {
        let host = self.host;
        let key = self.inputs_hash.as_ref().map(|inputs| inputs.declaration_key(owner, path, text));
        if let Some(cached_file) = key.as_ref().and_then(declaration_cache::find_cached)
            && cached_file.fuel <= fuel::remaining_units()
        {
            return self.use_cached_declarations(cached_file, owner, path);
        }
        host.load_state.has_side_effects.set(false);
        let (units_before, file_run) =
            (fuel::remaining_units(), host.function_store.borrow_mut().begin_file_run());
        let declared_bytes = meter::counted_host_bytes();
        let iterators = host.prelude.iterator_count()?;
        allocation_checks::reset_findings();
        let outcome = compile_mod_file(self.lua, host, owner, path)
            .and_then(|file| host.prelude.run_file(file))
            .and_then(|()| self.refuse_new_iterators(file_run, iterators));
        let (changes, declarations) =
            (host.load_state.definition_changes.take(), host.load_state.other_declarations.take());
        let spent_units = units_before - fuel::remaining_units();
        let is_without_side_effects = outcome.is_ok() && self.had_no_side_effects(text)?;
        let declared_bytes = meter::counted_host_bytes().saturating_sub(declared_bytes);
        allocation_checks::check_new_texts();
        allocation_checks::check_new_tables();
        let new_long_texts = allocation_checks::long_texts();
        host.long_texts.borrow_mut().extend(new_long_texts.iter().copied());
        let outcome = outcome.and_then(|()| check_hash_collisions(host));
        match key
            .filter(|_| is_without_side_effects && declared_bytes <= MAX_CACHED_DECLARATION_BYTES)
        {
            Some(key) => {
                let file_declarations = Arc::new(FileDeclarations::new(changes));
                declaration_cache::store_file(
                    key,
                    &host.function_store.borrow(),
                    file_declarations.clone(),
                    declarations,
                    (spent_units, declared_bytes, new_long_texts),
                );
                self.files.push(LoadedFile::Complete(file_declarations));
            }
            None => {
                host.load_state.completable_changes.borrow_mut().insert(file_run, changes);
                self.files.push(LoadedFile::StillCompletable(file_run));
            }
        }
        outcome
    }

    /// Refuses an iterator that was created while a file ran and that its functions still hold. A
    /// file that created one is never cached.
    fn refuse_new_iterators(&self, file_run: u32, count_before: u64) -> mlua::Result<()> {
        if self.host.prelude.iterator_count()? == count_before {
            return Ok(());
        }
        let functions = self.host.function_store.borrow();
        let stored_functions = functions.functions_of_file_run(file_run).iter();
        let run_functions = stored_functions.map(|stored| Value::Function(stored.function.clone()));
        freeze_values::check_no_stateful_iterators(self.host, self.lua, run_functions.collect())
    }

    /// Uses the cached declarations of a file.
    fn use_cached_declarations(
        &mut self,
        cached: Arc<CachedFileRun>,
        owner: &str,
        path: &str,
    ) -> mlua::Result<()> {
        fuel::charge_fuel(usize::try_from(cached.fuel).unwrap_or(0));
        meter::count_host_bytes(cached.declared_bytes);
        self.host.long_texts.borrow_mut().extend(cached.long_texts.iter().copied());
        check_hash_collisions(self.host)?;
        self.files.push(LoadedFile::Complete(cached.definition_changes.clone()));
        self.host.store_deferred_file(cached.clone(), owner, path);
        for declaration in &cached.other_declarations {
            let apply_result = self.host.apply_declaration(declaration);
            let add_place = |problem: Problem| {
                let place_of = |function_id| self.host.place_of_stored_function(function_id);
                problem.at(declaration.place_of_declaration(place_of))
            };
            apply_result.map_err(|problem| mlua::Error::external(add_place(problem)))?;
        }
        Ok(())
    }

    /// Whether the file that has just run only declared. Otherwise it becomes part of the inputs of
    /// later files, and its shared values are frozen.
    fn had_no_side_effects(&mut self, text: &str) -> mlua::Result<bool> {
        let is_without_side_effects = !self.host.load_state.has_side_effects.get()
            && luau::upvalue_fingerprint(self.lua, &self.shared_functions)?
                == self.upvalue_fingerprint;
        if is_without_side_effects {
            return Ok(true);
        }
        if let Some(inputs) = &mut self.inputs_hash {
            inputs.add_file(text);
        }
        let new_values = self.host.environments.shared_values().split_off(self.shared_name_count);
        self.shared_name_count += new_values.len();
        for function in freeze_values::freeze_reachable(self.host, self.lua, new_values)?.functions
        {
            self.shared_functions.raw_push(function)?;
        }
        self.upvalue_fingerprint = luau::upvalue_fingerprint(self.lua, &self.shared_functions)?;
        Ok(false)
    }
}

/// Checks that the texts of all files have no long hash chain.
fn check_hash_collisions(host: &Host) -> mlua::Result<()> {
    match allocation_checks::has_hash_collisions(&host.long_texts.borrow()) {
        true => Err(mlua::Error::external(fuel::hash_collisions_problem(""))),
        false => Ok(()),
    }
}

/// Whether a value of a type may be a list.
fn may_be_list(ty: &FieldType) -> bool {
    match ty {
        FieldType::List(_) => true,
        FieldType::Either(types) => types.iter().any(may_be_list),
        _ => false,
    }
}

/// Collects the hooks of each event when all are declared.
fn collect_event_hooks(host: &Host) -> Vec<EventHooks> {
    let create_hook = |function_id: &u64| {
        let place = host.place_of_stored_function(*function_id);
        let account_number = host.fuel.account_of_mod(&place.owner);
        RegisteredHook {
            place,
            fuel_account: account_number,
            is_strict: true,
            budget: HookBudget::default(),
            function_id: *function_id,
        }
    };
    let declarations = host.load_state.all_declarations.borrow();
    let event_kinds = host.load_state.declared_events.borrow();
    let mut next_index = 1;
    let event_hooks = declarations.hooks.iter().map(|(name, hooks)| {
        let first_index = next_index;
        next_index += (hooks.before.len() + hooks.after.len()) as StackIndex;
        let event_declaration =
            event_kinds.iter().find(|event_kind| event_kind.name == *name).cloned().map(Rc::new);
        let mut fields = event_declaration.iter().flat_map(|kind| kind.fields.iter());
        EventHooks {
            name: name.clone(),
            has_list_fields: fields.any(|field| may_be_list(&field.ty)),
            declaration: event_declaration,
            before: hooks.before.iter().map(create_hook).collect(),
            after: hooks.after.iter().map(create_hook).collect(),
            first_hook_index: first_index,
        }
    });
    event_hooks.collect()
}
