//! Prompts and views that a function returns as they are written out, and what is put into their lists on the
//! way.

use std::collections::BTreeMap;

use full_moon::ast::{Expression, FunctionArgs, FunctionBody, FunctionCall};

use super::locals::LocalId;
use super::names::{bare, name, table};
use super::roles::{body, named};
use super::said::{Said, line_of, said};

/// What is shown, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workshop) enum Sort {
    Prompt,
    View,
    Choice,
    Widget,
}

/// Something that is shown, as it is written out.
#[derive(Debug)]
pub(in crate::workshop) struct Shown {
    pub(in crate::workshop) sort: Sort,
    /// The scene that it is of, where that stands beside it.
    pub(in crate::workshop) scene: Option<String>,
    pub(in crate::workshop) said: Said,
    pub(in crate::workshop) line: u32,
}

/// What a function is for.
type For = (Sort, Option<String>);

/// Locals by the names that they stand under in a table.
type Held = Vec<(String, LocalId)>;

/// Gathers them on a walk over the file.
#[derive(Default)]
pub(super) struct Showing {
    /// The functions that we stand in, the innermost last.
    inside: Vec<*const FunctionBody>,
    /// Those that return what is shown; and locals that hold such.
    shows: BTreeMap<*const FunctionBody, For>,
    named: Vec<(LocalId, For)>,
    /// What functions return, with the locals that stand under a name in it.
    returned: Vec<(*const FunctionBody, Said, u32, Held)>,
    /// What locals hold from their begin, and what is put into them.
    put: Vec<(LocalId, Said, u32)>,
}

impl Showing {
    pub(super) fn begin(&mut self, body: &FunctionBody) {
        self.inside.push(std::ptr::from_ref(body));
    }

    pub(super) fn end(&mut self) {
        self.inside.pop();
    }

    /// A function returns what is shown.
    pub(super) fn shows(&mut self, body: &FunctionBody, what: &str, scene: Option<String>) {
        let sort = match what {
            "a prompt" => Sort::Prompt,
            "a view" => Sort::View,
            _ => return,
        };
        self.shows.insert(std::ptr::from_ref(body), (sort, scene));
    }

    /// The function that a local holds returns the prompt of a scene.
    pub(super) fn prompts(&mut self, local: LocalId, scene: Option<String>) {
        self.named.push((local, (Sort::Prompt, scene)));
    }

    /// Something is returned.
    pub(super) fn returns(&mut self, value: &Expression, local: impl Fn(&str) -> Option<LocalId>) {
        let (Some(body), Some(made)) = (self.inside.last(), table(value)) else { return };
        let held = named(made).filter_map(|(key, value)| Some((key, local(&name(bare(value)?))?)));
        self.returned.push((*body, said(value), line_of(value), held.collect()));
    }

    /// A local begins with what is written out.
    pub(super) fn holds(&mut self, local: LocalId, value: &Expression) {
        let Said::Table(table) = said(value) else { return };
        self.put.extend(table.items.into_iter().map(|(line, item)| (local, item, line)));
    }

    /// `table.insert(list, { … })`
    pub(super) fn inserted(
        &mut self,
        called: &str,
        arguments: Option<&FunctionArgs>,
        local: impl Fn(&str) -> Option<LocalId>,
    ) {
        let Some(FunctionArgs::Parentheses { arguments, .. }) = arguments else { return };
        let given: Vec<&Expression> = arguments.iter().collect();
        if let ("table.insert", [list, .., item]) = (called, given.as_slice())
            && let Some(local) = bare(list).and_then(|token| local(&name(token)))
        {
            self.put.push((local, said(item), line_of(item)));
        }
    }

    /// What is known to be shown, where `body` knows the functions that locals hold, and `stays` the locals that
    /// hold to the end what they began with.
    pub(super) fn finish(
        self,
        body: impl Fn(LocalId) -> Option<*const FunctionBody>,
        stays: impl Fn(LocalId) -> bool,
    ) -> Vec<Shown> {
        let Self { mut shows, named, returned, put, .. } = self;
        shows.extend(named.into_iter().filter_map(|(local, what)| Some((body(local)?, what))));
        let mut shown = Vec::new();
        for (body, said, line, held) in returned {
            let Some((sort, scene)) = shows.get(&body) else { continue };
            let (list, part) = match sort {
                Sort::View => ("widgets", Sort::Widget),
                _ => ("choices", Sort::Choice),
            };
            let of = held.iter().find(|(name, local)| name == list && stays(*local));
            let parts = put.iter().filter(|(local, ..)| of.is_some_and(|(_, of)| of == local));
            shown.extend(parts.map(|(_, said, line)| Shown {
                sort: part,
                scene: scene.clone(),
                said: said.clone(),
                line: *line,
            }));
            shown.push(Shown { sort: *sort, scene: scene.clone(), said, line });
        }
        shown
    }
}

/// The name of a function that a scene is given for its prompt.
pub(super) fn prompt_of(call: &FunctionCall) -> Option<String> {
    named(body(call)?).find(|(key, _)| key == "prompt").and_then(|(_, value)| bare(value).map(name))
}
