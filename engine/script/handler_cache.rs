//! What play asks for at each step: the functions of scenes, views and bots, found once. A definition never
//! changes as long as its VM lives.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Function, Table};

/// Scenes, views and bots that were asked so far, by their ids.
#[derive(Default)]
pub(crate) struct HandlerCache {
    pub(crate) scenes: RefCell<BTreeMap<Box<str>, Rc<CachedScene>>>,
    pub(crate) views: RefCell<BTreeMap<Box<str>, Rc<CachedView>>>,
    pub(crate) bots: RefCell<BTreeMap<Box<str>, Rc<CachedBot>>>,
    /// The id of the game's first view, once it was wanted.
    pub(crate) first_view_id: OnceCell<Option<Box<str>>>,
}

/// A function of a definition.
#[derive(Clone)]
pub(crate) struct HandlerFunction {
    pub(crate) function: Function,
    /// Its mod, as one who spends fuel.
    pub(crate) fuel_account: usize,
}

/// A scene that was asked.
pub(crate) struct CachedScene {
    pub(crate) id: Box<str>,
    pub(crate) definition: Table,
    /// What asks.
    pub(crate) prompt_function: HandlerFunction,
    /// Whether choices are listed beside the prompt.
    pub(crate) has_added_choices: bool,
    /// What takes answers, by its name, as far as it was wanted.
    pub(crate) handlers: RefCell<BTreeMap<Box<str>, HandlerFunction>>,
}

/// A view that was shown.
pub(crate) struct CachedView {
    pub(crate) definition: Table,
    pub(crate) show_function: HandlerFunction,
    /// Whether widgets are listed beside it.
    pub(crate) has_added_widgets: bool,
}

/// A bot that was asked.
pub(crate) struct CachedBot {
    /// What chooses.
    pub(crate) choose_function: HandlerFunction,
    /// What it is told: the whole ids of the facts, and what tells each.
    pub(crate) fact_functions: Vec<(Box<str>, HandlerFunction)>,
}

impl CachedScene {
    /// What takes an answer, looked for with `find` where it was not wanted yet.
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
