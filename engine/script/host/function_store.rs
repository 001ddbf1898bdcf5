//! Functions of scripts that the host stores, by id. An id has the number of a run of a file and
//! the index of the function in it. No two runs share a number, so ids from one VM are valid in
//! another.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use mlua::Function;

use base::SourceLocation;

/// The number of runs of files so far, in all VMs.
static FILE_RUN_COUNT: AtomicU32 = AtomicU32::new(1);

/// A stored function of a script.
#[derive(Clone)]
pub(crate) struct ScriptFunction {
    pub(crate) function: Function,
    /// Where it was written; its owner is charged for the fuel.
    pub(crate) place: Rc<SourceLocation>,
}

/// The stored functions.
#[derive(Default)]
pub(crate) struct FunctionStore {
    functions_by_file_run: BTreeMap<u32, Vec<ScriptFunction>>,
    /// The current run.
    current_file_run: u32,
}

impl FunctionStore {
    /// Begins a new run.
    pub(crate) fn begin_file_run(&mut self) -> u32 {
        self.current_file_run = FILE_RUN_COUNT.fetch_add(1, Ordering::Relaxed);
        self.current_file_run
    }

    /// Continues another run; returns the previous one.
    pub(crate) fn replace_current_file_run(&mut self, file_run: u32) -> u32 {
        std::mem::replace(&mut self.current_file_run, file_run)
    }

    /// The current run.
    pub(crate) fn current_file_run(&self) -> u32 {
        self.current_file_run
    }

    pub(crate) fn store_function(&mut self, script_function: ScriptFunction) -> u64 {
        let list = self.functions_by_file_run.entry(self.current_file_run).or_default();
        list.push(script_function);
        u64::from(self.current_file_run) << 32 | (list.len() as u64 - 1)
    }

    /// A function, if it is stored.
    pub(crate) fn get(&self, id: u64) -> Option<&ScriptFunction> {
        self.functions_by_file_run.get(&file_run_of_function(id))?.get(index_in_file_run(id))
    }

    pub(crate) fn functions_of_file_run(&self, file_run: u32) -> &[ScriptFunction] {
        self.functions_by_file_run.get(&file_run).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn remove_file_run(&mut self, file_run: u32) {
        self.functions_by_file_run.remove(&file_run);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ScriptFunction> {
        self.functions_by_file_run.values().flatten()
    }
}

/// The run of a function id.
pub(crate) fn file_run_of_function(id: u64) -> u32 {
    (id >> 32) as u32
}

/// The index of a function in its run, from 0.
pub(crate) fn index_in_file_run(id: u64) -> usize {
    (id & u64::from(u32::MAX)) as usize
}
