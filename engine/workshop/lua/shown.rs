//! Prompts and views that a function returns as table literals, and what is added to their lists
//! before.

use std::collections::BTreeMap;

use full_moon::ast::{Expression, FunctionArgs, FunctionBody, FunctionCall};

use super::locals::LocalId;
use super::names::{bare, name, table};
use super::roles::{body, named};
use super::said::{Said, line_of, said};

/// A prompt, a view, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workshop) enum Sort {
    Prompt,
    View,
    Choice,
    Widget,
}

/// A prompt, view, choice or widget as it is written out.
#[derive(Debug)]
pub(in crate::workshop) struct Shown {
    pub(in crate::workshop) sort: Sort,
    /// The scene that it belongs to, if it is written beside it.
    pub(in crate::workshop) scene: Option<String>,
    pub(in crate::workshop) said: Said,
    pub(in crate::workshop) line: u32,
}

/// What a function returns.
type For = (Sort, Option<String>);

/// Locals by the names of the fields that hold them.
type Held = Vec<(String, LocalId)>;

/// Collects them during the walk over a file.
#[derive(Default)]
pub(super) struct Showing {
    /// The functions around the current node, innermost last.
    inside: Vec<*const FunctionBody>,
    /// Functions that return a prompt or a view, and locals with such a function.
    shows: BTreeMap<*const FunctionBody, For>,
    named: Vec<(LocalId, For)>,
    /// The tables that functions return, with the locals in their fields.
    returned: Vec<(*const FunctionBody, Said, u32, Held)>,
    /// The initial values of locals, and what is added to them.
    put: Vec<(LocalId, Said, u32)>,
}

impl Showing {
    pub(super) fn begin(&mut self, body: &FunctionBody) {
        self.inside.push(std::ptr::from_ref(body));
    }

    pub(super) fn end(&mut self) {
        self.inside.pop();
    }

    /// Records that a function returns a prompt or a view.
    pub(super) fn shows(&mut self, body: &FunctionBody, what: &str, scene: Option<String>) {
        let sort = match what {
            "a prompt" => Sort::Prompt,
            "a view" => Sort::View,
            _ => return,
        };
        self.shows.insert(std::ptr::from_ref(body), (sort, scene));
    }

    /// Records that the function in a local returns the prompt of a scene.
    pub(super) fn prompts(&mut self, local: LocalId, scene: Option<String>) {
        self.named.push((local, (Sort::Prompt, scene)));
    }

    /// Records a return.
    pub(super) fn returns(&mut self, value: &Expression, local: impl Fn(&str) -> Option<LocalId>) {
        let (Some(body), Some(made)) = (self.inside.last(), table(value)) else { return };
        let held = named(made).filter_map(|(key, value)| Some((key, local(&name(bare(value)?))?)));
        self.returned.push((*body, said(value), line_of(value), held.collect()));
    }

    /// Records the initial value of a local.
    pub(super) fn holds(&mut self, local: LocalId, value: &Expression) {
        let Said::Table(table) = said(value) else { return };
        self.put.extend(table.items.into_iter().map(|(line, item)| (local, item, line)));
    }

    /// For `table.insert(list, { … })`.
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

    /// Returns the prompts and views that are known. `body` knows the functions in locals; `stays`
    /// knows the locals that keep their initial value.
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

/// The name of the function that a scene uses as its prompt.
pub(super) fn prompt_of(call: &FunctionCall) -> Option<String> {
    named(body(call)?).find(|(key, _)| key == "prompt").and_then(|(_, value)| bare(value).map(name))
}
