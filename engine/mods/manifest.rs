//! The manifest of a mod: `mod.toml`.

use std::collections::BTreeMap;

use semver::{Version, VersionReq};
use toml::de::DeTable;

use super::language_files::{MAX_LANGUAGE_BYTES, is_language};
use super::setting::{Setting, read_setting};
use super::toml_reader::{TomlEntry, TomlReader, TomlTable};
use super::version_ranges;
use base::id::{check_id_part, check_mod_id};
use base::{Code, Problem, SourceLocation, limits};

/// The file name of a manifest.
pub(super) const MANIFEST_FILE_NAME: &str = "mod.toml";
/// The reserved id of the host.
const RESERVED_HOST_ID: &str = "host";

const KNOWN_MANIFEST_KEYS: [&str; 15] = [
    "id",
    "name",
    "version",
    "engine",
    "needs",
    "after",
    "clashes",
    "game",
    "settings",
    "allow",
    "author",
    "description",
    "licence",
    "language",
    "leaves_out",
];
/// The required keys.
const REQUIRED_MANIFEST_KEYS: [&str; 4] = ["id", "name", "version", "engine"];
/// The length of a text, such as the description.
const MAX_TEXT_CHARS: usize = 400;
const EXPECTED_VERSION: &str = "a version such as \"0.1.0\"";
const EXPECTED_VERSION_RANGE: &str = "a range of versions such as \"0.1\"";

/// The manifest of a mod.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The unique id, which prefixes the ids of its definitions.
    pub id: String,
    /// The name that players see.
    pub name: String,
    /// Its version.
    pub version: Version,
    /// The engine versions that the mod is made for.
    pub engine_versions: VersionReq,
    /// The required mods and their version ranges. They load before this mod.
    pub needed_mods: BTreeMap<String, VersionReq>,
    /// Optional mods that load before this mod.
    pub loads_after: Vec<String>,
    /// Mods that cannot be loaded together with this mod.
    pub conflicting_mods: Vec<String>,
    /// Whether the mod is a game.
    pub is_game: bool,
    /// The settings of the mod.
    pub settings: BTreeMap<String, Setting>,
    /// Lint warnings that `check` does not report: per file the codes, each with a reason.
    pub suppressed_warnings: BTreeMap<String, BTreeMap<String, String>>,
    /// The author.
    pub author: Option<String>,
    /// A short description.
    pub description: Option<String>,
    /// The licence.
    pub licence: Option<String>,
    /// The language of a translation.
    pub language: Option<String>,
    /// The files whose texts a translation leaves out: the beginnings of their paths, with the mod.
    pub leaves_out: Vec<String>,
}

/// The version of this program.
pub fn engine_version() -> Version {
    Version::parse(env!("CARGO_PKG_VERSION")).expect("Cargo takes only versions of this form")
}

impl Manifest {
    /// The engine that the mod was made for, such as `1.0`, if that has an older surface than this
    /// program's: a lower minor version. A range without a lower bound names none.
    pub fn older_engine(&self) -> Option<String> {
        let this = engine_version();
        let (major, minor) = version_ranges::lower_bound(&self.engine_versions)?;
        ((major, minor) < (this.major, this.minor)).then(|| format!("{major}.{minor}"))
    }

    /// Whether the mod is a translation: its language is chosen, and it is not switched on.
    pub fn is_translation(&self) -> bool {
        self.language.is_some()
    }

    /// Parses the text of a `mod.toml`. `owner` names the mod until its id is known: the name of
    /// its folder. Reports all mistakes at once.
    pub fn parse(owner: &str, text: &str) -> Result<Self, Vec<Problem>> {
        if text.len() > limits::MAX_MANIFEST_BYTES {
            let found = format!("{MANIFEST_FILE_NAME} has {} bytes", text.len());
            let problem = Problem::error(Code::TooLarge, found).at(SourceLocation::new(
                owner,
                MANIFEST_FILE_NAME,
                0,
            ));
            return Err(vec![problem.expected(format!("at most {}", limits::MAX_MANIFEST_BYTES))]);
        }
        let mut reader = TomlReader::new(owner, MANIFEST_FILE_NAME, text);
        let document = match DeTable::parse(text) {
            Ok(document) => document,
            Err(error) => {
                reader.record_syntax_error(&error);
                return Err(reader.into_problems());
            }
        };
        let manifest = read_manifest_table(&mut reader, &TomlTable::from_document(&document));
        match manifest {
            Some(manifest) if reader.is_valid() => Ok(manifest),
            _ => Err(reader.into_problems()),
        }
    }
}

fn read_manifest_table<'t>(
    reader: &mut TomlReader<'t>,
    root_table: &TomlTable<'t>,
) -> Option<Manifest> {
    if has_misplaced_keys(reader, root_table) {
        return None;
    }
    reader.record_unknown_keys(root_table, &KNOWN_MANIFEST_KEYS);
    let id = reader
        .required_entry(root_table, "id", "\"my_mod\"")
        .and_then(|entry| read_id(reader, &entry));
    let name = reader
        .required_entry(root_table, "name", "\"My Mod\"")
        .and_then(|entry| reader.read_text_entry(&entry, 80));
    let version = reader.required_entry(root_table, "version", "\"0.1.0\"");
    let version = version.and_then(|entry| read_version(reader, &entry));
    let engine = reader.required_entry(root_table, "engine", "\"0.1\"");
    let engine = engine.and_then(|entry| read_version_range(reader, &entry));
    let mut needs = BTreeMap::new();
    if let Some(table) =
        root_table.get("needs").and_then(|entry| reader.entry_table_within_limit(&entry))
    {
        for (key, entry) in table.entries() {
            check_dependency_id(reader, &entry, &key);
            needs.extend(read_version_range(reader, &entry).map(|range| (key, range)));
        }
    }
    let mut read_id_list =
        |key| root_table.get(key).map(|entry| read_ids(reader, &entry)).unwrap_or_default();
    let (after, clashes) = (read_id_list("after"), read_id_list("clashes"));
    let game =
        root_table.get("game").and_then(|entry| reader.read_boolean(&entry)).unwrap_or(false);
    let mut settings = BTreeMap::new();
    if let Some(table) =
        root_table.get("settings").and_then(|entry| reader.entry_table_within_limit(&entry))
    {
        for (key, entry) in table.entries() {
            check_manifest_id(reader, &entry, &key, check_id_part);
            settings.extend(read_setting(reader, &entry).map(|setting| (key, setting)));
        }
    }
    let mut allow = BTreeMap::new();
    if let Some(table) =
        root_table.get("allow").and_then(|entry| reader.entry_table_within_limit(&entry))
    {
        for (file, entry) in table.entries() {
            let codes = reader.entry_table_within_limit(&entry);
            let codes = codes.iter().flat_map(|codes| codes.entries().collect::<Vec<_>>());
            let read = codes.filter_map(|(code, entry)| {
                Some((code, reader.read_text_entry(&entry, MAX_TEXT_CHARS)?))
            });
            allow.insert(file, read.collect());
        }
    }
    let mut read_optional_text =
        |key| root_table.get(key).and_then(|entry| reader.read_text_entry(&entry, MAX_TEXT_CHARS));
    let (author, description) = (read_optional_text("author"), read_optional_text("description"));
    let licence = read_optional_text("licence");
    let language = root_table.get("language").and_then(|entry| read_language(reader, &entry));
    let leaves_out = root_table
        .get("leaves_out")
        .map(|entry| reader.read_text_list(&entry, MAX_TEXT_CHARS))
        .unwrap_or_default();
    Some(Manifest {
        id: id?,
        name: name?,
        version: version?,
        engine_versions: engine?,
        needed_mods: needs,
        loads_after: after,
        conflicting_mods: clashes,
        is_game: game,
        settings,
        suppressed_warnings: allow,
        author,
        description,
        licence,
        language,
        leaves_out,
    })
}

/// Whether top-level keys of the mod are below a table header, so that TOML reads them as part of
/// that table.
fn has_misplaced_keys<'t>(reader: &mut TomlReader<'t>, root_table: &TomlTable<'t>) -> bool {
    for header in ["needs", "settings"] {
        let Some(entry) = root_table.get(header) else { continue };
        if entry.value.get_ref().as_table().is_none() {
            let written_example = match header {
                "needs" => "needs = { other_mod = \"0.1\" }, or the same below [needs]",
                _ => "[settings.NAME], with its keys below it",
            };
            reader.record_wrong_type(&entry, written_example);
            return true;
        }
        let below = reader.entry_table(&entry).map(|table| table.entries().collect::<Vec<_>>());
        let mut below = below.unwrap_or_default().into_iter();
        let is_misplaced = |key: &str, entry: &TomlEntry<'_>| {
            let value = entry.value.get_ref();
            let fits = if header == "needs" { value.as_str().is_some() } else { value.is_table() };
            let is_manifest_key = REQUIRED_MANIFEST_KEYS.contains(&key)
                || (KNOWN_MANIFEST_KEYS.contains(&key) && !fits);
            is_manifest_key && root_table.get(key).is_none()
        };
        if let Some((key, entry)) = below.find(|(key, entry)| is_misplaced(key, entry)) {
            let found =
                format!("`{key}` is below [{header}], so it is read as a key of that table");
            reader.record_wrong_value(
                Code::MisplacedManifestKey,
                &entry,
                &found,
                &format!("`{key}` above [{header}]"),
            );
            return true;
        }
    }
    false
}

fn read_id(reader: &mut TomlReader<'_>, entry: &TomlEntry<'_>) -> Option<String> {
    let Some(id) = entry.value.get_ref().as_str() else {
        reader.record_wrong_type(entry, "a text");
        return None;
    };
    check_dependency_id(reader, entry, id).then(|| id.to_owned())
}

fn read_language<'t>(reader: &mut TomlReader<'t>, entry: &TomlEntry<'t>) -> Option<String> {
    let language = reader.read_text_entry(entry, MAX_LANGUAGE_BYTES)?;
    if is_language(&language) {
        return Some(language);
    }
    let found = format!("{language:?} is not a language");
    reader.record_wrong_value(Code::BadId, entry, &found, "a code such as \"de\" or \"pt_BR\"");
    None
}

fn check_dependency_id(reader: &mut TomlReader<'_>, entry: &TomlEntry<'_>, id: &str) -> bool {
    check_manifest_id(reader, entry, id, check_mod_id)
}

fn check_manifest_id(
    reader: &mut TomlReader<'_>,
    entry: &TomlEntry<'_>,
    id: &str,
    check: fn(&str) -> Result<(), String>,
) -> bool {
    if id == RESERVED_HOST_ID {
        reader.record_wrong_value(
            Code::BadId,
            entry,
            &format!("\"{id}\" is reserved for the program"),
            "another id",
        );
        return false;
    }
    let checked = check(id);
    if let Err(why) = &checked {
        reader.record_wrong_value(
            Code::BadId,
            entry,
            &format!("{id:?} is not an id: {why}"),
            "an id such as my_mod",
        );
    }
    checked.is_ok()
}

fn read_ids<'t>(reader: &mut TomlReader<'t>, entry: &TomlEntry<'t>) -> Vec<String> {
    let mut ids = reader.read_text_list(entry, limits::MAX_ID_PART_BYTES);
    ids.retain(|id| check_dependency_id(reader, entry, id));
    ids
}

/// Parses a text with a format of its own.
fn read_parsed_text<T, E: std::fmt::Display>(
    reader: &mut TomlReader<'_>,
    entry: &TomlEntry<'_>,
    (what, expected): (&str, &str),
    parse: impl Fn(&str) -> Result<T, E>,
) -> Option<T> {
    let Some(text) = entry.value.get_ref().as_str() else {
        reader.record_wrong_type(entry, expected);
        return None;
    };
    let describe_error = |why| format!("{text:?} is not {what}: {why}");
    parse(text)
        .map_err(|why| {
            reader.record_wrong_value(Code::BadVersion, entry, &describe_error(why), expected)
        })
        .ok()
}

fn read_version(reader: &mut TomlReader<'_>, entry: &TomlEntry<'_>) -> Option<Version> {
    read_parsed_text(reader, entry, ("a version", EXPECTED_VERSION), Version::parse)
}

fn read_version_range(reader: &mut TomlReader<'_>, entry: &TomlEntry<'_>) -> Option<VersionReq> {
    read_parsed_text(
        reader,
        entry,
        ("a range of versions", EXPECTED_VERSION_RANGE),
        VersionReq::parse,
    )
}
