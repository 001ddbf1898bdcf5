//! Scripted runs. A case is a file in `tests/runs/`: a seed, options, a starting profile where it
//! matters, and answers by id. Each is played twice: once with its transcript as a snapshot, once
//! with the VM thrown away and rebuilt at random prompts, comparing digests step by step.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use engine::kit::{Digest, Value};
use engine::run::{Content, Nowhere, Session, Terms, complete_options, option_specs};
use engine::ui::front::{Answer, Front};
use engine::ui::plain::{Lines, Plain};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::Deserialize;

use crate::bundled;

/// A scripted run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What the case shows, for the person who reads its transcript.
    pub about: String,
    /// The seed of all dice.
    pub seed: u64,
    /// The game's id; the bundled one if none is named.
    #[serde(default = "bundled")]
    pub game: String,
    /// Folders of further mods, from the project's root.
    #[serde(default)]
    pub mods: Vec<String>,
    /// Options that are not as the game would have them.
    #[serde(default)]
    pub options: BTreeMap<String, Value>,
    /// What the profile holds of the game.
    #[serde(default = "Value::map")]
    pub profile: Value,
    /// The answers, as they would be typed in plain.
    pub answers: Vec<String>,
    /// The outcome the run must end with; none if it stops in the middle.
    pub ends: Option<String>,
}

fn bundled() -> String {
    "sub_rosa".to_owned()
}

/// A run that was played.
pub struct Played {
    pub transcript: String,
    pub digests: Vec<Digest>,
    pub finished: Option<Value>,
    pub awarded: Value,
}

impl Case {
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        toml::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
    }

    pub fn content(&self) -> Content {
        bundled::content(&self.game, &self.mods)
    }

    /// Plays the case in plain. With a stream of chance, the VM is rebuilt at random prompts.
    pub fn play(&self, content: &Content, mut rebuild: Option<ChaCha8Rng>) -> Played {
        let vm = bundled::load(content);
        let options = complete_options(&option_specs(vm.registry()), &self.options)
            .unwrap_or_else(|problem| panic!("{problem}"));
        let terms = Terms { seed: self.seed, options, profile: self.profile.clone() };
        let answers = self.answers.join("\n");
        let lines = Lines::scripted(answers.as_bytes(), "answers");
        let mut front = Plain::new(lines, Vec::new(), 80);
        let (mut session, told) =
            Session::begin(content.clone(), vm, &terms, Box::new(Nowhere)).unwrap();
        assert!(told.refused.is_none(), "{}", told.refused.unwrap());
        front.tell(&told.events).unwrap();
        let mut digests = vec![session.digest()];
        while session.finished().is_none() {
            let input = match front.ask(session.prompt(), session.view()).unwrap() {
                Answer::Input(input) => input,
                Answer::Leave | Answer::Quit | Answer::Undo => break,
                Answer::Stop(problem) => panic!("{problem}\n{}", bundled::prompt_ids(&session)),
                other => panic!("{other:?}"),
            };
            if let Some(rng) = &mut rebuild
                && rng.next_u32() % 3 == 0
            {
                session.rebuild_vm().unwrap();
            }
            let told = session.take(&input).unwrap();
            assert!(told.refused.is_none(), "{input:?}: {}", told.refused.unwrap());
            front.tell(&told.events).unwrap();
            digests.push(session.digest());
        }
        let transcript = String::from_utf8(front.into_output()).unwrap();
        let finished = session.finished();
        Played { transcript, digests, finished, awarded: session.awarded() }
    }
}

fn cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let named =
        |path: &Path| (path.file_stem().unwrap().to_string_lossy().into_owned(), Case::read(path));
    paths.iter().map(|path| named(path)).collect()
}

fn outcome(played: &Played) -> Option<String> {
    let outcome = played.finished.as_ref()?.get("outcome")?.as_text()?;
    Some(outcome.to_owned())
}

#[test]
fn scripted_runs_read_as_they_were_accepted() {
    for (name, case) in cases() {
        let played = case.play(&case.content(), None);
        assert_eq!(outcome(&played), case.ends, "{name} ends otherwise:\n{}", played.transcript);
        let end = played.finished.as_ref().map_or(String::new(), Value::to_json);
        let awarded = played.awarded.to_json();
        let text = format!("{}\n[ended: {end}]\n[awarded: {awarded}]\n", played.transcript);
        insta::with_settings!({ description => case.about.clone(), omit_expression => true,
            snapshot_path => "snapshots/runs", prepend_module_to_snapshot => false },
            { insta::assert_snapshot!(name, text) });
    }
}

#[test]
fn a_vm_thrown_away_at_any_prompt_changes_nothing() {
    for (name, case) in cases() {
        let content = case.content();
        let plain = case.play(&content, None);
        let rebuilt = case.play(&content, Some(ChaCha8Rng::seed_from_u64(case.seed)));
        assert_eq!(plain.digests, rebuilt.digests, "{name}");
        assert_eq!(plain.transcript, rebuilt.transcript, "{name}");
    }
}
