//! Global functions that a file uses as values. A local that only renames one (`local e = emit`) is
//! followed. Of the others it is known only that they may be called anywhere.

use std::collections::{BTreeMap, BTreeSet};

use full_moon::ast::{
    Assignment, Ast, CompoundAssignment, Expression, FunctionDeclaration, Index, Suffix, Var,
};
use full_moon::tokenizer::TokenReference;
use full_moon::visitors::Visitor;

use super::locals::LocalId;
use super::syntax::{callee_and_arguments, first_chain_name, name_of_plain_variable, token_name};

/// Collects them during the walk over a file.
#[derive(Default)]
pub(super) struct FunctionValueCollector {
    assigned_names: BTreeSet<String>,
    /// The global function that a local renames, as it is written: `emit`, `table.insert`.
    aliases: BTreeMap<LocalId, String>,
    /// Positions of names that are called, or that only give a local its value.
    followed_names: BTreeSet<usize>,
    used_as_values: BTreeSet<String>,
}

impl FunctionValueCollector {
    /// A collector for a file.
    pub(super) fn new(tree: &Ast) -> Self {
        let mut assigned = AssignedNames::default();
        assigned.visit_ast(tree);
        Self { assigned_names: assigned.0, ..Self::default() }
    }

    /// The global function that a local renames.
    pub(super) fn aliased_function(&self, local: LocalId) -> Option<&str> {
        self.aliases.get(&local).map(String::as_str)
    }

    /// The global function in an expression. `local` finds the local of a name.
    pub(super) fn global_function(
        &self,
        value: &Expression,
        local: impl Fn(&str) -> Option<LocalId>,
    ) -> Option<String> {
        let (front, written) = match value {
            Expression::Var(Var::Expression(chain)) => {
                let is_dot = |suffix: &Suffix| matches!(suffix, Suffix::Index(Index::Dot { .. }));
                let (written, _) =
                    callee_and_arguments(&**chain).filter(|_| chain.suffixes().all(is_dot))?;
                (token_name(first_chain_name(chain.prefix())?), written)
            }
            value => {
                let name = token_name(name_of_plain_variable(value)?);
                (name.clone(), name)
            }
        };
        match local(&front) {
            None => Some(written),
            Some(own) => {
                Some(format!("{}{}", self.aliased_function(own)?, &written[front.len()..]))
            }
        }
    }

    /// Records that a new local holds a global function. A name that the file assigns is not
    /// followed.
    pub(super) fn add_alias(&mut self, local: LocalId, name: &TokenReference, function: String) {
        if !self.assigned_names.contains(&token_name(name)) {
            self.aliases.insert(local, function);
        }
    }

    /// Records the value of a local before it is read.
    pub(super) fn add_initial_value(&mut self, name: &TokenReference, value: &Expression) {
        if !self.assigned_names.contains(&token_name(name)) {
            name_of_plain_variable(value)
                .into_iter()
                .for_each(|token| self.add_resolved_name(token));
        }
    }

    /// Records a name whose call is known.
    pub(super) fn add_resolved_name(&mut self, token: &TokenReference) {
        self.followed_names.insert(token_position(token));
    }

    /// Records a name that stands alone, with its local.
    pub(super) fn add_bare_name(&mut self, token: &TokenReference, local: Option<LocalId>) {
        if self.followed_names.contains(&token_position(token)) {
            return;
        }
        let function = match local {
            None => Some(token_name(token)),
            Some(local) => self.aliases.get(&local).cloned(),
        };
        self.used_as_values.extend(function);
    }

    /// The global functions that are used as values.
    pub(super) fn into_function_names(self) -> BTreeSet<String> {
        self.used_as_values
    }
}

fn token_position(token: &TokenReference) -> usize {
    token.token().start_position().bytes()
}

/// The names that a file assigns, apart from their declarations.
#[derive(Default)]
struct AssignedNames(BTreeSet<String>);

impl AssignedNames {
    fn add_assigned_name(&mut self, target: &Var) {
        if let Var::Name(token) = target {
            self.0.insert(token_name(token));
        }
    }
}

impl Visitor for AssignedNames {
    fn visit_assignment(&mut self, assignment: &Assignment) {
        assignment.variables().iter().for_each(|target| self.add_assigned_name(target));
    }

    fn visit_compound_assignment(&mut self, assignment: &CompoundAssignment) {
        self.add_assigned_name(assignment.lhs());
    }

    fn visit_function_declaration(&mut self, function: &FunctionDeclaration) {
        self.0.extend(function.name().names().iter().next().map(token_name));
    }
}
