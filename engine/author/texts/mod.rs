//! `texts`: writes all texts that a mod can show for translators, in gettext's PO format, and brings
//! such a file up to date.

mod check_translations;
mod content_texts;
mod pseudo;
mod script_texts;
mod text_places;
mod text_shape;

pub(crate) use check_translations::check_translations;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::switch_mods::{CommandFailure, FoundMods};
use crate::{CommandContext, CommandOutcome, CommandOutput, CommandResult, analysis, output};
use base::{Code, PluralForms, Problem, SourceLocation};
use mods::{ModSet, ModSource, ids_with_dependencies};
use script::Vm;
use script_texts::{TextKind, script_texts};
use text_places::HIDDEN_FIELDS;
use text_shape::is_joined_name;
use translation::{MergeSummary, PoFile, SourceText, merge_source_texts, parse_po};

/// Examples, below the options of `--help`.
pub const HELP: &str = "\
The file is in gettext's PO format, which Poedit and Weblate edit. A file that
exists is brought up to date: translations stay, those of changed texts become
fuzzy, those of removed texts obsolete. The name of the file is the language.

Examples:
  sub-rosa texts my_mod --to my_mod/locale/de.po
  sub-rosa texts my_german --to my_german/locale/de.po

Exit status: 0 written, 1 problems found, 2 no such mod.";

/// The texts of the program, each with its source files. The build script writes the list.
const HOST_TEXTS: &[(&str, &[&str])] = include!(concat!(env!("OUT_DIR"), "/host_texts.rs"));

/// The arguments of `texts`.
#[derive(Clone, Debug)]
pub struct TextsRequest {
    /// The id of the mod.
    pub id: String,
    /// The file to write; without it the texts are printed.
    pub file: Option<PathBuf>,
    /// Whether missing translations become pseudo-translations.
    pub fills_with_pseudo: bool,
    /// Whether to print JSON.
    pub json: bool,
}

/// Writes the texts of a mod.
pub fn extract_texts(
    context: &CommandContext,
    request: &TextsRequest,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    match update_file(context, request) {
        Ok((text, summary)) => {
            match &request.file {
                None => out.write_all(text.as_bytes())?,
                Some(_) if request.json => output::write_json(out, &summary_json(summary))?,
                Some(path) => output::write_line(out, &summary_line(path, summary))?,
            }
            Ok(CommandOutcome::Ok)
        }
        Err((outcome, problems)) => output::report_failure(out, request.json, outcome, &problems),
    }
}

fn update_file(
    context: &CommandContext,
    request: &TextsRequest,
) -> Result<(String, MergeSummary), CommandFailure> {
    let found = FoundMods::discover(context);
    let source = found.find_or_fail(&request.id)?;
    let failure = |problem: Problem| (CommandOutcome::Problems, vec![problem]);
    let mut file = match &request.file {
        Some(path) => open_file(path, source.id()).map_err(failure)?,
        None => new_file("", source.id()),
    };
    let mods = load_translated_mods(context, &found, source)?;
    let vm = Vm::load(&mods, &base::Value::map())
        .map_err(|problems| (CommandOutcome::Problems, problems))?;
    let mut texts = TranslatableTexts::collect(&mods, &vm, source).own;
    drop_left_out_texts(&mut texts, source, &file);
    let rule = PluralForms::parse(file.header_value("Plural-Forms")).unwrap_or_default();
    let mut summary = merge_source_texts(&mut file, &texts, rule.form_count());
    if request.fills_with_pseudo {
        file.entries.iter_mut().for_each(pseudo::translate_entry);
        summary = merge_source_texts(&mut file, &texts, rule.form_count());
    }
    let text = file.to_string();
    if let Some(path) = &request.file {
        let written = path.parent().map_or(Ok(()), fs::create_dir_all);
        written.and_then(|()| fs::write(path, &text)).map_err(|why| {
            let found = format!("{} cannot be written: {why}", path.display());
            failure(Problem::error(Code::NotWritten, found))
        })?;
    }
    Ok((text, summary))
}

/// Reads a file that exists, or begins one.
fn open_file(path: &Path, owner: &str) -> Result<PoFile, Problem> {
    let language = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
            return Ok(new_file(&language, owner));
        }
        Err(why) => {
            let found = format!("{} cannot be read: {why}", path.display());
            return Err(Problem::error(Code::Unreadable, found));
        }
    };
    let text = String::from_utf8_lossy(&bytes);
    let parsed = parse_po(base::text::strip_byte_order_mark(&text)).map_err(|error| {
        let found = format!("this is not a line of a translation: {}", error.found);
        Problem::error(Code::BadTranslation, found)
            .at(SourceLocation::new("", path.display().to_string(), error.line))
            .expected(error.expected)
    });
    let mut file = parsed?;
    // A file without a header, or with a part of one.
    for (name, value) in new_file(&language, owner).header {
        if !file.header.iter().any(|(known, _)| *known == name) {
            file.header.push((name, value));
        }
    }
    Ok(file)
}

fn new_file(language: &str, owner: &str) -> PoFile {
    let mut file = PoFile::default();
    for (name, value) in [
        ("Project-Id-Version", owner),
        ("Report-Msgid-Bugs-To", ""),
        ("POT-Creation-Date", "2026-01-01 00:00+0000"),
        ("PO-Revision-Date", "2026-01-01 00:00+0000"),
        ("Last-Translator", "unknown"),
        ("Language-Team", "none"),
        ("Language", language),
        ("MIME-Version", "1.0"),
        ("Content-Type", "text/plain; charset=UTF-8"),
        ("Content-Transfer-Encoding", "8bit"),
        ("Plural-Forms", plural_forms_of(language)),
    ] {
        file.set_header_value(name, value);
    }
    file
}

/// The plural forms of a language, as gettext's manual lists them; of most languages two.
fn plural_forms_of(language: &str) -> &'static str {
    match language.split(['_', '-', '@']).next().unwrap_or_default() {
        "ja" | "ko" | "zh" | "vi" | "th" | "id" | "ms" => "nplurals=1; plural=0;",
        "fr" | "hy" => "nplurals=2; plural=(n > 1);",
        "pt" if language.starts_with("pt_BR") => "nplurals=2; plural=(n > 1);",
        "ru" | "uk" | "be" | "sr" | "hr" | "bs" => {
            "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && \
             (n%100<10 || n%100>=20) ? 1 : 2);"
        }
        "pl" => {
            "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"
        }
        "cs" | "sk" => "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;",
        _ => "nplurals=2; plural=(n != 1);",
    }
}

/// The mods whose texts are translated, and what they need.
fn load_translated_mods(
    context: &CommandContext,
    found: &FoundMods,
    source: &ModSource,
) -> Result<ModSet, CommandFailure> {
    let ids = translated_ids(&found.mods, source);
    let is_game =
        |id: &&String| found.mods.iter().any(|one| one.id() == *id && one.manifest.is_game);
    let mut context = context.clone();
    context.game = ids.iter().find(is_game).cloned().or(context.game);
    context.extra_mods = ids.iter().filter(|id| !is_game(id)).cloned().collect();
    Ok(context.load_game()?.content.mods)
}

/// The mods whose texts the translations of a mod are about: the mod itself; with a game what it
/// needs; of a mod that only translates what it needs.
fn translated_ids(all: &[ModSource], source: &ModSource) -> BTreeSet<String> {
    let roots: Vec<String> = match source.manifest.language {
        Some(_) => source.manifest.needed_mods.keys().cloned().collect(),
        None => vec![source.id().to_owned()],
    };
    let is_translation = source.manifest.is_translation();
    let has_library = |id: &String| {
        is_translation || all.iter().any(|one| one.id() == id && one.manifest.is_game)
    };
    let ids = roots.iter().flat_map(|id| match has_library(id) {
        true => ids_with_dependencies(all, std::slice::from_ref(id)),
        false => vec![id.clone()],
    });
    ids.collect()
}

/// The texts that the translations of a mod are about, and those that belong to others.
pub(super) struct TranslatableTexts {
    pub(super) own: Vec<SourceText>,
    /// Texts of the mods that it needs, and of the program: their translators translate them.
    pub(super) of_needed_mods: Vec<SourceText>,
}

impl TranslatableTexts {
    pub(super) fn collect(mods: &ModSet, vm: &Vm, source: &ModSource) -> Self {
        let ids = translated_ids(&mods.mods, source);
        let needed: Vec<String> = ids_with_dependencies(&mods.mods, &Vec::from_iter(ids.clone()))
            .iter()
            .filter_map(|id| mods.get(id))
            .flat_map(|one| one.manifest.needed_mods.keys().cloned())
            .collect();
        let needed = ids_with_dependencies(&mods.mods, &needed).into_iter();
        let needed = needed.filter(|id| !ids.contains(id)).collect();
        let of_needed_mods = texts_of_mods(mods, vm, &needed);
        let others: BTreeSet<&str> = of_needed_mods.iter().map(|text| &*text.id).collect();
        let mut own = texts_of_mods(mods, vm, &ids);
        own.retain(|text| !others.contains(&*text.id));
        Self { own, of_needed_mods }
    }
}

/// Drops the texts of files that a translation leaves out, but for those that it translates.
pub(super) fn drop_left_out_texts(texts: &mut Vec<SourceText>, source: &ModSource, file: &PoFile) {
    let left_out = &source.manifest.leaves_out;
    let known: BTreeSet<&str> = file.entries.iter().map(|entry| &*entry.id).collect();
    let is_left_out =
        |reference: &String| left_out.iter().any(|path| reference.starts_with(path.as_str()));
    texts.retain(|text| known.contains(&*text.id) || !text.references.iter().all(is_left_out));
}

/// The texts of some of the loaded mods, and those of the program if a game is among them.
fn texts_of_mods(mods: &ModSet, vm: &Vm, ids: &BTreeSet<String>) -> Vec<SourceText> {
    let content = content_texts::content_texts(vm.registry());
    let names = content_texts::content_names(vm.registry());
    let mut texts = TextList::default();
    for source in mods.mods.iter().filter(|source| ids.contains(source.id())) {
        for (path, file) in &source.files {
            let tree = analysis::with_large_stack(|| {
                let found = full_moon::parse(file).ok()?;
                Some(script_texts(&found))
            });
            for found in tree.into_iter().flatten() {
                let is_text = found.kind == TextKind::Shown
                    || content.contains_key(&found.text)
                    || !names.contains(&found.text) && !HIDDEN_FIELDS.contains(&&*found.text);
                if is_text {
                    let reference = format!("{}/{path}:{}", source.id(), found.line);
                    texts.add(found.text, found.plural, reference);
                }
            }
        }
        manifest_texts(source).into_iter().for_each(|text| {
            texts.add(text, None, format!("{}/mod.toml", source.id()));
        });
    }
    for (text, place) in content {
        let is_shown = text.chars().any(char::is_alphabetic) && !is_joined_name(&text);
        if is_shown && ids.contains(&place.owner) {
            texts.add_if_new(text, &place);
        }
    }
    if mods.mods.iter().any(|source| source.manifest.is_game && ids.contains(source.id())) {
        for (text, files) in HOST_TEXTS {
            files.iter().for_each(|file| texts.add((*text).to_owned(), None, (*file).to_owned()));
        }
    }
    texts.list
}

/// What the settings show of a mod.
fn manifest_texts(source: &ModSource) -> Vec<String> {
    let manifest = &source.manifest;
    let mut texts = vec![manifest.name.clone()];
    texts.extend(manifest.description.clone());
    for setting in manifest.settings.values() {
        texts.extend([setting.label.clone(), setting.doc.clone()]);
    }
    texts.retain(|text| !text.is_empty());
    texts
}

#[derive(Default)]
struct TextList {
    list: Vec<SourceText>,
    index_by_text: BTreeMap<String, usize>,
}

impl TextList {
    fn add(&mut self, text: String, plural: Option<String>, reference: String) {
        if text.is_empty() {
            return;
        }
        let index = *self.index_by_text.entry(text.clone()).or_insert(self.list.len());
        if index == self.list.len() {
            self.list.push(SourceText { id: text, ..SourceText::default() });
        }
        let entry = &mut self.list[index];
        entry.plural_id = entry.plural_id.take().or(plural);
        if !entry.references.contains(&reference) {
            entry.references.push(reference);
        }
    }

    /// Adds a text of a definition that no script has as a literal.
    fn add_if_new(&mut self, text: String, place: &SourceLocation) {
        if !self.index_by_text.contains_key(&text) {
            self.add(text, None, format!("{}/{}:{}", place.owner, place.file, place.line));
        }
    }
}

fn summary_json(summary: MergeSummary) -> serde_json::Value {
    serde_json::json!({
        "translated": summary.translated_count,
        "fuzzy": summary.fuzzy_count,
        "untranslated": summary.untranslated_count,
        "obsolete": summary.obsolete_count,
    })
}

fn summary_line(path: &Path, summary: MergeSummary) -> String {
    format!(
        "wrote {}: {} translated, {} fuzzy, {} untranslated, {} obsolete",
        path.display(),
        summary.translated_count,
        summary.fuzzy_count,
        summary.untranslated_count,
        summary.obsolete_count
    )
}
