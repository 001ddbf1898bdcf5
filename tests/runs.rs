//! Scripted runs. A case is a file in `tests/runs/`: a seed, options, an optional profile, and
//! answers by id. Each is played twice: once with its transcript as a snapshot, and once with the
//! VM rebuilt at random prompts, comparing digests step by step.

use std::fs;
use std::path::Path;

use engine::author::{Case, CaseRun, play_case};
use engine::session::Content;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::bundled;

pub fn read(path: &Path) -> Case {
    let text = fs::read_to_string(path).unwrap();
    Case::parse(&path.display().to_string(), &text).unwrap_or_else(|problem| panic!("{problem}"))
}

pub fn content(case: &Case) -> Content {
    let game = if case.game.is_empty() { "sub_rosa" } else { &case.game };
    bundled::content(game, &case.mods)
}

/// Plays a case. With a random source, the VM is rebuilt at random prompts.
pub fn play(name: &str, case: &Case, content: &Content, rng: Option<ChaCha8Rng>) -> CaseRun {
    let mut rng = rng;
    let mut rebuild = || rng.as_mut().is_some_and(|rng| rng.next_u32().is_multiple_of(3));
    play_case(case, content, &mut rebuild).unwrap_or_else(|problems| {
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{name}: {}", told.join("\n"))
    })
}

fn cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let named =
        |path: &Path| (path.file_stem().unwrap().to_string_lossy().into_owned(), read(path));
    paths.iter().map(|path| named(path)).collect()
}

#[test]
fn scripted_runs_read_as_they_were_accepted() {
    for (name, case) in cases() {
        let played = play(&name, &case, &content(&case), None);
        let faults: Vec<String> =
            played.mismatches(&case).iter().map(ToString::to_string).collect();
        assert!(faults.is_empty(), "{name}: {}\n{}", faults.join("\n"), played.transcript);
        insta::with_settings!({ description => case.about.clone(), omit_expression => true,
            snapshot_path => "snapshots/runs", prepend_module_to_snapshot => false },
            { insta::assert_snapshot!(name, played.full_transcript()) });
    }
}

#[test]
fn a_vm_thrown_away_at_any_prompt_changes_nothing() {
    for (name, case) in cases() {
        let content = content(&case);
        let plain = play(&name, &case, &content, None);
        let rng = ChaCha8Rng::seed_from_u64(case.seed);
        let rebuilt = play(&name, &case, &content, Some(rng));
        assert_eq!(plain.digests, rebuilt.digests, "{name}");
        assert_eq!(plain.transcript, rebuilt.transcript, "{name}");
    }
}
