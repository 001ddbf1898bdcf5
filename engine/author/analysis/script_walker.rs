//! One walk over the syntax tree of a file, which resolves names and builds the file summary. If
//! something is not certain, it is not recorded: a wrong warning teaches people to ignore the
//! others.

mod bindings;
mod calls;
mod chains;

use std::collections::BTreeMap;

use full_moon::ast::{
    Assignment, Ast, BinOp, Block, CompoundAssignment, CompoundOp, Expression, Field, FunctionBody,
    FunctionCall, FunctionDeclaration, GenericFor, If, LocalAssignment, LocalFunction, NumericFor,
    Parameter, Prefix, Repeat, Return, TableConstructor, Var, VarExpression, While,
    luau::{ConstAssignment, ConstFunction, IfConditionBinding},
};
use full_moon::tokenizer::{Token, TokenReference, TokenType};
use full_moon::visitors::Visitor;

use super::choice_tables::ChoiceTable;
use super::duplicate_keys::duplicate_keys;
use super::literal::{Literal, literal_of, may_be_fraction};
use super::locals::Locals;
use super::syntax::{
    AccessChain as _, first_chain_name, is_branch, string_value, token_line, token_name,
};
use super::use_collector::UseCollector;
use super::{Comment, FileSummary, PromptLabel, StringLiteral};

/// Fields of prompts that must fit on a line.
const LABEL_FIELDS: [&str; 5] = ["label", "title", "note", "disabled_because", "cost"];
/// Library functions that change their argument.
pub(in super::super) const MUTATING_FUNCTIONS: [&str; 4] =
    ["table.insert", "table.remove", "table.sort", "table.clear"];

/// A call around the current node.
struct EnclosingCall {
    /// Its name, and its first argument if that is a string: `spell` and `x` of `spell "x"`.
    name_and_text: Option<(String, String)>,
    /// Whether it is a lint of the game; a mention in it is not a use.
    is_lint: bool,
}

/// The walk over one file.
pub(super) struct ScriptWalker {
    summary: FileSummary,
    locals: Locals,
    uses: UseCollector,
    /// The calls that string literals are the first argument of, by position.
    callee_by_position: BTreeMap<usize, String>,
    /// The calls around the current node, outermost first.
    enclosing_calls: Vec<EnclosingCall>,
    /// The bodies of `repeat` loops around the current node.
    repeat_bodies: Vec<*const Block>,
    /// The body of a method, which has the parameter `self`.
    method_body: Option<*const FunctionBody>,
}

impl ScriptWalker {
    pub(super) fn new(summary: FileSummary, tree: &Ast) -> Self {
        let file = format!("{}/{}", summary.owner, summary.file);
        Self {
            summary,
            locals: Locals::default(),
            uses: UseCollector::new(file, tree),
            callee_by_position: BTreeMap::new(),
            enclosing_calls: Vec::new(),
            repeat_bodies: Vec::new(),
            method_body: None,
        }
    }

    /// Returns the file summary.
    pub(super) fn into_summary(mut self) -> FileSummary {
        self.summary.unordered_loops = self.locals.unordered_loops();
        self.summary.local_mutations = self.locals.mutations;
        self.summary.uses = self.uses.into_uses();
        self.summary
    }

    /// Records a use of a name.
    fn add_global_use(&mut self, token: &TokenReference) {
        if self.locals.find_local(&token_name(token)).is_none() {
            self.uses.add_global(token, None, false);
        }
    }

    fn outermost_call(&self) -> Option<(String, String)> {
        self.enclosing_calls.iter().find_map(|open| open.name_and_text.clone())
    }

    fn is_in_lint(&self) -> bool {
        self.enclosing_calls.iter().any(|open| open.is_lint)
    }
}

impl Visitor for ScriptWalker {
    fn visit_block(&mut self, _: &Block) {
        self.locals.open_scope();
    }

    // The condition of a `repeat` loop sees the locals of its body.
    fn visit_block_end(&mut self, block: &Block) {
        if !self.repeat_bodies.last().is_some_and(|last| std::ptr::eq(*last, block)) {
            self.locals.close_scope();
        }
    }

    fn visit_repeat(&mut self, repeat_loop: &Repeat) {
        self.repeat_bodies.push(repeat_loop.block());
    }

    fn visit_repeat_end(&mut self, _: &Repeat) {
        self.repeat_bodies.pop();
        self.locals.close_scope();
    }

    fn visit_function_body(&mut self, body: &FunctionBody) {
        self.locals.open_function();
        if self.method_body.take().is_some_and(|method| std::ptr::eq(method, body)) {
            let at = body.parameters_parentheses().tokens().0;
            self.locals.declare_local("self".to_owned(), token_line(at), false, true);
        }
        let params = body.parameters().iter().filter_map(|parameter| match parameter {
            Parameter::Name(token) => {
                Some(self.locals.declare_local(token_name(token), token_line(token), false, false))
            }
            _ => None,
        });
        let params = params.collect();
        self.uses.enter_function(body, params);
    }

    fn visit_function_body_end(&mut self, _: &FunctionBody) {
        self.uses.leave_function();
        self.locals.close_function();
    }

    fn visit_local_function(&mut self, function: &LocalFunction) {
        let token = function.name();
        let local = self.locals.declare_local(token_name(token), token_line(token), false, true);
        self.uses.param_inference.add_function(local, function.body());
    }

    fn visit_const_function(&mut self, function: &ConstFunction) {
        let token = function.name();
        let local = self.locals.declare_local(token_name(token), token_line(token), false, true);
        self.uses.param_inference.add_function(local, function.body());
    }

    fn visit_const_assignment(&mut self, assignment: &ConstAssignment) {
        for (name, value) in assignment.names().iter().zip(assignment.expressions()) {
            self.uses.function_values.add_initial_value(name, value);
        }
    }

    fn visit_const_assignment_end(&mut self, assignment: &ConstAssignment) {
        let values: Vec<&Expression> = assignment.expressions().iter().collect();
        for (index, token) in assignment.names().iter().enumerate() {
            self.declare_local(token, values.get(index).copied());
            self.bind_call_result(token, &values, index);
        }
    }

    fn visit_if_condition_binding(&mut self, binding: &IfConditionBinding) {
        self.declare_local(binding.name(), None);
    }

    fn visit_prefix(&mut self, prefix: &Prefix) {
        first_chain_name(prefix).into_iter().for_each(|token| self.add_global_use(token));
    }

    fn visit_var(&mut self, var: &Var) {
        if let Var::Name(token) = var {
            self.add_global_use(token);
            self.locals
                .find_local(&token_name(token))
                .into_iter()
                .for_each(|one| self.uses.param_inference.add_use_as_value(one));
        }
    }

    fn visit_function_declaration(&mut self, function: &FunctionDeclaration) {
        self.method_body =
            function.name().method_name().map(|_| std::ptr::from_ref(function.body()));
        let mut names = function.name().names().iter();
        if let (Some(token), None) = (names.next(), names.next())
            && function.name().method_name().is_none()
        {
            self.read_assignment(&Var::Name(token.clone()), Literal::Function);
        } else if let Some(token) = function.name().names().iter().next()
            && let Some(local) = self.locals.find_local(&token_name(token))
        {
            self.uses.shadowing.add_write(local);
        }
    }

    fn visit_local_assignment(&mut self, assignment: &LocalAssignment) {
        for (name, value) in assignment.names().iter().zip(assignment.expressions()) {
            self.uses.function_values.add_initial_value(name, value);
        }
    }

    // The right side sees the names before the assignment.
    fn visit_local_assignment_end(&mut self, assignment: &LocalAssignment) {
        let values: Vec<&Expression> = assignment.expressions().iter().collect();
        for (index, token) in assignment.names().iter().enumerate() {
            self.declare_local(token, values.get(index).copied());
            // An annotation decides the type.
            if assignment.type_specifiers().nth(index).flatten().is_none() {
                self.bind_call_result(token, &values, index);
            }
        }
    }

    fn visit_assignment(&mut self, assignment: &Assignment) {
        let values: Vec<&Expression> = assignment.expressions().iter().collect();
        for (at, target) in assignment.variables().iter().enumerate() {
            self.read_assignment(
                target,
                values.get(at).map_or(Literal::Unknown, |value| literal_of(value)),
            );
        }
    }

    fn visit_compound_assignment(&mut self, assignment: &CompoundAssignment) {
        let new_value = match assignment.compound_operator() {
            CompoundOp::TwoDotsEqual(_) => Literal::Text(None),
            CompoundOp::SlashEqual(_) => Literal::Fraction,
            _ if may_be_fraction(assignment.rhs()) => Literal::Fraction,
            _ => Literal::Number(None),
        };
        self.read_assignment(assignment.lhs(), new_value);
    }

    fn visit_numeric_for(&mut self, for_loop: &NumericFor) {
        self.locals.open_scope();
        self.declare_local(for_loop.index_variable(), None);
    }

    fn visit_numeric_for_end(&mut self, _: &NumericFor) {
        self.locals.close_scope();
    }

    fn visit_generic_for(&mut self, for_loop: &GenericFor) {
        self.enter_generic_loop(for_loop);
    }

    fn visit_generic_for_end(&mut self, _: &GenericFor) {
        self.locals.close_scope();
    }

    fn visit_function_call(&mut self, call: &FunctionCall) {
        self.enter_call(call);
    }

    fn visit_function_call_end(&mut self, _: &FunctionCall) {
        self.leave_call();
    }

    fn visit_if(&mut self, _: &If) {
        self.uses.functions.enter_branch();
    }

    fn visit_if_end(&mut self, _: &If) {
        self.uses.functions.leave_branch();
    }

    fn visit_while(&mut self, _: &While) {
        self.uses.functions.enter_branch();
    }

    fn visit_while_end(&mut self, _: &While) {
        self.uses.functions.leave_branch();
    }

    fn visit_return_end(&mut self, _: &Return) {
        self.uses.functions.add_return();
    }

    fn visit_return(&mut self, return_statement: &Return) {
        if let Some(value) = return_statement.returns().iter().next() {
            let source = self.uses.value_source(value, |name| self.locals.find_local(name));
            self.uses.functions.add_returned_source(source, value);
            self.uses.add_returned_table(value);
            self.uses.ui_tables.add_return(value, |name| self.locals.find_local(name));
            self.uses.add_hook_return(value, token_line(return_statement.token()));
        }
    }

    fn visit_var_expression(&mut self, chain: &VarExpression) {
        if chain.call_count() > 0 {
            self.enter_call(chain);
        } else if let Some(token) = first_chain_name(chain.prefix()) {
            self.read_access_chain(token, chain.suffixes());
        }
    }

    fn visit_var_expression_end(&mut self, chain: &VarExpression) {
        if chain.call_count() > 0 {
            self.leave_call();
        }
    }

    fn visit_expression_end(&mut self, expression: &Expression) {
        if is_branch(expression) {
            self.uses.functions.leave_branch();
        }
    }

    fn visit_expression(&mut self, expression: &Expression) {
        if is_branch(expression) {
            self.uses.functions.enter_branch();
        }
        if let Expression::BinaryOperator { lhs, binop, rhs } = expression
            && matches!(binop, BinOp::TwoEqual(_) | BinOp::TildeEqual(_))
        {
            self.read_comparison(lhs, rhs);
            self.read_comparison(rhs, lhs);
        }
        if let Expression::Var(Var::Name(token)) = expression {
            let local = self.locals.find_local(&token_name(token));
            self.uses.function_values.add_bare_name(token, local);
            if local.is_none() && !self.is_in_lint() {
                self.summary.globals_used_as_values.insert(token_name(token));
            }
        }
    }

    fn visit_table_constructor(&mut self, table: &TableConstructor) {
        self.summary.choices.extend(ChoiceTable::from_table(table));
        self.summary.duplicate_keys.extend(duplicate_keys(table));
        self.uses.add_widget_table(table);
        for field in table.fields().iter().filter(|_| self.locals.is_in_function()) {
            if let Field::NameKey { key, value, .. } = field
                && let Expression::String(token) = &**value
                && LABEL_FIELDS.contains(&token_name(key).as_str())
                && let Some(text) = string_value(token.token())
            {
                self.summary.prompt_labels.push(PromptLabel {
                    field: token_name(key),
                    text,
                    line: token_line(token),
                });
            }
        }
    }

    fn visit_string_literal(&mut self, token: &Token) {
        let Some(text) = string_value(token).filter(|_| !self.is_in_lint()) else { return };
        let callee = self.callee_by_position.get(&token.start_position().bytes()).cloned();
        let (callee, inside) = (callee.unwrap_or_default(), self.outermost_call());
        self.summary.string_literals.push(StringLiteral {
            text,
            line: token_line(token),
            callee,
            outermost_call: inside,
        });
    }

    fn visit_single_line_comment(&mut self, token: &Token) {
        let TokenType::SingleLineComment { comment } = token.token_type() else { return };
        let line = token_line(token);
        let written = self.summary.lines.get((line as usize).saturating_sub(1));
        let is_alone = written.is_some_and(|written| written.trim_start().starts_with("--"));
        self.summary.comments.push(Comment {
            text: comment.trim().to_owned(),
            line,
            is_alone_on_line: is_alone,
        });
    }
}
