//! Player texts are not concatenated: a script contains each text as it is shown, with marks for
//! the variable parts. A text override and a translation can then reach it. Ids, dice and texts for
//! authors may be concatenated.

use std::fs;
use std::path::{Path, PathBuf};

use full_moon::ast::{
    BinOp, Call, CompoundAssignment, CompoundOp, Expression, Field, FunctionArgs, FunctionCall,
    Index, Prefix, Suffix,
};
use full_moon::node::Node;
use full_moon::tokenizer::{TokenReference, TokenType};
use full_moon::visitors::Visitor;

/// The folders of the scripts of games and examples.
const SCRIPT_FOLDERS: [&str; 2] = ["base_game", "mods"];
/// Folders without player texts: cases, and bots with their explanations.
const EXCLUDED_FOLDERS: [&str; 3] = ["tests", "bots", ".editor"];
/// Functions whose texts are for authors.
const AUTHOR_FUNCTIONS: [&str; 3] = ["error", "assert", "lint"];

/// Allowed concatenations: a part of the line, and the reason.
const ALLOWED_CONCATENATIONS: [(&str, &str); 5] = [
    ("flags[\"found \" .. ", "the key of a flag, which runs have kept"),
    ("side .. at", "the key of a being"),
    ("sort .. id", "the key of what was seen"),
    ("before .. sort", "the key of a toll"),
    (".. rules.magic_die_words()", "dice, with how many before them"),
];

/// The text concatenations in one file.
#[derive(Default)]
struct Concatenations {
    found_lines: Vec<usize>,
    /// The concatenations inside one that was examined.
    nested_positions: Vec<usize>,
    /// The nesting depth of calls and fields for authors.
    author_depth: usize,
}

impl Concatenations {
    fn record_if_player_text(&mut self, line: usize, literals: &[String]) {
        let is_plain = literals.iter().all(|word| is_id_part(word) || is_dice_separator(word));
        if self.author_depth == 0 && !(is_plain && literals.iter().any(|word| !word.is_empty())) {
            self.found_lines.push(line);
        }
    }

    /// The literal texts of a concatenation, in all branches of its conditions.
    fn collect_literal_texts(&mut self, expression: &Expression, literals: &mut Vec<String>) {
        match expression {
            Expression::BinaryOperator { lhs, binop, rhs } => match binop {
                BinOp::TwoDots(token) => {
                    self.nested_positions.push(token.token().start_position().bytes());
                    self.collect_literal_texts(lhs, literals);
                    self.collect_literal_texts(rhs, literals);
                }
                BinOp::And(_) | BinOp::Or(_) => {
                    self.collect_literal_texts(lhs, literals);
                    self.collect_literal_texts(rhs, literals);
                }
                _ => {}
            },
            Expression::Parentheses { expression, .. }
            | Expression::TypeAssertion { expression, .. } => {
                self.collect_literal_texts(expression, literals)
            }
            Expression::IfExpression(choice) => {
                self.collect_literal_texts(choice.if_expression(), literals);
                for branch in choice.else_if_expressions().into_iter().flatten() {
                    self.collect_literal_texts(branch.expression(), literals);
                }
                self.collect_literal_texts(choice.else_expression(), literals);
            }
            Expression::String(token) => literals.extend(literal_text(token)),
            // The letters of a word, and repeated signs.
            Expression::FunctionCall(call) if called_name(call).starts_with("string.") => {
                literals.push("_".to_owned());
            }
            Expression::InterpolatedString(text) => {
                literals
                    .extend(text.segments().filter_map(|segment| literal_text(&segment.literal)));
                literals.extend(literal_text(text.last_string()));
            }
            _ => {}
        }
    }
}

impl Visitor for Concatenations {
    fn visit_expression(&mut self, expression: &Expression) {
        match expression {
            Expression::BinaryOperator { binop: BinOp::TwoDots(token), .. } => {
                let position = token.token().start_position();
                if !self.nested_positions.contains(&position.bytes()) {
                    let mut literals = Vec::new();
                    self.collect_literal_texts(expression, &mut literals);
                    let line =
                        expression.start_position().map_or(position.line(), |start| start.line());
                    self.record_if_player_text(line, &literals);
                }
            }
            Expression::InterpolatedString(text) if text.segments().next().is_some() => {
                let mut literals = Vec::new();
                self.collect_literal_texts(expression, &mut literals);
                self.record_if_player_text(
                    text.last_string().token().start_position().line(),
                    &literals,
                );
            }
            _ => {}
        }
    }

    fn visit_compound_assignment(&mut self, assignment: &CompoundAssignment) {
        if let CompoundOp::TwoDotsEqual(token) = assignment.compound_operator() {
            let mut literals = Vec::new();
            self.collect_literal_texts(assignment.rhs(), &mut literals);
            self.record_if_player_text(token.token().start_position().line(), &literals);
        }
    }

    fn visit_field(&mut self, field: &Field) {
        self.author_depth += usize::from(is_doc_field(field));
    }

    fn visit_field_end(&mut self, field: &Field) {
        self.author_depth -= usize::from(is_doc_field(field));
    }

    fn visit_function_call(&mut self, call: &FunctionCall) {
        let function_name = called_name(call);
        self.author_depth += usize::from(AUTHOR_FUNCTIONS.contains(&&*function_name));
        let first_literal = match call.suffixes().last() {
            Some(Suffix::Call(Call::AnonymousCall(arguments))) => {
                format_or_separator_literal(&function_name, arguments)
            }
            _ => None,
        };
        if let Some((line, literals)) = first_literal.filter(|_| self.author_depth == 0)
            && literals
                .chars()
                .any(|c| c.is_alphabetic() || c == ' ' && function_name == "string.format")
        {
            self.found_lines.push(line);
        }
    }

    fn visit_function_call_end(&mut self, call: &FunctionCall) {
        self.author_depth -= usize::from(AUTHOR_FUNCTIONS.contains(&&*called_name(call)));
    }
}

/// The literal of `string.format` without its marks, or the separator of `table.concat`.
fn format_or_separator_literal(
    function_name: &str,
    arguments: &FunctionArgs,
) -> Option<(usize, String)> {
    let FunctionArgs::Parentheses { arguments, .. } = arguments else { return None };
    let argument_index = match function_name {
        "string.format" => 0,
        "table.concat" => 1,
        _ => return None,
    };
    let Some(Expression::String(token)) = arguments.iter().nth(argument_index) else { return None };
    let literals = literal_text(token)?;
    let mut parts = literals.split('%');
    let first_part = parts.next().unwrap_or_default().to_owned();
    let is_format_mark = |c: char| c.is_ascii_digit() || ".-+# ".contains(c);
    let rest = parts
        .map(|part| part.trim_start_matches(is_format_mark).chars().skip(1).collect::<String>());
    Some((token.token().start_position().line(), first_part + &rest.collect::<String>()))
}

fn called_name(call: &FunctionCall) -> String {
    let Prefix::Name(first_name) = call.prefix() else { return String::new() };
    let mut name = first_name.token().to_string();
    for suffix in call.suffixes() {
        let Suffix::Index(Index::Dot { name: field_name, .. }) = suffix else { break };
        name = format!("{name}.{}", field_name.token());
    }
    name
}

fn is_doc_field(field: &Field) -> bool {
    matches!(field, Field::NameKey { key, .. } if key.token().to_string() == "doc")
}

/// Whether it is part of ids, keys, dice or signs, and not a word of a text.
fn is_id_part(word: &str) -> bool {
    word.chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:#?/|!,.+-@=\n".contains(c))
}

/// Whether it separates dice and numbers: ` + `, ` - 1d20 - `.
fn is_dice_separator(word: &str) -> bool {
    let is_die = |part: &str| part.chars().all(|c| c == 'd' || c.is_ascii_digit());
    let has_sign = word.contains(" + ") || word.contains(" - ");
    has_sign && word.split_whitespace().all(|part| part == "+" || part == "-" || is_die(part))
}

fn literal_text(token: &TokenReference) -> Option<String> {
    match token.token_type() {
        TokenType::StringLiteral { literal, .. }
        | TokenType::InterpolatedString { literal, .. } => Some(literal.to_string()),
        _ => None,
    }
}

fn collect_scripts(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !EXCLUDED_FOLDERS.contains(&&*name) {
                collect_scripts(&path, paths);
            }
        } else if name.ends_with(".luau") && !name.starts_with("lints") {
            paths.push(path);
        }
    }
}

/// Lines of a script with a concatenated text.
fn concatenation_lines(text: &str) -> Vec<usize> {
    let mut concatenations = Concatenations::default();
    concatenations.visit_ast(&full_moon::parse(text).unwrap());
    concatenations.found_lines.sort();
    concatenations.found_lines
}

/// Lines with a concatenated text, without the allowed ones.
fn all_concatenations() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    SCRIPT_FOLDERS.iter().for_each(|folder| collect_scripts(&root.join(folder), &mut paths));
    paths.sort();
    assert!(paths.len() > 500, "the games were read: {} scripts", paths.len());
    let mut findings = Vec::new();
    let mut used_allowances = [false; ALLOWED_CONCATENATIONS.len()];
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let file = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        for line in concatenation_lines(&text) {
            let line_text = text.lines().nth(line - 1).unwrap_or_default().trim();
            match ALLOWED_CONCATENATIONS.iter().position(|(part, _)| line_text.contains(part)) {
                Some(index) => used_allowances[index] = true,
                None => findings.push(format!("{file}:{line}: {line_text}")),
            }
        }
    }
    let unused_allowances = ALLOWED_CONCATENATIONS
        .iter()
        .zip(used_allowances)
        .filter(|(_, is_used)| !is_used)
        .map(|(allowance, _)| allowance.0);
    assert_eq!(
        unused_allowances.collect::<Vec<_>>(),
        [""; 0],
        "every allowed concatenation exists"
    );
    findings
}

#[test]
fn no_player_text_is_concatenated() {
    let findings = all_concatenations();
    assert!(findings.is_empty(), "these are put together; use marks:\n{}", findings.join("\n"));
}

#[test]
fn concatenated_player_texts_are_detected() {
    let count_in = |line: &str| concatenation_lines(line).len();
    for reported_line in [
        "say(name .. \" falls.\")",
        "note(a .. b)",
        "local t = a .. (if b then \", to them\" else \"\")",
        "text ..= \", and more\"",
        "say(`{name} falls.`)",
        "note(string.format(\"%d feet off\", feet))",
        "note(table.concat(names, \" and \"))",
        "return { label = \"To \" .. place, id = \"to:\" .. id }",
    ] {
        assert_eq!(count_in(reported_line), 1, "{reported_line}");
    }
    for allowed_line in [
        "say(\"{name} falls.\", { name = name })",
        "local id = \"door:\" .. at .. \"_\" .. (if b then \"in\" else \"out\")",
        "local id = `answer:{step}`",
        "roll(count .. \"d6\", \"falls\")",
        "local dice = words .. \" + \" .. more .. \" - 1d20\"",
        "local up = string.upper(string.sub(word, 1, 1)) .. string.sub(word, 2)",
        "error(\"the room \" .. here .. \" has no choice\")",
        "fact \"x\" { doc = \"one \" .. other }",
        "local listed = table.concat(names, \", \")",
        "local shown = string.format(\"%d.%02d\", a, b)",
    ] {
        assert_eq!(count_in(allowed_line), 0, "{allowed_line}");
    }
}
