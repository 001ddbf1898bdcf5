//! The terminal itself: taken over, drawn on, given back whatever happens.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
    MouseEvent, MouseEventKind,
};
use crossterm::{cursor, execute, style, terminal};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::watch::Bell;
use super::interrupt::Interrupt;
use super::paint::Painter;
use crate::kit::fault::planted;
use crate::kit::{fence, text};

/// The most columns and rows that are drawn on: more than any screen has, and a window may say that it
/// has 65,535 of both.
const MOST_COLUMNS: u16 = 1_000;
const MOST_ROWS: u16 = 400;

/// How often a signal is looked for while no key comes.
const LOOK_MS: u64 = 200;
/// How soon after itself a key comes again that is held down.
const HELD_MS: u64 = 90;
/// How often a bell is looked at while no key comes.
const BELL_MS: u64 = 5;

/// Something that happened at the terminal.
pub(super) enum Happening {
    /// A key was pressed.
    Key(KeyEvent),
    /// The bell rang.
    Bell,
    /// The mouse clicked, or its wheel was turned.
    Mouse(MouseEvent),
    /// The window changed, or was covered and shown again.
    Redraw,
    /// The program is asked to end, or the terminal is gone.
    End,
}

/// The terminal while it is ours.
pub(super) struct Stage {
    painter: Painter,
    interrupt: Arc<Interrupt>,
    open: bool,
    mouse: bool,
    /// What came while it was looked whether a key is held down.
    pending: Option<event::Event>,
}

impl Stage {
    /// Takes the terminal over.
    pub(super) fn open() -> io::Result<Self> {
        let interrupt = Interrupt::watch(give_back)?;
        give_back_on_panic();
        take_over()?;
        Ok(Self { painter: Painter::default(), interrupt, open: true, mouse: false, pending: None })
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(Rect, &mut Buffer)) -> io::Result<()> {
        let (columns, rows) = terminal::size()?;
        let times = if planted("wide_windows_are_drawn") { 6 } else { 1 };
        let (columns, rows) = (columns.min(times * MOST_COLUMNS), rows.min(times * MOST_ROWS));
        let area = Rect::new(0, 0, columns, rows);
        let mut frame = Buffer::empty(area);
        draw(area, &mut frame);
        self.painter.paint(frame, &mut io::stdout().lock())
    }

    /// Waits for something to happen.
    pub(super) fn wait(&mut self, bell: Option<&Bell>) -> io::Result<Happening> {
        self.interrupt.awake(true);
        let happening = self.wait_awake(bell);
        // Who is told to end leaves, and needs nobody to do it for them.
        self.interrupt.awake(matches!(happening, Ok(Happening::End)));
        happening
    }

    fn wait_awake(&mut self, bell: Option<&Bell>) -> io::Result<Happening> {
        loop {
            if self.interrupt.is_asked() || !io::stdin().is_terminal() {
                return Ok(Happening::End);
            }
            if bell.is_some_and(|bell| bell()) {
                return Ok(Happening::Bell);
            }
            match self.next(bell.is_some()) {
                Ok(Some(happening)) => return Ok(happening),
                Ok(None) => {}
                // A terminal that hangs up fails first and sends its signal a little later.
                Err(_) if self.interrupt.is_asked() => return Ok(Happening::End),
                Err(error) => return Err(error),
            }
        }
    }

    fn next(&mut self, bell: bool) -> io::Result<Option<Happening>> {
        // The reader of keys turns round and round for the last millisecond of a wait, which is a
        // fifth of a short one: there the thread sleeps instead. It reads nothing in no time at all.
        let wait = if bell { Duration::from_micros(50) } else { Duration::from_millis(LOOK_MS) };
        if self.pending.is_none() && !event::poll(wait)? {
            if bell {
                std::thread::sleep(Duration::from_millis(BELL_MS));
            }
            return Ok(None);
        }
        let happened = self.pending.take().map_or_else(event::read, Ok)?;
        match happened {
            event::Event::Key(key) if is_control(&key, 'z') => {
                self.suspend()?;
                Ok(Some(Happening::Redraw))
            }
            event::Event::Key(key) if is_control(&key, 'l') => {
                self.painter.forget();
                Ok(Some(Happening::Redraw))
            }
            event::Event::Key(key) if key.kind == KeyEventKind::Press => {
                Ok(Some(Happening::Key(key)))
            }
            event::Event::Mouse(mouse)
                if !matches!(mouse.kind, MouseEventKind::Moved | MouseEventKind::Drag(_)) =>
            {
                Ok(Some(Happening::Mouse(mouse)))
            }
            event::Event::Resize(..) | event::Event::FocusGained => {
                // What a terminal does with its signs while its size changes is its own affair.
                self.painter.forget();
                Ok(Some(Happening::Redraw))
            }
            _ => Ok(None),
        }
    }

    /// Whether a key that came once more is held down: terminals tell of that by sending it again and
    /// again, faster than anybody presses. What they send is passed over until it is let go.
    pub(super) fn is_held(&mut self, code: KeyCode) -> io::Result<bool> {
        let mut held = false;
        while event::poll(Duration::from_millis(HELD_MS))? {
            match event::read()? {
                event::Event::Key(key) if key.code == code => held = true,
                other => {
                    self.pending = Some(other);
                    break;
                }
            }
        }
        Ok(held)
    }

    /// Listens to the mouse, or leaves it to the terminal.
    pub(super) fn listen_to_mouse(&mut self, listen: bool) {
        if self.mouse != listen {
            self.mouse = listen;
            // A terminal without a mouse takes no notice.
            let _ = match listen {
                true => execute!(io::stdout(), EnableMouseCapture),
                false => execute!(io::stdout(), DisableMouseCapture),
            };
        }
    }

    /// The next wait says that the program is asked to end.
    pub(super) fn end_soon(&self) {
        self.interrupt.ask();
    }

    /// Asks the terminal to put a text on the clipboard; one that cannot passes over it.
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        execute!(out, CopyToClipboard::to_clipboard_from(text))
    }

    /// Gives the terminal back and writes the last lines there.
    pub(super) fn close(&mut self, last_lines: &[String]) -> io::Result<()> {
        self.leave();
        let mut out = io::stdout().lock();
        for line in last_lines {
            writeln!(out, "{}", text::clean(line))?;
        }
        out.flush()
    }

    fn leave(&mut self) {
        if std::mem::take(&mut self.open) {
            give_back();
        }
    }

    /// Puts the program aside, as the shell's job control does, and comes back from it.
    #[cfg(unix)]
    fn suspend(&mut self) -> io::Result<()> {
        give_back();
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        take_over()?;
        if std::mem::take(&mut self.mouse) {
            self.listen_to_mouse(true);
        }
        self.painter.forget();
        Ok(())
    }

    #[cfg(not(unix))]
    fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.leave();
    }
}

fn is_control(key: &KeyEvent, letter: char) -> bool {
    key.kind == KeyEventKind::Press
        && key.modifiers.contains(KeyModifiers::CONTROL)
        && key.code == KeyCode::Char(letter)
}

fn take_over() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    keep_interrupt();
    let entered = execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide);
    if entered.is_err() {
        give_back();
    }
    entered
}

/// Everything that can be given back is, even if some of it fails: nobody is left to tell.
fn give_back() {
    let plain = style::ResetColor;
    let _ = execute!(io::stdout(), plain, DisableMouseCapture);
    let _ = execute!(io::stdout(), terminal::LeaveAlternateScreen, cursor::Show);
    let _ = terminal::disable_raw_mode();
}

fn give_back_on_panic() {
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
