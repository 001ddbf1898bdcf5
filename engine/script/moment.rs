//! The moments that hooks hang on, in the order that play finds them in: settled once loading has
//! ended, so that announcing one looks nothing up but its name, and that in a table of Lua.

use std::cell::OnceCell;
use std::sync::Arc;

use mlua::{Lua, Table, Value};

use super::host::Host;
use super::spenders::Purse;
use crate::kit::Place;

/// A moment that hooks hang on.
pub(crate) struct Moment {
    /// Its name.
    pub(crate) name: Arc<str>,
    /// Those that may change the event.
    pub(crate) before: Vec<Hook>,
    /// Those that see its final value.
    pub(crate) after: Vec<Hook>,
}

/// A hook on a moment.
pub(crate) struct Hook {
    /// Where it was written.
    pub(crate) place: Place,
    /// Its mod, as one who spends fuel.
    pub(crate) spender: usize,
    /// What it has spent.
    pub(crate) purse: Purse,
    /// The number of the kept function.
    work: u64,
}

/// All moments that hooks hang on.
#[derive(Default)]
pub(crate) struct Moments {
    list: OnceCell<Vec<Moment>>,
    table: OnceCell<Table>,
}

impl Moments {
    /// The table of them: under the name of a moment a list of its place among all and of its hooks,
    /// the `before` ones first. Where a function is not at hand yet, `false` stands for it.
    pub(crate) fn table(&self, lua: &Lua) -> mlua::Result<&Table> {
        if self.table.get().is_none() {
            let made = lua.create_table()?;
            assert!(self.table.set(made).is_ok(), "nobody made one meanwhile");
        }
        Ok(self.table.get().expect("it was made above"))
    }

    /// A moment, by its place among all.
    pub(crate) fn at(&self, place: usize) -> &Moment {
        &self.list.get().expect("it is settled when loading ends")[place]
    }

    /// The place of a moment among all.
    pub(crate) fn place_of(&self, name: &str) -> Option<usize> {
        self.list.get()?.iter().position(|moment| &*moment.name == name)
    }
}

impl Moment {
    /// All hooks, in the order of the list of them.
    pub(crate) fn hooks(&self) -> impl Iterator<Item = &Hook> {
        self.before.iter().chain(&self.after)
    }
}

impl Host {
    /// Settles which hooks hang on which moment, once all are declared.
    pub(crate) fn settle_moments(&self, lua: &Lua) -> mlua::Result<()> {
        let hook = |work: &u64| {
            let place = self.place_of(*work);
            let spender = self.fuel.number_of(&place.owner);
            Hook { place, spender, purse: Purse::default(), work: *work }
        };
        let declared = self.declared.borrow();
        let moments = declared.hooks.iter().map(|(name, hooks)| Moment {
            name: name.clone(),
            before: hooks.before.iter().map(hook).collect(),
            after: hooks.after.iter().map(hook).collect(),
        });
        let moments: Vec<Moment> = moments.collect();
        for (place, moment) in moments.iter().enumerate() {
            let list = lua.create_sequence_from([place])?;
            for _ in moment.hooks() {
                list.raw_push(false)?;
            }
            self.moments.table(lua)?.raw_set(&*moment.name, list)?;
        }
        assert!(self.moments.list.set(moments).is_ok(), "moments are settled once");
        Ok(())
    }

    /// The function of a hook, which is put into the list of its moment.
    pub(crate) fn wake_hook(&self, lua: &Lua, moment: usize, hook: usize) -> mlua::Result<Value> {
        let moment = self.moments.at(moment);
        let work = moment.hooks().nth(hook).expect("the list has a place for each hook").work;
        let function = self.kept(work)?.function;
        let list: Table = self.moments.table(lua)?.raw_get(&*moment.name)?;
        list.raw_set(hook + 2, &function)?;
        Ok(Value::Function(function))
    }
}
