//! The pseudo-language: every letter gets an accent, so that a text in plain letters on a screen is
//! one that was not translated.

use base::text::{MarkupPart, split_markup};
use translation::PoEntry;

/// The letters with their accents, lower and upper case.
const ACCENTED: &str = "áƀćďéƒǵĥíĵķĺɱńóƥǫŕśťúṽŵẋýź";
const ACCENTED_CAPITALS: &str = "ÁƁĆĎÉƑǴĤÍĴĶĹṀŃÓƤǪŔŚŤÚṼŴẊÝŹ";

/// Translates an entry that has no translation.
pub(super) fn translate_entry(entry: &mut PoEntry) {
    if entry.is_translated() || entry.is_obsolete {
        return;
    }
    let sources = [Some(&entry.id), entry.plural_id.as_ref()];
    let last = entry.texts.len().saturating_sub(1);
    let texts = (0..entry.texts.len()).map(|index| {
        let source = sources[usize::from(index == last && last > 0)].unwrap_or(&entry.id);
        accent_letters(source)
    });
    entry.texts = texts.collect();
}

fn accent_letters(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for part in split_markup(text) {
        match part {
            MarkupPart::Placeholder(mark) => out.extend(["{", mark, "}"]),
            MarkupPart::Plain(plain) => out.extend(plain.chars().map(accented)),
        }
    }
    out
}

fn accented(c: char) -> char {
    let index = |first: char| (c as usize) - (first as usize);
    match c {
        'a'..='z' => ACCENTED.chars().nth(index('a')).unwrap_or(c),
        'A'..='Z' => ACCENTED_CAPITALS.chars().nth(index('A')).unwrap_or(c),
        c => c,
    }
}
