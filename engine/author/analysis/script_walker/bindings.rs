//! Bindings: new locals, assignments, and arguments of local functions.

use full_moon::ast::{Call, Expression, Field, GenericFor, Index, Suffix, Var};
use full_moon::tokenizer::TokenReference;

use super::super::literal::{
    AccessPath, Literal, access_path, iterated_value, line_of, literal_of, path_steps,
};
use super::super::locals::TableKey;
use super::super::syntax::{
    AccessChain, callee_and_arguments, first_argument, first_chain_name, is_table_or_function,
    name_of_plain_variable, table_constructor, token_line, token_name,
};
use super::super::use_collector::listed_kind;
use super::ScriptWalker;
use content::StatePathStep;

impl ScriptWalker {
    pub(super) fn read_assignment(&mut self, target: &Var, new_value: Literal) {
        match target {
            Var::Name(token) => match self.locals.find_local(&token_name(token)) {
                Some(local) => {
                    self.locals.mark_assigned(local, token_line(token));
                    self.uses.add_reassignment(local);
                }
                None => self.uses.add_global(token, None, true),
            },
            Var::Expression(chain) => {
                let Some(token) = first_chain_name(chain.prefix()) else { return };
                self.uses.add_pending_value(token, new_value);
                let Some(local) = self.locals.find_local(&token_name(token)) else { return };
                let suffixes: Vec<&Suffix> = chain.suffixes().collect();
                self.uses.shadowing.add_write(local);
                if suffixes.iter().all(|suffix| matches!(suffix, Suffix::Index(_))) {
                    self.locals.mark_table_written(local, token_line(token));
                }
                if let [Suffix::Index(Index::Brackets { expression, .. })] = suffixes.as_slice()
                    && let Some(key) = self.unordered_key(expression)
                {
                    self.locals.add_keyed_write(local, key);
                }
            }
            _ => {}
        }
    }

    /// A key that may have no order.
    pub(super) fn unordered_key(&self, expression: &Expression) -> Option<TableKey> {
        if is_table_or_function(expression) {
            return Some(TableKey::TableOrFunction);
        }
        self.locals
            .find_local(&token_name(name_of_plain_variable(expression)?))
            .map(TableKey::Local)
    }

    pub(super) fn declare_local(&mut self, token: &TokenReference, value: Option<&Expression>) {
        let table = value.and_then(table_constructor);
        let reference = value.is_some_and(is_table_or_function);
        // The right side sees the names before the declaration.
        let part = value.and_then(|value| self.access_path_of(value));
        let function = value.and_then(|value| {
            self.uses.function_values.global_function(value, |name| self.locals.find_local(name))
        });
        let local_value =
            value.map(|value| self.uses.local_value(value, |name| self.locals.find_local(name)));
        let local = self.locals.declare_local(
            token_name(token),
            token_line(token),
            table.is_some(),
            reference,
        );
        function
            .into_iter()
            .for_each(|function| self.uses.function_values.add_alias(local, token, function));
        if let Some(Expression::Function(function)) = value {
            self.uses.param_inference.add_function(local, function.body());
        }
        part.into_iter().for_each(|part| self.uses.add_local_path(local, part));
        local_value
            .into_iter()
            .for_each(|holds| self.uses.shadowing.add_local(local, token_line(token), holds));
        if let Some(value) = value.filter(|_| self.locals.find_local("require").is_none()) {
            self.uses.add_required_file(local, value);
        }
        value.into_iter().for_each(|value| self.uses.ui_tables.add_local(local, value));
        let Some(table) = table else { return };
        for field in table.fields() {
            if let Field::ExpressionKey { key, .. } = field
                && let Some(key) = self.unordered_key(key)
            {
                self.locals.add_keyed_write(local, key);
            }
        }
    }

    /// Records that a local gets a result of a call: which one, if the call is last in the list.
    pub(super) fn bind_call_result(
        &mut self,
        token: &TokenReference,
        values: &[&Expression],
        index: usize,
    ) {
        let last = values.len().saturating_sub(1);
        let (Some(call), Some(local)) =
            (values.get(index.min(last)), self.locals.find_local(&token_name(token)))
        else {
            return;
        };
        // The call sees the names before the declaration.
        let find = |name: &str| self.locals.find_local(name).filter(|found| *found < local);
        if let Some(part) = self.uses.call_result_path(call, index.saturating_sub(last), find) {
            self.uses.add_local_path(local, part);
        }
    }

    /// Enters a loop over the items of a value, and declares its variables.
    pub(super) fn enter_generic_loop(&mut self, for_loop: &GenericFor) {
        let iterated_expressions: Vec<&Expression> = for_loop.expressions().iter().collect();
        let (mut of_definitions, mut definitions) = (false, None);
        if let [walked] = iterated_expressions.as_slice() {
            let mut iterated_name = name_of_plain_variable(walked);
            if let Expression::FunctionCall(call) = walked {
                let (called, arguments) = callee_and_arguments(call).unwrap_or_default();
                of_definitions = called == "all";
                definitions = listed_kind(walked).and_then(|kind| self.access_path_of(kind));
                let walks = ["pairs", "next"].contains(&called.as_str());
                iterated_name = arguments
                    .filter(|_| walks)
                    .and_then(first_argument)
                    .and_then(name_of_plain_variable);
            }
            if let Some(local) =
                iterated_name.and_then(|token| self.locals.find_local(&token_name(token)))
            {
                self.locals.add_loop(local, token_line(for_loop.for_token()));
            }
        }
        let each = iterated_value(&iterated_expressions).and_then(|over| self.access_path_of(over));
        let each = each.or(definitions);
        self.locals.open_scope();
        for (index, token) in for_loop.names().iter().enumerate() {
            let local = self.locals.declare_local(
                token_name(token),
                token_line(token),
                false,
                of_definitions && index == 1,
            );
            if let (1, Some(each)) = (index, &each) {
                self.uses.add_local_path(local, each.append_steps([StatePathStep::AnyEntry]));
            }
        }
    }

    /// Records a comparison with a literal.
    pub(super) fn read_comparison(&mut self, expression: &Expression, literal: &Expression) {
        if let (Some(part), Literal::Text(Some(text))) =
            (self.access_path_of(expression), literal_of(literal))
        {
            self.uses.add_comparison(part, text, line_of(literal));
        }
    }

    /// The access path of an expression.
    pub(super) fn access_path_of(&self, expression: &Expression) -> Option<AccessPath> {
        let find = |name: &str| self.locals.find_local(name);
        access_path(expression, &|name| self.uses.access_path_of_name(find(name), name))
            .or_else(|| self.uses.field_of_result_path(expression, find))
    }

    /// Records a read of a call's result without a name: `blows.last().outcome`. `front` is the
    /// global name at the start.
    pub(super) fn read_call_result_access(
        &mut self,
        token: &TokenReference,
        front: String,
        call: &impl AccessChain,
    ) {
        let (mut called, mut suffixes) = (front, call.suffixes());
        let arguments = loop {
            match suffixes.next() {
                Some(Suffix::Index(Index::Dot { name: field, .. })) => {
                    called = format!("{called}.{}", token_name(field));
                }
                Some(Suffix::Call(Call::AnonymousCall(arguments))) => break arguments,
                _ => return,
            }
        };
        let (steps, to_its_end) = path_steps(suffixes);
        if !steps.is_empty() {
            let find = |name: &str| self.locals.find_local(name);
            let part = self.uses.first_result_path(called, arguments, find).append_steps(steps);
            self.uses.add_access(token, part, to_its_end);
        }
    }
}
