//! Caches the functions of scenes, views and bots that each step needs. The cache never becomes
//! stale, because a definition never changes during the life of its VM.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Function, Table};

/// The cached scenes, views and bots, by id.
#[derive(Default)]
pub(crate) struct HandlerCache {
    pub(crate) scenes: RefCell<BTreeMap<Box<str>, Rc<CachedScene>>>,
    pub(crate) views: RefCell<BTreeMap<Box<str>, Rc<CachedView>>>,
    pub(crate) bots: RefCell<BTreeMap<Box<str>, Rc<CachedBot>>>,
    /// The id of the game's first view, looked up on first use.
    pub(crate) first_view_id: OnceCell<Option<Box<str>>>,
}

/// A function of a definition.
#[derive(Clone)]
pub(crate) struct HandlerFunction {
    pub(crate) function: Function,
    /// The fuel account of its mod.
    pub(crate) fuel_account: usize,
}

/// A cached scene.
pub(crate) struct CachedScene {
    pub(crate) id: Box<str>,
    pub(crate) definition: Table,
    /// The function that builds the prompt.
    pub(crate) prompt_function: HandlerFunction,
    /// Whether other mods added choices to the prompt.
    pub(crate) has_added_choices: bool,
    /// The handlers that were needed so far, by name.
    pub(crate) handlers: RefCell<BTreeMap<Box<str>, HandlerFunction>>,
}

/// A cached view.
pub(crate) struct CachedView {
    pub(crate) definition: Table,
    pub(crate) show_function: HandlerFunction,
    /// Whether other mods added widgets to the view.
    pub(crate) has_added_widgets: bool,
}

/// A cached bot.
pub(crate) struct CachedBot {
    /// The function that chooses an answer.
    pub(crate) choose_function: HandlerFunction,
    /// The full id of each fact that it reads, and the function that computes it.
    pub(crate) fact_functions: Vec<(Box<str>, HandlerFunction)>,
}

impl CachedScene {
    /// The handler with a name. `find` looks it up on first use.
    pub(crate) fn find_handler(
        &self,
        name: &str,
        find: impl FnOnce() -> mlua::Result<HandlerFunction>,
    ) -> mlua::Result<HandlerFunction> {
        if let Some(known) = self.handlers.borrow().get(name) {
            return Ok(known.clone());
        }
        let found = find()?;
        self.handlers.borrow_mut().insert(Box::from(name), found.clone());
        Ok(found)
    }
}
