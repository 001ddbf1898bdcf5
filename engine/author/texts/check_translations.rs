//! Checks the translations of mods: texts that cannot be shown, texts of other mods, and how many are
//! missing or outdated.

use std::collections::{BTreeMap, BTreeSet};

use super::{TranslatableTexts, drop_left_out_texts};
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
    let TranslatableTexts { own: texts, of_needed_mods } =
        TranslatableTexts::collect(mods, vm, source);
    let references: BTreeMap<&str, &String> = of_needed_mods
        .iter()
        .filter_map(|text| Some((&*text.id, text.references.first()?)))
        .collect();
    let mut problems = Vec::new();
    for (path, text) in &source.translations {
        problems.extend(read_translated_texts(source.id(), path, text).1);
        let Ok(mut file) = parse_po(text) else { continue };
        for entry in file.entries.iter().filter(|entry| entry.is_active()) {
            let Some(reference) = references.get(&*entry.id) else { continue };
            problems.push(
                Problem::warning(
                    Code::BadTranslation,
                    format!("{:?} is not a text of this mod but of {reference}", entry.id),
                )
                .at(SourceLocation::new(source.id(), path, entry.line))
                .hint("remove it: it changes the text in the whole game"),
            );
        }
        let mut texts = texts.clone();
        drop_left_out_texts(&mut texts, source, &file);
        let rule = PluralForms::parse(file.header_value("Plural-Forms")).unwrap_or_default();
        let has_all_texts = {
            let known: BTreeSet<&str> = file.entries.iter().map(|entry| &*entry.id).collect();
            texts.iter().all(|text| known.contains(&*text.id))
        };
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
                    .hint(match has_all_texts {
                        true => "translate them: fill in each empty `msgstr`".to_owned(),
                        false => format!(
                            "bring the file up to date: `sub-rosa texts {} --to FILE`",
                            source.id()
                        ),
                    }),
            );
        }
    }
    problems
}
