//! Lines of answers: from a person, a pipe or a file. A line is never longer than a limit, and
//! never fails for being no UTF-8.

use std::io::{self, BufRead, Read};

use crate::kit::limits;

/// A source of answers, one a line.
pub struct Lines<R> {
    reader: R,
    number: u32,
    script: Option<String>,
    echoes: bool,
}

impl<R: BufRead> Lines<R> {
    /// Lines that a person types, who sees them as they are typed.
    pub fn typed(reader: R) -> Self {
        Self { reader, number: 0, script: None, echoes: false }
    }

    /// Lines that nobody sees being typed: they are written into the transcript.
    pub fn piped(reader: R) -> Self {
        Self { echoes: true, ..Self::typed(reader) }
    }

    /// Lines of a file: `#` opens a comment line, empty lines count for nothing, and a line that
    /// answers nothing is a Problem.
    pub fn scripted(reader: R, name: &str) -> Self {
        Self { script: Some(name.to_owned()), ..Self::piped(reader) }
    }

    /// The file's name, if the lines come from one.
    pub fn script(&self) -> Option<String> {
        self.script.clone()
    }

    /// The number of the line that was read last, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether a line that was read has still to be written into the transcript.
    pub fn echoes(&self) -> bool {
        self.echoes
    }

    /// The next line without its end; `None` when there are no more.
    pub fn next_line(&mut self) -> io::Result<Option<String>> {
        loop {
            let Some(line) = self.next_raw()? else { return Ok(None) };
            let empty = line.trim().is_empty() || line.trim_start().starts_with('#');
            if !(self.script.is_some() && empty) {
                return Ok(Some(line));
            }
        }
    }

    fn next_raw(&mut self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        let most = limits::TEXT_BYTES as u64;
        if (&mut self.reader).take(most).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.len() as u64 == most && bytes.last() != Some(&b'\n') {
            self.skip_rest_of_line()?;
        }
        self.number = self.number.saturating_add(1);
        let line = String::from_utf8_lossy(&bytes);
        Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()))
    }

    fn skip_rest_of_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.reader.fill_buf()?;
            let (used, done) = match buffer.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.reader.consume(used);
            if done {
                return Ok(());
            }
        }
    }
}
