//! What play asks for at each step: the functions of scenes and views, found once. A definition never
//! changes as long as its VM lives.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Function, Table};

use super::host::Host;
use crate::content::Datum;

/// Scenes and views that were asked so far, by their ids.
#[derive(Default)]
pub(crate) struct Asked {
    scenes: RefCell<BTreeMap<Box<str>, Rc<Scene>>>,
    views: RefCell<BTreeMap<Box<str>, Rc<View>>>,
    /// The id of the game's first view, once it was wanted.
    first_view: OnceCell<Option<Box<str>>>,
}

/// A function of a definition.
#[derive(Clone)]
pub(crate) struct Work {
    /// The function.
    pub(crate) function: Function,
    /// Its mod, as one who spends fuel.
    pub(crate) spender: usize,
}

/// A scene that was asked.
pub(crate) struct Scene {
    /// Its id.
    pub(crate) id: Box<str>,
    /// Its definition.
    pub(crate) definition: Table,
    /// What asks.
    pub(crate) prompt: Work,
    /// Whether choices are listed beside the prompt.
    pub(crate) adds: bool,
    /// What takes answers, by its name, as far as it was wanted.
    handlers: RefCell<BTreeMap<Box<str>, Work>>,
}

/// A view that was shown.
pub(crate) struct View {
    /// Its definition.
    pub(crate) definition: Table,
    /// What shows.
    pub(crate) show: Work,
    /// Whether widgets are listed beside it.
    pub(crate) adds: bool,
}

impl Scene {
    /// What takes an answer, looked for with `find` where it was not wanted yet.
    pub(crate) fn handler(
        &self,
        name: &str,
        find: impl FnOnce() -> mlua::Result<Work>,
    ) -> mlua::Result<Work> {
        if let Some(known) = self.handlers.borrow().get(name) {
            return Ok(known.clone());
        }
        let found = find()?;
        self.handlers.borrow_mut().insert(Box::from(name), found.clone());
        Ok(found)
    }
}

impl Host {
    /// A scene; `None` if there is none of that id.
    pub(crate) fn scene_to_ask(&self, id: &str) -> mlua::Result<Option<Rc<Scene>>> {
        if let Some(known) = self.asked.scenes.borrow().get(id) {
            return Ok(Some(known.clone()));
        }
        let Some(definition) = self.definition("scene", id)? else { return Ok(None) };
        let scene = Rc::new(Scene {
            id: Box::from(id),
            prompt: self.work_of(&definition, "scene", id, "prompt")?,
            definition,
            adds: self.lists("scene", id, "choices"),
            handlers: RefCell::default(),
        });
        self.asked.scenes.borrow_mut().insert(Box::from(id), scene.clone());
        Ok(Some(scene))
    }

    /// A view; `None` if there is none of that id.
    pub(crate) fn view_to_show(&self, id: &str) -> mlua::Result<Option<Rc<View>>> {
        if let Some(known) = self.asked.views.borrow().get(id) {
            return Ok(Some(known.clone()));
        }
        let Some(definition) = self.definition("view", id)? else { return Ok(None) };
        let view = Rc::new(View {
            show: self.work_of(&definition, "view", id, "show")?,
            definition,
            adds: self.lists("view", id, "widgets"),
        });
        self.asked.views.borrow_mut().insert(Box::from(id), view.clone());
        Ok(Some(view))
    }

    /// The id of the game's first view, if it has any.
    pub(crate) fn first_view(&self) -> Option<&str> {
        let first = || self.registry().all("view").next().map(|view| view.id.as_str().into());
        self.asked.first_view.get_or_init(first).as_deref()
    }

    /// Whether a definition says anything under a name.
    pub(crate) fn says(&self, kind: &str, id: &str, field: &str) -> bool {
        self.registry().get(kind, id).is_some_and(|definition| definition.get(field).is_some())
    }

    /// Whether a definition lists anything under a name.
    fn lists(&self, kind: &str, id: &str, field: &str) -> bool {
        let definition = self.registry().get(kind, id);
        let listed = definition.and_then(|definition| definition.get(field));
        matches!(listed, Some(Datum::List(list)) if !list.is_empty())
    }

    /// A function of a definition.
    fn work_of(
        &self,
        table: &Table,
        kind: &str,
        id: &str,
        field: &'static str,
    ) -> mlua::Result<Work> {
        Ok(Work { function: self.field(table, field)?, spender: self.who_wrote(kind, id, field) })
    }

    /// The mod that wrote a function of a definition, as one who spends fuel.
    pub(crate) fn who_wrote(&self, kind: &str, id: &str, field: &str) -> usize {
        let definition = self.registry().get(kind, id);
        let owner = definition.map(|definition| match definition.get(field) {
            Some(Datum::Fn(function)) => &*function.place.owner,
            _ => &definition.place.owner,
        });
        self.fuel.number_of(owner.unwrap_or_default())
    }
}
