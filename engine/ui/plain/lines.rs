//! Reads lines of answers from a person, a pipe or a file. Lines have a maximum length, and invalid
//! UTF-8 is replaced.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::super::watch::Bell;
use crate::kit::{limits, text};

/// How often the reload signal is polled while no line comes.
const LOOK: Duration = Duration::from_millis(5);

/// Lines within this time were pasted.
const BURST: Duration = Duration::from_millis(8);

/// A source of answers, one per line.
pub struct Lines<R> {
    source: Source<R>,
    number: u32,
    script: Option<String>,
    echoes: bool,
    /// Whether lines come from a keyboard, so that several at once are a paste.
    keyboard: bool,
}

/// Where lines come from: read on demand, or by a thread, so that the reload signal can be polled
/// meanwhile.
enum Source<R> {
    Here(R),
    Thread(Receiver<io::Result<String>>),
}

/// What happened while waiting for a line.
pub(super) enum Came {
    Line(String),
    Bell,
    End,
}

impl<R: BufRead + Send + 'static> Lines<R> {
    /// Reads the lines in a background thread.
    pub fn in_background(self) -> Self {
        let Source::Here(mut reader) = self.source else { return self };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut first = true;
            while let Some(line) = read_line(&mut reader, first).transpose() {
                first = false;
                let last = line.is_err();
                if sender.send(line).is_err() || last {
                    break;
                }
            }
        });
        Self { source: Source::Thread(lines), ..self }
    }
}

impl<R: BufRead> Lines<R> {
    /// Lines typed by a person, who sees them on the terminal.
    pub fn typed(reader: R) -> Self {
        Self {
            source: Source::Here(reader),
            number: 0,
            script: None,
            echoes: false,
            keyboard: false,
        }
    }

    /// Drops pasted lines; only for the terminal that is the standard input.
    pub fn at_a_keyboard(self) -> Self {
        Self { keyboard: true, ..self }
    }

    /// Drops the lines that came together with the last one; returns their number.
    pub(super) fn drop_pasted(&mut self) -> io::Result<u32> {
        let mut dropped = 0;
        if let (true, Source::Here(reader)) = (self.keyboard, &mut self.source) {
            while is_typed_on(BURST) && read_line(reader, false)?.is_some() {
                dropped += 1;
            }
        }
        self.number = self.number.saturating_add(dropped);
        Ok(dropped)
    }

    /// Lines that nobody sees being typed; they are echoed into the output.
    pub fn piped(reader: R) -> Self {
        Self { echoes: true, ..Self::typed(reader) }
    }

    /// Lines of a file: `#` starts a comment line, empty lines are skipped, and a line that is not
    /// an answer is a Problem.
    pub fn scripted(reader: R, name: &str) -> Self {
        Self { script: Some(name.to_owned()), ..Self::piped(reader) }
    }

    /// The name of the file, if there is one.
    pub fn script(&self) -> Option<String> {
        self.script.clone()
    }

    /// The number of the last line, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether lines must be echoed into the output.
    pub fn echoes(&self) -> bool {
        self.echoes
    }

    /// The next line without its end; `None` at the end of the input.
    pub fn next_line(&mut self) -> io::Result<Option<String>> {
        loop {
            let Some(line) = self.next_raw()? else { return Ok(None) };
            let empty = line.trim().is_empty() || line.trim_start().starts_with('#');
            if !(self.script.is_some() && empty) {
                return Ok(Some(line));
            }
        }
    }

    /// Waits for a line, or for the reload signal if a thread reads the lines.
    pub(super) fn next_or_bell(&mut self, bell: Option<&Bell>) -> io::Result<Came> {
        if let (Source::Thread(lines), Some(bell)) = (&self.source, bell) {
            loop {
                match lines.recv_timeout(LOOK) {
                    Ok(line) => {
                        self.number = self.number.saturating_add(1);
                        return Ok(Came::Line(line?));
                    }
                    Err(RecvTimeoutError::Disconnected) => return Ok(Came::End),
                    Err(RecvTimeoutError::Timeout) if bell() => return Ok(Came::Bell),
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        }
        Ok(self.next_line()?.map_or(Came::End, Came::Line))
    }

    fn next_raw(&mut self) -> io::Result<Option<String>> {
        let line = match &mut self.source {
            Source::Here(reader) => read_line(reader, self.number == 0)?,
            Source::Thread(lines) => lines.recv().ok().transpose()?,
        };
        self.number = self.number.saturating_add(u32::from(line.is_some()));
        Ok(line)
    }
}

/// Whether standard input has data within this time.
#[cfg(unix)]
fn is_typed_on(wait: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let keyboard = io::stdin();
    let mut keys = [PollFd::new(&keyboard, PollFlags::IN)];
    let Ok(wait) = Timespec::try_from(wait) else { return false };
    poll(&mut keys, Some(&wait)).is_ok() && keys[0].revents() == PollFlags::IN
}

#[cfg(not(unix))]
fn is_typed_on(_: Duration) -> bool {
    false
}

fn read_line(reader: &mut impl BufRead, first: bool) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let most = limits::TEXT_BYTES as u64;
    let unread = |error: io::Error| {
        io::Error::new(error.kind(), format!("the answers cannot be read: {error}"))
    };
    if reader.take(most).read_until(b'\n', &mut bytes).map_err(unread)? == 0 {
        return Ok(None);
    }
    if bytes.len() as u64 == most && bytes.last() != Some(&b'\n') {
        skip_rest_of_line(reader)?;
    }
    let line = String::from_utf8_lossy(&bytes);
    let line = if first { text::without_byte_order_mark(&line) } else { &line };
    Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()))
}

fn skip_rest_of_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        let (used, done) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(used);
        if done {
            return Ok(());
        }
    }
}
