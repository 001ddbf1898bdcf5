//! Prompts and views that a function returns as table literals, and what is added to their lists
//! before.

use std::collections::BTreeMap;

use full_moon::ast::{Expression, FunctionArgs, FunctionBody};

use super::callback_types::{named_fields, table_argument};
use super::literal::{Literal, TableLiteral, line_of, literal_of};
use super::locals::{FunctionIndex, LocalId};
use super::syntax::{AccessChain, name_of_plain_variable, table_constructor, token_name};

/// A prompt, a view, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UiTableKind {
    Prompt,
    View,
    Choice,
    Widget,
}

/// A prompt, view, choice or widget as it is written out.
#[derive(Debug)]
pub(crate) struct UiTable {
    pub(crate) kind: UiTableKind,
    /// The scene that it belongs to, if it is written beside it.
    pub(crate) scene: Option<String>,
    pub(crate) literal: Literal,
    pub(crate) line: u32,
}

/// A table that a function returns, or that has a field `widget`, where the syntax does not show
/// what it is for.
#[derive(Debug)]
pub(crate) struct FunctionTable {
    /// The function that directly contains it.
    pub(crate) function: FunctionIndex,
    pub(crate) table: TableLiteral,
    pub(crate) line: u32,
    /// Whether the function returns it as it is.
    pub(crate) is_returned: bool,
}

/// What a function returns.
type ReturnedUiTable = (UiTableKind, Option<String>);

/// Locals by the names of the fields that hold them.
type LocalsByFieldName = Vec<(String, LocalId)>;

/// Collects them during the walk over a file.
#[derive(Default)]
pub(super) struct UiTableCollector {
    /// The functions around the current node, innermost last.
    enclosing_functions: Vec<*const FunctionBody>,
    /// Functions that return a prompt or a view, and locals with such a function.
    display_functions: BTreeMap<*const FunctionBody, ReturnedUiTable>,
    display_locals: Vec<(LocalId, ReturnedUiTable)>,
    /// The tables that functions return, with the locals in their fields.
    returned_tables: Vec<(*const FunctionBody, Literal, u32, LocalsByFieldName)>,
    /// The initial values of locals, and what is added to them.
    list_items: Vec<(LocalId, Literal, u32)>,
}

impl UiTableCollector {
    pub(super) fn enter_function(&mut self, body: &FunctionBody) {
        self.enclosing_functions.push(std::ptr::from_ref(body));
    }

    pub(super) fn leave_function(&mut self) {
        self.enclosing_functions.pop();
    }

    /// Records that a function returns a prompt or a view.
    pub(super) fn add_ui_function(
        &mut self,
        body: &FunctionBody,
        what: &str,
        scene: Option<String>,
    ) {
        let kind = match what {
            "a prompt" => UiTableKind::Prompt,
            "a view" => UiTableKind::View,
            _ => return,
        };
        self.display_functions.insert(std::ptr::from_ref(body), (kind, scene));
    }

    /// Records that the function in a local returns the prompt of a scene.
    pub(super) fn add_prompt_function(&mut self, local: LocalId, scene: Option<String>) {
        self.display_locals.push((local, (UiTableKind::Prompt, scene)));
    }

    /// Records a return.
    pub(super) fn add_return(
        &mut self,
        value: &Expression,
        local: impl Fn(&str) -> Option<LocalId>,
    ) {
        let (Some(body), Some(table)) = (self.enclosing_functions.last(), table_constructor(value))
        else {
            return;
        };
        let named_locals = named_fields(table).filter_map(|(key, value)| {
            Some((key, local(&token_name(name_of_plain_variable(value)?))?))
        });
        self.returned_tables.push((
            *body,
            literal_of(value),
            line_of(value),
            named_locals.collect(),
        ));
    }

    /// Records the initial value of a local.
    pub(super) fn add_local(&mut self, local: LocalId, value: &Expression) {
        let Literal::Table(table) = literal_of(value) else { return };
        self.list_items.extend(table.items.into_iter().map(|(line, item)| (local, item, line)));
    }

    /// For `table.insert(list, { … })`.
    pub(super) fn add_table_insert(
        &mut self,
        called: &str,
        arguments: Option<&FunctionArgs>,
        local: impl Fn(&str) -> Option<LocalId>,
    ) {
        let Some(FunctionArgs::Parentheses { arguments, .. }) = arguments else { return };
        let argument_list: Vec<&Expression> = arguments.iter().collect();
        if let ("table.insert", [list, .., item]) = (called, argument_list.as_slice())
            && let Some(local) =
                name_of_plain_variable(list).and_then(|token| local(&token_name(token)))
        {
            self.list_items.push((local, literal_of(item), line_of(item)));
        }
    }

    /// Returns the prompts and views that are known. `body` knows the functions in locals;
    /// `keeps_initial_value` knows the locals that keep their initial value.
    pub(super) fn into_ui_tables(
        self,
        body: impl Fn(LocalId) -> Option<*const FunctionBody>,
        keeps_initial_value: impl Fn(LocalId) -> bool,
    ) -> Vec<UiTable> {
        let Self { mut display_functions, display_locals, returned_tables, list_items, .. } = self;
        display_functions.extend(
            display_locals.into_iter().filter_map(|(local, what)| Some((body(local)?, what))),
        );
        let mut displays = Vec::new();
        for (body, said, line, held) in returned_tables {
            let Some((kind, scene)) = display_functions.get(&body) else { continue };
            let (list, part) = match kind {
                UiTableKind::View => ("widgets", UiTableKind::Widget),
                _ => ("choices", UiTableKind::Choice),
            };
            let list_local =
                held.iter().find(|(name, local)| name == list && keeps_initial_value(*local));
            let parts = list_items
                .iter()
                .filter(|(local, ..)| list_local.is_some_and(|(_, of)| of == local));
            displays.extend(parts.map(|(_, said, line)| UiTable {
                kind: part,
                scene: scene.clone(),
                literal: said.clone(),
                line: *line,
            }));
            displays.push(UiTable { kind: *kind, scene: scene.clone(), literal: said, line });
        }
        displays
    }
}

/// The name of the function that a scene uses as its prompt.
pub(super) fn prompt_function_name(call: &impl AccessChain) -> Option<String> {
    named_fields(table_argument(call)?)
        .find(|(key, _)| key == "prompt")
        .and_then(|(_, value)| name_of_plain_variable(value).map(token_name))
}
