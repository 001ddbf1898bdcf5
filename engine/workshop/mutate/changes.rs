//! The mutants of a file: one walk over its syntax tree that records every small change it knows.
//! All mutants are made before any is tried, so that none is left out by choice.

use full_moon::ast::luau::IfExpression;
use full_moon::ast::{
    BinOp, Block, Call, Expression, Field, FunctionBody, FunctionCall, If, Index, LastStmt, Repeat,
    Stmt, Suffix, TableConstructor, UnOp, While,
};
use full_moon::node::Node;
use full_moon::tokenizer::{Symbol, TokenReference, TokenType};
use full_moon::visitors::Visitor;

use super::mutant::{Mutant, Sort};
use super::numbers;

/// Calls that are not part of the game, so that changes in them are not tried.
const ASIDE: [&str; 1] = ["lint"];
/// Calls at the top of a file that may be removed. Without any other, the file would not load.
const HOOKS: [&str; 2] = ["before", "after"];

/// All mutants of a file, in source order.
pub(super) fn of(file: &str, text: &str, tree: &full_moon::ast::Ast) -> Vec<Mutant> {
    let mut walk = Walk {
        file,
        text,
        found: Vec::new(),
        anchors: Vec::new(),
        functions: 0,
        tables: 0,
        aside: 0,
        idle: Vec::new(),
    };
    walk.visit_ast(tree);
    walk.found.sort_by(|one, other| {
        (one.from, one.to, &one.with).cmp(&(other.from, other.to, &other.with))
    });
    walk.found.dedup();
    walk.found
}

struct Walk<'t> {
    file: &'t str,
    text: &'t str,
    found: Vec<Mutant>,
    /// The lines of the statements around the current node, outermost first.
    anchors: Vec<u32>,
    /// The number of functions and tables around the current node.
    functions: usize,
    tables: usize,
    /// The number of calls around the current node that are not part of the game.
    aside: usize,
    /// The starts of returns at the end of a function that return what the function returns anyway.
    idle: Vec<usize>,
}

/// The byte range of a node.
fn range(node: &impl Node) -> Option<(usize, usize)> {
    node.range().map(|(from, to)| (from.bytes(), to.bytes()))
}

/// Whether a text is a word such as an id, not a text for the player.
fn is_word(text: &str) -> bool {
    !text.contains(char::is_whitespace)
}

/// The sort of a value; values of the same sort can be swapped.
fn sort_of(value: &Expression) -> Option<&'static str> {
    match value {
        Expression::Number(_) => Some("number"),
        Expression::String(token) if is_word(&token.token().to_string()) => Some("word"),
        Expression::TableConstructor(_) => Some("table"),
        Expression::Symbol(_) => Some("symbol"),
        Expression::UnaryOperator { .. } => Some("number"),
        _ => None,
    }
}

impl Walk<'_> {
    fn put(
        &mut self,
        sort: Sort,
        (from, to): (usize, usize),
        with: impl Into<String>,
        change: impl Into<String>,
    ) {
        if self.aside > 0 {
            return;
        }
        let line = 1 + self.text[..from].bytes().filter(|byte| *byte == b'\n').count();
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.found.push(Mutant {
            file: self.file.to_owned(),
            sort,
            line,
            anchor: self.anchors.last().copied().unwrap_or(line),
            loading: self.functions == 0,
            from,
            to,
            with: with.into(),
            change: change.into(),
        });
    }

    /// Replaces a token.
    fn token(&mut self, sort: Sort, token: &TokenReference, with: &str) {
        let was = token.token().to_string();
        if let Some(place) = range(token) {
            self.put(sort, place, with, format!("{was} -> {with}"));
        }
    }

    fn condition(&mut self, condition: &Expression, ways: &[&str]) {
        let Some((from, to)) = range(condition) else { return };
        for way in ways.iter().filter(|way| &self.text[from..to] != **way) {
            self.put(Sort::Condition, (from, to), *way, format!("condition -> {way}"));
        }
    }

    fn leave_out(&mut self, stmt: &Stmt) {
        let may = match stmt {
            Stmt::Assignment(_)
            | Stmt::CompoundAssignment(_)
            | Stmt::If(_)
            | Stmt::GenericFor(_)
            | Stmt::NumericFor(_)
            | Stmt::While(_)
            | Stmt::Repeat(_) => self.functions > 0,
            Stmt::FunctionCall(call) => {
                let name = call.prefix().to_string();
                self.functions > 0 || HOOKS.contains(&name.trim())
            }
            _ => false,
        };
        if let Some(place) = range(stmt).filter(|_| may) {
            self.put(Sort::Statement, place, "do end", "left out");
        }
    }

    /// Removes a `return`, `break` or `continue`, so that the code after the block runs.
    fn leave_out_last(&mut self, stmt: &LastStmt) {
        let Some((from, to)) = range(stmt).filter(|_| self.functions > 0) else { return };
        let change = match stmt {
            LastStmt::Return(_) if self.idle.contains(&from) => return,
            LastStmt::Return(_) => "return left out",
            LastStmt::Break(_) => "break left out",
            _ => "continue left out",
        };
        self.put(Sort::Statement, (from, to), "do end", change);
    }

    fn binary(&mut self, binop: &BinOp) {
        let (sort, token, with) = match binop {
            BinOp::And(token) => (Sort::Junction, token, "or"),
            BinOp::Or(token) => (Sort::Junction, token, "and"),
            BinOp::LessThan(token) => (Sort::Comparison, token, "<="),
            BinOp::LessThanEqual(token) => (Sort::Comparison, token, "<"),
            BinOp::GreaterThan(token) => (Sort::Comparison, token, ">="),
            BinOp::GreaterThanEqual(token) => (Sort::Comparison, token, ">"),
            BinOp::TwoEqual(token) => (Sort::Comparison, token, "~="),
            BinOp::TildeEqual(token) => (Sort::Comparison, token, "=="),
            BinOp::Plus(token) => (Sort::Arithmetic, token, "-"),
            BinOp::Minus(token) => (Sort::Arithmetic, token, "+"),
            BinOp::Star(token) => (Sort::Arithmetic, token, "//"),
            BinOp::DoubleSlash(token) | BinOp::Slash(token) => (Sort::Arithmetic, token, "*"),
            _ => return,
        };
        self.token(sort, token, with);
    }

    /// The entries of a table: each is swapped with the next one. Entries of inner tables, and
    /// functions, are also removed.
    fn entries(&mut self, table: &TableConstructor) {
        let fields: Vec<&Field> = table.fields().iter().collect();
        for pair in fields.windows(2) {
            let (Some(one), Some(other)) = (value(pair[0]), value(pair[1])) else { continue };
            let same_sort = sort_of(one).is_some_and(|sort| sort_of(other) == Some(sort));
            let (Some(first), Some(second)) = (range(one), range(other)) else { continue };
            let (left, right) = (&self.text[first.0..first.1], &self.text[second.0..second.1]);
            if same_sort && left != right {
                let between = &self.text[first.1..second.0];
                let with = format!("{right}{between}{left}");
                self.put(Sort::Swap, (first.0, second.1), with, "swapped with the next");
            }
        }
        let inner = self.tables > 0;
        for field in fields {
            let Field::NameKey { key, value, .. } = field else { continue };
            // A function is an effect wherever it is; other fields of a definition may be required.
            if !inner && !matches!(&**value, Expression::Function(_)) {
                continue;
            }
            let prose = matches!(&**value, Expression::String(token) if !is_word(&token.token().to_string()));
            if let (false, Some(place)) = (prose, range(&**value)) {
                let name = key.token().to_string();
                self.put(Sort::Entry, place, "nil", format!("without {name}"));
            }
        }
    }
}

fn value(field: &Field) -> Option<&Expression> {
    match field {
        Field::NameKey { value, .. } | Field::ExpressionKey { value, .. } => Some(value),
        Field::NoKey(value) => Some(value),
        _ => None,
    }
}

/// Whether it is a `return` without a value, or of `nil`.
fn gives_nothing(stmt: &LastStmt) -> bool {
    let LastStmt::Return(given) = stmt else { return false };
    given.returns().iter().all(|one| one.to_string().trim() == "nil") && given.returns().len() < 2
}

fn line_of(node: &impl Node) -> u32 {
    node.start_position().map_or(0, |at| u32::try_from(at.line()).unwrap_or(0))
}

impl Visitor for Walk<'_> {
    fn visit_block(&mut self, block: &Block) {
        block.stmts().for_each(|stmt| {
            self.anchors.push(line_of(stmt));
            self.leave_out(stmt);
            self.anchors.pop();
        });
    }

    fn visit_stmt(&mut self, stmt: &Stmt) {
        self.anchors.push(line_of(stmt));
    }

    fn visit_stmt_end(&mut self, _: &Stmt) {
        self.anchors.pop();
    }

    fn visit_last_stmt(&mut self, stmt: &LastStmt) {
        self.anchors.push(line_of(stmt));
        self.leave_out_last(stmt);
    }

    fn visit_last_stmt_end(&mut self, _: &LastStmt) {
        self.anchors.pop();
    }

    fn visit_function_body(&mut self, body: &FunctionBody) {
        self.functions += 1;
        let last = body.block().last_stmt().filter(|last| gives_nothing(last));
        self.idle.extend(last.and_then(range).map(|(from, _)| from));
    }

    fn visit_function_body_end(&mut self, _: &FunctionBody) {
        self.functions -= 1;
    }

    fn visit_function_call(&mut self, call: &FunctionCall) {
        let name = call.prefix().to_string();
        self.aside += usize::from(ASIDE.contains(&name.trim()));
        let mut suffixes = call.suffixes();
        if let (
            Some(Suffix::Index(Index::Dot { name: field, .. })),
            Some(Suffix::Call(Call::AnonymousCall(_))),
        ) = (suffixes.next(), suffixes.next())
            && name.trim() == "math"
        {
            match field.token().to_string().as_str() {
                "min" => self.token(Sort::Arithmetic, field, "max"),
                "max" => self.token(Sort::Arithmetic, field, "min"),
                _ => {}
            }
        }
    }

    fn visit_function_call_end(&mut self, call: &FunctionCall) {
        let name = call.prefix().to_string();
        self.aside -= usize::from(ASIDE.contains(&name.trim()));
    }

    fn visit_if(&mut self, choice: &If) {
        if choice.binding().is_none() {
            self.condition(choice.condition(), &["true", "false"]);
        }
        for further in choice.else_if().into_iter().flatten().filter(|one| one.binding().is_none())
        {
            self.condition(further.condition(), &["true", "false"]);
        }
    }

    fn visit_if_expression(&mut self, choice: &IfExpression) {
        if choice.binding().is_none() {
            self.condition(choice.condition(), &["true", "false"]);
        }
        let further = choice.else_if_expressions().into_iter().flatten();
        for one in further.filter(|one| one.binding().is_none()) {
            self.condition(one.condition(), &["true", "false"]);
        }
    }

    fn visit_while(&mut self, turn: &While) {
        self.condition(turn.condition(), &["false"]);
    }

    fn visit_repeat(&mut self, turn: &Repeat) {
        self.condition(turn.until(), &["true"]);
    }

    fn visit_table_constructor(&mut self, table: &TableConstructor) {
        self.entries(table);
        self.tables += 1;
    }

    fn visit_table_constructor_end(&mut self, _: &TableConstructor) {
        self.tables -= 1;
    }

    fn visit_expression(&mut self, expression: &Expression) {
        match expression {
            Expression::BinaryOperator { binop, .. } => self.binary(binop),
            Expression::UnaryOperator { unop: UnOp::Not(token), .. } => {
                if let Some(place) = range(token) {
                    self.put(Sort::Condition, place, "", "without not");
                }
            }
            Expression::Symbol(token) => match token.token().token_type() {
                TokenType::Symbol { symbol: Symbol::True } => {
                    self.token(Sort::Flag, token, "false")
                }
                TokenType::Symbol { symbol: Symbol::False } => {
                    self.token(Sort::Flag, token, "true")
                }
                _ => {}
            },
            Expression::Number(token) | Expression::String(token) => {
                let was = token.token().to_string();
                let Some(place) = range(token) else { return };
                for (with, change) in numbers::neighbours(&was) {
                    self.put(Sort::Number, place, with, change);
                }
            }
            _ => {}
        }
    }
}
