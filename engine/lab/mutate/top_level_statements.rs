//! The statements at the top of a file, with their names and their rows of the ledger. The comment
//! above a statement names its rows at its start, or the ledger names the file and the statement.

use full_moon::ast::{Ast, Call, Expression, FunctionArgs, Stmt, Suffix};
use full_moon::node::Node;

use author::ledger::{Ledger, RequirementRow, leading_ids};

/// A statement at the top of a file.
#[derive(Debug)]
pub(super) struct TopLevelStatement {
    pub(super) first_line: u32,
    pub(super) last_line: u32,
    pub(super) name: String,
    pub(super) ledger_rows: Vec<String>,
    /// Why its numbers are tuned, if they are.
    pub(super) tuned_reason: Option<String>,
}

/// The top statements of a file, in order.
pub(super) fn find_top_level_statements(
    file: &str,
    text: &str,
    tree: &Ast,
    ledger: Option<&Ledger>,
) -> Vec<TopLevelStatement> {
    let lines: Vec<&str> = text.lines().collect();
    let mut parts: Vec<TopLevelStatement> = Vec::new();
    for stmt in tree.nodes().stmts() {
        let (Some(from), Some(to)) = (stmt.start_position(), stmt.end_position()) else { continue };
        let number = |line: usize| u32::try_from(line).unwrap_or(0);
        let (first, last) = (number(from.line()), number(to.line()));
        let comment_lines = comment_above(&lines, from.line());
        let name = statement_name(stmt);
        let mut rows: Vec<String> =
            comment_lines.iter().flat_map(|line| leading_ids(line).0).collect();
        for row in ledger.iter().flat_map(|ledger| &ledger.rows) {
            let named =
                |(place, words): &(String, Vec<String>)| place == file && words.contains(&name);
            if row.implemented_by.iter().any(named) && !rows.contains(&row.id) {
                rows.push(row.id.clone());
            }
        }
        let above = from.line().saturating_sub(comment_lines.len() + 1);
        let adjacent_statement =
            parts.last().filter(|part| part.last_line as usize == above && above > 0);
        if let (true, Some(before)) = (rows.is_empty(), adjacent_statement) {
            rows.clone_from(&before.ledger_rows);
        }
        let declared =
            comment_lines.iter().find_map(|line| line.strip_prefix("tuned: ")).map(str::to_owned);
        let tuned =
            declared.or_else(|| ledger.and_then(|ledger| tuned_reason(ledger, file, &name)));
        parts.push(TopLevelStatement {
            first_line: first,
            last_line: last,
            name,
            ledger_rows: rows,
            tuned_reason: tuned,
        });
    }
    if let Some(ledger) = ledger {
        assign_file_rows(file, &mut parts, ledger);
    }
    parts
}

/// Why the ledger says that the numbers of a name are tuned.
fn tuned_reason(ledger: &Ledger, file: &str, name: &str) -> Option<String> {
    let named = |row: &&RequirementRow| {
        row.tuned_names.iter().any(|(place, word)| place == file && word == name)
    };
    ledger.rows.iter().find(named).map(|row| format!("{} marks it as tuned", row.id))
}

/// Rows that name only the file get all statements that no other row names.
fn assign_file_rows(file: &str, parts: &mut [TopLevelStatement], ledger: &Ledger) {
    let statements_without_row: Vec<usize> =
        (0..parts.len()).filter(|index| parts[*index].ledger_rows.is_empty()).collect();
    for row in &ledger.rows {
        let places = row.implemented_by.iter().filter(|(place, _)| place == file);
        let names_only_file = places
            .into_iter()
            .any(|(_, words)| !parts.iter().any(|part| words.contains(&part.name)));
        for index in statements_without_row.iter().filter(|_| names_only_file) {
            parts[*index].ledger_rows.push(row.id.clone());
        }
    }
}

/// The lines of the comment directly above a line.
fn comment_above<'t>(lines: &[&'t str], line: usize) -> Vec<&'t str> {
    let above = lines[..line.saturating_sub(1).min(lines.len())].iter().rev();
    let mut comment_lines: Vec<&str> =
        above.map_while(|line| line.strip_prefix("--")).map(str::trim).collect();
    comment_lines.reverse();
    comment_lines
}

/// The name that a statement declares: the text after its first word, or its local.
fn statement_name(stmt: &Stmt) -> String {
    match stmt {
        Stmt::FunctionCall(call) => {
            let text = call.suffixes().find_map(|suffix| match suffix {
                Suffix::Call(Call::AnonymousCall(arguments)) => first_text(arguments),
                _ => None,
            });
            text.unwrap_or_default()
        }
        Stmt::LocalFunction(function) => function.name().token().to_string(),
        Stmt::LocalAssignment(local) => {
            local.names().iter().next().map(|name| name.token().to_string()).unwrap_or_default()
        }
        _ => String::new(),
    }
}

fn first_text(arguments: &FunctionArgs) -> Option<String> {
    let token = match arguments {
        FunctionArgs::String(token) => token,
        FunctionArgs::Parentheses { arguments, .. } => match arguments.iter().next() {
            Some(Expression::String(token)) => token,
            _ => return None,
        },
        _ => return None,
    };
    Some(token.token().to_string().trim_matches(['"', '\'']).to_owned())
}
