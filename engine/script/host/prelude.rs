//! What the host and the prelude share about loading. A file may run again in the middle of a step
//! (see `stored_functions`) and must give the same result. So the library hides the calls below the
//! file, and keeps no state for later steps.
//!
//! Iterators of `string.gmatch` and `pairs` have a position. The prelude records each one that is
//! created while files load. If a function, a table or a definition still holds one afterwards, it
//! would keep its position from step to step, outside the save: it is refused.

use std::cell::OnceCell;

use mlua::{Function, Lua, Table};

/// The tables and functions that are shared with the prelude.
#[derive(Default)]
pub(crate) struct Prelude {
    tables: OnceCell<PreludeTables>,
    /// Runs a file, so that the library knows where its calls begin.
    file_runner: OnceCell<Function>,
}

struct PreludeTables {
    /// Where each iterator was created, `LINE:CHUNK:FUNCTION`, by the iterator. Its keys are weak.
    iterators: Table,
    /// `now`: whether files are loading; `count`: iterators created meanwhile.
    loading: Table,
}

impl Prelude {
    /// The tables that the prelude reads and writes. From here on files are loading.
    pub(crate) fn create_tables(&self, lua: &Lua) -> mlua::Result<(Table, Table)> {
        let weak_metatable = lua.create_table()?;
        weak_metatable.raw_set("__mode", "k")?;
        let iterators = lua.create_table()?;
        iterators.set_metatable(Some(weak_metatable))?;
        let loading = lua.create_table()?;
        loading.raw_set("now", true)?;
        loading.raw_set("count", 0)?;
        let tables = PreludeTables { iterators: iterators.clone(), loading: loading.clone() };
        assert!(self.tables.set(tables).is_ok(), "the prelude runs once");
        Ok((iterators, loading))
    }

    /// Sets the function that runs files.
    pub(crate) fn set_file_runner(&self, runner: Function) {
        assert!(self.file_runner.set(runner).is_ok(), "the prelude runs once");
    }

    /// Runs a file.
    pub(crate) fn run_file(&self, file: Function) -> mlua::Result<()> {
        self.file_runner.get().expect("the prelude comes first").call(file)
    }

    /// Sets whether files are loading.
    pub(crate) fn set_loading(&self, is_loading: bool) -> mlua::Result<()> {
        self.tables.get().map_or(Ok(()), |tables| tables.loading.raw_set("now", is_loading))
    }

    /// The number of iterators created so far.
    pub(crate) fn iterator_count(&self) -> mlua::Result<u64> {
        self.tables.get().map_or(Ok(0), |tables| tables.loading.raw_get("count"))
    }
}

impl Prelude {
    /// Where an iterator was created, `LINE:CHUNK:FUNCTION`; `None` for other functions.
    pub(crate) fn iterator_origin(&self, function: &Function) -> mlua::Result<Option<String>> {
        self.tables.get().map_or(Ok(None), |tables| tables.iterators.raw_get(function))
    }
}
