//! The syntax of a script that nothing runs: a file of `lib/` that nobody requires, a page's
//! example. Compiles and throws the result away.

use super::compiler::compiler;
use crate::kit::{Place, Problem};

/// What is wrong with the syntax of a file, if anything is.
pub fn syntax(owner: &str, file: &str, text: &str) -> Option<Problem> {
    let error = compiler().compile(text).err()?;
    let message = match &error {
        mlua::Error::SyntaxError { message, .. } => message.as_str(),
        _ => "this cannot be compiled",
    };
    // The compiler knows no name of the text: `3: what is wrong`.
    let told = message.trim_start_matches(':').split_once(':');
    let line = told.and_then(|(line, _)| line.trim().parse::<u32>().ok());
    let (line, message) = match (line, told) {
        (Some(line), Some((_, message))) => (line, message.trim()),
        _ => (0, message),
    };
    let mut place = Place::new(owner, file, line);
    let index = (line as usize).checked_sub(1);
    place.excerpt = index.and_then(|index| text.lines().nth(index)).map(crate::kit::text::clean);
    Some(Problem::error("syntax", message).at(place))
}
