//! Finds the texts in a script that a game can show: what it says, labels, lines, words that fill
//! marks. A literal is one if it stands where texts stand, or reads like one. Too many texts cost a
//! translator a look; a missing text stays in the source language.

use std::collections::{BTreeMap, BTreeSet};

use full_moon::ast::{
    BinOp, Expression, Field, FunctionArgs, FunctionCall, Index, MethodCall, Return,
    TableConstructor, VarExpression,
};
use full_moon::tokenizer::{Token, TokenReference, TokenType};
use full_moon::visitors::Visitor;

use super::text_places::{
    AUTHOR_FUNCTIONS, FINISH_FUNCTION, HIDDEN_FIELDS, NAMING_FUNCTIONS, OUTCOME_FIELD,
    OVERRIDE_TEXT_FUNCTION, PATTERN_METHODS, SHOWING_FUNCTIONS, SHOWN_FIELDS,
};
use super::text_shape::{is_joined_name, is_sentence, is_sentence_text, reads_like_text};
use crate::analysis::syntax::{
    AccessChain, callee_and_arguments, first_string_token, string_token, string_value, token_line,
    token_name,
};
use base::text::{MarkupPart, split_markup};

/// A text of a script.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ScriptText {
    pub(super) text: String,
    /// The plural, if the text is a counted word.
    pub(super) plural: Option<String>,
    pub(super) line: u32,
    pub(super) kind: TextKind,
}

/// How certain it is that a literal is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// It stands where only shown texts stand, or reads like one.
    Shown,
    /// One lower-case word in a place where also ids stand.
    MaybeWord,
}

/// Finds the texts of a script.
pub(super) fn script_texts(tree: &full_moon::ast::Ast) -> Vec<ScriptText> {
    let mut finder = TextFinder::default();
    finder.visit_ast(tree);
    finder.texts
}

#[derive(Default)]
struct TextFinder {
    texts: Vec<ScriptText>,
    /// The calls around the current node, outermost first.
    callees: Vec<String>,
    /// The fields around the current node, outermost first, and the number of calls around each.
    fields: Vec<(Option<String>, usize)>,
    /// Positions of literals that are no texts, or parts of a text that was found; and of tables
    /// whose keys are no texts.
    hidden: BTreeSet<usize>,
    /// Positions of literals where words stand.
    words: BTreeSet<usize>,
    /// Positions of words in a list that has a sentence too: a term and its meaning.
    terms: BTreeSet<usize>,
    /// The plurals of counted words, by position.
    plurals: BTreeMap<usize, String>,
}

impl TextFinder {
    fn enter_call(&mut self, call: &impl AccessChain) {
        let (callee, arguments) = callee_and_arguments(call).unwrap_or_default();
        let call_name = arguments.and_then(first_string_token);
        let arguments: Vec<&Expression> = match arguments {
            Some(FunctionArgs::Parentheses { arguments, .. }) => arguments.iter().collect(),
            Some(FunctionArgs::TableConstructor(table)) => {
                self.hide_outcome_name(&callee, table);
                Vec::new()
            }
            Some(FunctionArgs::String(token)) => {
                let text = string_value(token.token()).unwrap_or_default();
                if !SHOWING_FUNCTIONS.contains(&callee.as_str()) && !is_sentence_text(&text) {
                    self.hidden.insert(position(token));
                }
                Vec::new()
            }
            _ => Vec::new(),
        };
        let function = callee.rsplit('.').next().unwrap_or_default();
        let literal = |index: usize| arguments.get(index).and_then(|one| string_token(one));
        if let ("counted" | "count", Some(one), Some(many)) = (function, literal(1), literal(2)) {
            self.hidden.insert(position(many));
            self.plurals.extend(string_value(many.token()).map(|text| (position(one), text)));
        } else if let ("count", Some(token)) = (function, call_name) {
            // A report shows the names of counts.
            let text = string_value(token.token()).unwrap_or_default().replace('_', " ");
            let line = token_line(token);
            self.texts.push(ScriptText { text, plural: None, line, kind: TextKind::Shown });
        }
        if callee == OVERRIDE_TEXT_FUNCTION {
            self.hidden.extend(literal(0).map(position));
        }
        let has_names = NAMING_FUNCTIONS.contains(&callee.split('.').next().unwrap_or_default());
        for (index, argument) in arguments.iter().enumerate() {
            match argument {
                Expression::TableConstructor(table) if callee == "odds" && index == 1 => {
                    self.add_keys(table);
                }
                Expression::TableConstructor(table) => self.hide_outcome_name(&callee, table),
                _ if has_names => self.hidden.extend(string_token(argument).map(position)),
                _ => self.add_words(argument),
            }
        }
        self.callees.push(callee);
    }

    /// Hides the outcome in a table that a call is given: there it is the name of an outcome. Only
    /// `finish` shows it.
    fn hide_outcome_name(&mut self, callee: &str, table: &TableConstructor) {
        if callee == FINISH_FUNCTION {
            return;
        }
        self.hidden.insert(table_position(table));
        for field in table.fields() {
            if let Field::NameKey { key, value, .. } = field
                && token_name(key) == OUTCOME_FIELD
            {
                self.hidden.extend(string_token(value).map(position));
            }
        }
    }

    /// Notes the words that an expression can be: `if x then "a" else y or "b"`.
    fn add_words(&mut self, expression: &Expression) {
        match expression {
            Expression::Parentheses { expression, .. } => self.add_words(expression),
            Expression::BinaryOperator { lhs, binop: BinOp::Or(_) | BinOp::And(_), rhs } => {
                self.add_words(lhs);
                self.add_words(rhs);
            }
            Expression::IfExpression(choice) => {
                self.add_words(choice.if_expression());
                for one in choice.else_if_expressions().into_iter().flatten() {
                    self.add_words(one.expression());
                }
                self.add_words(choice.else_expression());
            }
            other => self.words.extend(string_token(other).map(position)),
        }
    }

    /// Notes the words beside a sentence in a list.
    fn add_terms(&mut self, table: &TableConstructor) {
        let items = || {
            table.fields().iter().filter_map(|field| match field {
                Field::NoKey(item) => Some(item),
                _ => None,
            })
        };
        if items().any(is_sentence) {
            self.terms.extend(items().filter_map(string_token).map(position));
        }
    }

    /// Adds the names in a table: the outcomes of a roll, or what the report of a run lists.
    fn add_keys(&mut self, table: &TableConstructor) {
        for field in table.fields() {
            if let Field::NameKey { key, .. } = field {
                let (text, line) = (token_name(key).replace('_', " "), token_line(key));
                self.texts.push(ScriptText { text, plural: None, line, kind: TextKind::Shown });
            }
        }
    }

    /// The outcome of a finished run, which an achievement compares: the history shows it. Other
    /// literals that are compared are names.
    fn add_outcome_of_run(&mut self, compared: &Expression, with: &Expression) {
        if let Some(token) = string_token(with)
            && compared.to_string().trim().ends_with(".outcome.outcome")
            && let Some(text) = string_value(token.token())
        {
            let line = token_line(token);
            self.texts.push(ScriptText { text, plural: None, line, kind: TextKind::Shown });
        }
    }

    fn is_in_author_function(&self) -> bool {
        self.callees.iter().any(|callee| AUTHOR_FUNCTIONS.contains(&callee.as_str()))
    }

    /// Whether the innermost field or call shows texts; `None` if neither says so.
    fn shows_texts(&self) -> Option<bool> {
        let field =
            self.fields.iter().rev().find_map(|(name, depth)| Some((name.as_ref()?, *depth)));
        let field = field.filter(|(_, depth)| *depth == self.callees.len());
        if let Some((name, _)) = field {
            if HIDDEN_FIELDS.contains(&name.as_str()) {
                return Some(false);
            }
            if SHOWN_FIELDS.contains(&name.as_str()) {
                return Some(true);
            }
        }
        let callee = self.callees.last()?;
        SHOWING_FUNCTIONS.contains(&callee.as_str()).then_some(true)
    }

    fn add_literal(&mut self, at: usize, line: u32, text: String) {
        let letters = |part: MarkupPart<'_>| match part {
            MarkupPart::Plain(plain) => plain.chars().any(char::is_alphabetic),
            MarkupPart::Placeholder(_) => false,
        };
        if self.is_in_author_function() || !split_markup(&text).any(letters) {
            return;
        }
        let plural = self.plurals.remove(&at);
        let kind = match self.shows_texts() {
            Some(false) => return,
            Some(true) => TextKind::Shown,
            None if plural.is_some() || reads_like_text(&text) => TextKind::Shown,
            None if self.terms.contains(&at) && !is_joined_name(&text) => TextKind::Shown,
            None if self.words.contains(&at) && !is_joined_name(&text) => TextKind::MaybeWord,
            None => return,
        };
        self.texts.push(ScriptText { text, plural, line, kind });
    }
}

fn position(token: &TokenReference) -> usize {
    token.token().start_position().bytes()
}

fn table_position(table: &TableConstructor) -> usize {
    position(table.braces().tokens().0)
}

/// The whole text of literals that are joined, and their positions.
fn joined_literals(expression: &Expression, positions: &mut Vec<usize>) -> Option<String> {
    match expression {
        Expression::String(token) => {
            positions.push(position(token));
            string_value(token.token())
        }
        Expression::Parentheses { expression, .. } => joined_literals(expression, positions),
        Expression::BinaryOperator { lhs, binop: BinOp::TwoDots(_), rhs } => {
            let left = joined_literals(lhs, positions)?;
            Some(left + &joined_literals(rhs, positions)?)
        }
        _ => None,
    }
}

impl Visitor for TextFinder {
    fn visit_function_call(&mut self, call: &FunctionCall) {
        self.enter_call(call);
    }

    fn visit_function_call_end(&mut self, _: &FunctionCall) {
        self.callees.pop();
    }

    fn visit_var_expression(&mut self, chain: &VarExpression) {
        if chain.call_count() > 0 {
            self.enter_call(chain);
        }
    }

    fn visit_var_expression_end(&mut self, chain: &VarExpression) {
        if chain.call_count() > 0 {
            self.callees.pop();
        }
    }

    fn visit_index(&mut self, index: &Index) {
        if let Index::Brackets { expression, .. } = index {
            self.hidden.extend(string_token(expression).map(position));
        }
    }

    /// The arguments of a text's methods are patterns: `line:gmatch("(%w+) = (%d+)")`.
    fn visit_method_call(&mut self, call: &MethodCall) {
        if !PATTERN_METHODS.contains(&&*token_name(call.name())) {
            return;
        }
        let arguments: Vec<&TokenReference> = match call.args() {
            FunctionArgs::String(token) => vec![token],
            FunctionArgs::Parentheses { arguments, .. } => {
                arguments.iter().filter_map(string_token).collect()
            }
            _ => Vec::new(),
        };
        self.hidden.extend(arguments.into_iter().map(position));
    }

    /// The keys of the result of a run are shown in its report.
    fn visit_table_constructor(&mut self, table: &TableConstructor) {
        self.add_terms(table);
        let is_outcome = |field: &Field| matches!(field, Field::NameKey { key, .. } if token_name(key) == OUTCOME_FIELD);
        if table.fields().iter().any(is_outcome)
            && !self.hidden.contains(&table_position(table))
            && !self.is_in_author_function()
        {
            self.add_keys(table);
        }
    }

    fn visit_field(&mut self, field: &Field) {
        let name = match field {
            Field::NameKey { key, value, .. } => {
                let name = token_name(key);
                match &**value {
                    Expression::TableConstructor(thresholds) if name == OUTCOME_FIELD => {
                        self.add_keys(thresholds);
                    }
                    _ => self.add_words(value),
                }
                Some(name)
            }
            Field::ExpressionKey { key, value, .. } => {
                self.add_words(value);
                self.hidden.extend(string_token(key).map(position));
                string_token(key).and_then(|token| string_value(token.token()))
            }
            Field::NoKey(value) => {
                self.add_words(value);
                None
            }
            _ => None,
        };
        self.fields.push((name, self.callees.len()));
    }

    fn visit_field_end(&mut self, _: &Field) {
        self.fields.pop();
    }

    fn visit_return(&mut self, return_statement: &Return) {
        for value in return_statement.returns() {
            self.add_words(value);
        }
    }

    fn visit_expression(&mut self, expression: &Expression) {
        let Expression::BinaryOperator { lhs, binop, rhs } = expression else { return };
        match binop {
            BinOp::TwoEqual(_) | BinOp::TildeEqual(_) => {
                self.add_outcome_of_run(lhs, rhs);
                self.add_outcome_of_run(rhs, lhs);
                self.hidden.extend(
                    [lhs, rhs].into_iter().filter_map(|one| string_token(one)).map(position),
                );
            }
            BinOp::TwoDots(_) => {
                let mut positions = Vec::new();
                let joined = joined_literals(expression, &mut positions);
                if let (Some(text), Some(first)) = (joined, positions.first().copied())
                    && !self.hidden.contains(&first)
                {
                    self.hidden.extend(positions);
                    let line = first_line(lhs);
                    self.add_literal(first, line, text);
                }
            }
            _ => {}
        }
    }

    fn visit_token(&mut self, token: &Token) {
        if !matches!(token.token_type(), TokenType::StringLiteral { .. }) {
            return;
        }
        let at = token.start_position().bytes();
        if let Some(text) = string_value(token).filter(|_| !self.hidden.contains(&at)) {
            self.add_literal(at, token_line(token), text);
        }
    }
}

fn first_line(expression: &Expression) -> u32 {
    match expression {
        Expression::String(token) => token_line(token),
        Expression::Parentheses { expression, .. } => first_line(expression),
        Expression::BinaryOperator { lhs, .. } => first_line(lhs),
        _ => 0,
    }
}
