//! The terminal: whether there is one, its size, its colours and its characters.

use std::io::{self, IsTerminal};

use ui::full_screen::{MIN_WINDOW_SIZE, Palette, terminal_size};

use super::Finding;
use crate::environment::{
    default_palette, find_locale, find_variable, is_ascii_default, is_colour_refused,
    is_dumb_terminal,
};

/// The size that the full screen is made for (`docs/playing.md`).
const USUAL_SIZE: (u16, u16) = (80, 24);

/// Checks the terminal.
pub(super) fn check_terminal() -> Vec<Finding> {
    vec![check_streams(), check_size(), check_name(), describe_colours(), check_locale()]
}

fn check_streams() -> Finding {
    let streams = [("input", io::stdin().is_terminal()), ("output", io::stdout().is_terminal())];
    let piped: Vec<&str> =
        streams.iter().filter(|(_, is_terminal)| !is_terminal).map(|(name, _)| *name).collect();
    Finding::ok(match piped.as_slice() {
        [] => "input and output are a terminal".to_owned(),
        piped => format!("no terminal: {}; played like this, plain text is used", piped.join(", ")),
    })
}

fn check_size() -> Finding {
    let is_terminal =
        io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal();
    let Some((columns, rows)) = terminal_size().filter(|_| is_terminal) else {
        return Finding::ok("size: no terminal to measure");
    };
    let size = format!("size: {columns} columns, {rows} rows");
    let is_at_least = |(least_columns, least_rows)| columns >= least_columns && rows >= least_rows;
    if !is_at_least(MIN_WINDOW_SIZE) {
        let (columns, rows) = MIN_WINDOW_SIZE;
        return Finding::care(
            format!("{size}: too small for the full screen"),
            format!("enlarge the window to {columns} by {rows}, or play with --plain"),
        );
    }
    let note = if is_at_least(USUAL_SIZE) { "" } else { "; from 80 by 24 it shows more at once" };
    Finding::ok(format!("{size}{note}"))
}

fn check_name() -> Finding {
    let name = find_variable("TERM").map(|name| name.to_string_lossy().into_owned());
    match name {
        Some(name) if is_dumb_terminal() => Finding::care(
            format!("TERM is {name}: plain text is used"),
            "if this terminal can draw a full screen, set TERM, as to xterm-256color",
        ),
        Some(name) => Finding::ok(format!("TERM is {name}")),
        None if cfg!(unix) && io::stdout().is_terminal() => Finding::care(
            "TERM is not set",
            "set it to what this terminal is, as xterm-256color, or play with --plain",
        ),
        None => Finding::ok("TERM is not set"),
    }
}

fn describe_colours() -> Finding {
    let is_set = |name| find_variable(name).is_some();
    Finding::ok(match default_palette() {
        _ if is_colour_refused() => "colours: none, because NO_COLOR is set",
        Palette::SixteenColours if !is_set("COLORTERM") => {
            "colours: 16; if the terminal has 256, set COLORTERM or a TERM with 256color"
        }
        Palette::SixteenColours => "colours: 16",
        _ => "colours: 256",
    })
}

fn check_locale() -> Finding {
    let locale = match find_locale() {
        Some((name, value)) => format!("locale: {name} is {value}"),
        None => "locale: LC_ALL, LC_CTYPE and LANG are not set".to_owned(),
    };
    match is_ascii_default() {
        false => Finding::ok(locale),
        true => Finding::care(
            format!("{locale}, which is not UTF-8: only ASCII is drawn"),
            "if the terminal can show UTF-8, set LANG, as to C.UTF-8",
        ),
    }
}
