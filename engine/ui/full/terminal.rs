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

use super::super::watch::Bell;
use super::interrupt::Interrupt;
use super::keyboard::Keyboard;
use super::modes::{give_back, give_back_on_panic, take_over, take_over_again};
use super::paint::Painter;
use crate::kit::fault::planted;
use crate::kit::text;

/// The largest area drawn. A window can claim 65,535 columns and rows.
const MOST_COLUMNS: u16 = 1_000;
const MOST_ROWS: u16 = 400;

/// How often signals are checked while no key comes.
const LOOK_MS: u64 = 200;
/// A held key repeats within this time.
const HELD_MS: u64 = 90;
/// Input within this time after an answering burst belongs to that burst.
const REST: Duration = Duration::from_millis(250);
/// How often the reload signal is polled while no key comes.
const BELL_MS: u64 = 5;

/// An event of the terminal.
pub(super) enum Happening {
    /// A key press.
    Key(KeyEvent),
    /// Pasted text.
    Paste(String),
    /// The reload signal is set.
    Bell,
    /// A click or a turn of the wheel.
    Mouse(MouseEvent),
    /// The window must be redrawn.
    Redraw,
    /// The program is told to end, or the terminal is gone.
    End,
}

/// The terminal while the program owns it.
pub(super) struct Stage {
    painter: Painter,
    interrupt: Arc<Interrupt>,
    open: bool,
    mouse: bool,
    keyboard: Keyboard,
    /// The rest of the last burst.
    queue: VecDeque<Event>,
    /// When a burst with more in it gave an answer.
    answered: Option<Instant>,
    /// Whether the suspend key was pressed.
    stop_asked: bool,
    /// The cursor position, if a cursor is shown.
    caret: Option<Position>,
}

impl Stage {
    /// Takes the terminal.
    pub(super) fn open() -> io::Result<Self> {
        #[cfg(unix)]
        let (interrupt, keyboard) = {
            let (wake, waker) = std::os::unix::net::UnixStream::pair()?;
            wake.set_nonblocking(true)?;
            waker.set_nonblocking(true)?;
            (Interrupt::watch(give_back, take_over_again, waker)?, Keyboard::new(wake))
        };
        #[cfg(not(unix))]
        let (interrupt, keyboard) = (Interrupt::watch(give_back)?, Keyboard::new());
        give_back_on_panic();
        take_over()?;
        Ok(Self {
            painter: Painter::default(),
            interrupt,
            open: true,
            mouse: false,
            keyboard,
            queue: VecDeque::new(),
            answered: None,
            stop_asked: false,
            caret: None,
        })
    }

    /// Draws a frame, and shows the cursor where the next character goes.
    pub(super) fn draw(
        &mut self,
        draw: impl FnOnce(Rect, &mut Buffer) -> Option<Position>,
    ) -> io::Result<()> {
        let (columns, rows) = terminal::size()?;
        let times = if planted("wide_windows_are_drawn") { 6 } else { 1 };
        let (columns, rows) = (columns.min(times * MOST_COLUMNS), rows.min(times * MOST_ROWS));
        let area = Rect::new(0, 0, columns, rows);
        let mut frame = Buffer::empty(area);
        let caret = draw(area, &mut frame);
        let mut out = io::stdout().lock();
        if self.caret.is_some() && caret.is_none() {
            execute!(out, cursor::Hide)?;
        }
        self.painter.paint(frame, &mut out)?;
        if let Some(at) = caret {
            execute!(out, cursor::MoveTo(at.x, at.y), cursor::Show)?;
        }
        self.caret = caret;
        Ok(())
    }

    /// Waits for an event.
    pub(super) fn wait(&mut self, bell: Option<&Bell>) -> io::Result<Happening> {
        self.interrupt.awake(true);
        let happening = self.wait_awake(bell);
        // A program that is told to end leaves by itself.
        self.interrupt.awake(matches!(happening, Ok(Happening::End)));
        happening
    }

    fn wait_awake(&mut self, bell: Option<&Bell>) -> io::Result<Happening> {
        loop {
            if self.interrupt.is_asked() || !io::stdin().is_terminal() {
                return Ok(Happening::End);
            }
            if std::mem::take(&mut self.stop_asked) {
                self.suspend(Who::Keyboard)?;
                return Ok(Happening::Redraw);
            }
            if self.interrupt.is_to_stop() {
                self.suspend(Who::Somebody)?;
                return Ok(Happening::Redraw);
            }
            if self.interrupt.has_continued() {
                self.come_back()?;
                return Ok(Happening::Redraw);
            }
            if self.interrupt.has_resized() {
                // The terminal may have changed its content while it was resized.
                self.painter.forget();
                return Ok(Happening::Redraw);
            }
            if bell.is_some_and(|bell| bell()) {
                return Ok(Happening::Bell);
            }
            match self.next(bell.is_some()) {
                Ok(Some(happening)) => return Ok(happening),
                Ok(None) => {}
                // A terminal that hangs up fails first and sends its signal later.
                Err(_) if self.interrupt.is_asked() => return Ok(Happening::End),
                Err(error) => return Err(error),
            }
        }
    }

    fn next(&mut self, bell: bool) -> io::Result<Option<Happening>> {
        if self.queue.is_empty() {
            let wait = Duration::from_millis(if bell { BELL_MS } else { LOOK_MS });
            self.fill(wait)?;
        }
        Ok(self.queue.pop_front().and_then(|event| self.happening(event)))
    }

    /// Reads the next burst. After a burst that gave an answer, a further burst is the rest of a
    /// paste and is dropped.
    fn fill(&mut self, wait: Duration) -> io::Result<()> {
        let mut burst = self.keyboard.burst(wait)?;
        let late = self.answered.take_if(|at| at.elapsed() > REST);
        if late.is_none() && self.answered.is_some() && burst.len() > 1 {
            burst.retain(|event| !is_input(event));
            self.answered = Some(Instant::now());
        }
        self.queue.extend(burst);
        Ok(())
    }

    /// A prompt was answered: drops the rest of its burst. Keys for which `looks` is true are kept.
    pub(super) fn answered(&mut self, looks: impl Fn(KeyCode) -> bool) {
        let before = self.queue.len();
        let stays = |event: &Event| match event {
            Event::Key(key) => looks(key.code),
            event => !is_input(event),
        };
        self.queue.retain(stays);
        if self.queue.len() < before {
            self.answered = Some(Instant::now());
        }
    }

    fn happening(&mut self, event: Event) -> Option<Happening> {
        match event {
            Event::Key(key) if is_control(&key, 'z') => {
                self.stop_asked = true;
                None
            }
            Event::Key(key) if is_control(&key, 'l') => {
                self.painter.forget();
                Some(Happening::Redraw)
            }
            Event::Key(key) if key.kind == KeyEventKind::Press => Some(Happening::Key(key)),
            Event::Paste(text) => Some(Happening::Paste(text)),
            Event::Mouse(mouse)
                if !matches!(mouse.kind, MouseEventKind::Moved | MouseEventKind::Drag(_)) =>
            {
                Some(Happening::Mouse(mouse))
            }
            Event::Resize(..) | Event::FocusGained => {
                // The terminal may have changed its content while it was resized.
                self.painter.forget();
                Some(Happening::Redraw)
            }
            _ => None,
        }
    }

    /// Whether a key is held down, which terminals report as fast repetition. Consumes the
    /// repetitions until it is released.
    pub(super) fn is_held(&mut self, code: KeyCode) -> io::Result<bool> {
        let mut held = false;
        loop {
            if self.queue.is_empty() {
                self.fill(Duration::from_millis(HELD_MS))?;
            }
            match self.queue.front() {
                Some(Event::Key(key)) if key.code == code => {
                    held = true;
                    self.queue.pop_front();
                }
                _ => return Ok(held),
            }
        }
    }

    /// Enables or disables mouse events.
    pub(super) fn listen_to_mouse(&mut self, listen: bool) {
        if self.mouse != listen {
            self.mouse = listen;
            // A terminal without a mouse ignores this.
            let _ = match listen {
                true => execute!(io::stdout(), EnableMouseCapture),
                false => execute!(io::stdout(), DisableMouseCapture),
            };
        }
    }

    /// The next wait returns `End`.
    pub(super) fn end_soon(&self) {
        self.interrupt.ask();
    }

    /// Asks the terminal to copy a text to the clipboard; terminals without this ignore it.
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        execute!(out, CopyToClipboard::to_clipboard_from(text))
    }

    /// Restores the terminal and prints the last lines.
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

    /// Suspends the program, as the shell's job control does, and resumes.
    #[cfg(unix)]
    fn suspend(&mut self, who: Who) -> io::Result<()> {
        use rustix::process::{Signal, kill_current_process_group};
        give_back();
        if who == Who::Keyboard {
            // The parent process waits for the program, so its process group is suspended too.
            self.interrupt.stops_itself();
            let _ = kill_current_process_group(Signal::TSTP);
        }
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        self.come_back()
    }

    #[cfg(not(unix))]
    fn suspend(&mut self, _: Who) -> io::Result<()> {
        Ok(())
    }

    /// Takes the terminal again, whatever state it was left in.
    fn come_back(&mut self) -> io::Result<()> {
        take_over_again()?;
        self.interrupt.is_back();
        self.caret = None;
        if std::mem::take(&mut self.mouse) {
            self.listen_to_mouse(true);
        }
        self.painter.forget();
        Ok(())
    }

    /// The signal that told the program to end, if any.
    pub(super) fn ended_by(&self) -> Option<i32> {
        self.interrupt.signal()
    }
}

/// Who requested the suspension. From the keyboard the whole process group is suspended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Keyboard,
    Somebody,
}

/// Whether an event can be an answer.
fn is_input(event: &Event) -> bool {
    matches!(event, Event::Key(_) | Event::Mouse(_) | Event::Paste(_))
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
