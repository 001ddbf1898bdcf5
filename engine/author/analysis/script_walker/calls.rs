//! Calls, wherever they stand: alone, as a value, or with an index or another call behind them.

use full_moon::ast::{Call, FunctionArgs, Suffix};
use full_moon::tokenizer::TokenReference;

use super::super::lib_files::is_field_call;
use super::super::literal::path_steps;
use super::super::syntax::{
    AccessChain, callee_and_arguments, first_argument, first_chain_name, first_string_token,
    name_of_plain_variable, string_value, token_line, token_name,
};
use super::{EnclosingCall, MUTATING_FUNCTIONS, ScriptWalker};

impl ScriptWalker {
    /// Enters a chain with a call in it.
    pub(super) fn enter_call(&mut self, call: &impl AccessChain) {
        let front = first_chain_name(call.prefix());
        self.uses.functions.enter_call(call);
        if let Some(token) = front {
            self.read_access_chain(token, call.suffixes());
            self.read_local_call(token, call);
            self.read_method_call(token, call);
        }
        let own = front.and_then(|token| self.locals.find_local(&token_name(token)));
        if let Some(token) = front {
            let renamed = own.and_then(|own| self.uses.function_values.aliased_function(own));
            let function = renamed.map(str::to_owned).or(own.is_none().then(|| token_name(token)));
            function.into_iter().for_each(|name| self.read_call_result_access(token, name, call));
        }
        if let Some(of) = self.uses.required_file(own).filter(|_| is_field_call(call)).cloned()
            && let Some((called, Some(_))) = callee_and_arguments(call)
        {
            self.uses.add_call(&called, Some(of), call, |name| self.locals.find_local(name));
        }
        let (called, arguments) =
            self.uses.called_global(call, |name| self.locals.find_local(name)).unwrap_or_default();
        if !called.is_empty() {
            front.into_iter().for_each(|token| self.uses.function_values.add_resolved_name(token));
        }
        // `boat[id].on_leave(…)` calls a field, not `boat`.
        if !called.is_empty() && arguments.is_some() {
            self.uses.add_call(&called, None, call, |name| self.locals.find_local(name));
        }
        self.uses
            .ui_tables
            .add_table_insert(&called, arguments, |name| self.locals.find_local(name));
        let first = arguments.and_then(first_string_token);
        if MUTATING_FUNCTIONS.contains(&called.as_str())
            && let Some(token) = arguments.and_then(first_argument).and_then(name_of_plain_variable)
            && let Some(local) = self.locals.find_local(&token_name(token))
        {
            self.locals.mark_table_written(local, token_line(token));
        }
        let first_text = first.and_then(|token| {
            self.callee_by_position.insert(token.token().start_position().bytes(), called.clone());
            string_value(token.token())
        });
        let lint = called == "lint";
        self.enclosing_calls.push(EnclosingCall {
            name_and_text: first_text.map(|named| (called, named)),
            is_lint: lint,
        });
    }

    /// Leaves it.
    pub(super) fn leave_call(&mut self) {
        self.enclosing_calls.pop();
        self.uses.functions.leave_call();
    }

    /// Records a call with a colon on a value that is not the result of another call.
    fn read_method_call(&mut self, token: &TokenReference, call: &impl AccessChain) {
        let is_index = |suffix: &&Suffix| matches!(suffix, Suffix::Index(_));
        let (steps, _) = path_steps(call.suffixes().take_while(is_index));
        let Some(Suffix::Call(Call::MethodCall(method))) = call.suffixes().nth(steps.len()) else {
            return;
        };
        let local = self.locals.find_local(&token_name(token));
        let front = self.uses.access_path_of_name(local, &token_name(token));
        if let Some(front) = front {
            self.uses.add_method_call(front.append_steps(steps), method.name());
        }
    }

    /// Records a call of a local.
    fn read_local_call(&mut self, token: &TokenReference, call: &impl AccessChain) {
        let Some(local) = self.locals.find_local(&token_name(token)) else { return };
        let Some(Suffix::Call(Call::AnonymousCall(arguments))) = call.suffixes().next() else {
            return;
        };
        self.uses.shadowing.add_use(local, &token_name(token), None, token_line(token));
        let argument_paths = match &**arguments {
            FunctionArgs::Parentheses { arguments, .. } => {
                arguments.iter().map(|one| self.access_path_of(one)).collect()
            }
            _ => vec![None],
        };
        self.uses.param_inference.add_call(local, argument_paths);
        self.uses.functions.add_local_call(local, token_name(token), token_line(token));
        let find = |name: &str| self.locals.find_local(name);
        if let Some(result) = self.uses.local_result_path(call, find) {
            let (steps, to_its_end) = path_steps(call.suffixes().skip(1));
            if !steps.is_empty() {
                self.uses.add_access(token, result.append_steps(steps), to_its_end);
            }
        }
    }
}
