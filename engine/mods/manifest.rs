//! The manifest of a mod: `mod.toml`.

use std::collections::BTreeMap;

use semver::{Version, VersionReq};
use toml::de::DeTable;

use super::setting::{Setting, read_setting};
use super::toml_reader::{TomlEntry, TomlReader, TomlTable};
use crate::base::fault::planted;
use crate::base::id::{check_id_part, check_mod_id};
use crate::base::{Code, Problem, SourceLocation, limits};

/// The file name of a manifest.
pub(super) const MANIFEST_FILE_NAME: &str = "mod.toml";
/// The reserved id of the host.
const RESERVED_HOST_ID: &str = "host";

const KEYS: [&str; 13] = [
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
];
/// The required keys.
const REQUIRED: [&str; 4] = ["id", "name", "version", "engine"];
const VERSION: &str = "a version such as \"0.1.0\"";
const RANGE: &str = "a range of versions such as \"0.1\"";

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
    pub engine: VersionReq,
    /// The required mods and their version ranges. They load before this mod.
    pub needs: BTreeMap<String, VersionReq>,
    /// Optional mods that load before this mod.
    pub after: Vec<String>,
    /// Mods that cannot be loaded together with this mod.
    pub clashes: Vec<String>,
    /// Whether the mod is a game.
    pub game: bool,
    /// The settings of the mod.
    pub settings: BTreeMap<String, Setting>,
    /// Lint warnings that `check` does not report: per file the codes, each with a reason.
    pub allow: BTreeMap<String, BTreeMap<String, String>>,
    /// The author.
    pub author: Option<String>,
    /// A short description.
    pub description: Option<String>,
    /// The licence.
    pub licence: Option<String>,
}

/// The version of this program.
pub fn engine_version() -> Version {
    Version::parse(env!("CARGO_PKG_VERSION")).expect("Cargo takes only versions of this form")
}

impl Manifest {
    /// Parses the text of a `mod.toml`. `owner` names the mod until its id is known: the name of
    /// its folder. Reports all mistakes at once.
    pub fn parse(owner: &str, text: &str) -> Result<Self, Vec<Problem>> {
        assert!(!planted("readers_panic") || !text.contains('['), "planted");
        if text.len() > limits::MANIFEST_BYTES {
            let found = format!("{MANIFEST_FILE_NAME} has {} bytes", text.len());
            let problem = Problem::error(Code::TooLarge, found).at(SourceLocation::new(
                owner,
                MANIFEST_FILE_NAME,
                0,
            ));
            return Err(vec![problem.expected(format!("at most {}", limits::MANIFEST_BYTES))]);
        }
        let mut page = TomlReader::new(owner, MANIFEST_FILE_NAME, text);
        let document = match DeTable::parse(text) {
            Ok(document) => document,
            Err(error) => {
                page.record_syntax_error(&error);
                return Err(page.into_problems());
            }
        };
        let manifest = read_manifest_table(&mut page, &TomlTable::from_document(&document));
        match manifest {
            Some(manifest) if page.is_valid() => Ok(manifest),
            _ => Err(page.into_problems()),
        }
    }
}

fn read_manifest_table<'t>(page: &mut TomlReader<'t>, top: &TomlTable<'t>) -> Option<Manifest> {
    if has_misplaced_keys(page, top) {
        return None;
    }
    page.record_unknown_keys(top, &KEYS);
    let id = page.required_entry(top, "id", "\"my_mod\"").and_then(|entry| read_id(page, &entry));
    let name = page
        .required_entry(top, "name", "\"My Mod\"")
        .and_then(|entry| page.read_text_entry(&entry, 80));
    let version = page.required_entry(top, "version", "\"0.1.0\"");
    let version = version.and_then(|entry| read_version(page, &entry));
    let engine = page.required_entry(top, "engine", "\"0.1\"");
    let engine = engine.and_then(|entry| read_range(page, &entry));
    let mut needs = BTreeMap::new();
    if let Some(table) = top.get("needs").and_then(|entry| page.entry_table_within_limit(&entry)) {
        for (key, entry) in table.entries() {
            check_id(page, &entry, &key);
            needs.extend(read_range(page, &entry).map(|range| (key, range)));
        }
    }
    let mut others = |key| top.get(key).map(|entry| read_ids(page, &entry)).unwrap_or_default();
    let (after, clashes) = (others("after"), others("clashes"));
    let game = top.get("game").and_then(|entry| page.read_boolean(&entry)).unwrap_or(false);
    let mut settings = BTreeMap::new();
    if let Some(table) = top.get("settings").and_then(|entry| page.entry_table_within_limit(&entry))
    {
        for (key, entry) in table.entries() {
            check_manifest_id(page, &entry, &key, check_id_part);
            settings.extend(read_setting(page, &entry).map(|setting| (key, setting)));
        }
    }
    let mut allow = BTreeMap::new();
    if let Some(table) = top.get("allow").and_then(|entry| page.entry_table_within_limit(&entry)) {
        for (file, entry) in table.entries() {
            let codes = page.entry_table_within_limit(&entry);
            let codes = codes.iter().flat_map(|codes| codes.entries().collect::<Vec<_>>());
            let read =
                codes.filter_map(|(code, entry)| Some((code, page.read_text_entry(&entry, 400)?)));
            allow.insert(file, read.collect());
        }
    }
    let mut words = |key| top.get(key).and_then(|entry| page.read_text_entry(&entry, 400));
    let (author, description) = (words("author"), words("description"));
    let licence = words("licence");
    Some(Manifest {
        id: id?,
        name: name?,
        version: version?,
        engine: engine?,
        needs,
        after,
        clashes,
        game,
        settings,
        allow,
        author,
        description,
        licence,
    })
}

/// Whether top-level keys of the mod are below a table header, so that TOML reads them as part of
/// that table.
fn has_misplaced_keys<'t>(page: &mut TomlReader<'t>, top: &TomlTable<'t>) -> bool {
    for head in ["needs", "settings"] {
        let Some(entry) = top.get(head) else { continue };
        if entry.value.get_ref().as_table().is_none() {
            let like = match head {
                "needs" => "needs = { other_mod = \"0.1\" }, or the same below [needs]",
                _ => "[settings.NAME], with its keys below it",
            };
            page.record_wrong_type(&entry, like);
            return true;
        }
        let below = page.entry_table(&entry).map(|table| table.entries().collect::<Vec<_>>());
        let mut below = below.unwrap_or_default().into_iter();
        let is_own = |key: &str, entry: &TomlEntry<'_>| {
            let value = entry.value.get_ref();
            let fits = if head == "needs" { value.as_str().is_some() } else { value.is_table() };
            let own = REQUIRED.contains(&key) || (KEYS.contains(&key) && !fits);
            own && top.get(key).is_none()
        };
        if let Some((key, entry)) = below.find(|(key, entry)| is_own(key, entry)) {
            let found = format!("`{key}` is below [{head}], so it is read as a key of that table");
            page.record_wrong_value(
                Code::WrongPlace,
                &entry,
                &found,
                &format!("`{key}` above [{head}]"),
            );
            return true;
        }
    }
    false
}

fn read_id(page: &mut TomlReader<'_>, entry: &TomlEntry<'_>) -> Option<String> {
    let Some(id) = entry.value.get_ref().as_str() else {
        page.record_wrong_type(entry, "a text");
        return None;
    };
    check_id(page, entry, id).then(|| id.to_owned())
}

fn check_id(page: &mut TomlReader<'_>, entry: &TomlEntry<'_>, id: &str) -> bool {
    check_manifest_id(page, entry, id, check_mod_id)
}

fn check_manifest_id(
    page: &mut TomlReader<'_>,
    entry: &TomlEntry<'_>,
    id: &str,
    check: fn(&str) -> Result<(), String>,
) -> bool {
    if id == RESERVED_HOST_ID {
        page.record_wrong_value(
            Code::BadId,
            entry,
            &format!("\"{id}\" is reserved for the program"),
            "another id",
        );
        return false;
    }
    let checked = check(id);
    if let Err(why) = &checked {
        page.record_wrong_value(
            Code::BadId,
            entry,
            &format!("{id:?} is not an id: {why}"),
            "an id such as my_mod",
        );
    }
    checked.is_ok()
}

fn read_ids<'t>(page: &mut TomlReader<'t>, entry: &TomlEntry<'t>) -> Vec<String> {
    let mut ids = page.read_text_list(entry, limits::ID_BYTES);
    ids.retain(|id| check_id(page, entry, id));
    ids
}

/// Parses a text with a format of its own.
fn read_parsed<T, E: std::fmt::Display>(
    page: &mut TomlReader<'_>,
    entry: &TomlEntry<'_>,
    (what, expected): (&str, &str),
    parse: impl Fn(&str) -> Result<T, E>,
) -> Option<T> {
    let Some(text) = entry.value.get_ref().as_str() else {
        page.record_wrong_type(entry, expected);
        return None;
    };
    let wrong = |why| format!("{text:?} is not {what}: {why}");
    parse(text)
        .map_err(|why| page.record_wrong_value(Code::BadVersion, entry, &wrong(why), expected))
        .ok()
}

fn read_version(page: &mut TomlReader<'_>, entry: &TomlEntry<'_>) -> Option<Version> {
    read_parsed(page, entry, ("a version", VERSION), Version::parse)
}

fn read_range(page: &mut TomlReader<'_>, entry: &TomlEntry<'_>) -> Option<VersionReq> {
    read_parsed(page, entry, ("a range of versions", RANGE), VersionReq::parse)
}
