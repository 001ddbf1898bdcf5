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
const ROOTS: [&str; 2] = ["base_game", "mods"];
/// Folders without player texts: cases, and bots with their explanations.
const EXCLUDED_FOLDERS: [&str; 2] = ["tests", "bots"];
/// Functions whose texts are for authors.
const FOR_AUTHORS: [&str; 3] = ["error", "assert", "lint"];

/// Allowed concatenations: a part of the line, and the reason.
const ALLOWED: [(&str, &str); 5] = [
    ("flags[\"found \" .. ", "the key of a flag, which runs have kept"),
    ("side .. at", "the key of a being"),
    ("sort .. id", "the key of what was seen"),
    ("before .. sort", "the key of a toll"),
    (".. rules.magic_die_words()", "dice, with how many before them"),
];

/// The text concatenations in one file.
#[derive(Default)]
struct Concatenations {
    found: Vec<usize>,
    /// The concatenations inside one that was examined.
    within: Vec<usize>,
    /// The nesting depth of calls and fields for authors.
    for_authors: usize,
}

impl Concatenations {
    fn judge(&mut self, at: usize, words: &[String]) {
        let plain = words.iter().all(|word| is_of_an_id(word) || is_of_dice(word));
        if self.for_authors == 0 && !(plain && words.iter().any(|word| !word.is_empty())) {
            self.found.push(at);
        }
    }

    /// The literal texts of a concatenation, in all branches of its conditions.
    fn words(&mut self, expression: &Expression, words: &mut Vec<String>) {
        match expression {
            Expression::BinaryOperator { lhs, binop, rhs } => match binop {
                BinOp::TwoDots(token) => {
                    self.within.push(token.token().start_position().bytes());
                    self.words(lhs, words);
                    self.words(rhs, words);
                }
                BinOp::And(_) | BinOp::Or(_) => {
                    self.words(lhs, words);
                    self.words(rhs, words);
                }
                _ => {}
            },
            Expression::Parentheses { expression, .. }
            | Expression::TypeAssertion { expression, .. } => self.words(expression, words),
            Expression::IfExpression(choice) => {
                self.words(choice.if_expression(), words);
                for other in choice.else_if_expressions().into_iter().flatten() {
                    self.words(other.expression(), words);
                }
                self.words(choice.else_expression(), words);
            }
            Expression::String(token) => words.extend(literal_text(token)),
            // The letters of a word, and repeated signs.
            Expression::FunctionCall(call) if called(call).starts_with("string.") => {
                words.push("_".to_owned());
            }
            Expression::InterpolatedString(text) => {
                words.extend(text.segments().filter_map(|segment| literal_text(&segment.literal)));
                words.extend(literal_text(text.last_string()));
            }
            _ => {}
        }
    }
}

impl Visitor for Concatenations {
    fn visit_expression(&mut self, expression: &Expression) {
        match expression {
            Expression::BinaryOperator { binop: BinOp::TwoDots(token), .. } => {
                let at = token.token().start_position();
                if !self.within.contains(&at.bytes()) {
                    let mut words = Vec::new();
                    self.words(expression, &mut words);
                    let line = expression.start_position().map_or(at.line(), |start| start.line());
                    self.judge(line, &words);
                }
            }
            Expression::InterpolatedString(text) if text.segments().next().is_some() => {
                let mut words = Vec::new();
                self.words(expression, &mut words);
                self.judge(text.last_string().token().start_position().line(), &words);
            }
            _ => {}
        }
    }

    fn visit_compound_assignment(&mut self, assignment: &CompoundAssignment) {
        if let CompoundOp::TwoDotsEqual(token) = assignment.compound_operator() {
            let mut words = Vec::new();
            self.words(assignment.rhs(), &mut words);
            self.judge(token.token().start_position().line(), &words);
        }
    }

    fn visit_field(&mut self, field: &Field) {
        self.for_authors += usize::from(is_doc(field));
    }

    fn visit_field_end(&mut self, field: &Field) {
        self.for_authors -= usize::from(is_doc(field));
    }

    fn visit_function_call(&mut self, call: &FunctionCall) {
        let called = called(call);
        self.for_authors += usize::from(FOR_AUTHORS.contains(&&*called));
        let first = match call.suffixes().last() {
            Some(Suffix::Call(Call::AnonymousCall(arguments))) => literal(&called, arguments),
            _ => None,
        };
        if let Some((at, words)) = first.filter(|_| self.for_authors == 0)
            && words.chars().any(|c| c.is_alphabetic() || c == ' ' && called == "string.format")
        {
            self.found.push(at);
        }
    }

    fn visit_function_call_end(&mut self, call: &FunctionCall) {
        self.for_authors -= usize::from(FOR_AUTHORS.contains(&&*called(call)));
    }
}

/// The literal of `string.format` without its marks, or the separator of `table.concat`.
fn literal(called: &str, arguments: &FunctionArgs) -> Option<(usize, String)> {
    let FunctionArgs::Parentheses { arguments, .. } = arguments else { return None };
    let at = match called {
        "string.format" => 0,
        "table.concat" => 1,
        _ => return None,
    };
    let Some(Expression::String(token)) = arguments.iter().nth(at) else { return None };
    let words = literal_text(token)?;
    let mut parts = words.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    let marks = |c: char| c.is_ascii_digit() || ".-+# ".contains(c);
    let rest = parts.map(|part| part.trim_start_matches(marks).chars().skip(1).collect::<String>());
    Some((token.token().start_position().line(), first + &rest.collect::<String>()))
}

fn called(call: &FunctionCall) -> String {
    let Prefix::Name(front) = call.prefix() else { return String::new() };
    let mut name = front.token().to_string();
    for suffix in call.suffixes() {
        let Suffix::Index(Index::Dot { name: further, .. }) = suffix else { break };
        name = format!("{name}.{}", further.token());
    }
    name
}

fn is_doc(field: &Field) -> bool {
    matches!(field, Field::NameKey { key, .. } if key.token().to_string() == "doc")
}

/// Whether it is part of ids, keys, dice or signs, and not a word of a text.
fn is_of_an_id(word: &str) -> bool {
    word.chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:#?/|!,.+-@=\n".contains(c))
}

/// Whether it separates dice and numbers: ` + `, ` - 1d20 - `.
fn is_of_dice(word: &str) -> bool {
    let dice = |part: &str| part.chars().all(|c| c == 'd' || c.is_ascii_digit());
    let signs = word.contains(" + ") || word.contains(" - ");
    signs && word.split_whitespace().all(|part| part == "+" || part == "-" || dice(part))
}

fn literal_text(token: &TokenReference) -> Option<String> {
    match token.token_type() {
        TokenType::StringLiteral { literal, .. }
        | TokenType::InterpolatedString { literal, .. } => Some(literal.to_string()),
        _ => None,
    }
}

fn scripts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !EXCLUDED_FOLDERS.contains(&&*name) {
                scripts(&path, found);
            }
        } else if name.ends_with(".luau") && !name.starts_with("lints") {
            found.push(path);
        }
    }
}

/// Lines of a script with a concatenated text.
fn concatenation_lines(text: &str) -> Vec<usize> {
    let mut joins = Concatenations::default();
    joins.visit_ast(&full_moon::parse(text).unwrap());
    joins.found.sort();
    joins.found
}

/// Lines with a concatenated text, without the allowed ones.
fn all_concatenations() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    ROOTS.iter().for_each(|folder| scripts(&root.join(folder), &mut paths));
    paths.sort();
    assert!(paths.len() > 500, "the games were read: {} scripts", paths.len());
    let mut found = Vec::new();
    let mut used = [false; ALLOWED.len()];
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let file = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        for line in concatenation_lines(&text) {
            let written = text.lines().nth(line - 1).unwrap_or_default().trim();
            match ALLOWED.iter().position(|(part, _)| written.contains(part)) {
                Some(at) => used[at] = true,
                None => found.push(format!("{file}:{line}: {written}")),
            }
        }
    }
    let idle = ALLOWED.iter().zip(used).filter(|(_, used)| !used).map(|(one, _)| one.0);
    assert_eq!(idle.collect::<Vec<_>>(), [""; 0], "every allowed concatenation exists");
    found
}

#[test]
fn no_player_text_is_concatenated() {
    let found = all_concatenations();
    assert!(found.is_empty(), "these are put together; use marks:\n{}", found.join("\n"));
}

#[test]
fn concatenation_is_detected() {
    let seen = |line: &str| concatenation_lines(line).len();
    for told in [
        "say(name .. \" falls.\")",
        "note(a .. b)",
        "local t = a .. (if b then \", to them\" else \"\")",
        "text ..= \", and more\"",
        "say(`{name} falls.`)",
        "note(string.format(\"%d feet off\", feet))",
        "note(table.concat(names, \" and \"))",
        "return { label = \"To \" .. place, id = \"to:\" .. id }",
    ] {
        assert_eq!(seen(told), 1, "{told}");
    }
    for not in [
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
        assert_eq!(seen(not), 0, "{not}");
    }
}
