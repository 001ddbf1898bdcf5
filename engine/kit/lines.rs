//! A text whose lines are found at once. Whoever loads a game asks for the line of each declaration;
//! counting from the top each time costs more than everything else that is done with it.

use std::sync::{Arc, OnceLock};

use super::FileText;

/// How many bytes are looked over at once.
const STRETCH: usize = 32;

/// A text with the places where its lines begin: it is looked over when a line is asked for first.
#[derive(Clone, Debug)]
pub struct Lines {
    text: FileText,
    starts: OnceLock<Arc<[usize]>>,
}

impl Lines {
    /// A text.
    pub fn new(text: FileText) -> Self {
        Self { text, starts: OnceLock::new() }
    }

    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| {
            let mut starts = vec![0];
            // Stretches without a break are passed over many bytes at a time.
            for (at, stretch) in self.text.as_bytes().chunks(STRETCH).enumerate() {
                if stretch.iter().fold(false, |any, byte| any | (*byte == b'\n')) {
                    let breaks = stretch.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
                    starts.extend(breaks.map(|(inside, _)| at * STRETCH + inside + 1));
                }
            }
            starts.into()
        })
    }

    /// The whole text.
    pub fn text(&self) -> &FileText {
        &self.text
    }

    /// Where a line begins, in bytes. Lines are counted from 0 here; what follows the last line
    /// break is one more, which may be empty.
    pub fn start(&self, line: usize) -> Option<usize> {
        self.starts().get(line).copied()
    }

    /// A line without its break.
    pub fn line(&self, line: usize) -> Option<&str> {
        let start = self.start(line)?;
        let end = self.starts().get(line + 1).map_or(self.text.len(), |next| next - 1);
        Some(&self.text[start..end])
    }

    /// The line that holds the byte at `offset`.
    pub fn line_at(&self, offset: usize) -> usize {
        self.starts().partition_point(|start| *start <= offset) - 1
    }
}
