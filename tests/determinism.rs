//! The same seed, build and answers give the same bytes in separate processes of the real program.
//! `.ci/full` runs a hundred processes of a small game and of the bundled one; the default is a few
//! of each.

use std::process::{Child, Command, Stdio};

use crate::support::count_from_env;

const AT_ONCE: usize = 4;

/// From the title through the first rooms of the bundled game: texts, rolls and foes.
const DESCENT: &str = "new\ndoor:loading_porch\nstrike\nstrike\ndoor:tally_office\n";

const FERRY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/ferry");
const CROSSING: &str = "new\nskiff\n1, letters\nAnn\nbreak\nrow\nbreak\nrow\n";

fn start(arguments: &[&str], script: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["--seed", "1", "--script", script]).args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn tell_one_story(processes: usize, arguments: &[&str], answers: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.txt");
    std::fs::write(&path, answers).unwrap();
    let script = path.to_string_lossy().into_owned();
    let mut first: Option<Vec<u8>> = None;
    for _ in 0..processes.div_ceil(AT_ONCE) {
        let together: Vec<Child> = (0..AT_ONCE).map(|_| start(arguments, &script)).collect();
        for child in together {
            let output = child.wait_with_output().unwrap();
            let (story, wrong) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{wrong}{}", String::from_utf8_lossy(story));
            assert!(story.len() > 1_000, "the story is too short to prove anything");
            let first = first.get_or_insert_with(|| story.clone());
            assert!(first == story, "another story:\n{}", String::from_utf8_lossy(story));
        }
    }
}

fn processes() -> usize {
    usize::try_from(count_from_env("SUB_ROSA_PROCESSES", 10)).unwrap()
}

#[test]
fn a_hundred_processes_tell_one_story_byte_by_byte() {
    tell_one_story(processes(), &["--mods", FERRY, "--game", "ferry"], CROSSING);
}

#[test]
fn the_bundled_game_tells_one_story_in_a_hundred_processes() {
    tell_one_story(
        processes(),
        &["--set", "dungeon=ice_house", "--set", "difficulty=gentle", "--set", "build=breath"],
        DESCENT,
    );
}
