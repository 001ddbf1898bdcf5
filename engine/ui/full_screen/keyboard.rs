//! Reads the keyboard in bursts: input that arrives together, faster than anybody types. This
//! identifies pastes that the terminal does not mark, and replies of the terminal.

// The clock only measures how fast keys come; no rule sees it.
#![allow(clippy::disallowed_methods)]

use std::io;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::decoder::Decoder;

/// Bytes within this time belong to one burst.
const BURST_GAP: Duration = Duration::from_millis(8);
/// How long an ESC waits for the rest of its sequence before it counts as a key.
const ESCAPE_TIMEOUT: Duration = Duration::from_millis(50);
/// After this time nothing continues earlier input.
const PASTE_IDLE_TIMEOUT: Duration = Duration::from_secs(2);
/// A paste without an end lasts at most this long after its start, even if keys are pressed.
const MAX_PASTE_DURATION: Duration = Duration::from_secs(10);
/// The most events of a burst; further ones are dropped.
const MAX_BURST_EVENTS: usize = 16_384;

/// A burst of at least this many keys with line ends is a paste. Fewer keys may have been typed
/// while the program was busy.
const MIN_PASTE_KEYS: usize = 5;

/// The keyboard and mouse of the terminal.
pub(super) struct Keyboard {
    decoder: Decoder,
    timer: SequenceTimer,
    /// Wakes a waiting read for reasons other than keys.
    #[cfg(unix)]
    wake_receiver: UnixStream,
}

/// Decides when an unfinished sequence has no end.
#[derive(Debug)]
pub struct SequenceTimer {
    last_input_at: Instant,
    /// When the current paste began.
    paste_began_at: Option<Instant>,
}

impl SequenceTimer {
    /// A timer before the first input.
    pub fn new(now: Instant) -> Self {
        Self { last_input_at: now, paste_began_at: None }
    }

    /// Notes input, and whether it is inside a paste.
    pub fn note_input(&mut self, now: Instant, is_in_paste: bool) {
        self.last_input_at = now;
        self.paste_began_at = is_in_paste.then(|| self.paste_began_at.unwrap_or(now));
    }

    /// Whether what comes now begins anew: nothing came for a while, or a paste lasts too long.
    pub fn is_expired(&self, now: Instant) -> bool {
        let is_later = |time: Instant, duration| now.saturating_duration_since(time) > duration;
        is_later(self.last_input_at, PASTE_IDLE_TIMEOUT)
            || self.paste_began_at.is_some_and(|time| is_later(time, MAX_PASTE_DURATION))
    }
}

impl Keyboard {
    #[cfg(unix)]
    pub(super) fn new(wake_receiver: UnixStream) -> Self {
        Self {
            decoder: Decoder::default(),
            timer: SequenceTimer::new(Instant::now()),
            wake_receiver,
        }
    }

    #[cfg(not(unix))]
    pub(super) fn new() -> Self {
        Self { decoder: Decoder::default(), timer: SequenceTimer::new(Instant::now()) }
    }

    /// Waits for a burst up to this time; empty if nothing useful came.
    pub(super) fn read_burst(&mut self, timeout: Duration) -> io::Result<Vec<Event>> {
        let (mut events, mut has_input, mut gap) = (Vec::new(), false, timeout);
        while self.read_events(gap, &mut events)? {
            has_input = true;
            // A mouse event is delivered at once.
            let mouse = matches!(events.last(), Some(Event::Mouse(_) | Event::Resize(..)));
            gap = match self.decoder.is_after_escape() {
                true => ESCAPE_TIMEOUT,
                false if mouse => Duration::ZERO,
                false => BURST_GAP,
            };
            events.truncate(MAX_BURST_EVENTS);
        }
        match has_input {
            true => self.decoder.flush_escape(&mut events),
            false if self.timer.is_expired(Instant::now()) => {
                self.decoder.abandon_sequence(&mut events)
            }
            false => {}
        }
        Ok(detect_paste(events))
    }

    /// Reads available input, waiting for it; returns whether keys came.
    #[cfg(unix)]
    fn read_events(&mut self, timeout: Duration, events: &mut Vec<Event>) -> io::Result<bool> {
        use std::io::Read;

        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let keyboard = io::stdin();
        let mut poll_fds = [
            PollFd::new(&keyboard, PollFlags::IN),
            PollFd::from_borrowed_fd(std::os::fd::AsFd::as_fd(&self.wake_receiver), PollFlags::IN),
        ];
        let wait = Timespec::try_from(timeout).map_err(io::Error::other)?;
        match poll(&mut poll_fds, Some(&wait)) {
            Err(rustix::io::Errno::INTR) => return Ok(false),
            other => other?,
        };
        let [keys, woken] = poll_fds.map(|one| !one.revents().is_empty());
        if woken {
            // Flags that are checked next tell the reason.
            let _ = self.wake_receiver.read(&mut [0; 64]);
        }
        if !keys {
            return Ok(false);
        }
        let mut bytes = [0; 4096];
        let count = match rustix::io::read(&keyboard, &mut bytes) {
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => return Ok(false),
            other => other?,
        };
        if count == 0 {
            // The terminal is gone, which is checked next.
            std::thread::sleep(BURST_GAP);
            return Ok(false);
        }
        let now = Instant::now();
        if self.timer.is_expired(now) {
            self.decoder.abandon_sequence(events);
        }
        self.decoder.decode(&bytes[..count], events);
        self.timer.note_input(now, self.decoder.is_in_paste());
        Ok(true)
    }

    #[cfg(not(unix))]
    fn read_events(&mut self, wait: Duration, events: &mut Vec<Event>) -> io::Result<bool> {
        // crossterm delivers decoded events; a wait of zero would read none.
        let there = crossterm::event::poll(wait.max(Duration::from_micros(50)))?;
        if there {
            events.push(crossterm::event::read()?);
            self.timer.note_input(Instant::now(), false);
        }
        Ok(there)
    }
}

/// Interprets a burst as keys or as a paste. Lines that are followed by more in the same burst were
/// pasted.
fn detect_paste(mut events: Vec<Event>) -> Vec<Event> {
    events.retain(|event| !matches!(event, Event::Key(key) if key.kind == KeyEventKind::Release));
    if events.len() < MIN_PASTE_KEYS {
        return events;
    }
    let first_line_end = events.iter().position(is_line_end);
    let has_text_after = |at: usize| events[at..].iter().any(|event| typed_char(event).is_some());
    if !first_line_end.is_some_and(has_text_after) {
        return events;
    }
    let pasted = events.iter().filter_map(|event| match is_line_end(event) {
        true => Some('\n'),
        false => typed_char(event),
    });
    let paste = Event::Paste(pasted.collect());
    events.retain(|event| !matches!(event, Event::Key(_)));
    events.push(paste);
    events
}

fn is_line_end(event: &Event) -> bool {
    let Event::Key(KeyEvent { code, modifiers, .. }) = event else { return false };
    let is_line_feed = *code == KeyCode::Char('j') && modifiers.contains(KeyModifiers::CONTROL);
    *code == KeyCode::Enter || is_line_feed
}

fn typed_char(event: &Event) -> Option<char> {
    match event {
        Event::Key(KeyEvent { code: KeyCode::Char(c), modifiers, .. })
            if !modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) =>
        {
            Some(*c)
        }
        _ => None,
    }
}
