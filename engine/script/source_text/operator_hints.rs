//! Hints for errors of Luau's operators and library functions: which operand or argument on the
//! line is wrong, and how to fix it.

use super::scanned_line::{ScannedLine, is_name_byte};

/// The hint for an error of Luau on a line. `is_known` tells whether a name of a mod or of the host
/// exists.
pub(crate) fn operator_hint(
    message: &str,
    line: &str,
    is_known: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let code = ScannedLine::scan_line(line);
    let rest = message.strip_prefix("attempt to ");
    rest.and_then(|rest| operation_hint(rest, &code, is_known))
        .or_else(|| library_argument_hint(message, &code))
}

/// The hint for an operation that Luau could not do.
fn operation_hint(
    failed: &str,
    code: &ScannedLine<'_>,
    is_known: &dyn Fn(&str) -> bool,
) -> Option<String> {
    if let Some(rest) = failed.strip_prefix("concatenate ") {
        return Some(concatenation_hint(code, rest.split_once(" with ")?));
    }
    if let Some(rest) = failed.strip_prefix("compare ") {
        return comparison_hint(code, rest);
    }
    if let Some(rest) = failed.strip_prefix("perform arithmetic (") {
        return arithmetic_hint(code, rest);
    }
    if let Some(rest) = failed.strip_prefix("get length of a ") {
        let signs = code.operators(&["#"]);
        let name = if let [one] = signs.as_slice() { one.right } else { "" };
        let found = rest.strip_suffix(" value")?;
        return Some(operand_fix_hint("the value behind `#`", name, found, "or {}"));
    }
    if let Some(rest) = failed.strip_prefix("iterate over a ") {
        let name = code.looped_expression().unwrap_or_default();
        let found = rest.strip_suffix(" value")?;
        return Some(operand_fix_hint("what the loop walks over", name, found, "or {}"));
    }
    if let Some(rest) = failed.strip_prefix("call a ") {
        return Some(call_hint(code, rest.strip_suffix(" value")?, is_known));
    }
    if let Some(rest) = failed.strip_prefix("call missing method '") {
        let (method, _) = rest.split_once('\'')?;
        let objects = code.indexed_expressions(Some(method));
        return Some(match objects.as_slice() {
            [object] => format!("`{object}` has no function `{method}`"),
            _ => "there is no function with that name".to_owned(),
        });
    }
    let (found, index) = failed.strip_prefix("index ")?.split_once(" with ")?;
    let index = index.strip_prefix('\'').and_then(|name| name.strip_suffix('\''));
    let mut names = code.indexed_expressions(index);
    names.dedup();
    Some(match (names.as_slice(), found) {
        ([name], "nil") => format!("`{name}` is nil here: make sure that it has a value"),
        ([name], found) => operand_fix_hint("", name, found, ""),
        (_, "nil") => "the value before the dot or bracket is nil".to_owned(),
        _ => operand_fix_hint("the value before the dot or bracket", "", found, ""),
    })
}

/// The hint for a call of what is no function.
fn call_hint(code: &ScannedLine<'_>, found: &str, is_known: &dyn Fn(&str) -> bool) -> String {
    let mut names = code.called_expressions();
    names.retain(|name| !is_known(name));
    names.dedup();
    match (names.as_slice(), found) {
        ([name], "nil") => format!("`{name}` is nil here: there is no function with that name"),
        ([name], "table") => format!("`{name}` is a table here, and only functions can be called"),
        ([name], found) => operand_fix_hint("", name, found, ""),
        (_, "nil") => "there is no function with that name".to_owned(),
        _ => operand_fix_hint("what is called", "", found, ""),
    }
}

/// The hint for a failed comparison, `nil < number`.
fn comparison_hint(code: &ScannedLine<'_>, types: &str) -> Option<String> {
    let words: Vec<&str> = types.split(' ').collect();
    let [left, _, right] = words.as_slice() else { return None };
    let sides = code.operators(&["<=", ">=", "<", ">"]);
    let names = match sides.as_slice() {
        [one] if one.symbol.starts_with('<') => [one.left, one.right],
        // Luau swaps the operands of `>` and `>=`.
        [one] => [one.right, one.left],
        _ => ["", ""],
    };
    let at = wrong_operand_index([left, right]);
    Some(operand_fix_hint("a compared value", names[at], [*left, right][at], "or 0"))
}

/// The hint for a failed calculation, `add) on number and nil`.
fn arithmetic_hint(code: &ScannedLine<'_>, rest: &str) -> Option<String> {
    let (sort, rest) = rest.split_once(") on ")?;
    let (left, right) = rest.split_once(" and ").unwrap_or((rest, rest));
    let sign = ["add +", "sub -", "mul *", "div /", "idiv //", "mod %", "unm -"];
    let sign = sign.iter().find_map(|one| one.strip_prefix(sort)).map(str::trim);
    let sides = sign.map(|sign| code.operators(&["//", sign])).unwrap_or_default();
    let names = match sides.as_slice() {
        [one] if sort == "unm" => [one.right, one.right],
        [one] => [one.left, one.right],
        _ => ["", ""],
    };
    let at = wrong_operand_index([left, right]);
    Some(operand_fix_hint("a value of the calculation", names[at], [left, right][at], "or 0"))
}

/// The hint for a wrong argument of a library function.
fn library_argument_hint(message: &str, code: &ScannedLine<'_>) -> Option<String> {
    // Luau's own message already explains other wrong arguments (`max must be greater than min`).
    let (begins, rest) = message.split_once("argument #")?;
    let (number, rest) = rest.split_once(" to '")?;
    let (function, rest) = rest.split_once('\'')?;
    let found = match rest.rsplit_once(", got ") {
        Some((_, got)) => got.trim_end_matches(')'),
        None if begins.ends_with("missing ") => "nil",
        None => return None,
    };
    // Some library functions walk over their first argument.
    let mut library = code.called_expressions();
    library.retain(|name| name.starts_with("table."));
    let (function, number) = match library.as_slice() {
        [called] if code.find_only_call(function).is_none() => (*called, "1"),
        _ => (function, number),
    };
    let given = code.argument_source(function, number.parse().ok()?).unwrap_or_default();
    let what = format!("argument {number} of `{function}`");
    if found == "state" && rest.contains("(table expected") {
        let name = if given.is_empty() { what } else { format!("`{given}`") };
        return Some(format!(
            "{name} is a table of the state, and `{function}` takes only plain ones: `copy(…)` makes one"
        ));
    }
    Some(operand_fix_hint(&what, given, found, "or …"))
}

/// The hint for a nil argument of a host function, if the line names the value.
pub(crate) fn argument_hint(function: &str, number: usize, line: &str) -> Option<String> {
    let name = ScannedLine::scan_line(line).argument_source(function, number)?;
    let plain =
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.bytes().all(is_name_byte);
    plain.then(|| operand_fix_hint("the argument", name, "nil", "or …"))
}

/// The hint for a nil value in a table of named arguments, as in `say("…", { name = kept.name })`.
/// There is none if the line has several calls of the function or several such names.
pub(crate) fn named_argument_hint(function: &str, name: &str, line: &str) -> Option<String> {
    let code = ScannedLine::scan_line(line);
    let from = code.find_only_call(function)?;
    let argument_values = code.line[from..].match_indices(name).filter_map(|(at, _)| {
        let at = from + at;
        let own =
            !code.line[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || "_.".contains(c));
        let rest = code.line[at + name.len()..].trim_start().strip_prefix('=').filter(|_| own)?;
        let from = code.line.len() - rest.len();
        (!rest.starts_with('=') && !code.is_quoted_byte[at]).then(|| code.expression_after(from))
    });
    let argument_values: Vec<&str> = argument_values.collect();
    let [given] = argument_values.as_slice() else { return None };
    let is_name = given.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (is_name && *given != "nil").then(|| operand_fix_hint("", given, "nil", "or …"))
}

/// The only call of a function on a line, as written: `doors.enter "nowhere"`.
pub(crate) fn call_source<'l>(function: &str, line: &'l str) -> Option<&'l str> {
    let code = ScannedLine::scan_line(line);
    let arguments = code.find_only_call(function)?;
    let rest = code.line[arguments..].trim_start();
    let opens = code.line.len() - rest.len();
    let mut depth = 0_usize;
    let end = code.line.bytes().enumerate().skip(opens).find_map(|(at, byte)| {
        match byte {
            _ if code.is_quoted_byte[at] => {}
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_text_end = !code.is_quoted_byte.get(at + 1).is_some_and(|is_quoted| *is_quoted);
        (depth == 0 && is_text_end).then_some(at + 1)
    })?;
    Some(&code.line[arguments - function.len()..end])
}

/// The hint for a failed concatenation.
fn concatenation_hint(code: &ScannedLine<'_>, (left, right): (&str, &str)) -> String {
    let signs = code.operators(&[".."]);
    let plain = |name: &&str| !name.is_empty() && !name.starts_with(['"', '\'', '`']);
    let (mut names, found): (Vec<&str>, &str) = match is_neither_text_nor_number(left) {
        true => (signs.iter().map(|one| one.left).filter(plain).collect(), left),
        false => (signs.last().map(|one| one.right).into_iter().filter(plain).collect(), right),
    };
    names.dedup();
    operand_fix_hint("a value beside `..`", &names.join("` or `"), found, "or \"…\"")
}

/// The hint for an operand of a wrong type. It shows the operand as written, if that is known.
fn operand_fix_hint(what: &str, name: &str, found: &str, instead: &str) -> String {
    let is_known = !["", "nil"].contains(&name);
    let called = if is_known { format!("`{name}`") } else { what.to_owned() };
    let (found, what_to_do) = match found {
        "nil" if is_known && !name.contains('`') => {
            ("nil", format!("make sure that it has a value, or write `({name} {instead})`"))
        }
        "nil" => ("nil", format!("make sure that it has a value, or write `{instead}` after it")),
        "table" | "state" => ("a table", "name the field that you mean".to_owned()),
        "function" => ("a function", "call it, with parentheses".to_owned()),
        "boolean" => ("true or false", "use a text or a number instead".to_owned()),
        "string" => ("a text", "a number is needed: `tonumber(…)` converts a text".to_owned()),
        "number" => ("a number", "it cannot be used like this".to_owned()),
        other => (other, "it cannot be used here".to_owned()),
    };
    format!("{called} is {found} here: {what_to_do}")
}

/// The index of the wrong operand: one that is neither a text nor a number, or else the text beside
/// a number.
fn wrong_operand_index([left, right]: [&str; 2]) -> usize {
    match (is_neither_text_nor_number(left), is_neither_text_nor_number(right)) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => usize::from(left == "number"),
    }
}

fn is_neither_text_nor_number(found: &str) -> bool {
    !["string", "number"].contains(&found)
}
