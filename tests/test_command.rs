//! `test`: the scripted runs of a mod, as its author runs them.

use std::fs;
use std::path::Path;

const FORD_MANIFEST: &str =
    "id = \"ford\"\nname = \"Ford\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";

const FORD_SCRIPT: &str = r#"-- A ford of stones.
start(function() state.wet = 0 say "The river is high." go "stones" end)
scene "stones" {
  prompt = function()
    return { text = "Wet: " .. state.wet, choices = { { id = "step", label = "Step" }, { id = "jump", label = "Jump" } } }
  end,
  on = {
    step = function() state.wet += roll("d4", "river") end,
    jump = function() say "DEPTH" finish { outcome = "over" } end,
  },
}
schema "wet"(field.int)
"#;

const FORD_CASE: &str = "about = \"steps, then a leap\"\nseed = 3\noutcome = \"over\"\n\
    expect = [\"The river is high.\", \"Cold to the knee.\"]\nanswers = [\"step\", \"step\", \"jump\"]\n";

fn write_mod(folder: &Path, script: &str, case: &str) {
    fs::create_dir_all(folder.join("tests")).unwrap();
    fs::write(folder.join("mod.toml"), FORD_MANIFEST).unwrap();
    fs::write(folder.join("ford.luau"), script).unwrap();
    fs::write(folder.join("tests/over.toml"), case).unwrap();
}

fn run_test_command(folder: &Path, extra_arguments: &[&str]) -> (Option<i32>, String) {
    crate::support::test_command_output("ford", folder, extra_arguments)
}

#[test]
fn a_matching_case_passes_and_a_mismatch_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let script = FORD_SCRIPT.replace("DEPTH", "Cold to the knee.");
    write_mod(folder.path(), &script, FORD_CASE);
    assert_eq!(run_test_command(folder.path(), &[]).0, Some(0));
    let mut all_output = String::new();
    for case in [
        FORD_CASE.replace("\"over\"", "\"drowned\""),
        FORD_CASE.replace("Cold to", "Warm to"),
        FORD_CASE.replace("\"step\", \"step\"", "\"swim\""),
        FORD_CASE.replace("seed", "sede"),
        format!("game = \"fort\"\n{FORD_CASE}"),
    ] {
        write_mod(folder.path(), &script, &case);
        let (status, output) = run_test_command(folder.path(), &[]);
        assert_eq!(status, Some(1), "{output}");
        all_output.push_str(&output.replace(&*folder.path().to_string_lossy(), "FOLDER"));
        all_output.push_str("\n----\n");
    }
    insta::assert_snapshot!(all_output);
}

#[test]
fn a_problem_of_a_case_is_at_the_line_of_the_answer_or_expectation() {
    let folder = tempfile::tempdir().unwrap();
    let option = "option \"stones\" { type = \"int\", default = 3, max = 9, doc = \"Stones\" }";
    let script = format!("{}{option}\n", FORD_SCRIPT.replace("DEPTH", "Cold to the knee."));
    write_mod(folder.path(), &script, "");
    let setting = "[settings.depth]\ntype = \"integer\"\ndefault = 1\nmax = 5\n";
    fs::write(folder.path().join("mod.toml"), format!("{FORD_MANIFEST}{setting}")).unwrap();
    let fields = [
        "about = \"steps, then a leap\"",
        "seed = 3",
        "outcome = \"over\"",
        "options = { stones = 4 }",
        "expect = [\n  \"The river is high.\",\n  \"Cold to the knee.\",\n]",
        "answers = [\n  \"step\",\n  \":state.wet = 1\",\n  \"jump\",\n]",
    ];
    for (code, right, faulty) in [
        ("bad-setting", "seed = 3", "seed = 3SEPARATOR\nsettings = { ford = { depth = 9 } }"),
        ("unknown-setting", "seed = 3", "seed = 3SEPARATOR\nsettings = { ford = { dpeth = 1 } }"),
        ("bad-answer", ":state.wet = 1", "swim"),
        ("script-error", ":state.wet = 1", ":error(1)"),
        ("unknown-state-field", ":state.wet = 1", ":state.wett = 1"),
        ("answers-left", "\"jump\"", "\"jump\",\n  \"1\""),
        ("text-not-told", "Cold to the knee.", "Warm to the knee."),
        ("wrong-outcome", "outcome = \"over\"", "outcome = \"drowned\""),
        ("no-problem", "seed = 3", "seed = 3SEPARATOR\nproblem = \"bad-answer\""),
        ("bad-option", "stones = 4", "stones = 12"),
        ("unknown-option", "stones = 4", "stone = 4"),
        ("bad-case", "seed = 3", "seed = 3SEPARATOR\nproblem = \"bad-anser\""),
    ] {
        let case = fields.join("SEPARATOR\n").replacen(right, faulty, 1);
        let declared = case.replace('[', "{").replace(']', "}").replace("SEPARATOR", ",");
        let files = [
            ("over.toml", case.replace("SEPARATOR", "")),
            ("over.luau", format!("-- A case.\ncase \"over\" {{\n{declared}\n}}\n")),
        ];
        for (file, text) in files {
            fs::write(folder.path().join("tests").join(file), &text).unwrap();
            let (status, output) = run_test_command(folder.path(), &[]);
            fs::remove_file(folder.path().join("tests").join(file)).unwrap();
            let last_faulty_line = faulty.replace("SEPARATOR", "");
            let last_faulty_line = last_faulty_line.lines().next_back().unwrap().trim();
            let line = text.lines().position(|line| line.contains(last_faulty_line)).unwrap() + 1;
            assert_eq!(status, Some(1), "{output}");
            assert!(output.contains(&format!("error[{code}]")), "{code}: {output}");
            assert!(output.contains("FAILED ford over: steps, then a leap\n"), "{output}");
            assert!(output.contains(&format!("tests/{file}:{line}\n")), "{line}: {output}");
        }
    }
}

#[test]
fn setup_lines_are_checked_for_misspelt_state_fields() {
    let folder = tempfile::tempdir().unwrap();
    let run_with_setup = |line: &str| {
        write_mod(folder.path(), FORD_SCRIPT, &format!("{FORD_CASE}setup = [\n  \"{line}\",\n]\n"));
        fs::write(folder.path().join("mod.toml"), FORD_MANIFEST).unwrap();
        run_test_command(folder.path(), &[]).1
    };
    let output = run_with_setup("state.wett = 3");
    assert!(output.contains("no mod declares `state.wett`"), "{output}");
    assert!(output.contains("ford/tests/over.toml:7"), "{output}");
    assert!(output.contains("did you mean `wet`?"), "{output}");
    let output = run_with_setup("state.turns = 3");
    assert!(!output.contains("no mod declares"), "{output}");
}

#[test]
fn accept_prints_the_difference_and_updates_the_transcript() {
    let folder = tempfile::tempdir().unwrap();
    write_mod(folder.path(), &FORD_SCRIPT.replace("DEPTH", "Cold to the knee."), FORD_CASE);
    let transcript_path = folder.path().join("tests/over.txt");
    assert_eq!(run_test_command(folder.path(), &["--accept"]).0, Some(0));
    assert!(!transcript_path.exists(), "a transcript is created for the selected case only");
    assert_eq!(run_test_command(folder.path(), &["--case", "over", "--accept"]).0, Some(0));
    let accepted = fs::read_to_string(&transcript_path).unwrap();
    assert!(accepted.contains("> jump") && accepted.contains("Cold to the knee."), "{accepted}");

    let changed_script = FORD_SCRIPT.replace("DEPTH", "Cold to the knee. Colder to the hip.");
    write_mod(folder.path(), &changed_script, FORD_CASE);
    let (status, output) = run_test_command(folder.path(), &[]);
    assert_eq!(status, Some(1));
    assert!(
        output.contains("- Cold to the knee.") && output.contains("+ Cold to the knee. Colder")
    );
    assert_eq!(
        fs::read_to_string(&transcript_path).unwrap(),
        accepted,
        "nothing is accepted unasked"
    );
    let (status, output) = run_test_command(folder.path(), &["--accept"]);
    assert_eq!(status, Some(0));
    assert!(output.contains("+ Cold to the knee. Colder to the hip."), "shown first: {output}");
    assert_eq!(run_test_command(folder.path(), &[]).0, Some(0));
}

#[test]
fn state_kept_in_a_local_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let script = FORD_SCRIPT
        .replace("DEPTH", "Cold to the knee.")
        .replace("-- A ford of stones.\n", "local steps = 0\n")
        .replace("state.wet += roll(\"d4\", \"river\")", "steps += 1 state.wet += steps");
    write_mod(
        folder.path(),
        &script,
        &FORD_CASE.replace("\"step\", \"step\"", "\"step\", \"step\", \"step\""),
    );
    let (status, output) = run_test_command(folder.path(), &[]);
    assert_eq!(status, Some(1), "{output}");
    assert!(output.contains("rebuild-diverges") || output.contains("kept-in-a-local"), "{output}");
}

#[test]
fn cases_in_subfolders_and_mods_of_two_games_are_run() {
    let mods_folder = tempfile::tempdir().unwrap();
    let script = FORD_SCRIPT.replace("DEPTH", "Cold to the knee.");
    let (ford_folder, weir_folder) =
        (mods_folder.path().join("ford"), mods_folder.path().join("weir"));
    for folder in [&ford_folder, &weir_folder] {
        write_mod(folder, &script, FORD_CASE);
    }
    fs::create_dir(ford_folder.join("tests/runs")).unwrap();
    fs::rename(ford_folder.join("tests/over.toml"), ford_folder.join("tests/runs/over.toml"))
        .unwrap();
    fs::write(weir_folder.join("mod.toml"), FORD_MANIFEST.replace("ford", "weir")).unwrap();
    let (status, output) =
        crate::support::test_command_output("ford", mods_folder.path(), &["weir"]);
    assert_eq!(status, Some(0), "{output}");
    for owner in ["ford", "weir"] {
        assert!(output.contains(&format!("ok     {owner} over: steps, then a leap")), "{output}");
    }
    let (status, output) = crate::support::test_command_output(
        "ford",
        mods_folder.path(),
        &["weir", "--game", "weir"],
    );
    assert_eq!(status, Some(1), "{output}");
    assert!(output.contains("ford is left out: it is a game itself"), "{output}");
}

const DICE_CASE: &str = "case \"low\" {\n  dice = { river = { 3, 1 } },\n  answers = {\n    \
    \"step\", \"step\", function() equals(state.wet, 4) end, \"step\",\n    \
    function() holds(state.wet == 0, \"the river is dry\") end,\n  },\n}\n";

#[test]
fn a_case_sets_the_first_dice_of_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    write_mod(folder.path(), &FORD_SCRIPT.replace("DEPTH", "Cold."), "");
    let over_file = folder.path().join("tests/over.toml");
    fs::remove_file(&over_file).unwrap();
    let case_file = folder.path().join("tests/low.luau");
    let run_with = |original: &str, replacement: &str| {
        let case = DICE_CASE.replace("wet == 0", "wet > 4").replace(original, replacement);
        fs::write(&case_file, case).unwrap();
        run_test_command(folder.path(), &[])
    };
    let (status, output) = run_with("3, 1", "3, 1");
    assert_eq!(status, Some(0), "whatever the seed is: {output}");
    for (original, replacement, message) in [
        ("{ 3, 1 }", "{ 1, 3, 1, 2 }", "the stream ford:river: of 4 numbers the run draws 3"),
        ("{ 3, 1 }", "{ 3, 7 }", "7 is no face of a die with 4 sides"),
        ("river =", "rivre =", "it draws from ford:river"),
        ("river =", "[\"no stream\"] =", "wrong stream"),
    ] {
        let (status, output) = run_with(original, replacement);
        assert_eq!(status, Some(1), "{output}");
        assert!(output.contains(message), "{message}: {output}");
        assert!(output.contains("tests/low.luau:2"), "{output}");
    }
    fs::remove_file(&case_file).unwrap();
    let toml = FORD_CASE.replace(", \"jump\"", ", \":assert(state.wet == 4)\", \"jump\"");
    fs::write(&over_file, toml.replace(", \"Cold to the knee.\"", "")).unwrap();
    let mut toml = fs::read_to_string(&over_file).unwrap();
    toml.push_str("dice = { \"ford:river\" = [3, 1] }\n");
    fs::write(&over_file, toml).unwrap();
    let (status, output) = run_test_command(folder.path(), &[]);
    assert_eq!(status, Some(0), "{output}");
}

#[test]
fn a_failed_expectation_reads_as_a_sentence_also_in_the_transcript() {
    let folder = tempfile::tempdir().unwrap();
    write_mod(folder.path(), &FORD_SCRIPT.replace("DEPTH", "Cold."), "");
    fs::remove_file(folder.path().join("tests/over.toml")).unwrap();
    fs::write(folder.path().join("tests/low.luau"), DICE_CASE).unwrap();
    let (status, output) = run_test_command(folder.path(), &[]);
    assert_eq!(status, Some(1));
    assert!(
        output.contains("error[case-check-failed]: low: the river is dry: found false"),
        "{output}"
    );
    assert!(output.contains("[refused: ") && !output.contains('⇔'), "{output}");
}
