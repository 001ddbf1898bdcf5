//! Whether a function returns a value on every path.

use full_moon::ast::{Block, FunctionBody, LastStmt, Stmt};
use full_moon::node::Node as _;

use super::syntax::{callee_and_arguments, is_symbol, token_line, token_name};

/// Where a function returns a value.
#[derive(Debug, Default)]
pub(crate) struct ReturnFlow {
    /// Whether some path returns a value.
    pub(crate) returns_value: bool,
    /// The line of the first path that ends without a value: a bare `return`, or the `end`.
    pub(crate) line_without_value: Option<u32>,
    /// The line of the first loop that nothing ends.
    pub(crate) endless_loop_line: Option<u32>,
}

impl ReturnFlow {
    /// The flow of a function, without the functions inside it.
    pub(super) fn of_function(body: &FunctionBody) -> Self {
        let mut flow = Self::default();
        if flow.can_pass(body.block()) {
            flow.add_end_without_value(token_line(body.end_token()));
        }
        flow
    }

    fn add_end_without_value(&mut self, line: u32) {
        self.line_without_value.get_or_insert(line);
    }

    /// Reads a block, and returns whether the code behind it may run.
    fn can_pass(&mut self, block: &Block) -> bool {
        // The code behind a statement that never passes does not run, but is read for its returns.
        let mut passes = true;
        for statement in block.stmts() {
            passes &= self.statement_can_pass(statement);
        }
        match block.last_stmt() {
            Some(LastStmt::Return(last)) => {
                match last.returns().is_empty() {
                    true => self.add_end_without_value(token_line(last.token())),
                    false => self.returns_value = true,
                }
                false
            }
            // `break` and `continue` go on behind or in a loop.
            Some(_) => false,
            None => passes,
        }
    }

    fn statement_can_pass(&mut self, statement: &Stmt) -> bool {
        match statement {
            Stmt::Do(inner) => self.can_pass(inner.block()),
            Stmt::If(choice) => {
                let mut passes = self.can_pass(choice.block());
                for branch in choice.else_if().into_iter().flatten() {
                    passes |= self.can_pass(branch.block());
                }
                match choice.else_block() {
                    Some(block) => passes | self.can_pass(block),
                    None => true,
                }
            }
            Stmt::While(inner) => {
                self.can_pass(inner.block());
                let is_endless = is_symbol(inner.condition(), "true");
                if is_endless && !may_end(inner.block()) {
                    self.endless_loop_line.get_or_insert(token_line(inner.while_token()));
                }
                !is_endless || leaves_loop(inner.block(), false)
            }
            Stmt::Repeat(inner) => {
                let passes = self.can_pass(inner.block());
                let is_endless = is_symbol(inner.until(), "false");
                if is_endless && !may_end(inner.block()) {
                    self.endless_loop_line.get_or_insert(token_line(inner.repeat_token()));
                }
                !is_endless && passes || leaves_loop(inner.block(), !is_endless)
            }
            Stmt::NumericFor(inner) => {
                self.can_pass(inner.block());
                true
            }
            Stmt::GenericFor(inner) => {
                self.can_pass(inner.block());
                true
            }
            // `error` does not return.
            Stmt::FunctionCall(call) => {
                callee_and_arguments(call).is_none_or(|(called, _)| called != "error")
            }
            _ => true,
        }
    }
}

/// Whether something in a loop may end it, or raises an error.
fn may_end(block: &Block) -> bool {
    let words = ["assert", "break", "error", "return"];
    block.tokens().any(|token| words.contains(&token_name(token).as_str()))
}

/// Whether a `break` ends this block of a loop, or one inside it; or also a `continue`.
fn leaves_loop(block: &Block, or_continues: bool) -> bool {
    let ends = match block.last_stmt() {
        Some(LastStmt::Break(_)) => true,
        Some(LastStmt::Continue(_)) => or_continues,
        _ => false,
    };
    ends || block.stmts().any(|statement| match statement {
        Stmt::Do(inner) => leaves_loop(inner.block(), or_continues),
        Stmt::If(choice) => {
            let mut branches = choice.else_if().into_iter().flatten();
            leaves_loop(choice.block(), or_continues)
                || branches.any(|branch| leaves_loop(branch.block(), or_continues))
                || choice.else_block().is_some_and(|block| leaves_loop(block, or_continues))
        }
        _ => false,
    })
}
