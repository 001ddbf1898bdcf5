//! Loading: runs every file of every mod, in order, in its mod's environment. The declarations are
//! collected, checked together, and frozen.

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table, Value};

use super::blocks;
use super::compile::compile;
use super::declaration_cache::{self, CachedFile, InputsHash};
use super::fuel::LimitPolicy;
use super::fuel_accounts::HookBudget;
use super::hook_table::{EventHooks, RegisteredHook};
use super::host::Host;
use super::phase::Phase;
use super::{compile_cache, error, freeze, fuel, missing_names, text_overrides};
use crate::base::{self, FileText, Problem, Severity, SourceLocation, limits, meter};
use crate::content::{ContentBuilder, FieldType, FileDeclarations};
use crate::luau::{self, StackIndex};
use crate::mods::{ModSet, ModSource};

/// Garbage that may accumulate between two files before it is collected, in bytes. Collection
/// happens only between files and between steps, so that memory runs out at the same place every
/// time.
const MAX_GARBAGE: usize = 8 * 1024 * 1024;

/// Maximum declared bytes of a file whose declarations are cached.
const MAX_CACHED_BYTES: usize = 1024 * 1024;

/// The declarations of one file: other files may still complete them, or not.
enum LoadedFile {
    Open(u32),
    Complete(Arc<FileDeclarations>),
}

/// A load in progress.
struct Loader<'l> {
    lua: &'l Lua,
    host: &'l Rc<Host>,
    /// Memory in use after the last collection, in bytes.
    baseline_memory: usize,
    /// The inputs of files for the cache; `None` if every file must run.
    inputs: Option<InputsHash>,
    /// The functions that shared values can reach, and the fingerprint of their upvalues. A file
    /// that changes it has side effects.
    shared_functions: Table,
    upvalue_fingerprint: u64,
    /// The number of names shared so far.
    shared_count: usize,
    files: Vec<LoadedFile>,
}

/// Loads all mods. Returns warnings, or all Problems. With `without_cache` every file runs, without the
/// declaration cache.
pub(super) fn load_mods(
    lua: &Lua,
    host: &Rc<Host>,
    mods: &ModSet,
    without_cache: bool,
) -> Result<Vec<Problem>, Vec<Problem>> {
    let rigour = if host.edition.bounds_scripts() {
        LimitPolicy::NewVm
    } else {
        LimitPolicy::KnownToSucceed
    };
    host.fuel.fill_budget(limits::FUEL_PER_MOD_LOAD, lua.used_memory(), rigour);
    // Declarations have a limit of their own.
    meter::set_host_bytes_limit(usize::MAX);
    let resting = lua.used_memory();
    let inputs = (!without_cache).then(|| InputsHash::of_mods(mods, &host.settings, host.edition));
    let given = lua.create_table().map_err(|error| vec![error::to_problem(host, &error)])?;
    let (names, files) = (host.environments.shared_values().len(), Vec::new());
    let mut loading = Loader {
        lua,
        host,
        baseline_memory: resting,
        inputs,
        shared_functions: given,
        upvalue_fingerprint: 0,
        shared_count: names,
        files,
    };
    mods.game().id().clone_into(&mut host.load_state.game_id.borrow_mut());
    let texts = match host.trace {
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
        let found = mods.mods.iter().map(|source| loading.load_mod(source));
        found.into_iter().find(|problems| !problems.is_empty())
    });
    if let Some(problems) = problems {
        return Err(problems);
    }
    let left_open = host.load_state.pending.missing_bodies();
    if !left_open.is_empty() {
        return Err(left_open);
    }
    let mut draft = ContentBuilder::new();
    let mut open = host.load_state.open_changes.take();
    for heard in loading.files {
        draft.add_file_declarations(match heard {
            LoadedFile::Complete(part) => part,
            LoadedFile::Open(run) => {
                Arc::new(FileDeclarations::new(open.remove(&run).unwrap_or_default()))
            }
        });
    }
    // The starts of their lines may be cached by now.
    draft.set_sources(host.sources.0.clone());
    host.load_state.kinds.take().into_iter().for_each(|kind| draft.add_kind(kind));
    let (registry, problems) = draft.build(&mods.ids(), &mods.dependencies());
    let Some(mut registry) = registry.filter(|_| !problems.iter().any(is_error)) else {
        return Err(problems);
    };
    let mut refused = host.export_overrides.late_overrides(&registry);
    let overrides = text_overrides::resolve_overrides(
        &host.declared_text_overrides(),
        &mods.dependencies(),
        &mut refused,
    );
    if !refused.is_empty() {
        return Err(refused);
    }
    registry.set_text_overrides(overrides.replacements_by_text());
    assert!(host.registry.set(Rc::new(registry)).is_ok(), "the registry is set once");
    assert!(host.text_overrides.set(overrides).is_ok(), "the text overrides are set once");
    let finished = || -> mlua::Result<()> {
        // From here on memory was counted when it was declared.
        lua.set_memory_limit(0)?;
        host.apply_export_overrides(lua)?;
        let mut roots = host.environments.shared_values();
        let functions = host.functions.borrow();
        roots.extend(functions.iter().map(|kept| Value::Function(kept.function.clone())));
        drop(functions);
        host.add_frozen_closures(freeze::freeze_reachable(host, lua, roots)?);
        host.prelude.set_loading(false)?;
        host.environments.freeze(lua)?;
        host.hooks.set_events(lua, collect_event_hooks(host))?;
        // If most files are deferred, there is little garbage yet.
        if host.load_state.deferred_files.borrow().is_empty() {
            collect_garbage(lua)?;
        }
        Ok(())
    };
    finished().map_err(|error| vec![error::to_problem(host, &error)])?;
    host.mode.phase.set(Phase::Idle);
    Ok(problems)
}

fn is_error(problem: &Problem) -> bool {
    problem.severity == Severity::Error
}

/// Collects garbage and stops the collector again: running on its own, it would depend on a clock.
pub(super) fn collect_garbage(lua: &Lua) -> mlua::Result<()> {
    lua.gc_collect()?;
    lua.gc_stop();
    Ok(())
}

/// Gives the next mod the full memory, whatever earlier mods used.
fn reset_memory_limit(lua: &Lua, host: &Host) -> mlua::Result<()> {
    let used = lua.used_memory();
    host.fuel.reset_memory(used);
    lua.set_memory_limit(used + limits::VM_STOP_BYTES)?;
    Ok(())
}

impl Loader<'_> {
    /// Loads the files of a mod. Keeps the first Problem of each file. After a Problem in `kinds/`,
    /// or when fuel or memory is spent, the other files would only repeat it.
    fn load_mod(&mut self, source: &ModSource) -> Vec<Problem> {
        let (lua, host, owner) = (self.lua, self.host, source.id());
        let _spender = host.fuel.charge_to(owner);
        host.fuel.begin_mod();
        let begun = reset_memory_limit(lua, host)
            .and_then(|()| create_settings(lua, host, source))
            .and_then(|settings| {
                let refuse = missing_names::create_global_refuser(lua, host)?;
                host.environments.create_environment(lua, owner, settings, refuse)
            });
        if let Err(error) = begun {
            return vec![error::to_problem(host, &error)];
        }
        let mut problems = Vec::new();
        let whole = host.fuel.budget_units();
        // The scripts in a mod's tests have their own budget, so that many tests cannot make the
        // mod fail to load.
        let (mut in_tests, mut other) = (false, whole);
        for (path, text) in source.scripts_in_load_order() {
            if path.starts_with("tests/") != in_tests {
                in_tests = !in_tests;
                let left = fuel::remaining_units().max(0);
                host.fuel.set_budget(std::mem::replace(&mut other, left));
            }
            let outcome = self.load_file(owner, path, text);
            let outcome = outcome.map_err(|error| error::to_problem(host, &error));
            if let Err(mut problem) = outcome.and_then(|()| error::check_fuel(host)) {
                problem.place.get_or_insert_with(|| SourceLocation::new(owner, path, 0));
                problems.push(problem);
                if path.starts_with("kinds/") || host.fuel.is_spent() || host.must_discard_vm.get()
                {
                    break;
                }
            }
            if lua.used_memory() > self.baseline_memory + MAX_GARBAGE {
                if collect_garbage(lua).is_err() {
                    host.must_discard_vm.set(true);
                }
                self.baseline_memory = lua.used_memory();
            }
        }
        if in_tests || other != whole {
            host.fuel.set_budget(whole);
        }
        problems
    }

    /// Loads a file: from the declaration cache, or by running it.
    fn load_file(&mut self, owner: &str, path: &str, text: &FileText) -> mlua::Result<()> {
        let host = self.host;
        let key = self.inputs.as_ref().map(|seen| seen.key(owner, path, text));
        if let Some(record) = key.as_ref().and_then(declaration_cache::find_cached)
            && record.fuel <= fuel::remaining_units()
        {
            return self.use_cached(record, owner, path);
        }
        host.load_state.has_side_effects.set(false);
        let (before, run) = (fuel::remaining_units(), host.functions.borrow_mut().begin_file_run());
        let declared_bytes = meter::host_bytes();
        let iterators = host.prelude.iterator_count()?;
        blocks::begin_call();
        let outcome = compile(self.lua, host, owner, path)
            .and_then(|file| host.prelude.run_file(file))
            .and_then(|()| self.check_iterators(run, iterators));
        let (changes, declarations) =
            (host.load_state.changes.take(), host.load_state.declarations.take());
        let burned = before - fuel::remaining_units();
        let is_without_side_effects = outcome.is_ok() && self.had_no_side_effects(text)?;
        let declared_bytes = meter::host_bytes().saturating_sub(declared_bytes);
        blocks::check_new_texts();
        blocks::check_new_tables();
        let long = blocks::long_texts();
        host.long_texts.borrow_mut().extend(long.iter().copied());
        let outcome = outcome.and_then(|()| check_hash_collisions(host));
        match key.filter(|_| is_without_side_effects && declared_bytes <= MAX_CACHED_BYTES) {
            Some(key) => {
                let part = Arc::new(FileDeclarations::new(changes));
                declaration_cache::store_file(
                    key,
                    &host.functions.borrow(),
                    part.clone(),
                    declarations,
                    (burned, declared_bytes, long),
                );
                self.files.push(LoadedFile::Complete(part));
            }
            None => {
                host.load_state.open_changes.borrow_mut().insert(run, changes);
                self.files.push(LoadedFile::Open(run));
            }
        }
        outcome
    }

    /// Refuses an iterator that was created while a file ran and that its functions still hold. A
    /// file that created one is never cached.
    fn check_iterators(&self, run: u32, before: u64) -> mlua::Result<()> {
        if self.host.prelude.iterator_count()? == before {
            return Ok(());
        }
        let functions = self.host.functions.borrow();
        let of_run = functions
            .functions_of_file_run(run)
            .iter()
            .map(|kept| Value::Function(kept.function.clone()));
        freeze::check_iterators(self.host, self.lua, of_run.collect())
    }

    /// Uses the cached declarations of a file.
    fn use_cached(&mut self, record: Arc<CachedFile>, owner: &str, path: &str) -> mlua::Result<()> {
        fuel::charge(usize::try_from(record.fuel).unwrap_or(0));
        meter::reserve_host_bytes(record.declared_bytes);
        self.host.long_texts.borrow_mut().extend(record.long_texts.iter().copied());
        check_hash_collisions(self.host)?;
        self.files.push(LoadedFile::Complete(record.definitions.clone()));
        self.host.defer_file(record.clone(), owner, path);
        for said in &record.declarations {
            let heard = self.host.apply_declaration(said);
            let at = |problem: Problem| {
                problem
                    .at(said.place_of_declaration(|work| self.host.place_of_stored_function(work)))
            };
            heard.map_err(|problem| mlua::Error::external(at(problem)))?;
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
        if let Some(seen) = &mut self.inputs {
            seen.add_file(text);
        }
        let given = self.host.environments.shared_values().split_off(self.shared_count);
        self.shared_count += given.len();
        for function in freeze::freeze_reachable(self.host, self.lua, given)?.functions {
            self.shared_functions.raw_push(function)?;
        }
        self.upvalue_fingerprint = luau::upvalue_fingerprint(self.lua, &self.shared_functions)?;
        Ok(false)
    }
}

/// Checks that the texts of all files have no long hash chain.
fn check_hash_collisions(host: &Host) -> mlua::Result<()> {
    match blocks::has_hash_collisions(&host.long_texts.borrow()) {
        true => Err(mlua::Error::external(fuel::hash_collisions(""))),
        false => Ok(()),
    }
}

/// A mod's settings as its scripts read them: the set value, or else the default in the manifest.
fn create_settings(lua: &Lua, host: &Host, source: &ModSource) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let set = host.settings.get(source.id());
    for (name, setting) in &source.manifest.settings {
        // A value set for an older version of the mod may not match this one.
        let value =
            set.and_then(|set| set.get(name)).filter(|value| setting.accepts(value).is_ok());
        let value = value.unwrap_or(&setting.default);
        let value = match value {
            base::Value::Bool(truth) => Value::Boolean(*truth),
            base::Value::Int(int) => Value::Number(*int as f64),
            base::Value::Num(num) => Value::Number(*num),
            base::Value::Text(text) => Value::String(lua.create_string(&**text)?),
            base::Value::List(_) | base::Value::Map(_) => continue,
        };
        table.raw_set(name.as_str(), value)?;
    }
    table.set_readonly(true);
    Ok(table)
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
    let hook = |work: &u64| {
        let place = host.place_of_stored_function(*work);
        let spender = host.fuel.account_of(&place.owner);
        let is_strict = host.edition.holds_events();
        RegisteredHook {
            place,
            account: spender,
            is_strict,
            budget: HookBudget::default(),
            function_id: *work,
        }
    };
    let declared = host.load_state.all_declarations.borrow();
    let shapes = host.load_state.events.borrow();
    let mut next = 1;
    let moments = declared.hooks.iter().map(|(name, hooks)| {
        let first = next;
        next += (hooks.before.len() + hooks.after.len()) as StackIndex;
        let declared = shapes.iter().find(|shape| shape.name == *name).cloned().map(Rc::new);
        let mut fields = declared.iter().flat_map(|declared| &declared.fields);
        EventHooks {
            name: name.clone(),
            has_list_fields: fields.any(|field| may_be_list(&field.ty)),
            declaration: declared,
            before: hooks.before.iter().map(hook).collect(),
            after: hooks.after.iter().map(hook).collect(),
            first_hook_index: first,
        }
    });
    moments.collect()
}
