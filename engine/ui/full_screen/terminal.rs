//! The terminal: taken, drawn on, restored in every case.

// The clock only measures how fast keys come; no rule sees it.
#![allow(clippy::disallowed_methods)]

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
    MouseEvent, MouseEventKind,
};
use crossterm::{cursor, execute, terminal};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::super::file_watch::ReloadSignal;
use super::keyboard::Keyboard;
use super::painter::Painter;
use super::signals::SignalState;
use super::terminal_modes::{
    enter_full_screen, reenter_full_screen, restore_on_panic, restore_terminal,
};
use base::text;

/// The largest area drawn. A window can claim 65,535 columns and rows.
const MAX_COLUMNS: u16 = 1_000;
const MAX_ROWS: u16 = 400;

/// How often signals are checked while no key comes.
const SIGNAL_POLL_MS: u64 = 200;
/// A held key repeats within this time.
const KEY_REPEAT_MS: u64 = 90;
/// Input within this time after an answering burst belongs to that burst.
const PASTE_TAIL_TIMEOUT: Duration = Duration::from_millis(250);
/// How often the reload signal is polled while no key comes.
const RELOAD_POLL_MS: u64 = 5;

/// The columns and rows of this process's terminal, also if the output is a pipe; `None` without a
/// terminal.
pub fn terminal_size() -> Option<(u16, u16)> {
    terminal::size().ok().filter(|(columns, rows)| *columns > 0 && *rows > 0)
}

/// An event of the terminal.
pub(super) enum TerminalEvent {
    /// A key press.
    Key(KeyEvent),
    /// Pasted text.
    Paste(String),
    /// The reload signal is set.
    ModsChanged,
    /// A click or a turn of the wheel.
    Mouse(MouseEvent),
    /// The window must be redrawn.
    Redraw,
    /// A signal ends the program, or the terminal is gone.
    ProgramEnd,
}

/// The terminal while the program owns it.
pub(super) struct TerminalHandle {
    painter: Painter,
    signals: Arc<SignalState>,
    is_open: bool,
    captures_mouse: bool,
    keyboard: Keyboard,
    /// The rest of the last burst.
    event_queue: VecDeque<Event>,
    /// When a burst with more in it gave an answer.
    burst_answered_at: Option<Instant>,
    /// Whether the suspend key was pressed.
    suspend_requested: bool,
    /// The cursor position, if a cursor is shown.
    caret: Option<Position>,
}

impl TerminalHandle {
    /// Takes the terminal.
    pub(super) fn open() -> io::Result<Self> {
        #[cfg(unix)]
        let (signals, keyboard) = {
            let (wake, waker) = std::os::unix::net::UnixStream::pair()?;
            wake.set_nonblocking(true)?;
            waker.set_nonblocking(true)?;
            (
                SignalState::start_listener(restore_terminal, reenter_full_screen, waker)?,
                Keyboard::new(wake),
            )
        };
        #[cfg(not(unix))]
        let (signals, keyboard) = (SignalState::start_listener(restore_terminal)?, Keyboard::new());
        restore_on_panic();
        enter_full_screen()?;
        Ok(Self {
            painter: Painter::default(),
            signals,
            is_open: true,
            captures_mouse: false,
            keyboard,
            event_queue: VecDeque::new(),
            burst_answered_at: None,
            suspend_requested: false,
            caret: None,
        })
    }

    /// Draws a frame, and shows the cursor where the next character goes.
    pub(super) fn draw(
        &mut self,
        draw: impl FnOnce(Rect, &mut Buffer) -> Option<Position>,
    ) -> io::Result<()> {
        let (columns, rows) = terminal::size()?;
        let (columns, rows) = (columns.min(MAX_COLUMNS), rows.min(MAX_ROWS));
        let area = Rect::new(0, 0, columns, rows);
        let mut frame = Buffer::empty(area);
        let caret = draw(area, &mut frame);
        let mut out = io::stdout().lock();
        if self.caret.is_some() && caret.is_none() {
            execute!(out, cursor::Hide)?;
        }
        self.painter.paint_changes(frame, &mut out)?;
        if let Some(at) = caret {
            execute!(out, cursor::MoveTo(at.x, at.y), cursor::Show)?;
        }
        self.caret = caret;
        Ok(())
    }

    /// Waits for an event.
    pub(super) fn wait_for_event(
        &mut self,
        reload_signal: Option<&ReloadSignal>,
    ) -> io::Result<TerminalEvent> {
        self.signals.set_waiting(true);
        let event = self.poll_until_event(reload_signal);
        // After a signal, the program ends by itself.
        self.signals.set_waiting(matches!(event, Ok(TerminalEvent::ProgramEnd)));
        event
    }

    fn poll_until_event(
        &mut self,
        reload_signal: Option<&ReloadSignal>,
    ) -> io::Result<TerminalEvent> {
        loop {
            if self.signals.is_program_end_requested() || !io::stdin().is_terminal() {
                return Ok(TerminalEvent::ProgramEnd);
            }
            if std::mem::take(&mut self.suspend_requested) {
                self.suspend(SuspendSource::Keyboard)?;
                return Ok(TerminalEvent::Redraw);
            }
            if self.signals.take_suspend_request() {
                self.suspend(SuspendSource::Signal)?;
                return Ok(TerminalEvent::Redraw);
            }
            if self.signals.take_continued_flag() {
                self.resume()?;
                return Ok(TerminalEvent::Redraw);
            }
            if self.signals.take_resized_flag() {
                // The terminal may have changed its content while it was resized.
                self.painter.forget_frame();
                return Ok(TerminalEvent::Redraw);
            }
            if reload_signal.is_some_and(|reload_signal| reload_signal()) {
                return Ok(TerminalEvent::ModsChanged);
            }
            match self.next_event(reload_signal.is_some()) {
                Ok(Some(happening)) => return Ok(happening),
                Ok(None) => {}
                // A terminal that hangs up fails first and sends its signal later.
                Err(_) if self.signals.is_program_end_requested() => {
                    return Ok(TerminalEvent::ProgramEnd);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn next_event(&mut self, reload_signal: bool) -> io::Result<Option<TerminalEvent>> {
        if self.event_queue.is_empty() {
            let wait =
                Duration::from_millis(if reload_signal { RELOAD_POLL_MS } else { SIGNAL_POLL_MS });
            self.read_burst(wait)?;
        }
        Ok(self.event_queue.pop_front().and_then(|event| self.convert_event(event)))
    }

    /// Reads the next burst. After a burst that gave an answer, a further burst is the rest of a
    /// paste and is dropped.
    fn read_burst(&mut self, wait: Duration) -> io::Result<()> {
        let mut burst = self.keyboard.read_burst(wait)?;
        let is_tail_over = self.burst_answered_at.take_if(|at| at.elapsed() > PASTE_TAIL_TIMEOUT);
        if is_tail_over.is_none() && self.burst_answered_at.is_some() && burst.len() > 1 {
            burst.retain(|event| !is_possible_answer(event));
            self.burst_answered_at = Some(Instant::now());
        }
        self.event_queue.extend(burst);
        Ok(())
    }

    /// A prompt was answered: drops the rest of its burst. Keys for which `keeps_key` is true are
    /// kept.
    pub(super) fn discard_burst(&mut self, keeps_key: impl Fn(KeyCode) -> bool) {
        let before = self.event_queue.len();
        let is_kept = |event: &Event| match event {
            Event::Key(key) => keeps_key(key.code),
            event => !is_possible_answer(event),
        };
        self.event_queue.retain(is_kept);
        if self.event_queue.len() < before {
            self.burst_answered_at = Some(Instant::now());
        }
    }

    fn convert_event(&mut self, event: Event) -> Option<TerminalEvent> {
        match event {
            Event::Key(key) if is_control_key(&key, 'z') => {
                self.suspend_requested = true;
                None
            }
            Event::Key(key) if is_control_key(&key, 'l') => {
                self.painter.forget_frame();
                Some(TerminalEvent::Redraw)
            }
            Event::Key(key) if key.kind == KeyEventKind::Press => Some(TerminalEvent::Key(key)),
            Event::Paste(text) => Some(TerminalEvent::Paste(text)),
            Event::Mouse(mouse)
                if !matches!(mouse.kind, MouseEventKind::Moved | MouseEventKind::Drag(_)) =>
            {
                Some(TerminalEvent::Mouse(mouse))
            }
            Event::Resize(..) | Event::FocusGained => {
                // The terminal may have changed its content while it was resized.
                self.painter.forget_frame();
                Some(TerminalEvent::Redraw)
            }
            _ => None,
        }
    }

    /// Whether a key is held down, which terminals report as fast repetition. Consumes the
    /// repetitions until it is released.
    pub(super) fn consume_key_repeats(&mut self, code: KeyCode) -> io::Result<bool> {
        let mut is_held_down = false;
        loop {
            if self.event_queue.is_empty() {
                self.read_burst(Duration::from_millis(KEY_REPEAT_MS))?;
            }
            match self.event_queue.front() {
                Some(Event::Key(key)) if key.code == code => {
                    is_held_down = true;
                    self.event_queue.pop_front();
                }
                _ => return Ok(is_held_down),
            }
        }
    }

    /// Enables or disables mouse events.
    pub(super) fn set_mouse_capture(&mut self, is_enabled: bool) {
        if self.captures_mouse != is_enabled {
            self.captures_mouse = is_enabled;
            // A terminal without a mouse ignores this.
            let _ = match is_enabled {
                true => execute!(io::stdout(), EnableMouseCapture),
                false => execute!(io::stdout(), DisableMouseCapture),
            };
        }
    }

    /// The next wait returns `ProgramEnd`.
    pub(super) fn request_program_end(&self) {
        self.signals.request_program_end();
    }

    /// Asks the terminal to copy a text to the clipboard; terminals without this ignore it.
    pub(super) fn copy_to_clipboard(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        execute!(out, CopyToClipboard::to_clipboard_from(text))
    }

    /// Restores the terminal and prints the last lines.
    pub(super) fn close(&mut self, last_lines: &[String]) -> io::Result<()> {
        self.restore_terminal();
        let mut out = io::stdout().lock();
        for line in last_lines {
            writeln!(out, "{}", text::strip_unprintable(line))?;
        }
        out.flush()
    }

    fn restore_terminal(&mut self) {
        if std::mem::take(&mut self.is_open) {
            restore_terminal();
        }
    }

    /// Suspends the program, as the shell's job control does, and resumes.
    #[cfg(unix)]
    fn suspend(&mut self, source: SuspendSource) -> io::Result<()> {
        use rustix::process::{Signal, kill_current_process_group};
        restore_terminal();
        if source == SuspendSource::Keyboard {
            // The parent process waits for the program, so its process group is suspended too.
            self.signals.ignore_next_suspend();
            let _ = kill_current_process_group(Signal::TSTP);
        }
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        self.resume()
    }

    #[cfg(not(unix))]
    fn suspend(&mut self, _: SuspendSource) -> io::Result<()> {
        Ok(())
    }

    /// Takes the terminal again, whatever state it was left in.
    fn resume(&mut self) -> io::Result<()> {
        reenter_full_screen()?;
        self.signals.clear_suspend_flags();
        self.caret = None;
        if std::mem::take(&mut self.captures_mouse) {
            self.set_mouse_capture(true);
        }
        self.painter.forget_frame();
        Ok(())
    }

    /// The signal that ends the program, if any.
    pub(super) fn ending_signal(&self) -> Option<i32> {
        self.signals.ending_signal()
    }
}

/// Who requested the suspension. From the keyboard the whole process group is suspended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SuspendSource {
    Keyboard,
    Signal,
}

/// Whether an event can be an answer.
fn is_possible_answer(event: &Event) -> bool {
    matches!(event, Event::Key(_) | Event::Mouse(_) | Event::Paste(_))
}

impl Drop for TerminalHandle {
    fn drop(&mut self) {
        self.restore_terminal();
    }
}

fn is_control_key(key: &KeyEvent, letter: char) -> bool {
    key.kind == KeyEventKind::Press
        && key.modifiers.contains(KeyModifiers::CONTROL)
        && key.code == KeyCode::Char(letter)
}
