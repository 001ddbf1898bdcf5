//! The modes of the terminal that the full screen needs: taken at its start, given back whatever happens.

use std::io;
#[cfg(unix)]
use std::io::Write;

use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste};
use crossterm::{cursor, execute, style, terminal};

use crate::kit::fence;

pub(super) fn take_over() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    keep_interrupt();
    let entered = execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide);
    // A terminal that marks no pastes takes no notice.
    let _ = execute!(io::stdout(), EnableBracketedPaste);
    if entered.is_err() {
        give_back();
    }
    entered
}

/// The same where the terminal was in other hands meanwhile.
pub(super) fn take_over_again() -> io::Result<()> {
    let _ = terminal::disable_raw_mode();
    take_over()
}

/// Everything that can be given back is, even if some of it fails: nobody is left to tell.
pub(super) fn give_back() {
    let plain = style::ResetColor;
    let _ = execute!(io::stdout(), plain, DisableMouseCapture, DisableBracketedPaste);
    let _ = execute!(io::stdout(), terminal::LeaveAlternateScreen, cursor::Show);
    let _ = terminal::disable_raw_mode();
}

pub(super) fn give_back_on_panic() {
    fence::give_back_with(give_back);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // One that a fence catches ends nothing.
        if !fence::is_fenced() {
            give_back();
        }
        before(info);
    }));
}

/// Leaves the keyboard's interrupt to the system, so that it is heard while no key is read; its other
/// signs stay keys.
#[cfg(unix)]
fn keep_interrupt() {
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
    /// What stands where a sign does nothing.
    const NOTHING: u8 =
        if cfg!(any(target_os = "linux", target_os = "android")) { 0 } else { 0xff };
    const CONTROL_C: u8 = 3;
    let keyboard = io::stdin();
    let Ok(mut modes) = tcgetattr(&keyboard) else { return };
    modes.local_modes |= LocalModes::ISIG;
    modes.special_codes[SpecialCodeIndex::VINTR] = CONTROL_C;
    for sign in [SpecialCodeIndex::VQUIT, SpecialCodeIndex::VSUSP] {
        modes.special_codes[sign] = NOTHING;
    }
    // Without it the interrupt is a key like any other: heard by whoever waits for one.
    let _ = tcsetattr(&keyboard, OptionalActions::Now, &modes);
}

#[cfg(not(unix))]
fn keep_interrupt() {}

/// Says a line on a terminal that was given back.
#[cfg(unix)]
pub(super) fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
