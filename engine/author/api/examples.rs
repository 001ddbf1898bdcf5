//! Examples for the reference: for each kind the shortest definition, for each event the shortest
//! hook or emission, out of the mods that are loaded.

use full_moon::LuaVersion;
use full_moon::tokenizer::{Lexer, LexerResult, Symbol, TokenType};

use base::SourceLocation;
use content::{Kind, STEP_ENDED_EVENT};
use script::Vm;

/// Cases are in `tests/`, which a game does not load; this one is tested with its template.
const CASE_FILE: &str = "tests/first.luau";
const CASE_TEXT: &str = include_str!("../templates/game/tests/first.luau.in");
/// No mod needs to use the event of the host.
const STEP_ENDED_FILE: &str = "main.luau";
const STEP_ENDED_TEXT: &str = "after(\"step_ended\", function(event)\n  if event.answered ~= \"\" then\n    state.answer_count += 1\n  end\nend)";
/// The longest example, in lines.
const MAX_EXAMPLE_LINES: usize = 120;

/// An example, and the file that it is from.
pub(super) struct Snippet {
    pub(super) code: String,
    pub(super) file: String,
}

/// The shortest definition of a kind.
pub(super) fn kind_example(vm: &Vm, kind: &str) -> Option<Snippet> {
    if kind == "case" {
        let line = CASE_TEXT.lines().position(|line| line.starts_with("case "))? + 1;
        let code = statement_at(CASE_TEXT, line)?;
        return Some(Snippet { code, file: CASE_FILE.to_owned() });
    }
    let places = vm.registry().all_definitions(kind).map(|one| &one.place);
    shortest_example(vm, places, |line| line.starts_with(kind))
}

/// The shortest hook of an event; without one, the shortest place that emits it.
pub(super) fn event_example(vm: &Vm, event: &Kind) -> Option<Snippet> {
    if *event.name == *STEP_ENDED_EVENT {
        return Some(Snippet {
            code: STEP_ENDED_TEXT.to_owned(),
            file: STEP_ENDED_FILE.to_owned(),
        });
    }
    let hooks = vm.registered_hooks();
    let hooks = hooks.iter().filter(|hook| hook.event == *event.name).map(|hook| &hook.place);
    let is_hook = |line: &str| line.starts_with("before(") || line.starts_with("after(");
    shortest_example(vm, hooks, is_hook).or_else(|| {
        let call = format!("emit(\"{}\"", event.name);
        let places = vm.sources().iter().flat_map(|(owner, file, lines)| {
            let numbered = lines.text().lines().enumerate();
            let calls = numbered.filter(|(_, line)| line.trim_start().starts_with(&call));
            calls
                .map(|(index, _)| SourceLocation::new(owner, file, index as u32 + 1))
                .collect::<Vec<_>>()
        });
        let places: Vec<SourceLocation> = places.collect();
        shortest_example(vm, places.iter(), |line| line.trim_start().starts_with(&call))
    })
}

/// The shortest statement of several lines, or else of one, that begins at one of these places.
fn shortest_example<'p>(
    vm: &Vm,
    places: impl Iterator<Item = &'p SourceLocation>,
    is_beginning: impl Fn(&str) -> bool,
) -> Option<Snippet> {
    let examples = places.filter_map(|place| {
        let text = vm.sources().indexed_text(&place.owner, &place.file)?.text();
        let code = statement_at(text, place.line as usize).filter(|code| is_beginning(code))?;
        let file = format!("{}/{}", place.owner, place.file);
        (code.lines().count() <= MAX_EXAMPLE_LINES).then_some(Snippet { code, file })
    });
    examples.min_by_key(|snippet| {
        (snippet.code.lines().count() == 1, snippet.code.len(), snippet.file.clone())
    })
}

/// The statement that begins at a line, without its indentation: it ends with the line where all
/// brackets that it opens are closed. `None` if they are not.
pub(super) fn statement_at(text: &str, line: usize) -> Option<String> {
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let statement = &text[start..];
    let indent = statement.len() - statement.trim_start_matches(' ').len();
    let lines = statement.lines().take(count_statement_lines(statement)?);
    let code: Vec<&str> = lines.map(|line| line.get(indent..).unwrap_or_default()).collect();
    Some(code.join("\n"))
}

/// The number of lines of the statement that a text begins with.
fn count_statement_lines(text: &str) -> Option<usize> {
    let mut lexer = Lexer::new_lazy(text, LuaVersion::luau());
    let (mut depth, mut line_count) = (0_usize, 0);
    while let Some(LexerResult::Ok(token)) = lexer.process_next() {
        if depth == 0 && line_count > 0 && token.start_position().line() > line_count {
            break;
        }
        match token.token_type() {
            TokenType::Eof => break,
            TokenType::Symbol {
                symbol: Symbol::LeftParen | Symbol::LeftBrace | Symbol::LeftBracket,
            } => depth += 1,
            TokenType::Symbol {
                symbol: Symbol::RightParen | Symbol::RightBrace | Symbol::RightBracket,
            } => depth = depth.saturating_sub(1),
            TokenType::Whitespace { .. } => continue,
            _ => {}
        }
        line_count = token.end_position().line();
    }
    (depth == 0 && line_count > 0).then_some(line_count)
}
