//! Checks of one text as it is shown: ids, markup, spelling that depends on values.

/// A kind of fault of a shown text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextFaultKind {
    Id,
    Markup,
    Value,
    Spaces,
    Punctuation,
    LowerCase,
    Article,
    Number,
    PluralMark,
    Repeated,
    Contradiction,
}

impl TextFaultKind {
    /// The name in reports and in `-- texts(NAME): reason`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Markup => "markup",
            Self::Value => "value",
            Self::Spaces => "spaces",
            Self::Punctuation => "punctuation",
            Self::LowerCase => "lower-case",
            Self::Article => "article",
            Self::Number => "number",
            Self::PluralMark => "plural-mark",
            Self::Repeated => "repeated",
            Self::Contradiction => "contradiction",
        }
    }
}

/// What kind of text it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextForm {
    /// Whole sentences: the story, a question.
    Prose,
    /// A label, a note, a line of a list.
    Label,
}

/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: [&str; 9] = ["St", "Mr", "Mrs", "Dr", "No", "vs", "etc", "e.g", "i.e"];
/// Words that begin with a vowel letter and a consonant sound.
const CONSONANT_SOUNDS: [&str; 13] = [
    "eu", "ewe", "one", "once", "unic", "unif", "unio", "uniq", "unit", "univ", "us", "uti", "ute",
];
/// Words that begin with a silent `h`.
const SILENT_H: [&str; 4] = ["hour", "honest", "honour", "heir"];
/// Words after a number that end in `s` and are no plurals.
const NO_PLURALS: [&str; 8] = ["is", "was", "has", "as", "its", "this", "does", "less"];

/// The faults of a text without markup. `unquoted` is the same without emphasised parts:
/// inscriptions and titles begin as they were written.
pub(super) fn find_text_faults(plain: &str, unquoted: &str, form: TextForm) -> Vec<TextFaultKind> {
    let words: Vec<&str> = plain.split_whitespace().collect();
    let checks = [
        (TextFaultKind::Id, words.iter().any(|word| is_id(word))),
        (TextFaultKind::Markup, plain.contains(['{', '}', '*', '\\']) || has_tag(plain)),
        (
            TextFaultKind::Value,
            words.iter().any(|word| is_lua_value(word))
                || ["table: 0x", "function: 0x"].iter().any(|object| plain.contains(object)),
        ),
        (TextFaultKind::Spaces, has_wrong_spaces(plain, form)),
        (TextFaultKind::Punctuation, has_wrong_punctuation(plain)),
        (TextFaultKind::LowerCase, begins_small(unquoted, form)),
        (TextFaultKind::Article, words.windows(2).enumerate().any(has_wrong_article(&words))),
        (TextFaultKind::PluralMark, ["(s)", "(es)", "(ies)"].iter().any(|end| plain.contains(end))),
    ];
    checks.into_iter().filter_map(|(kind, is_found)| is_found.then_some(kind)).collect()
}

fn strip_punctuation(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')
}

/// `mod:name`, or a name with an underscore.
fn is_id(word: &str) -> bool {
    let word = strip_punctuation(word);
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let has_underscore = word.split('_').filter(|part| !part.is_empty()).count() > 1;
    has_underscore
        || word.split_once(':').is_some_and(|(owner, name)| is_name(owner) && is_name(name))
}

/// `[tag]`: one lower-case word in brackets.
fn has_tag(plain: &str) -> bool {
    plain
        .split('[')
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .any(|(tag, _)| tag.len() > 1 && tag.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
}

fn is_lua_value(word: &str) -> bool {
    ["nil", "nan", "inf"].contains(&strip_punctuation(word))
}

fn has_wrong_spaces(plain: &str, form: TextForm) -> bool {
    let mut lines = plain.split('\n');
    lines.any(|line| {
        let line = line.trim_start();
        // Labels have columns.
        let is_in_sentence = |(at, _): (usize, &str)| {
            form == TextForm::Prose
                || line[..at].ends_with(char::is_lowercase)
                    && line[at..].trim_start().starts_with(char::is_lowercase)
        };
        let before_stop = line
            .match_indices(" .")
            .any(|(at, _)| !line[at + 2..].starts_with(|c: char| c == '.' || c.is_ascii_digit()));
        line.trim_end() != line
            || line.match_indices("  ").any(is_in_sentence)
            || before_stop
            || [" ,", " ;", " !", " ?"].iter().any(|stop| line.contains(stop))
    })
}

/// Two stops in a row, also around a closing quote. Three full stops are an ellipsis.
fn has_wrong_punctuation(plain: &str) -> bool {
    let without_ellipses = plain.replace("...", "…");
    let chars: Vec<char> = without_ellipses.chars().collect();
    let is_stop = |c: char| matches!(c, '.' | ',' | ';' | ':');
    let is_doubled = |pair: &[char]| {
        matches!(pair[0], '.' | ',' | ';' | ':' | '!' | '?' | '…')
            && is_stop(pair[1])
            && !matches!((pair[0], pair[1]), ('!' | '?' | '…' | '.', ',' | ';' | ':'))
    };
    let is_around_quote = |three: &[char]| {
        matches!(three[0], '.' | '!' | '?') && matches!(three[1], '"' | '”') && three[2] == '.'
    };
    chars.windows(2).any(is_doubled) || chars.windows(3).any(is_around_quote)
}

/// A lower-case letter at the start of a sentence.
fn begins_small(plain: &str, form: TextForm) -> bool {
    let words: Vec<&str> = plain.split_whitespace().collect();
    let is_sentence = plain.trim_end_matches(['"', '\'', '”', '’', ')']).ends_with(['.', '!', '?']);
    let small_start =
        form == TextForm::Prose && is_sentence && plain.starts_with(|c: char| c.is_lowercase());
    let is_end = |word: &str| {
        let Some(before) = word.strip_suffix('.') else { return false };
        let name = before.trim_start_matches(|c: char| !c.is_alphanumeric());
        // Numbers, initials and abbreviations in capitals end no sentence.
        name.chars().count() > 2
            && name.chars().all(|c| !c.is_ascii_digit() && c != '.')
            && name.contains(char::is_lowercase)
            && !ABBREVIATIONS.contains(&name)
    };
    small_start
        || words
            .windows(2)
            .any(|pair| is_end(pair[0]) && pair[1].starts_with(|c: char| c.is_lowercase()))
}

fn has_wrong_article<'w>(words: &'w [&'w str]) -> impl Fn((usize, &[&str])) -> bool + 'w {
    move |(index, pair)| {
        let article = pair[0].trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_at_start = index == 0 || words[index - 1].ends_with(['.', '!', '?', ':']);
        let noun = strip_punctuation(pair[1]);
        let begins_with = |list: &[&str]| list.iter().any(|begin| noun.starts_with(begin));
        let begins_with_vowel = match noun.parse::<u32>() {
            Ok(number) => noun.starts_with('8') || number == 11 || number == 18,
            Err(_) => {
                noun.starts_with(['a', 'e', 'i', 'o', 'u']) && !begins_with(&CONSONANT_SOUNDS)
                    || begins_with(&SILENT_H)
            }
        };
        let begins_with_consonant = noun
            .starts_with(|c: char| c.is_ascii_lowercase() && !"aeiouh".contains(c))
            && noun.len() > 1;
        match article {
            "a" => begins_with_vowel && pair[1].starts_with(char::is_alphanumeric),
            "A" => {
                is_at_start
                    && noun != "is"
                    && begins_with_vowel
                    && pair[1].starts_with(char::is_alphanumeric)
            }
            "an" | "An" => begins_with_consonant,
            _ => false,
        }
    }
}

/// A number with the word after it: whether the number is 1, and the word.
pub(super) fn counted_words(plain: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut before = ["", ""];
    plain.split_whitespace().filter_map(move |word| {
        let [earlier, number] = before;
        before = [number, word];
        let number = number.trim_start_matches(['(', '[', '+', '-']).parse::<u32>().ok()?;
        let noun = strip_punctuation(word);
        let is_word = noun.len() > 2 && noun.chars().all(|c| c.is_ascii_lowercase());
        // No count: a range (`0 to 1 turns`), a face (`a 1 hurts`), a score (`DEX 1 becomes 2`).
        let is_score = earlier.len() > 1 && earlier.chars().all(|c| c.is_ascii_uppercase());
        let is_range = is_score || ["a", "A", "to", "or", "of", "and", "as"].contains(&earlier);
        (is_word && !(number == 1 && is_range)).then_some((number == 1, noun))
    })
}

/// Whether a counted word is in the wrong number, by the words that were counted elsewhere:
/// `1 turns` where `2 turns` was shown, `2 turn` where `1 turn` and `3 turns` were.
pub(super) fn is_wrong_number(
    is_one: bool,
    noun: &str,
    is_known: &dyn Fn(bool, &str) -> bool,
) -> bool {
    match is_one {
        true => {
            let is_plural =
                noun.ends_with('s') && !["ss", "us", "is"].iter().any(|end| noun.ends_with(end));
            is_plural && is_known(false, noun) && !NO_PLURALS.contains(&noun)
        }
        false => is_known(true, noun) && is_known(false, &format!("{noun}s")),
    }
}

/// The sentences of a text that are long enough to be noticed when they come again.
pub(super) fn long_sentences(plain: &str) -> impl Iterator<Item = &str> {
    const MIN_CHARS: usize = 60;
    let mut rest = plain;
    let sentences = std::iter::from_fn(move || {
        let text = rest.trim_start();
        if text.is_empty() {
            return None;
        }
        let is_end = |(at, c): &(usize, char)| {
            matches!(c, '.' | '!' | '?')
                && text[at + 1..]
                    .trim_start_matches(['"', '\'', '”', '’', ')'])
                    .starts_with([' ', '\n'])
        };
        let end = text.char_indices().find(is_end).map_or(text.len(), |(at, _)| {
            let after = &text[at + 1..];
            at + 1 + (after.len() - after.trim_start_matches(['"', '\'', '”', '’', ')']).len())
        });
        let sentence;
        (sentence, rest) = text.split_at(end);
        Some(sentence)
    });
    sentences.filter(|one| one.chars().count() >= MIN_CHARS && one.contains(' '))
}
