//! Where a shown text is written. Its marks are filled by then, so the longest segment of a script
//! that it contains is searched.

use mods::{ModSet, TESTS_FOLDER};

/// A segment of a text in a script, without its marks.
struct SourceSegment<'t> {
    text: String,
    owner: &'t str,
    file: &'t str,
    line: u32,
}

/// The segments of all texts in the scripts of mods, longest first.
pub(super) struct SourceIndex<'t> {
    segments: Vec<SourceSegment<'t>>,
}

/// The line that a text is written in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextPlace {
    pub(super) owner: String,
    pub(super) file: String,
    pub(super) line: u32,
}

/// A shorter segment says little about where a text is from.
const MIN_SEGMENT_BYTES: usize = 6;

impl<'t> SourceIndex<'t> {
    pub(super) fn new(mods: &'t ModSet) -> Self {
        let mut segments = Vec::new();
        for source in &mods.mods {
            let scripts = source
                .files
                .iter()
                .filter(|(path, _)| path.ends_with(".luau") && !path.starts_with(TESTS_FOLDER));
            for (file, text) in scripts {
                segments.extend(script_segments(text).map(|(line, text)| SourceSegment {
                    text,
                    owner: source.id(),
                    file,
                    line,
                }));
            }
        }
        segments.sort_by_key(|segment| std::cmp::Reverse(segment.text.len()));
        Self { segments }
    }

    /// The line with the longest part of a text: a segment that it contains, or that contains it.
    /// With the segment.
    pub(super) fn find_place(&self, plain: &str) -> Option<(TextPlace, &str)> {
        let is_whole = |segment: &&SourceSegment<'_>| segment.text.len() >= plain.len();
        let whole = || {
            self.segments.iter().take_while(is_whole).find(|segment| segment.text.contains(plain))
        };
        let part = || {
            self.segments.iter().skip_while(is_whole).find(|segment| plain.contains(&*segment.text))
        };
        whole().or_else(part).map(|segment| {
            let (owner, file) = (segment.owner.to_owned(), segment.file.to_owned());
            (TextPlace { owner, file, line: segment.line }, &*segment.text)
        })
    }
}

/// The segments of a script, each with the line on which its literal begins. `\z` continues a literal
/// on the next line.
fn script_segments(text: &str) -> impl Iterator<Item = (u32, String)> {
    let mut segments = Vec::new();
    let mut joined = String::new();
    let mut first_line = 1;
    for (line, number) in text.lines().zip(1..) {
        if joined.is_empty() {
            first_line = number;
            joined = line.to_owned();
        } else {
            joined.push_str(line.trim_start());
        }
        if joined.ends_with("\\z") {
            joined.truncate(joined.len() - "\\z".len());
            continue;
        }
        let whole_line = std::mem::take(&mut joined);
        if !whole_line.trim_start().starts_with("--") {
            let texts = whole_line.split(['{', '}', '"', '`', '*', '\\']).map(str::trim);
            // A row may be of one sentence of a text.
            let sentences = texts.flat_map(|text| {
                let sentences = text.split(". ").filter(|one| one.len() < text.len());
                std::iter::once(text).chain(sentences)
            });
            let long_enough = sentences.filter(|text| text.len() >= MIN_SEGMENT_BYTES);
            segments.extend(long_enough.map(|text| (first_line, text.to_owned())));
        }
    }
    segments.into_iter()
}
