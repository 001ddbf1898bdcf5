//! The result cache: a file with one result per line, so that an interrupted run can continue. It
//! is valid for one state of mods and cases and is started again for another.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::verdict::MutantResult;
use base::{Code, Problem};

#[derive(Serialize, Deserialize)]
struct CacheLine {
    #[serde(rename = "key")]
    mutant_key: String,
    #[serde(rename = "tried")]
    result: MutantResult,
}

/// Results from before, and the file for new ones.
#[derive(Default)]
pub(super) struct ResultCache {
    results: BTreeMap<String, MutantResult>,
    file: Option<Mutex<File>>,
}

impl ResultCache {
    /// Opens the file for one state of the mods, with the digest `digest`.
    pub(super) fn open(path: Option<&Path>, digest: &str) -> Result<Self, Problem> {
        let Some(path) = path else { return Ok(Self::default()) };
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut lines = text.lines();
        let mut known = BTreeMap::new();
        let same = lines.next() == Some(digest);
        if same {
            // An incomplete last line is computed again.
            known.extend(lines.filter_map(|line| {
                let line: CacheLine = serde_json::from_str(line).ok()?;
                Some((line.mutant_key, line.result))
            }));
        }
        let ends_with_newline = text.ends_with('\n');
        let wrong = |why: std::io::Error| {
            Problem::error(Code::NotWritten, format!("{} cannot be written: {why}", path.display()))
        };
        let mut options = OpenOptions::new();
        let mut file = options
            .create(true)
            .write(true)
            .append(same)
            .truncate(!same)
            .open(path)
            .map_err(wrong)?;
        if !same {
            writeln!(file, "{digest}").map_err(wrong)?;
        } else if !ends_with_newline {
            writeln!(file).map_err(wrong)?;
        }
        Ok(Self { results: known, file: Some(Mutex::new(file)) })
    }

    /// The cached result of a mutant.
    pub(super) fn find_result(&self, key: &str) -> Option<MutantResult> {
        self.results.get(key).cloned()
    }

    /// Stores a result. If it cannot be written, it is computed again next time.
    pub(super) fn store_result(&self, key: String, tried: &MutantResult) {
        let Some(Ok(mut file)) = self.file.as_ref().map(Mutex::lock) else { return };
        if let Ok(line) =
            serde_json::to_string(&CacheLine { mutant_key: key, result: tried.clone() })
        {
            let _ = writeln!(file, "{line}");
        }
    }
}
