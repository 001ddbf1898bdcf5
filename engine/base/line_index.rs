//! A text with an index of its line starts. Loading a game asks for the line of every declaration;
//! counting from the top each time would dominate the load time.

use std::sync::{Arc, OnceLock};

use super::FileText;

/// Bytes that are scanned at once.
const SCAN_BLOCK_BYTES: usize = 32;

/// A text with the offsets of its lines. The index is built on the first lookup of a line.
#[derive(Clone, Debug)]
pub struct LineIndexedText {
    text: FileText,
    line_starts: OnceLock<Arc<[usize]>>,
}

impl LineIndexedText {
    /// Creates a text without an index.
    pub fn new(text: FileText) -> Self {
        Self { text, line_starts: OnceLock::new() }
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| {
            let mut starts = vec![0];
            // Blocks without a line break are skipped as a whole.
            for (at, block) in self.text.as_bytes().chunks(SCAN_BLOCK_BYTES).enumerate() {
                if block.iter().fold(false, |any, byte| any | (*byte == b'\n')) {
                    let breaks = block.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
                    starts.extend(breaks.map(|(inside, _)| at * SCAN_BLOCK_BYTES + inside + 1));
                }
            }
            starts.into()
        })
    }

    /// The whole text.
    pub fn text(&self) -> &FileText {
        &self.text
    }

    /// The offset at which a line begins. Lines count from 0 here; the text after the last line
    /// break is one more line, which may be empty.
    pub fn line_start(&self, line: usize) -> Option<usize> {
        self.line_starts().get(line).copied()
    }

    /// A line without its line break.
    pub fn line_text(&self, line: usize) -> Option<&str> {
        let start = self.line_start(line)?;
        let end = self.line_starts().get(line + 1).map_or(self.text.len(), |next| next - 1);
        Some(&self.text[start..end])
    }

    /// The line that holds the byte at `offset`.
    pub fn line_number_at_offset(&self, offset: usize) -> usize {
        self.line_starts().partition_point(|start| *start <= offset) - 1
    }
}
