//! What the host and the prelude share about loading. A file may run again in the middle of a step (see
//! `functions`), and must come to the same there: so the library shows a file nothing of the calls below
//! it, and keeps nothing of its own for the steps after it.
//!
//! Iterators of `string.gmatch` and `pairs` move a place of their own. The prelude notes each that is made
//! while files are loaded. One that a function, a table or a definition still holds afterwards would go on
//! from step to step, which no save knows: it is refused.

use std::cell::OnceCell;

use mlua::{Function, Lua, Table};

/// What the prelude is given and gives.
#[derive(Default)]
pub(crate) struct Prelude {
    tables: OnceCell<Tables>,
    /// Runs a file, so that the library knows where the calls of the file begin.
    run: OnceCell<Function>,
}

struct Tables {
    /// Where each iterator was made, `LINE:CHUNK:FUNCTION`, by the iterator itself. Its keys are weak.
    iterators: Table,
    /// `now`: whether files are being loaded; `count`: how many iterators were made meanwhile.
    loading: Table,
}

impl Prelude {
    /// The tables that the prelude reads and writes. Files are being loaded from here on.
    pub(crate) fn tables(&self, lua: &Lua) -> mlua::Result<(Table, Table)> {
        let weak = lua.create_table()?;
        weak.raw_set("__mode", "k")?;
        let iterators = lua.create_table()?;
        iterators.set_metatable(Some(weak))?;
        let loading = lua.create_table()?;
        loading.raw_set("now", true)?;
        loading.raw_set("count", 0)?;
        let tables = Tables { iterators: iterators.clone(), loading: loading.clone() };
        assert!(self.tables.set(tables).is_ok(), "the prelude runs once");
        Ok((iterators, loading))
    }

    /// Takes the function that runs files.
    pub(crate) fn set_run(&self, run: Function) {
        assert!(self.run.set(run).is_ok(), "the prelude runs once");
    }

    /// Runs a file.
    pub(crate) fn run(&self, file: Function) -> mlua::Result<()> {
        self.run.get().expect("the prelude comes first").call(file)
    }

    /// Says whether files are being loaded.
    pub(crate) fn set_loading(&self, loading: bool) -> mlua::Result<()> {
        self.tables.get().map_or(Ok(()), |tables| tables.loading.raw_set("now", loading))
    }

    /// How many iterators were made so far.
    pub(crate) fn iterators(&self) -> mlua::Result<u64> {
        self.tables.get().map_or(Ok(0), |tables| tables.loading.raw_get("count"))
    }
}

impl Prelude {
    /// Where an iterator was made, `LINE:CHUNK:FUNCTION`; nothing if a function is none of these.
    pub(crate) fn made(&self, function: &Function) -> mlua::Result<Option<String>> {
        self.tables.get().map_or(Ok(None), |tables| tables.iterators.raw_get(function))
    }
}
