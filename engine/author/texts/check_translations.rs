//! Checks the translations of mods: texts that cannot be shown, and how many are missing or outdated.

use std::collections::BTreeSet;

use super::{source_texts, translated_ids};
use base::{Code, PluralForms, Problem, SourceLocation};
use mods::{ModSet, ModSource};
use script::Vm;
use translation::{merge_source_texts, parse_po, read_translated_texts};

/// Warnings about the translations of the checked mods.
pub(crate) fn check_translations(mods: &ModSet, vm: &Vm, ids: &BTreeSet<String>) -> Vec<Problem> {
    let checked = mods.mods.iter().filter(|source| ids.contains(source.id()));
    checked
        .filter(|source| !source.translations.is_empty())
        .flat_map(|source| check_mod(mods, vm, source))
        .collect()
}

fn check_mod(mods: &ModSet, vm: &Vm, source: &ModSource) -> Vec<Problem> {
    let texts = source_texts(mods, vm, &translated_ids(&mods.mods, source));
    let mut problems = Vec::new();
    for (path, text) in &source.translations {
        problems.extend(read_translated_texts(source.id(), path, text).1);
        let Ok(mut file) = parse_po(text) else { continue };
        let rule = PluralForms::parse(file.header_value("Plural-Forms")).unwrap_or_default();
        let summary = merge_source_texts(&mut file, &texts, rule.form_count());
        let (missing, outdated) = (summary.untranslated_count, summary.fuzzy_count);
        if missing + outdated > 0 {
            let found = format!(
                "{} of {} texts are shown as they are written: {missing} have no translation, \
                 {outdated} an outdated one",
                missing + outdated,
                texts.len()
            );
            problems.push(
                Problem::warning(Code::MissingTranslation, found)
                    .at(SourceLocation::new(source.id(), path, 0))
                    .hint(format!(
                        "bring the file up to date: `sub-rosa texts {} --to FILE`",
                        source.id()
                    )),
            );
        }
    }
    problems
}
