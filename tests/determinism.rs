//! The same seed, build and answers give the same bytes in separate processes of the real program.
//! `.ci/full` runs a hundred processes of a small game and of the bundled one; the default is a few
//! of each.

use std::process::{Child, Command, Stdio};

use crate::support::count_from_env;

const PARALLEL_PROCESSES: usize = 4;

/// From the title through the first rooms of the bundled game: texts, rolls and foes.
const DESCENT_ANSWERS: &str = "new\ndoor:loading_porch\nstrike\nstrike\ndoor:tally_office\n";

const FERRY_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/ferry");
const CROSSING_ANSWERS: &str = "new\nskiff\n1, letters\nAnn\nbreak\nrow\nbreak\nrow\n";

fn spawn_program(arguments: &[&str], script: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["--seed", "1", "--script", script]).args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn assert_equal_output_of_processes(processes: usize, arguments: &[&str], answers: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.txt");
    std::fs::write(&path, answers).unwrap();
    let script = path.to_string_lossy().into_owned();
    let mut first_output: Option<Vec<u8>> = None;
    for _ in 0..processes.div_ceil(PARALLEL_PROCESSES) {
        let children: Vec<Child> =
            (0..PARALLEL_PROCESSES).map(|_| spawn_program(arguments, &script)).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            let (stdout, stderr) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{stderr}{}", String::from_utf8_lossy(stdout));
            assert!(stdout.len() > 1_000, "the story is too short to prove anything");
            let expected = first_output.get_or_insert_with(|| stdout.clone());
            assert!(expected == stdout, "another story:\n{}", String::from_utf8_lossy(stdout));
        }
    }
}

fn process_count() -> usize {
    usize::try_from(count_from_env("SUB_ROSA_PROCESSES", 10)).unwrap()
}

#[test]
fn processes_with_the_same_seed_print_the_same_bytes() {
    assert_equal_output_of_processes(
        process_count(),
        &["--mods", FERRY_FOLDER, "--game", "ferry"],
        CROSSING_ANSWERS,
    );
}

#[test]
fn the_bundled_game_prints_the_same_bytes_in_all_processes() {
    assert_equal_output_of_processes(
        process_count(),
        &["--set", "dungeon=ice_house", "--set", "difficulty=gentle", "--set", "build=breath"],
        DESCENT_ANSWERS,
    );
}
