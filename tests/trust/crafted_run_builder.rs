//! A run with lines and a checkpoint that no program writes, in a folder of its own.

use std::fs;
use std::path::PathBuf;

use base::digest::Hasher;
use base::{Digest, Problem};
use save::{DataDir, ReadExtent};
use serde_json::{Value as Json, json};

use crate::support::memory_runs::{begin_run, choose};

pub const RUN_ID: &str = "ada-0001";
const STEP_SCRIPT: &str = r#"
start(function() state.dug = 0 go "shaft" end)
scene "shaft" {
  prompt = function() return { text = "Dig?", choices = { { id = "dig", label = "Dig" } } } end,
  on = { dig = function() state.dug += roll("d6", "dirt") say "Earth." end },
}
"#;

/// A run of two steps, the file of its journal, and the last link of its chain. Lines can be added
/// that no program writes.
pub struct CraftedRun {
    _folder: tempfile::TempDir,
    pub data_dir: DataDir,
    pub journal: PathBuf,
    link: Digest,
}

impl CraftedRun {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = DataDir::new(folder.path());
        let mods = crate::support::game_from_files(&[("main.luau", STEP_SCRIPT)]);
        let content = session::RunContent { mods, settings: base::Value::map() };
        let mut locked_profile = data_dir.lock_profile("Ada").unwrap().0;
        let mut active_run = begin_run(&mut locked_profile, content, 7);
        choose(&mut active_run.session, "dig");
        choose(&mut active_run.session, "dig");
        drop((active_run, locked_profile));
        let journal = data_dir.journal_path(RUN_ID).unwrap();
        let mut crafted = Self { _folder: folder, data_dir, journal, link: Digest::default() };
        crafted.write_entries(&crafted.entries());
        crafted
    }

    /// The entries of its lines.
    pub fn entries(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.journal).unwrap();
        let entry = |line: &str| {
            let after_key = line.split_once(",\"entry\":").unwrap().1;
            after_key.strip_suffix('}').unwrap().to_owned()
        };
        text.lines().map(entry).collect()
    }

    fn write_entries(&mut self, entries: &[String]) {
        let mut text = String::new();
        self.link = Digest::default();
        for entry in entries {
            let mut hasher = Hasher::new("journal");
            hasher.feed_bytes(&self.link.0).feed_count(entry.len()).feed_bytes(entry.as_bytes());
            self.link = hasher.finish();
            text += &format!("{{\"chain\":\"{}\",\"entry\":{entry}}}\n", self.link);
        }
        fs::write(&self.journal, text).unwrap();
    }

    /// Adds entries as JSON.
    pub fn add(&mut self, added: &[String]) {
        let entries = [self.entries(), added.to_vec()].concat();
        self.write_entries(&entries);
    }

    /// Changes its header.
    pub fn edit_header(&mut self, edit: impl FnOnce(&mut Json)) {
        let mut entries = self.entries();
        let mut header: Json = serde_json::from_str(&entries[0]).unwrap();
        edit(&mut header["header"]);
        entries[0] = header.to_string();
        self.write_entries(&entries);
    }

    /// Writes a checkpoint after its last line.
    pub fn write_checkpoint(&self, edit: impl FnOnce(&mut Json)) {
        let journal = fs::read(&self.journal).unwrap();
        let opened = self.data_dir.open_run(RUN_ID, ReadExtent::All).unwrap();
        let mut hasher = Hasher::new("journal so far");
        hasher.feed_bytes(&journal);
        let mut checkpoint = json!({
            "format": 1, "run_id": RUN_ID, "step": 2, "journal_bytes": journal.len(),
            "journal_lines": self.entries().len(), "journal_chain": self.link,
            "journal_digest": hasher.finish(), "header": opened.header, "standing": opened.run_state,
            "digest": Digest::default(),
            "snapshot": { "state": { "game": {}, "host": {} }, "seed": 7, "positions": {} },
        });
        edit(&mut checkpoint);
        let body = checkpoint.to_string();
        let mut hasher = Hasher::new("checkpoint");
        hasher.feed_count(body.len()).feed_bytes(body.as_bytes());
        let text = format!("{{\"digest\":\"{}\",\"checkpoint\":{body}}}\n", hasher.finish());
        fs::write(self.journal.with_file_name("checkpoint.json"), text).unwrap();
    }

    /// The Problem of a resume. Nothing of the run is changed, and the profile can be used.
    pub fn resume_problem(&self) -> Problem {
        let before = fs::read(&self.journal).unwrap();
        let Err(problem) = session::resume_run(&self.data_dir, RUN_ID, None) else {
            panic!("the run was resumed");
        };
        assert!(fs::read(&self.journal).unwrap() == before, "{problem}");
        self.data_dir.lock_profile("Ada").unwrap();
        assert!(problem.place.is_some() && problem.hint.is_some(), "{problem}");
        problem
    }
}
