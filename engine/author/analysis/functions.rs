//! The functions of a file: where each begins, what it calls and returns, and whether it returns a
//! value on every path. Effects are computed from this over all files.

use std::collections::{BTreeMap, BTreeSet};

use full_moon::ast::{Call, Expression, FunctionArgs, FunctionBody, Suffix};

use super::file_uses::ValueSource;
use super::literal::{Literal, line_of, literal_of};
use super::locals::{FunctionIndex, LocalId};
use super::return_flow::ReturnFlow;
use super::syntax::{AccessChain, is_symbol, token_line};

/// A function of a script.
#[derive(Debug)]
pub(crate) struct FunctionSummary {
    /// The line where it begins.
    pub(crate) line: u32,
    /// The function around it.
    pub(crate) enclosing: Option<FunctionIndex>,
    /// Whether it is written as an argument of a call, so that it may run while its surroundings
    /// do.
    pub(crate) is_argument: bool,
    /// Its description in a Problem, if the syntax shows that it may not change anything.
    pub(crate) read_only_description: Option<&'static str>,
    /// Whether the syntax shows that it runs in play only.
    pub(crate) runs_in_play: bool,
    /// The functions of the file that it calls: the local's name, the function, the line.
    pub(crate) local_calls: Vec<LocalCall>,
    /// The sources of what it returns; `None` for what is known only at run time.
    pub(crate) returned_sources: Vec<Option<ValueSource>>,
    /// The first value of each `return`, as written, with its line.
    pub(crate) returned_literals: Vec<(u32, Literal)>,
    /// Where it returns a value.
    pub(crate) flow: ReturnFlow,
}

/// A call of a function of the same file.
#[derive(Debug)]
pub(crate) struct LocalCall {
    pub(crate) name: String,
    pub(crate) function: FunctionIndex,
    pub(crate) line: u32,
    /// Whether it may be left out when its function runs.
    pub(crate) is_conditional: bool,
}

/// A function around the current node.
struct OpenFunction {
    index: FunctionIndex,
    /// The number of branches around the current node: `if`, `while`, `and`, `or`.
    branch_depth: usize,
    /// Whether a branch may have returned before.
    may_have_returned: bool,
}

/// Collects the functions of a file during the walk over it.
#[derive(Default)]
pub(super) struct FunctionCollector {
    functions: Vec<FunctionSummary>,
    /// The functions around the current node, innermost last.
    enclosing: Vec<OpenFunction>,
    /// The number of calls around the current node, with the present one.
    call_depth: usize,
    index_by_body: BTreeMap<*const FunctionBody, FunctionIndex>,
    /// Functions that are written as arguments.
    arguments: BTreeSet<*const FunctionBody>,
    /// Calls of locals: the calling function, the local with its name, the line, whether it is
    /// conditional.
    local_calls: Vec<(FunctionIndex, LocalId, String, u32, bool)>,
    /// Hooks in locals, with their descriptions.
    hook_locals: Vec<(LocalId, Option<&'static str>)>,
}

impl FunctionCollector {
    /// Enters a function.
    pub(super) fn enter_function(
        &mut self,
        body: &FunctionBody,
        read_only_description: Option<&'static str>,
        runs_in_play: bool,
    ) {
        let index = self.functions.len();
        self.index_by_body.insert(std::ptr::from_ref(body), index);
        self.functions.push(FunctionSummary {
            line: token_line(body.parameters_parentheses().tokens().0),
            enclosing: self.current_function(),
            is_argument: self.arguments.contains(&std::ptr::from_ref(body)),
            read_only_description,
            runs_in_play,
            local_calls: Vec::new(),
            returned_sources: Vec::new(),
            returned_literals: Vec::new(),
            flow: ReturnFlow::of_function(body),
        });
        self.enclosing.push(OpenFunction { index, branch_depth: 0, may_have_returned: false });
    }

    /// Leaves it.
    pub(super) fn leave_function(&mut self) {
        self.enclosing.pop();
    }

    /// The function around the current node.
    pub(super) fn current_function(&self) -> Option<FunctionIndex> {
        self.enclosing.last().map(|open| open.index)
    }

    /// Whether the current node may be left out when its function runs.
    pub(super) fn is_conditional(&self) -> bool {
        self.enclosing.last().is_some_and(|open| open.branch_depth > 0 || open.may_have_returned)
    }

    /// Enters code that may be left out.
    pub(super) fn enter_branch(&mut self) {
        self.enclosing.last_mut().into_iter().for_each(|open| open.branch_depth += 1);
    }

    /// Leaves it.
    pub(super) fn leave_branch(&mut self) {
        self.enclosing.last_mut().into_iter().for_each(|open| open.branch_depth -= 1);
    }

    /// Records a return of the current function.
    pub(super) fn add_return(&mut self) {
        self.enclosing.last_mut().into_iter().for_each(|open| open.may_have_returned = true);
    }

    /// The function with this body, if it was entered.
    pub(super) fn function_of_body(&self, body: *const FunctionBody) -> Option<FunctionIndex> {
        self.index_by_body.get(&body).copied()
    }

    /// The line where the current function begins.
    pub(super) fn line_of_current_function(&self) -> u32 {
        self.current_function().map_or(0, |function| self.functions[function].line)
    }

    /// Whether the current node is an argument of a call.
    pub(super) fn is_inside_call(&self) -> bool {
        self.call_depth > 1
    }

    /// Leaves a call.
    pub(super) fn leave_call(&mut self) {
        self.call_depth -= 1;
    }

    /// Enters a call, and records the functions that are written as its arguments.
    pub(super) fn enter_call(&mut self, call: &impl AccessChain) {
        self.call_depth += 1;
        for suffix in call.suffixes() {
            if let Suffix::Call(Call::AnonymousCall(arguments)) = suffix
                && let FunctionArgs::Parentheses { arguments, .. } = &**arguments
            {
                self.arguments.extend(arguments.iter().filter_map(|one| match one {
                    Expression::Function(function) => Some(std::ptr::from_ref(function.body())),
                    _ => None,
                }));
            }
        }
    }

    /// Records a call of a local.
    pub(super) fn add_local_call(&mut self, local: LocalId, name: String, line: u32) {
        if let Some(caller) = self.current_function() {
            let is_conditional = self.is_conditional();
            self.local_calls.push((caller, local, name, line, is_conditional));
        }
    }

    /// Records that the function in a local is a hook.
    pub(super) fn add_hook(&mut self, local: LocalId, read_only_description: Option<&'static str>) {
        self.hook_locals.push((local, read_only_description));
    }

    /// Records what the current function returns; nil counts as nothing.
    pub(super) fn add_returned_source(&mut self, source: Option<ValueSource>, value: &Expression) {
        let Some(function) = self.current_function() else { return };
        let literal = literal_of(value);
        if literal != Literal::Nil {
            self.functions[function].returned_sources.push(source);
        }
        // `nil` may be the second operand of `or`.
        let is_certain = literal != Literal::Nil || is_symbol(value, "nil");
        if literal != Literal::Unknown && is_certain {
            self.functions[function].returned_literals.push((line_of(value), literal));
        }
    }

    /// The functions of the file. `body` knows the functions in locals.
    pub(super) fn into_functions(
        self,
        body: impl Fn(LocalId) -> Option<*const FunctionBody>,
    ) -> Vec<FunctionSummary> {
        let Self { mut functions, index_by_body, local_calls, hook_locals, .. } = self;
        let function_in = |local| index_by_body.get(&body(local)?).copied();
        for (caller, local, name, line, is_conditional) in local_calls {
            if let Some(function) = function_in(local) {
                let call = LocalCall { name, function, line, is_conditional };
                functions[caller].local_calls.push(call);
            }
        }
        for (local, read_only_description) in hook_locals {
            if let Some(function) = function_in(local) {
                functions[function].runs_in_play = true;
                let described = &mut functions[function].read_only_description;
                *described = described.or(read_only_description);
            }
        }
        functions
    }
}
