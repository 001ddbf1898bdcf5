//! What a file of `lib/` returns to `require`, as far as it is written out, and which names are
//! read from it.

use std::collections::BTreeMap;

use full_moon::ast::{
    Assignment, Ast, Expression, Field, FunctionDeclaration, Index, LastStmt, Suffix, Var,
};
use full_moon::visitors::Visitor;

use super::literal::line_of;
use super::locals::LocalId;
use super::syntax::{
    AccessChain, callee_and_arguments, first_chain_name, first_string_token,
    name_of_plain_variable, string_value, table_constructor, token_line, token_name,
};

/// The table that a file returns.
#[derive(Debug, Default)]
pub(crate) struct ReturnedTable {
    /// Each name, its line, and whether it is a function that begins there.
    pub(crate) names: BTreeMap<String, (u32, bool)>,
    /// Whether there may be more names.
    pub(crate) may_have_more_names: bool,
}

/// A required file, as the path is written.
#[derive(Clone, Debug)]
pub(crate) struct RequiredFile {
    pub(super) local_id: LocalId,
    pub(crate) path: String,
}

impl RequiredFile {
    /// A required file by its path, without a local.
    pub(crate) fn from_path(path: &str) -> Self {
        Self { local_id: LocalId::MAX, path: path.to_owned() }
    }
}

/// A name that is read from a required file.
#[derive(Debug)]
pub(crate) struct RequiredFileMember {
    pub(crate) file: RequiredFile,
    /// As written: `lists` and `keep` of `lists.keep`.
    pub(crate) local_name: String,
    pub(crate) name: String,
    pub(crate) line: u32,
}

/// The path in a `require`, if it is written out.
pub(super) fn required_path(value: &Expression) -> Option<String> {
    let Expression::FunctionCall(call) = value else { return None };
    let (called, arguments) = callee_and_arguments(call)?;
    let is_plain_require = call.suffixes().count() == 1 && called == "require";
    string_value(first_string_token(arguments.filter(|_| is_plain_require)?)?.token())
}

/// The returned table of a file, if it is one table that is written out.
pub(super) fn returned_table(tree: &Ast) -> Option<ReturnedTable> {
    let Some(LastStmt::Return(last)) = tree.nodes().last_stmt() else { return None };
    let mut values = last.returns().iter();
    let (value, None) = (values.next()?, values.next()) else { return None };
    if let Some(made) = table_constructor(value) {
        let mut returned = ReturnedTable::default();
        returned.add_fields(made.fields().iter());
        return Some(returned);
    }
    let mut gathered = TableWrites {
        local_name: token_name(name_of_plain_variable(value)?),
        ..TableWrites::default()
    };
    gathered.visit_ast(tree);
    // The return is the only use as a whole; any other use may add fields.
    gathered.returned_table.may_have_more_names |= gathered.uses_as_value > 1;
    gathered.is_declared.then_some(gathered.returned_table)
}

impl ReturnedTable {
    fn add_fields<'t>(&mut self, fields: impl Iterator<Item = &'t Field>) {
        for field in fields {
            match field {
                Field::NameKey { key, value, .. } => self.add_name(token_name(key), value),
                Field::ExpressionKey { key, value, .. } => self.add_key(key, value),
                _ => {}
            }
        }
    }

    fn add_name(&mut self, name: String, value: &Expression) {
        let is_function = matches!(value, Expression::Function(_));
        self.names.insert(name, (line_of(value), is_function));
    }

    fn add_key(&mut self, key: &Expression, value: &Expression) {
        match key {
            Expression::String(token) => {
                string_value(token.token()).into_iter().for_each(|name| self.add_name(name, value));
            }
            _ => self.may_have_more_names = true,
        }
    }
}

/// Writes to the table in a local of the file.
#[derive(Default)]
struct TableWrites {
    local_name: String,
    returned_table: ReturnedTable,
    is_declared: bool,
    uses_as_value: usize,
}

impl Visitor for TableWrites {
    fn visit_local_assignment(&mut self, assignment: &full_moon::ast::LocalAssignment) {
        for (token, value) in assignment.names().iter().zip(assignment.expressions()) {
            if token_name(token) == self.local_name
                && let Some(made) = table_constructor(value)
            {
                self.is_declared = true;
                self.returned_table.add_fields(made.fields().iter());
            }
        }
    }

    fn visit_function_declaration(&mut self, function: &FunctionDeclaration) {
        let names: Vec<String> = function.name().names().iter().map(token_name).collect();
        let method = function.name().method_name().map(token_name);
        let of_it = names.first().is_some_and(|first| *first == self.local_name);
        if let Some(own) = names.get(1).cloned().or(method).filter(|_| of_it) {
            let at = token_line(function.function_token());
            self.returned_table.names.insert(own, (at, names.len() == 2));
        }
    }

    fn visit_assignment(&mut self, assignment: &Assignment) {
        for (at, target) in assignment.variables().iter().enumerate() {
            let Var::Expression(chain) = target else { continue };
            if first_chain_name(chain.prefix())
                .is_none_or(|token| token_name(token) != self.local_name)
            {
                continue;
            }
            let value = assignment.expressions().iter().nth(at);
            match (chain.suffixes().next(), value) {
                (Some(Suffix::Index(Index::Dot { name: own, .. })), Some(value)) => {
                    self.returned_table.add_name(token_name(own), value);
                }
                (Some(Suffix::Index(Index::Brackets { expression, .. })), Some(value)) => {
                    self.returned_table.add_key(expression, value);
                }
                _ => self.returned_table.may_have_more_names = true,
            }
        }
    }

    fn visit_var(&mut self, var: &Var) {
        if let Var::Name(token) = var {
            self.uses_as_value += usize::from(token_name(token) == self.local_name);
        }
    }
}

/// Whether a call reads one field of a local and calls it: `lists.keep(…)`.
pub(super) fn is_field_call(call: &impl AccessChain) -> bool {
    let mut suffixes = call.suffixes();
    matches!(
        (suffixes.next(), suffixes.next()),
        (Some(Suffix::Index(Index::Dot { .. })), Some(Suffix::Call(_)))
    )
}
