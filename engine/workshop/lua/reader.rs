//! One walk over the syntax tree of a file, which resolves names and builds the file summary. If
//! something is not certain, it is not recorded: a wrong warning teaches people to ignore the
//! others.

mod given;

use std::collections::BTreeMap;

use full_moon::ast::{
    Assignment, BinOp, Block, CompoundAssignment, CompoundOp, Expression, Field, FunctionBody,
    FunctionCall, FunctionDeclaration, GenericFor, Index, LocalAssignment, LocalFunction,
    NumericFor, Parameter, Prefix, Repeat, Return, Suffix, TableConstructor, Var, VarExpression,
    luau::{ConstAssignment, ConstFunction, IfConditionBinding},
};
use full_moon::tokenizer::{Token, TokenReference, TokenType};
use full_moon::visitors::Visitor;

use super::locals::Locals;
use super::names::{
    bare, callee, first_argument, first_text, front, is_composed, line, name, text,
};
use super::offered::Offered;
use super::required::is_plain;
use super::said::{Said, said, steps, walked};
use super::uses::Gatherer;
use super::{Comment, Facts, Label, Read, Word};
use crate::content::Way;

/// Fields of prompts that must fit on a line.
const LABELS: [&str; 5] = ["label", "title", "note", "disabled_because", "cost"];
/// Library functions that change their argument.
const CHANGERS: [&str; 4] = ["table.insert", "table.remove", "table.sort", "table.clear"];

/// A call around the current node.
struct Opened {
    /// Its name, and its first argument if that is a string: `spell` and `x` of `spell "x"`.
    named: Option<(String, String)>,
    /// Whether it is a lint of the game; a mention in it is not a use.
    lint: bool,
}

/// The walk over one file.
pub(super) struct Reader {
    facts: Facts,
    locals: Locals,
    uses: Gatherer,
    /// The calls that string literals are the first argument of, by position.
    callees: BTreeMap<usize, String>,
    /// The calls around the current node, outermost first.
    open: Vec<Opened>,
    /// The bodies of `repeat` loops around the current node.
    repeated: Vec<*const Block>,
    /// The body of a method, which has the parameter `self`.
    method: Option<*const FunctionBody>,
}

impl Reader {
    pub(super) fn new(facts: Facts) -> Self {
        let file = format!("{}/{}", facts.owner, facts.file);
        Self {
            facts,
            locals: Locals::default(),
            uses: Gatherer::of(file),
            callees: BTreeMap::new(),
            open: Vec::new(),
            repeated: Vec::new(),
            method: None,
        }
    }

    /// Returns the file summary.
    pub(super) fn finish(mut self) -> Facts {
        self.facts.loops = self.locals.unordered();
        self.facts.kept = self.locals.kept;
        self.facts.uses = self.uses.finish();
        self.facts
    }

    /// Reads a chain that starts with this name.
    fn chain<'a>(&mut self, token: &TokenReference, suffixes: impl Iterator<Item = &'a Suffix>) {
        let front = name(token);
        let all: Vec<&Suffix> = suffixes.collect();
        let Some(Suffix::Index(index)) = all.first() else { return };
        let plain = match index {
            Index::Dot { name: field, .. } => Some(name(field)),
            Index::Brackets { expression, .. } => match &**expression {
                Expression::String(token) => text(token.token()),
                _ => None,
            },
            _ => None,
        };
        let local = self.locals.find(&front);
        if let (Some(local), Some(field)) = (local, &plain) {
            self.uses.hiding.used(local, &front, Some(field), line(token));
            self.uses.asks(local, token, field);
        }
        if let Some(part) = self.uses.held(local, &front) {
            let (steps, to_its_end) = steps(all.iter().copied());
            self.uses.part(token, part.then(steps), to_its_end);
        }
        if let Some(local) = local {
            return self.locals.indexed(local);
        }
        self.asked_at_once(token, &all);
        self.uses.global(token, plain, false);
        if let Some(Suffix::Index(Index::Dot { name: further, .. })) = all.get(1) {
            self.uses.goes_on(token, further);
        }
        let read = match index {
            Index::Dot { name: field, .. } => Some(name(field)),
            Index::Brackets { expression, .. } => match &**expression {
                Expression::String(token) => text(token.token()),
                other if is_composed(other) => None,
                _ => return,
            },
            _ => return,
        };
        match read {
            _ if self.in_lint() => {}
            Some(name) => drop(self.facts.reads.insert(Read { table: front, name })),
            None => drop(self.facts.wholes.insert(front)),
        }
    }

    /// Records a use of a name.
    fn used(&mut self, token: &TokenReference) {
        if self.locals.find(&name(token)).is_none() {
            self.uses.global(token, None, false);
        }
    }

    fn inside(&self) -> Option<(String, String)> {
        self.open.iter().find_map(|open| open.named.clone())
    }

    fn in_lint(&self) -> bool {
        self.open.iter().any(|open| open.lint)
    }
}

impl Visitor for Reader {
    fn visit_block(&mut self, _: &Block) {
        self.locals.open();
    }

    // The condition of a `repeat` loop sees the locals of its body.
    fn visit_block_end(&mut self, block: &Block) {
        if !self.repeated.last().is_some_and(|last| std::ptr::eq(*last, block)) {
            self.locals.close();
        }
    }

    fn visit_repeat(&mut self, turn: &Repeat) {
        self.repeated.push(turn.block());
    }

    fn visit_repeat_end(&mut self, _: &Repeat) {
        self.repeated.pop();
        self.locals.close();
    }

    fn visit_function_body(&mut self, body: &FunctionBody) {
        self.locals.open_function();
        if self.method.take().is_some_and(|method| std::ptr::eq(method, body)) {
            let at = body.parameters_parentheses().tokens().0;
            self.locals.declare("self".to_owned(), line(at), false, true);
        }
        let takes = body.parameters().iter().filter_map(|parameter| match parameter {
            Parameter::Name(token) => {
                Some(self.locals.declare(name(token), line(token), false, false))
            }
            _ => None,
        });
        let takes = takes.collect();
        self.uses.begin(body, takes);
    }

    fn visit_function_body_end(&mut self, _: &FunctionBody) {
        self.uses.end();
        self.locals.close_function();
    }

    fn visit_local_function(&mut self, function: &LocalFunction) {
        let token = function.name();
        let local = self.locals.declare(name(token), line(token), false, true);
        self.uses.handed.holds(local, function.body());
    }

    fn visit_const_function(&mut self, function: &ConstFunction) {
        let token = function.name();
        let local = self.locals.declare(name(token), line(token), false, true);
        self.uses.handed.holds(local, function.body());
    }

    fn visit_const_assignment_end(&mut self, assignment: &ConstAssignment) {
        let values: Vec<&Expression> = assignment.expressions().iter().collect();
        for (index, token) in assignment.names().iter().enumerate() {
            self.declare(token, values.get(index).copied());
            self.gives(token, &values, index);
        }
    }

    fn visit_if_condition_binding(&mut self, binding: &IfConditionBinding) {
        self.declare(binding.name(), None);
    }

    fn visit_prefix(&mut self, prefix: &Prefix) {
        front(prefix).into_iter().for_each(|token| self.used(token));
    }

    fn visit_var(&mut self, var: &Var) {
        if let Var::Name(token) = var {
            self.used(token);
            self.locals.find(&name(token)).into_iter().for_each(|one| self.uses.handed.kept(one));
        }
    }

    fn visit_function_declaration(&mut self, function: &FunctionDeclaration) {
        self.method = function.name().method_name().map(|_| std::ptr::from_ref(function.body()));
        let mut names = function.name().names().iter();
        if let (Some(token), None) = (names.next(), names.next())
            && function.name().method_name().is_none()
        {
            self.assign(&Var::Name(token.clone()), Said::Function);
        } else if let Some(token) = function.name().names().iter().next()
            && let Some(local) = self.locals.find(&name(token))
        {
            self.uses.hiding.written(local);
        }
    }

    // The right side sees the names before the assignment.
    fn visit_local_assignment_end(&mut self, assignment: &LocalAssignment) {
        let values: Vec<&Expression> = assignment.expressions().iter().collect();
        for (index, token) in assignment.names().iter().enumerate() {
            self.declare(token, values.get(index).copied());
            // An annotation decides the type.
            if assignment.type_specifiers().nth(index).flatten().is_none() {
                self.gives(token, &values, index);
            }
        }
    }

    fn visit_assignment(&mut self, assignment: &Assignment) {
        let values: Vec<&Expression> = assignment.expressions().iter().collect();
        for (at, target) in assignment.variables().iter().enumerate() {
            self.assign(target, values.get(at).map_or(Said::Untold, |value| said(value)));
        }
    }

    fn visit_compound_assignment(&mut self, assignment: &CompoundAssignment) {
        let given = match assignment.compound_operator() {
            CompoundOp::TwoDotsEqual(_) => Said::Text(None),
            _ => Said::Number(None),
        };
        self.assign(assignment.lhs(), given);
    }

    fn visit_numeric_for(&mut self, turn: &NumericFor) {
        self.locals.open();
        self.declare(turn.index_variable(), None);
    }

    fn visit_numeric_for_end(&mut self, _: &NumericFor) {
        self.locals.close();
    }

    fn visit_generic_for(&mut self, turn: &GenericFor) {
        let walked: Vec<&Expression> = turn.expressions().iter().collect();
        let mut of_definitions = false;
        if let [walked] = walked.as_slice() {
            let mut over = bare(walked);
            if let Expression::FunctionCall(call) = walked {
                let (called, arguments) = callee(call).unwrap_or_default();
                of_definitions = called == "all";
                let walks = ["pairs", "next"].contains(&called.as_str());
                over = arguments.filter(|_| walks).and_then(first_argument).and_then(bare);
            }
            if let Some(local) = over.and_then(|token| self.locals.find(&name(token))) {
                self.locals.walked(local, line(turn.for_token()));
            }
        }
        let each = self::walked(&walked).and_then(|over| self.part_of(over));
        self.locals.open();
        for (index, token) in turn.names().iter().enumerate() {
            let local =
                self.locals.declare(name(token), line(token), false, of_definitions && index == 1);
            if let (1, Some(each)) = (index, &each) {
                self.uses.holds(local, each.then([Way::Each]));
            }
        }
    }

    fn visit_generic_for_end(&mut self, _: &GenericFor) {
        self.locals.close();
    }

    fn visit_function_call(&mut self, call: &FunctionCall) {
        if let Some(token) = front(call.prefix()) {
            self.chain(token, call.suffixes());
            self.called(token, call);
        }
        let own = front(call.prefix()).and_then(|token| self.locals.find(&name(token)));
        if let Some(of) = self.uses.required(own).filter(|_| is_plain(call)).cloned()
            && let Some((called, _)) = callee(call)
        {
            self.uses.call(&called, Some(of), call, |name| self.locals.find(name));
        }
        let (called, arguments) = callee(call).filter(|_| own.is_none()).unwrap_or_default();
        if !called.is_empty() {
            self.uses.call(&called, None, call, |name| self.locals.find(name));
        }
        self.uses.showing.inserted(&called, arguments, |name| self.locals.find(name));
        let first = arguments.and_then(first_text);
        if CHANGERS.contains(&called.as_str())
            && let Some(token) = arguments.and_then(first_argument).and_then(bare)
            && let Some(local) = self.locals.find(&name(token))
        {
            self.locals.changed(local, line(token));
        }
        let named = first.and_then(|token| {
            self.callees.insert(token.token().start_position().bytes(), called.clone());
            text(token.token())
        });
        let lint = called == "lint";
        self.open.push(Opened { named: named.map(|named| (called, named)), lint });
    }

    fn visit_function_call_end(&mut self, _: &FunctionCall) {
        self.open.pop();
    }

    fn visit_return(&mut self, given: &Return) {
        if let Some(value) = given.returns().iter().next() {
            self.uses.showing.returns(value, |name| self.locals.find(name));
            self.uses.gives_back(value, line(given.token()));
        }
    }

    fn visit_var_expression(&mut self, chain: &VarExpression) {
        if let Some(token) = front(chain.prefix()) {
            self.chain(token, chain.suffixes());
        }
    }

    fn visit_expression(&mut self, expression: &Expression) {
        if let Expression::BinaryOperator { lhs, binop, rhs } = expression
            && matches!(binop, BinOp::TwoEqual(_) | BinOp::TildeEqual(_))
        {
            self.compared(lhs, rhs);
            self.compared(rhs, lhs);
        }
        if let Expression::Var(Var::Name(token)) = expression
            && self.locals.find(&name(token)).is_none()
            && !self.in_lint()
        {
            self.facts.wholes.insert(name(token));
        }
    }

    fn visit_table_constructor(&mut self, table: &TableConstructor) {
        self.facts.offered.extend(Offered::read(table));
        for field in table.fields().iter().filter(|_| self.locals.in_function()) {
            if let Field::NameKey { key, value, .. } = field
                && let Expression::String(token) = &**value
                && LABELS.contains(&name(key).as_str())
                && let Some(text) = text(token.token())
            {
                self.facts.labels.push(Label { field: name(key), text, line: line(token) });
            }
        }
    }

    fn visit_string_literal(&mut self, token: &Token) {
        let Some(text) = text(token).filter(|_| !self.in_lint()) else { return };
        let callee = self.callees.get(&token.start_position().bytes()).cloned();
        let (callee, inside) = (callee.unwrap_or_default(), self.inside());
        self.facts.words.push(Word { text, line: line(token), callee, inside });
    }

    fn visit_single_line_comment(&mut self, token: &Token) {
        let TokenType::SingleLineComment { comment } = token.token_type() else { return };
        let line = line(token);
        let written = self.facts.lines.get((line as usize).saturating_sub(1));
        let alone = written.is_some_and(|written| written.trim_start().starts_with("--"));
        self.facts.comments.push(Comment { text: comment.trim().to_owned(), line, alone });
    }
}
