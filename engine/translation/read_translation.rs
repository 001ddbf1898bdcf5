//! Reads the translated texts of a PO file, and refuses what cannot be shown.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::po_file::{PoEntry, PoFile};
use super::po_reader::parse_po;
use base::problem::nearest_name;
use base::text::{first_unprintable, placeholders, strip_unprintable};
use base::{Code, PluralForms, Problem, SourceLocation, TranslatedPlural, TranslatedText, limits};

/// The header with the plural forms.
const PLURAL_FORMS_HEADER: &str = "Plural-Forms";

/// Reads the texts of a file of a mod. A text that cannot be shown is left out, with a Problem.
pub fn read_translated_texts(
    owner: &str,
    path: &str,
    text: &str,
) -> (Vec<TranslatedText>, Vec<Problem>) {
    let place = |line: u32| {
        let place = SourceLocation::new(owner, path, line);
        let excerpt = (line as usize).checked_sub(1).and_then(|index| text.lines().nth(index));
        match excerpt {
            Some(line) => place.with_excerpt(strip_unprintable(line)),
            None => place,
        }
    };
    let warning =
        |line: u32, found: String| Problem::warning(Code::BadTranslation, found).at(place(line));
    let file = match parse_po(text) {
        Ok(file) => file,
        Err(error) => {
            let found = format!("this is not a line of a translation: {}", error.found);
            return (Vec::new(), vec![warning(error.line, found).expected(error.expected)]);
        }
    };
    let mut problems = Vec::new();
    let rule = plural_forms(&file).unwrap_or_else(|why| {
        let line = text.lines().position(|line| line.contains(PLURAL_FORMS_HEADER));
        let line = line.and_then(|index| u32::try_from(index + 1).ok()).unwrap_or(0);
        let problem = warning(line, format!("the header {PLURAL_FORMS_HEADER} is wrong: {why}"));
        problems.push(problem.expected("such as nplurals=2; plural=(n != 1);"));
        PluralForms::default()
    });
    let rule = Arc::new(rule);
    let (mut texts, mut ids) = (Vec::new(), BTreeSet::new());
    for entry in file.entries.into_iter().filter(PoEntry::is_active) {
        let checked = match ids.insert(entry.id.clone()) {
            true => check_entry(&entry, &rule),
            false => Err((format!("{:?} is translated twice", entry.id), String::new(), None)),
        };
        match checked {
            Ok(()) => {
                texts.push(translated_text(entry, &rule, SourceLocation::new(owner, path, 0)))
            }
            Err((found, expected, suggestion)) => {
                let problem =
                    warning(entry.line, found).hint("until then the source text is shown");
                let problem = match expected.is_empty() {
                    true => problem,
                    false => problem.expected(expected),
                };
                problems.push(problem.suggest_name(suggestion.as_deref()));
            }
        }
    }
    (texts, problems)
}

fn plural_forms(file: &PoFile) -> Result<PluralForms, String> {
    match file.header_value(PLURAL_FORMS_HEADER) {
        "" => Ok(PluralForms::default()),
        header => PluralForms::parse(header),
    }
}

fn translated_text(
    entry: PoEntry,
    rule: &Arc<PluralForms>,
    place: SourceLocation,
) -> TranslatedText {
    let mut forms = entry.texts.iter().map(|text| Arc::from(text.as_str()));
    let to = forms.next().unwrap_or_else(|| Arc::from(""));
    let plural = entry.plural_id.map(|plural| TranslatedPlural {
        from: plural.into(),
        forms: std::iter::once(Arc::clone(&to)).chain(forms).collect(),
        rule: rule.clone(),
    });
    TranslatedText {
        from: entry.id.into(),
        to,
        plural,
        place: SourceLocation { line: entry.line, ..place },
    }
}

/// What is wrong, what was expected, and a mark that was meant.
type EntryError = (String, String, Option<String>);

fn check_entry(entry: &PoEntry, rule: &PluralForms) -> Result<(), EntryError> {
    if entry.plural_id.is_some() && entry.texts.len() != rule.form_count() {
        return Err((
            format!("the translation has {} plural forms", entry.texts.len()),
            format!("{}, as the header says", rule.form_count()),
            None,
        ));
    }
    let mut known: BTreeSet<&str> = placeholders(&entry.id).collect();
    known.extend(entry.plural_id.iter().flat_map(|plural| placeholders(plural)));
    for text in &entry.texts {
        if let Some((_, c)) = first_unprintable(text) {
            return Err((format!("the translation contains {c:?}"), String::new(), None));
        }
        if text.len() > limits::MAX_TEXT_BYTES {
            let found = format!("the translation has {} bytes", text.len());
            return Err((found, format!("at most {}", limits::MAX_TEXT_BYTES), None));
        }
        let marks: BTreeSet<&str> = placeholders(text).collect();
        if let Some(unknown) = marks.difference(&known).next() {
            let names = known.iter().copied();
            let expected = match known.is_empty() {
                true => "no mark: the source text has none".to_owned(),
                false => format!("the marks {}", list_marks(names.clone())),
            };
            let found = format!("the source text has no mark {{{unknown}}}");
            return Err((found, expected, nearest_name(unknown, names).map(str::to_owned)));
        }
        // One form of a word may do without its count: "a turn".
        if let Some(missing) = known.difference(&marks).next().filter(|_| entry.plural_id.is_none())
        {
            let expected = format!("the marks {}", list_marks(known.iter().copied()));
            return Err((format!("the translation lacks the mark {{{missing}}}"), expected, None));
        }
    }
    Ok(())
}

fn list_marks<'t>(marks: impl Iterator<Item = &'t str>) -> String {
    marks.map(|mark| format!("{{{mark}}}")).collect::<Vec<_>>().join(", ")
}
