//! Scripted runs. A case is a file in `tests/runs/`: a seed, options, an optional profile, and
//! answers by id. Each is played twice: once with its transcript as a snapshot, and once with the
//! VM rebuilt at random prompts, comparing digests step by step.

use std::fs;
use std::path::Path;

use author::{Case, CaseRun, play_case};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use session::RunContent;

use crate::bundled;

pub fn read_case(path: &Path) -> Case {
    let text = fs::read_to_string(path).unwrap();
    Case::parse(&path.display().to_string(), &text).unwrap_or_else(|problem| panic!("{problem}"))
}

pub fn case_content(case: &Case) -> RunContent {
    let game = if case.game.is_empty() { "sub_rosa" } else { &case.game };
    bundled::game_content(game, &case.mods)
}

/// Plays a case. With a random source, the VM is rebuilt at random prompts.
pub fn play_case_with_rebuilds(
    name: &str,
    case: &Case,
    content: &RunContent,
    random: Option<ChaCha8Rng>,
) -> CaseRun {
    let mut random = random;
    let mut should_rebuild =
        || random.as_mut().is_some_and(|random| random.next_u32().is_multiple_of(3));
    play_case(case, content, &mut should_rebuild).unwrap_or_else(|problems| {
        let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{name}: {}", messages.join("\n"))
    })
}

fn read_all_cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let name_and_case =
        |path: &Path| (path.file_stem().unwrap().to_string_lossy().into_owned(), read_case(path));
    paths.iter().map(|path| name_and_case(path)).collect()
}

#[test]
fn scripted_runs_match_their_accepted_transcripts() {
    for (name, case) in read_all_cases() {
        let case_run = play_case_with_rebuilds(&name, &case, &case_content(&case), None);
        let mismatches: Vec<String> =
            case_run.mismatches(&case).iter().map(ToString::to_string).collect();
        assert!(
            mismatches.is_empty(),
            "{name}: {}\n{}",
            mismatches.join("\n"),
            case_run.transcript
        );
        insta::with_settings!({ description => case.sentence.clone(), omit_expression => true,
            snapshot_path => "snapshots/runs", prepend_module_to_snapshot => false },
            { insta::assert_snapshot!(name, case_run.full_transcript()) });
    }
}

#[test]
fn rebuilding_the_vm_at_any_prompt_changes_nothing() {
    for (name, case) in read_all_cases() {
        let content = case_content(&case);
        let plain_run = play_case_with_rebuilds(&name, &case, &content, None);
        let random = ChaCha8Rng::seed_from_u64(case.seed);
        let rebuilt_run = play_case_with_rebuilds(&name, &case, &content, Some(random));
        assert_eq!(plain_run.step_digests, rebuilt_run.step_digests, "{name}");
        assert_eq!(plain_run.transcript, rebuilt_run.transcript, "{name}");
    }
}
