//! What a file of `lib/` returns to `require`, as far as it is written out, and which names are
//! read from it.

use std::collections::BTreeMap;

use full_moon::ast::{
    Assignment, Ast, Expression, Field, FunctionCall, FunctionDeclaration, Index, LastStmt, Suffix,
    Var,
};
use full_moon::visitors::Visitor;

use super::locals::LocalId;
use super::names::{bare, callee, first_text, front, line, name, table, text};
use super::said::line_of;

/// The table that a file returns.
#[derive(Debug, Default)]
pub(in crate::workshop) struct Returned {
    /// Each name, its line, and whether it is a function that begins there.
    pub(in crate::workshop) names: BTreeMap<String, (u32, bool)>,
    /// Whether there may be more names.
    pub(in crate::workshop) open: bool,
}

/// A required file, as the path is written.
#[derive(Clone, Debug)]
pub(in crate::workshop) struct Required {
    pub(super) local: LocalId,
    pub(in crate::workshop) path: String,
}

impl Required {
    /// A required file by its path, without a local.
    pub(in crate::workshop) fn of(path: &str) -> Self {
        Self { local: LocalId::MAX, path: path.to_owned() }
    }
}

/// A name that is read from a required file.
#[derive(Debug)]
pub(in crate::workshop) struct Asked {
    pub(in crate::workshop) of: Required,
    /// As written: `lists` and `keep` of `lists.keep`.
    pub(in crate::workshop) local: String,
    pub(in crate::workshop) name: String,
    pub(in crate::workshop) line: u32,
}

/// The path in a `require`, if it is written out.
pub(super) fn path(value: &Expression) -> Option<String> {
    let Expression::FunctionCall(call) = value else { return None };
    let (called, arguments) = callee(call)?;
    let whole = call.suffixes().count() == 1 && called == "require";
    text(first_text(arguments.filter(|_| whole)?)?.token())
}

/// The returned table of a file, if it is one table that is written out.
pub(super) fn returned(tree: &Ast) -> Option<Returned> {
    let Some(LastStmt::Return(last)) = tree.nodes().last_stmt() else { return None };
    let mut values = last.returns().iter();
    let (value, None) = (values.next()?, values.next()) else { return None };
    if let Some(made) = table(value) {
        let mut returned = Returned::default();
        returned.fields(made.fields().iter());
        return Some(returned);
    }
    let mut gathered = Gathered { of: name(bare(value)?), ..Gathered::default() };
    gathered.visit_ast(tree);
    // The return is the only use as a whole; any other use may add fields.
    gathered.returned.open |= gathered.wholes > 1;
    gathered.declared.then_some(gathered.returned)
}

impl Returned {
    fn fields<'t>(&mut self, fields: impl Iterator<Item = &'t Field>) {
        for field in fields {
            match field {
                Field::NameKey { key, value, .. } => self.put(name(key), value),
                Field::ExpressionKey { key, value, .. } => self.put_under(key, value),
                _ => {}
            }
        }
    }

    fn put(&mut self, name: String, value: &Expression) {
        let is_function = matches!(value, Expression::Function(_));
        self.names.insert(name, (line_of(value), is_function));
    }

    fn put_under(&mut self, key: &Expression, value: &Expression) {
        match key {
            Expression::String(token) => {
                text(token.token()).into_iter().for_each(|name| self.put(name, value));
            }
            _ => self.open = true,
        }
    }
}

/// Writes to the table in a local of the file.
#[derive(Default)]
struct Gathered {
    of: String,
    returned: Returned,
    declared: bool,
    wholes: usize,
}

impl Visitor for Gathered {
    fn visit_local_assignment(&mut self, assignment: &full_moon::ast::LocalAssignment) {
        for (token, value) in assignment.names().iter().zip(assignment.expressions()) {
            if name(token) == self.of
                && let Some(made) = table(value)
            {
                self.declared = true;
                self.returned.fields(made.fields().iter());
            }
        }
    }

    fn visit_function_declaration(&mut self, function: &FunctionDeclaration) {
        let names: Vec<String> = function.name().names().iter().map(name).collect();
        let method = function.name().method_name().map(name);
        let of_it = names.first().is_some_and(|first| *first == self.of);
        if let Some(own) = names.get(1).cloned().or(method).filter(|_| of_it) {
            let at = line(function.function_token());
            self.returned.names.insert(own, (at, names.len() == 2));
        }
    }

    fn visit_assignment(&mut self, assignment: &Assignment) {
        for (at, target) in assignment.variables().iter().enumerate() {
            let Var::Expression(chain) = target else { continue };
            if front(chain.prefix()).is_none_or(|token| name(token) != self.of) {
                continue;
            }
            let value = assignment.expressions().iter().nth(at);
            match (chain.suffixes().next(), value) {
                (Some(Suffix::Index(Index::Dot { name: own, .. })), Some(value)) => {
                    self.returned.put(name(own), value);
                }
                (Some(Suffix::Index(Index::Brackets { expression, .. })), Some(value)) => {
                    self.returned.put_under(expression, value);
                }
                _ => self.returned.open = true,
            }
        }
    }

    fn visit_var(&mut self, var: &Var) {
        if let Var::Name(token) = var {
            self.wholes += usize::from(name(token) == self.of);
        }
    }
}

/// Whether a call reads one field of a local and calls it: `lists.keep(…)`.
pub(super) fn is_plain(call: &FunctionCall) -> bool {
    let mut suffixes = call.suffixes();
    matches!(
        (suffixes.next(), suffixes.next()),
        (Some(Suffix::Index(Index::Dot { .. })), Some(Suffix::Call(_)))
    )
}
