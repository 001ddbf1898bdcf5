//! Loading: runs every file of every mod, in order, in its mod's environment. The declarations are
//! collected, checked together, and frozen.

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table, Value};

use super::blocks;
use super::compile::compile;
use super::declaration_cache::{self, Record, Seen};
use super::fuel::Rigour;
use super::hook_table::{Hook, Moment};
use super::host::Host;
use super::phase::Phase;
use super::spenders::Purse;
use super::{bytecode, error, freeze, fuel, missing_names, reworded};
use crate::content::{Draft, FieldType, Part};
use crate::kit::{self, FileText, Place, Problem, Severity, limits, meter};
use crate::luau::{self, At};
use crate::mods::{ModSet, ModSource};

/// Garbage that may accumulate between two files before it is collected, in bytes. Collection
/// happens only between files and between steps, so that memory runs out at the same place every
/// time.
const GARBAGE: usize = 8 * 1024 * 1024;

/// Maximum declared bytes of a file whose declarations are cached.
const KNOWN_BYTES: usize = 1024 * 1024;

/// The declarations of one file: other files may still complete them, or not.
enum Heard {
    Open(u32),
    Whole(Arc<Part>),
}

/// A load in progress.
struct Loading<'l> {
    lua: &'l Lua,
    host: &'l Rc<Host>,
    /// Memory in use after the last collection, in bytes.
    resting: usize,
    /// The inputs of files for the cache; `None` if every file must run.
    seen: Option<Seen>,
    /// The functions that shared values can reach, and the fingerprint of their upvalues. A file
    /// that changes it has side effects.
    given: Table,
    print: u64,
    /// The number of names shared so far.
    names: usize,
    heard: Vec<Heard>,
}

/// Loads all mods. Returns warnings, or all Problems. With `anew` every file runs, without the
/// declaration cache.
pub(super) fn load(
    lua: &Lua,
    host: &Rc<Host>,
    mods: &ModSet,
    anew: bool,
) -> Result<Vec<Problem>, Vec<Problem>> {
    let rigour = if host.edition.bounds_scripts() { Rigour::Judging } else { Rigour::Known };
    host.fuel.fill(limits::FUEL_LOADING, lua.used_memory(), rigour);
    // Declarations have a limit of their own.
    meter::set_most_kept(usize::MAX);
    let resting = lua.used_memory();
    let seen = (!anew).then(|| Seen::of(mods, &host.settings, host.edition));
    let given = lua.create_table().map_err(|error| vec![error::problem(host, &error)])?;
    let (names, heard) = (host.environments.values().len(), Vec::new());
    let mut loading = Loading { lua, host, resting, seen, given, print: 0, names, heard };
    mods.game().id().clone_into(&mut host.heard.game.borrow_mut());
    let texts = match host.trace {
        // With coverage, files are compiled differently.
        Some(_) => Vec::new(),
        None => mods
            .mods
            .iter()
            .flat_map(|source| source.scripts())
            .map(|(_, text)| text.clone())
            .collect(),
    };
    let problems = bytecode::ahead(texts, || {
        let found = mods.mods.iter().map(|source| loading.load_mod(source));
        found.into_iter().find(|problems| !problems.is_empty())
    });
    if let Some(problems) = problems {
        return Err(problems);
    }
    let left_open = host.heard.opened.left();
    if !left_open.is_empty() {
        return Err(left_open);
    }
    let mut draft = Draft::new();
    let mut open = host.heard.open.take();
    for heard in loading.heard {
        draft.add_part(match heard {
            Heard::Whole(part) => part,
            Heard::Open(run) => Arc::new(Part::new(open.remove(&run).unwrap_or_default())),
        });
    }
    // The starts of their lines may be cached by now.
    draft.set_sources(host.sources.0.clone());
    host.heard.kinds.take().into_iter().for_each(|kind| draft.add_kind(kind));
    let (registry, problems) = draft.build(&mods.ids(), &mods.behind());
    let Some(mut registry) = registry.filter(|_| !problems.iter().any(is_error)) else {
        return Err(problems);
    };
    let mut refused = host.wrapped.too_late(&registry);
    let reworded = reworded::settled(&host.rewordings(), &mods.behind(), &mut refused);
    if !refused.is_empty() {
        return Err(refused);
    }
    registry.reword(reworded.texts());
    assert!(host.registry.set(Rc::new(registry)).is_ok(), "the registry is set once");
    assert!(host.reworded.set(reworded).is_ok(), "the text overrides are set once");
    let finished = || -> mlua::Result<()> {
        // From here on memory was counted when it was declared.
        lua.set_memory_limit(0)?;
        host.settle_wrapped(lua)?;
        let mut roots = host.environments.values();
        let functions = host.functions.borrow();
        roots.extend(functions.iter().map(|kept| Value::Function(kept.function.clone())));
        drop(functions);
        host.settle(freeze::freeze(host, lua, roots)?);
        host.prelude.set_loading(false)?;
        host.environments.freeze(lua)?;
        host.hooks.settle(lua, moments(host))?;
        // If most files are deferred, there is little garbage yet.
        if host.heard.waiting.borrow().is_empty() {
            collect(lua)?;
        }
        Ok(())
    };
    finished().map_err(|error| vec![error::problem(host, &error)])?;
    host.now.phase.set(Phase::Between);
    Ok(problems)
}

fn is_error(problem: &Problem) -> bool {
    problem.severity == Severity::Error
}

/// Collects garbage and stops the collector again: running on its own, it would depend on a clock.
pub(super) fn collect(lua: &Lua) -> mlua::Result<()> {
    lua.gc_collect()?;
    lua.gc_stop();
    Ok(())
}

/// Gives the next mod the full memory, whatever earlier mods used.
fn make_room(lua: &Lua, host: &Host) -> mlua::Result<()> {
    let used = lua.used_memory();
    host.fuel.make_room(used);
    lua.set_memory_limit(used + limits::STOP_MEMORY)?;
    Ok(())
}

impl Loading<'_> {
    /// Loads the files of a mod. Keeps the first Problem of each file. After a Problem in `kinds/`,
    /// or when fuel or memory is spent, the other files would only repeat it.
    fn load_mod(&mut self, source: &ModSource) -> Vec<Problem> {
        let (lua, host, owner) = (self.lua, self.host, source.id());
        let _spender = host.fuel.spender(owner);
        host.fuel.begin_mod();
        let begun = make_room(lua, host).and_then(|()| settings_of(lua, host, source)).and_then(
            |settings| {
                let refuse = missing_names::refuse_global(lua, host)?;
                host.environments.begin(lua, owner, settings, refuse)
            },
        );
        if let Err(error) = begun {
            return vec![error::problem(host, &error)];
        }
        let mut problems = Vec::new();
        let whole = host.fuel.budget_units();
        // The scripts in a mod's tests have their own budget, so that many tests cannot make the
        // mod fail to load.
        let (mut in_tests, mut other) = (false, whole);
        for (path, text) in source.scripts() {
            if path.starts_with("tests/") != in_tests {
                in_tests = !in_tests;
                let left = fuel::left().max(0);
                host.fuel.allow(std::mem::replace(&mut other, left));
            }
            let outcome = self.hear(owner, path, text);
            let outcome = outcome.map_err(|error| error::problem(host, &error));
            if let Err(mut problem) = outcome.and_then(|()| error::fuel_left(host)) {
                problem.place.get_or_insert_with(|| Place::new(owner, path, 0));
                problems.push(problem);
                if path.starts_with("kinds/") || host.fuel.is_spent() || host.spoiled.get() {
                    break;
                }
            }
            if lua.used_memory() > self.resting + GARBAGE {
                if collect(lua).is_err() {
                    host.spoiled.set(true);
                }
                self.resting = lua.used_memory();
            }
        }
        if in_tests || other != whole {
            host.fuel.allow(whole);
        }
        problems
    }

    /// Loads a file: from the declaration cache, or by running it.
    fn hear(&mut self, owner: &str, path: &str, text: &FileText) -> mlua::Result<()> {
        let host = self.host;
        let key = self.seen.as_ref().map(|seen| seen.key(owner, path, text));
        if let Some(record) = key.as_ref().and_then(declaration_cache::find)
            && record.fuel <= fuel::left()
        {
            return self.take(record, owner, path);
        }
        host.heard.loud.set(false);
        let (before, run) = (fuel::left(), host.functions.borrow_mut().begin());
        let held = meter::kept();
        let iterators = host.prelude.iterators()?;
        blocks::begin();
        let outcome = compile(self.lua, host, owner, path)
            .and_then(|file| host.prelude.run(file))
            .and_then(|()| self.keeps_no_iterator(run, iterators));
        let (changes, said) = (host.heard.changes.take(), host.heard.said.take());
        let burned = before - fuel::left();
        let quiet = outcome.is_ok() && self.was_quiet(text)?;
        let held = meter::kept().saturating_sub(held);
        blocks::look_at_texts();
        blocks::look_at_tables();
        let long = blocks::long_texts();
        host.long_texts.borrow_mut().extend(long.iter().copied());
        let outcome = outcome.and_then(|()| not_crowded(host));
        match key.filter(|_| quiet && held <= KNOWN_BYTES) {
            Some(key) => {
                let part = Arc::new(Part::new(changes));
                declaration_cache::keep(
                    key,
                    &host.functions.borrow(),
                    part.clone(),
                    said,
                    (burned, held, long),
                );
                self.heard.push(Heard::Whole(part));
            }
            None => {
                host.heard.open.borrow_mut().insert(run, changes);
                self.heard.push(Heard::Open(run));
            }
        }
        outcome
    }

    /// Refuses an iterator that was created while a file ran and that its functions still hold. A
    /// file that created one is never cached.
    fn keeps_no_iterator(&self, run: u32, before: u64) -> mlua::Result<()> {
        if self.host.prelude.iterators()? == before {
            return Ok(());
        }
        let functions = self.host.functions.borrow();
        let of_run = functions.of(run).iter().map(|kept| Value::Function(kept.function.clone()));
        freeze::look(self.host, self.lua, of_run.collect())
    }

    /// Uses the cached declarations of a file.
    fn take(&mut self, record: Arc<Record>, owner: &str, path: &str) -> mlua::Result<()> {
        fuel::charge(usize::try_from(record.fuel).unwrap_or(0));
        meter::keep(record.held);
        self.host.long_texts.borrow_mut().extend(record.long.iter().copied());
        not_crowded(self.host)?;
        self.heard.push(Heard::Whole(record.part.clone()));
        self.host.take_known(record.clone(), owner, path);
        for said in &record.said {
            let heard = self.host.hear(said);
            let at = |problem: Problem| problem.at(said.place(|work| self.host.place_of(work)));
            heard.map_err(|problem| mlua::Error::external(at(problem)))?;
        }
        Ok(())
    }

    /// Whether the file that has just run only declared. Otherwise it becomes part of the inputs of
    /// later files, and its shared values are frozen.
    fn was_quiet(&mut self, text: &str) -> mlua::Result<bool> {
        let quiet =
            !self.host.heard.loud.get() && luau::print_of(self.lua, &self.given)? == self.print;
        if quiet {
            return Ok(true);
        }
        if let Some(seen) = &mut self.seen {
            seen.add(text);
        }
        let given = self.host.environments.values().split_off(self.names);
        self.names += given.len();
        for function in freeze::freeze(self.host, self.lua, given)?.functions {
            self.given.raw_push(function)?;
        }
        self.print = luau::print_of(self.lua, &self.given)?;
        Ok(false)
    }
}

/// Checks that the texts of all files have no long hash chain.
fn not_crowded(host: &Host) -> mlua::Result<()> {
    match blocks::crowded_together(&host.long_texts.borrow()) {
        true => Err(mlua::Error::external(fuel::crowded(""))),
        false => Ok(()),
    }
}

/// A mod's settings as its scripts read them: the set value, or else the default in the manifest.
fn settings_of(lua: &Lua, host: &Host, source: &ModSource) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let set = host.settings.get(source.id());
    for (name, setting) in &source.manifest.settings {
        // A value set for an older version of the mod may not match this one.
        let value =
            set.and_then(|set| set.get(name)).filter(|value| setting.accepts(value).is_ok());
        let value = value.unwrap_or(&setting.default);
        let value = match value {
            kit::Value::Bool(truth) => Value::Boolean(*truth),
            kit::Value::Int(int) => Value::Number(*int as f64),
            kit::Value::Num(num) => Value::Number(*num),
            kit::Value::Text(text) => Value::String(lua.create_string(&**text)?),
            kit::Value::List(_) | kit::Value::Map(_) => continue,
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
fn moments(host: &Host) -> Vec<Moment> {
    let hook = |work: &u64| {
        let place = host.place_of(*work);
        let spender = host.fuel.number_of(&place.owner);
        let held = host.edition.holds_events();
        Hook { place, spender, held, purse: Purse::default(), work: *work }
    };
    let declared = host.heard.declared.borrow();
    let shapes = host.heard.moments.borrow();
    let mut next = 1;
    let moments = declared.hooks.iter().map(|(name, hooks)| {
        let first = next;
        next += (hooks.before.len() + hooks.after.len()) as At;
        let declared = shapes.iter().find(|shape| shape.name == *name).cloned().map(Rc::new);
        let mut fields = declared.iter().flat_map(|declared| &declared.fields);
        Moment {
            name: name.clone(),
            lists: fields.any(|field| may_be_list(&field.ty)),
            declared,
            before: hooks.before.iter().map(hook).collect(),
            after: hooks.after.iter().map(hook).collect(),
            first,
        }
    });
    moments.collect()
}
