//! Ids of definitions: `mod:name`, both parts `a-z 0-9 _`.

use std::fmt;
use std::sync::Arc;

use super::{limits, truncate_quoted_text};

/// The id of a definition, `mod:name`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(Arc<str>);

impl Id {
    /// Parses an id. A name without a mod gets `home` as its mod.
    pub fn parse(text: &str, home: &str) -> Result<Self, String> {
        let (owner, name) = text.split_once(':').unwrap_or((home, text));
        for part in [owner, name] {
            check_id_part(part)
                .map_err(|why| format!("\"{}\" is not an id: {why}", truncate_quoted_text(text)))?;
        }
        Ok(Self(Arc::from(format!("{owner}:{name}"))))
    }

    /// Parses the id of an export. Its name usually contains a module: `mod:module.name`.
    pub fn parse_export(text: &str, home: &str) -> Result<Self, String> {
        let (owner, name) = text.split_once(':').unwrap_or((home, text));
        let (module, function_name) = name.split_once('.').unwrap_or((owner, name));
        for part in [owner, module, function_name] {
            check_id_part(part).map_err(|why| {
                format!("\"{}\" is not the id of an export: {why}", truncate_quoted_text(text))
            })?;
        }
        Ok(Self(Arc::from(format!("{owner}:{name}"))))
    }

    /// The whole id, `mod:name`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The mod before the colon.
    pub fn mod_id(&self) -> &str {
        self.0.split_once(':').expect("an id has a colon").0
    }

    /// The name after the colon.
    pub fn name(&self) -> &str {
        self.0.split_once(':').expect("an id has a colon").1
    }
}

/// Checks that a text is valid as a mod id or as the name of a definition: `a-z 0-9 _`, not empty
/// and at most [`limits::MAX_ID_PART_BYTES`] long.
pub fn check_id_part(word: &str) -> Result<(), String> {
    if word.is_empty() {
        return Err("it is empty; expected letters a-z, digits and _".to_owned());
    }
    if word.len() > limits::MAX_ID_PART_BYTES {
        return Err(format!("it is longer than {} characters", limits::MAX_ID_PART_BYTES));
    }
    match word.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '_')) {
        Some(invalid_char) => {
            Err(format!("it contains {invalid_char:?}; expected letters a-z, digits and _"))
        }
        None => Ok(()),
    }
}

/// Checks a mod id. It also names folders and files, so device names of any system are refused.
pub fn check_mod_id(id: &str) -> Result<(), String> {
    check_id_part(id)?;
    match is_device_name(id) {
        true => {
            Err("some systems reserve this name for a device and cannot create a folder with it"
                .to_owned())
        }
        false => Ok(()),
    }
}

/// Names that Windows reserves for devices, with any extension; `com1` and `lpt1` and the like are
/// reserved too.
const WINDOWS_DEVICE_NAMES: [&str; 7] = ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];

/// Whether some system reserves a file name for a device, whatever follows its first dot.
pub fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    let is_numbered_device = ["com", "lpt"].iter().any(|kind| {
        let mut rest = stem.strip_prefix(kind).unwrap_or_default().chars();
        let has_port_digit = rest.next().is_some_and(|c| c.is_ascii_digit() || "¹²³".contains(c));
        has_port_digit && rest.next().is_none()
    });
    is_numbered_device || WINDOWS_DEVICE_NAMES.contains(&&*stem)
}

/// Suggests a valid word for an invalid one: `slow_coal` for `Slow-Coal`.
pub fn suggest_id_part(word: &str) -> Option<String> {
    let normalize_char =
        |c: char| if matches!(c, '-' | ' ' | '.') { '_' } else { c.to_ascii_lowercase() };
    let meant: String = word.chars().map(normalize_char).collect();
    (meant != word && check_id_part(&meant).is_ok()).then_some(meant)
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
