//! The terminal modes of the full screen: set at its start, restored in every case.

use std::io;
#[cfg(unix)]
use std::io::Write;

use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste};
use crossterm::{cursor, execute, style, terminal};

use base::panic_guard;

pub(super) fn enter_full_screen() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    enable_interrupt_signal();
    let result = execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide);
    // A terminal without bracketed paste ignores this.
    let _ = execute!(io::stdout(), EnableBracketedPaste);
    if result.is_err() {
        restore_terminal();
    }
    result
}

/// Sets the modes again after another program used the terminal.
pub(super) fn reenter_full_screen() -> io::Result<()> {
    let _ = terminal::disable_raw_mode();
    enter_full_screen()
}

/// Restores everything that can be restored; errors cannot be reported any more.
pub(super) fn restore_terminal() {
    let reset_colour = style::ResetColor;
    let _ = execute!(io::stdout(), reset_colour, DisableMouseCapture, DisableBracketedPaste);
    let _ = execute!(io::stdout(), terminal::LeaveAlternateScreen, cursor::Show);
    let _ = terminal::disable_raw_mode();
}

pub(super) fn restore_on_panic() {
    panic_guard::set_terminal_restore_hook(restore_terminal);
    let previous_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // A panic that a fence catches does not end the program.
        if !panic_guard::is_guarded() {
            restore_terminal();
        }
        previous_hook(info);
    }));
}

/// Lets the system send the interrupt signal, so that it works while no key is read. Other control
/// keys stay keys.
#[cfg(unix)]
fn enable_interrupt_signal() {
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
    /// The value of a disabled control character.
    const DISABLED_CHARACTER: u8 =
        if cfg!(any(target_os = "linux", target_os = "android")) { 0 } else { 0xff };
    const CONTROL_C: u8 = 3;
    let keyboard = io::stdin();
    let Ok(mut modes) = tcgetattr(&keyboard) else { return };
    modes.local_modes |= LocalModes::ISIG;
    modes.special_codes[SpecialCodeIndex::VINTR] = CONTROL_C;
    for sign in [SpecialCodeIndex::VQUIT, SpecialCodeIndex::VSUSP] {
        modes.special_codes[sign] = DISABLED_CHARACTER;
    }
    // If this fails, the interrupt is an ordinary key.
    let _ = tcsetattr(&keyboard, OptionalActions::Now, &modes);
}

#[cfg(not(unix))]
fn enable_interrupt_signal() {}

/// Prints a line on the restored terminal.
#[cfg(unix)]
pub(super) fn print_line(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
