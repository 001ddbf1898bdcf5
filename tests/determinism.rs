//! The same seed, build and answers give the same bytes, in a hundred processes of the real program.

use std::process::{Child, Command, Stdio};

const PROCESSES: usize = 100;
const AT_ONCE: usize = 8;

/// From the title through the first rooms of the bundled game: words read, dice thrown, a foe met.
const SCRIPT: &str = "new\ndoor:bunkhouse\nprise_the_boards\ndoor:blanket_loft\nstrike\nstrike\n\
    door:bell_house\ndoor:pell_hatch\ndoor:saddlers_corner\ndoor:loading_porch\nstrike\n";

fn play(script: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["--seed", "1", "--set", "dungeon=ice_house", "--set", "build=breath"]);
    command.args(["--script", script]).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_hundred_processes_tell_the_same_story_byte_by_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.txt");
    std::fs::write(&path, SCRIPT).unwrap();
    let script = path.to_string_lossy().into_owned();
    let mut first: Option<Vec<u8>> = None;
    for _ in 0..PROCESSES.div_ceil(AT_ONCE) {
        let together: Vec<Child> = (0..AT_ONCE).map(|_| play(&script)).collect();
        for child in together {
            let output = child.wait_with_output().unwrap();
            let (story, wrong) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{wrong}{}", String::from_utf8_lossy(story));
            assert!(story.len() > 4_000, "the story is too short to prove anything");
            let first = first.get_or_insert_with(|| story.clone());
            assert!(first == story, "another story:\n{}", String::from_utf8_lossy(story));
        }
    }
}
