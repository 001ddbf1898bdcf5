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

use super::closed_words::{ClosedWords, declares_list};
use super::mutant::{Mutant, MutantKind};
use super::number_mutants;

/// Calls that are not part of the game, so that changes in them are not tried.
const IGNORED_CALLS: [&str; 1] = ["lint"];
/// Calls at the top of a file that may be removed. Without any other, the file would not load.
const REMOVABLE_CALLS: [&str; 2] = ["before", "after"];

/// All mutants of a file, in source order.
pub(super) fn mutants_of(
    file: &str,
    text: &str,
    tree: &full_moon::ast::Ast,
    closed_words: &ClosedWords,
) -> Vec<Mutant> {
    let mut walk = MutantWalker {
        file,
        text,
        closed_words,
        mutants: Vec::new(),
        statement_lines: Vec::new(),
        function_depth: 0,
        table_depth: 0,
        ignored_depth: 0,
        redundant_returns: Vec::new(),
    };
    walk.visit_ast(tree);
    walk.mutants.sort_by(|one, other| {
        (one.start_byte, one.end_byte, &one.replacement).cmp(&(
            other.start_byte,
            other.end_byte,
            &other.replacement,
        ))
    });
    walk.mutants.dedup();
    walk.mutants
}

struct MutantWalker<'t> {
    file: &'t str,
    text: &'t str,
    closed_words: &'t ClosedWords,
    mutants: Vec<Mutant>,
    /// The lines of the statements around the current node, outermost first.
    statement_lines: Vec<u32>,
    /// The number of functions and tables around the current node.
    function_depth: usize,
    table_depth: usize,
    /// The number of calls around the current node that are not part of the game.
    ignored_depth: usize,
    /// The starts of returns at the end of a function that return what the function returns anyway.
    redundant_returns: Vec<usize>,
}

/// The byte range of a node.
fn byte_range(node: &impl Node) -> Option<(usize, usize)> {
    node.range().map(|(from, to)| (from.bytes(), to.bytes()))
}

/// Whether a text is a word such as an id, not a text for the player.
fn is_id_word(text: &str) -> bool {
    !text.contains(char::is_whitespace)
}

/// The type of a value; only values of the same type are swapped.
fn swappable_value_type(value: &Expression) -> Option<&'static str> {
    match value {
        Expression::Number(_) => Some("number"),
        Expression::String(token) if is_id_word(&token.token().to_string()) => Some("word"),
        Expression::TableConstructor(_) => Some("table"),
        Expression::Symbol(_) => Some("symbol"),
        Expression::UnaryOperator { .. } => Some("number"),
        _ => None,
    }
}

impl MutantWalker<'_> {
    fn add_mutant(
        &mut self,
        kind: MutantKind,
        (from, to): (usize, usize),
        replacement: impl Into<String>,
        change: impl Into<String>,
    ) {
        if self.ignored_depth > 0 {
            return;
        }
        let line = 1 + self.text[..from].bytes().filter(|byte| *byte == b'\n').count();
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.mutants.push(Mutant {
            file: self.file.to_owned(),
            kind,
            line,
            statement_line: self.statement_lines.last().copied().unwrap_or(line),
            runs_while_loading: self.function_depth == 0,
            start_byte: from,
            end_byte: to,
            replacement: replacement.into(),
            change: change.into(),
        });
    }

    /// Replaces a token.
    fn add_token_mutant(&mut self, kind: MutantKind, token: &TokenReference, replacement: &str) {
        let was = token.token().to_string();
        if let Some(place) = byte_range(token) {
            self.add_mutant(kind, place, replacement, format!("{was} -> {replacement}"));
        }
    }

    fn add_condition_mutants(&mut self, condition: &Expression, replacements: &[&str]) {
        let Some((from, to)) = byte_range(condition) else { return };
        for way in replacements.iter().filter(|way| &self.text[from..to] != **way) {
            self.add_mutant(MutantKind::Condition, (from, to), *way, format!("condition -> {way}"));
        }
    }

    fn add_statement_removal(&mut self, stmt: &Stmt) {
        let is_removable = match stmt {
            Stmt::Assignment(_)
            | Stmt::CompoundAssignment(_)
            | Stmt::If(_)
            | Stmt::GenericFor(_)
            | Stmt::NumericFor(_)
            | Stmt::While(_)
            | Stmt::Repeat(_) => self.function_depth > 0,
            Stmt::FunctionCall(call) => {
                let name = call.prefix().to_string();
                self.function_depth > 0 || REMOVABLE_CALLS.contains(&name.trim())
            }
            _ => false,
        };
        if let Some(place) = byte_range(stmt).filter(|_| is_removable) {
            self.add_mutant(MutantKind::RemovedStatement, place, "do end", "left out");
        }
    }

    /// Removes a `return`, `break` or `continue`, so that the code after the block runs.
    fn add_last_statement_removal(&mut self, stmt: &LastStmt) {
        let Some((from, to)) = byte_range(stmt).filter(|_| self.function_depth > 0) else { return };
        let change = match stmt {
            LastStmt::Return(_) if self.redundant_returns.contains(&from) => return,
            LastStmt::Return(_) => "return left out",
            LastStmt::Break(_) => "break left out",
            _ => "continue left out",
        };
        self.add_mutant(MutantKind::RemovedStatement, (from, to), "do end", change);
    }

    fn add_operator_mutants(&mut self, binop: &BinOp) {
        let (kind, token, replacement) = match binop {
            BinOp::And(token) => (MutantKind::LogicalOperator, token, "or"),
            BinOp::Or(token) => (MutantKind::LogicalOperator, token, "and"),
            BinOp::LessThan(token) => (MutantKind::Comparison, token, "<="),
            BinOp::LessThanEqual(token) => (MutantKind::Comparison, token, "<"),
            BinOp::GreaterThan(token) => (MutantKind::Comparison, token, ">="),
            BinOp::GreaterThanEqual(token) => (MutantKind::Comparison, token, ">"),
            BinOp::TwoEqual(token) => (MutantKind::Comparison, token, "~="),
            BinOp::TildeEqual(token) => (MutantKind::Comparison, token, "=="),
            BinOp::Plus(token) => (MutantKind::Arithmetic, token, "-"),
            BinOp::Minus(token) => (MutantKind::Arithmetic, token, "+"),
            BinOp::Star(token) => (MutantKind::Arithmetic, token, "//"),
            BinOp::DoubleSlash(token) | BinOp::Slash(token) => (MutantKind::Arithmetic, token, "*"),
            _ => return,
        };
        self.add_token_mutant(kind, token, replacement);
    }

    /// The entries of a table: each is swapped with the next one. Entries of inner tables, and
    /// functions, are also removed.
    fn add_entry_mutants(&mut self, table: &TableConstructor) {
        let fields: Vec<&Field> = table.fields().iter().collect();
        for pair in fields.windows(2) {
            let (Some(one), Some(other)) = (field_value(pair[0]), field_value(pair[1])) else {
                continue;
            };
            let same_sort = swappable_value_type(one)
                .is_some_and(|sort| swappable_value_type(other) == Some(sort));
            let (Some(first), Some(second)) = (byte_range(one), byte_range(other)) else {
                continue;
            };
            let (left, right) = (&self.text[first.0..first.1], &self.text[second.0..second.1]);
            if same_sort && left != right {
                let between = &self.text[first.1..second.0];
                let replacement = format!("{right}{between}{left}");
                self.add_mutant(
                    MutantKind::SwappedEntries,
                    (first.0, second.1),
                    replacement,
                    "swapped with the next",
                );
            }
        }
        let inner = self.table_depth > 0;
        for field in fields {
            let Field::NameKey { key, value, .. } = field else { continue };
            // A function is an effect wherever it is; other fields of a definition may be required.
            if !inner && !matches!(&**value, Expression::Function(_)) {
                continue;
            }
            let prose = matches!(&**value, Expression::String(token) if !is_id_word(&token.token().to_string()));
            if let (false, Some(place)) = (prose, byte_range(&**value)) {
                let name = key.token().to_string();
                self.add_mutant(MutantKind::RemovedEntry, place, "nil", format!("without {name}"));
            }
        }
    }
}

/// Whether a call is not part of the game, or declares what words there are.
fn is_ignored(name: &str, call: &FunctionCall) -> bool {
    IGNORED_CALLS.contains(&name.trim()) || declares_list(call)
}

fn field_value(field: &Field) -> Option<&Expression> {
    match field {
        Field::NameKey { value, .. } | Field::ExpressionKey { value, .. } => Some(value),
        Field::NoKey(value) => Some(value),
        _ => None,
    }
}

/// Whether it is a `return` without a value, or of `nil`.
fn returns_nothing(stmt: &LastStmt) -> bool {
    let LastStmt::Return(given) = stmt else { return false };
    given.returns().iter().all(|one| one.to_string().trim() == "nil") && given.returns().len() < 2
}

fn line_of(node: &impl Node) -> u32 {
    node.start_position().map_or(0, |at| u32::try_from(at.line()).unwrap_or(0))
}

impl Visitor for MutantWalker<'_> {
    fn visit_block(&mut self, block: &Block) {
        block.stmts().for_each(|stmt| {
            self.statement_lines.push(line_of(stmt));
            self.add_statement_removal(stmt);
            self.statement_lines.pop();
        });
    }

    fn visit_stmt(&mut self, stmt: &Stmt) {
        self.statement_lines.push(line_of(stmt));
    }

    fn visit_stmt_end(&mut self, _: &Stmt) {
        self.statement_lines.pop();
    }

    fn visit_last_stmt(&mut self, stmt: &LastStmt) {
        self.statement_lines.push(line_of(stmt));
        self.add_last_statement_removal(stmt);
    }

    fn visit_last_stmt_end(&mut self, _: &LastStmt) {
        self.statement_lines.pop();
    }

    fn visit_function_body(&mut self, body: &FunctionBody) {
        self.function_depth += 1;
        let last = body.block().last_stmt().filter(|last| returns_nothing(last));
        self.redundant_returns.extend(last.and_then(byte_range).map(|(from, _)| from));
    }

    fn visit_function_body_end(&mut self, _: &FunctionBody) {
        self.function_depth -= 1;
    }

    fn visit_function_call(&mut self, call: &FunctionCall) {
        let name = call.prefix().to_string();
        self.ignored_depth += usize::from(is_ignored(&name, call));
        let mut suffixes = call.suffixes();
        if let (
            Some(Suffix::Index(Index::Dot { name: field, .. })),
            Some(Suffix::Call(Call::AnonymousCall(_))),
        ) = (suffixes.next(), suffixes.next())
            && name.trim() == "math"
        {
            match field.token().to_string().as_str() {
                "min" => self.add_token_mutant(MutantKind::Arithmetic, field, "max"),
                "max" => self.add_token_mutant(MutantKind::Arithmetic, field, "min"),
                _ => {}
            }
        }
    }

    fn visit_function_call_end(&mut self, call: &FunctionCall) {
        let name = call.prefix().to_string();
        self.ignored_depth -= usize::from(is_ignored(&name, call));
    }

    fn visit_if(&mut self, choice: &If) {
        if choice.binding().is_none() {
            self.add_condition_mutants(choice.condition(), &["true", "false"]);
        }
        for further in choice.else_if().into_iter().flatten().filter(|one| one.binding().is_none())
        {
            self.add_condition_mutants(further.condition(), &["true", "false"]);
        }
    }

    fn visit_if_expression(&mut self, choice: &IfExpression) {
        if choice.binding().is_none() {
            self.add_condition_mutants(choice.condition(), &["true", "false"]);
        }
        let further = choice.else_if_expressions().into_iter().flatten();
        for one in further.filter(|one| one.binding().is_none()) {
            self.add_condition_mutants(one.condition(), &["true", "false"]);
        }
    }

    fn visit_while(&mut self, while_loop: &While) {
        self.add_condition_mutants(while_loop.condition(), &["false"]);
    }

    fn visit_repeat(&mut self, repeat_loop: &Repeat) {
        self.add_condition_mutants(repeat_loop.until(), &["true"]);
    }

    fn visit_table_constructor(&mut self, table: &TableConstructor) {
        self.add_entry_mutants(table);
        self.table_depth += 1;
    }

    fn visit_table_constructor_end(&mut self, _: &TableConstructor) {
        self.table_depth -= 1;
    }

    fn visit_expression(&mut self, expression: &Expression) {
        match expression {
            Expression::BinaryOperator { binop, .. } => self.add_operator_mutants(binop),
            Expression::UnaryOperator { unop: UnOp::Not(token), .. } => {
                if let Some(place) = byte_range(token) {
                    self.add_mutant(MutantKind::Condition, place, "", "without not");
                }
            }
            Expression::Symbol(token) => match token.token().token_type() {
                TokenType::Symbol { symbol: Symbol::True } => {
                    self.add_token_mutant(MutantKind::BooleanLiteral, token, "false")
                }
                TokenType::Symbol { symbol: Symbol::False } => {
                    self.add_token_mutant(MutantKind::BooleanLiteral, token, "true")
                }
                _ => {}
            },
            Expression::Number(token) | Expression::String(token) => {
                let was = token.token().to_string();
                let Some(place) = byte_range(token) else { return };
                for (with, change) in number_mutants::number_replacements(&was) {
                    self.add_mutant(MutantKind::Number, place, with, change);
                }
                if let Some(next_word) = self.closed_words.next_word(&was) {
                    self.add_mutant(
                        MutantKind::Word,
                        place,
                        next_word,
                        format!("{was} -> {next_word}"),
                    );
                }
            }
            _ => {}
        }
    }
}
