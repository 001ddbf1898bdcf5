//! Instruction counts for benchmarks (a) to (d). A busy machine does not change them, so a
//! regression stands out from noise. This program runs each piece of work under callgrind N times
//! and 2N times. The difference is the cost of the work without the start.

use std::process::Command;

use base::Value;
use mlua::Function;
use protocol::Input;
use session::{RunContent, Session, ViewPolicy, complete_options, option_specs};

use super::bare_host::{BareHost, compiler};
use super::calls::PLAIN_SCRIPT;
use super::descent::{begin_session, bundled_content, load_bench_game, record_answers};
use super::report::BenchReport;

/// The counted work: the row, the work, its repetitions, its pieces per repetition, and the work it
/// is compared with, in as many pieces.
const COUNTED_ROWS: [(&str, &str, &str, u64, u64); 10] = [
    ("(a) an after-hook called by the engine", "hooked - bare", "plain hook", 20, 1_000),
    ("(a) a before-hook called by the engine", "weighed - bare", "plain weigh", 20, 1_000),
    ("(b) a field of the state read", "read - nothing", "plain read - plain nothing", 40, 1_000),
    (
        "(b) a field of the state written",
        "write - nothing",
        "plain write - plain nothing",
        40,
        1_000,
    ),
    ("(c) a step of a duel", "duel", "bare duel", 1_000, 1),
    ("    the same, where nobody looks", "unseen duel", "blind duel", 1_000, 1),
    ("(d) a small descent", "descent", "bare descent", 1, 1),
    ("    the same, where nobody looks", "unseen descent", "blind descent", 1, 1),
    ("(d) a small descent of today's game", "descent of today", "descent", 1, 1),
    ("    the same, where nobody looks", "unseen of today", "unseen descent", 1, 1),
];

/// The notes of counted instructions.
pub fn add_rows(report: &mut BenchReport) {
    if Command::new("valgrind").arg("--version").output().is_err() {
        report.add_note("(a)-(d) there is no valgrind here to count instructions with");
        return;
    }
    report.add_note("instructions, counted by callgrind, the same however busy the machine is:");
    for (row, work, baseline, repetitions, pieces_per_repetition) in COUNTED_ROWS {
        let instructions_per_piece = |names: &str| -> Option<f64> {
            let mut names = names.split(" - ");
            let instructions = count_instructions(names.next()?, repetitions)?;
            let baseline_instructions =
                names.next().map_or(Some(0), |name| count_instructions(name, repetitions))?;
            Some(
                instructions.saturating_sub(baseline_instructions) as f64
                    / (repetitions * pieces_per_repetition) as f64,
            )
        };
        let line = match (instructions_per_piece(work), instructions_per_piece(baseline)) {
            (Some(first), Some(baseline_cost)) => {
                format!(
                    "  {row:42} {first:>14.0}  {baseline:28} {baseline_cost:>12.0}  {:>7.2}x",
                    first / baseline_cost
                )
            }
            _ => format!("  {row:42} could not be counted"),
        };
        report.add_note(&line);
    }
}

/// Instructions of N repetitions of some work.
fn count_instructions(work: &str, repetitions: u64) -> Option<u64> {
    let single_run = run_under_callgrind(work, repetitions)?;
    let double_run = run_under_callgrind(work, 2 * repetitions)?;
    Some(double_run.saturating_sub(single_run))
}

fn run_under_callgrind(work: &str, repetitions: u64) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args(["--work", work, &repetitions.to_string()])
        .output()
        .ok()?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let instruction_text = stderr.lines().find_map(|line| line.split("Collected :").nth(1))?;
    output.status.success().then(|| instruction_text.trim().parse().ok())?
}

/// Repeats some work for a counter outside this process.
pub fn run_work(name: &str, repetitions: u64) {
    match name.split_once(' ') {
        Some(("unseen", "duel")) => play_duel(repetitions, ViewPolicy::OnRequest),
        Some(("unseen", "descent")) => {
            play_descents(&bundled_content(), repetitions, ViewPolicy::OnRequest)
        }
        Some(("unseen", "of today")) => {
            play_descents(&bundled_content(), repetitions, ViewPolicy::OnRequest)
        }
        Some((host, "duel")) => {
            let content = load_bench_game("duel");
            let bare_host = BareHost::load(&content, content.load_vm().unwrap().registry());
            bare_host.begin_run(1, &Value::map(), host == "bare");
            submit_inputs(repetitions, |input| {
                drop(bare_host.submit_answer(input, host == "bare"))
            });
        }
        Some(("descent", _)) => {
            play_descents(&bundled_content(), repetitions, ViewPolicy::EveryStep)
        }
        Some((host, "descent")) => {
            let content = bundled_content();
            let vm = content.load_vm().unwrap();
            let bare_host = BareHost::load(&content, vm.registry());
            let options = complete_options(&option_specs(vm.registry()), &Default::default());
            let (options, answers) = (options.unwrap(), record_answers(&content, 1));
            for _ in 0..repetitions {
                bare_host.begin_run(1, &options, host == "bare");
                answers
                    .iter()
                    .for_each(|input| drop(bare_host.submit_answer(input, host == "bare")));
            }
        }
        Some((_, operation)) => run_on_plain_tables(operation, repetitions),
        None if name == "duel" => play_duel(repetitions, ViewPolicy::EveryStep),
        None if name == "descent" => {
            play_descents(&bundled_content(), repetitions, ViewPolicy::EveryStep)
        }
        None => {
            let content = load_bench_game("probe");
            let mut session: Session = begin_session(&content, content.load_vm().unwrap(), 1);
            let input = Input::Choice(name.to_owned());
            (0..repetitions).for_each(|_| drop(session.answer_prompt(&input).unwrap()));
        }
    }
}

fn play_duel(repetitions: u64, view_policy: ViewPolicy) {
    let content = load_bench_game("duel");
    let mut session = begin_session(&content, content.load_vm().unwrap(), 1);
    session.set_view_policy(view_policy);
    submit_inputs(repetitions, |input| drop(session.answer_prompt(input).unwrap()));
}

fn play_descents(content: &RunContent, repetitions: u64, view_policy: ViewPolicy) {
    let (answers, mut vm) = (record_answers(content, 1), content.load_vm().unwrap());
    for _ in 0..repetitions {
        let mut session = begin_session(content, vm, 1);
        session.set_view_policy(view_policy);
        answers.iter().for_each(|input| drop(session.answer_prompt(input).unwrap()));
        vm = session.into_vm();
    }
}

/// Work on plain tables without an engine: a thousand iterations each time.
fn run_on_plain_tables(name: &str, repetitions: u64) {
    let lua = mlua::Lua::new();
    let functions: mlua::Table = lua.load(PLAIN_SCRIPT).set_compiler(compiler()).eval().unwrap();
    let function: Function = functions.get(name).unwrap();
    let event = lua.create_table().unwrap();
    event.set("damage", 4).unwrap();
    for _ in 0..repetitions {
        match name {
            "hook" | "weigh" => (0..1_000).for_each(|_| function.call::<()>(&event).unwrap()),
            _ => function.call::<()>(()).unwrap(),
        }
    }
}

fn submit_inputs(repetitions: u64, mut submit: impl FnMut(&Input)) {
    let inputs = ["strike", "guard"].map(|id| Input::Choice(id.to_owned()));
    (0..repetitions as usize).for_each(|index| submit(&inputs[index % 2]));
}
