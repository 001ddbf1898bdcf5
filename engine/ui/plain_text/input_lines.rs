//! Reads lines of answers from a person, a pipe or a file. Lines have a maximum length, and invalid
//! UTF-8 is replaced.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::super::file_watch::ReloadSignal;
use base::{limits, text};

/// How often the reload signal is polled while no line comes.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Lines within this time were pasted.
const PASTE_GAP: Duration = Duration::from_millis(8);

/// A source of answers, one per line.
pub struct LineReader<R> {
    source: LineSource<R>,
    line_number: u32,
    script_name: Option<String>,
    is_echoed: bool,
    /// Whether lines come from a keyboard, so that several at once are a paste.
    detects_pastes: bool,
}

/// Where lines come from: read on demand, or by a thread, so that the reload signal can be polled
/// meanwhile.
enum LineSource<R> {
    ReadOnDemand(R),
    BackgroundThread(Receiver<io::Result<String>>),
}

/// What happened while waiting for a line.
pub(crate) enum LineEvent {
    Line(String),
    ModsChanged,
    End,
}

impl<R: BufRead + Send + 'static> LineReader<R> {
    /// Reads the lines in a background thread if mods are watched.
    pub fn read_in_background_if(self, are_mods_watched: bool) -> Self {
        if are_mods_watched { self.read_in_background() } else { self }
    }

    /// Reads the lines in a background thread.
    pub fn read_in_background(self) -> Self {
        let LineSource::ReadOnDemand(mut reader) = self.source else { return self };
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
        Self { source: LineSource::BackgroundThread(lines), ..self }
    }
}

impl<R: BufRead> LineReader<R> {
    /// Lines typed by a person, who sees them on the terminal.
    pub fn from_terminal(reader: R) -> Self {
        Self {
            source: LineSource::ReadOnDemand(reader),
            line_number: 0,
            script_name: None,
            is_echoed: false,
            detects_pastes: false,
        }
    }

    /// Drops pasted lines; only for the terminal that is the standard input.
    pub fn detect_pastes(self) -> Self {
        Self { detects_pastes: true, ..self }
    }

    /// Drops the lines that came together with the last one; returns their number.
    pub(super) fn drop_pasted_lines(&mut self) -> io::Result<u32> {
        let mut dropped = 0;
        if let (true, LineSource::ReadOnDemand(reader)) = (self.detects_pastes, &mut self.source) {
            while has_input_within(PASTE_GAP) && read_line(reader, false)?.is_some() {
                dropped += 1;
            }
        }
        self.line_number = self.line_number.saturating_add(dropped);
        Ok(dropped)
    }

    /// Lines that nobody sees being typed; they are echoed into the output.
    pub fn from_pipe(reader: R) -> Self {
        Self { is_echoed: true, ..Self::from_terminal(reader) }
    }

    /// Lines of a file: `#` starts a comment line, empty lines are skipped, and a line that is not
    /// an answer is a Problem.
    pub fn from_script(reader: R, name: &str) -> Self {
        Self { script_name: Some(name.to_owned()), ..Self::from_pipe(reader) }
    }

    /// The name of the file, if there is one.
    pub fn script_name(&self) -> Option<String> {
        self.script_name.clone()
    }

    /// The number of the last line, from 1.
    pub fn line_number(&self) -> u32 {
        self.line_number
    }

    /// Whether lines must be echoed into the output.
    pub fn is_echoed(&self) -> bool {
        self.is_echoed
    }

    /// The next line without its end; `None` at the end of the input.
    pub fn next_line(&mut self) -> io::Result<Option<String>> {
        loop {
            let Some(line) = self.next_unfiltered_line()? else { return Ok(None) };
            let empty = line.trim().is_empty() || line.trim_start().starts_with('#');
            if !(self.script_name.is_some() && empty) {
                return Ok(Some(line));
            }
        }
    }

    /// Waits for a line, or for the reload signal if a thread reads the lines.
    pub(crate) fn next_event(
        &mut self,
        reload_signal: Option<&ReloadSignal>,
    ) -> io::Result<LineEvent> {
        if let (LineSource::BackgroundThread(lines), Some(reload_signal)) =
            (&self.source, reload_signal)
        {
            loop {
                match lines.recv_timeout(POLL_INTERVAL) {
                    Ok(line) => {
                        self.line_number = self.line_number.saturating_add(1);
                        return Ok(LineEvent::Line(line?));
                    }
                    Err(RecvTimeoutError::Disconnected) => return Ok(LineEvent::End),
                    Err(RecvTimeoutError::Timeout) if reload_signal() => {
                        return Ok(LineEvent::ModsChanged);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        }
        Ok(self.next_line()?.map_or(LineEvent::End, LineEvent::Line))
    }

    fn next_unfiltered_line(&mut self) -> io::Result<Option<String>> {
        let line = match &mut self.source {
            LineSource::ReadOnDemand(reader) => read_line(reader, self.line_number == 0)?,
            LineSource::BackgroundThread(lines) => lines.recv().ok().transpose()?,
        };
        self.line_number = self.line_number.saturating_add(u32::from(line.is_some()));
        Ok(line)
    }
}

/// Whether standard input has data within this time.
#[cfg(unix)]
fn has_input_within(wait: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let keyboard = io::stdin();
    let mut poll_fds = [PollFd::new(&keyboard, PollFlags::IN)];
    let Ok(wait) = Timespec::try_from(wait) else { return false };
    poll(&mut poll_fds, Some(&wait)).is_ok() && poll_fds[0].revents() == PollFlags::IN
}

#[cfg(not(unix))]
fn has_input_within(_: Duration) -> bool {
    false
}

fn read_line(reader: &mut impl BufRead, first: bool) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let max_bytes = limits::MAX_TEXT_BYTES as u64;
    let read_error = |error: io::Error| {
        io::Error::new(error.kind(), format!("the answers cannot be read: {error}"))
    };
    if reader.take(max_bytes).read_until(b'\n', &mut bytes).map_err(read_error)? == 0 {
        return Ok(None);
    }
    if bytes.len() as u64 == max_bytes && bytes.last() != Some(&b'\n') {
        skip_rest_of_line(reader)?;
    }
    let line = String::from_utf8_lossy(&bytes);
    let line = if first { text::strip_byte_order_mark(&line) } else { &line };
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
